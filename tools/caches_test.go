package tools

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestCachePaths(t *testing.T) {
	home := t.TempDir()
	moved := filepath.Join(t.TempDir(), "cache")
	got := CachePaths(home, []string{"GOCACHE=" + moved, "GOPATH=/somewhere", "XDG_CACHE_HOME=" + home, "CARGO_HOME=relative", "npm_config_cache=" + filepath.Dir(home)})
	for _, want := range []string{moved, "/somewhere/pkg", filepath.Join(home, ".npm"), filepath.Join(home, ".cache")} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	for _, dir := range got {
		if dir == home || dir == filepath.Dir(home) || !filepath.IsAbs(dir) {
			t.Errorf("%s is among them", dir)
		}
	}
}
