package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// victimEnv makes the test binary a program that is going to be killed: it runs
// one conversation in the named HERMES_HOME and reports what happens.
const victimEnv = "HERMES_TUI_TEST_VICTIM"

// victimWindowEnv gives the victim's model, and that of the conversation that is
// revived, a window and compression.
const victimWindowEnv = "HERMES_TUI_TEST_WINDOW"

// victimModeEnv gives the victim another mode than off.
const victimModeEnv = "HERMES_TUI_TEST_MODE"

func victimWindow(c *agent.Config) {
	if n, err := strconv.Atoi(os.Getenv(victimWindowEnv)); err == nil {
		compressing(n)(c)
	}
}

// victim submits "go" and prints a line for every event until it is killed.
func victim(dir string) {
	t := &fatal{}
	ids := event.SystemSource()
	db, err := sessions.Open(context.Background(), filepath.Join(dir, "state.db"), sessions.Options{Clock: ids.Clock, Rand: ids.Random})
	t.check(err)
	cfg := config(t, db, ids, dir, os.Getenv("HERMES_TUI_TEST_WORK"), os.Getenv("HERMES_TUI_TEST_URL"))
	cfg.Mode = event.ModeOff
	if mode := os.Getenv(victimModeEnv); mode != "" {
		cfg.Mode = event.Mode(mode)
	}
	victimWindow(&cfg)
	c := agent.New(cfg)
	fmt.Println("session", c.ID(), c.Session())
	_, err = c.Submit("go")
	t.check(err)
	for {
		events, err := c.Next(context.Background())
		t.check(err)
		for _, e := range events {
			detail := ""
			if d, ok := e.(*event.TextDelta); ok {
				detail = d.Text
			}
			fmt.Println(event.TypeOf(e), detail)
		}
	}
}

// fatal is a testing.TB outside of a test.
type fatal struct{ testing.TB }

func (*fatal) Helper()                  {}
func (*fatal) Context() context.Context { return context.Background() }
func (*fatal) Fatal(args ...any)        { fmt.Println(args...); os.Exit(1) }
func (f *fatal) check(err error) {
	if err != nil {
		f.Fatal("error", err)
	}
}

// kill starts a victim and kills it as soon as it prints a line that begins so,
// and after that as soon as ready says so. It returns the rig to revive on.
func kill(t *testing.T, s *script.Scenario, line string, ready func(r *rig) bool) (*rig, *agent.Past) {
	t.Helper()
	return killAnd(t, s, line, ready, nil)
}

// killAnd is [kill] with something that happens to the store before the conversation
// is revived.
func killAnd(t *testing.T, s *script.Scenario, line string, ready func(r *rig) bool, then func(r *rig, session string)) (*rig, *agent.Past) {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.serve(s)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimEnv+"="+r.dir, "HERMES_TUI_TEST_URL="+r.server.URL(), "HERMES_TUI_TEST_WORK="+r.work)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			lines <- sc.Text()
		}
	}()
	var conv, session string
	deadline := time.After(patience)
	for seen := false; !seen; {
		select {
		case l, open := <-lines:
			if !open {
				t.Fatal("the victim ended by itself")
			}
			if _, err := fmt.Sscanf(l, "session %s %s", &conv, &session); err != nil && strings.HasPrefix(l, line) {
				seen = true
			}
		case <-deadline:
			t.Fatalf("no line %q", line)
		}
	}
	go func() {
		for range lines {
		}
	}()
	for ready != nil && !ready(r) {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			t.Fatal("never ready")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	r.openStore()
	if then != nil {
		then(r, session)
	}
	past, err := agent.Revive(t.Context(), r.db, r.ids, event.ConvID(conv), event.SessionID(session))
	if err != nil {
		t.Fatal(err)
	}
	r.start(past, victimWindow)
	return r, past
}

// goOn sends another message and checks the request.
func (r *rig) goOn() body {
	r.t.Helper()
	turns := r.state.Root().Turns - r.seeded
	r.submit("go on")
	r.idle(turns + 1)
	all := r.bodies()
	return all[len(all)-1]
}

// halfStored reports whether the text that streams is checkpointed, which is due
// within a quarter of a second.
func halfStored(r *rig) bool {
	r.t.Helper()
	db, err := sessions.Open(r.t.Context(), filepath.Join(r.dir, "state.db"), sessions.Options{ReadOnly: true})
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	list, err := db.List(r.t.Context(), sessions.Filter{})
	if err != nil || len(list) != 1 {
		return false
	}
	p, err := db.Partials(r.t.Context(), list[0].Conv)
	return err == nil && len(p) == 1 && strings.Contains(p[0].Text, "first half.")
}

func TestKillDuringAStream(t *testing.T) {
	r, _ := kill(t, rounds(
		steps(script.Reasoning{Text: "planning"}, script.Text{Text: "The first half."}, script.Stall{}),
		steps(script.Text{Text: "The second half."}),
	), "text_delta", halfStored)
	r.wants("user go", "reasoning planning", "answer (partial) The first half.", "notice The program ended")
	if r.state.Busy() {
		t.Error("the turn is still open")
	}
	b := r.goOn()
	if n := len(b.Messages); n != 4 || *b.Messages[2].Content != "The first half." {
		t.Errorf("sent %+v", b.Messages)
	}
	r.wants("user go on", "answer The second half.")
}

func TestKillDuringATool(t *testing.T) {
	r, past := kill(t, rounds(
		steps(call("terminal", map[string]any{"command": "echo once >> proof; sleep 600"}), call("terminal", map[string]any{"command": "echo twice >> proof"})),
		steps(script.Text{Text: "I will check."}),
	), "tool_started", func(r *rig) bool {
		text, err := os.ReadFile(filepath.Join(r.work, "proof"))
		return err == nil && len(text) > 0
	})
	r.wants("terminal ended unknown echo once", "may have run", "terminal ended skipped echo twice", "notice The program ended")
	last := recall(t, past)[len(recall(t, past))-2:]
	if last[0].Role != providers.Tool || !strings.Contains(last[0].Text(), "may have run") || !strings.Contains(last[1].Text(), "did not run") {
		t.Errorf("the model is told %q and %q", last[0].Text(), last[1].Text())
	}
	r.goOn()
	if text, err := os.ReadFile(filepath.Join(r.work, "proof")); err != nil || string(text) != "once\n" {
		t.Errorf("the effect is %q, %v", text, err)
	}
}

func TestKillWhileAsking(t *testing.T) {
	t.Setenv(victimModeEnv, string(event.ModeManual))
	r, _ := kill(t, rounds(
		steps(call("terminal", map[string]any{"command": "rm -rf x"})),
		steps(script.Text{Text: "ok"}),
	), "requested", nil)
	r.wants("terminal ended skipped", "notice The program ended")
	if len(r.state.Requests) != 0 {
		t.Error("the question is still open")
	}
	r.goOn()
}

// TestReviveTwice checks that bringing a turn to its end is done once.
func TestReviveTwice(t *testing.T) {
	r, past := kill(t, rounds(steps(script.Text{Text: "half"}, script.Stall{}), steps(script.Text{Text: "ok"})), "text_delta", nil)
	again := r.revive()
	if transcript(again.State) != transcript(past.State) || again.Seq != past.Seq {
		t.Errorf("revived differently:\n%s\n%s", transcript(past.State), transcript(again.State))
	}
}

// TestQueueSurvivesAKill submits three texts and kills during the first turn.
func TestQueueSurvivesAResume(t *testing.T) {
	r := newRig(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{User: "^one$"}, Steps: steps(script.Text{Text: "1"}, script.Stall{})},
		{Steps: steps(script.Text{Text: "answer to {{last_user}}"})},
	}})
	r.submit("one")
	r.until("text", phase(event.PhaseAnswering))
	r.submit("two")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := r.conv.Close(ctx); err != nil {
		t.Fatal(err)
	}
	r.start(r.revive())
	if len(r.state.Queue) != 1 || r.state.Queue[0].Text != "two" {
		t.Fatalf("queue %v", r.state.Queue)
	}
	r.conv.Flush()
	r.idle(2)
	r.wants("user one", "answer (partial) 1", "user two", "answer to two")
}

// TestResumeASessionOfAnotherProgram goes on with rows that have no journal.
func TestResumeASessionOfAnotherProgram(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "Now from here."}))
	conv, session := "c_foreign", "20260101_000000_abcdef"
	err := r.db.Commit(t.Context(), sessions.Batch{Conv: conv, Session: session, Create: &sessions.NewSession{Source: "cli", Model: "old"}, Messages: []sessions.Message{
		{ID: "x1", Role: "user", Content: "look around"},
		{ID: "x2", Role: "assistant", ToolCalls: `[{"id":"w1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]`},
		{ID: "x3", Role: "tool", ToolCallID: "w1", ToolName: "terminal", Content: `{"output":"a b"}`},
		{ID: "x4", Role: "assistant", Content: "Two files."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	past, err := agent.Revive(t.Context(), r.db, r.ids, event.ConvID(conv), event.SessionID(session))
	if err != nil {
		t.Fatal(err)
	}
	r.start(past)
	r.wants("user look around", "terminal ended ok", "answer Two files.")
	b := r.goOn()
	if len(b.Messages) != 6 || b.Messages[3].ToolCallID != "w1" {
		t.Errorf("sent %+v", b.Messages)
	}
}
