package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/hooks"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/shorten"
)

// Hooks run at points of a conversation. Methods are safe for concurrent use.
type Hooks interface {
	// Listens reports whether there are hooks for an event. It costs next to nothing.
	Listens(e hooks.Event) bool
	// Run runs those of an event and gives what they say. The error is the cause of ctx.
	Run(ctx context.Context, in hooks.Input) (hooks.Answer, error)
	// Tell runs them without waiting for them.
	Tell(in hooks.Input)
	// Reload takes over the hooks that there are now; a turn begins.
	Reload()
}

// hears reports whether there are hooks for an event.
func (a *Agent) hears(e hooks.Event) bool { return a.conv.hooks != nil && a.conv.hooks.Listens(e) }

// toHook begins what hooks are told of an event.
func (a *Agent) toHook(e hooks.Event, turn event.TurnID, more map[string]any) hooks.Input {
	in := hooks.Input{Event: e, Turn: string(turn), Task: string(a.session), More: more}
	if a.parent != nil {
		in.Agent = string(a.id)
	}
	return in
}

// reloadHooks takes over hooks that have changed, when a turn of the root begins.
func (t *turn) reloadHooks() {
	t.trail.turn()
	if t.parent == nil && t.conv.hooks != nil {
		t.conv.hooks.Reload()
	}
}

// ofCall is what hooks are told of a call.
func (c *callRun) ofCall(t *turn, e hooks.Event, more map[string]any) hooks.Input {
	in := t.toHook(e, t.id, more)
	in.Tool, in.Call, in.Args, in.Request = c.tool.Name, string(c.id), c.args, t.requestID()
	return in
}

// requestID names the newest request of a turn to the model.
func (t *turn) requestID() string { return fmt.Sprintf("%s-%d", t.id, t.requests) }

// hook lets hooks refuse a call, change it, or have the user asked. What they leave of it is
// checked and judged as if the model had written it.
func (c *callRun) hook(ctx context.Context, t *turn) (bool, error) {
	if !t.hears(hooks.PreToolCall) {
		return true, nil
	}
	a, err := t.conv.hooks.Run(ctx, c.ofCall(t, hooks.PreToolCall, nil))
	if err != nil {
		return false, err
	}
	c.note(t, a.Context)
	switch c.because = ""; {
	case a.Refused != "":
		c.blocked = true
		return c.deny(&approval.Denied{Reason: "a hook refused it", Message: a.Refused})
	case a.Ask != "":
		c.because = "is asked about by a hook: " + a.Ask
	}
	if a.Args == nil || bytes.Equal(a.Args, c.args) {
		return true, nil
	}
	c.args = a.Args
	if more, err := c.coerce(ctx, t); !more || err != nil {
		return more, err
	}
	if c.tool.Preview != nil {
		c.view = t.view(c.tool, c.tool.Preview(c.args))
	}
	c.hooked = strings.TrimPrefix(c.hooked+"\n\n[A hook of the user changed the arguments. This ran instead:]\n"+shorten.Line(t.mask.Text(string(c.args)), maxShownArgs), "\n\n")
	return true, nil
}

// maxShownArgs bounds what is shown of arguments that a hook has changed, in characters.
const maxShownArgs = 2000

// note keeps texts of hooks for the model.
func (c *callRun) note(t *turn, list []hooks.Text) {
	for _, x := range list {
		c.hooked = strings.TrimPrefix(c.hooked+"\n\n[From a hook of the user:]\n"+t.mask.Text(x.Text), "\n\n")
	}
}

// told lets hooks see the result of a call as the model would get it, replace it, and add to
// it. One that a failed replacement was to hide is withheld.
func (c *callRun) told(ctx context.Context, t *turn) (bool, error) {
	if alive := ctx.Err() == nil; !alive {
		return true, nil // nothing more is started
	}
	if t.hears(hooks.TransformTerminalOutput) && c.result.View.Kind == tools.KindCommand {
		c.output(ctx, t)
	}
	if t.hears(hooks.TransformToolResult) {
		if text, changed := replacement(t.conv.hooks.Run(ctx, c.ofCall(t, hooks.TransformToolResult, c.came(t)))); changed {
			c.replace(t, text)
		}
	}
	if t.hears(hooks.PostToolCall) {
		// The call has run, whatever the hook was interrupted by.
		a, _ := t.conv.hooks.Run(ctx, c.ofCall(t, hooks.PostToolCall, c.came(t)))
		c.note(t, a.Context)
	}
	return true, nil
}

// came says how a call ended.
func (c *callRun) came(t *turn) map[string]any {
	status := map[tools.Status]string{tools.StatusOK: "ok", tools.StatusFailed: "error", tools.StatusDenied: "blocked", tools.StatusCancelled: "cancelled"}[c.result.Status]
	if c.blocked {
		status = "blocked"
	}
	more := map[string]any{"result": c.result.Content, "status": status, "duration_ms": int64(0)}
	if !c.started.IsZero() {
		more["duration_ms"] = t.conv.ids.Now().Sub(c.started).Milliseconds()
	}
	if c.result.Status != tools.StatusOK {
		more["error_message"], more["error_type"] = c.result.View.Summary, status
	}
	return more
}

// withheld takes the place of what a hook was to replace and did not.
const withheld = "Withheld. "

// replacement is the text that hooks put in the place of another one. What they were
// interrupted at is withheld.
func replacement(a hooks.Answer, err error) (text string, changed bool) {
	switch {
	case err != nil:
		return withheld + "The hook that was to look at it was interrupted.", true
	case a.Refused != "":
		return withheld + a.Refused, true
	case a.Text != nil:
		return *a.Text, true
	}
	return "", false
}

// replace gives a call another result, within the same bounds. What the user sees of it goes
// with it.
func (c *callRun) replace(t *turn, content string) {
	c.result.Content, _ = tools.Bound(t.mask.Text(content), c.tool.MaxResult, func(whole string) (string, error) {
		return t.conv.spill(string(c.id)+".hooked.txt", whole)
	})
	c.result.View.Body, c.result.Images = c.result.Content, nil
}

// output lets hooks replace the output of a command in its result.
func (c *callRun) output(ctx context.Context, t *turn) {
	var result map[string]json.RawMessage
	var output string
	if json.Unmarshal([]byte(c.result.Content), &result) != nil || json.Unmarshal(result["output"], &output) != nil {
		return
	}
	code := -1
	if e := c.result.View.Exit; e != nil {
		code = *e
	}
	more := map[string]any{"command": c.result.View.Subject, "output": output, "returncode": code, "env_type": t.placeKind()}
	if text, changed := replacement(t.conv.hooks.Run(ctx, c.ofCall(t, hooks.TransformTerminalOutput, more))); changed {
		result["output"] = json.RawMessage(tools.JSON(text))
		c.replace(t, tools.JSON(result))
		c.result.View.Body = t.mask.Text(text)
	}
}

// placeKind is where commands run, in the words of the settings.
func (t *turn) placeKind() string {
	t.conv.mu.Lock()
	defer t.conv.mu.Unlock()
	return cmp.Or(t.conv.work.Place, "local")
}

// maxHistory bounds what hooks are told of a history, in bytes: its end counts.
const maxHistory = 1 << 20

// toldHistory is the history for hooks: who said what, with calls by their names.
func (t *turn) toldHistory() []map[string]any {
	list := []map[string]any{}
	size := 0
	for _, m := range slices.Backward(t.history) {
		text := t.mask.Text(m.Text())
		if size += len(text); size > maxHistory {
			break
		}
		one := map[string]any{"role": string(m.Role), "content": text}
		var called []string
		for _, c := range m.Calls {
			called = append(called, c.Name)
		}
		if called != nil {
			one["tool_calls"] = called
		}
		list = append(list, one)
	}
	slices.Reverse(list)
	return list
}

// submitted tells hooks of the input of a turn. They may refuse one of the user, and add to
// any.
func (t *turn) submitted(ctx context.Context, in event.Queued) (refused string, added []tools.Attached, err error) {
	for _, e := range []hooks.Event{hooks.SessionReset, hooks.SessionStart, hooks.UserPromptSubmit, hooks.PreLLMCall} {
		source := ""
		if t.parent == nil {
			source = t.conv.begins
		}
		switch {
		case e == hooks.SessionReset && source != "clear", e == hooks.SessionStart && source == "",
			e == hooks.UserPromptSubmit && in.Origin != "":
			continue
		}
		if e == hooks.SessionStart {
			t.conv.begins = "" // it is told once; only the root's goroutine is here
		}
		if !t.hears(e) {
			continue
		}
		more := map[string]any{
			"user_message": in.Text, "is_first_turn": len(t.history) == 0, "model": t.rt.Model.Name, "platform": "cli",
		}
		told := t.toHook(e, t.id, more)
		if e == hooks.PreLLMCall {
			more["conversation_history"] = t.toldHistory()
		}
		if e == hooks.SessionStart {
			more["source"], told.About = source, source
		}
		a, err := t.conv.hooks.Run(ctx, told)
		if err != nil {
			return "", nil, err
		}
		if a.Refused != "" {
			return a.Refused, nil, nil
		}
		for _, x := range a.Context {
			added = append(added, tools.Attached{Name: "hook " + x.From, Text: t.mask.Text(x.Text)})
		}
	}
	return "", added, nil
}

// openRefused opens a turn for a message that a hook has refused. The user sees both; the
// model gets neither.
func (t *turn) openRefused(in event.Queued, why string) (bool, error) {
	t.refusedBy = why
	return t.takeIn(in, &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: []event.Event{
		&event.TurnStarted{Budget: t.Agent.budget},
		&event.MessageCommitted{Role: event.RoleUser, Block: t.conv.ids.Block(), Text: in.Text, Input: in.ID, Origin: in.Origin},
	}})
}

// refusedEnding is how a turn ends whose message was refused.
func (t *turn) refusedEnding() (ending, bool) {
	return ending{event.TurnFailed, "hook", tools.Sentence(fmt.Errorf("a hook refused this message, so the model has not got it: %s", t.refusedBy))}, t.refusedBy != ""
}

// transformed lets hooks replace a final answer.
func (t *turn) transformed(ctx context.Context, r *reply) error {
	if !t.hears(hooks.TransformLLMOutput) {
		return nil
	}
	a, err := t.conv.hooks.Run(ctx, t.toHook(hooks.TransformLLMOutput, t.id, map[string]any{"response_text": r.text.String(), "model": t.rt.Model.Name, "platform": "cli"}))
	if err != nil {
		return err
	}
	text, changed := replacement(a, nil)
	if !changed || strings.TrimSpace(text) == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Reset()
	r.text.WriteString(t.mask.Text(text))
	r.items, r.saved = nil, -1 // the service's own form of the answer says what was replaced
	return nil
}

// maxGoOn is how often hooks let one turn go on.
const maxGoOn = 8

// letGoOn asks hooks whether a turn that has its answer is over. It returns true with a new
// message for the model.
func (t *turn) letGoOn(ctx context.Context, r *reply) (bool, error) {
	written := t.trail.turn()
	for _, e := range []hooks.Event{hooks.PreVerify, hooks.Stop} {
		if t.parent != nil || !t.hears(e) || e == hooks.PreVerify && len(written) == 0 {
			continue
		}
		more := map[string]any{"assistant_response": r.text.String(), "stop_hook_active": t.goneOn > 0}
		if e == hooks.PreVerify {
			more["changed_files"] = written
		}
		a, err := t.conv.hooks.Run(ctx, t.toHook(e, t.id, more))
		if err != nil || a.GoOn == "" {
			if err != nil {
				return false, err
			}
			continue
		}
		if t.goneOn >= maxGoOn {
			t.conv.Notify(event.LevelWarn, fmt.Sprintf("A hook wants this turn to go on for the %dth time; it ends here.", maxGoOn+1))
			return false, nil
		}
		t.goneOn++
		return true, t.goOnWith(a.GoOn)
	}
	return false, nil
}

// goOnWith puts what a hook says behind the answer.
func (t *turn) goOnWith(text string) error {
	text = t.mask.Text(text)
	m := providers.Message{
		ID: string(t.conv.ids.Message()), Role: providers.User, At: t.conv.ids.Now(),
		Parts: providers.TextParts("[note from the program; the user did not write it]\nA hook of the user says that this is not finished:\n" + text + "\n[end of the note]"),
	}
	err := t.conv.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Rows: t.rows(m), Events: []event.Event{
		&event.MessageCommitted{Message: event.MessageID(m.ID), Role: event.RoleUser, Block: t.conv.ids.Block(), Text: text, Origin: event.OriginHook},
	}})
	if err == nil {
		t.history = append(t.history, m)
	}
	return err
}

// tellEnded tells hooks that a turn is over.
func (t *turn) tellEnded(e ending, in event.Queued) {
	more := func() map[string]any {
		return map[string]any{
			"user_message": in.Text, "assistant_response": t.finalText(), "model": t.rt.Model.Name, "platform": "cli",
			"completed": e.outcome == event.TurnCompleted, "interrupted": e.outcome == event.TurnInterrupted, "outcome": string(e.outcome), "explain": e.explain,
		}
	}
	if e.outcome == event.TurnCompleted && t.hears(hooks.PostLLMCall) {
		told := more()
		told["conversation_history"] = t.toldHistory()
		t.conv.hooks.Tell(t.toHook(hooks.PostLLMCall, t.id, told))
	}
	if t.parent == nil && t.hears(hooks.SessionEnd) {
		t.conv.hooks.Tell(t.toHook(hooks.SessionEnd, t.id, more()))
	}
}

// tellRequest tells hooks of a request to the model, and of the answer to it.
func (t *turn) tellRequest(e hooks.Event, req providers.Request, r *reply) {
	if !t.hears(e) {
		return
	}
	more := t.aboutRequest(req)
	if r != nil {
		more["finish_reason"], more["tool_calls"] = string(r.finish), len(r.calls)
		if u := r.usage; u != nil {
			more["usage"] = map[string]int64{"input": u.Input, "output": u.Output, "cache_read": u.CacheRead, "cache_write": u.CacheWrite}
		}
	}
	in := t.toHook(e, t.id, more)
	in.Request = t.requestID()
	t.conv.hooks.Tell(in)
}

// tellFailed tells hooks of a request that failed.
func (t *turn) tellFailed(req providers.Request, err error, took time.Duration) {
	if !t.hears(hooks.APIRequestError) {
		return
	}
	more := t.aboutRequest(req)
	more["error_message"], more["duration_ms"] = t.mask.Text(err.Error()), took.Milliseconds()
	in := t.toHook(hooks.APIRequestError, t.id, more)
	in.Request = t.requestID()
	t.conv.hooks.Tell(in)
}

func (t *turn) aboutRequest(req providers.Request) map[string]any {
	m := t.rt.Model
	return map[string]any{"model": m.Name, "provider": m.Provider, "base_url": m.BaseURL, "request": t.requests, "messages": len(req.Messages), "tokens": t.asking.tokens}
}

// tellAsked tells hooks that the user is asked something, and with an answer how it ended.
func (a *Agent) tellAsked(turn event.TurnID, r event.Request, ans *event.Answer) {
	if a.conv.hooks == nil {
		return
	}
	if _, decided := a.policy(r.Kind); decided && ans == nil && r.Kind != event.RequestApproval {
		return // no one is asked
	}
	more := map[string]any{"kind": string(r.Kind), "message": "The agent needs your answer."}
	if q := r.Approval; q != nil {
		more["command"], more["action"], more["description"], more["surface"] = q.Text, q.Action, q.Reason, "cli"
		more["message"] = "May the agent " + q.Action + " this? " + shorten.Line(q.Text, maxShownArgs)
	}
	if q := r.Clarify; q != nil {
		more["message"] = q.Question
	}
	tell := func(e hooks.Event) {
		if a.hears(e) {
			in := a.toHook(e, turn, more)
			in.About, in.Call = string(r.Kind), string(r.Call)
			a.conv.hooks.Tell(in)
		}
	}
	if ans != nil {
		if more["choice"] = string(ans.Choice); r.Approval != nil {
			tell(hooks.PostApproval)
		}
		return
	}
	if r.Approval != nil {
		tell(hooks.PreApproval)
	}
	if !a.conv.unattended {
		tell(hooks.Notification)
	}
}

// tellCompress lets hooks do something before a history is shortened. The error is the
// cause of ctx.
func (t *turn) tellCompress(ctx context.Context, focus string, tokens int) error {
	if !t.hears(hooks.PreCompress) {
		return nil
	}
	in := t.toHook(hooks.PreCompress, t.id, map[string]any{"trigger": "auto", "focus": focus, "tokens": tokens, "messages": len(t.history)})
	if in.About = "auto"; t.id == "" { // between turns
		in.About = "manual"
		in.More["trigger"] = in.About
	}
	_, err := t.conv.hooks.Run(ctx, in)
	return err
}

func (t *turn) tellCompressed(e *event.ContextCompressed) {
	if t.hears(hooks.PostCompress) {
		t.conv.hooks.Tell(t.toHook(hooks.PostCompress, t.id, map[string]any{"before": e.Before, "after": e.After, "summary": e.Record}))
	}
}

// tellChild tells hooks of a subagent, with its report when it has ended.
func (a *Agent) tellChild(e hooks.Event, s delegate.Spec, r delegate.Report) {
	if !a.hears(e) {
		return
	}
	a.parent.mu.Lock()
	turn := a.parent.newest
	a.parent.mu.Unlock()
	more := map[string]any{
		"parent_session_id": string(a.parent.session), "parent_subagent_id": string(a.parent.id), "child_session_id": string(a.session),
		"child_subagent_id": string(a.id), "child_role": s.Role, "child_goal": s.Goal, "parent_turn_id": string(turn),
	}
	if e == hooks.SubagentStop {
		state := r.State
		if state == "" {
			state = event.AgentInterrupted
		}
		more["child_summary"], more["child_status"], more["duration_ms"] = r.Summary, string(state), r.Took.Milliseconds()
	}
	in := a.toHook(e, "", more)
	in.About = s.Role
	a.conv.hooks.Tell(in)
}
