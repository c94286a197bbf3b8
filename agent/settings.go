package agent

import (
	"context"
	"fmt"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// SetMode changes the approval mode: a stricter one from the next call on, one that is
// less strict than that of a running turn from the next turn on.
func (c *Conversation) SetMode(m event.Mode) error {
	return c.change(func() *journal.Batch {
		c.mode = m
		return &journal.Batch{Events: []event.Event{&event.ModeChanged{Mode: m}}}
	})
}

// SetWorkspace says what the place of work is now.
func (c *Conversation) SetWorkspace(w event.Workspace) error {
	return c.change(func() *journal.Batch {
		c.work = w
		return &journal.Batch{Events: []event.Event{&event.WorkspaceChanged{Work: w}}}
	})
}

// SetRuntime changes what answers, from the next turn on.
func (c *Conversation) SetRuntime(rt Runtime) error {
	return c.change(func() *journal.Batch {
		c.runtime, c.rested = rt, time.Time{}
		model := rt.Model
		return &journal.Batch{Events: []event.Event{&event.ModelChanged{Model: model}},
			Effects: []sessions.Effect{sessions.SetModel{Model: model.Name, Provider: model.Provider, BaseURL: model.BaseURL}}}
	})
}

// online takes the badge of a service that was not heard before.
func (c *Conversation) online() {
	_ = c.change(func() *journal.Batch { // a store that refuses is told of elsewhere
		if !c.runtime.Offline {
			return nil
		}
		c.runtime.Offline, c.runtime.Model.Badge = false, ""
		return &journal.Batch{Events: []event.Event{&event.ModelChanged{Model: c.runtime.Model}}}
	})
}

// SetEffort changes how much the model is to reason, from the next turn on; empty
// leaves it to the provider. but is a sentence where the model is asked for something
// else, or for nothing.
func (c *Conversation) SetEffort(effort string) (but string, err error) {
	err = c.change(func() *journal.Batch {
		c.runtime.Model.Effort, c.runtime.Model.EffortChosen = effort, true
		but = c.runtime.OtherEffort()
		model := c.runtime.Model
		return &journal.Batch{Events: []event.Event{&event.ModelChanged{Model: model}}}
	})
	return but, err
}

// OtherEffort is a sentence where the model is asked for another effort than is wanted, or
// for none; empty where it is not.
func (rt Runtime) OtherEffort() string {
	r, knows := providers.As[providers.Reasoner](rt.Client)
	name, wanted := rt.Model.Name, rt.Model.Effort
	if !knows || wanted == "" {
		return ""
	}
	switch sent := r.Effort(name, wanted); sent {
	case wanted:
		return ""
	case "":
		return name + " takes no reasoning effort, so it is asked for none."
	case "on":
		return name + " reasons or does not and knows no efforts, so its reasoning is on."
	default:
		return fmt.Sprintf("%s does not take the reasoning effort %s, so it is asked for %s.", name, wanted, sent)
	}
}

// Spend counts what a call beside the conversation has used; it shows with the
// root's next model call.
func (c *Conversation) Spend(u event.Usage) {
	c.root.mu.Lock()
	c.root.auxUsage = c.root.auxUsage.Plus(u)
	c.root.mu.Unlock()
}

// change alters the state under the lock and stores what it makes of it. The
// newest change is the last one stored. A nil batch is no change.
func (c *Conversation) change(alter func() *journal.Batch) error {
	c.order.Lock()
	c.mu.Lock()
	b := alter()
	c.mu.Unlock()
	if b == nil {
		c.order.Unlock()
		return nil
	}
	if b.Agent == "" {
		b.Agent = c.root.id
	}
	c.com.Enqueue(b)
	c.order.Unlock()
	return b.Wait()
}

// SetTitle names the conversation. The title must be unique and clean, see
// [sessions.CleanTitle]. That of a conversation that has not begun is stored with
// its first input.
func (c *Conversation) SetTitle(title string) error {
	if err := c.store.TitleFree(context.Background(), title, string(c.session)); err != nil {
		return err
	}
	c.mu.Lock()
	c.titled, c.title = true, title
	c.mu.Unlock()
	return c.com.Commit(&journal.Batch{Agent: c.root.id, Events: []event.Event{&event.TitleChanged{Title: title}},
		Effects: []sessions.Effect{sessions.SetTitle{Title: title}}})
}

// SetBookmark sets a bookmark of the user at a block, or removes it.
func (c *Conversation) SetBookmark(block event.BlockID, on bool) error {
	return c.com.Commit(&journal.Batch{Agent: c.root.id, Events: []event.Event{&event.BookmarkChanged{Block: block, On: on}}})
}

// ShowJobs records the list of background jobs.
func (c *Conversation) ShowJobs(jobs []event.Job) error {
	return c.com.Commit(&journal.Batch{Agent: c.root.id, Events: []event.Event{&event.JobsChanged{Jobs: jobs}}})
}

// Notify shows a notice in the transcript that concerns this run of the program: it
// is not stored.
func (c *Conversation) Notify(level event.Level, text string) {
	c.root.publish(&event.NoticeRaised{Block: c.ids.Block(), Level: level, Text: text, Passing: true})
}
