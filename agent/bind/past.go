package bind

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/store/sessions"
	"hermes-tui/tools/recall"
)

// Here is what the tools that look back are used in.
type Here struct {
	// Session names the one that goes on, which is none of the earlier ones.
	Session func() string
	// Dir is the folder that it works in, Home that of the user.
	Dir, Home string
	Now       func() time.Time
}

// Past lets the tools that look back read the earlier sessions.
func Past(db *sessions.DB, here Here) recall.Sessions { return past{db, here} }

type past struct {
	db   *sessions.DB
	here Here
}

// Search implements [recall.Sessions].
func (p past) Search(ctx context.Context, q recall.Query) ([]recall.Session, error) {
	s := sessions.Search{Text: q.Text, Roles: q.Roles, Sort: sessions.Sort(q.Sort), Limit: q.Limit, Except: p.here.Session()}
	for _, b := range []struct {
		value string
		at    *time.Time
	}{{q.After, &s.From}, {q.Before, &s.To}} {
		t, ok := sessions.When(b.value, p.here.Now())
		if !ok && b.value != "" {
			return nil, fmt.Errorf("%q is no day: %s", b.value, sessions.WhenForm)
		}
		*b.at = t
	}
	if q.Project != "" {
		s.Folder = sessions.Folder(q.Project, p.here.Dir, p.here.Home)
	}
	list, err := p.db.Search(ctx, s)
	if err != nil {
		return nil, err
	}
	out := make([]recall.Session, len(list))
	for i, f := range list {
		out[i] = pastSession(f.ConversationInfo)
		out[i].Matches, out[i].More = f.Total, f.More
		for _, h := range f.Hits {
			snippet := strings.NewReplacer(sessions.MarkBegin, ">>>", sessions.MarkEnd, "<<<").Replace(h.Snippet)
			out[i].Hits = append(out[i].Hits, recall.Hit{Session: h.Session, Message: h.Row, Role: h.Role, At: h.At, Snippet: snippet})
		}
	}
	return out, nil
}

// Recent implements [recall.Sessions].
func (p past) Recent(ctx context.Context, n int) ([]recall.Session, error) {
	list, err := p.db.List(ctx, sessions.Filter{Limit: n + 1})
	var out []recall.Session
	for _, i := range list {
		if i.Session != p.here.Session() && len(out) < n {
			out = append(out, pastSession(i))
		}
	}
	return out, err
}

// Around implements [recall.Sessions].
func (p past) Around(ctx context.Context, session string, message int64, n int) (recall.Excerpt, error) {
	e, err := p.db.Around(ctx, session, message, n)
	return pastExcerpt(e), missing(err)
}

// Ends implements [recall.Sessions].
func (p past) Ends(ctx context.Context, session string, first, last int) (s recall.Session, head, tail recall.Excerpt, err error) {
	info, err := p.db.Resolve(ctx, session)
	if err != nil {
		return s, head, tail, missing(err)
	}
	at := info.Session
	if exact, err := p.db.Session(ctx, session); err == nil {
		at = exact.ID // one that was compressed since is still there
	}
	from, to, err := p.db.Ends(ctx, at, first, last)
	return pastSession(info), pastExcerpt(from), pastExcerpt(to), err
}

// missing is [recall.ErrNoSession] with its reason for a name that means nothing.
func missing(err error) error {
	_, gone := errors.AsType[*sessions.NotFoundError](err)
	_, several := errors.AsType[*sessions.AmbiguousError](err)
	if gone || several {
		return fmt.Errorf("%w: %s", recall.ErrNoSession, strings.TrimSuffix(err.Error(), "."))
	}
	return err
}

func pastSession(i sessions.ConversationInfo) recall.Session {
	return recall.Session{
		ID: i.Session, Title: i.Title, Preview: i.Preview, Source: i.Source, Model: i.Model, Folder: i.Workspace,
		Started: i.Started, Last: i.LastActive, Messages: i.Messages,
	}
}

func pastExcerpt(e sessions.Excerpt) recall.Excerpt {
	out := recall.Excerpt{Before: e.Before, After: e.After}
	for _, m := range e.Messages {
		out.Lines = append(out.Lines, recall.Line{Message: m.Row, Role: m.Role, At: m.At, Text: m.Content})
	}
	return out
}
