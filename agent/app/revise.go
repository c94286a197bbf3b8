package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
)

// errRevised says that a review is about what is not there any more.
var errRevised = errors.New("the files were changed again by the agent while you looked: /review shows what they are now")

// Edits implements [Conversation].
func (c *conversation) Edits(ctx context.Context, since event.TurnID) (Edits, error) {
	files, _, notes, err := c.edits(ctx, since)
	edit := event.EditOf(files)
	edit.Mask(c.app.masker().Code)
	return Edits{Edit: edit, Notes: notes, Since: since, Sum: sumOf(files)}, err
}

func (c *conversation) edits(ctx context.Context, since event.TurnID) (files []hunks.File, turns []event.TurnID, notes []string, err error) {
	if c.changes == nil {
		return nil, nil, nil, errors.New("changes of files are not kept: checkpoints.enabled is off")
	}
	if turns, err = c.TurnsFrom(since); err != nil {
		return nil, nil, nil, err
	}
	files, notes, err = c.changes.Edits(ctx, turns)
	return files, turns, notes, err
}

// sumOf identifies files and what was done to them.
func sumOf(files []hunks.File) string {
	h := sha256.New()
	for _, f := range files {
		for _, s := range []string{f.Path, string(f.Op), f.Old, f.New} {
			_, _ = h.Write([]byte(strconv.Itoa(len(s)) + ":" + s)) // a hash never fails
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Revise implements [Conversation].
func (c *conversation) Revise(ctx context.Context, e Edits, r hunks.Review) (string, error) {
	files, turns, _, err := c.edits(ctx, e.Since)
	switch {
	case err != nil:
		return "", err
	case sumOf(files) != e.Sum:
		return "", errRevised
	}
	pieces := make([]*hunks.Pieces, len(files))
	for i := range files {
		pieces[i] = files[i].Pieces()
	}
	if !r.Fits(pieces) {
		return "", errRevised
	}
	r = r.Typed(pieces)
	var change []hunks.File // that become something else
	var now []*hunks.File
	for i, p := range pieces {
		if left := p.Decided(r.Of(i, p)); left == nil || left.New != files[i].New {
			change, now = append(change, files[i]), append(now, left)
		}
	}
	var stale []string
	if len(change) > 0 {
		call := agent.SnapshotCall{ID: c.app.o.IDs.Call(), Turn: turns[len(turns)-1], Agent: c.Root()}
		if stale, err = c.changes.Revise(ctx, call, change, now); err != nil {
			return "", fmt.Errorf("change files back: %w", err)
		}
	}
	told := r.Tell(pieces)
	if told == nil {
		return "", nil
	}
	text := c.app.Mask(reviewText(told, stale))
	if _, err := c.SteerPasted(c.Root(), text, pastedAll); err != nil {
		return "", fmt.Errorf("tell the agent: %w", err)
	}
	return revised(len(change)-len(stale), stale), nil
}

// pastedAll stands for a text of which nothing was typed: nothing in it names a file.
const pastedAll = " "

// revised says in a sentence what became of a review.
func revised(changed int, stale []string) string {
	text := "The agent is told."
	switch {
	case changed == 1:
		text = "1 file was changed; the agent is told."
	case changed > 1:
		text = strconv.Itoa(changed) + " files were changed; the agent is told."
	}
	if len(stale) > 0 {
		text = "Not changed, because it was changed by someone else since the agent left it: " + strings.Join(stale, ", ") + ". " + text
	}
	return text
}

// reviewText is a review for the agent.
func reviewText(told *hunks.Report, stale []string) string {
	var b strings.Builder
	b.WriteString("I have looked at what you changed. ")
	if told.Rejected+told.Rewritten > 0 {
		b.WriteString("What I rejected or rewrote below is changed in the files already; do not make rejected changes again unless I ask for it. ")
	}
	if told.Accepted > 0 {
		fmt.Fprintf(&b, "Of %s, %s.\n", tools.Plural(told.Accepted+told.Rejected+told.Rewritten, "hunk", "hunks"), tools.Plural(told.Accepted, "stays", "stay"))
	} else {
		b.WriteString("None of it stays as it was.\n")
	}
	if len(stale) > 0 {
		b.WriteString("\nThese files were changed by someone else meanwhile, so nothing was changed in them; take my decisions as what I want: " + strings.Join(stale, ", ") + ".\n")
	}
	for i, h := range told.Hunks {
		fmt.Fprintf(&b, "\n%d. %s", i+1, h.File)
		if h.Line > 0 {
			fmt.Fprintf(&b, ", line %d", h.Line)
		}
		b.WriteString(": " + h.Verdict + ".")
		if h.Comment != "" {
			b.WriteString(" My comment: " + h.Comment)
		}
		b.WriteString("\n")
		block(&b, "diff", h.Proposed)
		if h.Verdict == hunks.Rewritten {
			b.WriteString("   What stands there now:\n")
			block(&b, "", h.Now)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// block writes a block of code in an entry of a list.
func block(b *strings.Builder, lang, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	b.WriteString("   " + fence + lang + "\n")
	for l := range strings.Lines(text) {
		b.WriteString("   " + strings.TrimRight(l, "\r\n") + "\n")
	}
	b.WriteString("   " + fence + "\n")
}
