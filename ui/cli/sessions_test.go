package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hermes-tui/agent/app"
	"hermes-tui/internal/reftest"
	"hermes-tui/store/sessions"
)

// TestSessions lists, searches and reads sessions from the command line.
func TestSessions(t *testing.T) {
	b, _ := with(t, on("lighthouse", say("The keeper sleeps.")), on("", say("Hello.")))
	if o := b.run("sessions", "list"); o.code != exitOK || o.out != "" {
		t.Errorf("none yet: %v", o)
	}
	b.exec("who is in the lighthouse")
	b.exec("say hello")
	o := b.run("sessions", "list")
	holds(t, "list", o.out, "who is in the lighthouse", "say hello")
	if o := b.run("sessions", "list", "--limit", "1", "light"); o.code != exitOK {
		t.Error(o)
	} else {
		holds(t, "list of a text", o.out, "lighthouse")
	}
	var found []app.Match
	o = b.run("sessions", "search", "--json", "keeper", "in:.")
	if err := json.Unmarshal([]byte(o.out), &found); err != nil || len(found) != 1 || len(found[0].Hits) != 1 || found[0].Hits[0].Text != "The keeper sleeps." {
		t.Fatal(err, o)
	}
	holds(t, "search", b.run("sessions", "search", "keeper").out, found[0].Session, "1 match", "assistant: The keeper sleeps.")
	o = b.run("sessions", "show", found[0].Session)
	if o.code != exitOK || o.out != "❯ who is in the lighthouse\n\nThe keeper sleeps.\n" {
		t.Error(o)
	}
	holds(t, "show", b.run("sessions", "show", "--json", found[0].Session).out, `"role": "assistant"`, `"text": "The keeper sleeps."`)
	if o := b.run("sessions", "search", "zeppelin"); o.code != exitOK || o.out != "" {
		t.Errorf("nothing found: %v", o)
	}
	for _, args := range [][]string{{"sessions", "search", "role:boss"}, {"sessions", "search"}, {"sessions", "show", "no-such"}, {"sessions", "shred"}} {
		if o := b.run(args...); o.code != exitUsage || o.out != "" {
			t.Errorf("%v: %v", args, o)
		}
	}
}

// TestSessionsChanged renames, archives, exports, imports, branches and deletes sessions.
func TestSessionsChanged(t *testing.T) {
	b, _ := with(t, on("key", say("It is sk-live-0123456789abcdefghijklmnop.")), on("", say("Hello.")))
	b.exec("say the key")
	id := latest(t, b)
	run := func(want int, args ...string) string {
		t.Helper()
		o := b.run(append([]string{"sessions"}, args...)...)
		if o.code != want {
			t.Errorf("%v: %v", args, o)
		}
		return o.out
	}
	run(exitOK, "rename", id, "The", "key")
	holds(t, "renamed", run(exitOK, "list"), "The key")
	run(exitOK, "archive", id)
	if out := run(exitOK, "list"); out != "" {
		t.Errorf("listed while archived: %s", out)
	}
	run(exitOK, "archive", "--back", "The key")

	for format, want := range map[string]string{"md": "## You", "html": "<!DOCTYPE html>", "json": `"format": "hermes-tui/session/1"`, "sharegpt": `"from":"human"`} {
		out := run(exitOK, "export", id, "--format", format)
		holds(t, format, out, want)
		if strings.Contains(out, "0123456789abcdefghij") {
			t.Errorf("%s shows the key", format)
		}
	}
	holds(t, "raw", run(exitOK, "export", id, "--raw"), "0123456789abcdefghij")
	file := filepath.Join(t.TempDir(), "out.json")
	run(exitOK, "export", id, "--format", "json", "-o", file)
	run(exitUsage, "export", id, "--format", "json", "-o", file) // it is there
	run(exitUsage, "export", id, "--format", "pdf")

	copied := strings.TrimSpace(run(exitOK, "import", file))
	holds(t, "imported", run(exitOK, "show", copied), "❯ say the key", "It is ")
	holds(t, "numbered", run(exitOK, "list"), "The key #2")
	branch := strings.TrimSpace(run(exitOK, "fork", id))
	if got, want := run(exitOK, "show", branch), run(exitOK, "show", id); got != want || got == "" {
		t.Errorf("the branch holds %q, want %q", got, want)
	}
	other := filepath.Join(t.TempDir(), "state.db") // another home with the same sessions
	db, err := sessions.Open(t.Context(), other, sessions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Commit(t.Context(), sessions.Batch{
		Conv: "c", Session: "elsewhere", Create: &sessions.NewSession{Workspace: "/w", Title: "Far away"}, Messages: []sessions.Message{{ID: "m", Role: "user", Content: "from another home"}},
	}), db.Close()); err != nil {
		t.Fatal(err)
	}
	holds(t, "a home", run(exitOK, "import", filepath.Dir(other)), "1 session with 1 message added")
	holds(t, "a home again", run(exitOK, "import", other), "0 sessions with 0 messages added; 1 were here already")
	holds(t, "of a home", run(exitOK, "show", "elsewhere"), "❯ from another home")
	run(exitUsage, "delete", id)
	run(exitOK, "delete", id, "--yes")
	run(exitUsage, "show", id)
	holds(t, "left", run(exitOK, "list"), copied, branch)
	for _, args := range [][]string{{"rename"}, {"fork", "a", "b"}, {"delete", "none", "--yes"}, {"import", "/does/not/exist"}} {
		run(exitUsage, args...)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := b.run("sessions", "import", bad); o.code != exitFailed || !strings.Contains(o.err, "no exported session") {
		t.Errorf("a file that is none: %v", o)
	}
}

// TestSessionsUpkeep prunes sessions, and looks after the database.
func TestSessionsUpkeep(t *testing.T) {
	b, _ := with(t, on("", say("Hello.")))
	run := func(want int, args ...string) string {
		t.Helper()
		o := b.run(append([]string{"sessions"}, args...)...)
		if o.code != want {
			t.Errorf("%v: %v", args, o)
		}
		return o.out
	}
	for _, text := range []string{"first " + strings.Repeat("long ", 20_000), "second", "third"} {
		b.exec(text)
	}
	id := latest(t, b)
	run(exitOK, "archive", id)
	run(exitUsage, "prune")
	run(exitUsage, "prune", "--to-size", "much")
	run(exitUsage, "prune", "--older-than", "soon")
	holds(t, "none", run(exitOK, "prune", "--older-than", "1d"), "No session fits.")
	holds(t, "some", run(exitOK, "prune", "--older-than", "0h"), "first long", "second", "2 sessions, about", "--yes deletes them")
	holds(t, "by size", run(exitOK, "prune", "--to-size", "1kB"), "first long", "second", "2 sessions")
	if out := run(exitOK, "list"); !strings.Contains(out, "first") {
		t.Errorf("deleted without --yes: %s", out)
	}
	holds(t, "pruned", run(exitOK, "prune", "--older-than", "0h", "--yes"), "Deleted 2 sessions. The database had")
	if out := run(exitOK, "list"); out != "" {
		t.Errorf("left: %s", out)
	}
	holds(t, "the archived one stays", run(exitOK, "prune", "--older-than", "0h", "--archived"), "third", "1 session, about")
	holds(t, "vacuum", run(exitOK, "vacuum"), "The database had")
	run(exitOK, "reindex")
	holds(t, "check", run(exitOK, "check"), "The database is whole.")
}

// TestSessionsRepaired makes a new database of a damaged one: what could be read, what
// not, and where the damaged one is, is said here and on the next screen.
func TestSessionsRepaired(t *testing.T) {
	b, _ := with(t, on("", say("Hello.")))
	holds(t, "none yet", b.run("sessions", "check").out, "There is no database yet.")
	for range 3 {
		b.exec("how are you")
	}
	path := filepath.Join(b.home, "state.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	page := reftest.Ask(t, path, "SELECT rootpage FROM sqlite_master WHERE name = 'idx_messages_session_active'")
	number, err := strconv.ParseInt(page, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(make([]byte, 4096), 4096*(number-1)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if o := b.run("sessions", "check"); o.code != exitFailed || !strings.Contains(o.err, "is damaged") || !strings.Contains(o.err, "--repair") {
		t.Errorf("checked: %v", o)
	}
	o := b.run("sessions", "check", "--repair")
	holds(t, "repaired", o.out, "was damaged", "3 sessions with", "No message is missing.", "The damaged one is kept as "+path+".damaged-")
	if o.code != exitOK {
		t.Error(o)
	}
	holds(t, "whole", b.run("sessions", "check", "--repair").out, "The database is whole.")
	holds(t, "listed", b.run("sessions", "list").out, "how are you")
	if n := reftest.Ask(t, path, "SELECT COUNT(*) FROM state_meta WHERE key LIKE 'tui_notice:%'"); n != "1" {
		t.Errorf("%s sentences wait for the next screen", n)
	}
}

// TestHealthyDatabase is called whole, and stays the file it is, when only what is searched
// was made by another version of SQLite.
func TestHealthyDatabase(t *testing.T) {
	b, _ := with(t, on("", say("Hello.")))
	b.exec("how are you")
	path := filepath.Join(b.home, "state.db")
	reftest.Do(t, path, "UPDATE messages_fts_content SET c0 = 'cut into other words'")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	o := b.run("sessions", "check", "--repair")
	holds(t, "checked", o.out, "The database is whole.", "hermes-tui sessions reindex")
	o = b.run("doctor", "--fix", "--offline")
	holds(t, "doctor", o.out, "it is whole", "run hermes-tui sessions reindex")
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the database was replaced: %v", err)
	}
	b.run("sessions", "reindex")
	if o := b.run("sessions", "check"); o.code != exitOK || strings.Contains(o.out, "reindex") {
		t.Error(o)
	}
	holds(t, "found", b.run("sessions", "search", "how").out, "how are you")
}

// TestNewerDatabase takes new sessions where it can. Whatever else, what is remembered is a
// file.
func TestNewerDatabase(t *testing.T) {
	b, _ := with(t, on("", say("Hello.")))
	b.exec("how are you")
	path := filepath.Join(b.home, "state.db")
	reftest.Do(t, path, "UPDATE schema_version SET version = 99")
	if o := b.run("exec", "and now"); o.code != exitOK {
		t.Error(o)
	}
	reftest.Do(t, path, "ALTER TABLE messages DROP COLUMN codex_message_items")
	o := b.run("exec", "and now")
	if o.code == exitOK {
		t.Error(o)
	}
	holds(t, "refused", o.err, "-p NAME sessions import "+b.home, "HERMES_HOME=FOLDER hermes-tui sessions import "+b.home)
	if o := b.run("memory", "add", "the sky is blue"); o.code != exitOK {
		t.Error(o)
	}
	holds(t, "listed", b.run("sessions", "list").out, "how are you")
}
