// Package search holds the window that finds what was said, in all sessions.
package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/host"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
)

// Window is the window that finds what was said, and the search under way in it.
type Window struct {
	*overlay.Picker
	stop context.CancelFunc
}

// searchMsg asks for what a text finds.
type searchMsg struct{ query string }

// Hits brings what was found of a query: the first sessions, or with these all of them.
type Hits struct {
	Of    *Window
	Gen   uint64
	query string
	first []api.Match
	List  []api.Match
	err   error
}

// firstFound is how many sessions are found at first, more than a screen shows: those behind
// them take several times as long.
const firstFound = 20

// hitMsg asks for a message of a session, or of a way that it was left on.
type hitMsg struct{ session, message, way string }

// Open opens the window with a text to look for.
func Open(h host.Host, query string) tea.Cmd {
	w := &Window{stop: func() {}}
	w.Picker = overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: "Search", Could: "type to search", Empty: "Nothing was found.", Unasked: "What was said? in:. is this folder; after:2d, role:user and sort:newest narrow it down.", Hints: h.WindowHints("open"),
		Ask: func(query string) overlay.Request { return searchMsg{query} },
		Chosen: func(it overlay.Item) overlay.Request {
			parts := strings.Split(it.ID, " ")
			return hitMsg{parts[0], parts[1], parts[2]}
		},
	})
	h.Show(w)
	if query == "" {
		return h.Dispatch(searchMsg{})
	}
	return h.Dispatch(w.Type(query))
}

// Handle searches; what was looked for before no longer is.
func (msg searchMsg) Handle(h host.Host) tea.Cmd {
	w, ok := h.Box().(*Window)
	if !ok {
		return nil
	}
	w.stop()
	h.Redraw()
	gen := w.Load()
	if strings.TrimSpace(msg.query) == "" {
		w.SetItems(gen, nil)
		return nil
	}
	return searchFor(h, w, Hits{Of: w, Gen: gen, query: msg.query}, firstFound)
}

// searchFor looks for at most so many sessions, or all for 0.
func searchFor(h host.Host, w *Window, found Hits, most int) tea.Cmd {
	ctx, stop := context.WithCancel(h.Context())
	w.stop = stop
	a, now := h.App(), h.Now()
	return h.Do(func() tea.Msg {
		defer stop()
		found.List, found.err = a.SearchTyped(ctx, typing(found.query), now, most)
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

// Handle implements [host.Message].
func (msg Hits) Handle(h host.Host) tea.Cmd {
	w := msg.Of
	if h.Box() != w {
		return nil
	}
	h.Redraw()
	if msg.err != nil {
		w.Fail(msg.Gen, host.Sentence(msg.err))
		return nil
	}
	now := h.Now()
	list := msg.first // they stay where they are
	for _, s := range msg.List {
		if !slices.ContainsFunc(msg.first, func(f api.Match) bool { return f.Session == s.Session }) {
			list = append(list, s)
		}
	}
	var items []overlay.Item
	for _, s := range list {
		title := s.Title
		if title == "" {
			title = s.Preview
		}
		group := fmt.Sprintf("%s · %s · %s", title, status.ShortDir(s.Dir, h.State().Work.Home), format.Least(s.Total, s.More, "match", "matches"))
		for _, hit := range s.Hits {
			label, marks := aroundMark(hit.Text, hit.Marks)
			who := "the agent"
			switch hit.Role {
			case string(event.RoleUser):
				who = "you"
			case "tool":
				who = "a tool"
			}
			if hit.Way != "" {
				who += " · taken back"
			}
			items = append(items, overlay.Item{
				ID: s.Session + " " + hit.Message + " " + hit.Way, Group: group, Label: label, Match: marks,
				Right: who + " · " + format.Ago(now.Sub(hit.At)), Current: s.Session == string(h.Conv().Session()),
			})
		}
	}
	taken := w.SetItems(msg.Gen, items)
	if taken && msg.first == nil {
		w.Move(overlay.Top)
	}
	if w.Wanted() {
		return h.Dispatch(w.Act(keys.Accept))
	}
	if taken && msg.first == nil && len(list) == firstFound {
		return searchFor(h, w, Hits{Of: w, Gen: msg.Gen, query: msg.query, first: list}, 0)
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

func (msg hitMsg) Handle(h host.Host) tea.Cmd {
	h.Show(nil)
	if msg.way != "" {
		a, ctx := h.App(), h.Context()
		return h.Do(func() tea.Msg {
			session, message, err := a.Branch(ctx, msg.way, msg.message)
			if err != nil {
				return host.Outcome(err, "")
			}
			return hitMsg{session: session, message: message}
		})
	}
	return h.GoTo(msg.session, event.MessageID(msg.message))
}
