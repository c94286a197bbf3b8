package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/shellrisk"
)

// clanEnv makes the test [TestClanVictim] a program that is going to be killed: it
// runs a family in the named HERMES_HOME, does what it reads, and prints how the
// subagents stand.
const clanEnv = "HERMES_TUI_TEST_CLAN"

func clanLimits() delegate.Limits {
	l := limits()
	l.Concurrent = 5
	return l
}

// TestClanVictim is the program that is killed by others; alone it does nothing.
func TestClanVictim(t *testing.T) {
	dir := os.Getenv(clanEnv)
	if dir == "" {
		t.Skip("NOT A TEST: the part of a program that other tests kill")
	}
	r := &rig{t: t, dir: dir, work: os.Getenv("HERMES_TUI_TEST_WORK"), ids: event.SystemSource()}
	r.serve(say())
	r.openStore()
	var err error
	r.rules, err = shellrisk.NewRules([]shellrisk.RuleSpec{
		{Allow: "terminal(echo *)"}, {Allow: "terminal(sleep *)"}, {Allow: "terminal([ *)"},
	}, shellrisk.RulePlace{Home: dir, HermesHome: dir, Workspace: r.work})
	r.check(err)
	r.start(nil, r.family(clanLimits()), at(t, os.Getenv("HERMES_TUI_TEST_URL")))
	fmt.Println("session", r.conv.ID(), r.conv.Session())
	r.submit("go")
	go r.obey(os.Stdin)
	for {
		events, err := r.conv.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			r.state.Apply(e)
		}
		for _, a := range r.state.Agents {
			fmt.Println("agent", a.ID, string(a.State)+"/"+string(a.Phase), a.Goal)
		}
		fmt.Println("queue", len(r.state.Queue))
	}
}

// obey does what lines say: pause an agent, or steer one.
func (r *rig) obey(from io.Reader) {
	for in := bufio.NewScanner(from); in.Scan(); {
		verb, id, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "pause":
			r.check(r.conv.Pause(event.AgentID(id), api.Self))
		case "steer":
			_, err := r.conv.Steer(event.AgentID(id), "turn left")
			r.check(err)
		}
	}
}

// clan is a family in a program of its own.
type clan struct {
	*rig
	u             *unruly
	cmd           *exec.Cmd
	say           io.Writer
	conv, session string

	mu    sync.Mutex
	now   map[string]string // how the agent with a goal stands
	ids   map[string]string
	queue string
}

func newClan(t *testing.T, c cast) *clan {
	t.Helper()
	k := &clan{u: serveUnruly(t, c.answer), now: map[string]string{}, ids: map[string]string{}}
	k.rig = &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	k.serve(say())
	k.cmd = exec.Command(os.Args[0], "-test.run=^TestClanVictim$", "-test.count=1")
	k.cmd.Env = append(os.Environ(), clanEnv+"="+k.dir, "HERMES_TUI_TEST_URL="+k.u.url, "HERMES_TUI_TEST_WORK="+k.work)
	out, err := k.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if k.say, err = k.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { defer close(read); k.read(out) }()
	t.Cleanup(func() {
		_ = k.cmd.Process.Kill() // it is dead, as a rule
		<-read
		_ = k.cmd.Wait()
	})
	return k
}

func (k *clan) read(out io.Reader) {
	for in := bufio.NewScanner(out); in.Scan(); {
		f := strings.SplitN(in.Text(), " ", 4)
		k.mu.Lock()
		switch {
		case f[0] == "session" && len(f) == 3:
			k.conv, k.session = f[1], f[2]
		case f[0] == "agent" && len(f) == 4:
			k.ids[f[3]], k.now[f[3]] = f[1], f[2]
		case f[0] == "queue" && len(f) == 2:
			k.queue = f[1]
		case strings.HasPrefix(f[0], "---"):
			k.t.Errorf("the victim says %s", in.Text())
		}
		k.mu.Unlock()
	}
}

// wait waits until something is so in the other program.
func (k *clan) wait(what string, ok func() bool) {
	k.t.Helper()
	for ends := time.Now().Add(patience); ; {
		k.mu.Lock()
		so, now := ok(), fmt.Sprint(k.now)
		k.mu.Unlock()
		if so {
			return
		}
		if time.Now().After(ends) {
			k.t.Fatalf("waiting until %s: %s", what, now)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// tell makes the other program do something with an agent.
func (k *clan) tell(verb, goal string) {
	k.mu.Lock()
	id := k.ids[goal]
	k.mu.Unlock()
	_, err := fmt.Fprintln(k.say, verb, id)
	k.check(err)
}

// kill kills the program and goes on with its conversation.
func (k *clan) kill() *agent.Past {
	k.t.Helper()
	k.check(k.cmd.Process.Kill())
	_ = k.cmd.Wait() // it was killed
	k.openStore()
	past, err := agent.Revive(k.t.Context(), k.db, k.rig.ids, event.ConvID(k.conv), event.SessionID(k.session))
	if err != nil {
		k.t.Fatal(err)
	}
	k.start(past, k.family(clanLimits()), at(k.t, k.u.url))
	return past
}

// has reports whether the half of an answer is saved.
func (k *clan) has(half string) bool {
	db, err := sessions.Open(k.t.Context(), filepath.Join(k.dir, "state.db"), sessions.Options{ReadOnly: true})
	if err != nil {
		return false
	}
	defer db.Close()
	list, err := db.Partials(k.t.Context(), k.conv)
	return err == nil && slices.ContainsFunc(list, func(p sessions.Partial) bool { return strings.Contains(p.Text, half) })
}

// told are the results of tools in the stored messages of the agent with a goal.
func (k *clan) told(goal string) (list []string) {
	rows, err := k.db.Messages(k.t.Context(), string(k.child(goal).Session))
	k.check(err)
	for _, m := range rows {
		if m.Role == "tool" {
			list = append(list, m.Content)
		}
	}
	return list
}

// TestKillWithChildren kills the program while subagents do everything they can:
// they are shown as interrupted, nothing runs twice, what is stored is valid, and
// the root goes on.
func TestKillWithChildren(t *testing.T) {
	many := hands("streams", "runs", "asks", "pauses", "boss", "never")
	many.args["tasks"].([]any)[4].(map[string]any)["role"] = "orchestrator"
	k := newClan(t, cast{
		"":        {calls(behind("behind")), calls(many), says("I go on.")},
		"streams": {func(a *ask) { a.stream(textEvent("The first half.")); a.stall() }},
		"runs":    {calls(runs("echo runs >> proof; sleep 61"), runs("echo second >> proof"))},
		"asks":    {calls(runs(risky("asks")))},
		"pauses":  {calls(runs("echo pauses >> proof; until [ -e go1 ]; do sleep 0.01; done")), says("never said")},
		"boss":    {calls(hands("below"))},
		"below":   {calls(runs("echo below >> proof; sleep 61"))},
		"behind":  {calls(runs("echo behind >> proof; sleep 61"))},
	})
	k.wait("all are at work", func() bool {
		return len(k.lines("proof")) == 4 && k.now["streams"] == "running/answering" && k.now["asks"] == "waiting/tools" && k.now["never"] == "queued/idle"
	})
	k.tell("pause", "pauses")
	k.wait("it is about to pause", func() bool { return k.now["pauses"] == "pausing/tools" })
	write(t, k.work, "go1", "")
	k.tell("steer", "runs")
	k.tell("steer", "never")
	k.wait("the texts wait", func() bool {
		return k.queue == "2" && strings.HasPrefix(k.now["pauses"], "paused/") && k.has("first half.")
	})
	past := k.kill()

	for _, goal := range []string{"streams", "runs", "asks", "pauses", "boss", "below", "never", "behind"} {
		if a := k.child(goal); a == nil || a.State != event.AgentInterrupted || !strings.Contains(a.Error, "The program ended") || a.Turn != "" || len(a.Running) > 0 {
			t.Errorf("%s: %+v", goal, a)
		}
	}
	root := k.state.Root()
	if root.State != event.AgentIdle || root.Turn != "" || len(k.state.Queue) != 0 || len(k.state.Requests) != 0 {
		t.Errorf("the root is %s, %d wait, %d questions", root.State, len(k.state.Queue), len(k.state.Requests))
	}
	k.wants("delegate_task ended ok behind", "delegate_task ended unknown", "may have run", "notice The program ended")
	for goal, want := range map[string][]string{
		"runs": {"may have run", "did not run"}, "asks": {"did not run"}, "below": {"may have run"}, "boss": {"may have run"}, "behind": {"may have run"},
	} {
		got := k.told(goal)
		for i, part := range want {
			if len(got) != len(want) || !strings.Contains(got[i], part) {
				t.Errorf("%s is told %q, want %q", goal, got, want)
			}
		}
	}
	if rows, err := k.db.Messages(t.Context(), string(k.child("streams").Session)); err != nil || len(rows) != 2 || rows[1].Content != "The first half." {
		t.Errorf("of the half answer is stored %+v, %v", rows, err)
	}
	for _, goal := range []string{"runs", "never"} {
		if n := k.shown(k.child(goal).ID, "turn left"); n != 1 {
			t.Errorf("what %s was not told is shown %d times", goal, n)
		}
	}
	k.sound(k.u)
	if again := k.revive(); again.Seq != past.Seq {
		t.Error("revived differently the second time")
	}
	k.submit("go on")
	k.idle(root.Turns + 1)
	k.wants("user go on", "answer I go on.")
	got := k.lines("proof")
	slices.Sort(got)
	if !slices.Equal(got, []string{"behind", "below", "pauses", "runs"}) {
		t.Errorf("ran %q", got)
	}
	k.sound(k.u)
}

// TestKillBetweenTurns kills the program when only a subagent works that no one
// waits for, and that asks something.
func TestKillBetweenTurns(t *testing.T) {
	k := newClan(t, cast{
		"":       {calls(behind("behind")), says("It works."), says("I go on.")},
		"behind": {calls(runs(risky("x")))},
	})
	k.wait("it asks", func() bool { return k.now["behind"] == "waiting/tools" && strings.HasPrefix(k.now[""], "idle/") })
	k.kill()
	if a := k.child("behind"); a.State != event.AgentInterrupted || len(k.state.Requests) != 0 || !strings.Contains(k.told("behind")[0], "did not run") {
		t.Errorf("%+v", a)
	}
	k.submit("go on")
	k.idle(2)
	k.wants("answer It works.", "user go on", "answer I go on.")
	if got := k.lines("proof"); len(got) != 0 {
		t.Errorf("ran %q", got)
	}
	k.sound(k.u)
}
