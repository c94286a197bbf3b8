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

// TestCompletionShowsFiles completes folders and files, with the beginning of what is
// marked beside the list or below it, and paths of commands behind a tab.
func TestCompletionShowsFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"src/deep/one.go": "package deep\n\n// key = sk-proj-abcdefghijklmnopqrstuvwxyz0123456789\n", "src/two words.txt": "second file\n",
		"id_rsa.pem": "-----BEGIN RSA PRIVATE KEY-----\nx\n", "image.bin": "\x00\x01", "notes.md": "# Notes\nfirst line\n",
	}
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range [][2]int{{160, 45}, {90, 34}, {50, 20}} {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: answers(on("", say("Finis."))), Dir: dir})
		d.WaitFor(Contains("What do you want to do?")).WaitIdle()
		shows := size[0] >= 100 || size[1] >= 30
		see := func(text string) Matcher {
			if shows {
				return Contains(text)
			}
			return NotContains(text)
		}
		d.Type("@not").WaitFor(Contains("▸ notes.md"), see("first line"))
		d.Press("ctrl+c").WaitSync().Type("@one").WaitFor(Contains("▸ src/deep/one.go"), see("package deep"), NotContains("abcdefghijklmnop"))
		d.Press("ctrl+c").WaitSync().Type("@image").WaitFor(Contains("▸ image.bin"), see("it is no text"))
		d.Press("ctrl+c").WaitSync().Type("@src").WaitFor(Contains("▸ src/", "src/two words.txt"))
		d.Press("tab").WaitFor(Contains("❯ @src/")).WaitIdle().Press("enter").WaitFor(NotContains("▸")).Press("enter").WaitFor(Contains("Finis.", "@src/"))
		if said := lastUser(t, d); !strings.Contains(said, "deep/") || !strings.Contains(said, "two words.txt") {
			t.Errorf("the agent got\n%s", said)
		}
		d.WaitIdle().Type("!cat src/tw").Press("tab").WaitFor(Contains(`$ !cat src/two\ words.txt`)).WaitIdle().Press("enter").WaitFor(Contains("second file"))
		d.WaitIdle().Type("!ls src").Press("tab").WaitFor(Contains("$ !ls src/", "▸ src/deep/", "src/two words.txt")).Press("down", "up", "esc").WaitFor(NotContains("▸"), Contains("$ !ls src/"))
		d.Press("ctrl+c").WaitSync().Quit().Wait()
	}
}
