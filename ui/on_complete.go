package ui

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
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
	if !ok || q.Kind == composer.SlashQuery {
		m.peek = peek{}
	}
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
		for _, it := range slash.Complete(text, m.moreCommands()...) {
			items = append(items, composer.Item(it))
		}
		m.composer.Offer(q.Gen, items)
		return tea.Batch(m.freshSkills(), m.freshPrompts())
	}
	cmds := []tea.Cmd{m.match(q), m.lookInside()}
	if !m.files.loading && m.now().Sub(m.files.at) > filesAge {
		m.files.loading = true
		conv, gen, ctx := m.conv, m.gen, m.ctx
		cmds = append(cmds, m.do(func() tea.Msg { return filesMsg{gen, conv.Files(ctx)} }))
	}
	return tea.Batch(cmds...)
}

// accept takes the marked entry of the menu. While the names that match what was just
// typed are still looked for, that is the one in sight, if it is one of them.
func (m *Model) accept() tea.Cmd {
	m.composer.MenuKeep(fits)
	it, kind, ok := m.composer.MenuMarked()
	if !m.composer.MenuAccept() || !ok || kind != composer.FileQuery {
		return nil
	}
	m.noteTyped(it.Insert)
	return m.attachTyped()
}

// guesses reports whether a key that sends would take an entry of the menu instead that
// merely holds the letters of the command that was typed, and that no one has chosen.
func (m *Model) guesses(key string, a keys.Action) bool {
	sends, _ := m.keys.Find(key, keys.InComposer)
	q, ok := m.composer.Completion()
	if a != keys.Accept || sends != keys.Send || !ok || q.Kind != composer.SlashQuery || q.Command != "" || m.composer.MenuChosen() {
		return false
	}
	_, _, err := slash.Parse(q.Text, m.moreCommands()...)
	_, unknown := errors.AsType[*slash.UnknownError](err)
	return unknown
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
	names, find := m.files.names, matchRefs
	switch {
	case q.Kind == composer.FileQuery && strings.HasPrefix(q.Text, sessionRef):
		return m.matchSessions(q)
	case len(names) == 0 && (q.Kind == composer.PathQuery || m.files.at.IsZero()):
		return nil // the list comes in a moment
	case q.Kind == composer.PathQuery:
		find = matchPaths
	}
	return m.do(func() tea.Msg { return matchesMsg{q.Gen, find(q.Text, names)} })
}

// fits reports whether an entry is one for what was typed since it was offered.
func fits(typed string, it composer.Item) bool {
	if it.Detail != "" { // no file
		return hasPrefixFold(it.Insert, typed)
	}
	return len(matchFiles(typed, []string{it.Insert})) > 0
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
	if q, ok := m.composer.Completion(); ok && (q.Kind == composer.FileQuery || q.Kind == composer.PathQuery) {
		return m.match(q)
	}
	return nil
}

func (msg matchesMsg) handle(m *Model) tea.Cmd {
	m.composer.Offer(msg.gen, msg.items)
	m.dirty = true
	if q, ok := m.composer.Completion(); ok && q.Gen == msg.gen && q.Kind == composer.PathQuery && len(msg.items) == 1 {
		m.composer.MenuAccept() // as shells do
		return m.completing()
	}
	return m.lookInside()
}

// matchPaths finds the files and folders whose names go on from what was typed, a level of
// folders at a time; where there are none, those that fit it.
func matchPaths(text string, names []string) []composer.Item {
	text = strings.TrimPrefix(text, "./")
	var items []composer.Item
	for _, n := range names {
		rest, ok := strings.CutPrefix(n, text)
		if !ok || rest == "" || strings.Contains(strings.TrimSuffix(rest, "/"), "/") {
			continue
		}
		items = append(items, composer.Item{Label: n, Insert: n, Match: upTo(len(text))})
		if len(items) == maxMatches {
			break
		}
	}
	if len(items) == 0 && text != "" {
		return matchFiles(text, names)
	}
	return items
}

// upTo are the numbers below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
