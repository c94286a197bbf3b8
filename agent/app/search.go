package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/store/sessions"
)

// Search finds sessions by what was said in them. Besides words, "phrases", AND, OR,
// NOT and beginnings* a query may hold role:user, role:assistant or role:tool,
// in:FOLDER, after: and before: with a day (2026-11-23) or an age (3h, 2d, 5w), and
// sort:newest or sort:oldest. now is the time that ages count from. A value that is
// none of these is an error ([*SearchError]) that names it.
func (a *App) Search(ctx context.Context, query string, now time.Time) ([]api.Match, error) {
	return a.search(ctx, query, now, searchLimit, false)
}

// SearchTyped is [App.Search] for at most so many sessions, or as many as it finds for 0,
// while the query is typed: what very many words begin with, if the last word has a star
// behind it, is looked for in the newest messages.
func (a *App) SearchTyped(ctx context.Context, query string, now time.Time, most int) ([]api.Match, error) {
	return a.search(ctx, query, now, cmp.Or(most, searchLimit), true)
}

func (a *App) search(ctx context.Context, query string, now time.Time, most int, typed bool) ([]api.Match, error) {
	user, _ := a.o.Env("HOME")
	q, err := parseSearch(query, now, a.o.Dir, user)
	if err != nil {
		return nil, err
	}
	q.Limit, q.Typed, q.Left = most, typed, true
	found, err := a.db.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	list := make([]api.Match, len(found))
	for i, f := range found {
		list[i] = api.Match{SessionInfo: sessionInfo(f.ConversationInfo), Total: f.Total, More: f.More}
		for _, h := range f.Hits {
			if h.Role == "tool" {
				if h.ID, err = a.db.Caller(ctx, h.Session, h.Row); err != nil {
					return nil, err
				}
			}
			text, marks := unmark(h.Snippet)
			list[i].Hits = append(list[i].Hits, api.Hit{Message: h.ID, Session: h.Session, Way: h.Way, Role: h.Role, At: h.At, Text: text, Marks: marks})
		}
	}
	return list, nil
}

// SearchError says what a value of a query is not.
type SearchError struct{ value, not string }

// Error says which values there are.
func (e *SearchError) Error() string { return fmt.Sprintf("%q is no %s", e.value, e.not) }

// searchLimit is the most sessions of a search.
const searchLimit = 100

// parseSearch tells the words of a query from what narrows it down.
func parseSearch(query string, now time.Time, dir, home string) (sessions.Search, error) {
	var q sessions.Search
	var words []string
	quoted := false
	for _, w := range strings.Fields(query) {
		name, value, narrows := strings.Cut(w, ":")
		var err error
		switch {
		case quoted || !narrows || value == "":
			words = append(words, w)
		case name == "role":
			q.Roles = append(q.Roles, value)
			if !slices.Contains([]string{"user", "assistant", "tool"}, value) {
				err = &SearchError{value, "role: role:user, role:assistant or role:tool"}
			}
		case name == "in":
			q.Folder = sessions.Folder(value, dir, home)
		case name == "after":
			q.From, err = day(value, now)
		case name == "before":
			q.To, err = day(value, now)
		case name == "sort":
			q.Sort = sessions.Sort(value)
			if q.Sort != sessions.Newest && q.Sort != sessions.Oldest {
				err = &SearchError{value, "order: sort:newest or sort:oldest"}
			}
		default:
			words = append(words, w)
		}
		if err != nil {
			return q, err
		}
		if strings.Count(w, `"`)%2 == 1 {
			quoted = !quoted
		}
	}
	q.Text = strings.Join(words, " ")
	return q, nil
}

// day reads a time of a query.
func day(value string, now time.Time) (time.Time, error) {
	t, ok := sessions.When(value, now)
	if !ok {
		return t, &SearchError{value, "day: " + sessions.WhenForm}
	}
	return t, nil
}

// unmark takes the marks out of a snippet and says what stood between them.
func unmark(snippet string) (text string, marks []int) {
	var b strings.Builder
	inside := false
	for _, r := range strings.Join(strings.Fields(snippet), " ") {
		switch string(r) {
		case sessions.MarkBegin:
			inside = true
			continue
		case sessions.MarkEnd:
			inside = false
			continue
		}
		if inside {
			marks = append(marks, b.Len())
		}
		b.WriteRune(r)
	}
	return b.String(), marks
}
