//go:build unix

package snapshots

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDirectoryThatMayNotBeRead(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Files = locked{dir: filepath.Join(o.Root, "locked")} })
	f.write("locked/x", "0")
	f.write("a", "0")
	want(t, "changes", f.says(f.call("t1", func() { f.write("a", "1"); f.write("locked/x", "1") })), "modified a")
	if e := f.excluded()[skipLocked.words()]; e.Count != 1 {
		t.Errorf("%+v", e)
	}
}

// locked is a file system with a directory that may not be read.
type locked struct {
	disk
	dir string
}

func (l locked) ReadDir(n string) ([]os.DirEntry, error) {
	if n == l.dir {
		return nil, &os.PathError{Op: "open", Path: n, Err: os.ErrPermission}
	}
	return l.disk.ReadDir(n)
}

// A connection that breaks is an error, not a workspace without files.
type broken struct {
	disk
	on, open *bool
}

func (b broken) Open(n string) (io.ReadCloser, error) {
	if *b.open {
		return nil, &os.PathError{Op: "open", Path: n, Err: syscall.ECONNRESET}
	}
	return b.disk.Open(n)
}

func (b broken) ReadDir(n string) ([]os.DirEntry, error) {
	if *b.on {
		return nil, &os.PathError{Op: "readdir", Path: n, Err: syscall.ECONNRESET}
	}
	return b.disk.ReadDir(n)
}

func TestBrokenConnection(t *testing.T) {
	on, open := false, false
	f := newFixture(t, func(o *Options) {
		o.Files = broken{on: &on, open: &open}
		o.Ignored = func() Ignored {
			rules, _ := os.ReadFile(filepath.Join(o.Root, ".gitignore"))
			return func(p string, _ bool) bool { return filepath.Base(p) == string(rules) }
		}
	})
	f.write(".gitignore", "hidden")
	f.write("hidden", "0")
	ctx := context.Background()
	f.write("a", "0")
	f.ok(f.Begin(ctx, Call{ID: "x", Turn: "t"}))
	f.write("a", "1")
	on = true
	if _, err := f.End(ctx, "x"); err == nil || !strings.Contains(err.Error(), "connection reset") {
		t.Error(err)
	}
	on = false
	list, err := f.End(ctx, "x")
	f.ok(err)
	want(t, "changes", f.says(list), "modified a")

	f.ok(f.Begin(ctx, Call{ID: "y", Turn: "t"}))
	f.write(".gitignore", "nothing")
	open = true
	if _, err := f.End(ctx, "y"); err == nil || !strings.Contains(err.Error(), "connection reset") {
		t.Error(err)
	}
	open = false
	list, err = f.End(ctx, "y")
	f.ok(err)
	want(t, "changes", f.says(list), "modified .gitignore")
	want(t, "no longer ignored", f.says(f.call("t", func() { f.write("hidden", "1") })), "modified hidden")
}

func TestPruning(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	var dir, root string
	open := func(conv string, at time.Time) *fixture {
		f := newFixture(t, func(o *Options) {
			if dir != "" {
				o.Dir, o.Root = dir, root
			}
			dir, root = o.Dir, o.Root
			o.Conv, o.Clock = conv, func() time.Time { return at }
		})
		f.root = root
		return f
	}
	old := open("old", now.Add(-10*24*time.Hour))
	old.write("a", "0")
	old.call("t1", func() { old.write("a", strings.Repeat("1", 100)) })
	old.ok(old.Close())
	young := open("young", now.Add(-time.Hour))
	young.call("t1", func() { young.write("a", "2") })
	young.ok(young.Close())
	used := open("used", now.Add(-20*24*time.Hour))
	used.call("t1", func() { used.write("a", "3") })
	ctx := context.Background()
	p, err := Prune(ctx, dir, Limits{}, now)
	used.ok(err)
	want(t, "pruned by age", strings.Join(p.Convs, " "), "old")
	// Copies that are in use stay readable.
	used.call("t2", func() { used.write("a", "4") })
	used.rewind("t1", "t2")
	want(t, "tree", used.tree(), `a 644 "2"`)
	used.ok(used.Close())
	young = open("young", now)
	want(t, "a conversation keeps what it needs", young.names(young.plan("t1").Restore), "a")
	young.ok(young.Close())
	old = open("old", now)
	old.write("a", strings.Repeat("1", 100))
	plan := old.plan("t1")
	want(t, "impossible now", old.names(plan.Impossible), "a")
	old.ok(old.Close())
	if p, err = Prune(ctx, dir, Limits{Total: 1, Age: 1000 * time.Hour}, now); err != nil || p.Left > 1 {
		t.Errorf("by size: %+v, %v", p, err)
	}
	want(t, "oldest first", strings.Join(p.Convs, " "), "used old young")
}

func TestCopiesAreCompacted(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Total = 100_000 })
	noise := func(n int) string {
		b := make([]byte, 20_000)
		for i := range b {
			b[i] = byte(i * (n + 7) * (i>>3 + n))
		}
		return string(b)
	}
	ctx := context.Background()
	for i := range 6 {
		f.o.Conv = fmt.Sprint("c", i)
		f.ok(f.Close())
		f.write("a", noise(i))
		f.write("b", "always")
		f.open()
		f.ok(f.Warm(ctx))
		if size := f.base.size(); size > 80_000 {
			t.Errorf("%d bytes are kept", size)
		}
	}
	f.call("t1", func() { f.write("a", "1"); f.write("b", "1") })
	f.rewind("t1")
	want(t, "tree", f.tree(), fmt.Sprintf("a 644 %q\nb 644 \"always\"", noise(5)))
}

// What does not fit among the copies is kept when a tool names it.
func TestNoRoomForCopies(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Total = 1 })
	for i := range 40 { // a few fit, as many as are read at once
		f.write(fmt.Sprint(i), fmt.Sprint("content ", i))
	}
	f.write("b", "b")
	ctx := context.Background()
	f.ok(f.Warm(ctx))
	f.write("c", "c")
	f.call("t1", func() { f.write("c", "1") })
	f.call("t2", func() { f.write("b", "2") }, "b")
	p := f.plan("t1", "t2")
	want(t, "restore", f.names(p.Restore), "b")
	if e := f.excluded()[whyOver]; len(p.Impossible) != 1 || e.Count < 20 {
		t.Errorf("%+v %+v", p.Impossible, e)
	}
	// What a rewind overwrites is kept in any case.
	f.write("b", "person")
	before := f.tree()
	r := f.apply(f.plan("t2"), Choice{All: true})
	f.undo(r.ID, Choice{})
	want(t, "undone", f.tree(), before)
}
