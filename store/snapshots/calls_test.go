package snapshots

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRewindOfEveryKindOfChange(t *testing.T) {
	f := newFixture(t)
	f.write("kept", "same")
	f.write("edited", "old")
	f.write("gone", "was here")
	f.writeMode("script", "#!/bin/sh", 0o644)
	f.write("dir/a", "a")
	f.write("dir/sub/b", "b")
	f.write("turns into dir", "file")
	f.link("kept", "pointer")
	f.link("kept", "link to file")
	f.ok(os.Mkdir(f.path("empty"), 0o755))
	before := f.tree()
	changes := f.call("t1", func() {
		f.write("edited", "new")
		f.remove("gone")
		f.ok(os.Chmod(f.path("script"), 0o755))
		f.remove("dir")
		f.write("dir", "now a file")
		f.remove("turns into dir")
		f.write("turns into dir/x", "x")
		f.remove("pointer")
		f.link("edited", "pointer")
		f.remove("link to file")
		f.write("link to file", "now a file")
		f.remove("empty")
		f.write("made/deep/file", "made")
	})
	want(t, "changes", f.says(changes), "became dir, deleted dir/a, deleted dir/sub, deleted dir/sub/b, modified edited, deleted empty, "+
		"deleted gone, became link to file, created made, created made/deep, created made/deep/file, link pointer, mode script, "+
		"became turns into dir, created turns into dir/x")
	after := f.tree()
	r := f.rewind("t1")
	want(t, "rewound", f.tree(), before)
	if l := f.undo(r.ID, Choice{}).Left; len(l) > 0 {
		t.Error(describe(l))
	}
	want(t, "undone", f.tree(), after)
	f.reopen()
	f.rewind("t1")
	want(t, "rewound again", f.tree(), before)
	if p := f.plan("t1"); len(p.Restore)+len(p.Doubtful)+len(p.Conflicts)+len(p.Impossible) > 0 {
		t.Errorf("there is more to undo: %s", describe(p.Restore))
	}
	list, err := f.Changes(context.Background(), Filter{All: true})
	f.ok(err)
	want(t, "changes after all", f.says(list), "")
}

func TestConflicts(t *testing.T) {
	f := newFixture(t)
	for _, n := range []string{"mine", "theirs after", "theirs between", "deleted after", "later turn", "back again"} {
		f.write(n, "0")
	}
	f.call("t1", func() {
		for _, n := range []string{"mine", "theirs after", "theirs between", "deleted after", "later turn", "made", "back again"} {
			f.write(n, "1")
		}
	})
	f.write("theirs between", "person")
	f.write("back again", "0")
	f.call("t2", func() { f.write("theirs between", "2"); f.write("later turn", "2"); f.write("back again", "2") })
	f.write("theirs after", "person")
	f.write("made", "person")
	f.remove("deleted after")
	p := f.plan("t1", "t2")
	want(t, "restore", f.names(p.Restore), "back again, later turn, mine")
	want(t, "conflicts", f.names(p.Conflicts), "deleted after, made, theirs after, theirs between")
	for i, why := range []string{"deleted by someone else", "changed by someone else", "changed by someone else", "in between it was changed by someone else"} {
		if !strings.Contains(p.Conflicts[i].Why, why) {
			t.Errorf("%s: %s", p.Conflicts[i].Path, p.Conflicts[i].Why)
		}
	}
	p = f.plan("t1")
	want(t, "only t1", f.names(p.Conflicts), "back again, deleted after, later turn, made, theirs after, theirs between")
	for _, c := range p.Conflicts {
		if c.Path == f.path("later turn") && !strings.Contains(c.Why, "call2 of turn t2") {
			t.Error(c.Why)
		}
	}
	before := f.tree()
	r := f.apply(f.plan("t1", "t2"), Choice{Paths: map[string]bool{f.path("made"): true, f.path("theirs between"): true}})
	want(t, "left", f.names(r.Left), "deleted after, theirs after")
	want(t, "tree", f.tree(), strings.Join([]string{`back again 644 "0"`, `later turn 644 "0"`, `mine 644 "0"`, `theirs after 644 "person"`, `theirs between 644 "0"`}, "\n"))
	f.undo(r.ID, Choice{})
	want(t, "undone", f.tree(), before)
	want(t, "conflicts as before", f.names(f.plan("t1", "t2").Conflicts), "deleted after, made, theirs after, theirs between")
}

func TestRewindThenGoOn(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	f.call("t1", func() { f.write("a", "1") })
	one := f.tree()
	f.call("t2", func() { f.write("a", "2"); f.write("b", "2") })
	f.rewind("t2")
	want(t, "after t1", f.tree(), one)
	f.call("t3", func() { f.write("a", "3") })
	// The hidden turn is named or not: it makes no difference.
	for _, turns := range [][]string{{"t3"}, {"t2", "t3"}} {
		p := f.plan(turns...)
		want(t, "restore", f.names(p.Restore), "a")
		want(t, "conflicts", f.names(p.Conflicts), "")
	}
	f.rewind("t1", "t2", "t3")
	want(t, "the beginning", f.tree(), `a 644 "0"`)
}

func TestSomeoneElsesWorkSurvivesASecondRewind(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	f.call("t1", func() { f.write("a", "1") })
	f.write("a", "person")
	f.call("t2", func() { f.write("a", "2") })
	f.rewind("t2")
	want(t, "what the user wrote", f.tree(), `a 644 "person"`)
	p := f.plan("t1", "t2")
	want(t, "conflict", f.names(p.Conflicts), "a")
	want(t, "restore", f.names(p.Restore), "")
}

func TestNamedPaths(t *testing.T) {
	c := &counter{}
	f := newFixture(t, func(o *Options) {
		o.Files = c
		o.Ignored = func() Ignored {
			return func(p string, _ bool) bool { return filepath.Base(p) == "dist" }
		}
	})
	outside := filepath.Join(filepath.Dir(f.root), "outside", "conf")
	f.write("a", "0")
	f.write("dist/x", "0")
	f.write("dist/y", "0")
	f.link("a", "to a")
	f.write(outside, "0")
	c.reset()
	changes := f.call("t1", func() {
		f.write("a", "1")
		f.write("dist/x", "1")
		f.write("dist/deep/z", "1")
		f.write(outside, "1")
	}, "to a", "dist/x", "dist/deep/z", outside)
	want(t, "changes", f.says(changes), "modified "+strings.TrimPrefix(outside, "/")+", modified a, created dist/deep, created dist/deep/z, modified dist/x")
	if opens, lists := c.reset(); lists != 0 || len(opens) > 8 {
		t.Errorf("looked at more than the paths: %v, %d directories", opens, lists)
	}
	changes = f.call("t2", func() {
		f.write("dist/x", "2")
		f.write("dist/y", "2")
		f.write("dist/deep/w", "2")
		f.write(outside, "2")
	})
	want(t, "by a command", f.says(changes), "modified "+strings.TrimPrefix(outside, "/")+", modified dist/x")
	// Where nothing is watched, only what was named is, also in new directories and
	// in those that a walk has left out.
	f.write("old/dist/x", "0")
	f.call("t3", func() {})
	f.call("t3", func() { f.write("lib/dist/n", "1"); f.write("old/dist/x", "1") }, "lib/dist/n", "old/dist/x")
	changes = f.call("t3", func() {
		f.write("lib/dist/m", "2")
		f.write("lib/dist/n", "2")
		f.write("old/dist/y", "2")
		f.write("old/dist/x", "2")
	})
	want(t, "in new directories", f.says(changes), "modified lib/dist/n, modified old/dist/x")
	f.remove("old")
	f.remove("lib")
	r := f.apply(f.plan("t1", "t2"), Choice{})
	want(t, "left, since it holds what nobody watched", f.names(r.Left), "dist/deep")
	got, err := os.ReadFile(outside)
	f.ok(err)
	want(t, "outside", string(got), "0")
	want(t, "tree", f.tree(), strings.Join([]string{`a 644 "0"`, `dist/`, `dist/deep/`, `dist/deep/w 644 "2"`, `dist/x 644 "0"`, `dist/y 644 "2"`, "to a -> a"}, "\n"))
}

// A directory that someone else has made meanwhile is watched as a whole, also
// when a file in it was named first.
func TestNamedFileInANewDirectory(t *testing.T) {
	f := newFixture(t)
	f.call("t1", func() {})
	f.write("new/a", "0")
	f.write("new/b", "0")
	f.call("t2", func() { f.write("new/a", "1") }, "new/a")
	want(t, "a command", f.says(f.call("t3", func() { f.write("new/b", "1") })), "modified new/b")
	f.rewind("t2", "t3")
	want(t, "tree", f.tree(), "new/\nnew/a 644 \"0\"\nnew/b 644 \"0\"")
}

func TestCallsSideBySide(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	f.write("a", "0")
	f.write("b", "0")
	f.write("c", "0")
	begin := func(id string, paths ...string) {
		f.ok(f.Begin(ctx, Call{ID: id, Turn: id, Paths: paths}))
	}
	begin("shell")
	begin("writes a", f.path("a"))
	f.write("a", "1")
	f.write("b", "1")
	begin("shell 2")
	f.write("c", "1")
	a, err := f.End(ctx, "writes a")
	f.ok(err)
	want(t, "writes a", f.says(a), "modified a")
	s, err := f.End(ctx, "shell")
	f.ok(err)
	want(t, "shell", f.says(s), "modified b, modified c")
	s2, err := f.End(ctx, "shell 2")
	f.ok(err)
	want(t, "shell 2", f.says(s2), "modified c")
	if _, err := f.End(ctx, "shell"); err == nil {
		t.Error("ended twice")
	}
	p := f.plan("shell")
	want(t, "surely the shell's", f.names(p.Restore), "b")
	want(t, "perhaps", f.names(p.Doubtful), "c")
	want(t, "both", f.names(f.plan("shell", "shell 2").Restore), "b, c")
}

func TestBusyAndErrors(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	f.write("a", "0")
	f.call("t1", func() { f.write("a", "1") })
	p := f.plan("t1")
	f.ok(f.Begin(ctx, Call{ID: "x"}))
	if err := f.Begin(ctx, Call{ID: "x"}); err == nil {
		t.Error("began twice")
	}
	busy := (*BusyError)(nil)
	if _, err := f.Apply(ctx, p, Choice{}); !errors.As(err, &busy) || len(busy.Calls) != 1 {
		t.Error(err)
	}
	if _, err := f.End(ctx, "x"); err != nil {
		t.Error(err)
	}
	f.write("a", "person")
	r := f.apply(p, Choice{})
	if len(r.Left) != 1 || len(r.Restored) != 0 {
		t.Errorf("a stale plan: %+v", r)
	}
	held := (*HeldError)(nil)
	if _, err := Open(ctx, f.o); !errors.As(err, &held) || held.Holder.PID != os.Getpid() {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("stopped by the test"))
	if err := f.Begin(cancelled, Call{ID: "y"}); err == nil || !strings.Contains(err.Error(), "stopped by the test") {
		t.Error(err)
	}
	f.ok(f.Close())
	if err := f.Begin(ctx, Call{ID: "z"}); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	for _, conv := range []string{"", "objects", "../x", ".hidden", strings.Repeat("x", 200)} {
		o := f.o
		o.Conv = conv
		if k, err := Open(ctx, o); err == nil {
			t.Errorf("conversation %q was opened", conv)
			_ = k.Close()
		}
	}
}

// A rewind that is stopped is pending: it can be finished or undone as a whole, and
// what is finished is named until it is settled.
func TestApplyCancelled(t *testing.T) {
	for _, finish := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		f := newFixture(t)
		for _, n := range []string{"a", "b", "c"} {
			f.write(n, "0")
		}
		before := f.tree()
		f.call("t1", func() {
			for _, n := range []string{"a", "b", "c"} {
				f.write(n, "1")
			}
		})
		after := f.tree()
		f.step = func(s string) {
			if s == "written" {
				cancel()
			}
		}
		if _, err := f.Apply(ctx, f.plan("t1"), Choice{Note: "why"}); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped: %v", err)
		}
		f.step = func(string) {}
		f.reopen()
		ctx = context.Background()
		p, err := f.Pending(ctx)
		if err != nil || p == nil || !p.Cut || p.Note != "why" || !Unsettled(f.o.Dir, f.o.Conv) {
			t.Fatalf("pending %+v, %v", p, err)
		}
		if !finish {
			f.undo(p.ID, Choice{})
			want(t, "undone", f.tree(), after)
			continue
		}
		for range 2 { // the second time there is nothing left to do
			r, err := f.Finish(ctx)
			f.ok(err)
			want(t, "restored", f.names(r.Restored), "a, b, c")
			want(t, "left", f.names(r.Left), "")
			want(t, "finished", f.tree(), before)
			f.reopen()
		}
		f.ok(f.Settle(ctx, p.ID))
		f.reopen()
		if p, err := f.Pending(ctx); err != nil || p != nil || Unsettled(f.o.Dir, f.o.Conv) {
			t.Errorf("settled: %+v, %v", p, err)
		}
	}
}
