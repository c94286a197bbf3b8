package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"hermes-tui/ui/composer"
	"hermes-tui/ui/slash"
)

// fileList is the list of the workspace's files, for completion.
type fileList struct {
	names   []string
	at      time.Time
	loading bool
}

// filesMsg brings the list of files.
type filesMsg struct {
	gen   int
	names []string
}

// matchesMsg brings the files that match what was typed.
type matchesMsg struct {
	gen   uint64
	items []composer.Item
}

// filesAge is how old the list of files may become before it is made again.
const filesAge = 15 * time.Second

// maxMatches is how many files are offered.
const maxMatches = 50

// completing offers completions for the word at the cursor. Files are listed and
// searched off this goroutine.
func (m *Model) completing() tea.Cmd {
	q, ok := m.composer.Completion()
	if !ok || m.conv == nil {
		return nil
	}
	if q, ok := m.modelQuery(); ok {
		return m.completeModel(q)
	}
	if q.Kind == composer.SlashQuery {
		text := q.Text
		if q.Command != "" {
			text = q.Command + " " + q.Text
		}
		var items []composer.Item
		for _, it := range slash.Complete(text, m.skills.commands()...) {
			items = append(items, composer.Item(it))
		}
		m.composer.Offer(q.Gen, items)
		return m.freshSkills()
	}
	cmds := []tea.Cmd{m.match(q)}
	if !m.files.loading && m.now().Sub(m.files.at) > filesAge {
		m.files.loading = true
		conv, gen, ctx := m.conv, m.gen, m.ctx
		cmds = append(cmds, m.do(func() tea.Msg { return filesMsg{gen, conv.Files(ctx)} }))
	}
	return tea.Batch(cmds...)
}

// accept takes the marked entry of the menu. While the files that match what was just
// typed are still looked for, that is the one in sight, if it is one of them.
func (m *Model) accept() tea.Cmd {
	m.composer.MenuKeep(func(typed string, it composer.Item) bool { return len(matchFiles(typed, []string{it.Insert})) > 0 })
	it, kind, ok := m.composer.MenuMarked()
	if !m.composer.MenuAccept() || !ok || kind != composer.FileQuery {
		return nil
	}
	m.noteTyped(it.Insert)
	return m.attachTyped()
}

// mentioned takes note of a key that may have written or ended the name of an image.
func (m *Model) mentioned(text string) tea.Cmd {
	if text == "" || m.focus != focusComposer || m.box != nil {
		return nil
	}
	if q, ok := m.composer.Completion(); ok && q.Kind == composer.FileQuery {
		m.noteTyped(q.Text)
	}
	if text == " " {
		return m.attachTyped()
	}
	return nil
}

func (m *Model) match(q composer.Query) tea.Cmd {
	if len(m.files.names) == 0 {
		return nil
	}
	names := m.files.names
	return m.do(func() tea.Msg { return matchesMsg{q.Gen, matchFiles(q.Text, names)} })
}

// matchFiles finds the files that fit what was typed, best first.
func matchFiles(text string, names []string) []composer.Item {
	var items []composer.Item
	if text == "" {
		for _, n := range names[:min(len(names), maxMatches)] {
			items = append(items, composer.Item{Label: n, Insert: n})
		}
		return items
	}
	for _, f := range fuzzy.Find(text, names) {
		items = append(items, composer.Item{Label: f.Str, Insert: f.Str, Match: f.MatchedIndexes})
		if len(items) == maxMatches {
			break
		}
	}
	return items
}

func (msg filesMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.gen {
		return nil
	}
	m.files = fileList{names: msg.names, at: m.now()}
	if q, ok := m.composer.Completion(); ok && q.Kind == composer.FileQuery {
		return m.match(q)
	}
	return nil
}

func (msg matchesMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	m.composer.Offer(msg.gen, msg.items)
	m.dirty = true
	return nil
}
