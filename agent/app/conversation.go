package app

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/auxiliary"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/hooks"
	"hermes-tui/agent/prompt"
	"hermes-tui/agent/refs"
	"hermes-tui/agent/remember"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/hunks"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/search"
)

// Conversation is what a front end sees of one conversation. It is safe for
// concurrent use; Next has one caller at a time.
type Conversation interface {
	// ID names the conversation, Session the session it writes to. The user
	// resumes it by the latter.
	ID() event.ConvID
	Session() event.SessionID
	// Root is the id of the root agent.
	Root() event.AgentID
	// Tools are all tools that there are, offered to the model or not.
	Tools(ctx context.Context) []ToolOffer
	// PromptTokens is about how many tokens the system prompt of a new session here has.
	PromptTokens(ctx context.Context) (int, error)
	// Working reports whether something is under way that Close would end.
	Working() bool
	// AttachFile makes an image of a file of the workspace, as [Conversation.Files]
	// names it, AttachLocal of one of this machine, AttachData of bytes with a name.
	// It is kept and can be submitted. See [NoImage] for what is none.
	AttachFile(ctx context.Context, name string) (event.Attachment, error)
	AttachLocal(ctx context.Context, name string) (event.Attachment, error)
	AttachData(ctx context.Context, name string, data []byte) (event.Attachment, error)
	// Described reports whether images for a model that sees none are put into words by
	// another one.
	Described() bool
	// Submit hands over what the user wrote, with images that were attached, Steer
	// does so for the running turn of an agent. Both return when it is stored. A
	// model that sees no images refuses them with a [*agent.BlindError], unless they are
	// described.
	// SubmitPasted is Submit for a text of which some was pasted, with marks in place of
	// that in typed: only what was typed names something with an @.
	Submit(text string, images ...event.Attachment) (event.InputID, error)
	SubmitPasted(text, typed string, images ...event.Attachment) (event.InputID, error)
	Steer(id event.AgentID, text string) (event.InputID, error)
	SteerPasted(id event.AgentID, text, typed string) (event.InputID, error)
	// Unqueue takes a text that waits back to be edited, Requeue moves it by so many
	// places, SteerQueued hands it to the running turn. They return false when it
	// does not wait any more. Flush sends what waits after an interrupt or a resume.
	Unqueue(id event.InputID) (string, bool)
	Requeue(id event.InputID, by int) bool
	SteerQueued(id event.InputID) bool
	Flush()
	// RunTyped runs a command of the user beside whatever goes on, in the agent's folder
	// and with the user's rights, and returns when it is recorded as begun. With tell the
	// agent gets what it wrote with the next message. StopTyped stops the newest, and
	// reports false when none runs.
	RunTyped(command string, tell bool) (event.CallID, error)
	StopTyped() bool
	// Interpolate runs a command of the user for what it writes.
	Interpolate(ctx context.Context, command string) (string, error)
	// Interrupt stops an agent's turn, Hurry ends its wait before another attempt
	// at a model call.
	Interrupt(id event.AgentID, s Scope)
	Hurry(id event.AgentID)
	// Kill ends a subagent, Pause holds an agent before its next request or call,
	// Resume lets it go on, Freeze forbids that agents spawn others. Each returns when
	// it is under way; an event says when it is done.
	Kill(id event.AgentID, s Scope) error
	Pause(id event.AgentID, s Scope) error
	Resume(id event.AgentID, s Scope) error
	Freeze(on bool) error
	// Answer resolves a request; see [ErrStale].
	Answer(id event.RequestID, a event.Answer) error
	agent.Inbox
	// Compress shortens what the model gets of the conversation, between turns. focus is
	// what is kept above all of what is left out. It returns false when there is nothing
	// to shorten. PlanCompress says what it would do; Uncompress takes the last one back
	// and returns how many tokens the model gets then.
	Compress(ctx context.Context, focus string) (bool, error)
	PlanCompress(ctx context.Context) (CompressPlan, error)
	Uncompress(ctx context.Context) (tokens int, err error)
	// Refine looks back at the conversation and keeps what later sessions should know;
	// focus is what to look at above all, empty for nothing.
	Refine(ctx context.Context, focus string) (Kept, error)
	StopRefine() bool
	// JobTail is the end of what a background job has put out, at most so many
	// bytes; KillJob ends one with everything it has started.
	JobTail(id string, bytes int) string
	KillJob(ctx context.Context, id string) error
	// Diff is a unified diff of what agents have changed in files since a turn began,
	// or in the whole conversation when it is empty. notes say what it leaves out.
	Diff(ctx context.Context, since event.TurnID) (diff string, notes []string, err error)
	// Edits are what agents have changed in files since a turn began, for a review
	// afterwards. Revise does what it decides to the files, as far as they are what the
	// agents left, and tells the agent: the running turn, or one that begins with it. It
	// says in a sentence what it did, in none where there was nothing to do.
	Edits(ctx context.Context, since event.TurnID) (Edits, error)
	Revise(ctx context.Context, e Edits, r hunks.Review) (said string, err error)
	// PlanRewind says what going back to before a turn would do to files, Rewind
	// does it to conversation, files or both, UndoRewind takes it back.
	PlanRewind(ctx context.Context, to event.TurnID) (RewindPlan, error)
	Rewind(ctx context.Context, o RewindOptions) (Rewound, error)
	UndoRewind(ctx context.Context) error
	SetMode(m event.Mode) error
	// Permissions are what was decided beforehand and still holds, and the newest
	// decisions, the newest first: those of this conversation, then those of others. Revoke
	// takes one of the former back, or gives it again.
	Permissions(ctx context.Context) ([]Permission, []Decided, error)
	Revoke(ctx context.Context, p Permission, undo bool) error
	// Trust decides whether the folder of the conversation is trusted, for all
	// conversations in it: from the next command on for commands, and from the next
	// new session on for instruction files, whose names it gives.
	Trust(ctx context.Context, yes bool) (root string, instructions []string, err error)
	// Project names what the conversation is about, as entries of memory do: the root of the
	// repository around its folder, or the folder, behind the name of a remote place.
	Project() string
	// SearchMemory finds what was remembered, archived, learnt and said in other sessions, by
	// meaning where a model makes vectors, by words, the best first. Meaningful reports
	// whether it does, or says why not.
	SearchMemory(ctx context.Context, words string) ([]MemoryFound, error)
	Meaningful() (yes bool, why string)
	// RenewPrompt lets the next turn begin with a system prompt of what is remembered,
	// and of all else in it, as it is then. What a provider has cached is lost.
	RenewPrompt()
	// HeldInstructions are the instruction files that were left out because they read like
	// an attack. TakeInstructions lets one count as it is now, from the next turn on; a
	// change of it asks again.
	HeldInstructions() []HeldInstructions
	TakeInstructions(ctx context.Context, h HeldInstructions) error
	// Skills are those that this conversation sees, sorted by category and name, and what
	// could not be read. ReadSkill gives the file of one, the other files of its folder,
	// and what in it reads like an attempt to take over the agent. AllowSkill allows the
	// content of one that is held back, as it is now. PinSkill keeps one from being
	// deleted or archived by agents; DisableSkill keeps it from being used. The last two
	// take effect at once and in all conversations; the list in a system prompt is made
	// when a session begins.
	Skills(ctx context.Context) ([]Skill, []SkillProblem, error)
	ReadSkill(s Skill) (text string, files, findings []string, err error)
	AllowSkill(ctx context.Context, s Skill) error
	// SkillChanges are those that wait for the user, DecideSkillChange makes or drops one.
	SkillChanges() ([]SkillChange, error)
	DecideSkillChange(ctx context.Context, id string, yes bool) error
	PinSkill(ctx context.Context, name string, on bool) error
	DisableSkill(ctx context.Context, name string, off bool) error
	api.Hooks
	// Layers maps what the model gets of the conversation, and what that costs.
	Layers(ctx context.Context) Layers
	// Drop leaves pieces of [Layers] out of what the model gets, from the next request
	// on, DropPrice says what that does to it, Undrop brings back what was dropped. Pin
	// keeps compressions from changing pieces, or lets them. All but DropPrice wait while
	// a turn runs.
	Drop(ctx context.Context, ids ...string) error
	DropPrice(ctx context.Context, ids ...string) Change
	Undrop(ctx context.Context, ids ...string) error
	Pin(ctx context.Context, on bool, ids ...string) error
	// Leave leaves layers of [Layers] out for the rest of the session, tools, servers and
	// parts of the prompt, or brings them back; LeavePrice says what that does.
	Leave(ctx context.Context, out bool, ids ...string) error
	LeavePrice(ctx context.Context, ids ...string) Change
	// Spent is what the turns have used, the oldest first, and what the sessions of the
	// last fourteen days have, all of them, by the day on which they began.
	Spent(ctx context.Context) ([]TurnUse, []DayUse, error)
	// SideCalls are the calls beside the conversation by task, with what they have used
	// and which link of its chain answered, since the program began.
	SideCalls() []SideUse
	// SetEffort says how much the model is to reason, from the next turn on; empty
	// leaves it to the provider. but is a sentence where the model is asked for something
	// else, or for nothing.
	SetEffort(effort string) (but string, err error)
	SetTitle(title string) error
	// SetBookmark marks a block of the transcript to come back to, or no longer.
	SetBookmark(block event.BlockID, on bool) error
	// Notify shows a notice that concerns this run of the program.
	Notify(level event.Level, text string)
	// Output is the whole readable output of a call, of which the transcript may hold
	// only a part; false when there is none. It reads from the disk.
	Output(id event.CallID) (string, bool)
	// Draft is what was typed and not sent when the program ended, with what was put
	// aside behind [event.StashMark], SaveDraft keeps it up to date.
	Draft(ctx context.Context) (string, error)
	SaveDraft(ctx context.Context, text string) error
	// Files lists the folders of the workspace, with a slash behind them, and its files, at
	// most a few ten thousand, and behind them the resources of MCP servers. Peek is the
	// beginning of a file as it may be shown; the error says why it may not, to follow "it".
	Files(ctx context.Context) []string
	Peek(ctx context.Context, name string, bytes int64) (string, error)
	// MCPServers are those of [App.MCPServers], as they are for this session: one that is
	// switched off in its project is off. SwitchMCP switches one off, or on again, in the
	// project, for all sessions that work there.
	MCPServers() (list []MCPServer, problems []string)
	SwitchMCP(ctx context.Context, name string, off bool) error
	// MCPPrompts are the prompts of MCP servers, as they are known now; MCPPrompt asks for
	// one with arguments in the form of a text.
	MCPPrompts(ctx context.Context) []MCPPrompt
	MCPPrompt(ctx context.Context, name, args string) (string, error)
	// Close ends the conversation and everything it runs.
	Close(ctx context.Context) error
}

// The scopes of a control: an agent, or everything below it as well.
const (
	Self    = agent.Self
	Subtree = agent.Subtree
)

type (
	// Scope says whom a control reaches.
	Scope = agent.Scope
	// Layers is what the next request holds, Layer a part of it.
	Layers = agent.Layers
	// Piece is a part of the history in [Layers].
	Piece = agent.Piece
	// Change says what dropping something does to the next requests.
	Change = agent.Change
	// HeldInstructions is an instruction file that was left out.
	HeldInstructions = prompt.Held
	// CompressPlan is what a compression would do.
	CompressPlan = agent.CompressPlan
	// Kept is what came of looking back at a conversation.
	Kept = agent.Kept
	// Stopped is the cause of what was cancelled on purpose.
	Stopped = agent.Stopped
	// Layer is a part of [Layers].
	Layer = agent.Layer
	// RewindOptions say how far to go back, and what goes back.
	RewindOptions = agent.RewindOptions
	// RewindPlan says what becomes of files.
	RewindPlan = agent.RewindPlan
	// RewoundFile is a file of a plan.
	RewoundFile = agent.RewoundFile
	// Rewound says what came of a rewind.
	Rewound = agent.Rewound
)

// The errors of answering a request.
var (
	// ErrStale is an answer to a request that was resolved already.
	ErrStale = agent.ErrStale
	// ErrNothingToUndo is that of [Conversation.UndoRewind] when there is no rewind left.
	ErrNothingToUndo = agent.ErrNothingToUndo
)

// conversation is a running conversation with what it holds on to.
type conversation struct {
	*agent.Conversation
	app   *App
	cfg   *config.Config // what it began with
	dir   string
	begun atomic.Bool // something was submitted, now or in an earlier run
	lease *sessions.Lease
	done  []func() error // what Close releases, last first

	place   place.Place
	remote  *place.Remote // the place, when it is not this machine
	about   string        // the project, in a remote place
	jobs    *process.Jobs
	changes *bind.FileLog // nil when changes of files are not kept
	changed string        // the folder in which they are
	// noTrajectory is why the newest turn is not kept for training; the root's turns say it.
	noTrajectory string
	service      childService
	side         *auxiliary.Client
	besides      besides
	refs         refs.Options
	// held are the instruction files that were left out of the prompt.
	held   func() []prompt.Held
	box    *bind.Tools
	left   atomic.Pointer[[]string] // ids of layers that are left out
	skills *bind.Skills
	// mcpReady says that the first turn has waited for servers on their way.
	mcpReady atomic.Bool
	hooks    *hooks.Runner
	gone     string // how the user left it, see [App.front]; guarded by app.mu
	memory   *bind.Memory
	// providers are what remembers, the notes of this program first.
	providers []remember.Provider
	begin     *memoryBegin
	ahead     atomic.Pointer[recollecting] // nil when none is under way
	gate      *approval.Gate
	rules     *bind.RuleBook
	trusted   func() bool // whether the user has said that they trust the folder
	trust     agent.Trust
	prompt    agent.Prompter
	renew     func() // the system prompt

	drafts sync.Mutex // held while one is stored, so that each goes to one place

	work    sync.Mutex // guards what follows
	waiting []func()   // reports that are to be made, in their order
	ended   bool
	reports sync.WaitGroup
	spilled string // folder of long results in a remote place
	unspill func() error
}

var _ Conversation = (*conversation)(nil)

// Submit implements [Conversation].
func (c *conversation) Submit(text string, images ...event.Attachment) (event.InputID, error) {
	return c.SubmitPasted(text, "", images...)
}

// SubmitPasted implements [Conversation].
func (c *conversation) SubmitPasted(text, typed string, images ...event.Attachment) (event.InputID, error) {
	if err := c.app.writable(); err != nil {
		return "", err
	}
	c.recollect(text)
	id, err := c.Conversation.SubmitPasted(text, typed, images...)
	if err == nil {
		c.beginDrafts()
		if c.changes != nil {
			c.changes.Warm()
		}
	}
	return id, err
}

// SetBookmark implements [Conversation]. One that has not begun has nothing to come back to.
func (c *conversation) SetBookmark(block event.BlockID, on bool) error {
	if err := c.app.writable(); err != nil {
		return err
	}
	if !c.begun.Load() {
		return errors.New("there is nothing to come back to before your first message")
	}
	return c.Conversation.SetBookmark(block, on)
}

// Interpolate implements [Conversation].
func (c *conversation) Interpolate(ctx context.Context, command string) (string, error) {
	if err := c.app.writable(); err != nil {
		return "", err
	}
	text, err := c.Conversation.Interpolate(ctx, command)
	c.beginDrafts()
	return text, err
}

// RunTyped implements [Conversation].
func (c *conversation) RunTyped(command string, tell bool) (event.CallID, error) {
	if err := c.app.writable(); err != nil {
		return "", err
	}
	id, err := c.Conversation.RunTyped(command, tell)
	if err == nil {
		c.beginDrafts()
	}
	return id, err
}

// beginDrafts keeps drafts as this conversation's own from now on. What was kept for the
// next one in the folder was the beginning of what is sent now.
func (c *conversation) beginDrafts() {
	c.drafts.Lock()
	defer c.drafts.Unlock()
	if c.begun.Load() {
		return
	}
	if err := c.saveDraft(context.Background(), ""); err != nil {
		c.app.log.Warn("forget draft", "err", err)
	}
	c.begun.Store(true)
}

// Steer implements [Conversation].
func (c *conversation) Steer(id event.AgentID, text string) (event.InputID, error) {
	return c.SteerPasted(id, text, "")
}

// SteerPasted implements [Conversation].
func (c *conversation) SteerPasted(id event.AgentID, text, typed string) (event.InputID, error) {
	if err := c.app.writable(); err != nil {
		return "", err
	}
	return c.Conversation.SteerPasted(id, text, typed)
}

// draftKey is where the draft is kept. A conversation that has not begun leaves
// it to the next one in the same folder.
func (c *conversation) draftKey() string {
	if c.begun.Load() {
		return string(c.ID())
	}
	return "new:" + c.dir
}

// Draft implements [Conversation].
func (c *conversation) Draft(ctx context.Context) (string, error) {
	return c.app.db.Draft(ctx, c.draftKey())
}

// SaveDraft implements [Conversation]. A store for reading keeps none.
func (c *conversation) SaveDraft(ctx context.Context, text string) error {
	if c.app.writable() != nil {
		return nil // there is nothing to keep it in
	}
	c.Expect()
	c.drafts.Lock()
	defer c.drafts.Unlock()
	return c.saveDraft(ctx, text)
}

func (c *conversation) saveDraft(ctx context.Context, text string) error {
	return c.app.db.Commit(ctx, sessions.Batch{Conv: c.draftKey(), Effects: []sessions.Effect{sessions.SaveDraft{Text: text}}})
}

// maxFiles bounds what [conversation.Files] lists.
const maxFiles = 20_000

// Files implements [Conversation].
func (c *conversation) Files(ctx context.Context) []string {
	list, _ := search.Paths(ctx, c.place.FS(), c.dir, c.place.Info().Home, maxFiles)
	return append(withFolders(list), c.mcpNames(ctx)...)
}

// withFolders puts the folders of files before them.
func withFolders(files []string) []string {
	var list []string
	known := map[string]bool{}
	for _, f := range files {
		for i := strings.IndexByte(f, '/'); i >= 0; {
			if folder := f[:i+1]; !known[folder] {
				known[folder] = true
				list = append(list, folder)
			}
			next := strings.IndexByte(f[i+1:], '/')
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
	return append(list, files...)
}

// Peek implements [Conversation].
func (c *conversation) Peek(_ context.Context, name string, bytes int64) (string, error) {
	return c.refs.Peek(name, bytes)
}

// Close implements [Conversation].
func (c *conversation) Close(ctx context.Context) error {
	c.app.mu.Lock()
	_, running := c.app.open[c.ID()]
	delete(c.app.open, c.ID())
	c.app.mu.Unlock()
	if !running {
		return nil
	}
	errs := []error{c.jobs.Close(ctx, false)}
	c.reported(ctx)
	errs = append(errs, c.Conversation.Close(ctx))
	return errors.Join(append(errs, c.release())...)
}

// release gives back what the conversation holds on to, the newest first.
func (c *conversation) release() error {
	var errs []error
	if c.unspill != nil {
		errs = append(errs, c.unspill())
		c.unspill = nil
	}
	for i := len(c.done) - 1; i >= 0; i-- {
		errs = append(errs, c.done[i]())
	}
	c.done = nil
	return errors.Join(errs...)
}
