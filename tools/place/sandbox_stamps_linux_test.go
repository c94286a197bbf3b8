package place

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// settle waits until the directories that are known are so long unchanged that the
// next change shows.
func (s *seenDirs) settle(t *testing.T, names ...string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		s.begin()
		looked := false
		for _, name := range names {
			if err := s.look(name, func(string) error { looked = true; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if !looked {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing settles")
		}
	}
}

func TestSightsLookAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(dir string) error
		want   []string // what is looked at again
	}{
		{"nothing", func(string) error { return nil }, nil},
		{"beside", func(dir string) error { return os.Mkdir(filepath.Join(dir, "other"), 0o700) }, []string{"file", "none/below/file"}},
		{"inside", func(dir string) error { return os.Mkdir(filepath.Join(dir, "folder", "other"), 0o700) }, []string{"folder/file", "folder/none"}},
		{"made", func(dir string) error { return os.WriteFile(filepath.Join(dir, "folder", "none"), nil, 0o600) }, []string{"folder/file", "folder/none"}},
		{"made on the way", func(dir string) error { return os.MkdirAll(filepath.Join(dir, "none", "below"), 0o700) }, []string{"file", "none/below/file"}},
		{"linked on the way", func(dir string) error { return os.Symlink("folder", filepath.Join(dir, "none")) }, []string{"file", "none/below/file"}},
		{"replaced", func(dir string) error {
			return os.Rename(filepath.Join(dir, "old", "file"), filepath.Join(dir, "folder", "file"))
		}, []string{"folder/file", "folder/none"}},
		{"exchanged on the way", func(dir string) error {
			err := os.Rename(filepath.Join(dir, "folder"), filepath.Join(dir, "old", "folder"))
			if err == nil {
				err = os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "folder"))
			}
			return err
		}, []string{"file", "folder/file", "folder/none", "none/below/file"}},
		{"written", func(dir string) error { return os.WriteFile(filepath.Join(dir, "folder", "file"), []byte("x"), 0o600) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tempDir(t)
			for _, name := range []string{"file", "folder/file", "old/file"} {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, name, "")
			}
			var s seenDirs
			s.forget()
			var names []string
			for _, name := range []string{"file", "folder/file", "folder/none", "none/below/file"} {
				names = append(names, filepath.Join(dir, name))
			}
			s.settle(t, names...)
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			var looked []string
			s.begin()
			for _, name := range names {
				_ = s.look(name, func(name string) error {
					rel, err := filepath.Rel(dir, name)
					looked = append(looked, rel)
					return err
				})
			}
			if !slices.Equal(looked, c.want) {
				t.Errorf("looked at %q, want %q", looked, c.want)
			}
		})
	}
}

// What is behind a link can change where nothing is seen of it.
func TestSightsFollowNoLink(t *testing.T) {
	dir := tempDir(t)
	link(t, filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link"))
	var s seenDirs
	s.forget()
	name := filepath.Join(dir, "folder", "file")
	s.settle(t, name)
	for _, name := range []string{filepath.Join(dir, "link"), filepath.Join(dir, "link", "below")} {
		for range 2 {
			looked := false
			s.begin()
			_ = s.look(name, func(string) error { looked = true; return nil })
			if !looked {
				t.Errorf("%s was not looked at", name)
			}
		}
	}
}

func TestArrivals(t *testing.T) {
	dir := tempDir(t)
	write(t, filepath.Join(dir, "first"), "")
	a := arrivals{fd: -1}
	t.Cleanup(func() { a.watch(filepath.Join(dir, "none")) })
	check := func(want ...string) {
		t.Helper()
		if got, _ := a.since(dir); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("first")
	if a.fd < 0 {
		t.Skip("SKIPPED: no inotify here")
	}
	check()
	if err := os.Mkdir(filepath.Join(dir, "second"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "first"), filepath.Join(dir, "a name with sixteen letters and more")); err != nil {
		t.Fatal(err)
	}
	check("second", "first", "a name with sixteen letters and more")
	check()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	check()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "third"), "")
	check("third") // it is another directory
	check()
}
