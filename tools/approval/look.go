package approval

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
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
		if n.allowing == nil || n.verdict.Decision == Blocked || n.forbidden != nil || n.asking != nil {
			m.allowing = nil
		}
		return m, nil
	case m.verdict.Decision == Blocked || m.forbidden != nil:
		return m, nil
	case n.verdict.Decision != Blocked && n.forbidden == nil && (n.does < m.does || n.asking == nil && m.asking != nil):
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
	if dir == "" || r.Mode == ModeManual || r.Action.Kind != tools.ActExec {
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
	if err := g.bind(n, a); err != nil {
		return nil, err
	}
	n.permit = n.permit.again(false)
	return n, nil
}

// lookAt is look with the environment of the action.
func (g *Gate) lookAt(r Request) (*matter, error) {
	info := g.o.Place.Info()
	m := &matter{Request: r, set: g.setting(r.Action), confines: info.Confines && !r.Action.OnFiles()}
	m.set.Distrusted = m.set.Distrusted || m.confines && r.Mode != ModeManual && g.o.Undecided != nil && g.o.Undecided()
	if err := g.judge(m); err != nil {
		return nil, err
	}
	g.distrust(m)
	before := m.verdict.Decision
	m.verdict = relieved(m.verdict, r.Action.Kind, info)
	m.relief = m.verdict.Decision != before
	m.does = dispose(m.verdict, r.Mode, m.confines, r.Action.OnFiles() || info.Confined || info.Isolated)
	if r.Action.Typed && m.verdict.Decision == Allow {
		m.does = runs // the program that gets it was decided about
	}
	if m.does.confined() && m.verdict.Decision == Ask {
		m.verdict = m.verdict.without(held) // what is asked about is what confinement does not hold
	}
	if m.does == runsConfined && r.Action.Outside && r.Mode != ModeOff {
		m.does = asksOutside
	}
	g.match(m, g.o.Rules())
	if m.does.asks() && m.verdict.Decision == Allow && m.asking == nil {
		m.verdict = asked(m.verdict, CatUnknown, "is not known to only read")
	}
	return m, nil
}

// judge finds the verdict.
func (g *Gate) judge(m *matter) error {
	a := m.Action
	switch a.Kind {
	case tools.ActExec:
		m.verdict, m.seen = inspect(a.Command, m.set)
		if m.verdict.Decision == Allow && relativePath(a.Env) {
			m.verdict = asked(m.verdict, CatEnvInjection, "looks programs up in the working directory", "PATH")
		}
	case tools.ActCode:
		m.verdict = judgeScript(a.Command)
	case tools.ActWrite, tools.ActRead:
		return g.judgeFiles(m)
	}
	return nil
}

// asked is a verdict turned into a question, or with one more reason for it.
func asked(v Verdict, cat Category, reason string, words ...string) Verdict {
	return decide(append(slices.Clone(v.Findings), Finding{cat, reason, words, weightAsk}), v.Runs)
}

// judgeScript asks about every script: what it does is not looked at.
func judgeScript(script string) Verdict {
	var f findings
	f.add(weightAsk, CatIndirectExec, "runs a script that was not looked at", nil)
	if char, hidden := hiddenCharacter(script); hidden {
		f.add(weightAsk, CatObfuscated, "holds characters that cannot be seen", []string{char})
	}
	return f.result()
}

// judgeFiles finds the strictest verdict on any of the paths, by name and behind
// links. Reading has an action only where it is to be asked about.
func (g *Gate) judgeFiles(m *matter) error {
	var f findings
	for _, p := range m.Action.Paths {
		real, err := g.o.Place.FS().Resolve(p)
		if err != nil {
			return unresolved(p, err)
		}
		m.real = append(m.real, real)
		if m.Action.Kind == tools.ActRead {
			f.add(weightAsk, CatSensitiveFile, readsKeysReason, []string{filepath.ToSlash(real)})
			continue
		}
		for _, v := range m.writing(len(m.real) - 1).Findings {
			f.add(v.weight, v.Category, v.Reason, v.Words)
		}
	}
	m.verdict = f.result()
	return nil
}

// writing is the verdict on one of the paths, by name and behind links.
func (m *matter) writing(i int) Verdict {
	var f findings
	for _, file := range []string{m.Action.Paths[i], m.real[i]} {
		for _, v := range JudgeWrite(filepath.ToSlash(file), m.set).Findings {
			f.add(v.weight, v.Category, v.Reason, v.Words)
		}
	}
	return f.result()
}

// with is a list of categories with one more.
func with(list []Category, cat Category) []Category {
	for _, c := range list {
		if c == cat {
			return list
		}
	}
	return append(list[:len(list):len(list)], cat)
}

// distrust asks about everything in a folder that is not trusted but what is proved
// to only read: build files, scripts and the settings of git there would run what
// the folder's author wrote.
func (g *Gate) distrust(m *matter) {
	if m.Action.OnFiles() || m.verdict.Decision == Blocked || m.verdict.Proved || g.o.Trusted() {
		return
	}
	m.verdict = asked(m.verdict, CatUntrusted, "may run what the author of this folder wrote, and you have not said that you trust it")
}

// match finds the rules that are about an action.
func (g *Gate) match(m *matter, rules *Rules) {
	if rules == nil {
		return
	}
	kind := map[tools.ActionKind]subjectKind{
		tools.ActExec: subjectCommand, tools.ActWrite: subjectFile, tools.ActCode: subjectScript,
	}[m.Action.Kind]
	deny, ask, allow := rules.of(effectDeny, m.Tool, kind), rules.of(effectAsk, m.Tool, kind), rules.of(effectAllow, m.Tool, kind)
	switch kind {
	case subjectCommand:
		g.matchCommand(m, deny, ask, allow)
	case subjectFile:
		m.forbidden, m.asking = m.meeting(deny), m.meeting(ask)
		m.allowing = g.allowingFiles(m, allow)
	default:
		m.forbidden, m.asking = first(deny), first(ask)
		if m.allowing = first(allow); m.has(CatObfuscated) || m.has(CatUntrusted) || m.Action.Kind == tools.ActRead {
			m.allowing = nil
		}
	}
}

func first(list []*policy) *policy {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (g *Gate) matchCommand(m *matter, deny, ask, allow []*policy) {
	switch a, p := firstMatch(deny, m.seen, m.set.FoldsCase); a {
	case yes:
		m.forbidden = p
	case maybe:
		m.asking, m.unsure = p, true
	}
	if m.asking == nil {
		if a, p := firstMatch(ask, m.seen, m.set.FoldsCase); a != no {
			m.asking = p
		}
	}
	if m.verdict.Decision != Blocked && m.does != runs && len(allow) > 0 && !m.has(CatUntrusted) && !relativePath(m.Action.Env) {
		m.allowing = coveredBy(allow, m.seen, func(name string) bool { return !g.shadowed(name, m.Action, m.set) })
	}
}

// meeting finds a rule that is about any of the files.
func (m *matter) meeting(list []*policy) *policy {
	for _, p := range list {
		if p.path == nil {
			return p
		}
		for i, named := range m.Action.Paths {
			if p.path.meets(filepath.ToSlash(named)) || p.path.meets(filepath.ToSlash(m.real[i])) {
				return p
			}
		}
	}
	return nil
}

// allowingFiles finds the rule that covers the first file if every file is
// covered, each for the reasons to ask about it.
func (g *Gate) allowingFiles(m *matter, list []*policy) *policy {
	var by *policy
	for i, named := range m.Action.Paths {
		p := coveringFile(list, filepath.ToSlash(named), filepath.ToSlash(m.real[i]), m.writing(i).Categories, m.set.FoldsCase)
		if p == nil {
			return nil
		}
		if by == nil {
			by = p
		}
	}
	return by
}

func coveringFile(list []*policy, named, real string, reasons []Category, folds bool) *policy {
	for _, p := range list {
		if p.path != nil && !p.path.allows(named, real, folds) {
			continue
		}
		excused := true
		for _, cat := range reasons {
			excused = excused && p.excusesFile(cat)
		}
		if excused {
			return p
		}
	}
	return nil
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
