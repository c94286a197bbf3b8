package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// PassTool decides about a call of a tool that has no action for the gate to
// judge: one of an MCP server, or one that only reads. Tool, ReadsOnly, Mode,
// Host and Text of the request count. Rules are about such a tool by its name;
// plan mode allows it if it only reads. The error is nil, a [*Denied], or
// another one when the decision could not be made.
//
// A call that no rule is about, and that the mode lets pass, is not recorded.
func (g *Gate) PassTool(ctx context.Context, r Request) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.Action = tools.Action{}
	sum := sha256.Sum256([]byte(r.Tool + "\x00" + r.Text))
	e := Entry{Digest: hex.EncodeToString(sum[:]), Outcome: OutcomeDeny}
	rules := g.o.Rules()
	if p := rules.Denying(r.Tool, "").First(); p != nil {
		e.By, e.Rule = ByRule, p.String()
		return g.refuse(ctx, r, e, refusedByRule(r.deed(), p))
	}
	if r.Mode == ModePlan && !r.ReadsOnly {
		e.By = ByMode
		return g.refuse(ctx, r, e, refusedInPlan())
	}
	if p := rules.Asking(r.Tool, "").First(); p != nil {
		e.Rule = p.String()
		return g.askTool(ctx, r, ruleReason(p, false), e)
	}
	if r.Because != "" {
		return g.askTool(ctx, r, because(r.Because), e)
	}
	return nil
}

// askTool asks about a tool for a reason.
func (g *Gate) askTool(ctx context.Context, r Request, why tools.Reason, e Entry) error {
	text := r.Tool
	if r.Text != "" {
		text += "\n" + r.Text
	}
	e.Category = shellrisk.CatRule
	q := &tools.Approval{
		Verb: r.verb(), Text: shellrisk.Canonical(text), SHA256: e.Digest, Reasons: []tools.Reason{why},
	}
	answer, err := g.put(ctx, r.Host, q)
	if err != nil && !errors.Is(err, errUnanswered) {
		return err
	}
	e.By = ByUser
	switch {
	case err != nil:
		e.By = ByTimeout
		return g.refuse(ctx, r, e, refusedByTimeout(r.deed(), q.Because(), g.o.Timeout))
	case answer.Choice == tools.ChoiceOnce, answer.Choice == tools.ChoiceSession, answer.Choice == tools.ChoiceAlways:
		e.Outcome = OutcomeAllow
		return g.record(ctx, r, e)
	case answer.Choice == tools.ChoiceNone:
		e.By = ByPolicy
		return g.refuse(ctx, r, e, refusedUnattended(r.deed(), q.Because(), byRule))
	}
	reason := ""
	if answer.Choice == tools.ChoiceDeny {
		reason = answer.Text
	}
	return g.refuse(ctx, r, e, refusedByUser(r.deed(), reason))
}
