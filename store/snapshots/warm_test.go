package snapshots

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestFilesThatLookUnchanged(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	stamp := time.Now().Add(-time.Hour)
	f.ok(os.Chtimes(f.path("a"), stamp, stamp))
	f.call("t0", func() {})
	changes := f.call("t1", func() {
		f.write("a", "1") // same size, same time
		f.ok(os.Chtimes(f.path("a"), stamp, stamp))
	})
	want(t, "same size and time", f.says(changes), "modified a")
	for i := range 20 { // within one tick of the clock
		changes := f.call("t2", func() { f.write("a", string(rune('a'+i))) })
		want(t, "quick", f.says(changes), "modified a")
	}
}

// coarse is a file system far away: no inodes, no change times, whole seconds.
type coarse struct{ disk }

type coarseInfo struct{ fs.FileInfo }

func (coarseInfo) Sys() any             { return nil }
func (i coarseInfo) ModTime() time.Time { return i.FileInfo.ModTime().Truncate(time.Second) }

type coarseEntry struct{ fs.DirEntry }

func (e coarseEntry) Info() (fs.FileInfo, error) {
	info, err := e.DirEntry.Info()
	return coarseInfo{info}, err
}

func (c coarse) Lstat(n string) (fs.FileInfo, error) {
	info, err := c.disk.Lstat(n)
	if err != nil {
		return nil, err
	}
	return coarseInfo{info}, nil
}

func (c coarse) ReadDir(n string) ([]fs.DirEntry, error) {
	list, err := c.disk.ReadDir(n)
	for i := range list {
		list[i] = coarseEntry{list[i]}
	}
	return list, err
}

func TestCoarseTimes(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Files = coarse{} })
	f.write("a", "0")
	for i := range 20 {
		changes := f.call("t", func() { f.write("a", string(rune('a'+i))) })
		want(t, "quick", f.says(changes), "modified a")
	}
	f.rewind("t")
	want(t, "tree", f.tree(), `a 644 "0"`)
}

// The first copy is made while a call whose path is known runs.
func TestWarmBesideACall(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	f.write("a", "0")
	f.write("b", "0")
	f.ok(f.Begin(ctx, Call{ID: "x", Turn: "t1", Paths: []string{f.path("a"), f.path("made")}}))
	f.write("a", "1")
	f.write("made", "1")
	f.ok(f.Warm(ctx))
	changes, err := f.End(ctx, "x")
	f.ok(err)
	want(t, "changes", f.says(changes), "modified a, created made")
	f.call("t1", func() { f.write("b", "1") })
	f.rewind("t1")
	want(t, "tree", f.tree(), "a 644 \"0\"\nb 644 \"0\"")
}

func TestNextConversationCopiesNothing(t *testing.T) {
	c := &counter{}
	f := newFixture(t, func(o *Options) { o.Files = c })
	old := time.Now().Add(-time.Hour)
	for _, n := range []string{"a", "b", "d/c"} {
		f.write(n, n)
		f.ok(os.Chtimes(f.path(n), old, old))
	}
	// The change time cannot be set: let the clock be ahead instead.
	f.ok(f.Close())
	f.o.Clock = func() time.Time { return time.Now().Add(time.Hour) }
	f.open()
	f.ok(f.Warm(context.Background()))
	f.ok(f.Close())
	c.reset()
	f.write("d/c", "changed")
	f.o.Conv = "c2"
	f.open()
	f.ok(f.Warm(context.Background()))
	opens, _ := c.reset()
	want(t, "read", strings.Join(opens, " "), "c")
	f.call("t1", func() { f.write("a", "1"); f.write("d/c", "1") })
	f.rewind("t1")
	want(t, "tree", f.tree(), strings.Join([]string{`a 644 "a"`, `b 644 "b"`, `d/`, `d/c 644 "changed"`}, "\n"))
	c.reset()
	f.ok(f.Warm(context.Background()))
	if opens, lists := c.reset(); len(opens)+lists > 0 {
		t.Errorf("a second Warm reads %v", opens)
	}
}

// Everything at once: the first copy, calls side by side, and people who look.
func TestAllAtOnce(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	for i := range 300 {
		f.write(fmt.Sprintf("d%d/f%d", i%7, i), fmt.Sprint(i))
	}
	before := f.tree()
	var wg sync.WaitGroup
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	wg.Go(func() { check(f.Warm(ctx)) })
	for i := range 8 {
		wg.Go(func() {
			path := f.path(fmt.Sprintf("d%d/f%d", i%7, i))
			c := Call{ID: fmt.Sprint("call", i), Turn: "t1", Paths: []string{path}}
			if i == 7 {
				c.Paths = nil
			}
			check(f.Begin(ctx, c))
			check(os.WriteFile(path, []byte("new"), 0o644))
			_, err := f.End(ctx, c.ID)
			check(err)
		})
		wg.Go(func() {
			list, err := f.Changes(ctx, Filter{All: true})
			check(err)
			_, err = f.Diff(ctx, list, DiffLimits{})
			check(err)
			_, err = f.Excluded(ctx)
			check(err)
		})
	}
	wg.Wait()
	f.rewind("t1")
	want(t, "tree", f.tree(), before)
}
