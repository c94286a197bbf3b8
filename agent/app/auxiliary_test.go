package app

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// until takes events until the state satisfies a condition.
func until(t *testing.T, c Conversation, s *event.State, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !ok() {
		events, err := c.Next(ctx)
		if err != nil {
			t.Fatalf("waiting until %s: %v\n%s", what, err, notices(c))
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
}

// TestSideCalls has a model name the conversation, allow what is of little risk and
// refuse something else; what nothing allows is asked as ever.
func TestSideCalls(t *testing.T) {
	zero, one, two, three := 0, 1, 2, 3
	run := func(command string) script.Call {
		return script.Call{Name: "terminal", Args: `{"command":"` + command + `"}`}
	}
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{System: "You name conversations"}, Steps: []script.Step{script.Text{Text: "Ends some processes"}}},
		{Match: script.Match{System: "careful reviewer", User: "git push"}, Steps: []script.Step{script.Text{Text: "DENY"}}},
		{Match: script.Match{System: "careful reviewer"}, Steps: []script.Step{script.Text{Text: "ALLOW"}}},
		{Match: script.Match{User: "^go$", Results: &zero}, Steps: []script.Step{run("touch one.txt && systemctl restart no-such-service-here")}},
		{Match: script.Match{User: "^go$", Results: &one}, Steps: []script.Step{run("echo ran > two.txt; git push --force origin main")}},
		{Match: script.Match{User: "^go$", Results: &two}, Steps: []script.Step{run("echo ran > three.txt; rm -rf /tmp/no-such-folder-here")}},
		{Match: script.Match{User: "^go$", Results: &three}, Steps: []script.Step{script.Text{Text: "That was all."}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	b.config("probe:\n  local_servers: false\napprovals:\n  mode: smart\nmodel:\n  provider: custom\n  default: script\n  base_url: " + server.URL() + "\n")
	_, c := b.begin()
	if _, err := c.Submit("go"); err != nil {
		t.Fatal(err)
	}
	s := c.State()
	until(t, c, s, "something is asked", func() bool { return len(s.Requests) > 0 })
	if q := s.Requests[0]; q.Approval == nil || q.Approval.Category == "process_kill" || !there(b, "one.txt") || there(b, "two.txt") {
		t.Errorf("asked %+v; files %v %v", q.Approval, there(b, "one.txt"), there(b, "two.txt"))
	}
	if err := c.Answer(s.Requests[0].ID, event.Answer{Choice: event.ChoiceDeny}); err != nil {
		t.Fatal(err)
	}
	until(t, c, s, "it has a title", func() bool { return s.Title != "" })
	if s.Title != "Ends some processes" || there(b, "three.txt") || s.Mode != event.ModeSmart {
		t.Errorf("title %q, mode %s, files %v", s.Title, s.Mode, there(b, "three.txt"))
	}
	use := map[string]api.SideUse{}
	for _, u := range c.SideCalls() {
		use[u.Task] = u
	}
	if a, n := use["approval"], use["title_generation"]; len(use) != 2 || a.Calls < 2 || n.Calls != 1 || n.Link != 1 || n.By == "" || a.Usage.Calls < int64(a.Calls) {
		t.Errorf("used %+v", use)
	}
	want := []string{"person deny", "judge deny explained", "judge allow explained"}
	if got := decided(t, b, string(c.ID())); !slices.Equal(got, want) {
		t.Errorf("recorded as %q, want %q", got, want)
	}
}

// decided lists the decisions of a conversation, the newest first: by whom, how, and
// whether a reason was given.
func decided(t *testing.T, b *box, conv string) (list []string) {
	t.Helper()
	db, err := sql.Open("sqlite", b.home.StateDB())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT decided_by || ' ' || outcome || CASE WHEN COALESCE(reason, '') <> '' THEN ' explained' ELSE '' END
		FROM tui_decisions WHERE conv = ? ORDER BY at DESC, rowid DESC`, conv)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		list = append(list, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func there(b *box, name string) bool {
	_, err := os.Stat(filepath.Join(b.dir, name))
	return err == nil
}

// TestSideExtras sends fields of its own with a task, at the endpoint of the session and
// elsewhere, and to no other call.
func TestSideExtras(t *testing.T) {
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{System: "You name conversations"}, Times: 1, Steps: []script.Step{script.Failure{Status: 503, Message: "overloaded"}}},
		{Match: script.Match{System: "You name conversations"}, Steps: []script.Step{script.Text{Text: "A title"}}},
		{Steps: []script.Step{script.Text{Text: "Hello."}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmodel: {provider: custom, default: script, base_url: \"" + server.URL() + "\"}\n" +
		"auxiliary:\n  title_generation:\n    extra_body: {top_k: 7}\n    fallback_chain:\n      - {base_url: \"" + server.URL() + "\", model: other, extra_body: '{\"top_k\": 8}'}\n")
	_, c := b.begin()
	if _, err := c.Submit("hello"); err != nil {
		t.Fatal(err)
	}
	s := c.State()
	until(t, c, s, "it has a title", func() bool { return s.Title != "" })
	var got []string
	for _, r := range server.Requests() {
		var body struct {
			Model    string
			TopK     int `json:"top_k"`
			Messages []any
		}
		if err := json.Unmarshal(r.Body, &body); err == nil && len(body.Messages) > 0 {
			got = append(got, fmt.Sprint(body.Model, " ", body.TopK))
		}
	}
	if want := []string{"script 0", "script 7", "other 8"}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	if u := c.SideCalls(); len(u) != 1 || u[0].Link != 2 || u[0].Err == "" {
		t.Errorf("used %+v", u)
	}
}
