// Package reftest writes session databases as Hermes Agent makes them: its whole
// schema, of version 11 or 16, with its full-text indexes and the triggers that keep
// them, and rows of every kind.
package reftest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// The sessions of a database.
const (
	First   = "20260202_000000_aaaaaa" // was compressed,
	Second  = "20260202_000500_bbbbbb" // went on there, was compressed again,
	Third   = "20260202_001000_cccccc" // and goes on here
	Limb    = "20260202_002000_dddddd" // a branch of the first
	Child   = "20260202_003000_eeeeee" // a subagent of the first
	CJK     = "20260203_000000_ffffff"
	Picture = "20260204_000000_abcdef"
	Shelf   = "20260205_000000_fedcba" // archived, in version 16
	Empty   = "20260206_000000_badbad" // without a message
)

// epoch is when the first session began.
const epoch = 1_770_000_000

// columns of a table that came between the versions 11 and 16.
const (
	sessionsAfter11 = `, cwd TEXT, handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT,
		rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0`
	messagesAfter11 = `, platform_message_id TEXT, observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1`
)

// schema is the schema of a version.
func schema(version int) []string {
	moreSessions, moreMessages := "", ""
	if version > 11 {
		moreSessions, moreMessages = sessionsAfter11, messagesAfter11
	}
	all := []string{
		"PRAGMA journal_mode=WAL",
		"CREATE TABLE schema_version (version INTEGER NOT NULL)",
		fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", version),
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
			parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
			tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
			cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
			billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL,
			cost_status TEXT, cost_source TEXT, pricing_version TEXT, title TEXT, api_call_count INTEGER DEFAULT 0` + moreSessions + `,
			FOREIGN KEY (parent_session_id) REFERENCES sessions(id))`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
			content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
			finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT,
			codex_message_items TEXT` + moreMessages + `)`,
		"CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)",
		"CREATE INDEX idx_sessions_source ON sessions(source)",
		"CREATE INDEX idx_sessions_parent ON sessions(parent_session_id)",
		"CREATE INDEX idx_sessions_started ON sessions(started_at DESC)",
		"CREATE INDEX idx_messages_session ON messages(session_id, timestamp)",
		"CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL",
	}
	if version > 11 {
		all = append(all, "CREATE TABLE compression_locks (session_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL)",
			"CREATE INDEX idx_compression_locks_expires ON compression_locks(expires_at)",
			"CREATE INDEX idx_sessions_source_id ON sessions(source, id)",
			"CREATE INDEX idx_messages_session_active ON messages(session_id, active, timestamp)")
	}
	for table, options := range map[string]string{"messages_fts": "content", "messages_fts_trigram": "content, tokenize='trigram'"} {
		const text = "COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')"
		insert := "INSERT INTO " + table + "(rowid, content) VALUES (new.id, " + text + ");"
		drop := "DELETE FROM " + table + " WHERE rowid = old.id;"
		all = append(all, "CREATE VIRTUAL TABLE "+table+" USING fts5("+options+")",
			"CREATE TRIGGER "+table+"_insert AFTER INSERT ON messages BEGIN "+insert+" END",
			"CREATE TRIGGER "+table+"_delete AFTER DELETE ON messages BEGIN "+drop+" END",
			"CREATE TRIGGER "+table+"_update AFTER UPDATE ON messages BEGIN "+drop+" "+insert+" END")
	}
	return all
}

// Write makes state.db in a folder and returns its path.
func Write(t testing.TB, dir string, version int) string {
	t.Helper()
	path := filepath.Join(dir, "state.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	w := writer{t, db}
	for _, s := range schema(version) {
		w.do(s)
	}
	w.lineage()
	w.session(CJK, epoch+90_000, "title", "静かな夜")
	w.say(CJK, epoch+90_001, "user", "登录问题在哪里 見出し語")
	w.say(CJK, epoch+90_002, "assistant", "ここです")
	w.session(Picture, epoch+180_000)
	w.say(Picture, epoch+180_001, "user", "\x00json:"+encode([]any{
		map[string]any{"type": "text", "text": "see the picture"},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}},
	}))
	w.say(Picture, epoch+180_002, "assistant", "A dot.")
	if version > 11 {
		w.session(Shelf, epoch+270_000, "title", "shelf", "archived", 1, "cwd", "/srv/shelf")
		w.say(Shelf, epoch+270_001, "user", "archived kettle")
	}
	w.session(Empty, epoch+360_000)
	w.do("UPDATE sessions SET message_count = (SELECT COUNT(*) FROM messages WHERE session_id = sessions.id)")
	return path
}

// lineage writes a session that was compressed twice, a branch and a subagent of it.
func (w writer) lineage() {
	w.session(First, epoch, "title", "old talk", "ended_at", epoch+500, "end_reason", "compression", "input_tokens", 1200, "output_tokens", 340,
		"cache_read_tokens", 800, "api_call_count", 2, "estimated_cost_usd", 0.25, "cost_status", "estimated")
	w.say(First, epoch+1, "user", "please look at the kettle")
	w.say(First, epoch+2, "assistant", "", "finish_reason", "tool_calls",
		"tool_calls", encode([]any{map[string]any{"id": "x1", "type": "function", "function": map[string]any{"name": "terminal", "arguments": `{"command":"ls"}`}}}))
	w.say(First, epoch+3, "tool", `{"output":"teapot.txt"}`, "tool_call_id", "x1", "tool_name", "terminal")
	w.say(First, epoch+4, "assistant", "There is a teapot.", "finish_reason", "stop", "reasoning", "It boils.")
	w.session(Second, epoch+500, "title", "old talk #2", "parent_session_id", First, "ended_at", epoch+1_000, "end_reason", "compression")
	w.say(Second, epoch+501, "user", "[CONTEXT COMPACTION — REFERENCE ONLY] the summary of the kettle")
	w.say(Second, epoch+502, "assistant", "Understood the saucer.")
	w.session(Third, epoch+1_000, "title", "old talk #3", "parent_session_id", Second)
	w.say(Third, epoch+1_001, "user", "[CONTEXT COMPACTION — REFERENCE ONLY] the summary of the summary")
	w.say(Third, epoch+1_002, "assistant", "Go on.")
	w.session(Limb, epoch+1_200, "parent_session_id", First, "model_config", `{"_branched_from":"`+First+`"}`, "source", "telegram")
	w.say(Limb, epoch+1_201, "user", "another way with the ladle")
	w.session(Child, epoch+1_800, "parent_session_id", First, "source", "subagent", "model_config", `{"_delegate_from":"`+First+`"}`)
	w.say(Child, epoch+1_801, "user", "a task about the kettle")
}

type writer struct {
	t  testing.TB
	db *sql.DB
}

func (w writer) do(query string, args ...any) {
	w.t.Helper()
	if _, err := w.db.ExecContext(context.Background(), query, args...); err != nil {
		w.t.Fatalf("%.200s: %v", query, err)
	}
}

func (w writer) session(id string, started int, more ...any) {
	w.t.Helper()
	w.insert("sessions", append([]any{"id", id, "source", "cli", "model", "m", "started_at", started}, more...))
}

func (w writer) say(session string, at int, role, content string, more ...any) {
	w.t.Helper()
	w.insert("messages", append([]any{"session_id", session, "timestamp", at, "role", role, "content", content}, more...))
}

// insert adds a row of which names and values follow each other; the last of a name counts.
func (w writer) insert(table string, pairs []any) {
	w.t.Helper()
	row := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		row[pairs[i].(string)] = pairs[i+1]
	}
	var names []string
	var values []any
	for name, value := range row {
		names, values = append(names, name), append(values, value)
	}
	w.do("INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES (?"+strings.Repeat(", ?", len(names)-1)+")", values...)
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Ask reads one value of a database as another program does.
func Ask(t testing.TB, path, query string, args ...any) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var v sql.NullString
	if err := db.QueryRowContext(context.Background(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v.String
}

// Do runs statements on a database as another program does.
func Do(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	w := writer{t, db}
	for _, s := range statements {
		w.do(s)
	}
}
