package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// skipping matches a call that ends a test early, saying is how such a call says why.
var (
	skipping = regexp.MustCompile(`\b(?:t|b|f|tb)\.Skip(?:f|Now)?\(`)
	saying   = regexp.MustCompile(`\.Skipf?\(.*"(?:SKIPPED|NOT A TEST)\b`)
)

// TestSkipsAreSaid holds that what a machine cannot test can be found in the output by the
// word SKIPPED. Tests that other tests start as a program say NOT A TEST instead.
func TestSkipsAreSaid(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if !skipping.MatchString(line) || !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "internal") {
				continue
			}
			if found++; !saying.MatchString(line) {
				t.Errorf("%s:%d: a test is skipped without the word SKIPPED: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d calls were looked at: %v", found, err)
	}
}
