//go:build unix

package ui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/store/sessions"
)

// TestSearchWindow finds what was said in an earlier session while it is typed, goes to
// the message in it, and then to one of the session on the screen.
func TestSearchWindow(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home := filepath.Join(t.TempDir(), "home")
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home, Scenario: answers(
			on("lighthouse", say("The keeper of the lighthouse sleeps.")), on("", say("Something else.")),
		)})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("who is in the lighthouse").Press("enter").WaitFor(Contains("keeper of the lighthouse"))
		for range 12 {
			d.Type("and then").Press("enter").WaitFor(Contains("Something else."))
			d.WaitIdle()
		}
		d.WaitFor(NotContains("keeper"))
		d.Type("/new").Press("enter").WaitFor(Contains("Type what you want done"))
		d.Type("/search").Press("enter").WaitFor(Contains("type to search"), Contains("What was said?"))
		d.Type("keep").WaitFor(Contains("The keeper of the lighthouse sleeps."), Contains("1 match"))
		d.Type(" role:boss").WaitFor(Contains(`"boss" is no role`))
		for range len("boss") {
			d.Press("backspace")
		}
		d.Type("user").WaitFor(Contains("Nothing was found."))
		for range len(" role:user") {
			d.Press("backspace")
		}
		d.WaitFor(Contains("keeper of the lighthouse"))
		d.Press("enter").WaitFor(Contains("The keeper of the lighthouse sleeps."), NotContains("Search"))
		d.Press("end").Press("esc").WaitFor(NotContains("keeper"))
		d.Type("/search who").Press("enter").WaitFor(Contains("Search", "1 match"))
		d.Press("enter").WaitFor(Contains("❯ who is in the lighthouse"))
	}
}

// TestSearchWindowOfMany finds more sessions than it looks for at first: the others come
// behind them.
func TestSearchWindowOfMany(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sessions.Open(t.Context(), filepath.Join(home, "state.db"), sessions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now().Add(-time.Hour)
	for i := range 50 {
		at := begin.Add(time.Duration(i) * time.Minute)
		err := db.Commit(t.Context(), sessions.Batch{
			Conv: fmt.Sprint("c", i), Session: fmt.Sprint("s", i), Create: &sessions.NewSession{Source: "cli", Workspace: "/w", Title: fmt.Sprintf("Kettle %d of all", i), At: at},
			Messages: []sessions.Message{{ID: fmt.Sprint("m", i), Role: "user", Content: fmt.Sprintf("is kettle %d on?", i), At: at}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	d := Start(t, Options{Cols: 120, Rows: 30, Home: home, Scenario: answers(on("", say("Fine.")))})
	d.WaitFor(Contains("Type what you want done"))
	d.Type("/search kettle sort:newest").Press("enter").WaitFor(Contains("Kettle 49 of all"), Contains("─ 50 ─"))
	d.Press("down").Press("down").Press("end").WaitFor(Contains("Kettle 0 of all"))
	d.Press("home").WaitFor(Contains("Kettle 49 of all"))
	d.Press("esc").WaitFor(NotContains("Search"))
}
