package approval

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// asking is a question about a host that is on its way or was answered.
type asking struct {
	done chan struct{}
	err  error
}

// Reach decides whether what the permit lets run confined may connect to a host,
// by the name that the process uses. Settings and permissions are looked at before
// the judge of [ModeSmart] is heard and the user is asked; connections to one host wait for the same answer, which holds
// for the run. An error refuses and says in a few words why, for the process. It may
// be called concurrently, and after the permit was taken.
func (p Permit) Reach(ctx context.Context, host tools.Host, name string, port int) error {
	if p.p == nil || p.p.gate == nil || !p.p.confined {
		return ErrNoPermit
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "" || port < 1 || port > 65535 || shellrisk.Canonical(name) != name || strings.ContainsAny(name, " *\"") {
		return fmt.Errorf("%q is no host to connect to", name)
	}
	about := name // of which an answer holds for all ports
	if hosts := p.p.gate.o.Hosts; name == localhost || hosts != nil && hosts(name, port) {
		about = address(name, port) // another port is another program, and settings may mean one only
	}
	for {
		p.p.mu.Lock()
		a, ok := p.p.hosts[about]
		if !ok {
			a = &asking{done: make(chan struct{})}
			if p.p.hosts == nil {
				p.p.hosts = map[string]*asking{}
			}
			p.p.hosts[about] = a
		}
		p.p.mu.Unlock()
		if ok {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-a.done:
			}
			if _, decided := errors.AsType[*Denied](a.err); a.err == nil || decided {
				return a.err
			}
			continue // whoever asked gave up
		}
		err := p.p.gate.reach(ctx, p.p.about, host, name, port)
		if _, decided := errors.AsType[*Denied](err); err != nil && !decided {
			p.p.mu.Lock()
			delete(p.p.hosts, about)
			p.p.mu.Unlock()
		}
		a.err = err
		close(a.done)
		return err
	}
}

// reach decides about a host, asking the user where that is needed.
func (g *Gate) reach(ctx context.Context, m *matter, host tools.Host, name string, port int) error {
	r := m.Request
	r.Action, r.Host = tools.Action{Kind: tools.ActReach}, host
	e := Entry{Digest: m.permit.Digest(), Outcome: OutcomeAllow, Category: shellrisk.CatNetwork}
	scopes, leaves := hostScopes(name, port), m.reaches()
	if leaves {
		scopes = wide(scopes)
	}
	if rule := g.grantedAs(ctx, tools.ActReach, scopes, nil); rule != "" {
		e.By, e.Rule = ByGrant, rule
		return g.record(ctx, r, e)
	}
	switch {
	case !leaves && g.o.Hosts != nil && g.o.Hosts(name, port):
		e.By, e.Rule = ByRule, "approvals.hosts"
		return g.record(ctx, r, e)
	case m.Mode == ModeOff:
		e.By = ByMode
		return g.record(ctx, r, e)
	}
	reason := tools.Reason{Category: string(shellrisk.CatNetwork), Text: "connects to a host that is not allowed yet"}
	switch {
	case name == localhost:
		reason.Text = fmt.Sprintf("connects to what listens at port %d of this machine, outside the confinement", port)
	case local(name):
		reason.Text = "connects to this machine or its network from inside the confinement"
	}
	reasons := []tools.Reason{reason}
	if leaves {
		reasons = []tools.Reason{m.afterReason()}
	}
	q := &tools.Approval{
		Verb: r.verb(), Text: address(name, port) + "\nfor: " + begin(m.text()), SHA256: e.Digest,
		Reasons: reasons, Dir: shellrisk.Canonical(m.Action.Dir), Rule: scopes[0].Rule, Scopes: scopes,
		Confinement: "stays confined: what it can read, it can send there",
	}
	judged, refusal, err := g.consultReach(ctx, m, q, name)
	switch {
	case err != nil:
		return err
	case judged == nil:
		return g.answered(ctx, r, e, q, m)
	}
	judged.Digest = e.Digest
	if refusal != nil {
		return g.refuse(ctx, r, *judged, refusal)
	}
	return g.record(ctx, r, *judged)
}

// maxHeard is how many hosts of one run the judge is heard about; of more the user is
// asked.
const maxHeard = 8

// consultReach lets the judge decide about a host, as consult does about an action.
func (g *Gate) consultReach(ctx context.Context, m *matter, q *tools.Approval, name string) (*Entry, *Denied, error) {
	if m.Mode != ModeSmart || g.o.Judge == nil || m.asking != nil || m.reaches() || m.has(shellrisk.CatUntrusted) || m.permit.p.heard.Add(1) > maxHeard {
		return nil, nil, nil
	}
	to, _, _ := strings.Cut(q.Text, "\n")
	return g.hear(ctx, q.Verb+" "+to, Case{
		Tool: m.Tool, Verb: q.Verb, Text: q.Text, Category: shellrisk.CatNetwork, Categories: shellrisk.With(m.verdict.Categories, shellrisk.CatNetwork),
		Reason: q.Because(), Dir: q.Dir, Workspace: shellrisk.Canonical(g.o.Workspace),
	}, mayReach(m.verdict.Categories, name))
}

// maxBegin is how many characters of a command a question about a host shows: the
// command runs already, and what is allowed is the host.
const maxBegin = 400

// begin is the beginning of a long text, with how much of it is left out.
func begin(text string) string {
	all := []rune(text)
	if len(all) <= maxBegin {
		return text
	}
	return fmt.Sprintf("%s … (%d characters more)", string(all[:maxBegin]), len(all)-maxBegin)
}

// answered puts a question about a host and carries out the answer.
func (g *Gate) answered(ctx context.Context, r Request, e Entry, q *tools.Approval, m *matter) error {
	to, _, _ := strings.Cut(q.Text, "\n")
	deed := r.verb() + " " + to
	answer, err := g.put(ctx, r.Host, q)
	if e.By = ByUser; errors.Is(err, errUnanswered) {
		e.By, e.Outcome = ByTimeout, OutcomeDeny
		return g.refuse(ctx, r, e, refusedByTimeout(deed, q.Because(), g.o.Timeout))
	}
	if err != nil {
		return err
	}
	scope, ok := allowed(answer, q.Scopes)
	if !ok {
		e.Outcome = OutcomeDeny
		if answer.Choice == tools.ChoiceNone {
			e.By = ByPolicy
			return g.refuse(ctx, r, e, refusedUnattended(deed, q.Because(), remedy(m.reaches(), "by listing "+hostRule(to)+" under approvals.hosts")))
		}
		reason := ""
		if answer.Choice == tools.ChoiceDeny {
			reason = answer.Text
		}
		return g.refuse(ctx, r, e, refusedByUser(deed, reason))
	}
	e.Rule = scope
	if err := g.record(ctx, r, e); err != nil {
		return err
	}
	g.keep(ctx, Grant{Kind: r.Action.Kind, Pattern: scope, Example: subject(m.Action)}, answer.Choice)
	return nil
}

// allowed reports whether an answer allows, and which of the offered scopes it
// takes, empty for this once. A scope that was not offered allows nothing.
func allowed(a tools.Answer, scopes []tools.Scope) (rule string, ok bool) {
	switch a.Choice {
	case tools.ChoiceOnce:
		return "", true
	case tools.ChoiceSession, tools.ChoiceAlways:
		if len(scopes) == 0 {
			return "", true // nothing more was offered
		}
		if a.Text == "" {
			return scopes[0].Rule, true
		}
		for _, s := range scopes {
			if s.Rule == a.Text {
				return s.Rule, true
			}
		}
	}
	return "", false
}

// hostRule is how the settings would list a host.
func hostRule(address string) string {
	if strings.HasPrefix(address, localhost+":") {
		return address
	}
	return "the host"
}

// localhost is this machine, whose ports are asked about one by one.
const localhost = "localhost"

// hostScopes are the permissions that cover a host, the narrowest first. All hosts
// below a name are offered only where that name belongs to one owner.
func hostScopes(name string, port int) []tools.Scope {
	if name == localhost {
		return []tools.Scope{{Label: fmt.Sprintf("port %d of this machine", port), Rule: "connect to " + address(name, port)}}
	}
	list := []tools.Scope{{Label: "this host", Rule: "connect to " + name}}
	if _, err := netip.ParseAddr(name); err == nil {
		return list
	}
	if owned, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil && owned != name {
		list = append(list, tools.Scope{Label: "*." + owned, Rule: "connect to *." + owned})
	}
	return list
}

// address writes a host and a port.
func address(name string, port int) string {
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	return name + ":" + strconv.Itoa(port)
}

// local reports whether a name is that of this machine, or an address that is not
// one of the internet.
func local(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasSuffix(name, ".local") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	addr = addr.Unmap()
	return err == nil && (addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified())
}
