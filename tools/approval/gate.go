package approval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// Mode says how much is asked.
type Mode string

// The modes.
const (
	// ModeGuarded runs what is not proved harmless confined, where the place can, and
	// asks only about what confinement does not allow or hold. Elsewhere it is
	// ModeManual.
	ModeGuarded Mode = "guarded"
	// ModeManual asks about what is not proved to only read, changes of files too.
	ModeManual Mode = "manual"
	// ModePlan refuses every action.
	ModePlan Mode = "plan"
	// ModeSmart is ModeGuarded, but a judge is heard before the user is asked: it
	// may refuse what it likes, and allow once what is of low risk. Without a judge
	// it is ModeGuarded.
	ModeSmart Mode = "smart"
	// ModeOff asks nothing but what rules ask; what is blocked stays blocked.
	ModeOff Mode = "off"
)

// Options configure a [Gate].
type Options struct {
	Place      place.Place
	Home       string // the user's home directory in the place
	HermesHome string // the agent's own folder in the place
	Workspace  string // the root of the workspace
	// Scratch are folders made for temporary files of the agent, resolved.
	Scratch []string
	// Rules gives the rules that hold now; nil: there are none. It is called for
	// every decision, so rules that are changed count at once.
	Rules func() *shellrisk.Rules
	// Hosts reports whether the settings allow confined commands to connect to a
	// host; nil: to none.
	Hosts func(name string, port int) bool
	// Trusted reports whether the user trusts the workspace; nil: they do. In a
	// folder that is not trusted every command is asked about that does more than
	// show files, in every mode.
	Trusted func() bool
	// Edits reports whether the user is asked about every edit whose difference can be
	// shown ([Request].Files), except where a rule or a permission lets it pass and in
	// [ModeOff]; nil: as the mode says.
	Edits func() bool
	// Timeout is how long a question waits for an answer; 0 is for ever.
	Timeout time.Duration
	// Judge is heard in [ModeSmart] about what the user would be asked; nil: there
	// is none. Its reason says in a few words who judged, or why. It must end when
	// its context does, and is called side by side for several agents. An error
	// leaves the decision to the user.
	Judge func(context.Context, Case) (o Opinion, reason string, err error)
	// JudgeWithin is how long the judge may take; 0 is 30 seconds.
	JudgeWithin time.Duration
	// Grants keeps what is allowed for good; nil: that is not offered.
	Grants Grants
	// Record takes every decision; nil drops them. When it fails for what would be
	// allowed, that does not run.
	Record func(context.Context, Entry) error
	// Clock gives the time of new grants and of decisions; nil is time.Now.
	Clock func() time.Time
	// Warn hears that permissions could not be read or that the judge failed, so
	// that the user is asked, or that permissions could not be stored, so that
	// they hold for the session only, or that a refusal could not be recorded; nil
	// ignores it. It must not block.
	Warn func(error)
}

// Gate decides about the actions of a conversation and makes the permits. It
// remembers what was allowed for the session. It is safe for concurrent use.
type Gate struct {
	o Options

	mu      sync.Mutex
	session []Grant        // given until the end
	edits   map[string]int // texts that the user has written, not yet used
}

// New makes a gate.
func New(o Options) *Gate {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.Rules == nil {
		o.Rules = func() *shellrisk.Rules { return nil }
	}
	if o.Edits == nil {
		o.Edits = func() bool { return false }
	}
	if o.Trusted == nil {
		o.Trusted = func() bool { return true }
	}
	look := newSurroundings(o.Place)
	if dir := shared(o.Place); dir != "" {
		o.Scratch = append(slices.Clone(o.Scratch), look.real(dir))
	}
	o.Home, o.HermesHome, o.Workspace = look.real(o.Home), look.real(o.HermesHome), look.real(o.Workspace)
	return &Gate{o: o, edits: map[string]int{}}
}

// Request is what the gate decides about.
type Request struct {
	// Tool is the name of the tool, by which rules know it.
	Tool   string
	Action tools.Action
	Mode   Mode
	Host   tools.Host // asks the user
	// Agent and Call say for the log who wants it and in which call.
	Agent, Call string
	// Editable says that the caller can put another text into the action.
	Editable bool
	// Edited says that Action is what an [*Edited] error brought. It counts only
	// for a text that this gate has given out, and once.
	Edited bool
	// Because is why the user is to be asked, whatever a permission or the mode lets
	// pass; it completes "it …". Empty: only if it is to be asked anyway.
	Because string
	// After names where texts come from that strangers may have written and that came into
	// the turn before; empty for none. What sends data out is asked about then even where
	// a permission or a rule would let it pass, but for permissions given for just that.
	After string
	// Files gives what an [tools.ActWrite] would do to the texts of files; nil for what
	// cannot be shown. It is called when the user is asked, who may then decide about the
	// parts, see [Permit.Reviewed]; when it fails, the question is put without them.
	Files func() ([]hunks.File, error)
	// ReadsOnly and Text are for [Gate.PassTool] only: the tool changes nothing,
	// and what the call would do, for people.
	ReadsOnly bool
	Text      string
}

// verb says in a word what would be done.
func (r Request) verb() string {
	switch r.Action.Kind {
	case tools.ActFetch:
		if r.Action.Command != "" {
			return "search for"
		}
		return string(r.Action.Kind)
	case tools.ActWrite, tools.ActRead:
		return string(r.Action.Kind)
	case tools.ActReach:
		return "connect to"
	case "", tools.ActCall:
		return "use"
	}
	return "run"
}

// deed says what would be done, for the model.
func (r Request) deed() string { return r.verb() + " this" }

// Decide decides about an action, asking the user where that is needed. It
// returns a permit; or a [*Denied] that says what to tell the model; or an
// [*Edited] with what the user wants to run instead, if the request is
// Editable; or another error when the decision could not be made.
//
// The order is: hard blocks, rules that deny, plan mode, a text that the user
// wrote, rules that ask, what is harmless by itself or in this place, rules that
// allow and stored permissions, both for all rights of the user, what confinement
// holds, the mode, the judge in [ModeSmart], the user. Denials of the user, and what
// the judge says, hold for the one call. What an asking rule or a text of the user
// lets run is confined as it would be without.
func (g *Gate) Decide(ctx context.Context, r Request) (Permit, error) {
	if ctx.Err() != nil {
		return Permit{}, context.Cause(ctx)
	}
	if err := complete(r.Action); err != nil {
		return Permit{}, err
	}
	m, err := g.look(r)
	if err != nil {
		return Permit{}, err
	}
	if err := g.bind(m, r.Action); err != nil {
		return Permit{}, err
	}
	e, refusal := g.settle(ctx, m)
	if e == nil {
		if e, refusal, err = g.consult(ctx, m); err != nil {
			return Permit{}, err
		}
	}
	if e == nil {
		return g.ask(ctx, m)
	}
	if refusal != nil {
		return Permit{}, g.refuse(ctx, r, e.on(m.permit), refusal)
	}
	if err := g.record(ctx, r, e.on(m.permit)); err != nil {
		return Permit{}, err
	}
	return m.permit, nil
}

// bind makes the permit for a matter, before a question is put: what is shown is what
// will run. The action is as it was asked for.
func (g *Gate) bind(m *matter, a tools.Action) (err error) {
	changeable := func(file string) bool { return g.changeable(file, m.set) }
	files := append(slices.Clone(m.verdict.Runs), g.programs(m)...)
	binds := m.free || m.does.asks()
	if binds {
		files = append(files, g.mentioned(files, a.Dir, m.set)...)
	}
	if m.permit, err = newPermit(g.o.Place, a, files, changeable); err != nil {
		return fmt.Errorf("pass the gate: %w", err)
	}
	if binds {
		m.permit.p.pins = append(m.permit.p.pins, g.loaded(files, m.set)...)
	}
	m.permit = m.permit.about(g, m)
	return nil
}

// complete refuses an action that lacks what would run.
func complete(a tools.Action) error {
	var missing bool
	switch a.Kind {
	case tools.ActExec:
		missing = len(a.Argv) == 0 || !filepath.IsAbs(a.Argv[0]) || a.Command == ""
	case tools.ActCode:
		missing = len(a.Argv) > 0 && !filepath.IsAbs(a.Argv[0]) || a.Command == ""
	case tools.ActWrite, tools.ActRead:
		missing = len(a.Paths) == 0
	case tools.ActFetch:
		missing = len(a.URLs) == 0
	case tools.ActCall:
		missing = a.Server == "" || a.Item == ""
	default:
		return fmt.Errorf("pass the gate: unknown kind of action %q", a.Kind)
	}
	if missing {
		return errors.New("pass the gate: the action does not say what would be done")
	}
	return nil
}

// matter is an action with what is known of it.
type matter struct {
	Request
	verdict shellrisk.Verdict
	held    []shellrisk.Finding // what the place keeps from doing harm, out of the verdict
	seen    *shellrisk.Survey   // of a command
	set     shellrisk.Setting
	real    []string // the paths of the action behind all links
	permit  Permit
	relief  bool     // the place makes it harmless
	loose   []string // programs of plain names that the agent can change
	does    disposition
	// confines says that the place can confine it, refused what a confined run of it
	// was not let do.
	confines bool
	again    bool // it ran confined before
	shown    bool // the user wants to see edits before they are made
	free     bool // it is about a run with all rights, whatever would be done otherwise
	refused  []place.Refusal

	forbidden, asking, allowing *shellrisk.Policy
	unsure                      bool // asking forbids, if it matches at all
}

// settle decides what can be decided without the user; nil when it cannot.
func (g *Gate) settle(ctx context.Context, m *matter) (*Entry, *Denied) {
	v := m.verdict
	e := &Entry{Outcome: OutcomeDeny, Category: v.Category}
	switch {
	case v.Decision == shellrisk.Blocked:
		e.Outcome, e.By = OutcomeBlocked, ByJudge
		return e, blocked(m.deed(), v)
	case m.forbidden != nil:
		e.By, e.Rule = ByRule, m.forbidden.String()
		return e, refusedByRule(m.deed(), m.forbidden)
	case m.Mode == ModePlan && m.Action.Kind != tools.ActRead && m.Action.Kind != tools.ActFetch: // which change nothing
		e.By = ByMode
		return e, refusedInPlan()
	}
	e.Outcome = OutcomeAllow
	if m.Edited && g.wrote(m.Tool, subject(m.Action)) {
		e.By = ByUser
		return e, nil
	}
	if m.asking != nil || m.Because != "" {
		return nil, nil
	}
	switch {
	case m.leaves(): // unless a permission for that follows
	case v.Decision == shellrisk.Allow && m.does == runs:
		if e.By = ByJudge; m.relief {
			e.By = ByPlace
		}
		return e, nil
	case m.allowing != nil:
		e.By, e.Rule = ByRule, m.allowing.String()
		return e, nil
	}
	if permit, rule := g.grantedOutside(ctx, m); rule != "" {
		m.permit = permit
		e.By, e.Rule = ByGrant, rule
		return e, nil
	}
	switch {
	case m.leaves():
		return nil, nil
	case m.does == runs:
		e.By = ByMode
	case m.does == runsConfined:
		e.By = ByPlace
	default:
		return nil, nil
	}
	return e, nil
}

// has reports whether a category is among the reasons.
func (m *matter) has(cat shellrisk.Category) bool { return m.verdict.Has(cat) }

// refuse records a refusal and gives it as an error.
func (g *Gate) refuse(ctx context.Context, r Request, e Entry, d *Denied) error {
	d.By = e.By
	if err := g.record(context.WithoutCancel(ctx), r, e); err != nil {
		g.o.Warn(err) // what is refused does no harm unrecorded
	}
	return d
}
