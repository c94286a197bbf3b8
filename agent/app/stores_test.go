package app

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"

	"hermes-tui/agent/event"
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
	alter(b, "UPDATE schema_version SET version = 17", "PRAGMA wal_checkpoint(TRUNCATE)")
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
	if _, c = b.resume(); shownNotice(c, "damaged") {
		t.Error("the repair is said again")
	}
}
