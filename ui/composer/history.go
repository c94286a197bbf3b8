package composer

import "strings"

// history holds earlier texts, in the form of drafts, and the place in them
// while they are walked through.
type history struct {
	entries []string // oldest first
	limit   int
	// walking is set while an entry or the draft among them is shown. at is its
	// place; len(entries) is the draft.
	walking bool
	at      int
	// edited holds what the user left at a place during this walk.
	edited map[int]string
}

// Remember adds a text to the history: a sent one, or one in the form of
// [Composer.Draft]. Blank ones and a repetition of the newest are left out.
func (c *Composer) Remember(text string) {
	h := &c.history
	h.leave()
	draft, value := canonical(text)
	if strings.TrimSpace(value) == "" {
		return
	}
	if n := len(h.entries); n > 0 {
		newest := h.entries[n-1]
		if _, old := canonical(newest); newest == draft || old == value {
			return
		}
	}
	h.entries = append(h.entries, draft)
	if over := len(h.entries) - h.limit; over > 0 {
		clear(h.entries[:over])
		h.entries = h.entries[over:]
	}
}

// remembered is the draft of a text that was sent, empty when it is not known any more.
func (c *Composer) remembered(text string) string {
	for i := len(c.history.entries) - 1; i >= 0; i-- {
		draft := c.history.entries[i]
		if draft == text {
			return draft
		}
		if len(draft) > len(text) && strings.ContainsRune(draft, draftOpen) {
			if _, value := canonical(draft); value == text {
				return draft
			}
		}
	}
	return ""
}

// Paste is a collapsed paste in a text that was sent.
type Paste struct {
	Number int // in its mark
	Text   string
}

// Apart takes a remembered text apart that had collapsed pastes: what was typed,
// with a mark in place of each of them, and the pastes. There are none in a text
// that is not remembered as a draft with pastes.
func (c *Composer) Apart(text string) (typed string, pastes []Paste) {
	for i := len(c.history.entries) - 1; i >= 0; i-- {
		draft := c.history.entries[i]
		if len(draft) <= len(text) || !strings.ContainsRune(draft, draftOpen) {
			continue
		}
		if _, value := canonical(draft); value != text {
			continue
		}
		for _, seg := range parseDraft(draft) {
			switch {
			case seg.image != nil:
				typed += seg.image.Mark()
			case seg.number > 0:
				typed += PasteMark(seg.number)
				pastes = append(pastes, Paste{seg.number, seg.text})
			default:
				typed += seg.text
			}
		}
		return typed, pastes
	}
	return "", nil
}

// HistoryPrev shows the text before the one shown. The draft is kept, and so are
// changes made to an entry until the walk ends. It reports false at the oldest.
func (c *Composer) HistoryPrev() bool {
	if !c.history.walking {
		c.history.start()
	}
	return c.recall(c.history.at - 1)
}

// HistoryNext shows the text after the one shown, at last the draft with which
// the walk began. It reports false there.
func (c *Composer) HistoryNext() bool {
	return c.history.walking && c.recall(c.history.at+1)
}

// recall shows the entry at a place of the history.
func (c *Composer) recall(to int) bool {
	h := &c.history
	if to < 0 || to > len(h.entries) {
		return false
	}
	h.edited[h.at] = c.Draft()
	text, left := h.edited[to]
	if !left {
		text = h.entries[to]
	}
	c.load(text)
	h.at = to
	return true
}

func (h *history) start() {
	h.walking, h.at, h.edited = true, len(h.entries), map[int]string{}
}

// leave ends a walk.
func (h *history) leave() { h.walking, h.edited = false, nil }
