package sessions

import (
	"strconv"
	"testing"
)

// TestOlderDatabaseIsWritten writes into databases whose version is older than the first that
// the program makes, with columns and an index that are missing: new sessions and the
// reference's own, which keep what they had and are found.
func TestOlderDatabaseIsWritten(t *testing.T) {
	for version := 1; version < schemaVersion; version++ {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			const old = "SELECT group_concat(id || role || content || timestamp) FROM messages WHERE id <= 2"
			path := newPath(t)
			raw(t, path, reference(strconv.Itoa(version))...)
			before := value(t, path, old)
			d := mustOpen(t, path)
			if d.ReadOnly() != nil {
				t.Fatal(d.ReadOnly())
			}
			begin(t, d, "c")
			mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Messages: []Message{
				{ID: "n1", Role: "user", Content: "a walrus"},
				{ID: "n2", Role: "assistant", Content: "修复登录问题", ToolCalls: `[{"id":"w","function":{"name":"terminal","arguments":"{}"}}]`},
				{ID: "n3", Role: "tool", Content: "walrus", ToolCallID: "w", ToolName: "terminal"},
			}, Effects: []Effect{SetSystemPrompt{Text: "our prompt"}, SetTitle{Title: "fresh"}}})
			if err := d.Adopt(t.Context(), "r1", "k"); err != nil {
				t.Fatal(err)
			}
			mustCommit(t, d, Batch{Conv: "k", Session: "r1", Messages: []Message{{ID: "k1", Role: "user", Content: "walrus again"}},
				Events: []Event{event(1)}, Effects: []Effect{SetTitle{Title: "renamed"}, AddUsage{Input: 3, EstimatedCostUSD: 1}}})
			for query, want := range map[string]int{"walrus": 2, "please": 1, "登录问题": 1} {
				if found, err := d.Search(t.Context(), Search{Text: query}); err != nil || len(found) != want {
					t.Errorf("%q: found in %d, want %d, %v", query, len(found), want, err)
				}
			}
			mustClose(t, d)
			wantValue(t, path, old, before)
			wantValue(t, path, "SELECT version FROM schema_version", strconv.Itoa(version))
			wantValue(t, path, "SELECT group_concat(title) FROM (SELECT title FROM sessions ORDER BY title)", "fresh,renamed")
			wantValue(t, path, "PRAGMA integrity_check", "ok")
		})
	}
}
