package search

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/tools/place"
)

// TestIgnored compares with what is written in the ignore files of a repository.
func TestIgnored(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/info/exclude": "private\n", ".gitignore": "*.log\n/build/\n!keep.log\n",
		"sub/.gitignore": "gen\n", "sub/.ignore": "!b.log\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	here, err := place.NewLocal(place.Options{Home: t.TempDir(), Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	left := Ignored(here.FS(), root, "")
	for _, c := range []struct {
		path string
		dir  bool
		want bool
	}{
		{"a.go", false, false}, {"a.log", false, true}, {"keep.log", false, false}, {"build", true, true}, {"build", false, false},
		{"private", false, true}, {"sub", true, false}, {"sub/a.log", false, true}, {"sub/b.log", false, false},
		{"sub/gen", true, true}, {"gen", true, false}, {"sub/deep/gen", false, true}, {"../elsewhere.log", false, false},
	} {
		if got := left(filepath.Join(root, c.path), c.dir); got != c.want {
			t.Errorf("%s (directory %v): %v", c.path, c.dir, got)
		}
	}
}
