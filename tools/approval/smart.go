package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"hermes-tui/tools/shellrisk"
)

// Opinion is what a judge thinks of an action.
type Opinion string

// The opinions. Anything else counts as OpinionAsk.
const (
	// OpinionAllow lets the action run this once, if it is of low risk.
	OpinionAllow Opinion = "allow"
	// OpinionDeny refuses it.
	OpinionDeny Opinion = "deny"
	// OpinionAsk leaves it to the user.
	OpinionAsk Opinion = "ask"
)

// Case is what a judge is told about an action. The texts may come from anybody:
// they are data and no instructions.
type Case struct {
	Tool string // the name of the tool
	Verb string // "run", "write"
	// Text is the whole action as the user would be shown it; what hides is
	// spelled out.
	Text string
	// Category is the worst of what was found, Categories all of it. Reason
	// completes "it …" with all reasons.
	Category   shellrisk.Category
	Categories []shellrisk.Category
	Reason     string
	// Dir is where it would run, Workspace the folder that is worked in.
	Dir, Workspace string
}

// usualJudging is how long a judge may take when [Options] do not say.
const usualJudging = 30 * time.Second

// maxOpinion is the longest reason of a judge that is kept, in bytes.
const maxOpinion = 300

// errJudgeLate ends a judge that takes too long.
var errJudgeLate = errors.New("it did not answer in time")

// judged reports whether the judge is to be heard about an action that would be
// asked about. What a rule wants to be asked, who may be obeyed, and what leaves after
// strangers' words came in is only for the user to say.
func (g *Gate) judged(m *matter) bool {
	return m.Mode == ModeSmart && g.o.Judge != nil && m.asking == nil && m.Because == "" && !m.shown && !m.leaves() && m.does.asks() && !m.has(shellrisk.CatUntrusted)
}

// consult lets the judge decide; a nil entry leaves it to the user. A judge that
// fails or is late is not heard.
func (g *Gate) consult(ctx context.Context, m *matter) (*Entry, *Denied, error) {
	if !g.judged(m) {
		return nil, nil, nil
	}
	k := m.brief(g.o.Workspace)
	if m.confines && m.does == asksOutside && !g.needsOutside(m) {
		k.Categories = shellrisk.With(k.Categories, shellrisk.CatIndirectExec) // with all rights, whatever it runs
		k.Category = shellrisk.Worst(k.Categories)
	}
	return g.hear(ctx, m.deed(), k, mayAllow(k.Categories) && !m.hearsay())
}

// hear asks the judge about a case, which it may allow or only refuse. The deed says
// in words what would be done.
func (g *Gate) hear(ctx context.Context, deed string, k Case, mayAllow bool) (*Entry, *Denied, error) {
	within := g.o.JudgeWithin
	if within <= 0 {
		within = usualJudging
	}
	judging, cancel := context.WithTimeoutCause(ctx, within, errJudgeLate)
	defer cancel()
	opinion, reason, err := g.o.Judge(judging, k)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err == nil && judging.Err() != nil {
		err = context.Cause(judging)
	}
	if err != nil {
		g.o.Warn(fmt.Errorf("hear the judge of mode smart: %w", err))
		return nil, nil, nil
	}
	e := &Entry{Outcome: OutcomeAllow, By: ByJudge, Category: k.Category, Reason: inShort(reason)}
	switch {
	case opinion == OpinionDeny:
		e.Outcome = OutcomeDeny
		return e, refusedByJudge(deed, k.Reason, e.Reason), nil
	case opinion == OpinionAllow && mayAllow:
		return e, nil, nil
	}
	return nil, nil, nil
}

// brief puts an action before the judge.
func (m *matter) brief(workspace string) Case {
	k := Case{
		Tool: m.Tool, Verb: m.verb(), Text: m.text(), Category: m.verdict.Category, Categories: m.verdict.Categories,
		Reason: m.question(nil).Because(), Dir: shellrisk.Canonical(m.Action.Dir), Workspace: shellrisk.Canonical(workspace),
	}
	if m.again {
		for _, r := range m.refusals() {
			k.Categories = shellrisk.With(k.Categories, shellrisk.Category(r.Category))
		}
		k.Category = shellrisk.Worst(k.Categories)
	}
	return k
}

// inShort is a text of a judge for one line of the log.
func inShort(s string) string {
	s = oneLine(strings.TrimSpace(s))
	if len(s) <= maxOpinion {
		return s
	}
	end := maxOpinion
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
