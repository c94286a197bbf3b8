package agent_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"

	_ "modernc.org/sqlite" // the driver, for statements as the reference makes them
)

// other is a connection of another program to the store of a rig.
func other(t testing.TB, r *rig) *sql.Conn {
	t.Helper()
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(r.dir, "state.db")+"?_pragma=busy_timeout(2000)&_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	c, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func run(t testing.TB, c *sql.Conn, query string, args ...any) {
	t.Helper()
	if _, err := c.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// lockStore has another program hold the lock of the store until the returned
// function is called.
func lockStore(t testing.TB, r *rig) (unlock func()) {
	t.Helper()
	c := other(t, r)
	run(t, c, "BEGIN EXCLUSIVE")
	return func() { run(t, c, "ROLLBACK") }
}

// reviveSession reads a session back as the conversation it was given to.
func reviveSession(r *rig, conv, session string) *agent.Past {
	r.t.Helper()
	past, err := agent.Revive(r.t.Context(), r.db, r.ids, event.ConvID(conv), event.SessionID(session))
	if err != nil {
		r.t.Fatal(err)
	}
	return past
}
