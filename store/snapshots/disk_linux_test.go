package snapshots

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-tui/internal/disktest"
)

// Full disks: nothing begins, nothing is lost, and it goes on when there is room.
func TestDiskFull(t *testing.T) {
	disktest.Run(t, "1m", diskFull)
}

func diskFull(t *testing.T, dir string) {
	f := newFixture(t, func(o *Options) { o.Dir = filepath.Join(dir, "s") })
	f.write("a", "0")
	ctx := context.Background()
	fill := filepath.Join(dir, "fill")
	full := func() { _ = os.WriteFile(fill, make([]byte, 2<<20), 0o600) }
	wantFull := func(what string, err error) {
		t.Helper()
		own := (*FullError)(nil)
		if !errors.Is(err, ErrStoreFull) || !errors.As(err, &own) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some disk space") {
			t.Errorf("%s: %v", what, err)
		}
	}
	full()
	wantFull("warm", f.Warm(ctx))
	wantFull("begin", f.Begin(ctx, Call{ID: "x"}))
	f.ok(os.Remove(fill))
	f.ok(f.Begin(ctx, Call{ID: "x", Turn: "t"}))
	f.write("a", "1")
	f.write("big", string(bytes.Repeat([]byte("some text that shrinks "), 5000)))
	full()
	_, err := f.End(ctx, "x")
	wantFull("end", err)
	wantFull("begin again", f.Begin(ctx, Call{ID: "y"}))
	f.ok(os.Remove(fill))
	list, err := f.End(ctx, "x")
	f.ok(err)
	want(t, "changes", f.says(list), "modified a, created big")
	p := f.plan("t")
	f.write("filler", strings.Repeat("?", 100))
	full()
	before := f.tree()
	r, err := f.Apply(ctx, p, Choice{}) // a few bytes may still fit
	f.remove("filler")
	f.ok(os.Remove(fill))
	if err != nil {
		wantFull("apply", err)
		f.write("filler", strings.Repeat("?", 100))
		want(t, "nothing was touched", f.tree(), before)
		f.remove("filler")
		r = f.rewind("t")
	}
	want(t, "tree", f.tree(), `a 644 "0"`)
	f.reopen()
	if p := f.plan("t"); len(p.Restore)+len(p.Doubtful)+len(p.Conflicts)+len(p.Impossible) > 0 {
		t.Error(describe(p.Conflicts))
	}
	if left := f.undo(r.ID, Choice{}).Left; len(left) > 0 {
		t.Error(describe(left))
	}
}
