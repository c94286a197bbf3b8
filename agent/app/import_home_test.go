package app

import (
	"crypto/sha256"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/store/sessions"
)

// otherHome writes the database of Hermes Agent into a folder, in the tables that it makes
// itself: a chain of a compression, a branch, one that is archived, pictures, and a subagent.
func otherHome(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE schema_version (version INTEGER NOT NULL)", "INSERT INTO schema_version VALUES (11)",
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
			parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
			tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, title TEXT, archived INTEGER NOT NULL DEFAULT 0,
			FOREIGN KEY (parent_session_id) REFERENCES sessions(id))`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
			content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT)`,
		`INSERT INTO sessions (id, source, started_at, ended_at, end_reason, model, title, parent_session_id, archived, model_config) VALUES
			('one', 'cli', 1000, 2000, 'compression', 'm', 'old talk', NULL, 0, NULL), ('two', 'cli', 2000, NULL, NULL, 'm', NULL, 'one', 0, NULL),
			('limb', 'telegram', 1500, NULL, NULL, 'm', NULL, 'one', 0, '{"_branched_from":"one"}'), ('shelf', 'cli', 900, NULL, NULL, 'm', '静かな夜', NULL, 1, NULL),
			('kid', 'subagent', 1600, NULL, NULL, 'm', NULL, 'one', 0, NULL), ('void', 'cli', 800, NULL, NULL, 'm', NULL, NULL, 0, NULL)`,
		`INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, tool_name, timestamp) VALUES
			('one', 'user', 'please look', NULL, NULL, NULL, 1001),
			('one', 'assistant', '', '[{"id":"x1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]', NULL, NULL, 1002),
			('one', 'tool', '{"output":"a b"}', NULL, 'x1', 'terminal', 1003), ('one', 'assistant', 'looked', NULL, NULL, NULL, 1004),
			('two', 'user', 'summary of it', NULL, NULL, NULL, 2001), ('two', 'user', 'go on', NULL, NULL, NULL, 2002),
			('limb', 'user', '音楽を探す another way', NULL, NULL, NULL, 1501),
			('shelf', 'user', '夜の詩', NULL, NULL, NULL, 901),
			('shelf', 'user', char(0)||'json:[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]', NULL, NULL, NULL, 902),
			('kid', 'user', 'a task', NULL, NULL, NULL, 1601)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestImportHome adds the sessions of another home, whole and once, and leaves that as it is.
func TestImportHome(t *testing.T) {
	dir := otherHome(t)
	file := filepath.Join(dir, "state.db")
	sum := func() [32]byte {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return sha256.Sum256(data)
	}
	before := sum()
	b := newBox(t)
	a := b.open()
	defer closed(t, a)
	ctx := t.Context()
	done, err := a.ImportHome(ctx, dir)
	if err != nil || done.Sessions != 4 || done.Messages != 9 || done.Present != 0 || len(done.Failed) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if again, err := a.ImportHome(ctx, file); err != nil || again.Sessions != 0 || again.Present != 4 {
		t.Errorf("again: %+v, %v", again, err)
	}
	if sum() != before {
		t.Error("the other home was changed")
	}
	kin, err := a.db.Lineage(ctx, "two")
	var told []string
	for _, k := range kin {
		told = append(told, k.Session+" "+string(k.Why)+" "+k.Parent)
	}
	if got := strings.Join(told, ", "); err != nil || got != "one  , limb branch one, two compression one" {
		t.Errorf("lineage %q, %v", got, err)
	}
	if i, err := a.db.Resolve(ctx, "old talk"); err != nil || i.Session != "two" {
		t.Errorf("%+v, %v", i, err)
	}
	if list, err := a.db.List(ctx, sessions.Filter{}); err != nil || len(list) != 2 {
		t.Errorf("listed %+v, %v", list, err)
	}
	for text, want := range map[string]string{"looked": "one", "音楽を": "limb"} {
		found, err := a.db.Search(ctx, sessions.Search{Text: text})
		if err != nil || len(found) != 1 || found[0].Hits[0].Session != want {
			t.Errorf("%s: %+v, %v", text, found, err)
		}
	}
	messages, err := a.db.Messages(ctx, "shelf")
	if err != nil || len(messages) != 2 || len(messages[1].Parts) != 2 || messages[1].Parts[1].MediaType != "image/png" {
		t.Errorf("%+v, %v", messages, err)
	}
	c, err := a.Resume(ctx, "two")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := a.ImportHome(ctx, b.home.Dir()); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("its own home: %v", err)
	}
	for _, bad := range []string{t.TempDir(), filepath.Join(dir, "none.db")} {
		if _, err := a.ImportHome(ctx, bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	junk := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(junk, []byte(strings.Repeat("junk", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.ImportHome(ctx, junk); err == nil {
		t.Error("junk was read")
	}
}
