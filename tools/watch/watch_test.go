//go:build linux

package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(poorEnv) != "" {
		poor()
		return
	}
	goleak.VerifyTestMain(m)
}

// bench is a watcher, a set and a folder.
type bench struct {
	testing.TB
	*Watcher
	set   *Set
	dir   string
	warns []error
}

func newBench(t testing.TB, folders int) *bench {
	t.Helper()
	b := &bench{TB: t, dir: t.TempDir()}
	b.Watcher = New(Options{Folders: folders, Dir: filepath.Join(t.TempDir(), "marks"), Warn: func(err error) { b.warns = append(b.warns, err) }})
	b.set = b.Set()
	t.Cleanup(func() {
		if err := errors.Join(b.set.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

// ok fails with an error.
func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// put writes a file.
func (b *bench) put(name, text string) string {
	b.Helper()
	path := filepath.Join(b.dir, name)
	b.ok(os.MkdirAll(filepath.Dir(path), 0o700))
	b.ok(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// changed are the names of what may have changed.
func (b *bench) changed() []string {
	b.Helper()
	paths, all := b.set.Changed()
	if all {
		return []string{"all"}
	}
	for i, p := range paths {
		paths[i] = strings.TrimPrefix(p, b.dir+"/")
	}
	slices.Sort(paths)
	return paths
}

// TestChanges sees what becomes of files, at once and once each.
func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *bench)
		want string
	}{
		"nothing":        {func(*bench) {}, "[]"},
		"written":        {func(b *bench) { b.put("d/a", "2") }, "[d/a]"},
		"another file":   {func(b *bench) { b.put("d/x", "2") }, "[]"},
		"below":          {func(b *bench) { b.put("d/sub/a", "2") }, "[]"},
		"replaced":       {func(b *bench) { b.put("d/new", "2"); b.ok(os.Rename(b.dir+"/d/new", b.dir+"/d/a")) }, "[d/a]"},
		"deleted":        {func(b *bench) { b.ok(os.Remove(b.dir + "/d/a")) }, "[d/a]"},
		"moved away":     {func(b *bench) { b.ok(os.Rename(b.dir+"/d/a", b.dir+"/a")) }, "[d/a]"},
		"touched":        {func(b *bench) { b.ok(os.Chtimes(b.dir+"/d/a", time.Now(), time.Now())) }, "[d/a]"},
		"folder deleted": {func(b *bench) { b.ok(os.RemoveAll(b.dir + "/d")) }, "[d/a d/b]"},
		"folder moved":   {func(b *bench) { b.ok(os.Rename(b.dir+"/d", b.dir+"/e")) }, "[d/a d/b]"},
		"overflow":       {func(b *bench) { b.fs.Errors <- errors.New("queue or buffer overflow") }, "[all]"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 0)
			for _, f := range []string{b.put("d/a", "1"), b.put("d/b", "1")} {
				if !b.set.Watch(f) {
					t.Fatal("not watched")
				}
			}
			c.do(b)
			if got := fmt.Sprint(b.changed()); got != c.want {
				t.Errorf("changed %s, want %s", got, c.want)
			}
			if again := b.changed(); len(again) > 0 {
				t.Errorf("changed again: %v", again)
			}
		})
	}
}

// TestFolderIsThereAgain watches a folder that was deleted and made again.
func TestFolderIsThereAgain(t *testing.T) {
	b := newBench(t, 0)
	path := b.put("d/a", "1")
	b.set.Watch(path)
	b.ok(os.RemoveAll(b.dir + "/d"))
	b.changed()
	if b.set.Watch(path) {
		t.Error("a folder that is not there is watched")
	}
	b.put("d/a", "2")
	if !b.set.Watch(path) {
		t.Fatal("not watched again")
	}
	b.put("d/a", "3")
	if got := b.changed(); len(got) != 1 {
		t.Errorf("changed %v", got)
	}
	if len(b.warns) > 0 {
		t.Errorf("warned: %v", b.warns)
	}
}

// TestSets tells each set of its own files, and watches no folder longer than one of
// them needs it.
func TestSets(t *testing.T) {
	b := newBench(t, 0)
	other := b.Set()
	both, mine := b.put("d/both", "1"), b.put("d/mine", "1")
	for _, watched := range []bool{b.set.Watch(both), b.set.Watch(mine), other.Watch(both)} {
		if !watched {
			t.Fatal("not watched")
		}
	}
	b.put("d/both", "2")
	b.put("d/mine", "2")
	if paths, _ := other.Changed(); len(paths) != 1 || paths[0] != both {
		t.Errorf("the other set got %v", paths)
	}
	if got := fmt.Sprint(b.changed()); got != "[d/both d/mine]" {
		t.Errorf("got %s", got)
	}
	b.ok(other.Close())
	if len(b.fs.WatchList()) != 2 {
		t.Errorf("watched: %v", b.fs.WatchList())
	}
	b.ok(b.set.Close())
	if list := b.fs.WatchList(); len(list) != 1 {
		t.Errorf("still watched: %v", list)
	}
}

// TestBounds watches so many folders and no more, and says so once.
func TestBounds(t *testing.T) {
	b := newBench(t, 3)
	watched := 0
	for i := range 10 {
		if b.set.Watch(b.put(fmt.Sprintf("d%d/a", i), "1")) && b.set.Watch(b.put(fmt.Sprintf("d%d/b", i), "1")) {
			watched++
		}
	}
	if watched != 3 || len(b.fs.WatchList()) != 4 || len(b.warns) != 1 || !strings.Contains(b.warns[0].Error(), "3 folders are watched") {
		t.Errorf("%d folders, %v, warned %v", watched, b.fs.WatchList(), b.warns)
	}
}
