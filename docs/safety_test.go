package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesAreTried: each test that the page on safety names is there.
func TestPromisesAreTried(t *testing.T) {
	page, err := os.ReadFile("safety.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	err = filepath.WalkDir("..", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test\\w+)").FindAllStringSubmatch(string(page), -1)
	if len(names) < 50 {
		t.Errorf("it names %d tests", len(names))
	}
	for _, m := range names {
		if !strings.Contains(all.String(), "func "+m[1]+"(t *testing.T)") {
			t.Errorf("there is no %s", m[1])
		}
	}
}
