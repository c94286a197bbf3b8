//go:build unix

package place

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// raced is how often each operation is tried against a link that comes and goes.
const raced = 2_500

// Again and again a directory is exchanged for a link to one outside while it is
// written to. Whatever an operation does, it does it inside or not at all.
func TestLinksSwappedMeanwhileLeadNowhere(t *testing.T) {
	// Each case works in dir; outside holds the same names as canaries.
	cases := map[string]func(fsys FS, dir string) error{
		"write": func(fsys FS, dir string) error { return fsys.WriteAtomic(filepath.Join(dir, "a"), []byte("x"), 0o644) },
		"new": func(fsys FS, dir string) error {
			return fsys.WriteAtomic(filepath.Join(dir, "new"), []byte("x"), 0o644)
		},
		"mkdir": func(fsys FS, dir string) error {
			_, err := fsys.MkdirAll(filepath.Join(dir, "d", "e"), 0o755)
			_ = fsys.Remove(filepath.Join(dir, "d", "e"))
			return err
		},
		"remove": func(fsys FS, dir string) error {
			_ = fsys.WriteAtomic(filepath.Join(dir, "a"), nil, 0o644)
			return fsys.Remove(filepath.Join(dir, "a"))
		},
		"remove a folder": func(fsys FS, dir string) error {
			_, _ = fsys.MkdirAll(filepath.Join(dir, "sub"), 0o755)
			return fsys.Remove(filepath.Join(dir, "sub"))
		},
		"rename away": func(fsys FS, dir string) error {
			to := filepath.Join(filepath.Dir(dir), "away")
			err := fsys.Rename(filepath.Join(dir, "a"), to)
			_ = fsys.Rename(to, filepath.Join(dir, "a"))
			return err
		},
		"rename inside": func(fsys FS, dir string) error {
			err := fsys.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b"))
			_ = fsys.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a"))
			return err
		},
		"link": func(fsys FS, dir string) error {
			err := fsys.Symlink("anywhere", filepath.Join(dir, "l"))
			_ = fsys.Remove(filepath.Join(dir, "l"))
			return err
		},
	}
	for name, do := range cases {
		t.Run(name, func(t *testing.T) {
			top := tempDir(t)
			inside, outside, swap := filepath.Join(top, "w"), filepath.Join(top, "outside"), filepath.Join(top, "kept")
			for _, d := range []string{inside, outside, filepath.Join(outside, "sub")} {
				if err := os.Mkdir(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(inside, "a"), "inside")
			write(t, filepath.Join(outside, "a"), "canary")
			stop := make(chan struct{})
			var attacker sync.WaitGroup
			attacker.Go(func() { swapLinks(stop, inside, outside, swap) })
			times, did := raced, 0
			if testing.Short() {
				times = raced / 10
			}
			fsys := newLocal(t).FS()
			for range times {
				if do(fsys, inside) == nil {
					did++
				}
			}
			close(stop)
			attacker.Wait()
			if got := names(t, outside); got != "a sub" {
				t.Errorf("outside there is %q", got)
			} else if read(t, filepath.Join(outside, "a")) != "canary" || names(t, filepath.Join(outside, "sub")) != "" {
				t.Error("what is outside has changed")
			}
			if did == 0 || did == times {
				t.Logf("%d of %d went through: the race was not run", did, times)
			}
		})
	}
}

// swapLinks exchanges a directory for a link until stop is closed.
func swapLinks(stop <-chan struct{}, inside, outside, swap string) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		_ = os.Rename(inside, swap)
		_ = os.Symlink(outside, inside)
		_ = os.Remove(inside)
		_ = os.Rename(swap, inside)
	}
}

// Of many that move something to one name, one succeeds and the others lose
// nothing.
func TestRenameTakesAFreeNameOnly(t *testing.T) {
	dir, fsys := tempDir(t), newLocal(t).FS()
	to := filepath.Join(dir, "to")
	for round := range 300 {
		var all sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for i := range 4 {
			from := filepath.Join(dir, string(rune('a'+i)))
			write(t, from, "x")
			all.Go(func() {
				if fsys.Rename(from, to) == nil {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if left := names(t, dir); won != 1 || len(left) != len("a b c to") {
			t.Fatalf("round %d: %d succeeded, %q is left", round, won, left)
		}
		if err := fsys.Remove(to); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChange(t *testing.T) {
	dir, fsys := tempDir(t), newLocal(t).FS()
	if err := os.MkdirAll(filepath.Join(dir, "d", "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "f"), "f")
	write(t, filepath.Join(dir, "g"), "g")
	link(t, "d", filepath.Join(dir, "l"))
	at := func(name string) string { return dir + "/" + name }
	refused := map[string]error{
		"remove what holds something": fsys.Remove(at("d")),
		"remove nothing":              fsys.Remove(at("no")),
		"remove through a link":       fsys.Remove(at("l/full")),
		"remove relative":             fsys.Remove("f"),
		"remove the top":              fsys.Remove("/"),
		"rename to a file":            fsys.Rename(at("f"), at("g")),
		"rename to a link":            fsys.Rename(at("f"), at("l")),
		"rename to a folder":          fsys.Rename(at("f"), at("d")),
		"rename through a link":       fsys.Rename(at("f"), at("l/f")),
		"rename from a link":          fsys.Rename(at("l/full"), at("x")),
		"rename nothing":              fsys.Rename(at("no"), at("x")),
		"rename into itself":          fsys.Rename(at("d"), at("d/full/x")),
		"rename the top":              fsys.Rename("/", at("x")),
		"rename to the top":           fsys.Rename(at("f"), "/"),
		"link over a file":            fsys.Symlink("x", at("f")),
		"link through a link":         fsys.Symlink("x", at("l/x")),
	}
	for what, err := range refused {
		if err == nil {
			t.Errorf("%s: it worked", what)
		}
	}
	if got := names(t, dir); got != "d f g l" {
		t.Fatalf("left %q", got)
	}
	done := []error{
		fsys.Rename(at("f"), at("d/f")),
		fsys.Rename(at("d/full"), at("e")),
		fsys.Rename(at("l"), at("m")),
		fsys.Symlink("/any/where", at("n")),
		fsys.Remove(at("m")),
		fsys.Remove(at("e")),
		fsys.Remove(dir + "/d/../g"),
	}
	for i, err := range done {
		if err != nil {
			t.Errorf("change %d: %v", i, err)
		}
	}
	if got := names(t, dir); got != "d n" {
		t.Errorf("left %q", got)
	}
	if got, err := fsys.Readlink(at("n")); err != nil || got != "/any/where" {
		t.Errorf("link %q, %v", got, err)
	}
}
