package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Typist runs a command of the user's own, in the agent's folder: with the user's rights,
// without a question, see [approval.Gate.Typed]. Its result is as of a call; a command
// that is blocked was denied.
type Typist func(ctx context.Context, id event.CallID, command string, host tools.Host, out tools.Sink) tools.Result

// maxTyped is how many commands of the user run side by side.
const maxTyped = 8

// The errors of [Conversation.RunTyped].
var (
	ErrNoCommands = errors.New("commands cannot be run here")
	ErrManyTyped  = fmt.Errorf("%d commands of yours are running already: end one first", maxTyped)
)

// typed are the commands of the user that run, and those whose output the agent is to be
// told.
type typed struct {
	run Typist

	mu      sync.Mutex
	running []typedRun // the oldest first
	ended   []typedEnd // the oldest first
}

type typedRun struct {
	id     event.CallID
	cancel context.CancelCauseFunc
}

// typedEnd is a command that ended, of which the agent was not told.
type typedEnd struct {
	id   event.CallID
	view event.CallView
	// from says where what it wrote comes from, when strangers may have written it.
	from string
}

// RunTyped runs a command of the user beside whatever the agent does, and returns when it
// is recorded as begun. With tell the agent gets what it wrote with the next message of
// the user.
func (c *Conversation) RunTyped(command string, tell bool) (event.CallID, error) {
	return c.beginTyped(command, tell, nil)
}

// Interpolate runs a command of the user like [Conversation.RunTyped] and gives what it
// wrote, bounded and with secrets masked, whatever its exit code. The error says why there
// is nothing: it is blocked, or was stopped.
func (c *Conversation) Interpolate(ctx context.Context, command string) (string, error) {
	ended := make(chan tools.Result, 1)
	id, err := c.beginTyped(command, false, ended)
	if err != nil {
		return "", err
	}
	select {
	case res := <-ended:
		switch res.Status {
		case tools.StatusDenied:
			return "", fmt.Errorf("`%s`: %s", command, res.View.Summary)
		case tools.StatusCancelled:
			return "", fmt.Errorf("`%s` was stopped", command)
		}
		text, _ := tools.Bound(c.root.mask.Text(res.View.Body), maxTold, func(string) (string, error) { return "", errTold })
		return text, nil
	case <-ctx.Done():
		c.stopTyped(func(r typedRun) bool { return r.id == id }, StoppedByShutdown)
		return "", context.Cause(ctx)
	}
}

// errTold is why the rest of an output is not kept for a message.
var errTold = errors.New("it is too long for a message")

func (c *Conversation) beginTyped(command string, tell bool, ended chan<- tools.Result) (event.CallID, error) {
	switch {
	case strings.TrimSpace(command) == "":
		return "", ErrEmpty
	case c.typed.run == nil:
		return "", ErrNoCommands
	}
	id := c.ids.Call()
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.typed.mu.Lock()
	if len(c.typed.running) >= maxTyped {
		c.typed.mu.Unlock()
		cancel(nil)
		return "", ErrManyTyped
	}
	c.typed.running = append(c.typed.running, typedRun{id, cancel})
	c.typed.mu.Unlock()
	view := event.CallView{Kind: event.ViewCommand, Name: typedName(tell), Subject: c.root.mask.Text(command)}
	var refused error
	err := c.change(func() *journal.Batch {
		if c.closed {
			refused = journal.ErrClosed
			return nil
		}
		c.serving.Add(1)
		return &journal.Batch{Birth: true, Events: []event.Event{&event.CommandTyped{Call: id, View: view, Tell: tell}}}
	})
	if err = errors.Join(err, refused); err != nil {
		if refused == nil {
			c.serving.Done()
		}
		c.endTyped(id, nil)
		return "", err
	}
	go func() {
		defer c.serving.Done()
		defer cancel(nil)
		res := c.runTyped(ctx, id, command, view, tell)
		if ended != nil {
			ended <- res
		}
	}()
	return id, nil
}

// typedName is what a command of the user is called on the screen.
func typedName(tell bool) string {
	if tell {
		return "you"
	}
	return "you alone"
}

// runTyped runs a command to its end and records that.
func (c *Conversation) runTyped(ctx context.Context, id event.CallID, command string, view event.CallView, tell bool) tools.Result {
	began, held := c.ids.Now(), &waiting{}
	res := c.typedResult(ctx, id, command, held)
	was := view
	view = callView(c.root.mask, was.Name, res.View)
	if view.Subject = was.Subject; view.Dir == "" {
		view.Dir = was.Dir
	}
	if view.Ran = ""; view.Cut > 0 { // that it ran with the rights of the user goes without saying
		c.results.keep(string(id)+".out", c.root.mask.Text(res.View.Body))
	}
	end := &event.ToolFinished{Call: id, Outcome: outcomeOf(res.Status), Took: max(c.ids.Now().Sub(began)-held.sum, 0), View: view}
	var told *typedEnd
	if tell && end.Outcome != event.OutcomeDenied {
		told = &typedEnd{id, view, res.Untrusted}
	}
	if err := c.com.Commit(&journal.Batch{Agent: c.root.id, Events: []event.Event{end}}); err != nil {
		c.report(fmt.Errorf("a command of the user: %w", err))
		told = nil
	}
	c.endTyped(id, told)
	return res
}

// typedResult is what came of a command. A panic in it is a failure.
func (c *Conversation) typedResult(ctx context.Context, id event.CallID, command string, held *waiting) (res tools.Result) {
	file := c.results.lazy(string(id) + ".out")
	out := &sink{file: file, masked: c.root.mask.Writer(writerFunc(func(p []byte) (int, error) {
		c.showLive(&event.ToolOutput{Call: id, Text: string(p)})
		file.write(p)
		return len(p), nil
	}))}
	defer out.close()
	defer func() {
		if r := recover(); r != nil {
			p := &panicError{value: r, stack: debug.Stack()}
			c.report(p)
			res = tools.Failure(tools.View{Kind: tools.KindCommand}, p.Error())
		}
	}()
	return c.typed.run(ctx, id, command, typedHost{c, id, held}, out)
}

// showLive publishes an event that is not stored.
func (c *Conversation) showLive(e event.Event) {
	h := e.Head()
	h.Conv, h.Session, h.Agent, h.At = c.conv, c.session, c.root.id, c.ids.Now()
	event.Stamp(e)
	c.box.Put(e)
}

// endTyped forgets a command that ran, and keeps what the agent is to be told of it.
func (c *Conversation) endTyped(id event.CallID, told *typedEnd) {
	c.typed.mu.Lock()
	defer c.typed.mu.Unlock()
	c.typed.running = slices.DeleteFunc(c.typed.running, func(r typedRun) bool { return r.id == id })
	if told != nil {
		c.typed.ended = append(c.typed.ended, *told)
	}
}

// StopTyped stops the command of the user that was begun last, with everything it has
// started. It reports false when none runs.
func (c *Conversation) StopTyped() bool {
	newest := true
	return c.stopTyped(func(typedRun) bool {
		first := newest
		newest = false
		return first
	}, StoppedByUser)
}

// stopTyped stops the commands of the user that are chosen, the newest first, and reports
// whether there was one.
func (c *Conversation) stopTyped(chosen func(typedRun) bool, why Reason) (stopped bool) {
	c.typed.mu.Lock()
	defer c.typed.mu.Unlock()
	for _, r := range slices.Backward(c.typed.running) {
		if chosen(r) {
			r.cancel(&Stopped{why})
			stopped = true
		}
	}
	return stopped
}

// typing reports whether a command of the user runs.
func (c *Conversation) typing() bool {
	c.typed.mu.Lock()
	defer c.typed.mu.Unlock()
	return len(c.typed.running) > 0
}

// recall finds the commands of which the agent was not told before the program ended.
func (t *typed) recall(root *event.Agent) {
	for _, id := range root.Untold {
		if b := root.Call(id); b != nil {
			t.ended = append(t.ended, typedEnd{id, b.Call.View, typedSource})
		}
	}
}

// typedSource says where the output of a command comes from of which nothing else is known.
const typedSource = "a command of the user"

// maxTypedWord is how much of a command stands beside the message that tells of it.
const maxTypedWord = 60

// maxTold is how much of the output of one command the agent gets at once, in characters.
const maxTold = 20_000

// tellTyped is what the agent is to be told of commands that ended.
func (c *Conversation) tellTyped() (list []tools.Attached, named []event.Named, ids []event.CallID, strangers []string) {
	c.typed.mu.Lock()
	ended := slices.Clone(c.typed.ended)
	c.typed.mu.Unlock()
	for _, e := range ended {
		text := c.typedText(e)
		list = append(list, tools.Attached{Name: "a command that the user ran", Text: text})
		named = append(named, event.Named{Word: "!" + shorten.Line(e.view.Subject, maxTypedWord), Tokens: len(text) / 4})
		if ids = append(ids, e.id); e.from != "" && !slices.Contains(strangers, e.from) {
			strangers = append(strangers, e.from)
		}
	}
	return list, named, ids, strangers
}

// toldTyped notes that the agent was told.
func (c *Conversation) toldTyped(ids []event.CallID) {
	c.typed.mu.Lock()
	defer c.typed.mu.Unlock()
	c.typed.ended = slices.DeleteFunc(c.typed.ended, func(e typedEnd) bool { return slices.Contains(ids, e.id) })
}

// typedText is a command of the user for the model. What it wrote is fenced: it is data,
// whoever ran it.
func (c *Conversation) typedText(e typedEnd) string {
	output := e.view.Body
	if whole, kept := c.results.read(string(e.id) + ".out"); kept {
		output = whole
	}
	output, _ = tools.Bound(output, maxTold, func(whole string) (string, error) { return c.spill(string(e.id)+".txt", whole) })
	var b strings.Builder
	b.WriteString("The user ran this themselves")
	if e.view.Dir != "" {
		b.WriteString(", in " + e.view.Dir)
	}
	b.WriteString(":\n" + e.view.Subject + "\n")
	switch {
	case e.view.Exit != nil:
		fmt.Fprintf(&b, "It ended with exit code %d", *e.view.Exit)
	case e.view.Summary != "":
		b.WriteString("It " + e.view.Summary)
	default:
		b.WriteString("It ended")
	}
	switch {
	case strings.TrimSpace(output) != "":
	case e.view.Exit == nil:
		return b.String() + "."
	default:
		return b.String() + " and wrote nothing."
	}
	return b.String() + " and wrote:\n" + tools.Fence(output, "what a command of the user wrote", c.ids.Mark())
}

// typedHost is what a command of the user may ask: for the password that sudo wants.
type typedHost struct {
	c    *Conversation
	call event.CallID
	held *waiting // for answers; of the goroutine that runs it
}

// Ask implements [tools.Host].
func (h typedHost) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	if q.Secret == nil {
		return tools.Answer{Choice: tools.ChoiceNone}, nil
	}
	h.held.begin(h.c.ids.Now())
	defer func() { h.held.end(h.c.ids.Now()) }()
	ans, err := h.c.root.ask(ctx, "", event.Request{
		Kind: event.RequestSecret, Call: h.call, Secret: &event.Secret{Label: q.Secret.Label, Reason: q.Secret.Reason},
	}, q.Within)
	return tools.Answer{Choice: tools.Choice(ans.Choice), Text: ans.Text}, err
}

// Invoke implements [tools.Host]: a command of the user makes no calls.
func (typedHost) Invoke(context.Context, tools.Call) tools.Result {
	return tools.Failure(tools.View{}, "there are no calls here")
}
