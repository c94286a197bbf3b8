//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
)

// newHeld is a bench in a place that confines jobs one by one.
func newHeld(t testing.TB) (b *bench, permit func(mode approval.Mode, command string) approval.Permit) {
	t.Helper()
	near := newBench(t, nil)
	at, err := place.NewGuarded(context.Background(), near.place, place.GuardedOptions{Roots: []string{near.dir}})
	if errors.Is(err, place.ErrNoSandbox) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	gate := approval.New(approval.Options{Place: at, Home: at.Info().Home, Workspace: near.dir})
	b = &bench{t: t, place: near.place, gate: gate, ledger: &memory{}, dir: near.dir, env: near.env, told: make(chan struct{}, 1000)}
	b.Jobs = New(b.options(func(o *Options) { o.Place = at }))
	b.tool = b.Tool("root")
	t.Cleanup(func() {
		if err := errors.Join(b.Close(ceiling(t), false), at.Close()); err != nil {
			t.Error(err)
		}
	})
	return b, func(mode approval.Mode, command string) approval.Permit {
		t.Helper()
		p, err := gate.Decide(context.Background(), approval.Request{Tool: "terminal", Mode: mode, Action: tools.Action{
			Kind: tools.ActExec, Command: command, Argv: []string{at.Info().Shell, "--norc", "-c", command}, Dir: b.dir, Env: b.env, Background: true,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func TestConfinedJob(t *testing.T) {
	b, permit := newHeld(t)
	outside := filepath.Join(b.dir, "../outside")
	command := "touch inside; touch " + outside + " || exit 3"
	for _, tty := range []bool{false, true} {
		id := b.start(command, func(s *Spec) { s.Permit, s.Terminal = permit(approval.ModeGuarded, command), tty })
		b.ended(id)
		if _, err := os.Stat(outside); err == nil {
			t.Fatalf("terminal %v: a confined job wrote outside", tty)
		}
		if got := b.do(map[string]any{"action": "poll", "session_id": id}); !strings.Contains(got["note"].(string), "outside") || got["exit_code"] != 3.0 {
			t.Errorf("terminal %v: %v", tty, got)
		}
	}
	id := b.start(command, func(s *Spec) { s.Permit = permit(approval.ModeOff, command) })
	if i := b.ended(id); *i.Exit != 0 {
		t.Errorf("a job with all rights: %+v", i)
	}
}

// What may run only confined is not typed into a shell with all rights, unless the
// user says so; a confined shell takes it.
func TestConfinedInput(t *testing.T) {
	b, permit := newHeld(t)
	outside := filepath.Join(b.dir, "../outside")
	typeIn := func(mode approval.Mode, answer tools.Choice, touch string) (string, *person) {
		id := b.start("bash", func(s *Spec) { s.Permit = permit(mode, "bash") })
		raw := []byte(tools.JSON(map[string]any{"action": "submit", "session_id": id, "data": "touch " + touch + "; echo done"}))
		action, err := b.tool.Action(raw)
		if err != nil {
			t.Fatal(err)
		}
		who := &person{choice: answer}
		p, err := b.gate.Decide(context.Background(), approval.Request{Tool: "process", Action: action, Mode: approval.ModeGuarded, Host: who})
		if err != nil {
			t.Fatal(err)
		}
		res, err := b.tool.Run(ceiling(t), tools.Call{ID: "1", Name: "process", Args: raw, Permit: p}, who, nil)
		if err != nil {
			t.Fatal(err)
		}
		if res.Status == tools.StatusOK {
			until(t, "the input was obeyed", func() bool { text, _ := b.Tail(id, 1000); return strings.Contains(text, "done") })
		}
		return res.Content, who
	}
	if got, who := typeIn(approval.ModeOff, tools.ChoiceConfined, "in1"); who.asked == nil || !strings.Contains(got, "error") {
		t.Errorf("with all rights, left confined: %s, asked %v", got, who.asked)
	}
	if got, who := typeIn(approval.ModeOff, tools.ChoiceOnce, "in2"); who.asked == nil || !strings.Contains(got, "ok") {
		t.Errorf("with all rights, allowed: %s, asked %v", got, who.asked)
	}
	if got, who := typeIn(approval.ModeGuarded, tools.ChoiceDeny, "in3"); who.asked != nil || !strings.Contains(got, "ok") {
		t.Errorf("confined: %s, asked %v", got, who.asked)
	}
	for name, want := range map[string]bool{"in1": false, "in2": true, "in3": true, "../outside": false} {
		if _, err := os.Stat(filepath.Join(b.dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v", name, err == nil)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("outside was written")
	}
}
