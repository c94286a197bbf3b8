package agent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/extend"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/lessons"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
)

// Config is what a conversation is made of.
type Config struct {
	IDs   event.Source
	Store Store
	// Conv names the conversation, a new one unless Past is set.
	Conv event.ConvID
	// Session names its session, a new one unless Past is set.
	Session event.SessionID
	Runtime Runtime
	Mode    event.Mode
	Work    event.Workspace
	// Root is the id of the root agent, the same over a conversation's life.
	Root event.AgentID

	Tools  Toolbox
	Gate   *approval.Gate
	Prompt Prompter
	Trust  Trust
	Mask   Masker
	Tuning
	// Fallbacks are the services to go to after that, in their order.
	Fallbacks []Fallback
	// After is time.After; tests replace it.
	After func(time.Duration) <-chan time.Time
	// Results is the directory that keeps whole results; it need not exist yet.
	Results string
	// Spill puts a result that is too long to be sent where the agent's tools can
	// read it, and returns the path; nil for tools that read Results.
	Spill func(name, content string) (path string, err error)
	// KeepRefused writes a request that a service refused, as JSON with secrets masked,
	// where the user can look at it, and returns the path; nil keeps none.
	KeepRefused func(data []byte) (path string, err error)
	// Source names the front end in the store: "cli".
	Source string
	// Unattended says that no one is there to ask: what would be asked is denied.
	Unattended bool
	// StorePatience is how long the store may refuse what a turn needs stored before
	// the turn fails; 0 waits for as long as it takes.
	StorePatience time.Duration
	Log           *slog.Logger

	// Snapshots keep what calls change in files; nil keeps nothing.
	Snapshots Snapshots

	// Extensions act at points of a turn.
	Extensions extend.List

	// Typed runs commands of the user; nil runs none.
	Typed Typist

	// Leave takes over the ids of the layers that are left out, see [Conversation.Leave]: the
	// tools and the prompt are without them from then on. It is not called for those of Past.
	Leave func(ids []string)

	// Hooks run at points of the conversation; nil for none.
	Hooks Hooks
	// Begins says for hooks how the conversation began: startup, resume or clear.
	Begins string

	// Awareness says what agents are told unasked.
	Awareness Awareness

	// Lessons say how calls that fail and then work are learnt from; without a store
	// they are not.
	Lessons lessons.Options

	// Children equips subagents; nil allows none.
	Children func(ctx context.Context, s ChildSpec) (Child, error)
	// Delegation limits them.
	Delegation delegate.Limits
	// Delegated says what becomes of their questions whether they may do something.
	Delegated DelegatedApprovals

	// Title makes a title of what the user said first and the answer to it, empty
	// for none; nil names nothing.
	Title func(ctx context.Context, said, answer string) (string, error)

	// Summarise sums up what no longer fits before the model. show gets the text as it
	// arrives; an empty piece says that it begins again. nil has no summaries.
	Summarise func(ctx context.Context, p compress.Past, show func(piece string)) (string, error)
	// ReviewSummary asks the user about each before it counts.
	ReviewSummary bool

	// Eyes look at images for models that see none; nil has those refuse images.
	Eyes Eyes

	// Look says how the agent looks back at the conversation.
	Look Looking

	// Past is what a resumed conversation continues from, nil for a new one.
	Past *Past
}

// Past is a conversation as the store has it.
type Past struct {
	State  *event.State
	Seq    uint64
	System string
	// Recall reads what the model gets. It is called once, or again when it fails.
	Recall func(ctx context.Context) ([]providers.Message, error)
}

// Conversation is a root agent with everything around it. Its methods are safe
// for concurrent use; [Conversation.Next] has one caller at a time.
type Conversation struct {
	api.Inbox  // that of box
	ids        event.Source
	conv       event.ConvID
	session    event.SessionID
	box        *journal.Mailbox
	com        *journal.Committer
	store      Store
	asks       asks
	learnt     learnt
	root       *Agent
	results    *results
	source     string
	unattended bool
	log        *slog.Logger
	tuning     atomic.Pointer[tuned]
	fallbacks  []Fallback
	after      func(time.Duration) <-chan time.Time
	eyes       Eyes
	leaving    func(ids []string)
	tree       *delegate.Registry
	newChild   func(ctx context.Context, s ChildSpec) (Child, error)
	hooks      Hooks
	begins     string // until hooks were told; see [Config.Begins]
	lessons    lessons.Options
	aware      Awareness
	delegated  DelegatedApprovals
	makeTitle  func(ctx context.Context, said, answer string) (string, error)
	summarise  func(ctx context.Context, p compress.Past, show func(piece string)) (string, error)
	look       looking
	typed      typed
	// reviewSummary asks the user about what summarise wrote.
	reviewSummary bool
	snapshots     Snapshots
	spillTo       func(name, content string) (string, error)
	keepRefused   func(data []byte) (string, error)
	extensions    extend.List

	ctx    context.Context
	cancel context.CancelCauseFunc
	quit   context.CancelFunc // gives up on a store that refuses
	// unstored ends with quit.
	unstored context.Context
	stop     chan struct{} // ends the committer
	wake     chan struct{} // the queue changed
	chores   chan func()   // for the root agent's goroutine, between turns
	serving  sync.WaitGroup
	writing  sync.WaitGroup

	// past is what a resumed conversation goes on from, nil for a new one.
	past *recalled

	// order serialises changes of the fields below with their way to the
	// committer, so that the newest change is the last one stored. It is taken
	// before mu.
	order sync.Mutex

	mu      sync.Mutex
	runtime Runtime
	mode    event.Mode
	work    event.Workspace
	left    []string // ids of layers that are left out
	queue   []event.Queued
	held    bool // the queue waits for the user
	// stale tells of some inputs that wait whether they have anything new to say.
	stale map[event.InputID]func() bool
	// children are the subagents at work.
	children map[event.AgentID]*Agent
	// steerable are the subagents that have not ended.
	steerable map[event.AgentID]bool
	// titled says that the user has named the conversation.
	titled bool
	// named says that it has been named by itself, or need not be.
	named bool
	// title is the name that the user has given.
	title  string
	rested time.Time // until then the runtime stays unused where there is another
	closed bool
}

// ErrEmpty is an input without text.
var ErrEmpty = errors.New("there is nothing to send")

// New starts a conversation. It must be closed.
func New(cfg Config) *Conversation {
	ctx, cancel := context.WithCancelCause(context.Background())
	quitCtx, quit := context.WithCancel(context.Background())
	c := &Conversation{
		ids: cfg.IDs, conv: cfg.Conv, session: cfg.Session, source: cfg.Source, unattended: cfg.Unattended, log: cfg.Log,
		ctx: ctx, cancel: cancel, quit: quit, unstored: quitCtx, store: cfg.Store, stop: make(chan struct{}), wake: make(chan struct{}, 1), chores: make(chan func()),
		stale: map[event.InputID]func() bool{}, children: map[event.AgentID]*Agent{}, steerable: map[event.AgentID]bool{}, asks: asks{pending: map[event.RequestID]*asked{}}, results: &results{dir: cfg.Results},
		runtime: cfg.Runtime, mode: cfg.Mode, work: cfg.Work,
		fallbacks: cfg.Fallbacks, after: cfg.After,
		snapshots: cfg.Snapshots, spillTo: cfg.Spill, keepRefused: cfg.KeepRefused, extensions: cfg.Extensions, eyes: cfg.Eyes, leaving: cfg.Leave,
		newChild: cfg.Children, hooks: cfg.Hooks, begins: cfg.Begins, lessons: cfg.Lessons, aware: cfg.Awareness, delegated: cfg.Delegated, makeTitle: cfg.Title, summarise: cfg.Summarise, look: looking{Looking: cfg.Look}, reviewSummary: cfg.ReviewSummary, named: cfg.Past != nil && cfg.Past.State.Title != "",
	}
	if c.look.Locals == nil {
		c.look.Locals = &Locals{}
	}
	if c.after == nil {
		c.after = time.After
	}
	state := &event.State{}
	if cfg.Past != nil {
		state = cfg.Past.State
	}
	c.box = journal.NewMailbox(state)
	c.Inbox = c.box
	if c.newChild == nil {
		c.newChild = noChildren
	}
	c.tree = delegate.New(delegate.Options{
		Root: cfg.Root, IDs: cfg.IDs, Limits: cfg.Delegation, Run: c.runChild, Record: c.record, Cause: causeOf, After: cfg.After,
		Frozen: state.Frozen,
	})
	c.root = &Agent{
		id: cfg.Root, names: []string{event.RoleRoot}, conv: c, session: cfg.Session, member: c.tree.Root(), runtime: cfg.Runtime, tools: cfg.Tools, gate: cfg.Gate, prompt: cfg.Prompt, trust: cfg.Trust,
		mask: cfg.Mask, guard: guard.New(cfg.Guard), lessons: c.trailOf(), hurry: make(chan struct{}, 1),
	}
	c.Retune(cfg.Tuning)
	c.typed.run = cfg.Typed
	c.left = slices.Clone(state.Left)
	if p := cfg.Past; p != nil {
		c.root.system = p.System
		c.root.sight = sight{system: p.System}
		c.past = &recalled{read: p.Recall, done: make(chan struct{})}
		c.queue, c.held = slices.Clone(state.Queue), true
		if a := state.Root(); a != nil {
			c.root.usage = a.Usage
			c.root.note(a.Prompt, a.Cached())
			c.root.tools.Restore(a.States)
			c.typed.recall(a)
			c.root.aware.git.restore(a.States)
		}
	}
	o := committing(quitCtx, c, cfg)
	c.com = journal.New(o)
	c.announce(o.Opening())
	c.writing.Go(func() { c.com.Run(c.stop) })
	if c.past != nil {
		c.serving.Go(func() { c.past.begin(c.ctx, c.root) })
	}
	c.serving.Go(c.serve)
	return c
}

// committing returns what the committer of a conversation is made of.
func committing(quit context.Context, c *Conversation, cfg Config) journal.Options {
	o := journal.Options{
		Store: cfg.Store, Box: c.box, IDs: cfg.IDs, Conv: cfg.Conv, Session: cfg.Session,
		Create: c.create, Opening: c.preamble, Quit: quit, Patience: cfg.StorePatience, Log: cfg.Log,
	}
	if cfg.Past != nil {
		o.Seq, o.Born = cfg.Past.Seq, true
		o.Opening = func() []event.Event { return c.preamble()[1:] } // the root was spawned before
	}
	return o
}

// announce publishes where the conversation stands. It is stored with the first
// input: a program that is opened and closed leaves no trace.
func (c *Conversation) announce(events []event.Event) {
	for _, e := range events {
		c.com.Stamp(e, &journal.Batch{Agent: c.root.id}, c.ids.Now())
		c.box.Put(e)
	}
}

// preamble are the events that describe a conversation from scratch.
func (c *Conversation) preamble() []event.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	model, work := c.runtime.Model, c.work
	events := []event.Event{
		&event.AgentSpawned{Meta: event.Meta{Agent: c.root.id}, Role: event.RoleRoot, Model: model.Name},
		&event.ModelChanged{Meta: event.Meta{Agent: c.root.id}, Model: model},
		&event.ModeChanged{Meta: event.Meta{Agent: c.root.id}, Mode: c.mode},
		&event.WorkspaceChanged{Meta: event.Meta{Agent: c.root.id}, Work: work},
	}
	if c.title != "" {
		events = append(events, &event.TitleChanged{Meta: event.Meta{Agent: c.root.id}, Title: c.title})
	}
	return events
}

func (c *Conversation) create() *sessions.NewSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &sessions.NewSession{
		Source: c.source, Agent: string(c.root.id), Workspace: c.work.Dir, At: c.ids.Now(),
		Title: c.title, Model: c.runtime.Model.Name, Provider: c.runtime.Model.Provider, BaseURL: c.runtime.Model.BaseURL,
	}
}

// ID names the conversation.
func (c *Conversation) ID() event.ConvID { return c.conv }

// Working reports whether something is under way that closing the conversation would
// end: a turn, an input that is due, a question, a background job, a command of the user. It knows what is
// not published yet.
func (c *Conversation) Working() bool {
	c.mu.Lock()
	due := len(c.queue) > 0 && !c.held
	c.mu.Unlock()
	c.root.mu.Lock()
	running := c.root.stop != nil
	c.root.mu.Unlock()
	if due || running || len(c.tree.Live()) > 0 || c.typing() {
		return true
	}
	s := c.box.Fold()
	return s.Busy() || len(s.Requests) > 0 || slices.ContainsFunc(s.Jobs, func(j event.Job) bool { return j.State == event.JobRunning })
}

// Root is the id of the root agent.
func (c *Conversation) Root() event.AgentID { return c.root.id }

// Session names the session that the conversation writes to now.
func (c *Conversation) Session() event.SessionID { return c.session }

// Mode is the approval mode in force.
func (c *Conversation) Mode() event.Mode {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mode
}

// Runtime is what answers the next turn.
func (c *Conversation) Runtime() Runtime {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runtime
}

func (c *Conversation) setWork(w event.Workspace) {
	c.mu.Lock()
	c.work = w
	c.mu.Unlock()
}

// Answer resolves a request. It returns [ErrStale] when the request was resolved
// already and [ErrChoice] when it does not offer that answer.
func (c *Conversation) Answer(id event.RequestID, a event.Answer) error { return c.asks.answer(id, a) }

// Hurry cuts the wait before another attempt of a model call short.
func (c *Conversation) Hurry(id event.AgentID) {
	a := c.agent(id)
	if a == nil {
		return
	}
	select {
	case a.hurry <- struct{}{}:
	default:
	}
}

// rest leaves the runtime unused in turns that begin before until, where there
// is another.
func (c *Conversation) rest(until time.Time) {
	c.mu.Lock()
	c.rested = until
	c.mu.Unlock()
}

func (c *Conversation) resting() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rested
}

// Output is the whole readable output of a call, as far as it was kept; false
// when there is none. It reads from the disk.
func (c *Conversation) Output(id event.CallID) (string, bool) {
	if whole, kept := c.results.read(string(id) + ".out"); kept {
		return whole, true
	}
	row, err := c.store.FindEvent(context.Background(), string(c.conv), string(event.TypeOf((*event.ToolFinished)(nil))), `"call":"`+string(id)+`"`)
	if err != nil {
		return "", false
	}
	var e event.ToolFinished
	if json.Unmarshal(row.Body, &e) != nil || e.Call != id {
		return "", false
	}
	return e.View.Body, e.View.Body != ""
}

// report logs what the user is told about in one sentence only.
func (c *Conversation) report(err error) {
	if c.log == nil {
		return
	}
	if p, ok := errors.AsType[*panicError](err); ok {
		c.log.Error("panic", "value", p.value, "stack", string(p.stack))
		return
	}
	c.log.Error("error", "err", err)
}

// closingPatience is how long a store that refuses holds up the end of a
// conversation.
const closingPatience = 2 * time.Second

// Close stops what runs, stores what there is and waits for every goroutine. It
// gives up on a store that refuses after two seconds, and on a tool that does not
// stop when ctx ends, and says so.
func (c *Conversation) Close(ctx context.Context) error {
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	if closed {
		return nil
	}
	c.cancel(&Stopped{StoppedByShutdown})
	done := make(chan struct{})
	go func() {
		c.tree.Close()
		c.serving.Wait()
		close(c.stop)
		c.writing.Wait()
		close(done)
	}()
	defer c.quit()
	refusing := time.After(closingPatience)
	for waiting := true; waiting; {
		select {
		case <-done:
			return c.com.Lost()
		case <-refusing:
			if c.com.Storing() {
				c.quit()
			}
		case <-ctx.Done():
			waiting = false
		}
	}
	c.quit()
	select {
	case <-done:
		return c.com.Lost()
	case <-time.After(time.Second):
		return errors.New("something that was running did not stop in time")
	}
}
