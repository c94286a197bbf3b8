package composer

import (
	"slices"
	"strings"

	"hermes-tui/agent/event"
)

// MaxStash is how many drafts may be put aside.
const MaxStash = 20

// Stash puts the draft aside and leaves an empty one. It reports false when there is no
// draft, or no room.
func (c *Composer) Stash() bool {
	if c.Empty() || len(c.stash) >= MaxStash {
		return false
	}
	c.stash = append(c.stash, c.Draft())
	c.SetDraft("")
	return true
}

// Stashed are the texts of the drafts that were put aside, the newest first, with marks in
// place of collapsed pastes.
func (c *Composer) Stashed() []string {
	list := make([]string, len(c.stash))
	for i, draft := range c.stash {
		var b strings.Builder
		for _, seg := range parseDraft(draft) {
			switch {
			case seg.image != nil:
				b.WriteString(seg.image.Mark())
			case seg.number > 0:
				b.WriteString(PasteMark(seg.number))
			default:
				b.WriteString(seg.text)
			}
		}
		list[len(list)-1-i] = b.String()
	}
	return list
}

// Unstash brings back a draft that was put aside, by its place in [Composer.Stashed]. What
// is in the composer takes its place there.
func (c *Composer) Unstash(i int) {
	at := len(c.stash) - 1 - i
	if at < 0 || at >= len(c.stash) {
		return
	}
	draft, now := c.stash[at], c.Draft()
	c.stash = slices.Delete(c.stash, at, at+1)
	if now != "" {
		c.stash = append(c.stash, now)
	}
	c.SetDraft(draft)
}

// Kept is the draft with those that were put aside, as [Composer.Keep] reads it back: in
// the form of [Composer.Draft], each behind [event.StashMark], the oldest first.
func (c *Composer) Kept() string {
	return strings.Join(append([]string{c.Draft()}, c.stash...), event.StashMark)
}

// Keep takes a text of [Composer.Kept] apart. Its draft is returned; those that were put
// aside become the oldest ones here.
func (c *Composer) Keep(kept string) (draft string) {
	draft, rest, found := strings.Cut(kept, event.StashMark)
	if found {
		list := strings.Split(rest, event.StashMark)
		c.stash = slices.DeleteFunc(append(list, c.stash...), func(s string) bool { return s == "" })
		c.stash = c.stash[max(len(c.stash)-MaxStash, 0):]
		c.buf.edits++
	}
	return draft
}

// TakeStash gives what was put aside away, as a text that [Composer.Keep] takes: its draft
// is empty.
func (c *Composer) TakeStash() string {
	kept := strings.Join(append([]string{""}, c.stash...), event.StashMark)
	c.stash = nil
	return kept
}
