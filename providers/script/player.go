package script

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hermes-tui/providers"
)

// Player plays a scenario for those who bring its answers to a client in a way of
// their own. It chooses the steps that answer a request and counts what has fired.
// It is safe for concurrent use.
type Player struct {
	scenario *Scenario
	clock    Clock
	rules    []*matcher

	mu    sync.Mutex
	seen  int   // requests
	fired []int // by rule
}

// NewPlayer makes a player of a scenario, which must not change afterwards. The
// error says what is wrong with the scenario.
func NewPlayer(s *Scenario, o Options) (*Player, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &Player{scenario: s, clock: clockOr(o.Clock), fired: make([]int, len(s.Rules))}
	for _, r := range s.Rules {
		m, err := r.Match.compile()
		if err != nil {
			return nil, err
		}
		p.rules = append(p.rules, m)
	}
	return p, nil
}

// part is what a player gives for one request.
type part struct {
	nth   int // number of the request, from 1
	rule  int // index, -1 if none matched
	steps []Step
	query *query
}

// pick chooses the part for a request.
func (p *Player) pick(r providers.Request) part {
	q := newQuery(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen++
	out := part{nth: p.seen, rule: -1, query: q}
	for i, m := range p.rules {
		rule := p.scenario.Rules[i]
		if rule.Times > 0 && p.fired[i] >= rule.Times || !m.holds(q, p.seen) {
			continue
		}
		p.fired[i]++
		out.rule, out.steps = i, rule.Steps
		return out
	}
	out.steps = []Step{Failure{Status: 400, Type: "invalid_request_error", Code: "no_rule", Message: fmt.Sprintf(
		"No rule of scenario %s answers request %d: newest user message %q, %d tool results after it.",
		p.scenario.name(), out.nth, clip(q.user, 80), len(q.results))}}
	return out
}

// Models are those that the scenario offers.
func (p *Player) Models() []Model { return p.scenario.models() }

// Now is the time by which the answers are paced.
func (p *Player) Now() time.Time { return p.clock.Now() }

// Answer begins the answer to a request.
func (p *Player) Answer(r providers.Request) *Answer {
	c := p.pick(r)
	return &Answer{
		Rule: c.rule,
		wire: newWire(p.scenario, c.nth, r.Model, p.clock.Now().Unix()),
		pace: pace{clock: p.clock},
		cursor: &cursor{
			steps: c.steps, pace: Pace{Rate: p.scenario.Rate, Split: p.scenario.Split},
			fill: c.query.fill, nth: c.nth, prompt: promptChars(r),
		},
	}
}

// Answer is an answer on its way. It belongs to one goroutine.
type Answer struct {
	// Rule is the index of the rule that answers, -1 if none does.
	Rule   int
	cursor *cursor
	wire   *wire
	pace   pace
}

// Next gives the next beat, which is not due before [Answer.Wait]. After the end of
// the answer it repeats [BeatEnd].
func (a *Answer) Next() Beat { return a.cursor.next() }

// Wait waits until a beat is due. It returns the context's cause when ctx ends.
func (a *Answer) Wait(ctx context.Context, b Beat) error { return a.pace.keep(ctx, b) }

// Append adds what a beat is in a stream of the Chat Completions format. Beats that
// are no bytes (pauses, headers, cuts) add nothing.
func (a *Answer) Append(dst []byte, b Beat) []byte { return a.wire.append(dst, b) }

// Head is what such a stream says in every event: id, model and the time at which the
// answer began, in seconds since 1970.
func (a *Answer) Head() (id, model string, created int64) {
	return a.wire.id, a.wire.model, a.wire.created
}

// ReasoningField is the key of reasoning text.
func (a *Answer) ReasoningField() string { return a.wire.reasoning }

// clip cuts text to n characters.
func clip(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
