package app

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"hermes-tui/store/atomicfile"
)

// Reading writes a text to a file of its own, whose name ends as said, for an editor to
// show. [App.Read] removes it.
func (a *App) Reading(text, end string) (file string, err error) {
	file = filepath.Join(a.o.Home.Cache(), "block-"+rand.Text()[:8]+end)
	return file, atomicfile.Write(file, []byte(text), 0o600)
}

// Read removes a file of [App.Reading] when its editor has ended, unless that has written
// something else into it. It returns a sentence where there is something to say: what was
// changed is in no session.
func (a *App) Read(file, text string, failed error) (string, error) {
	now, err := os.ReadFile(file)
	if err != nil || string(now) == text {
		_ = os.Remove(file)
		return "", failed
	}
	if failed != nil {
		return "", fmt.Errorf("%w; what it wrote is in %s", failed, file)
	}
	return "What you wrote is in " + file + "; the session stays as it is.", nil
}
