package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// turn is one turn of an agent. What it began with (model, tools) stays until
// it ends.
type turn struct {
	*Agent
	id       event.TurnID
	rt       Runtime
	defs     []providers.ToolDef
	tuned    *tuned // what it keeps to the end
	started  time.Time
	budget   int // model calls it may make
	requests int // model calls made
	refunded int // those of them that count against no budget
	phase    event.Phase
	// refusedBy is what a hook said against its input, empty for nothing.
	refusedBy string
	unopened  error // why there was no turn, nil when there was one

	rec   recovery.State
	moved bool // another service answers than the one the turn began with
	chain int  // the next service of the fallback chain
	attempts
	edits  edits
	asking asking
	goneOn int // how often hooks let it go on
}

// ending is how a turn ends. Explain is one sentence for the user, empty when
// nothing needs saying.
type ending struct {
	outcome event.TurnOutcome
	reason  string
	explain string
}

// run carries an input through a turn, which may make so many model calls. It
// returns false when there was no turn: the input was taken back, or the
// conversation is closed and it stays queued.
func (a *Agent) run(parent context.Context, in event.Queued, rt Runtime, budget int) (*turn, ending, bool) {
	ctx, end := a.begin(parent, rt)
	defer end()
	t := &turn{Agent: a, id: a.conv.ids.Turn(), rt: rt, tuned: a.conv.tuning.Load(), started: a.conv.ids.Now(), budget: budget}
	a.mu.Lock()
	a.newest = t.id
	a.mu.Unlock()
	t.rec = recovery.Start(rt.means(len(a.conv.fallbacks), t.tuned.Compression.Enabled), a.conv.learnt.about(rt.Model))
	a.guard = guard.New(t.tuned.Guard)
	a.meets(in)
	a.tools.Begin()
	if opened, err := t.open(ctx, in); err != nil || !opened {
		end()
		if _, stopped := stopReason(ctx, nil); stopped {
			a.publish(&event.PhaseChanged{Phase: event.PhaseIdle}) // an interrupt came too late for anything
		}
		if err == nil {
			err = errNotOpened
		}
		t.unopened = err
		return t, t.errorEnding(ctx, err), false
	}
	if a.parent == nil {
		a.conv.tree.Begin(t.id)
		defer a.conv.tree.End()
	}
	e, over := t.refusedEnding()
	if !over {
		e = t.runRecovered(ctx)
	}
	end() // who interrupts from now on is late, and does not get the last word
	t.finish(e)
	t.tellEnded(e, in)
	if a.parent == nil {
		a.conv.extensions.Ended(extend.Trajectory{Model: rt.Model.Name, Completed: e.outcome == event.TurnCompleted, Tools: t.defs, Messages: a.history})
	}
	return t, e, true
}

// errNotOpened is a turn whose input was taken back.
var errNotOpened = errors.New("the input was taken back")

// finish stores how the turn ended.
func (t *turn) finish(e ending) {
	a := t.Agent
	finished := &event.TurnFinished{
		Outcome: e.outcome, Reason: e.reason, Explain: t.footer(e), Block: a.conv.ids.Block(),
		Calls: t.requests, Took: a.conv.ids.Now().Sub(t.started),
	}
	if err := t.commit(finished); err != nil && !errors.Is(err, journal.ErrClosed) {
		a.conv.report(err)
		finished.Outcome, finished.Explain = event.TurnFailed, tools.Sentence(err)
		t.live(finished) // the screen must not wait for a turn that is over
	}
}

// runRecovered runs the turn and turns a panic into its ending.
func (t *turn) runRecovered(ctx context.Context) (e ending) {
	defer func() {
		if r := recover(); r != nil {
			p := &panicError{value: r, stack: debug.Stack()}
			t.conv.report(p)
			t.conv.com.Unwatch(t.Agent.id)
			_ = t.answerOpenCalls("the program failed while this call was under way")
			e = ending{event.TurnFailed, "panic", p.Error() + ". The turn ended; nothing stored was lost, and the details are in the log."}
		}
	}()
	if e, stop := t.prepare(ctx); stop {
		return e
	}
	return t.loop(ctx)
}

// commit stores events of this turn.
func (t *turn) commit(events ...event.Event) error {
	return t.conv.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: events})
}

// live publishes an event that is not stored.
func (t *turn) live(e event.Event) {
	h := e.Head()
	h.Conv, h.Session, h.Agent, h.Turn, h.At = t.conv.conv, t.session, t.Agent.id, t.id, t.conv.ids.Now()
	event.Stamp(e)
	t.conv.box.Put(e)
}

// enter publishes a change of phase.
func (t *turn) enter(p event.Phase, detail string) {
	if t.phase == p && detail == "" {
		return
	}
	t.phase = p
	t.live(&event.PhaseChanged{Phase: p, Detail: detail})
}

// open stores the input as a user message, also when ctx ends before all is there that
// goes with it. It returns false when the user took the input back.
func (t *turn) open(ctx context.Context, in event.Queued) (bool, error) {
	t.reloadHooks()
	t.askGit()
	note, line := t.awareNote(t.news())
	refused, added, err := t.submitted(ctx, in)
	if err != nil {
		return false, err
	}
	if refused != "" {
		return t.openRefused(in, refused)
	}
	var told []event.CallID
	var named []event.Named
	if t.parent == nil && in.Origin == "" {
		var typed []tools.Attached
		var strangers []string
		typed, named, told, strangers = t.conv.tellTyped()
		added = append(typed, added...)
		t.strangers.add(strangers...)
	}
	parts, lost, beside := t.conv.content(ctx, in, note, added, t.sent)
	t.strangers.add(beside.Strangers...)
	m := providers.Message{ID: string(t.conv.ids.Message()), Role: providers.User, Parts: parts, At: t.started}
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Rows: t.rows(m), Events: []event.Event{
		&event.TurnStarted{Budget: t.Agent.budget},
		&event.MessageCommitted{Message: event.MessageID(m.ID), Role: event.RoleUser, Block: t.conv.ids.Block(), Text: in.Text, Input: in.ID, Origin: in.Origin, Images: in.Images, Named: append(named, beside.Named...), Told: told},
	}}
	if beside.Warn != "" {
		b.Events = append(b.Events, &event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelWarn, Text: beside.Warn})
	}
	b.Events = append(b.Events, t.awareEvents(line)...)
	t.withImages(b, in, lost)
	opened, err := t.takeIn(in, b)
	if opened && err == nil {
		t.toldNews()
		t.conv.toldTyped(told)
		t.history = append(t.history, m)
	}
	return opened, err
}

// sent reports whether the model gets a text already, with a message of the user.
func (t *turn) sent(text string) bool {
	return slices.ContainsFunc(t.history, func(m providers.Message) bool {
		return m.Role == providers.User && strings.Contains(m.Text(), text)
	})
}

// takeIn stores an input as the batch has it. What a subagent begins with was never
// queued.
func (t *turn) takeIn(in event.Queued, b *journal.Batch) (bool, error) {
	if in.ID == "" {
		return true, t.conv.com.Commit(b)
	}
	return t.conv.dequeue(in, b)
}

// prepare asks for trust when it is needed and builds the system prompt of a
// new session.
func (t *turn) prepare(ctx context.Context) (ending, bool) {
	t.defs = t.tools.Definitions(ctx)
	if s := t.tools.Kept(); s != nil && t.parent == nil {
		if err := t.commit(&event.ToolStateChanged{Name: s.Name, State: s.Data}); err != nil {
			return t.errorEnding(ctx, err), true
		}
	}
	if t.system != "" && t.prompt.Fits(t.system, t.rt.Model) {
		return ending{}, false
	}
	trusted, err := t.trusted(ctx)
	if err != nil {
		return t.errorEnding(ctx, err), true
	}
	system, parts, err := t.prompt.Build(ctx, trusted, t.rt.Model, t.defs)
	if err != nil {
		return t.errorEnding(ctx, fmt.Errorf("build the system prompt: %w", err)), true
	}
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Effects: []sessions.Effect{sessions.SetSystemPrompt{Text: system}}, Events: []event.Event{&event.PromptBuilt{Parts: parts}}}
	var work event.Workspace
	if t.parent == nil {
		work = t.prompt.Workspace(ctx, trusted)
		t.conv.setWork(work)
		b.Events = append(b.Events, &event.WorkspaceChanged{Work: work})
	}
	if err := t.conv.com.Commit(b); err != nil {
		return t.errorEnding(ctx, err), true
	}
	t.system = system
	t.note(parts, nil)
	t.beginGit(work.Branch)
	return ending{}, false
}

// trusted reports whether the folder may instruct the agent; a folder that was
// never decided on is asked about, once.
func (t *turn) trusted(ctx context.Context) (bool, error) {
	root, files := t.prompt.Instructions()
	if git, ok := t.prompt.(interface{ GitPrograms() []string }); ok {
		files = append(slices.Clone(files), git.GitPrograms()...)
	}
	return t.trustedFor(ctx, root, files)
}

// trustedFor is trusted with the files that are to be obeyed.
func (t *turn) trustedFor(ctx context.Context, root string, files []string) (bool, error) {
	decided, yes, err := t.trust.Trusted(ctx, root)
	if err != nil {
		return false, err
	}
	if decided || len(files) == 0 {
		return yes, nil
	}
	ans, err := t.ask(ctx, t.id, event.Request{Kind: event.RequestTrust, Trust: &event.Trust{Root: root, Files: files}}, 0)
	if err != nil {
		return false, err
	}
	yes = ans.Choice == event.ChoiceAlways
	if t.conv.unattended {
		return false, nil // no one decided
	}
	return yes, t.trust.Decide(ctx, root, yes)
}

// errorEnding is the ending of a turn that an error stopped.
func (t *turn) errorEnding(ctx context.Context, err error) ending {
	if e, ok := t.stopped(ctx, err); ok {
		return e
	}
	return ending{event.TurnFailed, "error", tools.Sentence(err)}
}

// stopped is the ending of a turn that was stopped on purpose.
func (t *turn) stopped(ctx context.Context, err error) (ending, bool) {
	why, ok := stopReason(ctx, err)
	switch {
	case !ok && errors.Is(err, journal.ErrClosed), why == StoppedByShutdown:
		return ending{event.TurnInterrupted, "shutdown", "The program was closed during this turn; send a message to go on from here."}, true
	case !ok:
		return ending{}, false
	}
	if t.parent != nil {
		return ending{event.TurnInterrupted, "interrupted", tools.Sentence(errors.New("ended: " + string(why)))}, true
	}
	return ending{event.TurnInterrupted, "interrupted", "Interrupted; send a message to go on from here."}, true
}
