package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/markdown"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
	"hermes-tui/ui/transcript"
)

// copyCodeMsg asks for a block of code to be copied.
type copyCodeMsg struct{ text string }

// copyCode copies the code of the marked block, or what a call was asked to do. Where
// there are several blocks of code, the next key is the number of one; of more than there
// are digits, a window lists them.
func (m *Model) copyCode() tea.Cmd {
	if b := m.transcript.Selected(); b != nil && b.Call != nil {
		return m.copy(transcript.CallInput(b.Call))
	}
	list := m.transcript.Code()
	switch n := len(list); {
	case n == 0:
		return m.say("There is no code block here.")
	case n == 1:
		return m.copy(list[0].Text)
	case n <= 9:
		m.numbering = true
		m.transcript.ShowNumbers(true)
		return nil
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Copy a code block", Hints: m.windowHints("copy", nil),
		Chosen: func(it overlay.Item) overlay.Request {
			i, _ := strconv.Atoi(it.ID)
			return copyCodeMsg{list[i].Text}
		},
	})
	p.SetItems(p.Load(), codeItems(list))
	m.show(p)
	return m.dispatch(p.Search())
}

func codeItems(list []markdown.Code) []overlay.Item {
	items := make([]overlay.Item, len(list))
	for i, c := range list {
		right := format.Count(strings.Count(c.Text, "\n")+1, "line", "lines")
		if c.Lang != "" {
			right = c.Lang + " · " + right
		}
		items[i] = overlay.Item{ID: strconv.Itoa(i), Label: strconv.Itoa(i+1) + "  " + firstOf(c), Right: right}
	}
	return items
}

// firstOf is the first line of code.
func firstOf(c markdown.Code) string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.Text), "\n")
	return term.Line(first[:min(len(first), titleBytes)])
}

func (msg copyCodeMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	return m.copy(msg.text)
}

// numberKey takes the key after that for code where there are several blocks of it: a
// number copies one, and any other key means what it means else. It reports whether
// nothing is left to do.
func (m *Model) numberKey(key string) (cmd tea.Cmd, done bool) {
	if !m.numbering {
		return nil, false
	}
	m.numbering = false
	m.transcript.ShowNumbers(false)
	if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(m.transcript.Code()) {
		return m.copy(m.transcript.Code()[n-1].Text), true
	}
	a, _ := m.keys.Find(key, keys.Anywhere)
	return nil, a == keys.Escape
}

// numberHints name the blocks of code that a number copies.
func (m *Model) numberHints() []status.Hint {
	const most = 24 // cells of one
	var hints []status.Hint
	for i, c := range m.transcript.Code() {
		hints = append(hints, status.Hint{Key: strconv.Itoa(i + 1), Text: cells.Cut(joined(" ", term.Line(c.Lang), firstOf(c)), most)})
	}
	return append(hints, m.hint(keys.Escape, keys.Anywhere, "back")...)
}

// copyOutput copies what the marked call has put out, all of it.
func (m *Model) copyOutput() tea.Cmd {
	b := m.transcript.Selected()
	if b == nil || b.Call == nil {
		return m.say("Select a call first: its output is copied, and nothing else.")
	}
	whole := m.wholeOutput(b)
	return m.do(func() tea.Msg {
		text, ok := whole()
		if !ok {
			text = transcript.CallOutput(b.Call)
		}
		return copyMsg{strings.TrimRight(text, "\n")}
	})
}

// wholeOutput looks up the output of a call whose transcript does not hold all of it, off
// this goroutine. It reports false for others.
func (m *Model) wholeOutput(b *event.Block) func() (string, bool) {
	conv := m.conv
	return func() (string, bool) {
		if conv == nil || b.Call == nil || b.Call.Stage == event.CallEnded && b.Call.View.Cut == 0 {
			return "", false
		}
		return conv.Output(b.Call.ID)
	}
}
