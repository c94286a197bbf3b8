package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
)

// TestFamiliesInAnyOrder lets agents spawn others, run commands, ask and fail in
// any order, while a user kills, pauses, resumes, steers, freezes, interrupts,
// answers and takes back, and while the program is closed or dies at any moment and
// goes on. Whatever the order, every subagent ends once and after those below it,
// every request and all that is stored is valid, the screen shows what the journal
// says, no command runs twice, what is asked about runs only when exactly that was
// allowed, nothing that was said is lost or comes twice, and no process is left. The
// number of a subtest is its seed.
func TestFamiliesInAnyOrder(t *testing.T) {
	t.Parallel()
	runs := uint64(32)
	if testing.Short() {
		runs = 8
	}
	seeds := make(chan uint64)
	var playing sync.WaitGroup
	for range 8 { // they wait more than they compute
		playing.Go(func() {
			for seed := range seeds {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { newTribe(t, seed).play() })
			}
		})
	}
	for seed := range runs {
		seeds <- seed
	}
	close(seeds)
	playing.Wait()
}

// tribe is a world whose agents have subagents.
type tribe struct {
	*world
	u       *unruly
	mood    *mood
	allowed map[string]int // how often a risky command was allowed
}

func newTribe(t *testing.T, seed uint64) *tribe {
	w := &world{rng: rand.New(rand.NewPCG(seed, 21))}
	w.luck.Rand = rand.New(rand.NewPCG(seed, 22))
	w.rig = &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	k := &tribe{world: w, mood: newMood(seed), allowed: map[string]int{}}
	k.u = serveUnruly(t, k.mood.answer)
	w.serve(say())
	w.openStore()
	l := delegate.Limits{
		Concurrent: 1 + w.rng.IntN(3), Background: 1 + w.rng.IntN(2), Depth: 1 + w.rng.IntN(3), Orchestrators: w.rng.IntN(4) > 0,
		Iterations: 2 + w.rng.IntN(4),
	}
	if w.rng.IntN(4) == 0 {
		l.TreeIterations = 5 + w.rng.IntN(10)
	}
	w.opts = []option{withMode(event.ModeManual), withBudget(2 + w.rng.IntN(6)), w.family(l), at(t, k.u.url), withStore(func(s agent.Store) agent.Store {
		w.store = &mortal{Store: s, left: -1, dead: make(chan struct{})}
		if !w.safe && w.rng.IntN(3) == 0 {
			w.store.left, w.store.after = w.rng.IntN(150), w.rng.IntN(2) == 0
		}
		return w.store
	}), func(c *agent.Config) {
		c.Policy = recovery.Policy{Retries: 1 + w.rng.IntN(2), Resends: w.rng.IntN(2)}
		c.Runtime.Stale = 200 * time.Millisecond
		if w.safe { // the last request has to arrive, however busy the machine is
			c.Runtime.Stale = 5 * time.Second
		}
		c.After = w.after
	}}
	w.start(nil, w.opts...)
	return k
}

// play lets everything happen and checks what is left.
func (k *tribe) play() {
	k.say(plainly(k.conv))
	for range 60 {
		k.act()
		if k.store.died() {
			k.crash()
		}
	}
	k.rest()
	k.safe = true
	k.mood.safe.Store(true)
	k.reopen()
	k.say(plainly(k.conv))
	k.rest()
	k.check()
}

// act does one thing that a user can do.
func (k *tribe) act() {
	switch k.rng.IntN(24) {
	case 0:
		k.say(plainly(k.conv))
	case 1:
		k.say(k.steer)
	case 2, 3:
		k.steerOne()
	case 4:
		k.takeBack()
	case 5:
		if k.rng.IntN(3) == 0 {
			k.conv.Interrupt(k.conv.Root(), k.scope())
		}
	case 6:
		k.conv.Flush()
	case 7, 8:
		k.control("kill", k.conv.Kill)
	case 9, 10:
		k.control("pause", k.conv.Pause)
	case 11, 12, 13:
		k.control("resume", k.conv.Resume)
	case 14:
		on := k.rng.IntN(3) == 0
		k.during(func() { _ = k.conv.Freeze(on) })
	case 15:
		if n := len(k.said); n > 0 {
			id, by := k.said[k.rng.IntN(n)].id, k.rng.IntN(5)-2
			k.during(func() { k.conv.Requeue(id, by); k.conv.SteerQueued(id) })
		}
	case 16:
		if k.rng.IntN(6) == 0 {
			k.must(k.conv.Resume(k.conv.Root(), api.Self)) // a conversation is never resumed paused
			k.reopen()
		}
	default:
		k.look(time.Duration(1+k.rng.IntN(30)) * time.Millisecond)
	}
}

func (k *tribe) scope() api.Scope {
	return []api.Scope{api.Self, api.Self, api.Subtree}[k.rng.IntN(3)]
}

// someone is any agent, the newest most often.
func (k *tribe) someone() event.AgentID {
	n := len(k.state.Agents)
	if n == 0 {
		return "a_none"
	}
	return k.state.Agents[n-1-min(k.rng.IntN(n), k.rng.IntN(n))].ID
}

func (k *tribe) control(what string, do func(event.AgentID, api.Scope) error) {
	err := do(k.someone(), k.scope())
	if err != nil && !errors.Is(err, delegate.ErrEnded) && !errors.Is(err, delegate.ErrUnknown) && !errors.Is(err, delegate.ErrRoot) {
		k.t.Errorf("%s: %v", what, err)
	}
}

// steerOne says something to some agent. One that has ended refuses it.
func (k *tribe) steerOne() {
	id := k.someone()
	s := &saying{text: fmt.Sprintf("<saying %d>", len(k.said))}
	k.said = append(k.said, s)
	k.during(func() {
		var err error
		if s.id, err = k.conv.Steer(id, s.text); err == nil {
			s.sure = true
		} else if s.back = errors.Is(err, delegate.ErrEnded) || errors.Is(err, delegate.ErrUnknown); !s.back && !errors.Is(err, journal.ErrClosed) {
			k.t.Errorf("steer: %v", err)
		}
	})
}

// look sees what happens for a while, and answers questions or not.
func (k *tribe) look(d time.Duration) {
	ctx, cancel := context.WithTimeout(k.t.Context(), d)
	defer cancel()
	events, err := k.conv.Next(ctx)
	if err != nil {
		return
	}
	defer func() { k.conv.Handled(k.state) }()
	for _, e := range events {
		k.state.Apply(e)
		if f, ok := e.(*event.TurnFinished); ok && (f.Reason == "error" || f.Reason == "panic") {
			k.t.Errorf("a turn ended %+v", f)
		}
	}
	k.log = append(k.log, events...)
	for _, q := range slices.Clone(k.state.Requests) {
		if k.rng.IntN(2) == 0 {
			k.reply(q, k.rng.IntN(3) > 0)
		}
	}
}

// reply answers a question.
func (k *tribe) reply(q event.Request, yes bool) {
	ans := event.Answer{Choice: event.ChoiceText, Text: "yes"}
	if q.Kind == event.RequestApproval {
		ans = event.Answer{Choice: event.ChoiceDeny}
		if yes {
			ans.Choice = event.ChoiceOnce
		}
		if !k.mood.wrote(q.Approval.Text) {
			k.t.Errorf("asked about %q, which no model wrote", q.Approval.Text)
		}
	}
	err := k.conv.Answer(q.ID, ans)
	if err != nil && !errors.Is(err, api.ErrStale) {
		k.t.Errorf("answer: %v", err)
	}
	if err == nil && ans.Choice == event.ChoiceOnce {
		k.allowed[q.Approval.Text]++
	}
	names := k.state.Path(q.Agent) // as they are shown
	names[0] = event.RoleRoot
	if !slices.Equal(names, q.Path) {
		k.t.Errorf("%q asks as %q", names, q.Path)
	}
}

// rest sends what waits and lets everything end.
func (k *tribe) rest() {
	k.during(func() { _ = k.conv.Freeze(false) })
	deadline, stop := time.Now().Add(patience), time.Now().Add(800*time.Millisecond)
	for {
		k.look(5 * time.Millisecond)
		live := k.state.Live()
		switch {
		case k.store.died():
			k.crash()
			continue
		case time.Now().After(deadline):
			k.t.Fatalf("it does not end:\n%s%s\nqueue %+v", k.dump(), k.kin(), k.state.Queue)
		case k.state.Busy() || len(live) > 0:
			k.must(k.conv.Resume(k.conv.Root(), api.Subtree))
			for _, q := range slices.Clone(k.state.Requests) {
				k.reply(q, false)
			}
			if !k.safe && time.Now().After(stop) {
				k.conv.Interrupt(k.conv.Root(), api.Subtree)
				stop = time.Now().Add(300 * time.Millisecond)
			}
		case k.state.Root() != nil && k.state.Root().State == event.AgentPaused:
			k.must(k.conv.Resume(k.conv.Root(), api.Self))
		case len(k.state.Queue) > 0:
			k.conv.Flush()
		case !k.conv.Pending() && !k.conv.Working():
			return
		}
	}
}

func (k *tribe) must(err error) {
	if err != nil {
		k.t.Error(err)
	}
}

// check holds what is true at the end.
func (k *tribe) check() {
	k.sound(k.u)
	k.checkSayings()
	k.checkJournal()
	k.checkRan()
	k.checkProcesses()
	if k.t.Failed() {
		k.t.Logf("transcript:\n%s%s", k.dump(), k.kin())
	}
}

// checkSayings checks that what was said is delivered or reported, once.
func (k *tribe) checkSayings() {
	var all strings.Builder
	for _, a := range k.state.Agents {
		if a.Session != "" {
			rows, err := k.db.Messages(k.t.Context(), string(a.Session))
			k.must(err)
			for _, m := range rows {
				fmt.Fprintln(&all, m.Content)
			}
		}
		for _, b := range a.Blocks {
			if b.Kind == event.BlockNotice && strings.HasPrefix(b.Text.String(), "It ended before it could be told: ") {
				fmt.Fprintln(&all, b.Text.String())
			}
		}
	}
	for _, s := range k.said {
		n, shown := strings.Count(all.String(), s.text), 0
		for _, a := range k.state.Agents {
			shown += k.shown(a.ID, s.text)
		}
		if n > 1 || s.sure && !s.back && n != 1 || s.back && n != 0 || shown != n {
			k.t.Errorf("%+v is %d times in the store and %d times on the screen", *s, n, shown)
		}
	}
}
