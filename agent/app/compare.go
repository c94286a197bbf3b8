package app

import (
	"context"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"hermes-tui/agent/export"
)

// maxCompared bounds what is compared of each session, in bytes; the beginning is left
// out of one that differs for longer.
const maxCompared = 400_000

// Compare is a unified diff of what is said in two sessions, in Markdown with secrets
// masked, empty when there is no difference. What both begin with is left out.
func (a *App) Compare(ctx context.Context, one, other string) (string, error) {
	was, err := a.held(ctx, one)
	if err != nil {
		return "", err
	}
	is, err := a.held(ctx, other)
	if err != nil {
		return "", err
	}
	mask := a.masker().Text
	was, is = was.Masked(mask), is.Masked(mask)
	same := 0
	for same < min(len(was.Messages), len(is.Messages)) && sameMessage(was.Messages[same], is.Messages[same]) {
		same++
	}
	before, err := restOf(was, same)
	if err != nil {
		return "", err
	}
	after, err := restOf(is, same)
	return udiff.Unified(was.ID, is.ID, before, after), err
}

func sameMessage(a, b export.Message) bool {
	if a.Role != b.Role || a.Text != b.Text || len(a.Calls) != len(b.Calls) {
		return false
	}
	for i := range a.Calls {
		if a.Calls[i].Name != b.Calls[i].Name || a.Calls[i].Arguments != b.Calls[i].Arguments {
			return false
		}
	}
	return true
}

// restOf is a session from a message on, without what is said about it as a whole.
func restOf(s export.Session, from int) (string, error) {
	s.Messages = s.Messages[from:]
	var b strings.Builder
	if err := s.Write(&b, export.Markdown); err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(b.String(), "\n## ")
	if text != "" {
		text = "## " + text
	}
	if over := len(text) - maxCompared; over > 0 {
		_, text, _ = strings.Cut(text[over:], "\n")
	}
	return text, nil
}
