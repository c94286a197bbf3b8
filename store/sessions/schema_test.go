package sessions

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// reference are statements that make a database as the reference does, at a
// version before some columns came, with its own trigger for every message.
func reference(version string) []string {
	return []string{
		"PRAGMA journal_mode=WAL",
		"CREATE TABLE schema_version (version INTEGER NOT NULL)",
		"INSERT INTO schema_version VALUES (" + version + ")",
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
			parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
			tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, title TEXT, git_branch TEXT,
			FOREIGN KEY (parent_session_id) REFERENCES sessions(id))`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
			content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT)`,
		"CREATE TABLE extras (x TEXT)",
		"INSERT INTO extras VALUES ('kept')",
		"CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram')",
		`CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
			INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, COALESCE(new.content, '')); END`,
		"CREATE TRIGGER messages_fts_trigram_delete AFTER DELETE ON messages BEGIN DELETE FROM messages_fts_trigram WHERE rowid = old.id; END",
		`CREATE TRIGGER messages_fts_trigram_update AFTER UPDATE ON messages BEGIN DELETE FROM messages_fts_trigram WHERE rowid = old.id;
			INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, COALESCE(new.content, '')); END`,
		"INSERT INTO sessions (id, source, started_at, model, title, git_branch) VALUES ('r1', 'cli', 1000, 'm', 'old talk', 'main')",
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('r1', 'user', 'please look', 1001)",
		"INSERT INTO messages (session_id, role, content, timestamp, finish_reason) VALUES ('r1', 'assistant', 'looked', 1002, 'stop')",
	}
}

func count1(t testing.TB, path, table string) string {
	t.Helper()
	return value(t, path, "SELECT count(*) FROM "+table)
}

func TestNewDatabase(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	if d.ReadOnly() != nil || len(d.Notices()) != 0 || d.Path() != path {
		t.Errorf("read-only %v, notices %v, path %s", d.ReadOnly(), d.Notices(), d.Path())
	}
	wantValue(t, path, "SELECT group_concat(version) FROM schema_version", "16")
	wantValue(t, path, "PRAGMA journal_mode", "wal")
	wantValue(t, path, "PRAGMA integrity_check", "ok")
	mustClose(t, d)
	// Opening a complete database writes nothing.
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, path))
	after, err := os.ReadFile(path)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the file changed: %d and %d bytes, %v", len(before), len(after), err)
	}
}

func TestReferenceDatabaseIsCompleted(t *testing.T) {
	path := newPath(t)
	raw(t, path, reference("9")...)
	d := mustOpen(t, path)
	wantValue(t, path, "SELECT version FROM schema_version", "9")
	wantValue(t, path, "SELECT x FROM extras", "kept")
	wantValue(t, path, "SELECT git_branch FROM sessions", "main")
	wantValue(t, path, "SELECT active || ' ' || observed FROM messages LIMIT 1", "1 0")
	wantValue(t, path, "SELECT rewind_count || ' ' || archived FROM sessions", "0 0")
	// The index of words is new and filled, the other keeps its trigger.
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'look*'", "2")
	if sql := value(t, path, "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_trigram_insert'"); strings.Contains(sql, "GLOB") {
		t.Errorf("the trigger was replaced: %s", sql)
	}
	wantValue(t, path, "PRAGMA integrity_check", "ok")
	wantValue(t, path, "SELECT count(*) FROM pragma_foreign_key_check", "0")
	mustClose(t, d)
}

func TestAdopt(t *testing.T) {
	path := newPath(t)
	raw(t, path, reference("16")...)
	d := mustOpen(t, path)
	got, err := d.Resolve(t.Context(), "old talk")
	want := ConversationInfo{Session: "r1", Source: "cli", Title: "old talk", Preview: "please look", Model: "m", Started: moment(sql.NullFloat64{Float64: 1000, Valid: true}), LastActive: moment(sql.NullFloat64{Float64: 1002, Valid: true})}
	if err != nil || got != want {
		t.Fatalf("%+v, %v", got, err)
	}
	for range 2 {
		if err := d.Adopt(t.Context(), "r1", "c1"); err != nil {
			t.Fatal(err)
		}
	}
	as[*ConflictError](t, d.Adopt(t.Context(), "r1", "c2"))
	as[*NotFoundError](t, d.Adopt(t.Context(), "nobody", "c2"))
	wantKind(t, d.Adopt(t.Context(), "", "c2"), KindInvalid)
	mustCommit(t, d, Batch{Conv: "c1", Session: "r1", Messages: []Message{{ID: "mine", Role: "user", Content: "go on"}}, Events: []Event{event(1)}})
	all, err := d.Messages(t.Context(), "r1")
	if err != nil || len(all) != 3 || all[0].ID != "m_row1" || all[2].ID != "mine" || all[1].FinishReason != "stop" {
		t.Errorf("messages %+v, %v", all, err)
	}
	// The reference compresses what we worked on: the conversation goes on there.
	raw(t, path, "UPDATE sessions SET ended_at = 2000, end_reason = 'compression' WHERE id = 'r1'",
		"INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES ('r2', 'cli', 2000, 'r1'), ('empty', 'cli', 2001, 'r1')",
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('r2', 'user', 'summary', 2001)")
	for _, ref := range []string{"c1", "r1", "r2", "old talk"} {
		if got, err := d.Resolve(t.Context(), ref); err != nil || got.Conv != "c1" || got.Session != "r2" || got.Preview != "please look" {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
	}
	if list, err := d.List(t.Context(), Filter{}); err != nil || len(list) != 1 || list[0].Session != "r2" || list[0].Conv != "c1" {
		t.Errorf("list %+v, %v", list, err)
	}
	if err := d.Adopt(t.Context(), "r2", "c1"); err != nil {
		t.Fatal(err)
	}
	wantValue(t, path, "SELECT session FROM tui_conversations", "r2")
	mustCommit(t, d, Batch{Conv: "c1", Session: "r2", Events: []Event{event(2)}, Effects: []Effect{ShortenContext{
		Replaced: []Shortened{{ID: "m_row1", Content: "short"}}, LeftOut: []string{"mine"},
	}}})
	wantValue(t, path, "SELECT count(*) FROM tui_context", "2")
	// The reference deletes as it likes.
	raw(t, path, "PRAGMA foreign_keys=ON", "DELETE FROM messages", "UPDATE sessions SET parent_session_id = NULL", "DELETE FROM sessions")
	for _, table := range []string{"tui_messages", "tui_links", "tui_context"} {
		if n := count1(t, path, table); n != "0" {
			t.Errorf("%s rows left in %s", n, table)
		}
	}
	_, err = d.Conversation(t.Context(), "c1")
	as[*NotFoundError](t, err)
}

func TestFullTextIndex(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	for i, content := range []string{"plain words", "修复登录问题", "日本語のテスト", "한국어", "mixed 漢 text", "", "\U00020000\U00020001\U00020002"} {
		b := say("c", i+1)
		b.Messages[0].Content = content
		b.Messages[0].ToolName = "terminal"
		mustCommit(t, d, b)
	}
	raw(t, path, "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s-c', 'user', char(0) || 'json:[\"見出し\"]', 1)")
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'terminal'", "7")
	wantValue(t, path, "SELECT count(*) FROM messages_fts_trigram", "6")
	wantValue(t, path, `SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '"登录问"'`, "2")
	wantValue(t, path, `SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '"見出し"'`, "8")
	raw(t, path, "UPDATE messages SET content = 'plain' WHERE id = 2", "UPDATE messages SET content = '登录问题' WHERE id = 1", "DELETE FROM messages WHERE id = 3", "UPDATE messages SET active = 0")
	wantValue(t, path, "SELECT group_concat(rowid) FROM messages_fts_trigram", "1,4,5,7,8")
	wantValue(t, path, "SELECT count(*) FROM messages_fts", "7")
	raw(t, path, "INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')", "INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('integrity-check')")
}

func TestTriggersComeBack(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	raw(t, path, "DROP TRIGGER messages_fts_insert", "DROP TRIGGER messages_fts_trigram_insert")
	mustCommit(t, d, say("c", 2))
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'text'", "1")
	mustClose(t, d)
	d = mustOpen(t, path)
	mustCommit(t, d, say("c", 3))
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'text'", "3")
}

// An index of early versions reads its text from the messages table and is the
// reference's to replace.
func TestExternalIndexIsLeftAlone(t *testing.T) {
	path := newPath(t)
	raw(t, path, append(reference("2"),
		"CREATE VIRTUAL TABLE messages_fts USING fts5(content, content = messages, content_rowid=id)",
		"CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END")...)
	d := mustOpen(t, path)
	if err := d.Adopt(t.Context(), "r1", "c"); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, d, Batch{Conv: "c", Session: "r1", Messages: []Message{{ID: "m", Role: "user", Content: "fresh words"}}})
	wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'fresh'", "1")
	wantValue(t, path, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts_u%'", "0")
}

func TestDuplicateTitlesAreKept(t *testing.T) {
	path := newPath(t)
	raw(t, path, append(reference("9"), "INSERT INTO sessions (id, source, started_at, title) VALUES ('r2', 'cli', 1, 'old talk')")...)
	d := mustOpen(t, path)
	wantValue(t, path, "SELECT count(*) FROM sessions WHERE title = 'old talk'", "2")
	err := d.Commit(t.Context(), Batch{Effects: []Effect{SetTitle{Session: "r2", Title: "old talk"}}})
	as[*TitleTakenError](t, err)
}

func TestNewerDatabaseIsReadOnly(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	mustClose(t, d)
	raw(t, path, "UPDATE schema_version SET version = 31", "ALTER TABLE messages DROP COLUMN codex_message_items", "DROP TABLE tui_drafts", "DROP TABLE tui_context")
	for _, o := range []Options{{}, {ReadOnly: true}} {
		d = openWith(t, path, o)
		wantKind(t, d.ReadOnly(), KindNewer)
		if n := d.Notices(); len(n) != 1 || n[0] != d.ReadOnly().Error() {
			t.Errorf("notices %q", n)
		}
		wantKind(t, d.Commit(t.Context(), say("c", 2)), KindNewer)
		wantKind(t, d.Adopt(t.Context(), "s-c", "d"), KindNewer)
		if all, err := d.Messages(t.Context(), "s-c"); err != nil || len(all) != 1 || all[0].ID != "m-c-1" {
			t.Errorf("messages %+v, %v", all, err)
		}
		if all, err := d.Context(t.Context(), "s-c"); err != nil || len(all) != 1 || all[0].Content != "text 1" {
			t.Errorf("context %+v, %v", all, err)
		}
		if list, err := d.List(t.Context(), Filter{}); err != nil || len(list) != 1 {
			t.Errorf("list %+v, %v", list, err)
		}
		if text, err := d.Draft(t.Context(), "c"); err != nil || text != "" {
			t.Errorf("draft %q, %v", text, err)
		}
		if n := len(events(t, d, "c", 0)); n != 1 {
			t.Errorf("%d events", n)
		}
		mustClose(t, d)
	}
	wantValue(t, path, "SELECT version FROM schema_version", "31")
	wantValue(t, path, "SELECT count(*) FROM sqlite_master WHERE name = 'tui_drafts'", "0")
}

func TestReadOnlyReferenceDatabase(t *testing.T) {
	path := newPath(t)
	raw(t, path, reference("9")...)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	d := openWith(t, path, Options{ReadOnly: true})
	wantKind(t, d.ReadOnly(), KindReadOnly)
	wantKind(t, d.Commit(t.Context(), Batch{}), KindReadOnly)
	if all, err := d.Messages(t.Context(), "r1"); err != nil || len(all) != 2 || all[0].ID != "m_row1" {
		t.Errorf("messages %+v, %v", all, err)
	}
	if all, err := d.Context(t.Context(), "r1"); err != nil || len(all) != 2 || all[1].Content != "looked" {
		t.Errorf("context %+v, %v", all, err)
	}
	if got, err := d.Resolve(t.Context(), "old"); err != nil || got.Session != "r1" {
		t.Errorf("%+v, %v", got, err)
	}
	if s, err := d.Session(t.Context(), "r1"); err != nil || s.Model != "m" || s.APICalls != 0 {
		t.Errorf("session %+v, %v", s, err)
	}
	if m := mode(t, path); m != 0o644 {
		t.Errorf("mode %o", m)
	}
	wantValue(t, path, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'tui%'", "0")
}

func TestNotADatabase(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"text":   func(p string) error { return os.WriteFile(p, []byte("hello\n"), 0o600) },
		"random": func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("\x9d7", 9999)), 0o600) },
		"zeroes": func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("\x00", 8192)), 0o600) },
		"folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"foreign": func(p string) error {
			raw(t, p, "CREATE TABLE notes (x)")
			return nil
		},
		"other sessions": func(p string) error {
			raw(t, p, "CREATE TABLE sessions (sid INTEGER)")
			return nil
		},
		"other version": func(p string) error {
			raw(t, p, "CREATE TABLE sessions (sid INTEGER)", "CREATE TABLE schema_version (v)")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			for _, o := range []Options{{}, {ReadOnly: true}} {
				d, err := Open(t.Context(), path, o)
				if err == nil {
					mustClose(t, d)
				}
				wantKind(t, err, KindNotDatabase)
			}
			if after, _ := os.ReadFile(path); !slices.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenOddPaths(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a ?b#c%41&d;'é", "state.db")
	if err := os.Mkdir(filepath.Dir(odd), 0o700); err != nil {
		t.Fatal(err)
	}
	d := mustOpen(t, odd)
	begin(t, d, "c")
	mustClose(t, d)
	if _, err := os.Stat(odd); err != nil {
		t.Error(err)
	}
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(odd, link); err != nil {
		t.Fatal(err)
	}
	d = mustOpen(t, link)
	if d.Path() != odd {
		t.Errorf("path %s", d.Path())
	}
	for _, path := range []string{"", "a\x00b", filepath.Join(dir, "none", "state.db")} {
		_, err := Open(t.Context(), path, Options{})
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindOther {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "missing.db"), Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file for reading: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "missing.db")); err == nil {
		t.Error("the file was made")
	}
}

func TestWithoutLog(t *testing.T) {
	path := newPath(t)
	d := openWith(t, path, Options{vfs: "unix-dotfile"})
	begin(t, d, "c")
	for n := 1; n <= checkpointEvery+1; n++ {
		mustCommit(t, d, say("c", n))
	}
	if n := len(events(t, d, "c", 0)); n != checkpointEvery+1 {
		t.Errorf("%d events", n)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("there is a log")
	}
	if d.writer.setup == "" {
		t.Error("the journal is not flushed thoroughly")
	}
	if err := d.writer.disconnect(); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, d, say("c", 1000))
	sync := 0
	if err := d.writer.conn.QueryRowContext(context.Background(), "PRAGMA synchronous").Scan(&sync); err != nil || sync != 2 {
		t.Errorf("synchronous %d, %v", sync, err)
	}
}

// Rows of other programs may hold anything; a list must not fail for one of them.
func TestOddRows(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	raw(t, path,
		"INSERT INTO sessions (id, source, started_at, model, title, message_count, ended_at, model_config, cwd) VALUES ('odd', 'cli', 'yesterday', 5, x'ff00', 'many', 9e999, 'no json', 7)",
		"INSERT INTO sessions (id, source, started_at, parent_session_id, end_reason) VALUES (NULL, 'cli', 1, NULL, NULL), ('loop', 'cli', 1, 'loop', 'compression')",
		"INSERT INTO messages (session_id, role, content, timestamp, token_count, tool_calls) VALUES ('odd', 'user', x'c3', 'noon', 'few', 3), ('loop', 'user', 9, -1e300, NULL, NULL)")
	list, err := d.List(t.Context(), Filter{Query: "o"})
	if err != nil || len(list) == 0 {
		t.Fatalf("list %+v, %v", list, err)
	}
	all, err := d.Messages(t.Context(), "odd")
	if err != nil || len(all) != 1 || all[0].ToolCalls != "3" || all[0].TokenCount != 0 {
		t.Errorf("messages %+v, %v", all, err)
	}
	for _, ref := range []string{"odd", "loop"} {
		if got, err := d.Resolve(t.Context(), ref); err != nil || got.Session != ref {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
		if _, err := d.Session(t.Context(), ref); err != nil {
			t.Error(err)
		}
	}
}

// Two sessions that end in each other must not be followed for ever.
func TestCycleOfCompressions(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	raw(t, path,
		"INSERT INTO sessions (id, source, started_at, end_reason) VALUES ('a', 'cli', 1, 'compression'), ('b', 'cli', 2, 'compression')",
		"UPDATE sessions SET parent_session_id = CASE id WHEN 'a' THEN 'b' ELSE 'a' END",
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('a', 'user', 'x', 1), ('b', 'user', 'y', 2)")
	if got, err := d.Resolve(t.Context(), "a"); err != nil || got.Session == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := d.List(t.Context(), Filter{}); err != nil {
		t.Error(err)
	}
}
