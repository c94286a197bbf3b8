//go:build unix

package ui_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestReferencesAreOffered completes what a message can name besides files, and another
// session by its title.
func TestReferencesAreOffered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"stage/a.txt", "data.txt", "lib/c.txt"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte("text\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	d := Start(t, Options{Cols: 120, Rows: 40, Scenario: answers(on("", say("Finis."))), Dir: dir})
	d.WaitFor(Contains("What do you want to do?")).Type("the port is 5433").Press("enter").WaitFor(Contains("Finis."))
	d.WaitIdle().Type("/title About ports, and more").Press("enter").WaitIdle().Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))

	d.Type("@").WaitFor(Contains("▸ ", "  diff ", "staged", "log:5", "url:", "session:"))
	d.Type("sta").WaitFor(Contains("▸ stage/", "  staged ")).Press("down").WaitFor(Contains("▸ stage/a.txt")) // files that begin so are first
	d.Press("ctrl+c").WaitSync().Type("@di").WaitFor(Contains("▸ diff", "is not staged")).Press("tab").WaitFor(Contains("❯ @diff"), NotContains("▸"))
	d.Press("ctrl+c").WaitSync().Type("see @ses").WaitFor(Contains("▸ session:")).Press("enter").WaitFor(Contains("❯ see @session:", "▸ About ports, and more", "the port is"))
	d.Type("more").WaitFor(Contains("▸ About ports")).WaitIdle().Press("tab").WaitFor(Contains(`see @"session:About ports, and more"`), NotContains("▸"))
	d.Press("enter").WaitFor(Contains("Finis.", "session:About ports, and more ·"))
	if said := lastUser(t, d); !strings.Contains(said, "the port is 5433") {
		t.Errorf("the agent got\n%s", said)
	}
	d.Resize(50, 20).WaitIdle().Type("@ur").WaitFor(Contains("▸ url:")).Press("tab").WaitFor(Contains("❯ @url:"), NotContains("▸"))
	d.Press("ctrl+c").WaitSync().Quit().Wait()
}
