package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/format"
)

// sessionRef begins the name of a session in a message.
const sessionRef = "session:"

// references are what a message can name with an @ besides files.
func references() []composer.Item {
	return []composer.Item{
		{Label: "diff", Insert: "diff", Detail: "what has changed in the repository and is not staged"},
		{Label: "staged", Insert: "staged", Detail: "what is staged in the repository"},
		{Label: "log:5", Insert: "log:5", Detail: "the newest five commits; any number up to 50"},
		{Label: "url:", Insert: "url:", Detail: "a page of the web, by its address"},
		{Label: sessionRef, Insert: sessionRef, Detail: "what was said in another session"},
	}
}

// filesBefore is how many files stand before the references that are none.
const filesBefore = 3

// matchRefs finds the references that begin with what was typed, behind the first of the
// files that do, and the other files that fit it behind them.
func matchRefs(text string, names []string) []composer.Item {
	files := matchFiles(text, names)
	at := 0
	for at < min(len(files), filesBefore) && hasPrefixFold(files[at].Label, text) {
		at++
	}
	begun := slices.DeleteFunc(references(), func(it composer.Item) bool {
		return !hasPrefixFold(it.Label, text) || it.Label == text && strings.HasSuffix(text, ":") // its name goes on
	})
	for i := range begun {
		begun[i].Match = upTo(len(text))
	}
	return slices.Insert(files, at, begun...)
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// sessionsOffered is how many sessions the menu offers.
const sessionsOffered = 20

// matchSessions finds the sessions with words in their titles or beginnings, the most
// recent first, as a message names them.
func (m *Model) matchSessions(q composer.Query) tea.Cmd {
	words, a, ctx, own, now := q.Text[len(sessionRef):], m.app, m.ctx, m.conv.Session(), m.now()
	return m.do(func() tea.Msg {
		list, err := a.Sessions(ctx, words, sessionsOffered, false)
		if err != nil {
			return failedMsg{err}
		}
		var items []composer.Item
		for _, s := range list {
			if s.Session == string(own) {
				continue
			}
			items = append(items, composer.Item{
				Label: sessionLabel(s), Insert: sessionRef + sessionName(s, list),
				Detail: strings.Trim(format.Ago(now.Sub(s.LastActive))+" · "+oneLine(s.Preview), " ·"),
			})
		}
		return matchesMsg{q.Gen, items}
	})
}

// sessionLabel is what a session is called in the menu.
func sessionLabel(s app.SessionInfo) string {
	if s.Title == "" {
		return s.Session
	}
	return oneLine(s.Title)
}

// sessionName is how a message names a session: by its title where that is plain and no
// other one begins with it, else by its id.
func sessionName(s app.SessionInfo, all []app.SessionInfo) string {
	other := slices.ContainsFunc(all, func(o app.SessionInfo) bool { return o.Session != s.Session && hasPrefixFold(o.Title, s.Title) })
	if s.Title == "" || other || s.Title != oneLine(s.Title) || strings.ContainsAny(s.Title, "\"\\") {
		return s.Session
	}
	return s.Title
}
