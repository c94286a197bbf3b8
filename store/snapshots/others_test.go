package snapshots

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// beside opens another conversation in the same workspace.
func (f *fixture) beside(conv string) *fixture {
	f.t.Helper()
	o := f.o
	o.Conv = conv
	other := &fixture{t: f.t, o: o, root: f.root}
	other.open()
	f.t.Cleanup(func() { _ = other.Close() })
	return other
}

// What a call of another session may have changed is doubtful, as long as it ran at
// the same time.
func TestCallsOfOtherSessions(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	other := f.beside("c2")
	f.ok(f.Warm(ctx))
	other.call("o", func() { other.write("before", "1") })
	f.ok(f.Begin(ctx, Call{ID: "long", Turn: "t1"}))
	f.write("mine", "1")
	<-time.After(2 * clockLag) // times of files are coarse
	other.call("o", func() { other.write("named", "1") }, "named")
	other.call("o", func() { other.write("by command", "1") })
	if _, err := f.End(ctx, "long"); err != nil {
		t.Fatal(err)
	}
	p := f.plan("t1")
	want(t, "mine", f.names(p.Restore), "mine")
	want(t, "doubtful", f.names(p.Doubtful), "by command, named")
	r := f.apply(p, Choice{})
	want(t, "left", f.names(r.Left), "by command, named")
	f.undo(r.ID, Choice{})
	f.reopen() // what was doubted stays doubtful
	p = f.plan("t1")
	want(t, "doubtful", f.names(p.Doubtful), "by command, named")
	want(t, "chosen", f.names(f.apply(p, Choice{Doubtful: true}).Restored), "by command, mine, named")
}

// A session that was left open by a program that is gone is no one who writes.
func TestAbandonedSession(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	other := f.beside("c2")
	f.ok(other.Begin(ctx, Call{ID: "cut", Turn: "o"}))
	journal, err := os.ReadFile(filepath.Join(other.dir, "journal"))
	f.ok(err)
	f.ok(other.Close())
	f.ok(os.WriteFile(filepath.Join(other.dir, "journal"), journal, 0o600))
	f.ok(other.markOpen())
	f.call("t1", func() { f.write("mine", "1") })
	want(t, "mine", f.names(f.plan("t1").Restore), "mine")
}

// A plan names what is not watched where a command could have changed it.
func TestPlanNamesWhatIsNotWatched(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.Limits.Files = 3
		o.Ignored = func() Ignored { return func(p string, _ bool) bool { return filepath.Base(p) == "dist" } }
	})
	for _, n := range []string{"a", "b", "c", "d", "e", "dist/x"} {
		f.write(n, "0")
	}
	f.call("t1", func() { f.write("a", "1"); f.write("e", "1") })
	f.call("t2", func() { f.write("b", "1") }, "b")
	p := f.plan("t1")
	want(t, "restore", f.names(p.Restore), "a")
	if len(p.Unwatched) != 2 || p.Unwatched[0].Count != 1 || p.Unwatched[1].Count != 2 {
		t.Fatalf("not watched: %+v", p.Unwatched)
	}
	want(t, "ignored", p.Unwatched[0].Names[0], f.path("dist"))
	want(t, "too many", p.Unwatched[1].Names[1], f.path("e"))
	if p := f.plan("t2"); len(p.Unwatched) > 0 {
		t.Errorf("a call that named its files: %+v", p.Unwatched)
	}
}
