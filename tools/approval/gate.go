package approval

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// Mode says how much is asked.
type Mode string

// The modes.
const (
	// ModeManual asks about what is not plainly harmless.
	ModeManual Mode = "manual"
	// ModePlan refuses every action.
	ModePlan Mode = "plan"
	// ModeOff asks nothing; what is blocked stays blocked.
	ModeOff Mode = "off"
)

// Options configure a [Gate].
type Options struct {
	Place      place.Place
	Home       string // the person's home directory in the place
	HermesHome string // the agent's own folder in the place
	Workspace  string // the root of the workspace
	// Scratch are folders made for temporary files of the agent, resolved.
	Scratch []string
	// Grants keeps what is allowed for good; nil: that is not offered.
	Grants Grants
	// Clock gives the time of new grants; nil is time.Now.
	Clock func() time.Time
	// Warn hears that permissions could not be read, so that the person is
	// asked, or not be stored, so that they hold for the session only; nil
	// ignores it. It must not block.
	Warn func(error)
}

// Gate decides about the actions of a conversation and makes the permits. It
// remembers what was allowed for the session. It is safe for concurrent use.
type Gate struct {
	o Options

	mu      sync.Mutex
	session map[string]bool // rules allowed until the end
}

// New makes a gate.
func New(o Options) *Gate {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	look := surroundings{fs: o.Place.FS()}
	o.Home, o.HermesHome, o.Workspace = look.real(o.Home), look.real(o.HermesHome), look.real(o.Workspace)
	return &Gate{o: o, session: map[string]bool{}}
}

// Pass decides about an action, asking the person where that is needed. It
// returns a permit, or a [*Denied] that says what to tell the model, or another
// error when the decision could not be made.
//
// The order is: hard blocks, plan mode, stored permissions, the mode, the
// person. Denials of the person hold for the one call.
func (g *Gate) Pass(ctx context.Context, a tools.Action, mode Mode, host tools.Host) (Permit, error) {
	if err := ctx.Err(); err != nil {
		return Permit{}, context.Cause(ctx)
	}
	if a.Kind == tools.ActExec && (len(a.Argv) == 0 || !filepath.IsAbs(a.Argv[0]) || a.Command == "") {
		return Permit{}, errors.New("pass the gate: the action names no program")
	}
	v, err := g.judge(a)
	if err != nil {
		return Permit{}, err
	}
	verb := verbOf(a)
	switch {
	case v.Decision == Blocked:
		return Permit{}, blocked(verb, v)
	case mode == ModePlan:
		return Permit{}, refusedInPlan()
	}
	// Bound before the question is put: what is shown is what will run.
	permit, err := newPermit(g.o.Place, a, v.Runs)
	if err != nil {
		return Permit{}, fmt.Errorf("pass the gate: %w", err)
	}
	if v.Decision == Allow || mode == ModeOff {
		return permit, nil
	}
	rules := rulesFor(a, v)
	if g.granted(ctx, a, rules) {
		return permit, nil
	}
	if err := g.ask(ctx, a, v, rules, permit, host); err != nil {
		return Permit{}, err
	}
	return permit, nil
}

func verbOf(a tools.Action) string {
	if a.Kind == tools.ActWrite {
		return "write"
	}
	return "run"
}

// judge gives the verdict on an action.
func (g *Gate) judge(a tools.Action) (Verdict, error) {
	set := g.setting(a)
	switch a.Kind {
	case tools.ActExec:
		v := Judge(a.Command, set)
		if v.Decision == Allow && relativePath(a.Env) {
			return Verdict{
				Decision: Ask, Category: CatEnvInjection, Categories: []Category{CatEnvInjection},
				Reason: "looks programs up in the working directory", Words: []string{"PATH"}, Runs: v.Runs,
			}, nil
		}
		return v, nil
	case tools.ActWrite:
		return g.judgeWrites(a.Paths, set)
	}
	return Verdict{}, fmt.Errorf("pass the gate: unknown kind of action %q", a.Kind)
}

// judgeWrites gives the strictest verdict on any of the paths, by name and behind
// links.
func (g *Gate) judgeWrites(paths []string, set Setting) (Verdict, error) {
	worst := Verdict{Decision: Allow, Category: CatNone}
	for _, p := range paths {
		real, err := g.o.Place.FS().Resolve(p)
		if err != nil {
			return Verdict{}, unresolved(p, err)
		}
		for _, v := range []Verdict{JudgeWrite(filepath.ToSlash(p), set), JudgeWrite(filepath.ToSlash(real), set)} {
			if stricter(v, worst) {
				worst = v
			}
		}
	}
	return worst, nil
}

func stricter(a, b Verdict) bool {
	rank := map[Decision]int{Allow: 0, Ask: 1, Blocked: 2}
	return rank[a.Decision] > rank[b.Decision]
}

// ask puts the question, and stores what the answer allows beyond this call.
func (g *Gate) ask(ctx context.Context, a tools.Action, v Verdict, rules []string, p Permit, host tools.Host) error {
	verb := verbOf(a)
	q := &tools.Approval{
		Verb: verb, Text: Canonical(subject(a)), SHA256: p.Digest(),
		Reason: Canonical(v.Reason), Category: string(v.Category), Dir: Canonical(a.Dir),
	}
	for _, w := range v.Words {
		q.Words = append(q.Words, Canonical(w))
	}
	if len(rules) > 0 {
		q.Rule = Canonical(rules[0])
	}
	answer, err := host.Ask(ctx, tools.Question{Approval: q})
	if err != nil {
		return fmt.Errorf("ask for approval: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	switch answer.Choice {
	case tools.ChoiceOnce:
		return nil
	case tools.ChoiceSession, tools.ChoiceAlways:
		if len(rules) > 0 { // else nothing more was offered
			g.remember(ctx, a, rules[0], answer.Choice)
		}
		return nil
	case tools.ChoiceDeny:
		return refusedByPerson(verb, answer.Text)
	case tools.ChoiceNone:
		return refusedUnattended(verb, v)
	}
	return refusedByPerson(verb, "")
}

func subject(a tools.Action) string {
	if a.Kind == tools.ActWrite {
		return strings.Join(a.Paths, "\n")
	}
	return a.Command
}

// remember keeps a permission for the session, or for good.
func (g *Gate) remember(ctx context.Context, a tools.Action, rule string, choice tools.Choice) {
	g.mu.Lock()
	g.session[rule] = true
	g.mu.Unlock()
	if choice != tools.ChoiceAlways || g.o.Grants == nil {
		return
	}
	grant := Grant{Kind: a.Kind, Pattern: rule, Example: subject(a), At: g.o.Clock()}
	if err := g.o.Grants.Add(ctx, grant); err != nil {
		g.o.Warn(fmt.Errorf("store the permission: %w", err))
	}
}

// granted tells whether a stored permission covers the action.
func (g *Gate) granted(ctx context.Context, a tools.Action, rules []string) bool {
	if len(rules) == 0 || relativePath(a.Env) {
		return false
	}
	if len(rules) > 1 && g.shadowed(a) { // the wide rule names a program by its plain name
		rules = rules[1:]
	}
	g.mu.Lock()
	found := slices.ContainsFunc(rules, func(r string) bool { return g.session[r] })
	g.mu.Unlock()
	if found || g.o.Grants == nil {
		return found
	}
	list, err := g.o.Grants.List(ctx)
	if err != nil {
		g.o.Warn(fmt.Errorf("read permissions: %w", err))
	}
	return slices.ContainsFunc(list, func(s Grant) bool {
		return s.Kind == a.Kind && slices.Contains(rules, s.Pattern)
	})
}

// shadowed tells whether the program a command names would come from a folder
// that the agent can write to.
func (g *Gate) shadowed(a tools.Action) bool {
	words, ok := literalWords(a.Command)
	if !ok || len(words) == 0 {
		return true
	}
	search, _ := variableIn(a.Env, "PATH")
	for dir := range strings.SplitSeq(search, ":") {
		file := path.Join(dir, words[0])
		if st, err := g.o.Place.FS().Stat(file); err != nil || !st.Mode().IsRegular() || st.Mode()&0o111 == 0 {
			continue
		}
		real, err := g.o.Place.FS().Resolve(file)
		set := g.setting(a)
		return err != nil || set.inside(real) || set.inside(file) || within(real, g.o.Place.Info().Temp, false)
	}
	return true // found nowhere: a function or alias
}

// relativePath tells whether PATH has an element that depends on the directory.
func relativePath(env []string) bool {
	search, ok := variableIn(env, "PATH")
	for dir := range strings.SplitSeq(search, ":") {
		if ok && !path.IsAbs(dir) {
			return true
		}
	}
	return false
}

// variableIn gives the value of a variable in an environment, and whether it is
// there.
func variableIn(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}
