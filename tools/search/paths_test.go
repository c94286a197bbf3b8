package search

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hermes-tui/tools/place"
)

func TestPaths(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b/c.txt", "b/skipped.log", ".hidden", "z/deep/er/f"} {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("*.log\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := place.NewLocal(place.Options{Env: os.Environ(), Home: root})
	if err != nil {
		t.Fatal(err)
	}
	got, more := Paths(t.Context(), here.FS(), root, root, 10)
	if want := []string{"a.go", "b/c.txt", "z/deep/er/f"}; !slices.Equal(got, want) || more {
		t.Errorf("paths %v (more %v), want %v", got, more, want)
	}
	got, more = Paths(t.Context(), here.FS(), root, root, 2)
	if want := []string{"a.go", "b/c.txt"}; !slices.Equal(got, want) || !more {
		t.Errorf("paths %v (more %v), want %v and more", got, more, want)
	}
}
