package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hermes-tui/store/atomicfile"
)

// DraftMemory writes an entry to a file of its own for an editor to change.
// [App.EditedMemory] removes it.
func (a *App) DraftMemory(r Remembered) (file string, err error) {
	file = filepath.Join(a.o.Home.Cache(), "memory-"+rand.Text()[:8]+".md")
	return file, atomicfile.Write(file, []byte(r.Text+"\n"), 0o600)
}

// EditedMemory puts what a file of [App.DraftMemory] holds into the place of the entry,
// unless editing failed. It returns a sentence on what came of it. Where the text cannot
// be remembered its file stays, and the error names it.
func (a *App) EditedMemory(ctx context.Context, r Remembered, file string, failed error) (string, error) {
	text, err := os.ReadFile(file)
	edited := strings.TrimSpace(string(text))
	if failed == nil && err == nil && edited != "" && edited != r.Text {
		done, err := a.EditMemory(ctx, r.ID, edited)
		if err != nil {
			return "", fmt.Errorf("%w Your text is in %s", err, file)
		}
		return done, os.Remove(file)
	}
	if failed == nil {
		failed = err
	}
	_ = os.Remove(file) // it may be gone, and holds nothing that is not kept
	if failed != nil {
		return "", failed
	}
	if edited == "" {
		return "Nothing was changed: to forget an entry, choose that in /memory.", nil
	}
	return "Nothing was changed.", nil
}
