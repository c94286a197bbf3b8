package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// reviverEnv makes the test binary a program that revives a conversation and is
// killed: home, conversation, session and how many commits come before that.
const reviverEnv = "HERMES_TUI_TEST_REVIVER"

// doomed is an archive whose process is killed at a commit: before it when die is
// even, else behind it.
type doomed struct {
	*sessions.DB
	die int
}

func (m *doomed) Commit(ctx context.Context, b sessions.Batch) error {
	m.die--
	if m.die == 0 {
		die()
	}
	err := m.DB.Commit(ctx, b)
	m.die--
	if m.die == 0 {
		die()
	}
	return err
}

// die kills this process, as nothing can be done about.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	panic(fmt.Sprint("alive: ", err))
}

func reviver(what string) {
	t := &fatal{}
	args := strings.Split(what, "|")
	ids := event.SystemSource()
	db, err := sessions.Open(context.Background(), filepath.Join(args[0], "state.db"), sessions.Options{})
	t.check(err)
	n, err := strconv.Atoi(args[3])
	t.check(err)
	_, err = agent.Revive(context.Background(), &doomed{db, n}, ids, event.ConvID(args[1]), event.SessionID(args[2]))
	t.check(err)
}

// TestKilledWhileReconciling kills the program at every step of recording what
// another program did; the next revival goes on with it.
func TestKilledWhileReconciling(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "Our answer."}))
	r.submit("our question")
	r.idle(1)
	conv, session := string(r.conv.ID()), string(r.conv.Session())
	if err := r.conv.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	theirs := &reference{t: t, c: other(t, r), session: session}
	random := rand.New(rand.NewPCG(2, 2))
	theirs.replace(random)
	theirs.run("BEGIN")
	for range 300 {
		theirs.turn(random)
	}
	theirs.run("COMMIT")
	kills := 0
	for n := 1; ; n++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), reviverEnv+"="+strings.Join([]string{r.dir, conv, session, strconv.Itoa(n)}, "|"))
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if state := cmd.ProcessState; state.Exited() {
			t.Fatalf("ended with %v: %s", err, out)
		}
		kills++
		if kills > 1 { // each has left something for the next
			theirs.turn(random)
		}
	}
	if kills < 4 {
		t.Errorf("killed %d times only", kills)
	}
	agree(t, r, conv, session)
}
