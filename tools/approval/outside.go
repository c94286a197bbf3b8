package approval

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// ErrStayConfined means that the user wants a confined run to be left as it ended.
var ErrStayConfined = errors.New("the user left it confined")

// PartlyError means that a confined run was refused something after it had changed
// something, so that it is not simply run once more.
type PartlyError struct{ Refused []place.Refusal }

func (e *PartlyError) Error() string {
	return "It was not run again, since it has changed files or reached hosts before that. " +
		"Look at what it did; if it has to be repeated with more rights, call it again with outside set to true, and the user is asked."
}

// Outside asks whether what the permit let run confined may run once more with all
// rights of the user, since it was refused something; in [ModeSmart] the judge is heard
// first. It gives a permit for the same
// bytes; or a [*Denied]; or [ErrStayConfined]; or a [*PartlyError], without a
// question, when the confined run has changed something; or a [*ChangedError] when
// what would run is not the same any more. It can be called once for a permit that
// was taken, and for none that it has given itself.
func (p Permit) Outside(ctx context.Context, host tools.Host, refused []place.Refusal, changed bool) (Permit, error) {
	switch {
	case p.p == nil || p.p.gate == nil || !p.p.confined || !p.p.used.Load():
		return Permit{}, ErrNoPermit
	case !p.p.widened.CompareAndSwap(false, true):
		return Permit{}, ErrUsedPermit
	case changed:
		return Permit{}, &PartlyError{Refused: refused}
	}
	for _, was := range p.p.pins {
		if was.now(place.Outer(p.p.place)) != was.Content {
			return Permit{}, &ChangedError{File: was.File}
		}
	}
	m, err := p.p.gate.outside(p.p.about)
	if err != nil {
		return Permit{}, err
	}
	e := Entry{Outcome: OutcomeDeny, Category: m.verdict.Category}.on(m.permit)
	switch {
	case m.verdict.Decision == shellrisk.Blocked:
		e.Outcome, e.By = OutcomeBlocked, ByJudge
		return Permit{}, p.p.gate.refuse(ctx, m.Request, e, blocked(m.deed(), m.verdict))
	case m.forbidden != nil:
		e.By, e.Rule = ByRule, m.forbidden.String()
		return Permit{}, p.p.gate.refuse(ctx, m.Request, e, refusedByRule(m.deed(), m.forbidden))
	}
	m.Host, m.Editable, m.asking, m.refused, m.again = host, false, nil, refused, true
	m.does = asksOutside
	if rule := p.p.gate.granted(ctx, m); rule != "" {
		e.Outcome, e.By, e.Rule = OutcomeAllow, ByGrant, rule
		return m.permit, p.p.gate.record(ctx, m.Request, e)
	}
	judged, refusal, err := p.p.gate.consult(ctx, m)
	switch {
	case err != nil:
		return Permit{}, err
	case refusal != nil:
		return Permit{}, p.p.gate.refuse(ctx, m.Request, judged.on(m.permit), refusal)
	case judged != nil:
		return m.permit, p.p.gate.record(ctx, m.Request, judged.on(m.permit))
	}
	return p.p.gate.ask(ctx, m)
}

// refusals are reasons to ask: what a confined run was not let do.
func (m *matter) refusals() []tools.Reason {
	category := map[place.RefusalKind]shellrisk.Category{
		place.RefusedNetwork: shellrisk.CatNetwork, place.RefusedWrite: shellrisk.CatOutside, place.RefusedRead: shellrisk.CatSensitiveFile,
	}
	var list []tools.Reason
	for _, r := range m.refused {
		cat, ok := category[r.Kind]
		if !ok {
			cat = shellrisk.CatUnknown
		}
		list = append(list, tools.Reason{Category: string(cat), Text: refusedInWords([]place.Refusal{r}), Words: m.seen.Program()})
	}
	if len(list) == 0 {
		list = append(list, tools.Reason{Category: string(shellrisk.CatUnknown), Text: "was refused something"})
	}
	return list
}

// maxRefusals bounds what is named of what was refused.
const maxRefusals = 8

// hearsay reports whether what it was refused, in part, is only what its output says.
func (m *matter) hearsay() bool {
	return slices.ContainsFunc(m.refused, func(r place.Refusal) bool { return r.Said })
}

// outsiders are programs that serve to work with what confined commands cannot reach:
// their words alone say so, whatever they print.
var outsiders = strings.Fields("docker docker-compose podman nerdctl kubectl helm gh glab ssh scp sftp aws gcloud az systemctl journalctl kill pkill killall")

// needsOutside reports whether the command calls no program but one of these.
func (g *Gate) needsOutside(m *matter) bool {
	return m.seen != nil && slices.Contains(outsiders, m.seen.Sole(func(name string) bool { return g.shadowed(name, m.Action, m.set) }))
}

// refusedInWords says what was refused, and what only an output says of it: "was not let
// connect to host:443, and says that it could not write to /x".
func refusedInWords(refused []place.Refusal) string {
	known, said := inWords(refused)
	switch {
	case said == "" && known == "":
		return "was not let do everything it wanted"
	case said == "":
		return "was not let " + known
	case known == "":
		return "says that it could not " + said
	}
	return "was not let " + known + ", and says that it could not " + said
}

// inWords joins what was refused, "write to /x, connect to host:443", and apart from that
// what only an output says.
func inWords(refused []place.Refusal) (known, said string) {
	lists := map[bool][]string{}
	for _, r := range refused[:min(len(refused), maxRefusals)] {
		if w := refusalInWords(r); !slices.Contains(lists[r.Said], w) {
			lists[r.Said] = append(lists[r.Said], w)
		}
	}
	return strings.Join(lists[false], ", "), strings.Join(lists[true], ", ")
}

func refusalInWords(r place.Refusal) string {
	what := oneLine(r.What)
	switch r.Kind {
	case place.RefusedNetwork:
		if what == "" {
			return "use the network"
		}
		return "connect to " + what
	case place.RefusedWrite:
		return "write to " + what
	case place.RefusedRead:
		return "read " + what
	}
	return what
}

// confinement says in one line what confinement means for a question.
func (m *matter) confinement() string {
	switch {
	case m.again:
		return "ran confined and failed, changing nothing; outside it has all your rights"
	case m.does.confined():
		return "runs confined: only this folder is written, only hosts that you allow are reached"
	case m.does != asksOutside || !m.confines:
		return ""
	case m.Action.Outside:
		return "would run outside, with all your rights: the agent asks for that"
	}
	for _, cat := range m.verdict.Categories {
		if guarded[cat].does == asksOutside {
			return "would run outside, with all your rights: " + guarded[cat].why
		}
	}
	return "would run outside, with all your rights"
}
