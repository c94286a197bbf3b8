package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Sessions are the earlier sessions on this machine. An implementation is safe for
// concurrent use.
type Sessions interface {
	// Search finds sessions by what was said in them, best first.
	Search(ctx context.Context, q Query) ([]Session, error)
	// Recent are the sessions used last, newest first, without the current one.
	Recent(ctx context.Context, n int) ([]Session, error)
	// Around is a message of a session with at most n before and n after it.
	// [ErrNoSession] says that there is no such message.
	Around(ctx context.Context, session string, message int64, n int) (Excerpt, error)
	// Ends are the beginning and the end of a session: one excerpt when nothing lies
	// between them. The session is named by its id, the beginning of that, or a title.
	// [ErrNoSession] says that there is none.
	Ends(ctx context.Context, session string, first, last int) (s Session, head, tail Excerpt, err error)
}

// ErrNoSession says that a session or message is not there. Its text, or the text of
// the error around it, says which.
var ErrNoSession = errors.New("no such session")

// Query says what is looked for.
type Query struct {
	Text  string
	Roles []string // empty: users and assistants
	Sort  string   // "newest", "oldest", or empty for the best first
	// After and Before bound the time of a message, Project is a folder that the sessions
	// work in or below, as a call names them; empty is any. What can't be read is an error.
	After, Before, Project string
	Limit                  int
}

// Session is an earlier session.
type Session struct {
	ID      string    `json:"session_id"`
	Title   string    `json:"title,omitempty"`
	Preview string    `json:"preview,omitempty"`
	Source  string    `json:"source,omitempty"`
	Model   string    `json:"model,omitempty"`
	Folder  string    `json:"folder,omitempty"`
	Started time.Time `json:"started_at"`
	Last    time.Time `json:"last_active"`
	// Messages counts what the session holds, Matches what of it was found.
	Messages int `json:"message_count,omitempty"`
	Matches  int `json:"matches,omitempty"`
	// More says that not all matches were counted.
	More bool  `json:"more_matches,omitempty"`
	Hits []Hit `json:"hits,omitempty"`
}

// Hit is a message that was found.
type Hit struct {
	Session string    `json:"session_id"`
	Message int64     `json:"message_id"`
	Role    string    `json:"role"`
	At      time.Time `json:"at"`
	Snippet string    `json:"snippet"`
}

// Excerpt is a part of what was said in a session.
type Excerpt struct {
	Lines []Line `json:"messages"`
	// Before and After count what was said before and after it.
	Before int `json:"messages_before"`
	After  int `json:"messages_after"`
}

// Line is one message of a user or an assistant.
type Line struct {
	Message int64     `json:"message_id"`
	Role    string    `json:"role"`
	At      time.Time `json:"at"`
	Text    string    `json:"text"`
	// Anchor marks the message that was asked for.
	Anchor bool `json:"anchor,omitempty"`
}

// The bounds of a call.
const (
	defaultLimit, maxLimit   = 3, 10
	defaultWindow, maxWindow = 5, 20
	recentCount              = 10
	firstShown, lastShown    = 20, 10
	endsShown                = 3 // around a hit that is shown whole
	maxText                  = 2_000
)

const parameters = `{"type":"object","properties":{
"query":{"type":"string","description":"words, \"a phrase\", AND, OR, NOT, prefix*"},
"limit":{"type":"integer","default":3,"description":"sessions, at most 10"},
"sort":{"type":"string","enum":["newest","oldest"],"description":"omit for the best matches first"},
"detail":{"type":"string","enum":["compact","full"],"default":"compact","description":"full shows what surrounds every match, not only the first"},
"after":{"type":"string","description":"only messages since a day (2026-11-23) or an age (3h, 2d, 5w)"},
"before":{"type":"string","description":"only messages until then"},
"project":{"type":"string","description":"only sessions that worked in this folder or below; \".\" is the current one"},
"role_filter":{"type":"string","default":"user,assistant","description":"also tool"},
"session_id":{"type":"string","description":"without a query: read this session"},
"around_message_id":{"type":"integer","description":"with session_id: what was said around this message"},
"window":{"type":"integer","default":5,"description":"messages before and after it, at most 20"}}}`

// SearchTool is session_search.
func SearchTool(s Sessions) tools.Tool {
	return tools.Tool{
		Name: "session_search", Toolset: "session_search",
		Description: "Find and read earlier sessions with this user. With query: sessions in which it was said. With session_id: that session, or with around_message_id what was said around a message. With nothing: the latest sessions.",
		Guidance:    "When the user refers to something of an earlier session, look it up with session_search before asking.",
		Parameters:  json.RawMessage(parameters),
		Class:       tools.ReadOnly, ReadsOnly: true, Housekeeping: true,
		Preview: preview, Summarise: summarise,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			var a args
			err := c.Decode(&a)
			var r result
			if err == nil {
				r, err = a.run(ctx, s)
			}
			if ctx.Err() != nil {
				return tools.Result{}, ctx.Err()
			}
			if err != nil {
				return tools.Failure(preview(c.Args), err.Error()), nil
			}
			return tools.Result{Content: tools.JSON(r), View: r.view(preview(c.Args)), Untrusted: "earlier sessions"}, nil
		},
	}
}

// args are the arguments of a call.
type args struct {
	Query   string `json:"query"`
	Limit   int    `json:"limit"`
	Sort    string `json:"sort"`
	Detail  string `json:"detail"`
	Roles   string `json:"role_filter"`
	Session string `json:"session_id"`
	Message int64  `json:"around_message_id"`
	Window  int    `json:"window"`
	After   string `json:"after"`
	Before  string `json:"before"`
	Project string `json:"project"`
}

// result is what the model gets.
type result struct {
	Mode     string    `json:"mode"`
	Sessions []found   `json:"results,omitempty"`
	Session  *Session  `json:"session,omitempty"`
	Excerpts []Excerpt `json:"excerpts,omitempty"`
	Note     string    `json:"note,omitempty"`
}

// found is a session of the result, with what surrounds its first match when it is
// shown whole.
type found struct {
	Session
	Around *Excerpt `json:"around,omitempty"`
	Begins *Excerpt `json:"begins,omitempty"`
	Ends   *Excerpt `json:"ends,omitempty"`
}

func (a args) run(ctx context.Context, s Sessions) (result, error) {
	query := strings.TrimSpace(a.Query)
	switch {
	case query != "":
		return a.search(ctx, s, query)
	case a.Session != "" && a.Message != 0:
		e, err := s.Around(ctx, a.Session, a.Message, clamp(a.Window, defaultWindow, maxWindow))
		if errors.Is(err, ErrNoSession) {
			err = fmt.Errorf("%w. Take session_id and message_id from one match of a search", err)
		}
		return result{Mode: "scroll", Excerpts: excerpts(a.Message, e)}, err
	case a.Session != "":
		session, head, tail, err := s.Ends(ctx, a.Session, firstShown, lastShown)
		if errors.Is(err, ErrNoSession) {
			err = fmt.Errorf("%w. Call session_search without arguments for the latest sessions", err)
		}
		return result{Mode: "read", Session: &session, Excerpts: excerpts(0, head, tail)}, err
	}
	list, err := s.Recent(ctx, recentCount)
	r := result{Mode: "browse"}
	for _, session := range list {
		r.Sessions = append(r.Sessions, found{Session: session})
	}
	return r, err
}

func (a args) search(ctx context.Context, s Sessions, query string) (result, error) {
	q := Query{
		Text: query, Sort: a.Sort, After: a.After, Before: a.Before, Project: a.Project,
		Limit: clamp(a.Limit, defaultLimit, maxLimit),
	}
	for role := range strings.SplitSeq(a.Roles, ",") {
		if role = strings.TrimSpace(role); role != "" {
			q.Roles = append(q.Roles, role)
		}
	}
	list, err := s.Search(ctx, q)
	if err != nil {
		return result{}, err
	}
	r := result{Mode: "discover"}
	if len(list) == 0 {
		r.Note = "Nothing was found. Fewer or other words, OR between them, or a prefix* find more."
	}
	for i, session := range list {
		f := found{Session: session}
		if (i == 0 || a.Detail == "full") && len(session.Hits) > 0 {
			if err := f.whole(ctx, s); err != nil {
				return result{}, err
			}
		}
		r.Sessions = append(r.Sessions, f)
	}
	return r, nil
}

// whole adds what surrounds the first match.
func (f *found) whole(ctx context.Context, s Sessions) error {
	hit := f.Hits[0]
	e, err := s.Around(ctx, hit.Session, hit.Message, defaultWindow)
	if errors.Is(err, ErrNoSession) {
		return nil // it was deleted meanwhile
	}
	if err != nil {
		return err
	}
	f.Around = &excerpts(hit.Message, e)[0]
	if e.Before == 0 && e.After == 0 {
		return nil
	}
	_, head, tail, err := s.Ends(ctx, hit.Session, endsShown, endsShown)
	if err != nil {
		return nil //nolint:nilerr // what surrounds the match is shown, and this was more than that
	}
	if ends := excerpts(0, head, tail); len(ends) == 2 {
		f.Begins, f.Ends = &ends[0], &ends[1]
	}
	return nil
}

// excerpts are those that hold something, each message cut, one of them marked.
func excerpts(anchor int64, list ...Excerpt) []Excerpt {
	var out []Excerpt
	for _, e := range list {
		for i := range e.Lines {
			e.Lines[i].Text = cut(e.Lines[i].Text)
			e.Lines[i].Anchor = e.Lines[i].Message == anchor
		}
		if len(e.Lines) > 0 || len(out) == 0 {
			out = append(out, e)
		}
	}
	return out
}

// cut bounds a message.
func cut(text string) string {
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText]) + fmt.Sprintf("… (%d more characters)", len(runes)-maxText)
	}
	return text
}

func clamp(n, without, most int) int {
	if n <= 0 {
		return without
	}
	return min(n, most)
}

// preview shows a call before it runs.
func preview(raw json.RawMessage) tools.View {
	v := tools.View{Kind: tools.KindSearch, Subject: "latest sessions"}
	var a args
	if json.Unmarshal(raw, &a) != nil {
		return v
	}
	switch {
	case strings.TrimSpace(a.Query) != "":
		v.Subject = a.Query
	case a.Session != "":
		v.Subject = "session " + a.Session
	}
	return v
}

// view adds what came of a call.
func (r result) view(v tools.View) tools.View {
	var body strings.Builder
	n := 0
	for _, s := range r.Sessions {
		fmt.Fprintf(&body, "%s  %s\n", s.Last.Local().Format("2006-01-02 15:04"), cmp.Or(s.Title, s.Preview, s.ID))
		for _, h := range s.Hits {
			fmt.Fprintf(&body, "  %s: %s\n", h.Role, strings.Join(strings.Fields(h.Snippet), " "))
		}
	}
	for _, e := range r.Excerpts {
		n += len(e.Lines)
		for _, l := range e.Lines {
			fmt.Fprintf(&body, "%s: %s\n", l.Role, shorten.Line(l.Text, 200))
		}
	}
	v.Summary, v.Body = tools.Plural(len(r.Sessions), "session", "sessions"), body.String()
	if len(r.Excerpts) > 0 {
		v.Summary = tools.Plural(n, "message", "messages")
	}
	return v
}

// summarise says what a call did, see [tools.Tool].
func summarise(args, result tools.Members) (did, came string) {
	var found []json.RawMessage
	switch {
	case args.Text("query") != "":
		did = "searched earlier sessions for '" + shorten.Line(args.Text("query"), 60) + "'"
		if json.Unmarshal(result["results"], &found) == nil {
			came = "-> " + tools.Plural(len(found), "session", "sessions")
		}
	case args.Text("session_id") != "":
		did = "read session " + args.Text("session_id")
	default:
		did = "listed the latest sessions"
	}
	return did, came
}
