package app

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/charset"
)

// maxEdited is how large a draft may be that an editor has written, in bytes.
const maxEdited = 4 << 20

// DraftPrompt writes a draft to a file of its own for an editor to change.
// [App.EditedPrompt] removes it.
func (a *App) DraftPrompt(text string) (file string, err error) {
	file = filepath.Join(a.o.Home.Cache(), "prompt-"+rand.Text()[:8]+".md")
	return file, atomicfile.Write(file, []byte(text+"\n"), 0o600)
}

// EditedPrompt gives what an editor made of a draft, without the line breaks at its end. When
// the editor failed, or has written what cannot be a draft, the draft stays as it was; the
// file is kept then if it holds anything else, and the error names it.
func (a *App) EditedPrompt(file, draft string, failed error) (string, error) {
	raw, err := readBounded(file, maxEdited)
	if failed == nil {
		failed = err
	}
	text := strings.TrimRight(edited(raw), "\r\n")
	if failed == nil {
		return text, os.Remove(file)
	}
	if err == nil && text == strings.TrimRight(draft, "\r\n") {
		return draft, removed(file, failed)
	}
	if _, gone := os.Stat(file); gone != nil {
		return draft, failed
	}
	return draft, fmt.Errorf("%w; what it wrote is in %s", failed, file)
}

// edited is the text of a file that was UTF-8 when an editor got it. No encoding is guessed:
// it is UTF-8 still, or UTF-16, and other bytes are damage.
func edited(raw []byte) string {
	if _, mark := charset.Mark(raw); mark > 0 || charset.Wide(raw) {
		return charset.Text(raw)
	}
	return charset.As(raw, charset.UTF8)
}

// removed removes a file about which nothing more is to be said than an error.
func removed(file string, because error) error {
	_ = os.Remove(file)
	return because
}

// readBounded reads a file that is no larger than most.
func readBounded(file string, most int64) ([]byte, error) {
	st, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("the editor has left no file, so the draft is as it was")
	case err != nil:
		return nil, fmt.Errorf("read what the editor wrote: %w", err)
	case st.Size() > most:
		return nil, fmt.Errorf("the editor wrote more than the %d MB that a draft may have, so the draft is as it was", most>>20)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read what the editor wrote: %w", err)
	}
	return raw, nil
}

// DraftHunk writes lines of a file to one that an editor can change; ext is the end of the
// name by which it may know the language.
func (a *App) DraftHunk(ext, text string) (file string, err error) {
	file = filepath.Join(a.o.Home.Cache(), "hunk-"+rand.Text()[:8]+ext)
	return file, atomicfile.Write(file, []byte(text+"\n"), 0o600)
}

// EditedHunk gives what an editor made of [App.DraftHunk], without the line break at the end.
// The file is kept when the editor failed, and the error names it.
func (a *App) EditedHunk(file string, failed error) (string, error) {
	raw, err := readBounded(file, maxEdited)
	switch {
	case failed == nil:
		failed = err
	case err == nil:
		failed = fmt.Errorf("%w; what it wrote is in %s", failed, file)
	}
	if failed != nil {
		return "", failed
	}
	text := strings.ReplaceAll(edited(raw), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n"), os.Remove(file)
}
