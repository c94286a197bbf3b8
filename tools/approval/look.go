package approval

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// look gathers what is known of an action: the verdict, what the place makes of
// it, and the rules that match. It is judged with the environment of a confined run,
// and where it would not be one with that of a run with all rights: the stricter
// counts.
func (g *Gate) look(r Request) (*matter, error) {
	held := r
	held.Action.Env = g.confinedEnv(r)
	m, err := g.lookAt(held)
	if err != nil || slices.Equal(held.Action.Env, plain(r.Action)) || m.does.confined() && m.allowing == nil {
		return m, err
	}
	r.Action.Env = plain(r.Action)
	n, err := g.lookAt(r)
	switch {
	case err != nil:
		return nil, err
	case m.does.confined(): // but for the rule
		if n.allowing == nil || n.verdict.Decision == shellrisk.Blocked || n.forbidden != nil || n.asking != nil {
			m.allowing = nil
		}
		return m, nil
	case m.verdict.Decision == shellrisk.Blocked || m.forbidden != nil:
		return m, nil
	case n.verdict.Decision != shellrisk.Blocked && n.forbidden == nil && (n.does < m.does || n.asking == nil && m.asking != nil):
		return m, nil
	}
	return n, nil
}

// plain is the environment of an action that runs with all rights of the user.
func plain(a tools.Action) []string {
	if a.Plain != nil {
		return a.Plain
	}
	return a.Env
}

// shared is the folder of a place that confined processes may write, to which their
// TMPDIR leads; empty for none.
func shared(at place.Place) string {
	if at, ok := at.(interface{ Shared() string }); ok {
		return at.Shared()
	}
	return ""
}

// confinedEnv is the environment of an action that runs confined, if it may.
func (g *Gate) confinedEnv(r Request) []string {
	dir := shared(g.o.Place)
	if dir == "" || r.Action.Kind != tools.ActExec {
		return plain(r.Action)
	}
	return append(slices.Clone(r.Action.Env), "TMPDIR="+dir)
}

// outside is a matter as it is where it runs with all rights of the user, with a
// permit for that.
func (g *Gate) outside(m *matter) (*matter, error) {
	a := m.permit.p.action
	r := m.Request
	r.Action = a
	r.Action.Env = plain(a)
	n, err := g.lookAt(r)
	if err != nil {
		return nil, err
	}
	n.free = true
	if err := g.bind(n, a); err != nil {
		return nil, err
	}
	n.permit = n.permit.again(false)
	return n, nil
}

// lookAt is look with the environment of the action.
func (g *Gate) lookAt(r Request) (*matter, error) {
	info := g.o.Place.Info()
	m := &matter{Request: r, set: g.setting(r.Action), confines: info.Confines && !r.Action.OnFiles() && r.Action.Kind != tools.ActCall && r.Action.Kind != tools.ActFetch}
	if err := g.judge(m); err != nil {
		return nil, err
	}
	g.distrust(m)
	if push := m.seen.Pushes(); push != nil && m.confines && m.verdict.Decision != shellrisk.Blocked {
		m.verdict = m.verdict.Asking(shellrisk.CatPublish, "sends commits to another repository", push...)
	}
	before, found := m.verdict.Decision, m.verdict.Findings
	m.verdict = relieved(m.verdict, r.Action.Kind, info)
	m.relief = m.verdict.Decision != before
	m.shown = r.Action.Kind == tools.ActWrite && r.Files != nil && r.Mode != ModeOff && g.o.Edits()
	edits := r.Action.Kind == tools.ActWrite && (r.Mode == ModeManual || m.shown)
	known := r.Action.OnFiles() && !edits || r.Action.Kind == tools.ActFetch || info.Confined || info.Isolated
	m.does = dispose(m.verdict, r.Mode, m.confines, known)
	if r.Action.Typed && m.verdict.Decision == shellrisk.Allow {
		m.does = runs // the program that gets it was decided about
	}
	if m.does == asksOutside && m.confines && r.Mode != ModeManual && g.onlySettles(m) {
		m.does = runs
	}
	if m.does.confined() && m.verdict.Decision == shellrisk.Ask {
		m.verdict = m.verdict.Without(held) // what is asked about is what confinement does not hold
	}
	m.held = without(found, m.verdict.Findings)
	if m.does == runsConfined && r.Action.Outside && r.Mode != ModeOff {
		m.does = asksOutside
	}
	g.match(m, g.o.Rules())
	if m.does.confined() && m.reaches() {
		m.allowing = nil // which would let it run with all rights: held, each host is asked about
	}
	if m.does.asks() && m.verdict.Decision == shellrisk.Allow && m.asking == nil {
		why := "may do more than read"
		switch {
		case m.shown:
			why = "changes files, which you want to see before (approvals.edits)"
		case edits:
			why = "changes files, which you are asked about in mode manual"
		}
		m.verdict = m.verdict.Asking(shellrisk.CatUnknown, why)
	}
	return m, nil
}

// onlySettles reports whether a command is asked about only because confined it could not
// write a setting of the repository that does no harm, or a new remote.
func (g *Gate) onlySettles(m *matter) bool {
	cats := m.verdict.Categories
	return len(cats) == 1 && cats[0] == shellrisk.CatProjectConfig && m.seen.OnlySettles(m.Action.Command) && !relativePath(m.Action.Env) &&
		!g.shadowed("git", m.Action, m.set)
}

// without are the findings of the first list that are not in the second.
func without(list, others []shellrisk.Finding) []shellrisk.Finding {
	if len(list) == len(others) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(f shellrisk.Finding) bool {
		return slices.ContainsFunc(others, func(o shellrisk.Finding) bool {
			return o.Category == f.Category && o.Reason == f.Reason && slices.Equal(o.Words, f.Words)
		})
	})
}

// judge finds the verdict.
func (g *Gate) judge(m *matter) error {
	a := m.Action
	switch a.Kind {
	case tools.ActExec:
		m.verdict, m.seen = shellrisk.Inspect(a.Command, m.set)
		if m.verdict.Decision == shellrisk.Allow && relativePath(a.Env) {
			m.verdict = m.verdict.Asking(shellrisk.CatEnvInjection, "looks programs up in the working directory", "PATH")
		}
	case tools.ActCode:
		m.verdict = shellrisk.JudgeScript(a.Command)
	case tools.ActFetch:
		m.verdict = g.judgeFetch(a)
	case tools.ActCall:
		m.verdict = shellrisk.JudgeCall(a.Server)
	case tools.ActWrite, tools.ActRead:
		return g.judgeFiles(m)
	}
	return nil
}

// judgeFiles finds the strictest verdict on any of the paths, by name and behind
// links. Reading has an action only where it is to be asked about.
func (g *Gate) judgeFiles(m *matter) error {
	var found []shellrisk.Verdict
	for _, p := range m.Action.Paths {
		real, err := g.o.Place.FS().Resolve(p)
		if err != nil {
			return unresolved(p, err)
		}
		m.real = append(m.real, real)
		if m.Action.Kind == tools.ActRead {
			found = append(found, shellrisk.JudgeRead(filepath.ToSlash(real)))
			continue
		}
		found = append(found, m.writing(len(m.real)-1))
	}
	m.verdict = shellrisk.Joined(found...)
	return nil
}

// writing is the verdict on one of the paths, by name and behind links.
func (m *matter) writing(i int) shellrisk.Verdict {
	return shellrisk.Joined(shellrisk.JudgeWrite(filepath.ToSlash(m.Action.Paths[i]), m.set), shellrisk.JudgeWrite(filepath.ToSlash(m.real[i]), m.set))
}

// distrust asks about everything in a folder that is not trusted but what is proved
// to only read: build files, scripts and the settings of git there would run what
// the folder's author wrote.
func (g *Gate) distrust(m *matter) {
	if m.Action.OnFiles() || m.Action.Kind == tools.ActCall || m.Action.Kind == tools.ActFetch || m.verdict.Decision == shellrisk.Blocked || m.verdict.Proved || g.o.Trusted() {
		return
	}
	m.verdict = m.verdict.Asking(shellrisk.CatUntrusted, "may run what the author of this folder wrote, and you have not said that you trust it")
}

// match finds the rules that are about an action.
func (g *Gate) match(m *matter, rules *shellrisk.Rules) {
	if rules == nil {
		return
	}
	kind := m.Action.Kind
	deny, ask, allow := rules.Denying(m.Tool, kind), rules.Asking(m.Tool, kind), rules.Allowing(m.Tool, kind)
	switch kind {
	case tools.ActExec:
		g.matchCommand(m, deny, ask, allow)
	case tools.ActWrite:
		m.forbidden, m.asking = deny.Meeting(m.Action.Paths, m.real), ask.Meeting(m.Action.Paths, m.real)
		m.allowing = g.allowingFiles(m, allow)
	case tools.ActFetch:
		var hosts []string
		for _, address := range m.Action.URLs {
			if u, err := url.Parse(address); err == nil {
				host, _ := siteOf(u)
				hosts = append(hosts, host)
			}
		}
		m.forbidden, m.asking = deny.Site(hosts), ask.Site(hosts)
		if len(hosts) == len(m.Action.URLs) {
			m.allowing = allow.CoveringSites(hosts, m.has(shellrisk.CatExfiltration))
		}
	default:
		m.forbidden, m.asking = deny.First(), ask.First()
		if m.allowing = allow.First(); m.has(shellrisk.CatObfuscated) || m.has(shellrisk.CatUntrusted) || m.Action.Kind == tools.ActRead {
			m.allowing = nil
		}
	}
}

func (g *Gate) matchCommand(m *matter, deny, ask, allow shellrisk.Policies) {
	switch a, p := deny.Match(m.seen, m.set.FoldsCase); a {
	case shellrisk.Yes:
		m.forbidden = p
	case shellrisk.Maybe:
		m.asking, m.unsure = p, true
	}
	if m.asking == nil {
		if a, p := ask.Match(m.seen, m.set.FoldsCase); a != shellrisk.No {
			m.asking = p
		}
	}
	if m.verdict.Decision != shellrisk.Blocked && m.does != runs && len(allow) > 0 && !m.has(shellrisk.CatUntrusted) && !relativePath(m.Action.Env) {
		m.allowing = allow.Covering(m.seen, func(name string) bool { return !g.shadowed(name, m.Action, m.set) })
	}
}

// allowingFiles finds the rule that covers the first file if every file is
// covered, each for the reasons to ask about it.
func (g *Gate) allowingFiles(m *matter, list shellrisk.Policies) *shellrisk.Policy {
	var by *shellrisk.Policy
	for i, named := range m.Action.Paths {
		p := list.CoveringFile(filepath.ToSlash(named), filepath.ToSlash(m.real[i]), m.writing(i).Categories, m.set.FoldsCase)
		if p == nil {
			return nil
		}
		if by == nil {
			by = p
		}
	}
	return by
}

// relativePath reports whether PATH has an element that depends on the directory.
func relativePath(env []string) bool {
	search, ok := tools.Variable(env, "PATH")
	for dir := range strings.SplitSeq(search, ":") {
		if ok && !path.IsAbs(dir) {
			return true
		}
	}
	return false
}
