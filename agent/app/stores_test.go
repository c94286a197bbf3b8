package app

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/reftest"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// alter changes the database of a box while it is closed.
func alter(b *box, statements ...string) {
	b.t.Helper()
	db, err := sql.Open("sqlite", b.home.StateDB())
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	for _, s := range statements {
		if _, err := c.ExecContext(context.Background(), s); err != nil {
			b.t.Fatalf("%s: %v", s, err)
		}
	}
}

// shownNotice reports whether a notice with a text is on the screen.
func shownNotice(c Conversation, text string) bool {
	for _, b := range c.State().Root().Blocks {
		if b.Kind == event.BlockNotice && strings.Contains(b.Text.String(), text) {
			return true
		}
	}
	return false
}

// TestStoreOfALaterVersion lists and shows what a later version has written, and
// changes nothing of it.
func TestStoreOfALaterVersion(t *testing.T) {
	b := newBox(t)
	b.config("model: {provider: custom, base_url: " + serve(t, "m").URL() + ", default: m}\n")
	a, c := b.begin()
	say(t, c, "hello")
	session := string(c.Session())
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	alter(b, "UPDATE schema_version SET version = 99", "ALTER TABLE messages DROP COLUMN codex_message_items", "PRAGMA wal_checkpoint(TRUNCATE)")
	before, err := os.ReadFile(b.home.StateDB())
	if err != nil {
		t.Fatal(err)
	}
	a = b.open()
	if list, err := a.Sessions(t.Context(), "", 0, false); err != nil || len(list) != 1 || list[0].Preview != "hello" {
		t.Errorf("listed %+v, %v", list, err)
	}
	refused := func(doing string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*sessions.Error](err); !ok || e.Kind != sessions.KindNewer {
			t.Errorf("%s: %v", doing, err)
		}
	}
	_, err = a.Start(t.Context())
	refused("a new conversation", err)
	c, err = a.Resume(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, b := range c.State().Root().Blocks {
		shown += string(b.Kind) + " "
	}
	if !strings.HasPrefix(shown, "user ") || !strings.Contains(shown, "answer") || !shownNotice(c, "written by a newer version") {
		t.Errorf("shown are %s", shown)
	}
	_, err = c.Submit("go on")
	refused("a message", err)
	_, err = c.Steer(c.Root(), "go on")
	refused("steering", err)
	refused("a title", c.SetTitle("x"))
	refused("a mode", c.SetMode(event.ModePlan))
	if err := c.SaveDraft(t.Context(), "typed"); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(b.home.StateDB()); err != nil || string(after) != string(before) {
		t.Errorf("the file changed: %v", err)
	}
}

// TestRepairedStore says in the conversation that the database was damaged and where
// the copy is.
func TestRepairedStore(t *testing.T) {
	b := newBox(t)
	b.config("model: {provider: custom, base_url: " + serve(t, "m").URL() + ", default: m}\n")
	a, c := b.begin()
	say(t, c, "hello")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	alter(b, "PRAGMA writable_schema=ON",
		"INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'idx_sessions_source'")
	a, c = b.resume()
	if !shownNotice(c, "was damaged and has been repaired") {
		t.Error("the repair is not said")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if a, c = b.resume(); shownNotice(c, "damaged") {
		t.Error("the repair is said again")
	}
	closed(t, a)

	// A command that lists sessions opens it first, and another program makes it again.
	alter(b, "PRAGMA writable_schema=ON",
		"INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE name = 'idx_sessions_source'")
	b.unattended = true
	a = b.open()
	if said := a.StoreNotices(t.Context()); len(said) != 1 || !strings.Contains(said[0], "has been repaired") {
		t.Errorf("the command says %q", said)
	}
	closed(t, a)
	if _, err := sessions.Salvage(t.Context(), b.home.StateDB(), sessions.Options{}); err != nil {
		t.Fatal(err)
	}
	b.unattended = false
	for _, want := range []bool{true, false} {
		a, c = b.resume()
		if shownNotice(c, "has been repaired") != want || shownNotice(c, "The damaged one is kept as") != want {
			t.Errorf("what was left is not said once: %v", want)
		}
		closed(t, a)
	}
}

// TestSalvagedTranscript shows a session whose journal could not be read as its messages
// say, and goes on with it.
func TestSalvagedTranscript(t *testing.T) {
	b := newBox(t)
	server := summing(t, script.Text{Text: "unused"})
	b.config(fmt.Sprintf(summingConfig, server.URL()))
	a, c := b.begin()
	say(t, c, "hello")
	say(t, c, "and on")
	was := blocksOf(c)
	closed(t, a)
	path := b.home.StateDB()
	page, err := strconv.ParseInt(reftest.Ask(t, path, "SELECT rootpage FROM sqlite_master WHERE name = 'tui_journal'"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(make([]byte, 4096), 4096*(page-1)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions.Salvage(t.Context(), path, sessions.Options{}); err != nil {
		t.Fatal(err)
	}
	a, c = b.resume()
	if got := blocksOf(c); strings.Join(got, "\n") != strings.Join(was, "\n") || len(got) != 4 {
		t.Errorf("it shows\n%s\nand showed\n%s", strings.Join(got, "\n"), strings.Join(was, "\n"))
	}
	say(t, c, "once more")
	if sent := history(t, server); len(sent) != 5 {
		t.Errorf("the model got %q", sent)
	}
	closed(t, a)
}
