package app

import (
	"context"
	"errors"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/export"
	"hermes-tui/store/snapshots"
)

// maxCompared bounds what is compared of each session, in bytes; the beginning is left
// out of one that differs for longer.
const maxCompared = 400_000

// Compare is a unified diff of two sessions, empty when there is no difference: of what
// is said in them, in Markdown with secrets masked, and of the files as each has left
// them. What both begin with is left out.
func (a *App) Compare(ctx context.Context, one, other string) (string, error) {
	text, err := a.compareTexts(ctx, one, other)
	if err != nil {
		return "", err
	}
	files, err := a.compareFiles(ctx, one, other)
	if _, held := errors.AsType[*snapshots.HeldError](err); held {
		files, err = "\nIts files are not compared, since it is open in another program.\n", nil
	}
	return text + files, err
}

// compareFiles compares what two sessions have done to files since they part. Those of
// other folders have nothing in common.
func (a *App) compareFiles(ctx context.Context, one, other string) (string, error) {
	session, way, _ := refParts(other)
	if way != "" { // it is of the same conversation, which has one record
		return "", nil
	}
	c := a.opened(one)
	if c == nil || c.changes == nil {
		return "", nil
	}
	is, err := a.db.Session(ctx, session)
	if err != nil || is.Conv == "" || is.Workspace != c.dir {
		return "", err
	}
	mine, err := a.db.Messages(ctx, one)
	if err != nil {
		return "", err
	}
	theirs, err := a.db.Messages(ctx, session)
	if err != nil {
		return "", err
	}
	from := parting(mine, theirs)
	log, done := a.logOf(c, event.ConvID(is.Conv))
	text, err := c.changes.Between(ctx, turnsAfter(mine, from), log, turnsAfter(theirs, from))
	return text, errors.Join(err, done())
}

// logOf is the record of what a conversation has done to files, where another one works.
func (a *App) logOf(c *conversation, conv event.ConvID) (log *bind.FileLog, done func() error) {
	for _, o := range a.conversations() {
		if o.ID() == conv && o.changes != nil {
			return o.changes, func() error { return nil }
		}
	}
	log = a.fileLog(c, conv)
	return log, log.Close
}

// compareTexts compares what is said.
func (a *App) compareTexts(ctx context.Context, one, other string) (string, error) {
	was, err := a.heldAt(ctx, one)
	if err != nil {
		return "", err
	}
	is, err := a.heldAt(ctx, other)
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
	return udiff.Unified(one, other, before, after), err
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
