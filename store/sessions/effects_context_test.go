package sessions

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// shown writes a history for comparison, one message in a line.
func shown(t testing.TB, all []Message, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s %s %q %s\n", m.ID, m.Role, m.Content, m.ToolCalls)
	}
	return b.String()
}

const (
	longCalls  = `[{"id":"w1","function":{"name":"write_file","arguments":"long"}}]`
	shortCalls = `[{"id":"w1","function":{"name":"write_file","arguments":"short"}}]`
)

// long makes a conversation of five messages, the first of them the reference's.
func long(t *testing.T, path string) *DB {
	t.Helper()
	d := mustOpen(t, path)
	begin(t, d, "c")
	raw(t, path, "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s-c', 'user', char(0) || 'json:[{\"type\":\"text\",\"text\":\"look\"}]', 1)")
	b := say("c", 1)
	b.Messages = []Message{
		{ID: "a1", Role: "assistant", ToolCalls: longCalls}, {ID: "t1", Role: "tool", ToolCallID: "w1", Content: "a long result"},
		{ID: "u2", Role: "user", Content: "and then?"}, {ID: "a2", Role: "assistant", Content: "nothing"},
	}
	mustCommit(t, d, b)
	return d
}

func TestShortenContext(t *testing.T) {
	path := newPath(t)
	d := long(t, path)
	context := func() string { t.Helper(); all, err := d.Context(t.Context(), "s-c"); return shown(t, all, err) }
	whole, err := d.Messages(t.Context(), "s-c")
	full := shown(t, whole, err)
	if got := context(); got != full {
		t.Errorf("before anything is shortened the model gets\n%s", got)
	}

	first := Batch{Conv: "c", Session: "s-c", Events: []Event{event(2)}, Effects: []Effect{ShortenContext{
		Replaced: []Shortened{{ID: "m_row1", Content: "look, and a note"}, {ID: "a1", ToolCalls: shortCalls}, {ID: "t1", Content: "short"}},
	}}}
	want := strings.NewReplacer(`"look"`, `"look, and a note"`, longCalls, shortCalls, `"a long result"`, `"short"`).Replace(full)
	for range 2 { // the second time it is recognised
		mustCommit(t, d, first)
		if got := context(); got != want {
			t.Fatalf("the model gets\n%s\nwant\n%s", got, want)
		}
	}

	// What the user says is added to both, and a late repetition keeps it.
	mustCommit(t, d, Batch{Conv: "c", Events: []Event{event(3)}, Effects: []Effect{AppendToMessage{ID: "t1", Text: " more"}, AppendToMessage{ID: "a1", Text: "said"}}})
	mustCommit(t, d, first)
	want = strings.NewReplacer(`tool "short"`, `tool "short more"`, `a1 assistant ""`, `a1 assistant "said"`).Replace(want)
	full = strings.NewReplacer(`"a long result"`, `"a long result more"`, `a1 assistant ""`, `a1 assistant "said"`).Replace(full)
	if got := context(); got != want {
		t.Errorf("the model gets\n%s\nwant\n%s", got, want)
	}

	// The same effect under another number changes nothing either.
	for n := 4; n < 6; n++ {
		mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(n)}, Effects: []Effect{ShortenContext{
			Replaced: []Shortened{{ID: "m_row1", Content: "look, and another note"}}, LeftOut: []string{"a1", "t1", "m_row99", "nobody"},
		}}})
		if got, want := context(), "m_row1 user \"look, and another note\" \nu2 user \"and then?\" \na2 assistant \"nothing\" \n"; got != want {
			t.Errorf("the model gets\n%s\nwant\n%s", got, want)
		}
	}
	whole, err = d.Messages(t.Context(), "s-c")
	if got := shown(t, whole, err); got != full {
		t.Errorf("the messages themselves are now\n%s\nwant\n%s", got, full)
	}
	if m, err := d.Message(t.Context(), "t1"); err != nil || m.Content != "a long result more" {
		t.Errorf("message %+v, %v", m, err)
	}
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'result'", "1")
	wantValue(t, path, "SELECT count(*) FROM pragma_foreign_key_check", "0")
}

func TestShortenContextIsChecked(t *testing.T) {
	d := long(t, newPath(t))
	for name, b := range map[string]Batch{
		"nothing to recognise it by": {Conv: "c", Effects: []Effect{ShortenContext{LeftOut: []string{"a1"}}}},
		"no id":                      {Conv: "c", Events: []Event{event(9)}, Effects: []Effect{ShortenContext{Replaced: []Shortened{{Content: "x"}}}}},
		"an empty id":                {Conv: "c", Events: []Event{event(9)}, Effects: []Effect{ShortenContext{LeftOut: []string{""}}}},
		"calls that are no list":     {Conv: "c", Events: []Event{event(9)}, Effects: []Effect{ShortenContext{Replaced: []Shortened{{ID: "a1", ToolCalls: "{"}}}}},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, d.Commit(t.Context(), b), KindInvalid) })
	}
}

// TestContextReadsLikeMessages compares the two where nothing was shortened.
func TestContextReadsLikeMessages(t *testing.T) {
	d := long(t, newPath(t))
	for n := range 20 {
		mustCommit(t, d, say("c", n+2))
	}
	whole, err := d.Messages(t.Context(), "s-c")
	if err != nil || len(whole) != 25 {
		t.Fatalf("%d messages, %v", len(whole), err)
	}
	if got, err := d.Context(t.Context(), "s-c"); err != nil || !reflect.DeepEqual(got, whole) {
		t.Errorf("the model gets %+v, %v", got, err)
	}
}

// TestRestoreContext takes back one shortening after the other, the last first, with what
// the user said meanwhile.
func TestRestoreContext(t *testing.T) {
	path := newPath(t)
	d := long(t, path)
	context := func() string { t.Helper(); all, err := d.Context(t.Context(), "s-c"); return shown(t, all, err) }
	n := 1
	commit := func(e Effect) {
		t.Helper()
		n++
		b := Batch{Conv: "c", Session: "s-c", Events: []Event{event(n)}, Effects: []Effect{e}}
		mustCommit(t, d, b)
		mustCommit(t, d, b) // a late repetition
	}
	can := func(want bool) {
		t.Helper()
		if got, err := d.Shortened(t.Context(), "s-c"); err != nil || got != want {
			t.Errorf("something to take back: %v, %v", got, err)
		}
	}
	can(false)
	whole := context()
	commit(ShortenContext{Replaced: []Shortened{{ID: "t1", Content: "short"}, {ID: "a1", ToolCalls: shortCalls}}})
	once := context()
	commit(ShortenContext{Replaced: []Shortened{{ID: "m_row1", Content: "look, and a note"}, {ID: "t1", Content: "tiny"}}, LeftOut: []string{"a1"}})
	can(true)
	commit(AppendToMessage{ID: "t1", Text: " more"})
	commit(RestoreContext{})
	if got, want := context(), strings.Replace(once, `tool "short"`, `tool "short more"`, 1); got != want {
		t.Errorf("after the first\n%s\nwant\n%s", got, want)
	}
	d2 := mustOpen(t, path)
	for range 2 { // the second finds nothing
		commit(RestoreContext{})
		for _, db := range []*DB{d, d2} {
			all, err := db.Context(t.Context(), "s-c")
			if got, want := shown(t, all, err), strings.Replace(whole, `"a long result"`, `"a long result more"`, 1); got != want {
				t.Errorf("after all\n%s\nwant\n%s", got, want)
			}
		}
	}
	can(false)
}
