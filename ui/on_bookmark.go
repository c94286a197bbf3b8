package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// toggleBookmark marks the marked block to come back to, or no longer. The session keeps
// it.
func (m *Model) toggleBookmark() tea.Cmd {
	b := m.transcript.Selected()
	switch {
	case b == nil:
		return m.say("Select a block first, with up and down.")
	case m.conv == nil:
		return m.say("One moment: the session is being opened.")
	}
	on := !slices.Contains(m.state.Bookmarks, b.ID)
	says := "No longer a bookmark."
	if on {
		says = joined("; ", "A bookmark: "+m.press(keys.NextBookmark, keys.InTranscript, "goes to the next"), m.press(keys.Bookmarks, keys.InTranscript, "lists all")) + "."
	}
	conv, id := m.conv, b.ID
	return m.do(func() tea.Msg { return said(conv.SetBookmark(id, on), says) })
}

// nextBookmark goes to the next bookmark, or back to the previous one. After the last one
// comes the first.
func (m *Model) nextBookmark(back bool) tea.Cmd {
	if !m.transcript.NextBookmark(back) {
		return m.say(joined(": ", "There are no bookmarks here yet", m.press(keys.Bookmark, keys.InTranscript, "sets one")) + ".")
	}
	return m.animate()
}

// openBookmarks lists the bookmarks of the transcript, in its order.
func (m *Model) openBookmarks() tea.Cmd {
	now := m.now()
	var items []overlay.Item
	for _, b := range m.transcript.Bookmarks() {
		label, what := m.transcript.Label(b)
		items = append(items, overlay.Item{ID: string(b.ID), Label: label, Right: joined(" · ", what, format.Ago(now.Sub(b.At)))})
	}
	return m.jumpTo("Bookmarks", joined(": ", "There are none here yet", m.press(keys.Bookmark, keys.InTranscript, "sets one at the selected block"))+".", items)
}

// syncBookmarks hands the bookmarks to the transcripts.
func (m *Model) syncBookmarks(list []event.BlockID) {
	for _, v := range m.transcripts() {
		v.SetBookmarks(list)
	}
}
