//go:build unix

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// TestOutside leaves out of PATH what is not there for every folder, and what lies in the
// workspace, also behind a link, unless the home directory lies in it.
func TestOutside(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, home := filepath.Join(root, "work"), filepath.Join(root, "home")
	for _, dir := range []string{filepath.Join(work, ".git"), filepath.Join(work, "sub", "bin"), home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(work, "sub"), link); err != nil {
		t.Fatal(err)
	}
	dirs := []string{".", "/usr/bin", filepath.Join(work, "bin"), work, work + "-beside", filepath.Join(link, "bin"), "", "sub"}
	env := []string{"A=b", "PATH=" + strings.Join(dirs, string(filepath.ListSeparator))}
	for home, want := range map[string]string{
		home:                      "/usr/bin:" + work + "-beside",
		filepath.Join(work, "me"): "/usr/bin:" + filepath.Join(work, "bin") + ":" + work + ":" + work + "-beside:" + filepath.Join(link, "bin"),
	} {
		got := Outside(env, filepath.Join(work, "sub"), home)
		if path, _ := tools.Variable(got, "PATH"); path != want || got[0] != "A=b" {
			t.Errorf("at home in %s: %q, want %s", home, got, want)
		}
	}
}
