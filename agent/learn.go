package agent

import (
	"context"

	"hermes-tui/agent/event"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/lessons"
	"hermes-tui/tools"
)

// trailOf follows the calls of one agent, nil when nothing is learnt from them.
func (c *Conversation) trailOf() *lessons.Trail {
	if c.lessons.Store == nil {
		return nil
	}
	return lessons.NewTrail(c.lessons)
}

// forget says that earlier results are no longer before the model.
func (a *Agent) forget() {
	a.tools.Forget()
	a.deeper.forget()
	a.aware.git.told, a.aware.git.now = "", "" // said again in the next turn
	if a.lessons != nil {
		a.lessons.Forget()
	}
}

// learn follows how a call ended: what it teaches is kept, and what earlier ones
// like it have taught goes with its result.
func (c *callRun) learn(ctx context.Context, t *turn) (bool, error) {
	failed := c.result.Status == tools.StatusFailed
	if t.lessons == nil || c.parent != "" || c.started.IsZero() || !failed && c.result.Status != tools.StatusOK {
		return true, nil
	}
	view := c.result.View
	call := lessons.Call{
		Tool: c.tool.Name, Args: []byte(t.mask.Text(string(c.args))), Failed: failed, Stranger: c.result.Untrusted != "",
		Risky: view.Kind == tools.KindCommand && view.Ran != tools.RanConfined && c.acts && !c.reads && t.mode() != event.ModeOff, Changed: guard.EffectOf(c.tool) == guard.Changes,
	}
	if view.Kind == tools.KindCommand {
		call.Command = t.mask.Text(view.Subject)
	}
	if failed {
		call.Output = t.mask.Text(view.Body)
		if call.Output == "" {
			call.Output = t.mask.Text(view.Summary)
		}
	}
	c.learnt = t.lessons.Ended(ctx, call)
	return true, nil
}
