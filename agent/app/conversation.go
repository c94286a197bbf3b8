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
	"hermes-tui/agent/refs"
	"hermes-tui/agent/remember"
	"hermes-tui/store/config"
	"hermes-tui/store/sessions"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
	"hermes-tui/tools/search"
)

// Conversation is what a front end sees of one conversation.
type Conversation interface {
	api.Conversation
	api.Recollection
}

// conversation is a running conversation with what it holds on to.
type conversation struct {
	*agent.Conversation
	app   *App
	cfg   *config.Config // what it began with
	dir   string
	begun atomic.Bool // something was submitted, now or in an earlier run
	lease *sessions.Lease
	done  []func() error // what Close releases, last first

	place  place.Place
	remote *place.Remote // the place, when it is not this machine
	about  string        // the project, in a remote place
	*jobTopic
	changes *bind.FileLog // nil when changes of files are not kept
	changed string        // the folder in which they are
	// noTrajectory is why the newest turn is not kept for training; the root's turns say it.
	noTrajectory string
	service      childService
	side         *auxiliary.Client
	besides      besides
	refs         refs.Options
	// held are the instruction files that were left out of the prompt.
	held   func() []api.HeldInstructions
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
