package app

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hermes-tui/store/atomicfile"
)

// DraftText writes a text to a file of its own for an editor to change; name begins the name
// of the file. [App.EditedText] removes it.
func (a *App) DraftText(name, text string) (file string, err error) {
	file = filepath.Join(a.o.Home.Cache(), name+"-"+rand.Text()[:8]+".md")
	return file, atomicfile.Write(file, []byte(text+"\n"), 0o600)
}

// EditedText has the text used that an editor left in a file of [App.DraftText], unless it
// failed, changed nothing or left nothing. Where the text cannot be used its file stays, and
// the error names it.
func (*App) EditedText(file, was string, failed error, use func(text string) error) error {
	raw, err := os.ReadFile(file)
	text := strings.TrimSpace(string(raw))
	if failed == nil {
		failed = err
	}
	if failed != nil || text == was || text == "" {
		_ = os.Remove(file) // it may be gone, and holds nothing that is not kept
		return failed
	}
	if err := use(text); err != nil {
		return fmt.Errorf("%w Your text is in %s", err, file)
	}
	return os.Remove(file)
}
