package delegate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"hermes-tui/agent/event"
)

// limits are those of most tests. A beat is 4 seconds.
func limits() Limits {
	return Limits{
		Concurrent: 2, Background: 2, Depth: 3, Orchestrators: true, Iterations: 50,
		Timeout: 5 * time.Minute, Idle: time.Minute, InTool: 2 * time.Minute,
	}
}

const rootID event.AgentID = "root"

// world is a registry with everything around it: a store that folds what it is
// given, and subagents that do what a test tells them.
type world struct {
	r   *Registry
	ids event.Source

	mu sync.Mutex
	// log is everything that was recorded, state its fold.
	log   []event.Event
	state event.State
	// block holds what hands events over, stall what waits until they are stored;
	// nil holds nothing. refuse is what storing a spawn returns.
	block, stall chan struct{}
	refuse       error
	hands        map[string]*hand
}

// hand is what moves a subagent.
type hand struct {
	name string
	m    *Member // nil when it was refused
	cut  context.CancelCauseFunc
	do   chan func(context.Context) (Report, bool)
	let  chan struct{} // nil for one that ends as soon as its context does
	wg   sync.WaitGroup

	mu     sync.Mutex
	passed int // checkpoints
	tools  []func()
	asks   []func()
	ran    bool
}

var errCut = errors.New("what it depends on was stopped")

func newWorld(l Limits, seed uint64) *world {
	w := &world{hands: map[string]*hand{}}
	luck := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	w.ids = event.Source{Random: &steady{from: luck}, Clock: time.Now}
	w.r = New(Options{Root: rootID, IDs: w.ids, Limits: l, Run: w.run, Record: w.record, Cause: func(y Why) error { return &blame{y} }})
	w.put(rootID, &event.AgentSpawned{Role: event.RoleRoot})
	w.begin("t_1")
	return w
}

// steady is randomness for several goroutines.
type steady struct {
	mu   sync.Mutex
	from *rand.ChaCha8
}

func (s *steady) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from.Read(p)
}

type blame struct{ why Why }

func (b *blame) Error() string { return string(b.why) }

func (w *world) begin(turn event.TurnID) {
	w.put(rootID, &event.TurnStarted{Meta: event.Meta{Turn: turn}})
	w.r.Begin(turn)
}

func (w *world) end() {
	w.put(rootID, &event.TurnFinished{Outcome: event.TurnCompleted})
	w.r.End()
}

// put stores events that are not the registry's.
func (w *world) put(id event.AgentID, events ...event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range events {
		h := e.Head()
		h.Seq, h.At = uint64(len(w.log)+1), w.ids.Now()
		if h.Agent == "" {
			h.Agent = id
		}
		event.Stamp(e)
		w.log = append(w.log, e)
		w.state.Apply(e)
	}
}

func (w *world) record(m *Member, events ...event.Event) func() error {
	_, _, _, _ = m.ID(), m.Session(), m.Tree(), m.Parent()
	w.mu.Lock()
	block, stall, refuse := w.block, w.stall, w.refuse
	w.mu.Unlock()
	if block != nil {
		<-block
	}
	if _, spawn := events[0].(*event.AgentSpawned); spawn && refuse != nil {
		return func() error { return refuse }
	}
	w.put(m.ID(), events...)
	return func() error {
		if stall != nil {
			<-stall
		}
		return nil
	}
}

// run is a subagent.
func (w *world) run(ctx context.Context, m *Member) Report {
	h := w.hand(m.Spec().Goal)
	h.mu.Lock()
	h.ran = true
	h.mu.Unlock()
	w.put(m.ID(), &event.TurnStarted{Meta: event.Meta{Turn: "t_" + event.TurnID(h.name)}, Budget: m.Budget()})
	defer func() {
		for h.answer() {
		}
	}()
	over := ctx.Done()
	if h.let != nil {
		over = nil
	}
	for let := h.let; ; {
		select {
		case f := <-h.do:
			if rep, end := f(ctx); end {
				return rep
			}
		case <-let:
			let, over = nil, ctx.Done()
		case <-over:
			return Report{Summary: "cut off"}
		}
	}
}

func (w *world) hand(name string) *hand {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hands[name]
}

// spawn asks for a subagent below another one, or below the root.
func (w *world) spawn(name, under string, alter ...func(*Spec, *hand)) (*hand, error) {
	parent, dep := rootID, context.Background()
	if p := w.hand(under); p != nil {
		if parent = "gone"; p.m != nil {
			parent, dep = p.m.id, p.m.ctx
		}
	}
	h := &hand{name: name, do: make(chan func(context.Context) (Report, bool), 100)}
	dep, h.cut = context.WithCancelCause(dep)
	s := Spec{Parent: parent, Goal: name, Role: event.RoleLeaf, Call: "call_1"}
	for _, f := range alter {
		f(&s, h)
	}
	w.mu.Lock()
	w.hands[name] = h
	w.mu.Unlock()
	m, err := w.r.Spawn(dep, s)
	if err != nil {
		h.cut(errCut)
		return h, err
	}
	w.mu.Lock()
	h.m = m
	w.mu.Unlock()
	return h, nil
}

func orchestrator(s *Spec, _ *hand) { s.Role = event.RoleOrchestrator }
func background(s *Spec, _ *hand)   { s.Background = true }
func stubborn(_ *Spec, h *hand)     { h.let = make(chan struct{}) }

// ends makes a subagent return, panic or leave its goroutine.
func (h *hand) ends(how string) {
	h.do <- func(context.Context) (Report, bool) {
		switch how {
		case "panic":
			panic("it fell over")
		case "goexit":
			runtime.Goexit()
		case "nothing":
			return Report{}, true
		}
		return Report{State: event.AgentState(how), Summary: h.name + " is done"}, true
	}
}

// check makes a subagent arrive at a checkpoint.
func (h *hand) check() {
	h.do <- func(ctx context.Context) (Report, bool) {
		h.wg.Go(func() {
			if h.m.Checkpoint(ctx) == nil {
				h.mu.Lock()
				h.passed++
				h.mu.Unlock()
			}
		})
		return Report{}, false
	}
}

func (h *hand) ask(w *world) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := event.RequestID(fmt.Sprintf("%s%d", h.name, len(h.asks)))
	w.put(h.m.id, &event.Requested{Request: event.Request{ID: id, Kind: event.RequestClarify, Agent: h.m.id}})
	done := h.m.Ask()
	h.asks = append(h.asks, func() {
		w.put(h.m.id, &event.RequestResolved{Request: id})
		done()
	})
}

// answer ends the newest question, false when there is none.
func (h *hand) answer() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return pop(&h.asks)
}

func pop(list *[]func()) bool {
	n := len(*list)
	if n == 0 {
		return false
	}
	(*list)[n-1]()
	*list = (*list)[:n-1]
	return true
}

func (h *hand) tool() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tools = append(h.tools, h.m.Tool())
}

func (h *hand) untool() {
	h.mu.Lock()
	defer h.mu.Unlock()
	pop(&h.tools)
}

// pass lets time pass.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// life is what was recorded of an agent, in words.
func (w *world) life(id event.AgentID) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var words []string
	for _, e := range w.log {
		if e.Head().Agent != id {
			continue
		}
		switch e := e.(type) {
		case *event.AgentSpawned:
			words = append(words, "spawned")
		case *event.AgentStateChanged:
			words = append(words, string(e.State))
		case *event.AgentFinished:
			words = append(words, string(e.State)+"!")
		}
	}
	return strings.Join(words, " ")
}

// named finds the newest agent with a goal in what was recorded.
func (w *world) named(name string) *event.Agent {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range slices.Backward(w.state.Agents) {
		if a.Goal == name {
			return a
		}
	}
	return nil
}

// close ends the world and checks what must hold of everything that was recorded.
func (w *world) close() error {
	for _, h := range w.all() {
		if h.let != nil {
			select {
			case <-h.let:
			default:
				close(h.let)
			}
		}
	}
	w.r.Close()
	synctest.Wait()
	if w.r.running != 0 || w.r.pulse != nil || w.r.pumping || len(w.r.live) > 0 || w.r.background != 0 || w.r.root.slots != 0 {
		return fmt.Errorf("left behind: %d goroutines, %d members, %d in the background, %d places", w.r.running, len(w.r.live), w.r.background, w.r.root.slots)
	}
	for _, h := range w.all() {
		h.cut(errCut)
		h.wg.Wait()
	}
	return w.sound()
}

func (w *world) all() (list []*hand) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range w.hands {
		list = append(list, h)
	}
	slices.SortFunc(list, func(a, b *hand) int { return strings.Compare(a.name, b.name) })
	return list
}

// sound checks the record: every subagent begins and ends once, and no one lives
// below one that has ended.
func (w *world) sound() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	up, ended, last := map[event.AgentID]event.AgentID{}, map[event.AgentID]bool{}, map[event.AgentID]event.AgentState{}
	for i, e := range w.log {
		id := e.Head().Agent
		if ended[id] {
			return fmt.Errorf("event %d: %T of %s, which has ended", i, e, id)
		}
		switch e := e.(type) {
		case *event.AgentSpawned:
			if _, twice := up[id]; twice {
				return fmt.Errorf("event %d: %s began twice", i, id)
			}
			up[id] = e.Parent
			if next, is := w.log[min(i+1, len(w.log)-1)].(*event.AgentFinished); ended[e.Parent] && (!is || next.State != event.AgentRefused) {
				return fmt.Errorf("event %d: %s began below %s, which has ended", i, id, e.Parent)
			}
		case *event.AgentStateChanged:
			last[id] = e.State
		case *event.AgentFinished:
			ended[id] = true
			if asked := e.State != event.AgentCompleted && e.State != event.AgentFailed; asked && last[id] == event.AgentRunning {
				return fmt.Errorf("event %d: %s is %s without stopping", i, id, e.State)
			}
			for c, p := range up {
				if p == id && !ended[c] {
					return fmt.Errorf("event %d: %s ended before %s, which is below it", i, id, c)
				}
			}
		}
	}
	for id := range up {
		if id != rootID && !ended[id] {
			return fmt.Errorf("%s has not ended", id)
		}
	}
	for name, h := range w.hands {
		if h.m == nil {
			continue
		}
		a := w.state.Agent(h.m.id)
		if rep := h.m.Wait(); rep.State != a.State || rep.Took != a.Elapsed(w.ids.Now()) {
			return fmt.Errorf("%s reports %s after %v, the fold says %s after %v", name, rep.State, rep.Took, a.State, a.Elapsed(w.ids.Now()))
		}
	}
	return nil
}
