package ui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/transcript"
)

// settingsMsg brings settings that have changed while the screen runs.
type settingsMsg struct {
	app.Settings
	err error
}

// followSettings waits for the next change of the settings.
func (m *Model) followSettings() tea.Cmd {
	a, ctx := m.app, m.ctx
	return func() tea.Msg {
		s, err := a.NextSettings(ctx)
		return settingsMsg{s, err}
	}
}

// handle lets settings take effect. What was chosen on the screen meanwhile stays, unless
// the setting itself has changed.
func (msg settingsMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return nil
	}
	before := m.o.Settings
	m.o.Settings = msg.Settings
	cmds := []tea.Cmd{m.followSettings()}
	cmds = append(cmds, m.followTheme(before.Theme))
	if msg.ShowReasoning != before.ShowReasoning {
		m.showReasoning(msg.ShowReasoning)
	}
	if msg.Timestamps != before.Timestamps {
		m.showTimes(msg.Timestamps)
	}
	for _, v := range m.transcripts() {
		v.SetOutputLines(msg.OutputLines)
	}
	if msg.StatusCommand != before.StatusCommand || msg.StatusEvery != before.StatusEvery {
		cmds = append(cmds, m.segmentDue(), m.segmentTick())
	}
	m.composer.SetVim(msg.VimMode)
	m.composer.SetPastes(msg.PasteLines, msg.PasteChars)
	if !maps.EqualFunc(msg.Keys, before.Keys, slices.Equal) {
		table, problems := keys.New(msg.Keys)
		m.keys = table
		m.nameKeys()
		for _, p := range problems {
			cmds = append(cmds, m.say(p))
		}
	}
	m.dirty = true
	return tea.Batch(cmds...)
}

// showReasoning shows or hides reasoning.
func (m *Model) showReasoning(on bool) {
	m.reasoning = on
	for _, v := range m.transcripts() {
		v.SetReasoning(on)
	}
}

// showTimes shows or hides when each block came.
func (m *Model) showTimes(on bool) {
	m.times = on
	for _, v := range m.transcripts() {
		v.SetTimes(on)
	}
}

// transcripts are all of them that there are.
func (p *parts) transcripts() []*transcript.View {
	list := []*transcript.View{p.transcript, p.detailTranscript}
	if p.rootTranscript != nil {
		list = append(list, p.rootTranscript)
	}
	return list
}

// nameKeys tells the regions that mention keys which ones they are.
func (m *Model) nameKeys() {
	held := joined(", ", m.press(keys.Send, keys.InComposer, "sends it"), m.press(keys.Up, keys.InComposer, "takes it back"))
	m.queue.SetHints(m.hints(keys.InQueue, keys.TakeBack, keys.MoveUp, keys.SteerNow, keys.Remove), held)
	m.panel.SetKeys(prompt.Keys{
		Enter: m.keyName(keys.Accept, keys.InPrompt), Escape: m.keyName(keys.Escape), Tab: m.keyName(keys.Complete, keys.InComposer),
		Up: m.keyName(keys.PageUp, keys.InPrompt), Down: m.keyName(keys.PageDown, keys.InPrompt),
	})
}
