package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// Snapshots keep what the calls of a conversation change in files, so that it can
// be shown and undone. Methods are safe for concurrent use.
type Snapshots interface {
	// Begin is called before a call that may change files, End after it. An error
	// of Begin keeps the call from running; it is [ErrFolderGone] where there is no
	// workspace any more.
	Begin(ctx context.Context, c SnapshotCall) error
	// End gives the files that the call has changed, and those that it may have
	// where several calls ran at the time.
	End(ctx context.Context, id event.CallID) (changed []string, err error)
	// Plan says what undoing the changes of some turns would do.
	Plan(ctx context.Context, turns []event.TurnID) (api.RewindPlan, error)
	// Apply undoes the changes of some turns, as far as o says, and gives a name by
	// which Undo takes that back. note is stored with the intent, before anything is
	// changed. Undo also says what it could not bring back.
	Apply(ctx context.Context, turns []event.TurnID, o api.RewindOptions, note string) (name string, done api.RewindPlan, err error)
	Undo(ctx context.Context, name, note string) (again string, done api.RewindPlan, err error)
	// Finish gives the note of the newest rewind that Settle was not told of, and
	// does what is left of it; an empty name means that there is none.
	Finish(ctx context.Context) (name, note string, restored []api.RewoundFile, err error)
	Settle(ctx context.Context, name string) error
}

// SnapshotCall is a call that may change files.
type SnapshotCall struct {
	ID event.CallID
	// Turn is that of the root, for the call of a subagent as well.
	Turn  event.TurnID
	Agent event.AgentID
	Tool  string
	// Paths are the files it will change, as far as that is known beforehand.
	Paths []string
}

// PlanRewind says what [Conversation.Rewind] would do to files.
func (c *Conversation) PlanRewind(ctx context.Context, to event.TurnID) (api.RewindPlan, error) {
	turns, _, err := c.turnsFrom(to)
	if err != nil || c.snapshots == nil {
		return api.RewindPlan{}, err
	}
	return c.snapshots.Plan(ctx, turns)
}

// Rewind takes the conversation, files or both back to before a turn. A turn that
// runs is stopped first. Files are restored before messages are taken back; when
// the former fails, the latter stay until [Conversation.FinishRewind].
func (c *Conversation) Rewind(ctx context.Context, o api.RewindOptions) (done api.Rewound, err error) {
	c.Interrupt(c.root.id, api.Subtree)
	for _, m := range c.tree.Live() { // what still runs may still change files
		select {
		case <-m.Done():
		case <-ctx.Done():
			return done, context.Cause(ctx)
		}
	}
	if _, err := c.FinishRewind(ctx); err != nil {
		return done, err
	}
	err = c.chore(ctx, func(t *turn) error {
		turns, first, err := c.turnsFrom(o.To)
		if err != nil {
			return err
		}
		done.Text, done.Images = first.Text.String(), first.Images
		e := &event.Rewound{ID: string(c.ids.Block())}
		t.tools.Acts(false)
		if o.Conversation {
			e.From = o.To
		}
		if o.Files && c.snapshots != nil {
			if e.Snapshot, done.Files, err = c.snapshots.Apply(c.unstored, turns, o, intent{Event: e.ID, Options: o}.note()); err != nil {
				return fmt.Errorf("put files back: %w", err)
			}
		}
		if err := t.takeBackFrom(e, first, o, rewoundText(o, done.Files)); err != nil {
			return err
		}
		t.tools.Acts(o.Conversation) // else the files are not what the agent has left
		return t.settle(e.Snapshot)
	})
	return done, err
}

// intent is what a rewind of files is part of. It is stored with them, so that a
// rewind that was cut off can be finished as a whole.
type intent struct {
	Event   string            `json:"event"` // the id of the event that is to be stored
	Options api.RewindOptions `json:"options"`
	Undo    bool              `json:"undo,omitempty"`
}

func (i intent) note() string {
	b, err := json.Marshal(i)
	if err != nil {
		panic(err) // it has nothing but texts and truth values
	}
	return string(b)
}

// settle says that what the conversation has to do with a rewind of files is
// stored. What fails is found again by [Conversation.FinishRewind].
func (t *turn) settle(name string) error {
	if name == "" {
		return nil
	}
	if err := t.conv.snapshots.Settle(t.conv.unstored, name); err != nil {
		t.conv.report(err)
	}
	return nil
}

// FinishRewind finishes a rewind that was cut off, by an error or by the end of the
// program, and says so in the conversation. Text of the result is empty when there
// was none.
func (c *Conversation) FinishRewind(ctx context.Context) (done api.Rewound, err error) {
	if c.snapshots == nil {
		return done, nil
	}
	err = c.between(ctx, func(t *turn) error {
		name, note, restored, err := c.snapshots.Finish(c.unstored)
		if err != nil {
			return fmt.Errorf("finish the rewind that was cut off: %w", err)
		}
		if name == "" {
			return nil
		}
		if err := c.remember(); err != nil {
			return err
		}
		var i intent
		if json.Unmarshal([]byte(note), &i) == nil { // one without a note is of an earlier version
			if done, err = t.finishRewound(name, i, restored); err != nil {
				return err
			}
		}
		return t.settle(name)
	})
	return done, err
}

// finishRewound stores what is not stored yet of a rewind whose files are done.
func (t *turn) finishRewound(name string, i intent, restored []api.RewoundFile) (done api.Rewound, err error) {
	c := t.conv
	var was *event.Rewound
	if root := c.box.Fold().Root(); root != nil {
		was = root.Rewind
	}
	stored := was != nil && was.ID == i.Event
	if i.Undo {
		if !stored { // then the undoing is
			return done, nil
		}
		return done, t.bringBack(was, "The program ended while a rewind was being undone. That is finished now: "+filesText(api.RewindPlan{Restored: restored})+".")
	}
	turns, first, err := c.turnsFrom(i.Options.To)
	if err != nil || stored {
		return done, nil //nolint:nilerr // what was taken back is not there any more
	}
	plan, err := c.snapshots.Plan(c.unstored, turns)
	if err != nil {
		return done, err
	}
	plan.Restored = restored
	e := &event.Rewound{ID: i.Event, Snapshot: name}
	if i.Options.Conversation {
		e.From = i.Options.To
		done = api.Rewound{Text: first.Text.String(), Images: first.Images, Files: plan}
	}
	return done, t.takeBackFrom(e, first, i.Options, "The program ended during a rewind, which is finished now. "+rewoundText(i.Options, plan))
}

// takeBackFrom stores a rewind.
func (t *turn) takeBackFrom(e *event.Rewound, first *event.Block, o api.RewindOptions, text string) error {
	c := t.conv
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Events: []event.Event{e}}
	if o.Conversation {
		b.Effects = append(t.keepAgain(first), sessions.TakeBack{ID: e.ID, From: string(first.Message)})
	}
	b.Events = append(b.Events, &event.NoticeRaised{Block: event.BlockID(e.ID), Level: event.LevelInfo, Text: text})
	if err := c.com.Commit(b); err != nil {
		return err
	}
	if !o.Conversation {
		t.forget()
		return nil
	}
	return t.reload(c.ctx)
}

// reload reads again what the model gets, after messages were taken back or
// brought back.
func (t *turn) reload(ctx context.Context) error {
	rows, err := t.conv.store.Context(ctx, string(t.session))
	if err != nil {
		return err
	}
	history, err := restore(rows)
	if err != nil {
		return err
	}
	t.history = history
	if root := t.conv.box.Fold().Root(); root != nil {
		t.tools.Restore(root.States)
	}
	t.forget()
	t.guard.Reset()
	if root := t.conv.box.Fold().Root(); root != nil {
		t.aware.git.restore(root.States)
	}
	return nil
}

// UndoRewind takes the newest rewind back, as long as nothing was sent since.
func (c *Conversation) UndoRewind(ctx context.Context) error {
	if _, err := c.FinishRewind(ctx); err != nil {
		return err
	}
	return c.chore(ctx, func(t *turn) error {
		root := c.box.Fold().Root()
		if root == nil || root.Rewind == nil {
			return api.ErrNothingToUndo
		}
		was, text, name := root.Rewind, "The rewind was undone.", ""
		if was.Snapshot != "" {
			if c.snapshots == nil {
				return errors.New("files cannot be brought back: snapshots are off")
			}
			again, done, err := c.snapshots.Undo(c.unstored, was.Snapshot, intent{Event: was.ID, Undo: true}.note())
			if err != nil {
				return fmt.Errorf("bring files back: %w", err)
			}
			name = again
			if done.Restored = nil; len(done.Conflicts)+len(done.Impossible) > 0 {
				text += " Not all files were brought back: " + filesText(done) + "."
			}
		}
		if err := t.bringBack(was, text); err != nil {
			return err
		}
		return t.settle(name)
	})
}

// bringBack stores that a rewind was undone.
func (t *turn) bringBack(was *event.Rewound, text string) error {
	c := t.conv
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Events: []event.Event{
		&event.Rewound{ID: was.ID, Undo: true},
		&event.NoticeRaised{Block: c.ids.Block(), Level: event.LevelInfo, Text: text},
	}}
	if was.From != "" {
		b.Effects = []sessions.Effect{sessions.BringBack{ID: was.ID}}
	}
	if err := c.com.Commit(b); err != nil {
		return err
	}
	return t.reload(c.ctx)
}

// TurnsFrom gives the turns from one on, in their order.
func (c *Conversation) TurnsFrom(from event.TurnID) ([]event.TurnID, error) {
	turns, _, err := c.turnsFrom(from)
	return turns, err
}

// turnsFrom gives the turns from one on, and the prompt that began the first.
func (c *Conversation) turnsFrom(from event.TurnID) (turns []event.TurnID, first *event.Block, err error) {
	root := c.box.Fold().Root()
	if root == nil || from == "" {
		return nil, nil, errNoSuchTurn
	}
	at := slices.IndexFunc(root.Blocks, func(b *event.Block) bool { return b.Turn == from && b.Kind == event.BlockUser })
	if at < 0 || root.Blocks[at].Message == "" {
		return nil, nil, errNoSuchTurn
	}
	if slices.ContainsFunc(root.Blocks[at:], func(b *event.Block) bool { return b.Compact != nil && b.Compact.Into != "" }) {
		return nil, nil, errShortened
	}
	for _, b := range root.Blocks[at:] {
		if b.Turn != "" && !slices.Contains(turns, b.Turn) {
			turns = append(turns, b.Turn)
		}
	}
	return turns, root.Blocks[at], nil
}

var errShortened = errors.New("another program has shortened the session since that prompt; choose one below the line that says so")

var errNoSuchTurn = errors.New("that prompt is not in the session any more; choose another one")

// snapshot says that a call is about to change files. Only what the gate has
// judged can.
func (t *turn) snapshot(ctx context.Context, c *callRun) error {
	s := t.conv.snapshots
	if s == nil || !c.acts {
		return nil
	}
	err := s.Begin(ctx, SnapshotCall{ID: c.id, Turn: t.member.Tree(), Agent: t.Agent.id, Tool: c.tool.Name, Paths: c.paths})
	c.watched, c.snapped = err == nil, true
	return err
}

// settled records what a call has changed in files.
func (t *turn) settled(c *callRun) {
	if !c.watched {
		return
	}
	c.watched = false
	changed, err := t.conv.snapshots.End(t.conv.ctx, c.id)
	c.changed = changed
	if err != nil && t.conv.ctx.Err() == nil {
		t.conv.report(err)
		_ = t.commit(&event.NoticeRaised{Block: t.conv.ids.Block(), Level: event.LevelWarn,
			Text: "What " + c.tool.Name + " changed could not be recorded, so /rewind cannot undo it: " + tools.Sentence(err)})
	}
}
