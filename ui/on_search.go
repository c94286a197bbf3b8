package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// search is the window that finds what was said, and the search under way in it.
type search struct {
	*overlay.Picker
	stop context.CancelFunc
}

// searchMsg asks for what a text finds.
type searchMsg struct{ query string }

// hitsMsg brings what was found of a query: the first sessions, or with these all of them.
type hitsMsg struct {
	of    *search
	gen   uint64
	query string
	first []app.Match
	list  []app.Match
	err   error
}

// firstFound is how many sessions are found at first, more than a screen shows: those behind
// them take several times as long.
const firstFound = 20

// hitMsg asks for a message of a session, or of a way that it was left on.
type hitMsg struct{ session, message, way string }

// openSearch opens the window with a text to look for.
func (m *Model) openSearch(query string) tea.Cmd {
	w := &search{stop: func() {}}
	w.Picker = overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Search", Could: "type to search", Empty: "Nothing was found.", Unasked: "What was said? in:. is this folder; after:2d, role:user and sort:newest narrow it down.", Hints: m.windowHints("open", nil),
		Ask: func(query string) overlay.Request { return searchMsg{query} },
		Chosen: func(it overlay.Item) overlay.Request {
			parts := strings.Split(it.ID, " ")
			return hitMsg{parts[0], parts[1], parts[2]}
		},
	})
	m.show(w)
	if query == "" {
		return m.dispatch(searchMsg{})
	}
	return m.dispatch(w.Type(query))
}

// handle searches; what was looked for before no longer is.
func (msg searchMsg) handle(m *Model) tea.Cmd {
	w, ok := m.box.(*search)
	if !ok {
		return nil
	}
	w.stop()
	m.dirty = true
	gen := w.Load()
	if strings.TrimSpace(msg.query) == "" {
		w.SetItems(gen, nil)
		return nil
	}
	return m.searchFor(w, hitsMsg{of: w, gen: gen, query: msg.query}, firstFound)
}

// searchFor looks for at most so many sessions, or all for 0.
func (m *Model) searchFor(w *search, found hitsMsg, most int) tea.Cmd {
	ctx, stop := context.WithCancel(m.ctx)
	w.stop = stop
	a, now := m.app, m.now()
	return m.do(func() tea.Msg {
		defer stop()
		found.list, found.err = a.SearchTyped(ctx, typing(found.query), now, most)
		return found
	})
}

// typing makes the last word of a query, which is being typed, the beginning of one.
func typing(query string) string {
	last, _ := utf8.DecodeLastRuneInString(query)
	i := strings.LastIndexAny(query, " \t:") + 1
	whole := query[i:] == "AND" || query[i:] == "OR" || query[i:] == "NOT" || i > 0 && query[i-1] == ':'
	if whole || !unicode.IsLetter(last) && !unicode.IsDigit(last) || strings.Count(query, `"`)%2 == 1 {
		return query
	}
	return query + "*"
}

func (msg hitsMsg) handle(m *Model) tea.Cmd {
	w := msg.of
	if m.box != w {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		w.Fail(msg.gen, sentence(msg.err))
		return nil
	}
	now := m.now()
	list := msg.first // they stay where they are
	for _, s := range msg.list {
		if !slices.ContainsFunc(msg.first, func(f app.Match) bool { return f.Session == s.Session }) {
			list = append(list, s)
		}
	}
	var items []overlay.Item
	for _, s := range list {
		title := s.Title
		if title == "" {
			title = s.Preview
		}
		group := fmt.Sprintf("%s · %s · %s", title, status.ShortDir(s.Dir, m.state.Work.Home), format.Least(s.Total, s.More, "match", "matches"))
		for _, h := range s.Hits {
			label, marks := aroundMark(h.Text, h.Marks)
			who := "the agent"
			switch h.Role {
			case string(event.RoleUser):
				who = "you"
			case "tool":
				who = "a tool"
			}
			if h.Way != "" {
				who += " · taken back"
			}
			items = append(items, overlay.Item{
				ID: s.Session + " " + h.Message + " " + h.Way, Group: group, Label: label, Match: marks,
				Right: who + " · " + format.Ago(now.Sub(h.At)), Current: s.Session == string(m.conv.Session()),
			})
		}
	}
	taken := w.SetItems(msg.gen, items)
	if taken && msg.first == nil {
		w.Move(overlay.Top)
	}
	if w.Wanted() {
		return m.dispatch(w.Act(keys.Accept))
	}
	if taken && msg.first == nil && len(list) == firstFound {
		return m.searchFor(w, hitsMsg{of: w, gen: msg.gen, query: msg.query, first: list}, 0)
	}
	return nil
}

// beforeMark is how many bytes of a text are shown before what was found in it.
const beforeMark = 24

// aroundMark is a text from shortly before its first mark on.
func aroundMark(text string, marks []int) (string, []int) {
	if len(marks) == 0 || marks[0] <= beforeMark {
		return text, marks
	}
	from := marks[0]
	if i := strings.IndexByte(text[marks[0]-beforeMark:marks[0]], ' '); i >= 0 {
		from += i + 1 - beforeMark
	}
	const more = "…"
	moved := make([]int, len(marks))
	for i, at := range marks {
		moved[i] = at - from + len(more)
	}
	return more + text[from:], moved
}

func (msg hitMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	if msg.way != "" {
		a, ctx := m.app, m.ctx
		return m.do(func() tea.Msg {
			session, message, err := a.Branch(ctx, msg.way, msg.message)
			if err != nil {
				return failedMsg{err}
			}
			return hitMsg{session: session, message: message}
		})
	}
	m.aim = aim{message: event.MessageID(msg.message)}
	if msg.session == string(m.conv.Session()) {
		return m.aimed()
	}
	return m.resume(msg.session)
}
