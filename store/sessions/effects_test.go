package sessions

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func effects(conv string, all ...Effect) Batch {
	return Batch{Conv: conv, Session: "s-" + conv, Effects: all}
}

func TestCalls(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	at := func(s int) time.Time { return epoch.Add(time.Duration(s) * time.Second) }
	second := CallPlanned{ID: "k2", Agent: "a", Turn: "t", Message: "m", Ordinal: 1, WireID: "w2", Name: "patch", Arguments: `{"x":1}`, At: at(2)}
	mustCommit(t, d, effects("c", second, CallPlanned{ID: "k1", Message: "m", Name: "ls", At: at(1)}, CallPlanned{ID: "k3", Message: "n", Name: "ls", At: at(3)}))
	mustCommit(t, d, effects("c", second, CallStarted{ID: "k2", At: at(4)}, CallStarted{ID: "k1", At: at(4)}))
	mustCommit(t, d, effects("c", CallStarted{ID: "k2", At: at(9)}, CallEnded{ID: "k2", Outcome: "ok", Result: "done", At: at(5)}))
	mustCommit(t, d, effects("c", CallEnded{ID: "k2", Outcome: "late", Result: "never", At: at(6)}, CallEnded{ID: "k3", Outcome: "denied", At: at(7)}))

	want := Call{ID: "k2", Conv: "c", Session: "s-c", Agent: "a", Turn: "t", Message: "m", Ordinal: 1, WireID: "w2", Name: "patch",
		Arguments: `{"x":1}`, Planned: at(2), Started: at(4), Ended: at(5), Outcome: "ok", Result: "done"}
	if got, err := d.Call(t.Context(), "k2"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("call\n got %+v, %v\nwant %+v", got, err, want)
	}
	as[*NotFoundError](t, func() error { _, err := d.Call(t.Context(), "k9"); return err }())
	list := func(all []Call, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range all {
			ids = append(ids, c.ID)
		}
		return strings.Join(ids, " ")
	}
	if got := list(d.Calls(t.Context(), "c", false)); got != "k1 k2 k3" {
		t.Errorf("calls %s", got)
	}
	if got := list(d.Calls(t.Context(), "c", true)); got != "k1" {
		t.Errorf("unfinished calls %s", got)
	}
	if got := list(d.MessageCalls(t.Context(), "m")); got != "k1 k2" {
		t.Errorf("calls of a message %s", got)
	}
}

func TestDraftsAndPartials(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	mustCommit(t, d, effects("c", SaveDraft{Text: "one"}, SaveDraft{Text: "two"},
		SavePartial{Agent: "a", Text: "x"}, SavePartial{Agent: "b", Text: "y"},
		SavePartial{Agent: "a", Turn: "t", Message: "m", Reasoning: "r", Text: "xx", At: epoch}))
	if text, err := d.Draft(t.Context(), "c"); err != nil || text != "two" {
		t.Errorf("draft %q, %v", text, err)
	}
	got, err := d.Partials(t.Context(), "c")
	want := Partial{Conv: "c", Agent: "a", Turn: "t", Message: "m", Reasoning: "r", Text: "xx", Updated: epoch}
	if err != nil || len(got) != 2 || got[0] != want || got[1].Text != "y" {
		t.Errorf("partials %+v, %v", got, err)
	}
	mustCommit(t, d, effects("c", SaveDraft{}, ClearPartial{Agent: "a"}))
	if text, err := d.Draft(t.Context(), "c"); err != nil || text != "" {
		t.Errorf("draft %q, %v", text, err)
	}
	if got, err := d.Partials(t.Context(), "c"); err != nil || len(got) != 1 || got[0].Agent != "b" {
		t.Errorf("partials %+v, %v", got, err)
	}
}

func TestGrants(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	mine := AddGrant{ID: "g1", Kind: "exec", Pattern: "go test *", Example: "go test ./x", At: epoch}
	mustCommit(t, d, effects("c", mine, mine))
	mustCommit(t, d, Batch{Effects: []Effect{AddGrant{ID: "g2", Always: true, Kind: "trust", Pattern: "/w", At: epoch.Add(time.Second)}}})
	always := Grant{ID: "g2", Kind: "trust", Pattern: "/w", Created: epoch.Add(time.Second)}
	want := []Grant{{ID: "g1", Conv: "c", Kind: "exec", Pattern: "go test *", Example: "go test ./x", Created: epoch}, always}
	if got, err := d.Grants(t.Context(), "c"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("grants %+v, %v", got, err)
	}
	if got, err := d.Grants(t.Context(), "other"); err != nil || !reflect.DeepEqual(got, []Grant{always}) {
		t.Errorf("grants %+v, %v", got, err)
	}
}

func TestSessionEffects(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	read := func() Session {
		t.Helper()
		s, err := d.Session(t.Context(), "s-c")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := read(); s.HasSystemPrompt {
		t.Errorf("prompt %q", s.SystemPrompt)
	}
	b := say("c", 1)
	b.Effects = []Effect{
		SetSystemPrompt{}, SetModel{Model: "m2", Provider: "p", BaseURL: "u", Config: `{"a":1}`},
		AddUsage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5, APICalls: 1, EstimatedCostUSD: 0.25},
		AddUsage{Input: 1, EstimatedCostUSD: 0.5, ActualCostUSD: 0.5, CostStatus: "estimated", CostSource: "provider_cost_api"}, AddUsage{Output: 1},
	}
	mustCommit(t, d, b)
	s := read()
	if !s.HasSystemPrompt || s.SystemPrompt != "" || s.Model != "m2" || s.ModelConfig != `{"a":1}` || s.Provider != "p" || s.BaseURL != "u" {
		t.Errorf("session %+v", s)
	}
	if s.Input != 2 || s.Output != 3 || s.CacheRead != 3 || s.CacheWrite != 4 || s.Reasoning != 5 || s.APICalls != 1 || s.EstimatedCostUSD != 0.75 {
		t.Errorf("usage %+v", s)
	}
	var cost string
	if _, err := d.one(t.Context(), "read costs", "SELECT actual_cost_usd || ' ' || cost_status || ' ' || cost_source FROM sessions", nil, &cost); err != nil || cost != "0.5 estimated provider_cost_api" {
		t.Errorf("costs %q, %v", cost, err)
	}
	raw(t, path, "UPDATE sessions SET ended_at = 5, end_reason = 'first'")
	if s := read(); s.EndReason != "first" || s.Ended.Unix() != 5 {
		t.Errorf("end %+v", s)
	}
	mustCommit(t, d, effects("c", ReopenSession{}, SetModel{Model: "m3"}, SetSystemPrompt{Text: "be\nkind"}))
	if s := read(); !s.Ended.IsZero() || s.EndReason != "" || s.ModelConfig != `{"a":1}` || s.Model != "m3" || s.SystemPrompt != "be\nkind" {
		t.Errorf("session %+v", s)
	}
}

func TestTitles(t *testing.T) {
	d := mustOpen(t, newPath(t))
	for _, c := range []string{"a", "b", "c", "d", "e"} {
		begin(t, d, c)
	}
	title := func(conv string) string {
		t.Helper()
		s, err := d.Session(t.Context(), "s-"+conv)
		if err != nil {
			t.Fatal(err)
		}
		return s.Title
	}
	mustCommit(t, d, effects("a", SetTitle{Title: " fix\tthe\u200b store "}, SetTitle{Title: "fix the store"}))
	if got := title("a"); got != "fix the store" {
		t.Errorf("title %q", got)
	}
	taken := as[*TitleTakenError](t, d.Commit(t.Context(), effects("b", SetTitle{Title: "fix the store"})))
	if taken.Session != "s-a" {
		t.Errorf("taken by %s", taken.Session)
	}
	mustCommit(t, d, effects("b", SetTitle{Title: "fix the store", Number: true}))
	mustCommit(t, d, effects("c", SetTitle{Title: "fix the store #2", Number: true}))
	mustCommit(t, d, effects("d", SetTitle{Title: "other", Number: true}))
	if b, c, other := title("b"), title("c"), title("d"); b != "fix the store #2" || c != "fix the store #3" || other != "other" {
		t.Errorf("titles %q, %q, %q", b, c, other)
	}
	long := as[*TitleTooLongError](t, d.Commit(t.Context(), effects("d", SetTitle{Title: strings.Repeat("é", 101)})))
	if long.Length != 101 {
		t.Errorf("length %d", long.Length)
	}
	mustCommit(t, d, effects("d", SetTitle{Title: strings.Repeat("é", 100)}))
	mustCommit(t, d, effects("e", SetTitle{Title: strings.Repeat("é", 100), Number: true}))
	if got := title("e"); got != strings.Repeat("é", 97)+" #2" {
		t.Errorf("title %q", got)
	}
	mustCommit(t, d, effects("a", SetTitle{Title: "\u200b"}))
	mustCommit(t, d, effects("d", SetTitle{Title: "fix the store"}))
	if a, other := title("a"), title("d"); a != "" || other != "fix the store" {
		t.Errorf("titles %q, %q", a, other)
	}
}

func TestAppendToMessage(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	empty := say("c", 2)
	empty.Messages[0].Content = ""
	mustCommit(t, d, empty)
	raw(t, path,
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s-c', 'tool', 'theirs', 1)",
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s-c', 'user', char(0) || 'json:[{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"image_url\"}]', 2)")
	all, err := d.Messages(t.Context(), "s-c")
	if err != nil || len(all) != 4 || all[2].ID != "m_row3" || all[3].Content != "look\n[image]" {
		t.Fatalf("messages %+v, %v", all, err)
	}
	steer := func(n int, id string) error {
		return d.Commit(t.Context(), Batch{Conv: "c", Events: []Event{event(n)}, Effects: []Effect{AppendToMessage{ID: id, Text: " more\xff"}}})
	}
	for i, id := range []string{"m-c-1", "m-c-2", "m_row3"} {
		if err := steer(10+i, id); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"text 1 more\ufffd", " more\ufffd", "theirs more\ufffd"} {
		if m, err := d.Message(t.Context(), all[i].ID); err != nil || m.Content != want {
			t.Errorf("%s: %q, %v", all[i].ID, m.Content, err)
		}
	}
	for _, id := range []string{"m_row4", "m_row99", "nobody", "m_row1x"} {
		as[*NotFoundError](t, steer(20, id))
	}
	// A row that has an id of ours goes by no other.
	_, err = d.Message(t.Context(), "m_row1")
	as[*NotFoundError](t, err)
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'more'", "3")
}
