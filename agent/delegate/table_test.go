package delegate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
)

// play carries out one line of a script: a verb, a name, and what else the verb
// takes.
func (w *world) play(line string) error {
	f := strings.Fields(line)
	verb, name := f[0], ""
	if len(f) > 1 {
		name = f[1]
	}
	switch verb {
	case "spawn": // NAME [PARENT] [bg] [orch] [stubborn]
		return w.playSpawn(name, f[2:])
	case "wait":
		d, err := time.ParseDuration(name)
		pass(d)
		return err
	case "freeze", "thaw":
		w.r.Freeze(verb == "freeze")
		return nil
	case "begin":
		w.begin(event.TurnID(name))
		return nil
	case "end":
		w.end()
		return nil
	}
	id, h := rootID, w.hand(name)
	if h != nil && h.m != nil {
		id = h.m.id
	}
	if done, err := w.playControl(verb, id); done {
		return err
	}
	return w.playHand(verb, h)
}

func (w *world) playSpawn(name string, more []string) error {
	under, alter := "", []func(*Spec, *hand){}
	for _, word := range more {
		switch word {
		case "bg":
			alter = append(alter, background)
		case "orch":
			alter = append(alter, orchestrator)
		case "stubborn":
			alter = append(alter, stubborn)
		default:
			under = word
		}
	}
	_, err := w.spawn(name, under, alter...)
	return err
}

func (w *world) playControl(verb string, id event.AgentID) (bool, error) {
	switch verb {
	case "kill":
		return true, w.r.Kill(id, api.Self)
	case "killall":
		return true, w.r.Kill(id, api.Subtree)
	case "pause":
		return true, w.r.Pause(id, api.Self)
	case "pauseall":
		return true, w.r.Pause(id, api.Subtree)
	case "resume":
		return true, w.r.Resume(id, api.Self)
	case "resumeall":
		return true, w.r.Resume(id, api.Subtree)
	}
	return false, nil
}

func (w *world) playHand(verb string, h *hand) error {
	switch verb {
	case "cut":
		h.cut(errCut)
	case "let":
		close(h.let)
	case "beat":
		h.m.Beat()
	case "tool":
		h.tool()
	case "untool":
		h.untool()
	case "ask":
		h.ask(w)
	case "answer":
		h.answer()
	case "check":
		h.check()
	case "completed", "failed", "panic", "goexit", "nothing":
		h.ends(verb)
	default:
		return fmt.Errorf("no such verb: %s", verb)
	}
	return nil
}

// transitions are scripts and what is recorded then of an agent.
var transitions = []struct {
	name, script string
	lives        map[string]string
	why          string // the error in the end of a
}{
	{"completes", "spawn a;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"fails", "spawn a;failed a", map[string]string{"a": "spawned running failed!"}, ""},
	{"panics", "spawn a;panic a", map[string]string{"a": "spawned running failed!"}, "internal error: it fell over"},
	{"leaves its goroutine", "spawn a;goexit a", map[string]string{"a": "spawned running failed!"}, "internal error: it ended without saying how"},
	{"says nothing", "spawn a;nothing a", map[string]string{"a": "spawned running failed!"}, "internal error: it ended without saying how"},
	{"is killed", "spawn a;kill a", map[string]string{"a": "spawned running stopping killed!"}, "ended by you"},
	{"is killed twice", "spawn a stubborn;kill a;kill a;let a", map[string]string{"a": "spawned running stopping killed!"}, "ended by you"},
	{"completes after it was killed", "spawn a stubborn;kill a;completed a", map[string]string{"a": "spawned running stopping killed!"}, "ended by you"},
	{"is cut off", "spawn a;cut a", map[string]string{"a": "spawned running stopping interrupted!"}, "what it depends on was stopped"},
	{"is killed after it was cut off", "spawn a stubborn;cut a;kill a;let a", map[string]string{"a": "spawned running stopping interrupted!"}, "what it depends on was stopped"},
	{"is cut off after it was killed", "spawn a stubborn;kill a;cut a;let a", map[string]string{"a": "spawned running stopping killed!"}, "ended by you"},
	{"pauses", "spawn a;pause a;check a;resume a;completed a", map[string]string{"a": "spawned running pausing paused running completed!"}, ""},
	{"is resumed before it arrives", "spawn a;pause a;resume a;check a;completed a", map[string]string{"a": "spawned running pausing running completed!"}, ""},
	{"is paused twice", "spawn a;pause a;pause a;check a;pause a;check a;resume a;resume a;completed a", map[string]string{"a": "spawned running pausing paused running completed!"}, ""},
	{"is resumed without being paused", "spawn a;resume a;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"completes while it is to pause", "spawn a;pause a;completed a", map[string]string{"a": "spawned running pausing completed!"}, ""},
	{"is killed while paused", "spawn a;pause a;check a;kill a", map[string]string{"a": "spawned running pausing paused stopping killed!"}, "ended by you"},
	{"is cut off while paused", "spawn a;pause a;check a;cut a", map[string]string{"a": "spawned running pausing paused stopping interrupted!"}, "what it depends on was stopped"},
	{"is paused while it ends", "spawn a stubborn;kill a;pause a;resume a;let a", map[string]string{"a": "spawned running stopping killed!"}, "ended by you"},
	{"waits for its place", "spawn a;spawn b;spawn c;completed a", map[string]string{"a": "spawned running completed!", "c": "spawned running"}, ""},
	{"is killed while queued", "spawn b;spawn c;spawn a;kill a", map[string]string{"a": "spawned killed!"}, "ended by you"},
	{"is cut off while queued", "spawn b;spawn c;spawn a;cut a", map[string]string{"a": "spawned interrupted!"}, "what it depends on was stopped"},
	{"is paused while queued", "spawn b;spawn c;spawn a;spawn d;pause a;completed b;resume a;completed c", map[string]string{
		"a": "spawned paused queued running", "d": "spawned running"}, ""},
	{"is killed while queued and paused", "spawn b;spawn c;spawn a;pause a;kill a", map[string]string{"a": "spawned paused killed!"}, "ended by you"},
	{"places go round", "spawn a;spawn b;spawn c;spawn d;panic a;kill b;completed c", map[string]string{"d": "spawned running"}, "internal error: it fell over"},
	{"the background needs no place", "spawn a;spawn b;spawn c;spawn d bg;spawn e bg;spawn f bg", map[string]string{
		"c": "spawned", "d": "spawned running", "e": "spawned running", "f": "spawned refused!"}, ""},
	{"nested", "spawn b orch;spawn a b;completed a;completed b", map[string]string{"a": "spawned running completed!", "b": "spawned running completed!"}, ""},
	{"nested places are their own", "spawn b orch;spawn c orch;spawn a b;spawn d b;spawn e b", map[string]string{"d": "spawned running", "e": "spawned"}, ""},
	{"the one above completes", "spawn b orch;spawn a b stubborn;completed b;let a", map[string]string{
		"a": "spawned running stopping interrupted!", "b": "spawned running completed!"}, "the agent above it ended"},
	{"the one above panics", "spawn b orch;spawn a b;panic b", map[string]string{"a": "spawned running stopping interrupted!", "b": "spawned running failed!"}, "the agent above it ended"},
	{"the one above is killed", "spawn b orch;spawn a b;kill b", map[string]string{
		"a": "spawned running stopping interrupted!", "b": "spawned running stopping killed!"}, "the agent above it ended"},
	{"the tree is killed", "spawn b orch;spawn a b;killall b", map[string]string{
		"a": "spawned running stopping killed!", "b": "spawned running stopping killed!"}, "ended by you"},
	{"everything is killed", "spawn b orch;spawn a b;spawn c bg;killall root", map[string]string{
		"a": "spawned running stopping killed!", "b": "spawned running stopping killed!", "c": "spawned running stopping killed!"}, "ended by you"},
	{"the tree pauses", "spawn b orch;spawn a b;pauseall b;check a;check b;spawn c b;resumeall b", map[string]string{
		"a": "spawned running pausing paused running", "b": "spawned running pausing paused running", "c": "spawned paused queued running"}, ""},
	{"only one is resumed", "spawn b orch;spawn a b;pauseall b;check a;check b;resume b;spawn c b", map[string]string{
		"a": "spawned running pausing paused", "b": "spawned running pausing paused running", "c": "spawned running"}, ""},
	{"no sign", "spawn a;wait 59s;beat a;wait 58s;beat a;wait 70s", map[string]string{"a": "spawned running stopping timeout!"}, "it showed no sign of progress for 1m"},
	{"no sign in a call", "spawn a;tool a;wait 119s;untool a;tool a;wait 130s", map[string]string{"a": "spawned running stopping timeout!"}, "it showed no sign of progress for 2m"},
	{"no sign after a call", "spawn a;tool a;untool a;wait 70s", map[string]string{"a": "spawned running stopping timeout!"}, "it showed no sign of progress for 1m"},
	{"calls overlap", "spawn a;tool a;tool a;untool a;wait 110s;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"too long", "spawn a;tool a;wait 100s;beat a;wait 100s;beat a;wait 99s;beat a;wait 2s", map[string]string{"a": "spawned running stopping timeout!"}, "it worked longer than a subagent may, which is 5m"},
	{"the user takes their time", "spawn a;ask a;wait 20h;answer a;wait 55s;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"paused for long", "spawn a;pause a;check a;wait 20h;resume a;wait 55s;completed a", map[string]string{"a": "spawned running pausing paused running completed!"}, ""},
	{"queued for long", "spawn b;spawn c;ask b;ask c;spawn a;wait 20h;completed b;wait 55s;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"the one below asks", "spawn a orch;spawn b a;spawn c a;ask b;pause c;check c;wait 20h;answer b;wait 50s;completed b;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"the one below works", "spawn a orch;spawn b a;tool a;wait 100s;beat b;wait 100s;beat b;wait 50s;completed b;completed a", map[string]string{"a": "spawned running completed!"}, ""},
	{"is refused", "freeze;spawn a", map[string]string{"a": "spawned refused!"}, "the user has stopped the starting of subagents; go on without one"},
	{"is thawed", "freeze;thaw;spawn a", map[string]string{"a": "spawned running"}, ""},
	{"below a leaf", "spawn b;spawn a b", map[string]string{"a": "spawned refused!"}, "the agent that asks for it may not have subagents; it has to do the work itself"},
	{"below one that has ended", "spawn b orch;completed b;spawn a b", map[string]string{"a": "spawned refused!"}, "the agent that asks for it has ended"},
	{"below one that ends", "spawn b orch stubborn;kill b;spawn a b", map[string]string{"a": "spawned refused!"}, "the agent that asks for it is being ended"},
	{"below nobody", "freeze;spawn b;thaw;spawn a b", map[string]string{"a": "spawned refused!"}, "the agent that asks for it is not known"},
	{"too deep", "spawn b orch;spawn c b orch;spawn d c orch;spawn a d", map[string]string{"d": "spawned running", "a": "spawned refused!"}, "the agent that asks for it may not have subagents; it has to do the work itself"},
	{"the background from below", "spawn b orch;spawn a b bg", map[string]string{"a": "spawned refused!"}, "only the root agent may start a subagent in the background"},
}

func TestTransitions(t *testing.T) {
	for _, c := range transitions {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(limits(), 1)
				for line := range strings.SplitSeq(c.script, ";") {
					err := w.play(line)
					if _, refused := errors.AsType[*Refused](err); err != nil && !refused {
						t.Errorf("%s: %v", line, err)
					}
					synctest.Wait()
				}
				for name, want := range c.lives {
					a := w.named(name)
					if got := w.life(a.ID); got != want {
						t.Errorf("%s: %s, want %s", name, got, want)
					}
				}
				if a := w.named("a"); a.Error != c.why && a.State.Ended() {
					t.Errorf("because %q, want %q", a.Error, c.why)
				}
				if err := w.close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestRoot pauses the root agent, between its turns and within them.
func TestRoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(limits(), 1)
		root := w.r.Root()
		w.end()
		try(t, w.play("pause root"), nil)
		w.begin("t_2")
		passed := make(chan error)
		go func() { passed <- root.Checkpoint(context.Background()) }()
		synctest.Wait()
		if got := w.state.Root().State; got != event.AgentPaused || root.Tree() != "t_2" {
			t.Errorf("%s in %s", got, root.Tree())
		}
		try(t, w.play("resume root"), nil)
		try(t, <-passed, nil)
		try(t, w.play("pause root"), nil)
		w.end()
		try(t, w.play("resume root"), nil)
		synctest.Wait()
		if got := w.life(rootID); got != "spawned paused pausing paused running pausing paused running" || w.state.Root().State != event.AgentIdle {
			t.Errorf("%s, %s", got, w.state.Root().State)
		}
		try(t, w.play("kill root"), ErrRoot)
		try(t, w.play("killall root"), nil)
		try(t, w.close(), nil)
	})
}

func try(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}
