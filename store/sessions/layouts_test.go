package sessions

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// layoutOf are statements that make a database with the layout of a version of the
// reference, with the tables, triggers and views that a message of it meets, and with a
// session r1 that was summarised in place, as far as the version does that.
func layoutOf(version int) []string {
	from := func(v int, s string) string {
		if version >= v {
			return s
		}
		return ""
	}
	list := []string{
		"PRAGMA journal_mode=WAL", "PRAGMA foreign_keys=ON",
		"CREATE TABLE schema_version (version INTEGER NOT NULL)", fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", version),
		"CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT)",
		from(25, "CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL)"),
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, ` + from(18, "session_key TEXT, origin_json TEXT, expiry_finalized INTEGER DEFAULT 0, ") +
			`model TEXT, model_config TEXT, system_prompt TEXT, ` + from(25, "system_prompt_hash TEXT, ") + `parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
			message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
			cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, cwd TEXT, git_branch TEXT,` +
			from(24, "git_metadata_generation INTEGER NOT NULL DEFAULT 0, title_source TEXT, last_activity_at REAL, compression_fallback_streak INTEGER NOT NULL DEFAULT 0, ") + `
			billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL, cost_status TEXT, cost_source TEXT,
			pricing_version TEXT, title TEXT, api_call_count INTEGER DEFAULT 0, handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT,
			rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0` + from(26, ", pinned INTEGER NOT NULL DEFAULT 0, tool_names TEXT") + `,
			FOREIGN KEY (parent_session_id) REFERENCES sessions(id)` + from(25, ", FOREIGN KEY (system_prompt_hash) REFERENCES system_prompts(hash)") + `)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content TEXT,
			tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, reasoning TEXT,
			reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT, codex_message_items TEXT, platform_message_id TEXT,
			observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1` + from(17, ", compacted INTEGER NOT NULL DEFAULT 0") +
			from(21, ", api_content TEXT, display_kind TEXT, display_metadata TEXT") + from(27, ", _compressed_summary INTEGER NOT NULL DEFAULT 0, display_identity BLOB, display_order INTEGER") + `)`,
		from(20, `CREATE TABLE session_model_usage (session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, model TEXT NOT NULL, PRIMARY KEY (session_id, model))`),
		"CREATE TABLE compression_locks (session_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL)",
		"CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL",
	}
	if version >= 27 {
		list = append(list,
			`CREATE INDEX idx_messages_display_identity ON messages(session_id, display_identity, display_order) WHERE display_identity IS NOT NULL AND (active = 1 OR compacted = 1)`,
			`CREATE TRIGGER messages_display_order_insert AFTER INSERT ON messages WHEN new.display_order IS NULL BEGIN
				UPDATE messages SET display_order = COALESCE((SELECT MIN(display_order) FROM messages WHERE session_id = new.session_id AND id <> new.id
					AND (active = 1 OR compacted = 1) AND display_identity = new.display_identity), new.id) WHERE id = new.id; END`,
			`CREATE TRIGGER messages_display_visibility_update AFTER UPDATE OF active, compacted ON messages
				WHEN (new.active = 1 OR new.compacted = 1) <> (old.active = 1 OR old.compacted = 1) BEGIN
				UPDATE messages SET display_order = new.id WHERE id = new.id AND (new.active = 1 OR new.compacted = 1); END`,
			`CREATE TRIGGER messages_display_identity_update AFTER UPDATE OF role, content, timestamp ON messages WHEN new.content IS NOT old.content BEGIN
				UPDATE messages SET display_identity = NULL, display_order = NULL WHERE id = new.id; END`)
	}
	list = append(list, indexesOf(version)...)
	list = append(list,
		from(25, "INSERT INTO system_prompts VALUES ('h1', 'their prompt')"),
		"INSERT INTO sessions (id, source, started_at, model, title, message_count) VALUES ('r1', 'cli', 1000, 'm', 'old talk', 3)",
		from(25, "UPDATE sessions SET system_prompt_hash = 'h1'"))
	if version < 25 {
		list = append(list, "UPDATE sessions SET system_prompt = 'their prompt'")
	}
	list = append(list,
		"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('r1', 'user', 'please look at 登录问题', 1001)",
		"INSERT INTO messages (session_id, role, content, timestamp, finish_reason) VALUES ('r1', 'assistant', 'looked around', 1002, 'stop')",
		"INSERT INTO messages (session_id, role, content, timestamp, tool_name) VALUES ('r1', 'tool', 'output of a tool', 1003, 'terminal')")
	if version >= 17 { // row 3 was copied behind the summary
		list = append(list, "UPDATE messages SET active = 0, compacted = 1",
			"INSERT INTO messages (session_id, role, content, timestamp) VALUES ('r1', 'user', 'summary of it', 2000)",
			"INSERT INTO messages (session_id, role, content, timestamp, tool_name) VALUES ('r1', 'tool', 'output of a tool', 1003, 'terminal')")
	}
	if version >= 21 {
		list = append(list, "INSERT INTO messages (session_id, role, content, timestamp, display_kind) VALUES ('r1', 'user', 'for the model alone', 2001, 'hidden')")
	}
	return list
}

// indexesOf are the full-text indexes of a version, with what keeps them.
func indexesOf(version int) []string {
	var list []string
	const gate = `(%[1]s.id > COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_high_water'), -1)
		OR %[1]s.id <= COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_progress'), -1))`
	if version < 23 {
		const text = "COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')"
		for table, options := range map[string]string{"messages_fts": "content", "messages_fts_trigram": "content, tokenize='trigram'"} {
			list = append(list, "CREATE VIRTUAL TABLE "+table+" USING fts5("+options+")",
				"CREATE TRIGGER "+table+"_insert AFTER INSERT ON messages BEGIN INSERT INTO "+table+"(rowid, content) VALUES (new.id, "+text+"); END",
				"CREATE TRIGGER "+table+"_delete AFTER DELETE ON messages BEGIN DELETE FROM "+table+" WHERE rowid = old.id; END",
				"CREATE TRIGGER "+table+"_update AFTER UPDATE ON messages BEGIN DELETE FROM "+table+" WHERE rowid = old.id; INSERT INTO "+table+"(rowid, content) VALUES (new.id, "+text+"); END")
		}
		return list
	}
	source, text := "messages", "%[1]s.content"
	if version >= 26 {
		text = "CASE WHEN %[1]s.role = 'tool' THEN substr(COALESCE(%[1]s.content, ''), 1, 8192) ELSE %[1]s.content END"
		list = append(list, "CREATE VIEW messages_fts_src AS SELECT id, "+strings.ReplaceAll(text, "%[1]s.", "")+" AS content, tool_name, tool_calls FROM messages")
		source = "messages_fts_src"
	}
	calls, where := ", tool_calls", "%[1]s.role <> 'tool'"
	view := "CREATE VIEW messages_fts_trigram_src AS SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool'"
	if version >= 30 {
		const of = "source NOT IN ('cron', 'subagent') AND json_extract(COALESCE(model_config, '{}'), '$._delegate_from') IS NULL"
		calls, where = "", where+" AND EXISTS (SELECT 1 FROM sessions WHERE id = %[1]s.session_id AND "+of+")"
		view = "CREATE VIEW messages_fts_trigram_src AS SELECT m.id, m.role, m.content, m.tool_name FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.role <> 'tool' AND " +
			strings.ReplaceAll(of, "model_config", "s.model_config")
	}
	list = append(list, view)
	for _, x := range []struct{ table, source, options, columns, text, where string }{
		{"messages_fts", source, "", "content, tool_name, tool_calls", text + ", %[1]s.tool_name, %[1]s.tool_calls", "1"},
		{"messages_fts_trigram", "messages_fts_trigram_src", ", tokenize='trigram'", "content, tool_name" + calls, "%[1]s.content, %[1]s.tool_name" + strings.ReplaceAll(calls, " tool", " %[1]s.tool"), where},
	} {
		in := func(row, s string) string { return strings.ReplaceAll(s, "%[1]s", row) }
		add := "INSERT INTO " + x.table + "(rowid, " + x.columns + ") SELECT new.id, " + in("new", x.text) + " WHERE " + in("new", x.where) + "; "
		drop := "INSERT INTO " + x.table + "(" + x.table + ", rowid, " + x.columns + ") SELECT 'delete', old.id, " + in("old", x.text) + " WHERE " + in("old", x.where) + "; "
		list = append(list, "CREATE VIRTUAL TABLE "+x.table+" USING fts5("+x.columns+", content='"+x.source+"', content_rowid='id'"+x.options+")",
			"CREATE TRIGGER "+x.table+"_insert AFTER INSERT ON messages WHEN "+in("new", gate)+" BEGIN "+add+"END",
			"CREATE TRIGGER "+x.table+"_delete AFTER DELETE ON messages WHEN "+in("old", gate)+" BEGIN "+drop+"END",
			"CREATE TRIGGER "+x.table+"_update AFTER UPDATE OF content, tool_name, tool_calls, role ON messages WHEN old.content IS NOT new.content AND "+in("old", gate)+" BEGIN "+drop+add+"END")
	}
	return list
}

// eachLayout runs a test for every version of the reference's schema.
func eachLayout(t *testing.T, do func(t *testing.T, version int, path string)) {
	for version := 16; version <= newestSchema; version++ {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			path := newPath(t)
			rawLayout(t, path, version)
			do(t, version, path)
		})
	}
}

func rawLayout(t *testing.T, path string, version int, more ...string) {
	t.Helper()
	var list []string
	for _, s := range append(layoutOf(version), more...) {
		if s != "" {
			list = append(list, s)
		}
	}
	raw(t, path, list...)
}

// whole checks a database by its own means.
func whole(t *testing.T, path string) {
	t.Helper()
	wantValue(t, path, "SELECT group_concat(integrity_check) FROM pragma_integrity_check", "ok")
	wantValue(t, path, "SELECT count(*) FROM pragma_foreign_key_check", "0")
	for _, f := range fullTexts() {
		raw(t, path, "INSERT INTO "+f.table+"("+f.table+", rank) VALUES ('integrity-check', 1)")
	}
}

// Everything is written into a database of every known version, through its own triggers.
func TestEveryLayoutIsWritten(t *testing.T) {
	eachLayout(t, func(t *testing.T, version int, path string) {
		const old = "SELECT group_concat(id || role || content || active || timestamp) FROM (SELECT * FROM messages WHERE session_id = 'r1' AND id <= %d ORDER BY id)"
		last, err := strconv.Atoi(value(t, path, "SELECT MAX(id) FROM messages"))
		if err != nil {
			t.Fatal(err)
		}
		before := value(t, path, fmt.Sprintf(old, last))
		d := mustOpen(t, path)
		if d.ReadOnly() != nil {
			t.Fatal(d.ReadOnly())
		}
		// A new session, with all that a message can have.
		begin(t, d, "c")
		mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Messages: []Message{
			{ID: "n1", Role: "user", Parts: []Part{{Text: "a picture of walruses"}, {MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}},
			{ID: "n2", Role: "assistant", Content: "修复登录问题 walrus", ToolCalls: `[{"id":"w","function":{"name":"terminal","arguments":"{}"}}]`},
			{ID: "n3", Role: "tool", Content: strings.Repeat("walrus ", 3000), ToolCallID: "w", ToolName: "terminal"},
		}, Effects: []Effect{SetSystemPrompt{Text: "our prompt"}, SetTitle{Title: "fresh"}}})
		// The reference's goes on, is renamed, loses messages and gets them back.
		if err := d.Adopt(t.Context(), "r1", "k"); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, d, Batch{Conv: "k", Session: "r1", Messages: []Message{{ID: "k1", Role: "user", Content: "walrus again"}, {ID: "k2", Role: "assistant", Content: "never mind"}},
			Events: []Event{event(1)}, Effects: []Effect{SetTitle{Title: "renamed"}, SetSystemPrompt{Text: "our prompt"}, AddUsage{Input: 3, EstimatedCostUSD: 1}}})
		mustCommit(t, d, Batch{Conv: "k", Session: "r1", Events: []Event{event(2)}, Effects: []Effect{TakeBack{ID: "t1", From: "k2"}}})
		wantValue(t, path, "SELECT count(*) FROM messages WHERE content = 'never mind' AND active = 1", "0")
		mustCommit(t, d, Batch{Conv: "k", Session: "r1", Events: []Event{event(3)}, Effects: []Effect{BringBack{ID: "t1"}}})
		for query, want := range map[string]int{"walrus*": 2, "please": 1, "登录问题": 2, "登录": 2, "around": 1, "alone": 0} {
			found, err := d.Search(t.Context(), Search{Text: query, Roles: []string{"user", "assistant", "tool"}})
			if err != nil || len(found) != want {
				t.Errorf("%q: found in %d, want %d, %v", query, len(found), want, err)
			}
		}
		if version >= 27 {
			wantValue(t, path, "SELECT count(*) FROM messages WHERE display_order IS NULL AND (active = 1 OR compacted = 1)", "0")
		}
		wantValue(t, path, fmt.Sprintf(old, last), before)
		wantValue(t, path, "SELECT version FROM schema_version", strconv.Itoa(version))
		wantValue(t, path, "SELECT title || message_count FROM sessions WHERE id = 'r1'", "renamed5")
		// These are the prompts of both as the reference resolves them.
		prompts := "SELECT group_concat(COALESCE(system_prompt, '-')) FROM sessions"
		if version >= 25 {
			prompts = "SELECT group_concat(COALESCE(p.prompt, s.system_prompt, '-')) FROM sessions s LEFT JOIN system_prompts p ON p.hash = s.system_prompt_hash"
		}
		wantValue(t, path, prompts, "their prompt,-")
		for _, id := range []string{"r1", "s-c"} {
			if s, err := d.Session(t.Context(), id); err != nil || s.SystemPrompt != "our prompt" {
				t.Errorf("prompt of %s: %q, %v", id, s.SystemPrompt, err)
			}
		}
		mustCommit(t, d, Batch{Effects: []Effect{SetTitle{Session: "r1"}}})
		whole(t, path)
		if err := d.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		whole(t, path)
		if err := d.Delete(t.Context(), "s-c"); err != nil {
			t.Fatal(err)
		}
		whole(t, path)
		if faults, _, err := Faults(t.Context(), path); err != nil || len(faults) > 0 {
			t.Errorf("faults %q, %v", faults, err)
		}
	})
}

// TestSummarisedInPlace holds that messages summarised in place are shown, found and copied,
// and not sent. Messages for the model alone are sent and not shown.
func TestSummarisedInPlace(t *testing.T) {
	eachLayout(t, func(t *testing.T, version int, path string) {
		if version < 17 {
			return
		}
		texts := func(list []Message, err error) string {
			var all []string
			for _, m := range list {
				all = append(all, m.Content)
			}
			if err != nil {
				t.Error(err)
			}
			return strings.Join(all, "|")
		}
		for _, o := range []Options{{ReadOnly: true}, {}} {
			d := openWith(t, path, o)
			if got, want := texts(d.Messages(t.Context(), "r1")), "please look at 登录问题|looked around|summary of it|output of a tool"; got != want {
				t.Errorf("shown %q, want %q", got, want)
			}
			want := "summary of it|output of a tool"
			if version >= 21 {
				want += "|for the model alone"
			}
			if got := texts(d.Context(t.Context(), "r1")); got != want {
				t.Errorf("sent %q, want %q", got, want)
			}
			if list, err := d.Outline(t.Context(), "r1"); err != nil || len(list) != 3 {
				t.Errorf("outline %v, %v", list, err)
			}
			if list, err := d.List(t.Context(), Filter{}); err != nil || len(list) != 1 || list[0].Preview != "please look at 登录问题" {
				t.Errorf("list %+v, %v", list, err)
			}
			if found, err := d.Search(t.Context(), Search{Text: "output", Roles: []string{"tool"}}); err != nil || len(found) != 1 || found[0].Total != 1 {
				t.Errorf("found %+v, %v", found, err)
			}
			mustClose(t, d)
		}
		d := mustOpen(t, path)
		n := 0
		if err := d.Fork(t.Context(), "r1", 0, Batch{Conv: "f", Session: "fork"}, func() string { n++; return "f" + strconv.Itoa(n) }); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"r1", "fork"} {
			if got := texts(d.Messages(t.Context(), id)); !strings.HasPrefix(got, "please look") || strings.Contains(got, "alone") {
				t.Errorf("%s shows %q", id, got)
			}
			if got := texts(d.Context(t.Context(), id)); !strings.HasPrefix(got, "summary of it|output") || version >= 21 && !strings.HasSuffix(got, "alone") {
				t.Errorf("%s sends %q", id, got)
			}
		}
		// Going back to before the summary gives the model what was summarised.
		if err := d.Adopt(t.Context(), "r1", "k"); err != nil {
			t.Fatal(err)
		}
		before := value(t, path, "SELECT group_concat(id || ':' || active || compacted) FROM messages")
		mustCommit(t, d, Batch{Conv: "k", Session: "r1", Events: []Event{event(1)}, Effects: []Effect{TakeBack{ID: "t1", From: "m_row2"}}})
		for _, list := range []func(context.Context, string) ([]Message, error){d.Messages, d.Context} {
			if got := texts(list(t.Context(), "r1")); got != "please look at 登录问题" {
				t.Errorf("after going back %q", got)
			}
		}
		mustCommit(t, d, Batch{Conv: "k", Session: "r1", Events: []Event{event(2)}, Effects: []Effect{BringBack{ID: "t1"}}})
		wantValue(t, path, "SELECT group_concat(id || ':' || active || compacted) FROM messages", before)
		whole(t, path)
	})
}

// In a layout that is not known the sessions of others stay as they are, and new ones are
// stored where the tables take them.
func TestUnknownLayout(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		takes  bool
	}{
		"as it is":           {"SELECT 1", true},
		"column":             {"ALTER TABLE messages ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'", true},
		"column is required": {"CREATE TRIGGER needs BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'no mood'); END", false},
		"column is gone":     {"ALTER TABLE messages DROP COLUMN codex_message_items", false},
		"table is gone":      {"DROP TABLE compression_locks", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			rawLayout(t, path, newestSchema+1, c.change)
			const all = "SELECT group_concat(id || COALESCE(title, '') || message_count || COALESCE(ended_at, '')) || (SELECT group_concat(id || content || active) FROM messages WHERE session_id = 'r1') FROM sessions WHERE id = 'r1'"
			before := value(t, path, all)
			d := mustOpen(t, path)
			err := d.Commit(t.Context(), Batch{Conv: "c", Session: "s-c", Create: &NewSession{Title: "new"}, Messages: []Message{{ID: "m", Role: "user", Content: "new words"}}})
			if c.takes != (err == nil) || c.takes != (d.ReadOnly() == nil) {
				t.Fatalf("read-only %v, commit %v", d.ReadOnly(), err)
			}
			if n := d.Notices(); len(n) != 1 || !strings.Contains(n[0], "-p NAME sessions import "+strings.TrimSuffix(path, "/state.db")) || !strings.Contains(n[0], "HERMES_HOME=") {
				t.Errorf("notices %q", n)
			}
			wantKind(t, d.Adopt(t.Context(), "r1", "k"), KindNewer)
			wantKind(t, d.Archive(t.Context(), "r1", true), KindNewer)
			wantKind(t, d.Delete(t.Context(), "r1"), KindNewer)
			wantKind(t, d.Commit(t.Context(), Batch{Effects: []Effect{SetTitle{Session: "r1", Title: "no"}}}), KindNewer)
			wantKind(t, d.Commit(t.Context(), Batch{Effects: []Effect{SetSystemPrompt{Session: "r1", Text: "no"}}}), KindNewer)
			if list, err := d.Messages(t.Context(), "r1"); err != nil || len(list) != 4 {
				t.Errorf("%d messages, %v", len(list), err)
			}
			if c.takes {
				mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Messages: []Message{{ID: "m2", Role: "assistant", Content: "more words"}}, Effects: []Effect{SetTitle{Title: "newer"}}})
				if found, err := d.Search(t.Context(), Search{Text: "words"}); err != nil || len(found) != 1 || found[0].Total != 2 {
					t.Errorf("found %+v, %v", found, err)
				}
				mustClose(t, d)
				d = mustOpen(t, path)
				mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Messages: []Message{{ID: "m3", Role: "user", Content: "on and on"}}})
				whole(t, path)
			}
			wantValue(t, path, all, before)
			wantValue(t, path, "SELECT version FROM schema_version", "31")
			wantValue(t, path, "SELECT count(*) FROM sessions WHERE id LIKE '%trial%'", "0")
		})
	}
}

// An index by a tokenizer that is not here keeps no message from being stored.
func TestIndexOfAnUnknownTokenizer(t *testing.T) {
	path := newPath(t)
	rawLayout(t, path, 30, "CREATE VIEW messages_fts_cjk_src AS SELECT id, content FROM messages",
		"CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, content='messages_fts_cjk_src', content_rowid='id')",
		"CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN INSERT INTO messages_fts_cjk(rowid, content) VALUES (new.id, new.content); END",
		"CREATE TRIGGER messages_fts_cjk_delete AFTER DELETE ON messages BEGIN INSERT INTO messages_fts_cjk(messages_fts_cjk, rowid, content) VALUES ('delete', old.id, old.content); END")
	conn(t, path, func(c *sql.Conn) { // as if a library had made it
		for _, s := range []string{"PRAGMA writable_schema=ON", "UPDATE sqlite_master SET sql = replace(sql, 'content_rowid=''id''', 'content_rowid=''id'', tokenize=''cjk_unicode61''') WHERE name = 'messages_fts_cjk'"} {
			if _, err := c.ExecContext(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	})
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	wantValue(t, path, "SELECT value FROM state_meta WHERE key = 'fts_cjk_stale'", "1")
	if faults, _, err := Faults(t.Context(), path); err != nil || len(faults) > 0 {
		t.Errorf("faults %q, %v", faults, err)
	}
}

// Indexes that the reference has detached are left to it.
func TestDetachedIndexes(t *testing.T) {
	path := newPath(t)
	rawLayout(t, path, 22, "INSERT INTO state_meta VALUES ('fts_stale', '1')", "DROP TRIGGER messages_fts_insert", "DROP TRIGGER messages_fts_update", "DROP TRIGGER messages_fts_delete")
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	wantValue(t, path, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'messages_fts_insert'", "0")
}

// TestIndexIsNoDamage holds that a search index that differs is no damage, and that a rebuild
// brings all of it back.
func TestIndexIsNoDamage(t *testing.T) {
	for _, version := range []int{16, 22, 30} {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			path := newPath(t)
			rawLayout(t, path, version, "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('r1', 'user', char(0) || 'json:[{\"type\":\"text\",\"text\":\"a walrus\"}]', 1004)")
			if version < 23 {
				raw(t, path, "UPDATE messages_fts_trigram_content SET c0 = 'cut into other words' WHERE id = 1")
			} else {
				raw(t, path, "INSERT INTO messages_fts_trigram(messages_fts_trigram, rowid, content, tool_name) VALUES ('delete', 1, 'cut into other words', NULL)")
			}
			if faults, differs, err := Faults(t.Context(), path); err != nil || len(faults) > 0 || differs != (version < 23) {
				t.Errorf("faults %q, %v, %v", faults, differs, err)
			}
			d := mustOpen(t, path)
			rows := value(t, path, "SELECT count(*) FROM messages_fts_trigram")
			if err := d.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantValue(t, path, "SELECT count(*) FROM messages_fts_trigram", rows)
			whole(t, path)
			mustClose(t, d)
			if _, err := Salvage(t.Context(), path, Options{}); err != nil {
				t.Fatal(err)
			}
			wantValue(t, path, "SELECT count(*) FROM messages_fts_trigram", rows)
			whole(t, path)
		})
	}
}
