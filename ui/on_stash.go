package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/composer"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// unstashMsg asks for a draft that was put aside.
type unstashMsg struct{ place int }

// stash puts the draft aside. Where there is none, it brings back the one that was put
// aside, or lists them.
func (m *Model) stash() tea.Cmd {
	stashed := m.composer.Stashed()
	switch {
	case m.composer.Stash():
		return m.say(joined("; ", "Draft put aside", m.press(keys.Stash, keys.InComposer, "brings it back")) + ".")
	case !m.composer.Empty():
		return m.say("There is room for " + strconv.Itoa(composer.MaxStash) + " drafts: take one back or send it first.")
	case len(stashed) == 0:
		return m.say("There is no draft to put aside, and none was put aside.")
	case len(stashed) == 1:
		m.composer.Unstash(0)
		return nil
	}
	items := make([]overlay.Item, len(stashed))
	for i, text := range stashed {
		items[i] = overlay.Item{ID: strconv.Itoa(i), Label: oneLine(m.masked(text))}
	}
	return m.pick(overlay.PickerOptions{
		Title: "Drafts put aside", Empty: "None of them has this.",
		Chosen: func(it overlay.Item) overlay.Request {
			place, _ := strconv.Atoi(it.ID)
			return unstashMsg{place}
		},
	}, items)
}

func (msg unstashMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	m.composer.Unstash(msg.place)
	return m.draftChanged()
}

// aside reminds of drafts that were put aside, empty where there are none.
func (m *Model) aside() string {
	n := len(m.composer.Stashed())
	if n == 0 {
		return ""
	}
	return m.press(keys.Stash, keys.InComposer, "brings back "+format.Count(n, "draft", "drafts"))
}

// keepStash has what was put aside stored once more: with its first message a conversation
// keeps its drafts elsewhere.
func (m *Model) keepStash() tea.Cmd {
	if len(m.composer.Stashed()) == 0 {
		return nil
	}
	m.saved, m.savedAt = "", 0
	return m.draftChanged()
}
