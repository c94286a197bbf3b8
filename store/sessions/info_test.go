package sessions

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// compress makes session to the heir of from.
func compress(conv, from, to string, n int) Batch {
	return Batch{
		Conv: conv, Session: to, Create: &NewSession{Parent: from, Why: WhyCompression},
		Messages: []Message{{ID: "sum-" + to, Role: "user", Content: "summary"}},
		Events:   []Event{event(n)},
	}
}

func TestCompressionKeepsTheConversation(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	first, err := d.Conversation(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, d, compress("c", "s-c", "s2", 2))
	mustCommit(t, d, compress("c", "s2", "s3", 3))
	mustCommit(t, d, Batch{Conv: "c", Session: "sub", Create: &NewSession{Parent: "s3", Why: WhySubagent, Agent: "a2"},
		Messages: []Message{{ID: "subm", Role: "user", Content: "child"}}})
	mustCommit(t, d, Batch{Conv: "c", Session: "sub2", Create: &NewSession{Parent: "sub", Why: WhyCompression, Agent: "a2"},
		Messages: []Message{{ID: "subm2", Role: "user", Content: "child"}}})

	for _, ref := range []string{"c", "s-c", "s2", "s3", "sub", "sub2"} {
		got, err := d.Resolve(t.Context(), ref)
		if err != nil || got.Conv != "c" || got.Session != "s3" || got.Preview != "text 1" || !got.Started.Equal(first.Started) {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
	}
	if s, err := d.Session(t.Context(), "sub2"); err != nil || s.Source != "subagent" || s.Why != WhyCompression || s.Agent != "a2" {
		t.Errorf("compressed subagent %+v, %v", s, err)
	}
	if s, err := d.Session(t.Context(), "s-c"); err != nil || s.EndReason != "compression" || s.Ended.IsZero() {
		t.Errorf("compressed session %+v, %v", s, err)
	}
	list, err := d.List(t.Context(), Filter{})
	if err != nil || len(list) != 1 || list[0].Session != "s3" || list[0].Preview != "text 1" {
		t.Errorf("list %+v, %v", list, err)
	}
	if n := len(events(t, d, "c", 0)); n != 3 {
		t.Errorf("%d events in the journal", n)
	}
}

func TestCompressionAfterAnotherEnd(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	raw(t, path, "UPDATE sessions SET ended_at = started_at, end_reason = 'quit'")
	mustCommit(t, d, compress("c", "s-c", "s2", 1))
	if got, err := d.Resolve(t.Context(), "s-c"); err != nil || got.Session != "s2" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBranchIsAConversation(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	mustCommit(t, d, Batch{Conv: "b", Session: "s-b", Create: &NewSession{Parent: "s-c", Why: WhyBranch, ModelConfig: `{"n":12345678901234567890}`},
		Messages: []Message{{ID: "bm", Role: "user", Content: "other way"}}})
	if got, err := d.Resolve(t.Context(), "s-b"); err != nil || got.Conv != "b" || got.Preview != "other way" {
		t.Errorf("%+v, %v", got, err)
	}
	if list, err := d.List(t.Context(), Filter{}); err != nil || len(list) != 2 {
		t.Errorf("list %+v, %v", list, err)
	}
	wantValue(t, path, "SELECT model_config FROM sessions WHERE id = 's-b'", `{"_branched_from":"s-c","n":12345678901234567890}`)
}

func TestListAndLatest(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	if _, err := d.Latest(t.Context(), ""); as[*NotFoundError](t, err).Ref != "" {
		t.Error(err)
	}
	for i, c := range []string{"one", "two", "three", "empty"} {
		mustCommit(t, d, Batch{Conv: c, Session: "s-" + c, Create: &NewSession{Workspace: fmt.Sprintf("/w%d", i%2), Model: "m"}})
		if c != "empty" {
			mustCommit(t, d, say(c, 1))
		}
	}
	mustCommit(t, d, effects("two", SetTitle{Title: "Émile’s Büro"}))
	mustCommit(t, d, say("one", 2)) // the newest now
	raw(t, path,
		"INSERT INTO sessions (id, source, started_at) VALUES ('sub', 'subagent', 1), ('tool', 'tool', 1), ('arch', 'cli', 1), ('del', 'cli', 1)",
		"UPDATE sessions SET archived = 1 WHERE id = 'arch'",
		`UPDATE sessions SET model_config = '{"_delegate_from":"x"}' WHERE id = 'del'`,
		"INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'x', 9e9 FROM sessions WHERE id IN ('sub', 'tool', 'arch', 'del')")

	list := func(f Filter) string {
		t.Helper()
		all, err := d.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, i := range all {
			ids = append(ids, i.Conv)
		}
		return strings.Join(ids, " ")
	}
	for _, c := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "one three two"},
		{Filter{Limit: 2}, "one three"},
		{Filter{Workspace: "/w1"}, "two"},
		{Filter{Query: "ÉMILE’S  büro"}, "two"},
		{Filter{Query: "text"}, "one three two"},
		{Filter{Query: "text", Limit: 1}, "one"},
		{Filter{Query: "s-t"}, "three two"},
		{Filter{Query: "/W0"}, "one three"},
		{Filter{Query: "nowhere"}, ""},
	} {
		if got := list(c.f); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
	if got, err := d.Latest(t.Context(), ""); err != nil || got.Conv != "one" {
		t.Errorf("latest %+v, %v", got, err)
	}
	if got, err := d.Latest(t.Context(), "/w1"); err != nil || got.Conv != "two" {
		t.Errorf("latest %+v, %v", got, err)
	}
}

func TestPreview(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "",
		" a\n\nb\t c\u202e ":                  "a b c",
		strings.Repeat("é", 90):               strings.Repeat("é", 80),
		structured + `[{"text":"look"}]`:      "look",
		structured + `{"broken`:               `{"broken`,
		structured + `[{"type":"audio"}]`:     "[attachment]",
		strings.Repeat("x", 79) + " yyy":      strings.Repeat("x", 79),
		structured + `[{"type":"image_url"}]`: "[image]",
		"look\n\n[note from the program, not from the user: x]\n- y\n[end of the note]": "look",
	} {
		if got := preview(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	d := mustOpen(t, newPath(t))
	for _, id := range []string{"20260101_000001_aaaaaa", "20260101_000002_bbbbbb", "20260102_000003_cccccc", "20260102_000004_dddddd"} {
		conv := "c_" + id[len(id)-6:]
		mustCommit(t, d, Batch{Conv: conv, Session: id, Create: &NewSession{}, Messages: []Message{{ID: "m" + id, Role: "user", Content: "x"}}})
	}
	for id, title := range map[string]string{
		"20260101_000001_aaaaaa": "Fix store", "20260101_000002_bbbbbb": "Fix store #2",
		"20260102_000003_cccccc": "Fix the lamp", "20260102_000004_dddddd": "100% sure_thing",
	} {
		mustCommit(t, d, Batch{Effects: []Effect{SetTitle{Session: id, Title: title}}})
	}
	for ref, want := range map[string]string{
		"20260102_000003_cccccc": "c_cccccc",
		" c_aaaaaa ":             "c_aaaaaa",
		"Fix store":              "c_bbbbbb",
		"Fix store #2":           "c_bbbbbb",
		"20260101_000001":        "c_aaaaaa",
		"c_d":                    "c_dddddd",
		"fix STORE":              "c_bbbbbb",
		"fix the":                "c_cccccc",
		"100%":                   "c_dddddd",
	} {
		if got, err := d.Resolve(t.Context(), ref); err != nil || got.Conv != want {
			t.Errorf("%q: %s, %v, want %s", ref, got.Conv, err, want)
		}
	}
	for ref, want := range map[string]int{"20260101": 2, "2026": 4, "c_": 4, "Fix": 2} {
		_, err := d.Resolve(t.Context(), ref)
		e := as[*AmbiguousError](t, err)
		if len(e.Candidates) != want || !strings.Contains(e.Error(), e.Candidates[0].Session) {
			t.Errorf("%q: %v", ref, e)
		}
		for i := 1; i < len(e.Candidates); i++ {
			if e.Candidates[i].LastActive.After(e.Candidates[i-1].LastActive) {
				t.Errorf("%q: candidate %d is newer than the one before", ref, i)
			}
		}
	}
	for _, ref := range []string{"", "  ", "nobody", "%", "_", "a\x00b", "' OR 1=1 --"} {
		_, err := d.Resolve(t.Context(), ref)
		as[*NotFoundError](t, err)
	}
}

func TestClockSetBack(t *testing.T) {
	d := mustOpen(t, newPath(t))
	begin(t, d, "c")
	for n, at := range []int{100, 50, 75, 50} {
		b := say("c", n+1)
		b.Messages[0].At = epoch.Add(time.Duration(at) * time.Second)
		mustCommit(t, d, b)
	}
	all, err := d.Messages(t.Context(), "s-c")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range all {
		if m.Content != fmt.Sprintf("text %d", i+1) {
			t.Errorf("message %d is %q", i, m.Content)
		}
	}
}

func FuzzPreview(f *testing.F) {
	f.Add(structured + `[{"type":"text","text":"a\u202eb"},{"type":"image"}]`)
	f.Add("plain\n text")
	f.Fuzz(func(t *testing.T, content string) {
		got := preview(content)
		if utf8.RuneCountInString(got) > previewLength || strings.ContainsAny(got, "\n\r\x1b\x00") || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q", content, got)
		}
	})
}

func FuzzSplitTitle(f *testing.F) {
	for _, s := range []string{"a #2", "a #02", "#3", "a # 4", "a #99999999999999999999", "a #1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		base, n := splitTitle(title)
		if n == 1 && base != title || n > 1 && fmt.Sprintf("%s #%d", base, n) != title || n < 1 {
			t.Errorf("%q is %q and %d", title, base, n)
		}
	})
}
