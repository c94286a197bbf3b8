package delegate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hermes-tui/agent/event"
)

// storm has several goroutines do whatever they like at the same time.
type storm struct {
	*world
	mu    sync.Mutex
	names []string
	pace  time.Duration // between the deeds of one of them
}

func (s *storm) some(luck *rand.Rand) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.names) == 0 || luck.IntN(10) == 0 {
		return "root"
	}
	return s.names[len(s.names)-1-min(luck.IntN(10), luck.IntN(len(s.names)))]
}

// rage is what one goroutine does.
func (s *storm) rage(seed, who uint64) error {
	luck := rand.New(rand.NewPCG(seed, who))
	for i := range 40 {
		if s.pace > 0 {
			time.Sleep(time.Duration(luck.Int64N(int64(s.pace))))
		}
		name := s.some(luck)
		h := s.hand(name)
		var err error
		switch n := luck.IntN(30); {
		case n < 10:
			err = s.child(fmt.Sprintf("a%d_%d", who, i), name, luck)
		case n < 18:
			verb := ofSelf[luck.IntN(8)]
			if name != "root" || verb != "kill" {
				err = s.order(verb, h)
			}
		case n == 18:
			s.r.Freeze(luck.IntN(3) == 0)
		case h == nil || h.member(s.world) == nil:
		case n == 19:
			h.cut(errCut)
		default:
			s.deed(h, ofHands[luck.IntN(len(ofHands))])
		}
		if _, refused := errors.AsType[*Refused](err); err != nil && !refused && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrUnknown) {
			return err
		}
	}
	return nil
}

func (h *hand) member(w *world) *Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return h.m
}

func (s *storm) order(verb string, h *hand) error {
	id := rootID
	if h != nil {
		m := h.member(s.world)
		if m == nil {
			return nil
		}
		id = m.id
	}
	_, err := s.playControl(verb, id)
	return err
}

func (s *storm) child(name, under string, luck *rand.Rand) error {
	var alter []func(*Spec, *hand)
	for _, f := range []func(*Spec, *hand){orchestrator, orchestrator, background} {
		if luck.IntN(2) == 0 {
			alter = append(alter, f)
		}
	}
	_, err := s.spawn(name, under, alter...)
	if err == nil {
		s.mu.Lock()
		s.names = append(s.names, name)
		s.mu.Unlock()
	}
	return err
}

// deed is done by the subagent itself, if it runs.
func (s *storm) deed(h *hand, verb string) {
	h.mu.Lock()
	ran := h.ran
	h.mu.Unlock()
	switch {
	case !ran, verb == "let", len(h.do) > 50:
	case verb == "check", verb == "ask", verb == "completed", verb == "failed", verb == "panic", verb == "goexit", verb == "nothing":
		if verb == "ask" {
			h.do <- func(context.Context) (Report, bool) { h.ask(s.world); return Report{}, false }
			return
		}
		_ = s.playHand(verb, h)
	default:
		_ = s.playHand(verb, h)
	}
}

// TestStorm lets several goroutines do everything at once, and looks at what must
// hold in the end: the fold agrees with the registry, everything has ended once, no
// place and no goroutine is lost.
func TestStorm(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			s := &storm{world: newWorld(limits(), seed), pace: time.Duration(seed%3) * 20 * time.Second}
			var wg sync.WaitGroup
			for who := range uint64(4) {
				wg.Go(func() {
					if err := s.rage(seed, who); err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
				})
			}
			wg.Wait()
			synctest.Wait()
			if err := s.agree(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := s.close(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// agree compares the registry with the fold of what it has recorded, and counts
// places.
func (w *world) agree() error {
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range append([]*Member{w.r.root}, w.r.live...) {
		fold := w.state.Agent(m.id).State
		if fold == event.AgentWaiting && m.asking > 0 {
			fold = event.AgentRunning
		}
		if fold != m.state {
			return fmt.Errorf("%s is %s in the fold, want %s", m.spec.Goal, fold, m.state)
		}
		held, placed := 0, 0
		for _, k := range m.below {
			if k.held {
				held++
			}
			if k.hasSlot && !k.spec.Background {
				placed++
			}
			waits := !k.hasSlot && k.ready && !k.paused && k.asked.state == "" && k.dep.Err() == nil
			if waits && (k.spec.Background || m.slots < w.r.o.Limits.Concurrent) {
				return fmt.Errorf("%s waits for a place that is there", k.spec.Goal)
			}
		}
		if held != m.heldBelow || placed != m.slots {
			return fmt.Errorf("%s: %d held of %d, %d placed of %d", m.spec.Goal, m.heldBelow, held, m.slots, placed)
		}
	}
	return nil
}
