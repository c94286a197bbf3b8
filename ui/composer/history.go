package composer

import "strings"

// history holds earlier texts, in the form of drafts, and the place in them
// while they are walked through.
type history struct {
	entries []entry // oldest first
	// places says where a text stands in entries, counted from the first that was ever
	// there; gone is how many of those have been dropped.
	places map[string]int
	gone   int
	limit  int
	live   int // entries that hold a text
	// walking is set while an entry or the draft among them is shown. at is its
	// place; len(entries) is the draft.
	walking bool
	at      int
	// edited holds what the user left at a place during this walk.
	edited map[int]string
}

// entry is an earlier text: as a draft, and what it stands for. It is empty when the
// same text was remembered again later.
type entry struct{ draft, value string }

// Remember adds a text to the history: a sent one, or one in the form of
// [Composer.Draft]. Blank ones are left out, and a text that is there already moves to
// the end.
func (c *Composer) Remember(text string) {
	h := &c.history
	h.leave()
	draft, value := canonical(text)
	if strings.TrimSpace(value) == "" {
		return
	}
	if h.places == nil {
		h.places = map[string]int{}
	}
	if i, there := h.places[value]; there {
		old := &h.entries[i-h.gone]
		if !strings.ContainsRune(draft, draftOpen) {
			draft = old.draft // which may know its pastes
		}
		*old = entry{}
		h.live--
	}
	h.places[value] = h.gone + len(h.entries)
	h.entries = append(h.entries, entry{draft, value})
	h.live++
	h.trim()
}

// RememberSent is Remember for a text of which it is not known what was pasted.
func (c *Composer) RememberSent(text string) {
	if c.remembered(text) == "" {
		text = untyped(text)
	}
	c.Remember(text)
}

// untyped is the draft of a text that may have been pasted: a paste where it would have
// commands run.
func untyped(text string) string {
	if !runs(text) {
		return text
	}
	var b strings.Builder
	writePaste(&b, 1, cleanPaste(text))
	return b.String()
}

// trim drops the oldest entries beyond the limit, and empty ones when they are many.
func (h *history) trim() {
	drop := 0
	for drop < len(h.entries) && (h.live > h.limit || h.entries[drop].value == "") {
		if e := h.entries[drop]; e.value != "" {
			delete(h.places, e.value)
			h.live--
		}
		h.entries[drop] = entry{}
		drop++
	}
	h.entries, h.gone = h.entries[drop:], h.gone+drop
	if len(h.entries) < 2*h.limit+16 {
		return
	}
	kept := make([]entry, 0, h.live)
	for _, e := range h.entries {
		if e.value != "" {
			kept = append(kept, e)
		}
	}
	h.entries, h.gone = kept, 0
	for i, e := range kept {
		h.places[e.value] = i
	}
}

// History are the texts of the history, the newest first.
func (c *Composer) History() []string {
	list := make([]string, 0, c.history.live)
	for i := len(c.history.entries) - 1; i >= 0; i-- {
		if v := c.history.entries[i].value; v != "" {
			list = append(list, v)
		}
	}
	return list
}

// Recall replaces the draft by an earlier text, with the pastes that it is known to have
// had. The draft before it goes into the history, and undo brings it back.
func (c *Composer) Recall(text string) {
	draft := c.remembered(text)
	if draft == "" {
		draft = untyped(text)
	}
	if !c.Empty() {
		c.Remember(c.Draft())
	}
	c.history.leave()
	c.load(draft)
}

// remembered is the draft of a text that was sent, empty when it is not known any more.
func (c *Composer) remembered(text string) string {
	if i, there := c.history.places[text]; there {
		return c.history.entries[i-c.history.gone].draft
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
	draft := c.remembered(text)
	if len(draft) <= len(text) || !strings.ContainsRune(draft, draftOpen) {
		return "", nil
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

// HistoryPrev shows the text before the one shown. The draft is kept, and so are
// changes made to an entry until the walk ends. It reports false at the oldest.
func (c *Composer) HistoryPrev() bool {
	if !c.history.walking {
		c.history.start()
	}
	return c.recall(-1)
}

// HistoryNext shows the text after the one shown, at last the draft with which
// the walk began. It reports false there.
func (c *Composer) HistoryNext() bool {
	return c.history.walking && c.recall(1)
}

// recall shows the entry before or after the one shown.
func (c *Composer) recall(by int) bool {
	h := &c.history
	to := h.at + by
	for to >= 0 && to < len(h.entries) && h.entries[to].value == "" {
		to += by
	}
	if to < 0 || to > len(h.entries) {
		return false
	}
	h.edited[h.at] = c.Draft()
	text, left := h.edited[to]
	if !left {
		text = h.entries[to].draft
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
