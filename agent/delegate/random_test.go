package delegate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/agent/event"
)

// writer makes scripts that fit into a model.
type writer struct {
	*rand.Rand
	m *model
}

var ofSelf = []string{
	"kill", "killall", "pause", "pause", "pauseall", "resume", "resume", "resumeall", "cut",
}

var ofHands = []string{
	"check", "check", "check", "beat", "tool", "untool", "ask", "answer", "completed", "completed", "failed", "panic", "goexit", "nothing", "let",
}

// line is something that may happen next.
func (w *writer) line() string {
	m := w.m
	some := func() *actor {
		if len(m.cast) == 0 || w.IntN(12) == 0 {
			return m.root
		}
		return m.cast[len(m.cast)-1-min(w.IntN(12), w.IntN(len(m.cast)))]
	}
	switch n := w.IntN(40); {
	case n < 11:
		words := []string{"spawn", fmt.Sprintf("a%d", len(m.cast)), some().name}
		for _, word := range []string{"bg", "orch", "orch", "stubborn"} {
			if w.IntN(3) == 0 {
				words = append(words, word)
			}
		}
		return strings.Join(words, " ")
	case n < 12:
		return []string{"freeze", "thaw", "thaw"}[w.IntN(3)]
	case n < 13 && m.turn:
		return "end"
	case n < 13:
		return fmt.Sprintf("begin t_%d", w.IntN(1000))
	case n < 15:
		return fmt.Sprintf("wait %ds", 2+w.IntN(80))
	case n < 23:
		return ofSelf[w.IntN(len(ofSelf))] + " " + some().name
	}
	return ofHands[w.IntN(len(ofHands))] + " " + some().name
}

// fits reports whether a line makes sense now: what only a subagent does that runs.
func (m *model) fits(line string) bool {
	f := strings.Fields(line)
	switch {
	case f[0] == "begin":
		return !m.turn
	case f[0] == "end":
		return m.turn
	case len(f) < 2 || f[0] == "wait":
		return true
	}
	a := m.find(f[1])
	known := a != m.root || f[1] == "root"
	switch {
	case f[0] == "spawn":
		up := m.find(f[2])
		return !known && (up == m.root && f[2] == "root" || up != m.root)
	case !known || a.state == event.AgentRefused:
		return false
	case f[0] == "let":
		return a.stubborn
	case slices.Contains(ofHands, f[0]):
		return a != m.root && a.placed && !a.state.Ended() && a.returned == ""
	case f[0] == "cut", f[0] == "kill":
		return a != m.root
	}
	return true
}

// perform plays a script in a world and in a model, and compares them after each
// line. It returns what went wrong.
func perform(script []string, seed uint64) error {
	m := newModel(limits())
	w := newWorld(m.l, seed)
	at := func() error {
		for i, line := range script {
			if !m.fits(line) {
				continue // something before it was left out
			}
			if err := m.both(w, line); err != nil {
				return fmt.Errorf("line %d, %s: %w", i, line, err)
			}
		}
		return nil
	}()
	return errors.Join(at, w.close())
}

func (m *model) both(w *world, line string) error {
	if d, waits := strings.CutPrefix(line, "wait "); waits {
		return m.wait(w, d)
	}
	f := strings.Fields(line)
	over := len(f) > 1 && m.find(f[1]).state.Ended()
	m.do(line)
	err := w.play(line)
	synctest.Wait()
	a := m.find(f[min(1, len(f)-1)])
	switch refused := (*Refused)(nil); {
	case f[0] == "spawn" && errors.As(err, &refused) != (a.state == event.AgentRefused):
		return errors.Join(errors.New("it was refused, or was not, with"), err)
	case f[0] != "spawn" && over != errors.Is(err, ErrEnded) && slices.Contains(ofSelf[:8], f[0]):
		return errors.Join(errors.New("it has ended, or has not, with"), err)
	}
	return m.compare(w)
}

const step = 2 * time.Second

// wait lets time pass, and takes over from the registry when exactly a limit was
// found to be over, within the time that it has for that.
func (m *model) wait(w *world, text string) error {
	d, err := time.ParseDuration(text)
	for ; d > 0 && err == nil; d -= step {
		for _, a := range m.cast {
			if !a.state.Ended() && !a.held() {
				a.worked += step
				a.quiet += step
			}
		}
		pass(step)
		if err = m.late(w); err == nil {
			err = m.compare(w)
		}
	}
	return err
}

func (m *model) late(w *world) error {
	var gone []*actor
	slack := 2*m.l.beat() + step
	for _, a := range m.cast {
		if !a.placed || a.asked != "" || a.returned != "" {
			continue
		}
		quiet := m.l.Idle
		if a.tools > 0 {
			quiet = m.l.InTool
		}
		over := max(a.quiet-quiet, a.worked-m.l.Timeout)
		h := w.hand(a.name)
		w.r.mu.Lock()
		ended := h.m.asked.state == event.AgentTimeout
		w.r.mu.Unlock()
		switch {
		case ended && over < 0:
			return fmt.Errorf("%s ended %v too early", a.name, -over)
		case ended:
			gone = append(gone, a)
			a.asked = event.AgentTimeout
		case over > slack && !a.cut && !above(a, gone):
			return fmt.Errorf("%s lives %v too long", a.name, over)
		}
	}
	for _, a := range gone {
		a.asked = ""
		if a.cut {
			return fmt.Errorf("%s has timed out after it was cut off", a.name)
		}
		m.stop(a, event.AgentTimeout)
	}
	m.settle()
	return nil
}

// above reports whether one of a list is above an actor.
func above(a *actor, list []*actor) bool {
	for ; a != nil; a = a.up {
		if slices.Contains(list, a) {
			return true
		}
	}
	return false
}

// compare compares a model with the registry and with the fold of what it has
// recorded.
func (m *model) compare(w *world) error {
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	live := 0
	for _, a := range append([]*actor{m.root}, m.cast...) {
		var got *Member
		if a == m.root {
			got = w.r.root
		} else if got = w.hands[a.name].m; got == nil {
			if a.state != event.AgentRefused {
				return fmt.Errorf("%s was refused", a.name)
			}
			continue
		}
		if a != m.root && !a.state.Ended() {
			live++
		}
		fold, want := w.state.Agent(got.id), a.state
		if want == event.AgentRunning && a.asking > 0 {
			want = event.AgentWaiting
		}
		switch {
		case got.state != a.state:
			return fmt.Errorf("%s is %s, want %s", a.name, got.state, a.state)
		case fold.State != want:
			return fmt.Errorf("%s is %s in the fold, want %s", a.name, fold.State, want)
		case got.slots != a.places:
			return fmt.Errorf("%s has given %d places, want %d", a.name, got.slots, a.places)
		case !a.state.Ended() && a != m.root && got.held != a.held():
			return fmt.Errorf("%s is held: %v, want %v", a.name, got.held, a.held())
		}
	}
	if live != len(w.r.live) || live > 0 && w.r.pulse == nil && slices.ContainsFunc(m.cast, func(a *actor) bool { return a.placed && !a.state.Ended() }) {
		return fmt.Errorf("%d are alive, want %d", len(w.r.live), live)
	}
	return nil
}

const (
	seeds = 500
	lines = 80
)

// TestModel plays random scripts. One that fails is shortened as far as it still
// fails.
func TestModel(t *testing.T) {
	for seed := range uint64(seeds) {
		m := newModel(limits())
		luck := &writer{rand.New(rand.NewPCG(seed, 1)), m}
		var script []string
		for len(script) < lines {
			line := luck.line()
			if !m.fits(line) {
				continue
			}
			script = append(script, line)
			if !strings.HasPrefix(line, "wait") { // after which the model knows less, and fits less well
				m.do(line)
			}
		}
		fails := func(script []string) (err error) {
			synctest.Test(t, func(*testing.T) { err = perform(script, seed) })
			return err
		}
		if err := fails(script); err != nil {
			script, err = shortened(script, err, fails)
			t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(script, ";"))
		}
	}
}

// shortened leaves lines out as long as a script fails.
func shortened(script []string, err error, fails func([]string) error) ([]string, error) {
	for again := true; again; {
		again = false
		for i := len(script) - 1; i >= 0; i-- {
			less := slices.Delete(slices.Clone(script), i, i+1)
			if e := fails(less); e != nil {
				script, err, again = less, e, true
			}
		}
	}
	return script, err
}
