package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/find"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/transcript"
)

// finder is the search in the transcript. What is looked for, the transcript knows.
type finder struct {
	open   bool
	typing bool  // the query is being typed
	from   focus // where escape goes back to
	// under says that a part of the search is on its way, told when it was shown how many
	// matches there are so far.
	under bool
	told  time.Time
}

// findMsg brings what a part of the search has found.
type findMsg struct {
	of    *transcript.View
	found transcript.Search
}

// finds reports whether there is a search.
func (m *Model) finds() bool { return m.finder.open }

// typesQuery reports whether keys are those of a query that is being typed.
func (m *Model) typesQuery() bool { return m.finder.typing && m.focus == focusTranscript }

// commandFind looks for words, or has them typed.
func (m *Model) commandFind(words string) tea.Cmd {
	m.openFind()
	if words == "" {
		return nil
	}
	m.finder.typing = false
	m.transcript.Find(find.Query{Text: words})
	return m.findMore()
}

// openFind has a query typed, from wherever the keys are.
func (m *Model) openFind() {
	if !m.finder.open {
		m.finder.from = m.focus
	}
	m.setFocus(focusTranscript)
	m.finder.open, m.finder.typing, m.dirty = true, true, true
	m.find("")
}

// leaveFind ends the search and goes back to where it was begun.
func (m *Model) leaveFind() {
	m.endFind()
	if m.finder.from != focusTranscript {
		m.refocus(m.finder.from)
	}
}

// find looks for a text.
func (m *Model) find(text string) {
	q := m.transcript.Query()
	q.Text = text
	m.transcript.Find(q)
}

// endFind ends the search; what was found stays in sight.
func (m *Model) endFind() {
	if m.finder.open {
		m.finder.open, m.finder.typing, m.dirty = false, false, true
		m.find("")
	}
}

// findKey takes a key while a query is being typed.
func (m *Model) findKey(key, text string) tea.Cmd {
	a, ok := m.keys.Find(key, keys.InFind, keys.Anywhere)
	if !ok {
		return m.findTyped(text)
	}
	q := m.transcript.Query()
	switch a {
	case keys.Accept:
		if m.finder.typing = false; q.Text == "" {
			m.endFind()
		}
		return nil
	case keys.FindNext, keys.FindPrev:
		return m.findNext(a == keys.FindPrev)
	case keys.Backspace:
		q.Text = string(overlay.Query(q.Text).Shorter())
	case keys.KillStart:
		q.Text = ""
	case keys.MatchCase:
		q.Case = !q.Case
	case keys.Pattern:
		q.Regexp = !q.Regexp
	default:
		cmd, _ := m.actAnywhere(a)
		return cmd
	}
	m.transcript.Find(q)
	return m.findMore()
}

// findTyped adds to the query.
func (m *Model) findTyped(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	m.dirty = true
	m.find(string(overlay.Query(m.transcript.Query().Text).Add(text)))
	return m.findMore()
}

// findMore takes a step of the search, and has the rest of it made beside the screen.
func (m *Model) findMore() tea.Cmd {
	if !m.finder.open || m.finder.under {
		return nil
	}
	before := m.transcript.Found()
	more := m.transcript.FindMore()
	m.findNews(before, more)
	if !more {
		return nil
	}
	return m.findRest()
}

// findRest has a part of the search made beside the screen.
func (m *Model) findRest() tea.Cmd {
	v := m.transcript
	part, ok := v.FindRest()
	if m.finder.under = ok; !ok {
		return nil
	}
	return m.do(func() tea.Msg { return findMsg{v, part.Run()} })
}

// findNewsEvery is how far apart counts are shown of matches that are still looked for.
const findNewsEvery = 100 * time.Millisecond

// findNews has the screen drawn when it shows what a search has found.
func (m *Model) findNews(before transcript.Found, more bool) {
	found, now := m.transcript.Found(), m.now()
	if found == before || more && found.Same(before) && now.Sub(m.finder.told) < findNewsEvery {
		return
	}
	m.finder.told, m.dirty = now, true
}

func (msg findMsg) handle(m *Model) tea.Cmd {
	m.finder.under = false
	if msg.of != m.transcript || !m.finder.open {
		return nil
	}
	before := m.transcript.Found()
	more := m.transcript.FindTake(msg.found)
	m.findNews(before, more)
	if !more {
		return nil
	}
	return m.findRest()
}

// findNext goes to the next match, or back to the previous one. One that is not found
// yet is gone to when it is.
func (m *Model) findNext(back bool) tea.Cmd {
	if !m.finder.open || m.transcript.Query().Text == "" {
		return m.say(m.keys.Short(keys.InTranscript, keys.Find) + " finds something in the transcript.")
	}
	m.transcript.FindNext(back)
	return m.findMore()
}

// findPrompt stands before what is looked for.
const findPrompt = " /"

// findRow shows what is looked for and how the search stands.
func (m *Model) findRow(w int) string {
	text, end := m.findParts(w)
	return rows.Between(m.styles.Accent.Render(findPrompt)+m.styles.Text.Render(text), end, w)
}

// findCursor is the column of the insertion point.
func (m *Model) findCursor(w int) int {
	text, _ := m.findParts(w)
	return len(findPrompt) + rows.Width(text)
}

// findParts are the end of the query, and how the search stands.
func (m *Model) findParts(w int) (text, end string) {
	says, style := m.foundWords()
	q := m.transcript.Query()
	how := " · " + overlay.HowWords(q)
	end = style.Render(says) + m.styles.Faint.Render(how) + " "
	if rows.Width(end) > w/2 {
		end = style.Render(says) + " "
	}
	return cells.CutStart(q.Text, max(w-rows.Width(end)-len(findPrompt)-2, 1)), end
}

// foundWords say how the search stands.
func (m *Model) foundWords() (string, rows.Style) {
	switch f := m.transcript.Found(); {
	case f.Err != nil:
		return f.Err.Error(), m.styles.Bad
	case m.transcript.Query().Text == "":
		return "", m.styles.Muted
	case f.More && f.N == 0:
		return "…", m.styles.Muted
	case f.More:
		return format.Exact(f.N, "match", "matches") + " so far", m.styles.Muted
	case f.N == 0:
		return "not found", m.styles.Warn
	case f.At == 0:
		return format.Exact(f.N, "match", "matches"), m.styles.Muted
	default:
		return strconv.Itoa(f.At) + " of " + strconv.Itoa(f.N), m.styles.Muted
	}
}

// findHints are the keys worth knowing during a search.
func (m *Model) findHints() []status.Hint {
	end := m.hint(keys.Escape, keys.Anywhere, "end the search")
	if m.finder.typing {
		return append(m.hints(keys.InFind, keys.Accept, keys.FindNext, keys.FindPrev, keys.MatchCase, keys.Pattern), end...)
	}
	return append(m.hints(keys.InTranscript, keys.FindNext, keys.FindPrev, keys.Find, keys.Fold, keys.Open, keys.Copy), end...)
}
