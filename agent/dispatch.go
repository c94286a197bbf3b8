package agent

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/journal"
	"hermes-tui/providers/redact"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/hunks"
)

// stage is one step of a call. It returns false when the call has its result: of the
// stages behind it, only those that end a call follow. An error stops the turn.
type stage struct {
	name string
	run  func(c *callRun, ctx context.Context, t *turn) (bool, error)
	ends bool
}

// stages is the one way every call takes, whoever makes it.
func stages() []stage {
	return []stage{
		{"coerce", (*callRun).coerce, false},
		{"hook", (*callRun).hook, false},
		{"guard", (*callRun).guard, false},
		{"gate", (*callRun).gate, false},
		{"before", (*callRun).before, false},
		{"run", (*callRun).run, false},
		{"after", (*callRun).after, true},
		{"bound", (*callRun).bound, true},
		{"told", (*callRun).told, true},
		{"learn", (*callRun).learn, true},
		{"instruct", (*callRun).instruct, true},
		{"fence", (*callRun).fence, true},
		{"journal", (*callRun).journal, true},
	}
}

// dispatch takes a call through the stages.
func (t *turn) dispatch(ctx context.Context, c *callRun) error {
	if err := t.member.Checkpoint(ctx); err != nil {
		return err
	}
	more := true
	for _, s := range stages() {
		if !more && !s.ends {
			continue
		}
		goOn, err := s.run(c, ctx, t)
		if err != nil {
			return err
		}
		more = more && goOn
	}
	return nil
}

// coerce brings the arguments into the form the tool's schema asks for.
func (c *callRun) coerce(_ context.Context, t *turn) (bool, error) {
	if c.fault != "" {
		return c.fail(c.fault)
	}
	args, err := tools.Coerce(c.tool.Parameters, c.args)
	if err != nil {
		return c.fail(err.Error())
	}
	c.args = args
	if problems := tools.Check(c.tool.Parameters, args); len(problems) > 0 {
		return c.fail(tools.Explain(c.tool.Name, problems))
	}
	return true, nil
}

// fail ends a call with a message for the model.
func (c *callRun) fail(message string) (bool, error) {
	c.result = tools.Failure(c.result.View, message)
	return false, nil
}

// guard lets the guard look at a call before it may run.
func (c *callRun) guard(_ context.Context, t *turn) (bool, error) {
	if c.parent != "" { // a script may well repeat itself
		return true, nil
	}
	d := t.guard.Before(guard.Call{Tool: c.tool.Name, Args: c.args, Effect: guard.EffectOf(c.tool)})
	if d.Kind != guard.Block && d.Kind != guard.Halt {
		return true, nil
	}
	c.blocked = true
	c.result = tools.Failure(c.result.View, d.Message)
	c.result.Content = d.Content()
	return false, nil
}

// gate asks the gate about what the call would do to the world.
func (c *callRun) gate(ctx context.Context, t *turn) (bool, error) {
	r := approval.Request{
		Tool: c.tool.Name, Mode: approval.Mode(t.mode()), Host: t.host(c), Agent: string(t.Agent.id), Call: string(c.id),
		ReadsOnly: c.tool.ReadsOnly && (c.tool.Changes == nil || !c.tool.Changes(c.args)), Editable: c.tool.Edit != nil,
		Because: c.because, After: t.after(),
	}
	if c.tool.Files != nil {
		r.Files = func() ([]hunks.File, error) { return c.tool.Files(c.args) }
	}
	if c.tool.Action == nil {
		r.Text = string(c.args)
		return t.allowed(c, t.gate.PassTool(ctx, r))
	}
	for {
		action, err := c.tool.Action(c.args)
		if err != nil {
			return c.fail(err.Error())
		}
		if action.Kind == "" { // this call of the tool does nothing that is to be judged
			return t.allowed(c, t.gate.PassTool(ctx, r))
		}
		r.Action, r.Mode = action, approval.Mode(t.mode())
		permit, err := t.gate.Decide(ctx, r)
		if edited, ok := errors.AsType[*approval.Edited](err); ok {
			if why := t.edit(c, edited.Text); why != "" {
				return c.fail(why)
			}
			r.Edited = true
			continue
		}
		if c.permit = permit; action.Kind != tools.ActRead {
			c.paths, c.acts, c.reads, c.brings = action.Paths, true, permit.Reads(), permit.Brings()
		}
		return t.allowed(c, err)
	}
}

// allowed says whether a call goes on after the gate has decided.
func (t *turn) allowed(c *callRun, err error) (bool, error) {
	if denied, ok := errors.AsType[*approval.Denied](err); ok {
		return c.deny(denied)
	}
	return err == nil, err
}

// edit puts what the user wants to run instead into a call. It returns why that
// is not possible, empty if it is.
func (t *turn) edit(c *callRun, text string) string {
	args, err := c.tool.Edit(c.args, text)
	if err == nil {
		args, err = tools.Coerce(c.tool.Parameters, args)
	}
	if err != nil {
		return "Not run: what the user wrote instead could not be used: " + err.Error()
	}
	c.args, c.edited = args, text
	if c.tool.Preview != nil {
		c.view = t.view(c.tool, c.tool.Preview(args))
	}
	return ""
}

// deny ends a call that was not allowed.
func (c *callRun) deny(denied *approval.Denied) (bool, error) {
	c.result.View.Summary = denied.Reason
	c.result.Content = tools.JSON(struct {
		Error  string        `json:"error"`
		Status string        `json:"status"`
		Review *hunks.Report `json:"user_review,omitempty"`
	}{denied.Message, "denied", denied.Review})
	c.result.Status = tools.StatusDenied
	return false, nil
}

// before records that the call starts. From here on it counts as run.
func (c *callRun) before(ctx context.Context, t *turn) (bool, error) {
	now := t.conv.ids.Now()
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: []event.Event{&event.ToolStarted{Call: c.id, Parent: c.parent, View: c.view}}}
	if c.parent == "" {
		b.Effects = []sessions.Effect{sessions.CallStarted{ID: string(c.id), At: now}}
	}
	if err := t.conv.com.Commit(b); err != nil {
		return false, err
	}
	c.started, c.waited = now, waiting{} // what the gate has asked came before
	t.acting(c, false)
	if err := t.snapshot(ctx, c); err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if errors.Is(err, ErrFolderGone) {
			return c.fail("Not run: " + err.Error() + ". Nothing can be run or written here: stop, and tell the user, who can move the folder back, or start in its new place with --continue.")
		}
		return c.fail("Not run: what it would change could not be kept for undoing (" + err.Error() + "). Tell the user.")
	}
	return true, nil
}

// run runs the tool. A panic in it is a failure of the call.
func (c *callRun) run(ctx context.Context, t *turn) (more bool, err error) {
	out := t.newSink(c)
	defer out.close()
	defer t.member.Tool()()
	defer t.settled(c)
	defer t.acting(c, true)
	defer func() {
		if r := recover(); r != nil {
			p := &panicError{value: r, stack: debug.Stack()}
			t.conv.report(p)
			more, err = c.fail(p.Error())
		}
	}()
	call := tools.Call{ID: string(c.id), Name: c.call.Name, Args: c.args, Permit: c.permit, By: t.called()}
	c.result, err = c.tool.Run(ctx, call, t.host(c), out)
	t.tools.Ran(c.tool.Name)
	if err == nil {
		return true, nil
	}
	if why, ok := stopReason(ctx, err); ok {
		c.result = tools.Cancelled(c.result.View, "Stopped: "+string(why)+".")
		return true, nil
	}
	return false, err
}

// called is what the agent is called in words.
func (a *Agent) called() string {
	if a.parent == nil {
		return "the main agent"
	}
	return "the subagent " + strings.Join(a.names[1:], " › ")
}

// after tells the guard how a call ended, which may warn the model that calls go
// round in circles.
func (c *callRun) after(_ context.Context, t *turn) (bool, error) {
	if c.fault == "" && !c.blocked && c.parent == "" {
		call := guard.Call{Tool: c.tool.Name, Args: c.args, Effect: guard.EffectOf(c.tool)}
		c.warning = t.guard.After(call, guard.Result{Status: c.result.Status, Content: c.result.Content})
	}
	return true, nil
}

// bound masks secrets in the result and cuts it to what the model may see; the
// whole is kept in a file.
func (c *callRun) bound(_ context.Context, t *turn) (bool, error) {
	mask := t.mask.Text
	if c.result.View.Kind == tools.KindRead && program(c.result.View.Lang) {
		mask = t.mask.Code
	}
	c.result.Content = redact.JSON(c.result.Content, mask)
	limit := c.tool.MaxResult
	if c.parent != "" {
		limit = maxNested
	}
	c.result.Content, _ = tools.Bound(c.result.Content, limit, func(whole string) (string, error) {
		if c.result.View.Body != "" { // readable line by line, unlike the JSON around it
			whole = t.mask.Text(c.result.View.Body)
		}
		return t.conv.spill(string(c.id)+".txt", whole)
	})
	return true, nil
}

// fence marks what strangers may have written, and puts behind it what the
// program has to say. A script gets its results as they are.
func (c *callRun) fence(_ context.Context, t *turn) (bool, error) {
	c.heed(t)
	if c.parent != "" {
		return true, nil
	}
	if c.result.Untrusted != "" {
		c.result.Content = tools.Fence(c.result.Content, c.result.Untrusted, t.conv.ids.Mark())
	}
	c.result.Content = c.warning.Annotate(c.result.Content)
	if c.learnt != "" {
		c.result.Content += "\n\n" + c.learnt
	}
	if c.edited != "" {
		c.result.Content += "\n\n[The user edited the command. This ran instead:]\n" + c.edited
	}
	if c.deeper != "" {
		c.result.Content += "\n\n" + c.deeper
	}
	if c.hooked != "" {
		c.result.Content += "\n\n" + c.hooked
	}
	return true, nil
}

// program reports whether a file of a language, named as [tools.View] has it, is
// program text. There an assignment is more often a program than a secret, and a
// program that was masked could not be edited faithfully; everything else is masked
// as the output of commands is.
func program(lang string) bool {
	switch lang {
	case "go", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "java", "kt", "kts", "scala", "groovy",
		"gradle", "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cs", "fs", "vb", "rs", "swift", "dart", "zig", "nim", "d",
		"rb", "erb", "php", "pl", "pm", "lua", "r", "jl", "ex", "exs", "erl", "hs", "ml", "mli", "clj", "cljs", "elm", "lisp", "el", "scm",
		"sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "awk", "sql", "proto", "graphql", "html", "htm", "css", "scss", "less", "tf", "hcl",
		"nix", "sol", "s", "asm", "diff", "patch", "ipynb", "makefile", "mk", "cmake", "dockerfile", "bzl", "vim":
		return true
	}
	return false
}

// journal stores how a call ended.
func (c *callRun) journal(_ context.Context, t *turn) (bool, error) { return true, t.record(c) }

// record stores how a call ended.
func (t *turn) record(c *callRun) error {
	now := t.conv.ids.Now()
	took := time.Duration(0)
	if !c.started.IsZero() {
		took = max(now.Sub(c.started)-c.waited.sum, 0)
	}
	if c.outcome == "" {
		c.outcome = outcomeOf(c.result.Status)
	}
	t.adopt(c)
	t.edits.note(c)
	t.trail.add(c)
	c.counted(t)
	t.member.Beat()
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Events: []event.Event{
		&event.ToolFinished{Call: c.id, Parent: c.parent, Outcome: c.outcome, Took: took, View: c.view, Changed: c.written()},
	}}
	if c.parent == "" {
		b.Effects = []sessions.Effect{sessions.CallEnded{ID: string(c.id), At: now, Outcome: string(c.outcome), Result: c.result.Content}}
	}
	if s := c.result.State; s != nil {
		b.Events = append(b.Events, &event.ToolStateChanged{Name: s.Name, State: s.Data})
	}
	if err := t.conv.com.Commit(b); err != nil {
		return err
	}
	c.recorded = true
	return nil
}

// written are the files that a call has changed: as they were recorded, or as the
// gate has judged them where nothing is recorded.
func (c *callRun) written() []string {
	list := c.changed
	if list == nil && !c.snapped && c.outcome == event.OutcomeOK {
		list = c.paths
	}
	return list[:min(len(list), event.ChangedLimit)]
}

func outcomeOf(s tools.Status) event.Outcome {
	switch s {
	case tools.StatusFailed:
		return event.OutcomeFailed
	case tools.StatusDenied:
		return event.OutcomeDenied
	case tools.StatusCancelled:
		return event.OutcomeCancelled
	}
	return event.OutcomeOK
}

// sink carries live output to the screen and to the file that keeps the whole.
// Secrets are masked on the way.
type sink struct {
	masked MaskWriter
	file   *resultFile
}

func (t *turn) newSink(c *callRun) *sink {
	s := &sink{file: t.conv.results.lazy(string(c.id) + ".out")}
	s.masked = t.mask.Writer(writerFunc(func(p []byte) (int, error) {
		t.member.Beat()
		t.live(&event.ToolOutput{Call: c.id, Text: string(p)})
		s.file.write(p)
		return len(p), nil
	}))
	return s
}

// Write implements [tools.Sink].
func (s *sink) Write(p []byte) (int, error) { return s.masked.Write(p) }

func (s *sink) close() {
	_ = s.masked.Flush()
	s.file.close()
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
