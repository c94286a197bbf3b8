package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// Edited is the error of an action in place of which the user wants to run
// another text. The caller builds the action again with it and passes it as
// [Request].Edited: the user has decided about it, so only what is blocked,
// forbidden by a rule or refused by the mode is still refused.
type Edited struct{ Text string }

func (e *Edited) Error() string { return "the user has changed it" }

// errUnanswered ends a question that no one answered in time.
var errUnanswered = errors.New("no one answered in time")

// put asks the user, for as long as questions wait.
func (g *Gate) put(ctx context.Context, host tools.Host, q *tools.Approval) (tools.Answer, error) {
	asking, cancel := ctx, context.CancelFunc(func() {})
	if g.o.Timeout > 0 {
		asking, cancel = context.WithTimeoutCause(ctx, g.o.Timeout, errUnanswered)
	}
	defer cancel()
	answer, err := host.Ask(asking, tools.Question{Approval: q})
	switch {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case err != nil && asking.Err() != nil:
		return answer, errUnanswered
	case err != nil:
		return answer, fmt.Errorf("ask for approval: %w", err)
	}
	return answer, nil
}

// deed says what would be done, for the model.
func (m *matter) deed() string {
	if m.again {
		return "run this again outside"
	}
	return m.Request.deed()
}

// question shows an action.
func (m *matter) question(scopes []tools.Scope) *tools.Approval {
	q := &tools.Approval{
		Verb: m.verb(), Text: m.text(), SHA256: m.permit.Digest(), Dir: shellrisk.Canonical(m.Action.Dir),
		Editable: m.Editable && !m.Action.OnFiles(), Confinement: m.confinement(), Confinable: m.confines && m.does == asksOutside,
		Scopes: scopes,
	}
	if m.again {
		q.Verb, q.Again, q.Reasons = "run again outside", true, m.refusals()
	}
	if m.asking != nil {
		q.Reasons = append(q.Reasons, ruleReason(m.asking, m.unsure))
	}
	if m.Because != "" {
		q.Reasons = append(q.Reasons, because(m.Because))
	}
	if m.leaves() {
		q.Reasons = append(q.Reasons, m.afterReason())
	}
	for _, f := range m.verdict.Findings {
		q.Reasons = append(q.Reasons, reason(f))
	}
	if len(scopes) > 0 {
		q.Rule = scopes[0].Rule
	}
	return q
}

// reason is a finding as a reason.
func reason(f shellrisk.Finding) tools.Reason {
	r := tools.Reason{Category: string(f.Category), Text: shellrisk.Canonical(f.Reason)}
	for _, w := range f.Words {
		r.Words = append(r.Words, shellrisk.Canonical(w))
	}
	return r
}

// heldReasons name what else would be dangerous, and why it is not asked about.
func (m *matter) heldReasons() []tools.Reason {
	list := make([]tools.Reason, len(m.held))
	for i, f := range m.held {
		list[i] = reason(f)
		list[i].Held = guarded[f.Category].why
	}
	return list
}

// because is a reason from outside the gate.
func because(text string) tools.Reason {
	return tools.Reason{Category: string(shellrisk.CatRule), Text: shellrisk.Canonical(text)}
}

// looseReasons name programs that the agent can change.
func (m *matter) looseReasons() []tools.Reason {
	var list []tools.Reason
	for _, file := range m.loose {
		list = append(list, tools.Reason{
			Category: string(shellrisk.CatIndirectExec), Words: []string{oneLine(file)},
			Text: "runs a program from a folder that the agent can write to",
		})
	}
	return list
}

// ruleReason says which rule asks.
func ruleReason(p *shellrisk.Policy, unsure bool) tools.Reason {
	text := "is asked about by the rule " + p.Text
	if unsure {
		text = "may do what the rule " + p.Text + " forbids, which cannot be known beforehand"
	}
	if p.Reason != "" {
		text += " (" + p.Reason + ")"
	}
	return tools.Reason{Category: string(shellrisk.CatRule), Text: text}
}

// text shows what would be done, whole. A path through a link is shown with
// where it leads.
func (m *matter) text() string {
	switch {
	case m.Action.Kind == tools.ActFetch:
		text := strings.Join(m.Action.URLs, "\n")
		switch at := "at "; {
		case m.Action.Command == "":
		case len(m.Action.URLs) > 1:
			at = "at the first of these that answers:\n"
			fallthrough
		default:
			text = m.Action.Command + "\n" + at + text
		}
		return shellrisk.Canonical(text)
	case m.Action.Kind == tools.ActCall:
		return shellrisk.Canonical(m.Action.Item + " of the MCP server " + m.Action.Server + "\n" + m.Action.Command)
	case !m.Action.OnFiles():
		return shellrisk.Canonical(m.Action.Command)
	}
	lines := make([]string, 0, len(m.Action.Paths))
	for i, p := range m.Action.Paths {
		line := oneLine(p)
		if m.real[i] != p {
			line += " → " + oneLine(m.real[i])
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// oneLine shows a path, which may have line breaks in it.
func oneLine(file string) string {
	return strings.ReplaceAll(shellrisk.Canonical(file), "\n", shellrisk.SpellRune('\n'))
}

func subject(a tools.Action) string {
	switch {
	case a.OnFiles():
		return strings.Join(a.Paths, "\n")
	case a.Kind == tools.ActFetch:
		return strings.Join(a.URLs, "\n")
	}
	return a.Command
}

// ask lets the user decide, and stores what the answer allows beyond this
// call.
func (g *Gate) ask(ctx context.Context, m *matter) (Permit, error) {
	if m.Files != nil && m.Action.Kind == tools.ActWrite {
		if files, err := m.Files(); err == nil && len(files) > 0 {
			m.permit = m.permit.showing(files)
		} // else it fails in words for the model once it is carried out
	}
	scopes := g.grantsFor(m)
	if m.hearsay() && !g.needsOutside(m) {
		scopes = nil // whoever writes the output would choose what is allowed for good
	}
	g.illustrate(ctx, m, scopes)
	q := m.question(scopes)
	if r := m.permit.Reviewed(); r != nil {
		q.Edit = tools.ShortNames(r.Files, g.o.Workspace)
	}
	if pins, _ := g.bound(m); len(scopes) > 0 {
		q.Bound = pinnedNames(pins)
	}
	q.Reasons = slices.Concat(g.changes(ctx, m, scopes), q.Reasons, m.looseReasons(), m.heldReasons())
	answer, err := g.put(ctx, m.Host, q)
	e := Entry{Outcome: OutcomeDeny, By: ByUser, Category: m.verdict.Category}.on(m.permit)
	if m.asking != nil {
		e.Rule = m.asking.String()
	}
	switch {
	case errors.Is(err, errUnanswered):
		e.By = ByTimeout
		return Permit{}, g.refuse(ctx, m.Request, e, refusedByTimeout(m.deed(), q.Because(), g.o.Timeout))
	case err != nil:
		return Permit{}, err
	}
	scope, yes := allowed(answer, scopes)
	switch {
	case yes:
		e.Outcome = OutcomeAllow
		if scope != "" {
			e.Rule = scope
		}
		if err := g.record(ctx, m.Request, e); err != nil {
			return Permit{}, err
		}
		if scope != "" {
			pins, _ := g.bound(m)
			g.keep(ctx, Grant{Kind: m.Action.Kind, Pattern: scope, Example: subject(m.Action), Pins: pins}, answer.Choice)
		}
		return m.permit, nil
	case answer.Choice == tools.ChoiceConfined && q.Confinable:
		return g.leftConfined(ctx, m, e)
	case answer.Choice == tools.ChoiceReview && q.Edit != nil && answer.Review != nil:
		return g.reviewed(ctx, m, e, *answer.Review)
	case answer.Choice == tools.ChoiceEdit:
		return g.edited(ctx, m, e, q, answer.Text)
	case answer.Choice == tools.ChoiceNone:
		e.By = ByPolicy
		return Permit{}, g.refuse(ctx, m.Request, e, refusedUnattended(m.deed(), q.Because(), remedy(m.leaves(), byRule)))
	case answer.Choice == tools.ChoiceDeny:
		return Permit{}, g.refuse(ctx, m.Request, e, refusedByUser(m.deed(), answer.Text))
	}
	return Permit{}, g.refuse(ctx, m.Request, e, refusedByUser(m.deed(), ""))
}

// leftConfined lets something run confined that was asked about to run outside, or
// leaves its confined run as it ended.
func (g *Gate) leftConfined(ctx context.Context, m *matter, e Entry) (Permit, error) {
	if m.again {
		if err := g.record(context.WithoutCancel(ctx), m.Request, e); err != nil {
			g.o.Warn(err)
		}
		return Permit{}, ErrStayConfined
	}
	held := m.permit.again(true)
	e = e.on(held)
	e.Outcome = OutcomeAllow
	if err := g.record(ctx, m.Request, e); err != nil {
		return Permit{}, err
	}
	return held, nil
}

// maxEdits bounds the texts that wait to be used.
const maxEdits = 64

// edited hands out what the user wrote instead. The same text again is plain
// consent.
func (g *Gate) edited(ctx context.Context, m *matter, e Entry, q *tools.Approval, text string) (Permit, error) {
	if !q.Editable || strings.TrimSpace(text) == "" {
		return Permit{}, g.refuse(ctx, m.Request, e, refusedByUser(m.deed(), ""))
	}
	if text == m.Action.Command {
		e.Outcome = OutcomeAllow
		if err := g.record(ctx, m.Request, e); err != nil {
			return Permit{}, err
		}
		return m.permit, nil
	}
	e.Outcome = OutcomeEdit
	if err := g.record(ctx, m.Request, e); err != nil {
		return Permit{}, err
	}
	g.mu.Lock()
	if len(g.edits) < maxEdits {
		g.edits[editKey(m.Tool, text)]++
	}
	g.mu.Unlock()
	return Permit{}, &Edited{Text: text}
}

func editKey(tool, text string) string { return tool + "\x00" + text }

// wrote reports whether the user has written a text for a tool, and uses that
// up.
func (g *Gate) wrote(tool, text string) bool {
	key := editKey(tool, text)
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.edits[key]
	if n < 2 {
		delete(g.edits, key)
	} else {
		g.edits[key] = n - 1
	}
	return n > 0
}

// waited says for how long no one answered.
func waited(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		if d == time.Minute {
			return "one minute"
		}
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}
