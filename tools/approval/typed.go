package approval

import (
	"context"

	"hermes-tui/tools/shellrisk"
)

// Typed gives the permit for a command that the user has typed themselves: their own
// decision, for which no one is asked, and with their own rights, also where commands of
// an agent are confined. What is blocked stays blocked, and what a rule of theirs forbids
// stays forbidden: then the error is a [*Denied]. Mode and Host of the request do not
// count.
func (g *Gate) Typed(ctx context.Context, r Request) (Permit, error) {
	if ctx.Err() != nil {
		return Permit{}, context.Cause(ctx)
	}
	if err := complete(r.Action); err != nil {
		return Permit{}, err
	}
	r.Mode, r.Host, r.Editable, r.Edited, r.Because, r.After = ModeOff, nil, false, false, "", ""
	m, err := g.look(r)
	if err != nil {
		return Permit{}, err
	}
	if err := g.bind(m, r.Action); err != nil {
		return Permit{}, err
	}
	if m, err = g.outside(m); err != nil {
		return Permit{}, err
	}
	e := Entry{Outcome: OutcomeAllow, By: ByUser, Category: m.verdict.Category}
	switch {
	case m.verdict.Decision == shellrisk.Blocked:
		e.Outcome, e.By = OutcomeBlocked, ByJudge
		return Permit{}, g.refuse(ctx, r, e.on(m.permit), blocked(m.deed(), m.verdict))
	case m.forbidden != nil:
		e.Outcome, e.By, e.Rule = OutcomeDeny, ByRule, m.forbidden.String()
		return Permit{}, g.refuse(ctx, r, e.on(m.permit), refusedByRule(m.deed(), m.forbidden))
	}
	if err := g.record(ctx, r, e.on(m.permit)); err != nil {
		return Permit{}, err
	}
	return m.permit, nil
}
