package sessions

import (
	"database/sql"
	"os"
	"testing"
)

// TestWarm holds that warming up stores nothing, and that it compiles what the first
// commit of a session needs.
func TestWarm(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	d.Warm(t.Context())
	warm := len(d.writer.stmts)
	mustCommit(t, d, Batch{
		Conv: "c", Session: "s", Create: &NewSession{Workspace: "/w"}, Messages: []Message{{ID: "m", Role: "user", Content: "hello"}},
		Events: []Event{{Seq: 1, Type: "e", Body: []byte("{}")}}, Effects: []Effect{SetSystemPrompt{Text: "p"}},
	})
	// BEGIN and ROLLBACK before it, COMMIT behind it.
	if more := len(d.writer.stmts) - warm; warm == 0 || more > 1 {
		t.Errorf("%d statements were warm, and the first commit compiled %d more", warm, more)
	}
	d.Warm(t.Context())
	mustClose(t, d)

	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table, want := range map[string]int{
		"sessions": 1, "messages": 1, "tui_conversations": 1, "tui_links": 1, "tui_messages": 1, "tui_journal": 1,
		"messages_fts WHERE messages_fts MATCH 'warm'": 0,
	} {
		n := -1
		if err := db.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&n); err != nil || n != want {
			t.Errorf("%s has %d rows, want %d: %v", table, n, want, err)
		}
	}
}

// TestWarmReadOnly holds that a database that cannot be written stays as it is.
func TestWarmReadOnly(t *testing.T) {
	path := newPath(t)
	mustClose(t, mustOpen(t, path))
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE schema_version SET version = 999"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := mustOpen(t, path)
	d.Warm(t.Context())
	mustClose(t, d)
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed: %v", err)
	}
}
