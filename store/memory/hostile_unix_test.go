//go:build unix

package memory

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestHostile has things at the places of the files that are no files of memory.
func TestHostile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name string) error { return os.Symlink(outside, name) }
	for name, c := range map[string]struct {
		file string
		make func(name string) error
		fine bool // is lived with
	}{
		"a link":               {"MEMORY.md", link, false},
		"a pipe":               {"MEMORY.md", func(n string) error { return syscall.Mkfifo(n, 0o600) }, false},
		"a folder":             {"MEMORY.md", func(n string) error { return os.Mkdir(n, 0o700) }, false},
		"a huge file":          {"MEMORY.md", func(n string) error { return errorsOf(os.WriteFile(n, nil, 0o600), os.Truncate(n, 1<<30)) }, false},
		"a link for history":   {"HISTORY.jsonl", link, false},
		"a link for what is":   {"entries.json", link, true},
		"nonsense for what is": {"entries.json", func(n string) error { return os.WriteFile(n, []byte(`[{"a`), 0o600) }, true},
		"half a line":          {"HISTORY.jsonl", func(n string) error { return os.WriteFile(n, []byte(`{"id":"x`), 0o600) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(dir, 100)
			if err := c.make(filepath.Join(dir, c.file)); err != nil {
				t.Skip("SKIPPED: cannot be made here:", err)
			}
			_, err := s.Apply(t.Context(), adding(Notes, "new"))
			if c.fine != (err == nil) {
				t.Errorf("error %v", err)
			}
			if !c.fine && !strings.Contains(err.Error(), c.file) {
				t.Errorf("the error does not name the file: %v", err)
			}
			if text, _ := os.ReadFile(outside); string(text) != "keep" {
				t.Errorf("the file outside says %q", text)
			}
			if w, err := s.History(); c.fine && (err != nil || len(w) != 1) {
				t.Errorf("history %v %v", w, err)
			}
		})
	}
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}
