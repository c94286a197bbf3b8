package approval

import (
	"context"
	"fmt"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// By says who or what decided.
type By string

// Who decides.
const (
	ByJudge   By = "judge"   // the action is harmless, or never allowed; with a Reason: the judge of [ModeSmart]
	ByRule    By = "rule"    // a rule of the user or the project
	ByGrant   By = "grant"   // what the user allowed before
	ByPlace   By = "place"   // the place keeps it from doing harm
	ByMode    By = "mode"    // plan refuses, off allows
	ByUser    By = "person"  // the answer to a question
	ByTimeout By = "timeout" // no one answered in time
	ByPolicy  By = "policy"  // no one was there to answer
)

// Outcome is how a decision ended.
type Outcome string

// The outcomes.
const (
	OutcomeAllow   Outcome = "allow"
	OutcomeDeny    Outcome = "deny"
	OutcomeBlocked Outcome = "blocked" // no answer would have changed it
	// OutcomeEdit means that the user gave another text to run, about which
	// there is a decision of its own.
	OutcomeEdit Outcome = "edit"
)

// Entry is a line of the decision log: who decided what, when, and about which
// bytes. It holds no text of the action; the digest finds it.
type Entry struct {
	At          time.Time
	Agent, Call string // as in [Request]
	Tool        string
	Verb        string // "run", "write", "use"
	Digest      string // of the permit; of name and text for a tool without action
	Outcome     Outcome
	By          By
	// Rule is the rule or grant that decided, as it is shown; empty for others.
	Rule     string
	Category shellrisk.Category
	// Reason is what the judge of [ModeSmart] gave as one, on one line of at most
	// 300 bytes; empty when it did not decide.
	Reason string
	// Ran says how what was decided about ran, empty for what does not run.
	Ran Ran
}

// Ran says how an action ran.
type Ran string

// How actions run.
const (
	RanConfined Ran = "confined" // held by the system
	RanOutside  Ran = "outside"  // with all rights of the user, where it could be held
	RanPlain    Ran = "plain"    // it only reads, or nothing is held here
	RanNot      Ran = "not"
)

// ran says how what the permit allows will run.
func (p Permit) ran() Ran {
	at := p.p.place.Info()
	switch {
	case p.p.action.OnFiles(), p.p.action.Kind == tools.ActCall, p.p.action.Kind == tools.ActFetch:
		return ""
	case p.p.confined, at.Confined:
		return RanConfined
	case p.outside():
		return RanOutside
	}
	return RanPlain
}

// on makes an entry one about what a permit allows.
func (e Entry) on(p Permit) Entry {
	e.Digest, e.Ran = p.Digest(), p.ran()
	return e
}

// record hands a decision to the log. What is allowed must be recorded first.
func (g *Gate) record(ctx context.Context, r Request, e Entry) error {
	if g.o.Record == nil {
		return nil
	}
	e.At, e.Agent, e.Call, e.Tool, e.Verb = g.o.Clock(), r.Agent, r.Call, r.Tool, r.verb()
	if e.Outcome != OutcomeAllow {
		e.Ran = RanNot
	}
	if e.Category == "" {
		e.Category = shellrisk.CatNone
	}
	if err := g.o.Record(ctx, e); err != nil {
		return fmt.Errorf("record a decision: %w", err)
	}
	return nil
}
