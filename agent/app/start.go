package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"
)

// Start begins a new conversation. Nothing of it is stored before something is
// submitted.
func (a *App) Start(ctx context.Context) (Conversation, error) {
	a.takeGlimpse()
	if err := a.writable(); err != nil {
		return nil, err
	}
	rt, notices, err := a.models.ForNew(ctx)
	if err != nil {
		return nil, err
	}
	conv := a.o.IDs.Conv()
	lease, err := sessions.Acquire(ctx, a.o.Home.Leases(), string(conv))
	if err != nil {
		return nil, err
	}
	return a.begin(plan{
		conv: conv, session: a.o.IDs.Session(), root: a.o.IDs.Agent(), dir: a.o.Dir, runtime: rt, lease: lease,
	}, notices)
}

// writable says why nothing can be stored, nil if it can.
func (a *App) writable() error {
	if why := a.db.ReadOnly(); why != nil {
		return why
	}
	return nil
}

// Resume continues a conversation: by session id, by an unambiguous beginning of
// one, or by title. It works in the folder it worked in before, if that is still
// there. One that is open in this program already is given as it is. Of a way that a
// session was left on, see [App.Lineage], it is the branch that is made of that.
func (a *App) Resume(ctx context.Context, ref string) (Conversation, error) {
	ref, way, _ := refParts(ref)
	if way != "" {
		var err error
		if ref, _, err = a.Branch(ctx, way, ""); err != nil {
			return nil, err
		}
	}
	info, err := a.db.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	delete(a.doomed, info.Session)
	a.mu.Unlock()
	conv := event.ConvID(info.Conv)
	if c, err := a.Shown(conv); err == nil {
		return c, nil
	}
	if conv == "" {
		conv = a.o.IDs.Conv()
	}
	lease, err := sessions.Acquire(ctx, a.o.Home.Leases(), string(conv))
	if err != nil {
		return nil, heldAs(err, info.Session)
	}
	a.glimpse(ctx, info, conv)
	c, err := a.revive(ctx, info, conv, lease)
	if err != nil {
		return nil, errors.Join(err, lease.Release())
	}
	return c, nil
}

// glimpsed is how many events a first look is made of: those of a few screens.
const glimpsed = 300

// takeGlimpse gives who is told the end of the first conversation, once.
func (a *App) takeGlimpse() func(*event.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	show := a.o.Glimpse
	a.o.Glimpse = nil
	return show
}

// glimpse shows the end of the first conversation that is resumed.
func (a *App) glimpse(ctx context.Context, info sessions.ConversationInfo, conv event.ConvID) {
	show := a.takeGlimpse()
	if show == nil {
		return
	}
	s, err := agent.Glimpse(ctx, a.db, conv, event.SessionID(info.Session), glimpsed)
	if err != nil || s == nil {
		return // what is wrong is said when all of it is read
	}
	s.Title = info.Title
	show(s)
}

// Shown gives a conversation that this program has open already.
func (a *App) Shown(id event.ConvID) (Conversation, error) {
	a.mu.Lock()
	c := a.open[id]
	a.mu.Unlock()
	if c == nil {
		return nil, journal.ErrClosed
	}
	a.front(c, "resume")
	return c, nil
}

// heldAs names a conversation that is open elsewhere by what the user resumes
// it by.
func heldAs(err error, session string) error {
	held, ok := errors.AsType[*sessions.HeldError](err)
	if !ok {
		return err
	}
	named := *held
	named.Conv = session
	return &named
}

func (a *App) revive(ctx context.Context, info sessions.ConversationInfo, conv event.ConvID, lease *sessions.Lease) (Conversation, error) {
	row, err := a.db.Session(ctx, info.Session)
	if err != nil {
		return nil, err
	}
	if row.Conv == "" && a.writable() == nil { // the reference made it
		if err := a.db.Adopt(ctx, info.Session, string(conv)); err != nil {
			return nil, err
		}
	}
	past, err := agent.Revive(ctx, a.db, a.o.IDs, conv, event.SessionID(info.Session))
	if err != nil {
		return nil, err
	}
	if past.Seq > longJournal {
		past.Recall = freeing(past.Recall)
	}
	rt, notices, err := a.models.ForResumed(ctx, past.State.Model)
	if err != nil {
		return nil, err
	}
	p := plan{
		conv: conv, session: event.SessionID(info.Session), root: past.State.Root().ID, dir: a.o.Dir, runtime: rt, lease: lease, past: past,
	}
	if dir := info.Workspace; dir != "" && dir != p.dir {
		if st, err := a.place.FS().Stat(dir); err == nil && st.IsDir() {
			p.dir = dir
		} else {
			notices = append(notices, fmt.Sprintf("The folder %s is gone, so the session goes on in %s.", dir, p.dir))
		}
	}
	return a.begin(p, notices)
}

// plan is what a conversation is begun with.
type plan struct {
	conv    event.ConvID
	session event.SessionID
	root    event.AgentID
	dir     string
	runtime agent.Runtime
	lease   *sessions.Lease
	past    *agent.Past
}

// begin puts a conversation together.
func (a *App) begin(p plan, notices []string) (_ Conversation, err error) {
	c := &conversation{app: a, cfg: a.config(), dir: p.dir, lease: p.lease, done: []func() error{p.lease.Release}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.release())
		}
	}()
	c.begun.Store(p.past != nil)
	c.left.Store(&[]string{})
	if p.past != nil {
		c.left.Store(&p.past.State.Left)
	}
	ctx := context.Background()
	said, err := a.settle(ctx, c, p.dir)
	if err != nil {
		return nil, err
	}
	notices = append(notices, said...)
	c.jobTopic = a.jobs(c, c.place, p.conv)
	c.skills = a.skillsOf(c, p.session)
	c.memory = a.memoryOf(c, p.session)
	c.providers, c.begin = a.remembering(c), &memoryBegin{done: make(chan struct{})}
	if said := a.unknownProvider(); said != "" {
		notices = append(notices, said)
	}
	for _, m := range a.models.Missing() {
		if m.Beside {
			notices = append(notices, m.Why+". This entry is left out.")
		}
	}
	kit, err := a.tools(c, p.root, 0, nil)
	if err != nil {
		return nil, err
	}
	c.box, c.done = kit.box, append(c.done, kit.box.Close)
	for _, name := range kit.unknown {
		notices = append(notices, fmt.Sprintf("The toolset %q of the configuration does not exist and was ignored.", name))
	}
	for _, why := range kit.box.Refused {
		notices = append(notices, "A command of the settings is no tool here: "+why+".")
	}
	prompter := a.prompter(c, kit.box)
	root, _ := prompter.Instructions()
	trust := a.trust()
	_, trusted, err := trust.Trusted(ctx, root)
	if err != nil {
		return nil, err
	}
	c.trust, c.prompt, c.renew = trust, prompter, prompter.Renew
	if p.past != nil && p.past.State.Root() != nil && slices.ContainsFunc(p.past.State.Root().Prompt, func(part event.PromptPart) bool {
		return part.Bytes > 0 && agent.PartLeftOut(p.past.State.Left, part.Name)
	}) {
		prompter.Renew() // it was stored before the part was left out
	}
	leave := func(ids []string) {
		c.left.Store(&ids)
		kit.box.Leave()
		prompter.Renew() // what the tools say of themselves is in it
	}
	side := a.sideCalls(c, p)
	c.side = side
	c.gate, said = a.gate(c, p, root, prompter, trust, side)
	notices = append(notices, said...)
	cfg := agent.Config{
		IDs: a.o.IDs, Store: a.db, Conv: p.conv, Session: p.session, Root: p.root, Past: p.past, Source: "cli",
		Runtime: p.runtime, Mode: c.mode(), Work: prompter.Workspace(ctx, trusted),
		Tools: kit.box, Gate: c.gate, Prompt: prompter, Trust: trust, Mask: a.masker(),
		Tuning: a.tuning(), Results: a.o.Home.Results(string(p.conv)),
		Unattended: a.o.Unattended, StorePatience: a.storePatience(), Log: a.log,
		Fallbacks: a.models.Fallbacks(),
	}
	typed, endTyped := bind.Typist(kit.options, kit.box, c.gate)
	cfg.Typed, c.done = typed, append(c.done, endTyped)
	c.refs, c.held = a.referTo(c, prompter), prompter.Holding.List
	cfg.Extensions = c.extensions()
	c.hooks = a.hooksOf(c)
	cfg.Leave = leave
	cfg.Hooks, cfg.Begins = c.hooks, a.begins(p)
	if c.cfg.Checkpoints.Enabled {
		c.changed = c.root(root)
		c.changes = a.fileLog(c, p.conv)
		c.done = append(c.done, c.changes.Close)
		cfg.Snapshots = c.changes
	}
	cfg.Spill, cfg.KeepRefused = c.spill(), a.keepRefused
	if c.cfg.Agent.AutoTitle && !a.o.Unattended { // a title is for a list that a user looks at
		cfg.Title = side.Title
	}
	cfg.ReviewSummary = c.cfg.Compression.Review == config.ReviewAsk
	cfg.Summarise = func(ctx context.Context, p compress.Past, show func(string)) (string, error) {
		if c.cfg.Compression.Review == config.ReviewOff {
			show = func(string) {}
		}
		return side.Summary(ctx, p, a.o.IDs.Now(), show)
	}
	cfg.Eyes = side
	cfg.Lessons = a.lessons(c.Project())
	cfg.Look = agent.Looking{
		Auto: c.cfg.Memory.Review != config.ReviewMemoryOff && !a.o.Unattended, Turns: c.cfg.Memory.Nudge, Calls: c.cfg.Skills.Nudge, Tools: kit.review,
		Tokens: c.cfg.Memory.ReviewTokens, Locals: a.locals, Each: c.reviewed, Spent: func(u event.Usage) { c.besides.add(auxiliary.Review, u) },
	}
	cfg.Awareness = agent.Awareness{Git: c.cfg.Agent.CodingContext == "auto", Changes: c.cfg.Agent.Awareness, Open: c.cfg.Agent.TodoCheckpoint}
	cfg.Children, cfg.Delegation, cfg.Delegated = c.newChild, a.delegationLimits(), agent.DelegatedApprovals(c.cfg.Delegation.Approvals)
	c.Conversation = agent.New(cfg)
	c.done = append(c.done, c.endMemory, c.endHooks)
	c.beginMemory(a.before(c))
	c.keepVectors()
	a.mu.Lock()
	a.open[p.conv] = c
	a.mu.Unlock()
	if p.past != nil {
		a.front(c, "resume")
	} else {
		a.front(c, "clear")
	}
	a.background.run(func(context.Context) { a.syncMCP() })
	if now := a.config(); now != c.cfg { // it has changed meanwhile
		c.retune(now)
	}
	for _, n := range append(a.Notices(), notices...) {
		c.Notify(event.LevelWarn, n)
	}
	if !a.o.Unattended {
		a.background.run(c.warm)
	}
	c.later(c.tellHeldSkills)
	c.later(c.tellHeldHooks)
	c.later(c.tellPendingMemory)
	c.later(c.tellPendingSkills)
	if p.past != nil {
		c.finishRewind(ctx)
		had := p.past.State.Jobs
		c.later(func() { c.restoreJobs(had) })
	}
	return c, nil
}

// before is the session that was begun or resumed in this program before a conversation.
func (a *App) before(c *conversation) (session string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	session, a.newest = a.newest, string(c.Session())
	return session
}

// storePatience is how long a store that refuses holds up a conversation: with no
// one there to see that, not for ever.
func (a *App) storePatience() time.Duration {
	if a.o.Unattended {
		return 30 * time.Second
	}
	return 0
}

// longJournal is how many events of a journal take so much memory to read that it is
// given back at once.
const longJournal = 10_000

// freeing gives back what reading a conversation took, once the last of it was read.
func freeing(read func(context.Context) ([]providers.Message, error)) func(context.Context) ([]providers.Message, error) {
	return func(ctx context.Context) ([]providers.Message, error) {
		defer func() { go debug.FreeOSMemory() }()
		return read(ctx)
	}
}

func (a *App) masker() agent.Masker {
	if !a.o.Config.Security.RedactSecrets {
		return bind.MaskKnown(a.secrets)
	}
	return bind.Mask(a.secrets)
}

// Notices gives what is to be said in the next conversation, once.
func (a *App) Notices() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.notices
	a.notices = nil
	return list
}
