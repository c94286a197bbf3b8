package sessions

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// lineage makes a conversation that the reference compressed once, with a session of a
// subagent, a branch, and another one beside it.
func lineage(t *testing.T) (*DB, string) {
	t.Helper()
	path := newPath(t)
	d := long(t, path)
	begin(t, d, "other")
	mustCommit(t, d, say("other", 1))
	mustCommit(t, d, Batch{Conv: "c", Session: "s-next", Create: &NewSession{Parent: "s-c", Why: WhyCompression}, Messages: []Message{{ID: "n1", Role: "user", Content: "goes on"}}})
	mustCommit(t, d, Batch{Conv: "c", Session: "s-child", Create: &NewSession{Parent: "s-next", Why: WhySubagent, Agent: "a"}, Messages: []Message{{ID: "k1", Role: "user", Content: "child"}}})
	n := 0
	if err := d.Fork(t.Context(), "s-c", 0, Batch{Conv: "b", Session: "s-b"}, func() string { n++; return fmt.Sprint("copy", n) }); err != nil {
		t.Fatal(err)
	}
	return d, path
}

func listed(t *testing.T, d *DB, f Filter) string {
	t.Helper()
	all, err := d.List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range all {
		ids = append(ids, i.Session)
	}
	return strings.Join(ids, " ")
}

func TestArchive(t *testing.T) {
	d, _ := lineage(t)
	before := listed(t, d, Filter{})
	if err := d.Archive(t.Context(), "s-next", true); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, d, Filter{}); strings.Contains(got, "s-next") || !strings.Contains(got, "s-b") || !strings.Contains(got, "s-other") {
		t.Errorf("listed %s", got)
	}
	if got := listed(t, d, Filter{Archived: true}); got != before {
		t.Errorf("with archived ones %s, before %s", got, before)
	}
	if found, err := d.Search(t.Context(), Search{Text: "goes"}); err != nil || len(found) != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	if err := d.Archive(t.Context(), "s-c", false); err != nil { // an earlier one of the same conversation
		t.Fatal(err)
	}
	if got := listed(t, d, Filter{}); got != before {
		t.Errorf("brought back: %s, before %s", got, before)
	}
	var gone *NotFoundError
	if err := d.Archive(t.Context(), "nobody", true); !errors.As(err, &gone) {
		t.Error(err)
	}
}

func TestDelete(t *testing.T) {
	d, path := lineage(t)
	if err := d.Delete(t.Context(), "s-next"); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, d, Filter{Archived: true}); got != "s-b s-other" && got != "s-other s-b" {
		t.Errorf("left are %s", got)
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM sessions WHERE id IN ('s-c', 's-next', 's-child')":   "0",
		"SELECT count(*) FROM messages WHERE session_id NOT IN ('s-b', 's-other')": "0",
		"SELECT count(*) FROM tui_conversations WHERE id = 'c'":                    "0",
		"SELECT count(*) FROM tui_links WHERE conv = 'c'":                          "0",
		"SELECT count(*) FROM tui_journal WHERE conv = 'c'":                        "0",
		"SELECT count(*) FROM messages WHERE session_id = 's-b'":                   "5",
		"SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'goes'":        "0",
		"PRAGMA integrity_check":                                                   "ok",
		"PRAGMA foreign_key_check":                                                 "",
	} {
		if want == "" {
			continue
		}
		wantValue(t, path, query, want)
	}
	var gone *NotFoundError
	if err := d.Delete(t.Context(), "s-c"); !errors.As(err, &gone) {
		t.Error(err)
	}
	if _, err := d.Resolve(t.Context(), "s-b"); err != nil {
		t.Errorf("the branch: %v", err)
	}
}

// TestFork copies what a session holds, and what the model gets of it.
func TestFork(t *testing.T) {
	path := newPath(t)
	d := long(t, path)
	mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(2)}, Effects: []Effect{
		SetTitle{Title: "work"}, ShortenContext{Replaced: []Shortened{{ID: "t1", Content: "short"}, {ID: "a1", ToolCalls: shortCalls}}, LeftOut: []string{"m_row1"}},
	}})
	texts := func(session string, read func(string) ([]Message, error)) string {
		t.Helper()
		all, err := read(session)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i].ID = ""
		}
		return shown(t, all, nil)
	}
	messages := func(s string) ([]Message, error) { return d.Messages(t.Context(), s) }
	context := func(s string) ([]Message, error) { return d.Context(t.Context(), s) }
	fork := func(name string, before int64) {
		t.Helper()
		n := 0
		if err := d.Fork(t.Context(), "s-c", before, Batch{Conv: name, Session: "s-" + name}, func() string { n++; return fmt.Sprint(name, n) }); err != nil {
			t.Fatal(err)
		}
	}
	fork("whole", 0)
	if got, want := texts("s-whole", messages), texts("s-c", messages); got != want {
		t.Errorf("holds\n%s\nwant\n%s", got, want)
	}
	if got, want := texts("s-whole", context), texts("s-c", context); got != want {
		t.Errorf("travels\n%s\nwant\n%s", got, want)
	}
	u2, err := d.Message(t.Context(), "u2")
	if err != nil {
		t.Fatal(err)
	}
	fork("part", u2.Row)
	if got := texts("s-part", messages); strings.Count(got, "\n") != 3 || strings.Contains(got, "and then?") {
		t.Errorf("holds\n%s", got)
	}
	info, err := d.Resolve(t.Context(), "s-part")
	if err != nil || !info.Branch || info.Title != "work #3" || info.Conv != "part" {
		t.Errorf("%+v, %v", info, err)
	}
	wantValue(t, path, "SELECT parent_session_id FROM sessions WHERE id = 's-part'", "s-c")
}
