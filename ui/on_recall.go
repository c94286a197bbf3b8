package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/recall"
	"hermes-tui/ui/status"
)

// How many messages are looked through for prompts at a time: first as many as can be
// shown, then as many as keep a key waiting no longer than a frame.
const (
	firstPrompts = 100
	morePrompts  = 2000
)

// recalledMsg brings prompts of earlier sessions.
type recalledMsg struct {
	gen  int // of the search
	list []recall.Prompt
	next int64 // where older ones begin, 0 for none
	err  error
}

// openRecall looks for an earlier prompt. What is typed stays as it is until one is taken.
func (m *Model) openRecall() tea.Cmd {
	m.composer.MenuClose()
	m.recalls++
	m.recall.Open(nil, m.now())
	if m.app == nil {
		return nil // it goes on when the store is open
	}
	return m.readPrompts(0, firstPrompts)
}

// readPrompts reads prompts before a row.
func (m *Model) readPrompts(before int64, n int) tea.Cmd {
	a, ctx, gen := m.app, m.ctx, m.recalls
	return m.do(func() tea.Msg {
		list, next, err := a.Prompts(ctx, before, n)
		return recalledMsg{gen, recalled(list), next, err}
	})
}

// recalled are prompts as the list takes them.
func recalled(list []app.Prompt) []recall.Prompt {
	ready := make([]recall.Prompt, len(list))
	for i, p := range list {
		ready[i] = recall.Prompt{Text: p.Text, At: p.At}
	}
	return recall.Ready(ready)
}

// handle adds them, and behind the last of them what the sessions do not hold: what was
// typed and not sent, commands, prompts of sessions that are gone.
func (msg recalledMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.recalls || !m.recall.IsOpen() {
		return nil
	}
	m.dirty = true
	if m.recall.Add(msg.list, msg.next != 0) && msg.next != 0 {
		return m.readPrompts(msg.next, morePrompts)
	}
	var rest []recall.Prompt
	for _, text := range m.composer.History() {
		rest = append(rest, recall.Prompt{Text: text})
	}
	m.recall.Add(recall.Ready(rest), false)
	if msg.err != nil {
		return m.fail(msg.err)
	}
	return nil
}

// recallKey sends a key to the list of earlier prompts. One that it has no use for ends
// the search and means what it always does.
func (m *Model) recallKey(key, text string) (taken bool) {
	a, ok := m.keys.Find(key, keys.InRecall, keys.Anywhere)
	switch {
	case !ok && text != "":
		m.recall.Type(text)
	case a == keys.Accept:
		m.takePrompt()
	case a == keys.Up:
		m.recall.Older()
	case a == keys.Down:
		m.recall.Newer()
	case a == keys.Backspace:
		m.recall.Backspace()
	case a == keys.KillStart:
		m.recall.Clear()
	case a == keys.Escape, a == keys.Cancel:
		m.recall.Close()
	default:
		m.recall.Close()
		return false
	}
	return true
}

// takePrompt puts the marked prompt in the place of the draft.
func (m *Model) takePrompt() {
	text, ok := m.recall.Marked()
	m.recall.Close()
	if ok {
		m.composer.Recall(text)
		m.composer.MenuClose()
	}
}

func (m *Model) recallHints() []status.Hint {
	return append(m.hints(keys.InRecall, keys.Accept, keys.Up), m.hint(keys.Escape, keys.Anywhere, "back to the draft")...)
}

// masked hides secrets in what is shown.
func (m *Model) masked(text string) string {
	if m.app == nil {
		return text
	}
	return m.app.Mask(text)
}
