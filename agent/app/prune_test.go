package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/sessions"
)

// TestAutoPrune deletes at a start, when that is switched on and due, what was not used
// for long, and says so; it leaves what is archived.
func TestAutoPrune(t *testing.T) {
	b := newBox(t)
	old := time.Now().Add(-100 * 24 * time.Hour)
	add := func(a *App, id string, at time.Time) {
		t.Helper()
		err := a.db.Commit(t.Context(), sessions.Batch{
			Conv: "c-" + id, Session: id, Create: &sessions.NewSession{Source: "cli", Workspace: b.dir, At: at},
			Messages: []sessions.Message{{ID: "m-" + id, Role: "user", Content: "words of " + id, At: at}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a := b.open()
	for id, at := range map[string]time.Time{"old": old, "kept": old, "new": time.Now()} {
		add(a, id, at)
	}
	if err := a.ArchiveSession(t.Context(), "kept", true); err != nil {
		t.Fatal(err)
	}
	start := func(config string, before func(*App)) (left []string, said string) {
		t.Helper()
		b.config("probe:\n  local_servers: false\n" + config)
		a := b.open()
		a.background.group.Wait()
		before(a)
		list, err := a.Sessions(t.Context(), "", 10, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			left = append(left, s.Session)
		}
		slices.Sort(left)
		said = strings.Join(a.Notices(), "\n")
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		return left, said
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	nothing := func(*App) {}
	const on = "sessions:\n  auto_prune: true\n  retention_days: 30\n"
	if left, said := start("sessions:\n  retention_days: 30\n", nothing); len(left) != 3 || said != "" {
		t.Fatalf("off: %v, %q", left, said)
	}
	if left, said := start(strings.Replace(on, "30", "300", 1), nothing); len(left) != 3 || said != "" {
		t.Fatalf("not old enough: %v, %q", left, said)
	}
	if err := os.Remove(filepath.Join(b.home.Cache(), "pruned")); err != nil {
		t.Fatal(err)
	}
	b.unattended = true // such as a command that lists sessions
	if left, said := start(on, nothing); len(left) != 3 || said != "" {
		t.Fatalf("without a user: %v, %q", left, said)
	}
	b.unattended = false
	if _, err := os.Stat(filepath.Join(b.home.Cache(), "pruned")); !os.IsNotExist(err) {
		t.Errorf("a program that deletes nothing has written when that was: %v", err)
	}
	if left, said := start(on, func(a *App) { add(a, "again", old) }); !slices.Equal(left, []string{"again", "kept", "new"}) || !strings.Contains(said, "not used for 30 days were deleted, as sessions.auto_prune in config.yaml wants it: 1.") {
		t.Fatalf("on: %v, %q", left, said)
	}
	if left, said := start(on, nothing); len(left) != 3 || said != "" {
		t.Fatalf("not due: %v, %q", left, said)
	}
	b.past("cache/pruned", 25*time.Hour)
	if left, _ := start(on, nothing); !slices.Equal(left, []string{"kept", "new"}) {
		t.Fatalf("due again: %v", left)
	}
}
