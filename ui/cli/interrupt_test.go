package cli

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // locks the database as another program does

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestInterruptInTheAnswer stops an answer in the middle: what had arrived is
// printed and stored, and the conversation goes on from there.
func TestInterruptInTheAnswer(t *testing.T) {
	b, server := with(t, on("tell", say("Once upon"), script.Stall{}), on("go on", say("… a time.")))
	c := b.start("exec", "--json", "tell me")
	c.out.waitFor(t, "Once upon")
	c.stop()
	o := c.wait()
	if o.code != exitInterrupted || !strings.HasSuffix(strings.TrimSpace(o.out), "}") {
		t.Fatal(o)
	}
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	holds(t, "the last event", lines[len(lines)-1], `"turn_finished"`, `"interrupted"`)
	sentence(t, o, exitInterrupted, "Interrupted", "hermes-tui --resume "+latest(t, b))
	b.exec("-c", "go on")
	if got := sent(t, server, 2); !slices.Equal(got, []string{"user: tell me", "assistant: Once upon", "user: go on"}) {
		t.Errorf("sent %q", got)
	}
}

// TestInterruptInACommand ends what a tool runs.
func TestInterruptInACommand(t *testing.T) {
	b, _ := with(t, on("", command("echo started; sleep 600")))
	c := b.start("exec", "--yolo", "--json", "go")
	c.out.waitFor(t, `"text":"started`)
	c.stop()
	sentence(t, c.wait(), exitInterrupted, "Interrupted", "--resume")
	if got := b.said(); len(got) != 3 || !strings.Contains(got[2], "Command interrupted") {
		t.Errorf("stored %q", got)
	}
}

func TestInterruptBeforeItBegins(t *testing.T) {
	b, server := with(t, on("", say("never")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	s := &sys{in: strings.NewReader(""), out: &out, err: &errs, dir: func() (string, error) { return b.dir, nil }, ids: event.SystemSource(),
		env: func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }, environ: b.environ(),
		terminal: func() (in, out bool) { return false, false }, closed: func() bool { return false }, redirected: func() bool { return false }}
	code := run(ctx, append(slices.Clone(b.flags), "exec", "hi"), s)
	o := outcome{code, out.String(), errs.String()}
	sentence(t, o, exitInterrupted, "nterrupted")
	if n := len(server.Requests()); n != 0 || o.out != "" {
		t.Errorf("%d requests, %v", n, o)
	}
}

// TestStoreRefuses has another program lock the database in the middle of a
// turn: nothing goes on, the user is told why, and an interrupt still works.
func TestStoreRefuses(t *testing.T) {
	t.Parallel() // leaving takes its five seconds
	b, server := with(t, on("", script.Sleep{For: 300 * time.Millisecond}, say("An answer that cannot be stored.")))
	c := b.start("exec", "hi")
	sent(t, server, 1)
	db, err := sql.Open("sqlite", filepath.Join(b.home, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := lock.ExecContext(t.Context(), "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	c.err.waitFor(t, "Nothing runs until the session can be saved.")
	holds(t, "stderr", c.err.text(), "locked", "close it")
	c.stop()
	o := c.wait()
	if o.code != exitInterrupted || o.out != "" {
		t.Error(o)
	}
	holds(t, "stderr", o.err, "did not stop in time", "--resume")
	if strings.Contains(o.err, "context canceled") || strings.Count(o.err, "Nothing runs") != 1 {
		t.Errorf("stderr: %s", o.err)
	}
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if got := b.said(); !slices.Equal(got, []string{"user: hi"}) {
		t.Errorf("stored %q", got)
	}
}
