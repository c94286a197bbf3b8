package script

import (
	"fmt"
	"sync"

	"hermes-tui/providers"
)

// player chooses the steps that answer a request and counts what has fired. It
// is safe for concurrent use.
type player struct {
	scenario *Scenario
	rules    []*matcher

	mu    sync.Mutex
	seen  int   // requests
	fired []int // by rule
}

func newPlayer(s *Scenario) (*player, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &player{scenario: s, fired: make([]int, len(s.Rules))}
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
func (p *player) pick(r providers.Request) part {
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

// cursor makes the cursor that plays a part.
func (p *player) cursor(c part, r providers.Request) *cursor {
	return &cursor{
		steps: c.steps, pace: Pace{Rate: p.scenario.Rate, Split: p.scenario.Split},
		fill: c.query.fill, nth: c.nth, prompt: promptChars(r),
	}
}

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
