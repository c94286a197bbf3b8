package bind_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/bind"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/recall"
)

// archive is a database with three sessions, of which "s-now" goes on.
func archive(t *testing.T) tools.Tool {
	t.Helper()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	db, err := sessions.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), sessions.Options{Clock: func() time.Time {
		at = at.Add(time.Minute)
		return at
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, name := range []string{"parser", "long", "now"} {
		b := sessions.Batch{Conv: name, Session: "s-" + name, Create: &sessions.NewSession{Workspace: "/w", Model: "m", Title: "About " + name}}
		for i := range map[string]int{"parser": 4, "long": 60, "now": 2}[name] {
			text := fmt.Sprintf("%s %d about tabs", name, i)
			if name == "long" && i == 30 {
				text += " and the needle" + strings.Repeat(" x", 2000)
			}
			b.Messages = append(b.Messages, sessions.Message{ID: fmt.Sprint(name, i), Role: []string{"user", "assistant"}[i%2], Content: text})
		}
		if err := db.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	return recall.SearchTool(bind.Past(db, bind.Here{Session: func() string { return "s-now" }, Dir: "/w", Home: "/home/u", Now: func() time.Time { return at }}))
}

// answer is what a call gives the model.
type answer struct {
	Error   string
	Mode    string
	Note    string
	Results []struct {
		recall.Session
		Around, Begins, Ends *recall.Excerpt
	}
	Session  *recall.Session
	Excerpts []recall.Excerpt
}

func ask(t *testing.T, tool tools.Tool, args string) (answer, tools.Result) {
	t.Helper()
	r, err := tool.Run(t.Context(), tools.Call{Name: tool.Name, Args: json.RawMessage(args)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal([]byte(r.Content), &a); err != nil {
		t.Fatalf("%s: %v", r.Content, err)
	}
	if a.Error == "" && r.Untrusted == "" {
		t.Error("what was said elsewhere is not marked as data")
	}
	return a, r
}

func TestSessionSearch(t *testing.T) {
	tool := archive(t)

	a, r := ask(t, tool, `{"query":"tabs","limit":5}`)
	if a.Mode != "discover" || len(a.Results) != 2 || r.View.Summary != "2 sessions" {
		t.Fatalf("%+v", a)
	}
	if a.Results[0].Around == nil || a.Results[1].Around != nil {
		t.Error("the first match is not the one that is shown whole")
	}
	for _, s := range a.Results {
		if s.ID == "s-now" || !strings.Contains(s.Hits[0].Snippet, ">>>tabs<<<") {
			t.Errorf("%+v", s)
		}
	}

	for args, want := range map[string]int{
		`{"query":"tabs","project":"/w"}`: 2, `{"query":"tabs","project":"."}`: 2, `{"query":"tabs","project":"~/other"}`: 0,
		`{"query":"tabs","after":"2026-03-04"}`: 2, `{"query":"tabs","after":"1h"}`: 2, `{"query":"tabs","before":"1h"}`: 0, `{"query":"tabs","before":"2027-01-01"}`: 2,
	} {
		if a, _ := ask(t, tool, args); len(a.Results) != want {
			t.Errorf("%s: %d found, want %d", args, len(a.Results), want)
		}
	}

	a, _ = ask(t, tool, `{"query":"needle"}`)
	s := a.Results[0]
	if len(a.Results) != 1 || s.Title != "About long" || len(s.Around.Lines) != 11 || !s.Around.Lines[5].Anchor || s.Around.Before != 25 || s.Around.After != 24 {
		t.Fatalf("%+v", a.Results)
	}
	if text := s.Around.Lines[5].Text; len(text) > 2100 || !strings.HasSuffix(text, "more characters)") {
		t.Errorf("a long message has %d bytes", len(text))
	}
	if len(s.Begins.Lines) != 3 || s.Begins.Lines[0].Text != "long 0 about tabs" || s.Ends.Lines[2].Text != "long 59 about tabs" {
		t.Errorf("ends %+v %+v", s.Begins, s.Ends)
	}

	a, _ = ask(t, tool, fmt.Sprintf(`{"session_id":"s-long","around_message_id":%d,"window":2}`, s.Hits[0].Message))
	if a.Mode != "scroll" || len(a.Excerpts) != 1 || len(a.Excerpts[0].Lines) != 5 {
		t.Errorf("%+v", a)
	}
	for ref, n := range map[string]int{"s-long": 2, "About long": 2, "s-parser": 1} {
		a, _ = ask(t, tool, fmt.Sprintf(`{"session_id":%q}`, ref))
		if a.Mode != "read" || len(a.Excerpts) != n || a.Session == nil {
			t.Errorf("%s: %+v", ref, a)
		}
	}
	a, r = ask(t, tool, `{}`)
	if a.Mode != "browse" || len(a.Results) != 2 || a.Results[0].ID != "s-long" || !strings.Contains(r.View.Body, "About parser") {
		t.Errorf("%+v", a)
	}
	if a, _ = ask(t, tool, `{"query":"unheard"}`); a.Note == "" || len(a.Results) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestSessionSearchFails(t *testing.T) {
	tool := archive(t)
	for args, want := range map[string]string{
		`{"session_id":"nowhere"}`:                        "nowhere",
		`{"session_id":"s-long","around_message_id":999}`: "Take session_id and message_id",
		`{"query":7}`:                     "a string is wanted",
		`{"query":"tabs","after":"soon"}`: `"soon" is no day`,
	} {
		if a, r := ask(t, tool, args); !strings.Contains(a.Error, want) || r.Status != tools.StatusFailed {
			t.Errorf("%s: %+v", args, a)
		}
	}
}
