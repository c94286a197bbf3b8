package sessions

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// secretText stands in every text of a conversation that is going to be deleted.
const secretText = "SECRETWORD"

// full makes a conversation with the secret in every table of ours.
func full(t *testing.T, d *DB, conv string) {
	t.Helper()
	begin(t, d, conv)
	mustCommit(t, d, Batch{
		Conv: conv, Session: "s-" + conv,
		Messages: []Message{{ID: "m-" + conv, Role: "assistant", Content: secretText, Native: `["` + secretText + `"]`}},
		Events:   []Event{{Seq: 1, Type: "message_committed", Body: []byte(`{"text":"` + secretText + `"}`)}},
		Effects: []Effect{
			CallPlanned{ID: "k-" + conv, Name: "terminal", Message: "m-" + conv, Arguments: secretText},
			CallEnded{ID: "k-" + conv, Outcome: "ok", Result: secretText},
			CallPlanned{ID: "sub-" + conv, Name: "terminal", Arguments: secretText},
			SavePartial{Agent: "a", Text: secretText}, SaveDraft{Text: secretText},
			AddGrant{ID: "g-" + conv, Kind: "exec", Pattern: secretText, Example: secretText},
			AddDecision{ID: "d-" + conv, Tool: "terminal", Digest: "x", Outcome: "allow", By: "model", Reason: secretText},
			ShortenContext{Replaced: []Shortened{{ID: "m-" + conv, Content: secretText}}},
		},
	})
	mustCommit(t, d, Batch{
		Conv: conv, Session: "s-" + conv, Events: []Event{{Seq: 2, Type: "rewound", Body: []byte(`{}`)}},
		Effects: []Effect{TakeBack{ID: "r-" + conv, From: "m-" + conv}},
	})
}

// found counts the rows of a database in which a text stands, tables of the
// full-text indexes apart.
func found(t *testing.T, path, text string) (where []string) {
	t.Helper()
	for _, table := range declaredTables() {
		var columns []string
		for _, c := range table.columns {
			columns = append(columns, "COALESCE(CAST("+c.name+" AS TEXT), '')")
		}
		n := value(t, path, "SELECT count(*) FROM "+table.name+" WHERE instr("+strings.Join(columns, "||' '||")+", '"+text+"')")
		if n != "0" {
			where = append(where, table.name+" "+n)
		}
	}
	return where
}

// deleting is how the reference deletes a session.
func deleting(session string) []string {
	return []string{
		"UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = '" + session + "'",
		"DELETE FROM messages WHERE session_id = '" + session + "'",
		"DELETE FROM sessions WHERE id = '" + session + "'",
	}
}

func TestDeleteLeavesNoText(t *testing.T) {
	for _, keys := range []string{"ON", "OFF"} {
		t.Run(keys, func(t *testing.T) {
			path := newPath(t)
			d := mustOpen(t, path)
			full(t, d, "gone")
			full(t, d, "stays")
			before := len(found(t, path, secretText))
			raw(t, path, append([]string{"PRAGMA foreign_keys=" + keys}, deleting("s-gone")...)...)
			for _, table := range append(convTables(), "tui_conversations") {
				column := map[bool]string{true: "id", false: "conv"}[table == "tui_conversations"]
				wantValue(t, path, "SELECT count(*) FROM "+table+" WHERE "+column+" = 'gone'", "0")
			}
			if rest := found(t, path, secretText); len(rest) != before || before < 8 {
				t.Errorf("of the other conversation is left: %v", rest)
			}
			raw(t, path, append([]string{"PRAGMA foreign_keys=" + keys}, deleting("s-stays")...)...)
			if rest := found(t, path, secretText); len(rest) > 0 {
				t.Errorf("left behind in %v", rest)
			}
			wantValue(t, path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH '"+secretText+"'", "0")
			wantValue(t, path, "SELECT count(*) FROM pragma_foreign_key_check", "0")
		})
	}
}

// Of a conversation that goes on in another session the rest stays, and that of a
// subagent does not keep it.
func TestDeleteOneOfSeveralSessions(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	full(t, d, "c")
	mustCommit(t, d, Batch{Conv: "c", Session: "child", Create: &NewSession{Parent: "s-c", Why: WhySubagent}, Events: []Event{event(3)}})
	mustCommit(t, d, Batch{Conv: "c", Session: "next", Create: &NewSession{Parent: "s-c", Why: WhyCompression}, Events: []Event{event(4)}})
	raw(t, path, deleting("s-c")...)
	wantValue(t, path, "SELECT group_concat(seq) FROM tui_journal", "3,4")
	wantValue(t, path, "SELECT count(*) FROM tui_drafts", "1")
	if _, err := d.Conversation(t.Context(), "c"); err != nil {
		t.Error(err)
	}
	raw(t, path, deleting("next")...)
	wantValue(t, path, "SELECT count(*) FROM tui_journal", "0")
	wantValue(t, path, "SELECT count(*) FROM tui_conversations", "0")
}

// A database in which something was deleted before the triggers were there is
// swept when it is opened, once.
func TestSweep(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	full(t, d, "gone")
	full(t, d, "stays")
	mustCommit(t, d, Batch{Conv: "new:/w", Effects: []Effect{SaveDraft{Text: "typed"}}})
	mustCommit(t, d, Batch{Conv: "stays", Session: "never", Events: []Event{{Seq: 3, Type: "agent_finished", Body: []byte(`{}`)}}})
	mustClose(t, d)
	statements := []string{"PRAGMA foreign_keys=OFF"}
	for _, x := range forgetting() {
		statements = append(statements, "DROP TRIGGER "+x.name)
	}
	raw(t, path, append(statements, deleting("s-gone")...)...)
	stays := found(t, path, "stays")
	mustClose(t, mustOpen(t, path))
	if rest := found(t, path, "gone"); len(rest) > 0 {
		t.Errorf("left behind in %v", rest)
	}
	if now := found(t, path, "stays"); fmt.Sprint(now) != fmt.Sprint(stays) {
		t.Errorf("of the other conversation is left %v, want %v", now, stays)
	}
	wantValue(t, path, "SELECT group_concat(text) FROM tui_drafts WHERE conv LIKE 'new:%'", "typed")
	wantValue(t, path, "SELECT count(*) FROM tui_journal WHERE session = 'never'", "1")
}

func TestRewoundToTheStart(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	mustCommit(t, d, Batch{Conv: "c", Session: "s-c", Events: []Event{event(2)}, Effects: []Effect{TakeBack{ID: "r", From: "m-c-1"}}})
	if got, err := d.Latest(t.Context(), ""); err != nil || got.Session != "s-c" || got.Preview != "text 1" {
		t.Errorf("%+v, %v", got, err)
	}
	mustCommit(t, d, say("c", 3))
	if got, err := d.Latest(t.Context(), ""); err != nil || got.Preview != "text 3" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSweepBySeveralPrograms opens a database without the triggers in several
// processes at once, which write to it: it is swept, and nothing of theirs is lost.
func TestSweepBySeveralPrograms(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	full(t, d, "gone")
	mustClose(t, d)
	statements := []string{"PRAGMA foreign_keys=OFF"}
	for _, x := range forgetting() {
		statements = append(statements, "DROP TRIGGER "+x.name)
	}
	raw(t, path, append(statements, deleting("s-gone")...)...)
	const batches = 30
	var all sync.WaitGroup
	for n := range 3 {
		cmd, out := startTask(t, "write", path, fmt.Sprint("c", n), strconv.Itoa(batches))
		all.Go(func() {
			_, err := io.Copy(io.Discard, out)
			if err := errors.Join(err, cmd.Wait()); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	all.Wait()
	if rest := found(t, path, "gone"); len(rest) > 0 {
		t.Errorf("left behind in %v", rest)
	}
	d = mustOpen(t, path)
	for n := range 3 {
		if got := wantWhole(t, d, fmt.Sprint("c", n), batches); got != batches {
			t.Errorf("%d batches of %d", got, n)
		}
	}
	wantValue(t, path, "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'tui_forget_%'", "3")
	wantValue(t, path, "PRAGMA integrity_check", "ok")
}
