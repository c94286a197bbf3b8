package bind

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/shell"
)

// typedTime is how long a command of the user may run: they stop it themselves.
const typedTime = 30 * 24 * time.Hour

// typist runs commands of the user. Each has a shell to itself while it runs; the first
// one that is free is the one that the next command gets, so that what one exports is
// there for the next.
type typist struct {
	o    ToolOptions
	dir  func() string // where the agent works
	gate *approval.Gate

	mu   sync.Mutex
	free []*shell.Shell
	all  []*shell.Shell
}

// Typist runs commands of the user where an agent works, with permits of its gate. done
// gives back what they have used, when none runs any more.
func Typist(o ToolOptions, box *Tools, gate *approval.Gate) (run agent.Typist, done func() error) {
	t := &typist{o: o, dir: box.dir, gate: gate}
	return t.run, t.close
}

func (t *typist) take() *shell.Shell {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		sh := t.free[n-1]
		t.free = t.free[:n-1]
		return sh
	}
	o := shellOptions(&t.o)
	o.Timeout, o.MaxTimeout, o.Jobs, o.Trusted, o.Typed = typedTime, typedTime, nil, nil, true
	sh := shell.New(o)
	t.all = append(t.all, sh)
	return sh
}

func (t *typist) give(sh *shell.Shell) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, sh)
}

func (t *typist) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, sh := range t.all {
		errs = append(errs, sh.Close())
	}
	return errors.Join(errs...)
}

// run implements [agent.Typist].
func (t *typist) run(ctx context.Context, id event.CallID, command string, host tools.Host, out tools.Sink) tools.Result {
	sh := t.take()
	defer t.give(sh)
	tool := sh.Tool()
	args := json.RawMessage(tools.JSON(map[string]string{"command": command, "workdir": t.dir()}))
	view := tool.Preview(args)
	action, err := tool.Action(args)
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	permit, err := t.gate.Typed(ctx, approval.Request{Tool: tool.Name, Action: action, Agent: t.o.Agent, Call: string(id)})
	if denied, ok := errors.AsType[*approval.Denied](err); ok {
		if view.Summary = denied.Reason; denied.By == approval.ByJudge {
			view.Summary = "never runs, in any mode: it " + denied.Reason
		}
		return tools.Result{Status: tools.StatusDenied, View: view}
	}
	if err == nil {
		var res tools.Result
		if res, err = tool.Run(ctx, tools.Call{ID: string(id), Name: tool.Name, Args: args, Permit: permit}, host, out); err == nil {
			return res
		}
	}
	if ctx.Err() != nil {
		return tools.Cancelled(view, "Stopped before it began.")
	}
	return tools.Failure(view, err.Error())
}
