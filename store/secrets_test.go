package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestProtect(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: modes say nothing here")
	}
	dir := t.TempDir()
	h, err := Find(Where{Dir: dir, Profile: "work"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(h.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "elsewhere")
	for name, mode := range map[string]fs.FileMode{filepath.Join(dir, "auth.json"): 0o644, h.Env(): 0o660, h.Auth(): 0o600, target: 0o644} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, filepath.Join(dir, ".env")); err != nil {
		t.Fatal(err)
	}
	said := h.Protect()
	if len(said) != 3 || !strings.Contains(said[0], "links to") || !strings.Contains(said[1], "now only you can") {
		t.Errorf("said %q", said)
	}
	for name, want := range map[string]fs.FileMode{filepath.Join(dir, "auth.json"): 0o600, h.Env(): 0o600, h.Auth(): 0o600, target: 0o644} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if said := h.Protect(); len(said) != 1 {
		t.Errorf("said again %q", said)
	}
}

func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	h, err := Find(Where{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Profiles(); got != nil {
		t.Errorf("none gives %q", got)
	}
	for _, name := range []string{"work", "home", "No Profile"} {
		if err := os.MkdirAll(filepath.Join(dir, "profiles", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.Profiles(); !slices.Equal(got, []string{"home", "work"}) {
		t.Errorf("got %q", got)
	}
}
