//go:build linux || darwin

package ui

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
)

// The benchmarks of this file measure the screen while many subagents work at
// once. Nothing of them is played faster than the program does it: an iteration
// is one delivery, and holds what the pace lets come together.

const (
	// troupeSize is how many subagents work at once.
	troupeSize = 100
	// pastRounds is how many rounds each of them has behind it at the start.
	pastRounds = 60
	// frameLimit is how long a frame may take, in microseconds.
	frameLimit = 16_000
)

// troupe is a conversation whose root waits for many subagents, all of which
// stream, run tools and use tokens.
type troupe struct {
	m       *Model
	call    event.CallID
	players []player
	words   []string
	at      int
	batch   []event.Event
}

// player is one of the subagents: where it is in its round, and what names the
// blocks of that round.
type player struct {
	id          event.AgentID
	turn        event.TurnID
	step, round int
	text        []byte
	usage       event.Usage
}

// The steps of a round. Each is what one delivery brings of an agent: first it
// thinks, then it writes, then it drafts and runs a call that writes output.
const (
	stepThink  = 0
	stepWrite  = 15
	stepDraft  = 45
	stepCommit = 48
	stepStart  = 49
	stepOutput = 50
	stepFinish = 58
	roundSteps = 60
)

// newTroupe is a screen of 160×50 with a troupe that has worked for a while. Its
// members are in step with each other, or spread over the round.
func newTroupe(inStep bool) *troupe {
	t := &troupe{words: markdownTokens(997), call: "hand"}
	st := &event.State{}
	for _, e := range t.opening() {
		st.Apply(e)
	}
	for i := range troupeSize {
		p := player{id: event.AgentID(fmt.Sprint("child", i)), turn: event.TurnID(fmt.Sprint("turn", i))}
		for _, e := range t.entrance(&p, i) {
			st.Apply(e)
		}
		for p.round < pastRounds {
			p.step += stepDraft - 1 // most of a text is in one piece
			t.batch = t.batch[:0]
			for ; p.step < roundSteps-1; p.step++ {
				t.act(&p)
			}
			t.act(&p)
			p.round, p.step = p.round+1, 0
			for _, e := range t.batch {
				st.Apply(e)
			}
		}
		if !inStep {
			p.step = i * 7 % roundSteps
		}
		t.players = append(t.players, p)
	}
	t.m = newBenchModel(st, 160, 50)
	return t
}

// opening is the root's turn up to the call that asks for all the others.
func (t *troupe) opening() []event.Event {
	list := []event.Event{&event.AgentSpawned{Role: event.RoleRoot, Model: "model"}}
	for i := range 200 {
		id := fmt.Sprint("old", i)
		list = append(list, &event.MessageCommitted{Block: event.BlockID(id), Role: event.RoleUser, Text: t.words[i]})
	}
	list = append(list, &event.TurnStarted{Budget: 90}, &event.MessageCommitted{
		Role: event.RoleAssistant, Calls: []event.CallHead{{Call: t.call, View: event.CallView{Kind: event.ViewAgent, Name: "delegate_task"}}},
	}, &event.ToolStarted{Call: t.call, View: event.CallView{Kind: event.ViewAgent, Name: "delegate_task"}})
	return stamped("root", "turn", list)
}

// entrance is how a subagent begins.
func (t *troupe) entrance(p *player, i int) []event.Event {
	return stamped(p.id, p.turn, []event.Event{
		&event.AgentSpawned{
			Parent: "root", Tree: "turn", Call: t.call, Index: i, Depth: 1, Role: event.RoleLeaf, Model: "model", Budget: 50,
			Goal: fmt.Sprintf("read part %d of the sources and list what is said twice", i), Toolsets: []string{"file", "terminal"},
		},
		&event.AgentStateChanged{State: event.AgentRunning}, &event.TurnStarted{Budget: 50},
		&event.MessageCommitted{Role: event.RoleUser, Block: event.BlockID(string(p.id) + "asked"), Text: "Do your part."},
	})
}

func stamped(id event.AgentID, turn event.TurnID, list []event.Event) []event.Event {
	for _, e := range list {
		*e.Head() = event.Meta{Conv: "conv", Agent: id, Turn: turn, At: time.Now()}
		event.Stamp(e)
	}
	return list
}

// act adds what a subagent does in its present step.
func (t *troupe) act(p *player) {
	name := func(what string) string { return fmt.Sprint(p.id, what, p.round) }
	call, view := event.CallID(name("call")), event.CallView{Kind: event.ViewCommand, Name: "terminal", Subject: name("go vet ./part")}
	word := t.words[(p.step+p.round)%len(t.words)]
	var list []event.Event
	switch {
	case p.step == stepThink:
		list = append(list, &event.PhaseChanged{Phase: event.PhaseReasoning})
		fallthrough
	case p.step < stepWrite:
		list = append(list, &event.ReasoningDelta{Block: event.BlockID(name("thought")), Text: word})
	case p.step == stepWrite:
		p.text = p.text[:0]
		list = append(list, &event.PhaseChanged{Phase: event.PhaseAnswering})
		fallthrough
	case p.step < stepDraft:
		p.text = append(p.text, word...)
		list = append(list, &event.TextDelta{Block: event.BlockID(name("text")), Text: word})
	case p.step < stepCommit:
		list = append(list, &event.ToolDrafting{Call: call, Name: "terminal", Bytes: 512 * (p.step - stepDraft)})
	case p.step == stepCommit:
		p.usage = p.usage.Plus(event.Usage{Input: 900, Output: 60, Calls: 1, Cost: event.Dollar / 1000})
		list = append(list, &event.MessageCommitted{
			Message: event.MessageID(name("message")), Block: event.BlockID(name("text")), Role: event.RoleAssistant, Text: string(p.text),
			Reasoning: &event.Reasoning{Block: event.BlockID(name("thought")), Text: "so that is that", Took: time.Second},
			Calls:     []event.CallHead{{Call: call, View: view}},
		}, &event.UsageUpdated{Usage: p.usage, Context: event.Context{Used: 9000, Max: 200_000}, Final: true})
	case p.step == stepStart:
		list = append(list, &event.PhaseChanged{Phase: event.PhaseTools}, &event.ToolStarted{Call: call, View: view})
	case p.step < stepFinish:
		list = append(list, &event.ToolOutput{Call: call, Text: "ok  \thermes-tui/part\t0.1s\n"})
	case p.step == stepFinish:
		list = append(list, &event.ToolFinished{Call: call, Outcome: event.OutcomeOK, Took: time.Second, View: view, Changed: []string{name("file")}})
	default:
		list = append(list, &event.PhaseChanged{Phase: event.PhaseConnecting, Detail: "localhost"})
	}
	t.batch = append(t.batch, stamped(p.id, p.turn, list)...)
}

// play is what comes in one delivery: a step of everyone.
func (t *troupe) play() []event.Event {
	t.batch = make([]event.Event, 0, 2*len(t.players))
	for i := range t.players {
		p := &t.players[i]
		t.act(p)
		if p.step++; p.step == roundSteps {
			p.step, p.round = 0, p.round+1
		}
	}
	return t.batch
}

// frameTimes are how long frames took.
type frameTimes struct {
	spent, cpu []time.Duration
	began      time.Time
	at         time.Duration // processor time
}

func (f *frameTimes) begin() { f.began, f.at = time.Now(), threadTime() }

func (f *frameTimes) end() {
	f.spent = append(f.spent, time.Since(f.began))
	f.cpu = append(f.cpu, threadTime()-f.at)
}

// report reports microseconds.
func (f *frameTimes) report(b *testing.B, name string) {
	b.Helper()
	for _, c := range []struct {
		name  string
		times []time.Duration
	}{{name, f.spent}, {name + "-cpu", f.cpu}} {
		slices.Sort(c.times)
		for _, q := range []struct {
			name string
			at   int
		}{{"p50", len(c.times) / 2}, {"p99", len(c.times) * 99 / 100}, {"max", len(c.times) - 1}} {
			b.ReportMetric(float64(c.times[q.at].Nanoseconds())/1000, c.name+"-"+q.name+"-µs")
		}
	}
}

// familyViews are the screens on which many subagents are watched.
var familyViews = []struct {
	name string
	open func(m *Model)
}{
	{"pane", func(*Model) {}},
	{"detail", func(m *Model) {
		m.setFocus(focusSide)
		for m.agents.Selected() != "child50" && m.agents.Down() {
		}
		m.toggleDetail()
	}},
	{"wall", func(m *Model) { m.openGrid() }},
	{"timeline", func(m *Model) { m.openTimeline("turn", "child50") }},
	{"promoted", func(m *Model) { m.promote("child50") }},
}

// BenchmarkFamilyFrame delivers what 100 subagents do between two frames and draws the
// frame, with one key in between, on every screen on which they can be watched:
// while they are at different places of their rounds, and in step, so that all of
// them start a call in the same delivery. A frame is both, handling the events and
// drawing; a key is handling it and drawing.
func BenchmarkFamilyFrame(b *testing.B) {
	for _, v := range familyViews {
		for _, inStep := range []bool{false, true} {
			name := v.name + "/spread"
			if inStep {
				name = v.name + "/in step"
			}
			b.Run(name, func(b *testing.B) {
				t := newTroupe(inStep)
				v.open(t.m)
				t.m.View()
				t.run(b)
				frames(b, t.m, 160, 50)
			})
		}
	}
}

func (t *troupe) run(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var both, view, keys frameTimes
	var ahead [][]event.Event
	m := t.m
	b.ReportAllocs()
	for b.Loop() {
		if len(ahead) == 0 {
			b.StopTimer()
			for range roundSteps {
				ahead = append(ahead, t.play())
			}
			runtime.GC() // what was made for the benchmark is not the screen's
			b.StartTimer()
		}
		batch := ahead[0]
		ahead = ahead[1:]
		t.at++
		m.pace.last.Store(time.Now().UnixNano())
		both.begin()
		m.Update(eventsMsg{gen: m.gen, events: batch})
		view.begin()
		m.View()
		view.end()
		both.end()
		if t.at%3 == 0 {
			m.Update(tickMsg{})
			m.View()
		}
		keys.begin()
		m.Update(tea.KeyPressMsg{Code: tea.KeyLeft})
		m.dirty = true
		m.View()
		keys.end()
	}
	both.report(b, "frame")
	view.report(b, "view")
	keys.report(b, "key")
	target(b, frameLimit, "frame-max-µs")
}

// BenchmarkFamilyComesAndGoes delivers the beginning of 100 subagents at once and
// draws the frame, and then the end of all of them.
func BenchmarkFamilyComesAndGoes(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var come, gone frameTimes
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		t := &troupe{words: markdownTokens(997), call: "hand"}
		st := &event.State{}
		for _, e := range t.opening() {
			st.Apply(e)
		}
		t.m = newBenchModel(st, 160, 50)
		var begin, end []event.Event
		for i := range troupeSize {
			p := &player{id: event.AgentID(fmt.Sprint("child", i)), turn: event.TurnID(fmt.Sprint("turn", i))}
			begin = append(begin, t.entrance(p, i)...)
			end = append(end, stamped(p.id, p.turn, []event.Event{
				&event.TurnFinished{Outcome: event.TurnCompleted}, &event.AgentFinished{State: event.AgentCompleted, Summary: "It is said once."},
			})...)
		}
		runtime.GC()
		b.StartTimer()
		t.frame(&come, begin)
		t.frame(&gone, end)
	}
	come.report(b, "come")
	gone.report(b, "gone")
	target(b, frameLimit, "come-max-µs")
	target(b, frameLimit, "gone-max-µs")
}

// frame hands over events and draws the frame.
func (t *troupe) frame(times *frameTimes, events []event.Event) {
	times.begin()
	t.m.Update(eventsMsg{gen: t.m.gen, events: events})
	t.m.View()
	times.end()
}
