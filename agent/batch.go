package agent

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/journal"
	"hermes-tui/agent/recovery"
	"hermes-tui/providers"
	"hermes-tui/providers/repair"
	"hermes-tui/store/sessions"
	"hermes-tui/tools"
)

// callRun is one call on its way through the stages of dispatch.
type callRun struct {
	call   providers.Call
	id     event.CallID
	tool   tools.Tool
	args   json.RawMessage
	permit tools.Permit
	brings string         // a program of it that shows what strangers may have written
	view   event.CallView // as announced; the result's view replaces it
	// fault is why the call cannot run at all, for the model to read.
	fault string
	// unknown says that there is no such tool.
	unknown bool
	// read says how the arguments could be read.
	read    repair.Verdict
	blocked bool // by the guard
	warning guard.Decision
	learnt  string // what earlier calls like it teach
	deeper  string // the instructions of the folders that it was the first to touch
	// parent is the call on whose behalf this one is made. Such a call is in the
	// journal and not in the history.
	parent event.CallID
	// edited is what the user let run instead, empty for what the model wrote.
	edited string
	// hooked is what hooks have to say of it to the model, because why they want the user
	// to be asked; empty for nothing.
	hooked, because string
	// acts says that the call may change something; reads, that it is proved not to.
	acts, reads bool
	// paths are the files that it will write, as the gate has judged them.
	paths []string
	// watched says that what it changes is being recorded.
	watched bool
	snapped bool     // it was being recorded at some time
	changed []string // the files that it has changed, when that was recorded

	started  time.Time // zero: it never started
	waited   waiting
	above    []*waiting // of the calls on whose behalf it is made
	recorded bool       // its end is stored
	result   tools.Result
	outcome  event.Outcome
}

// waiting is how long a call has waited for answers since it started. Questions that
// are open at the same time count once.
type waiting struct {
	mu   sync.Mutex
	open int
	from time.Time
	sum  time.Duration
}

// begin opens a question.
func (w *waiting) begin(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open++; w.open == 1 {
		w.from = at
	}
}

// end closes a question.
func (w *waiting) end(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open--; w.open == 0 {
		w.sum += max(at.Sub(w.from), 0)
	}
}

// maxWorkers is how many calls of a batch run at the same time.
const maxWorkers = 8

// plan makes calls of the drafts of a reply: names and arguments are repaired
// where that is safe, and what cannot run is marked with the reason.
func (t *turn) plan(r *reply) []*callRun {
	used, seen := map[string]bool{}, map[string]bool{}
	for _, m := range t.history { // some services count the calls of each message from the beginning
		for _, c := range m.Calls {
			used[c.WireID] = true
		}
	}
	var calls []*callRun
	for _, d := range r.calls {
		c := &callRun{id: d.id}
		c.call = providers.Call{
			ID: string(d.id), WireID: wireID(d.wire, used, d.id), Name: d.name, Arguments: d.arguments.String(), Extra: d.extra,
		}
		if c.call.Name == "" {
			c.call.Name = toolName("") // it is stored and sent under some name
		}
		t.resolve(c)
		if twin := c.call.Name + "\x00" + c.call.Arguments; !seen[twin] { // the same call twice is a slip
			seen[twin] = true
			calls = append(calls, c)
		}
	}
	return calls
}

// resolve finds the tool of a call and reads its arguments.
func (t *turn) resolve(c *callRun) {
	tool, ok := t.tools.Lookup(c.call.Name)
	if !ok {
		if name, found := repair.Name(c.call.Name, t.tools.Names()); found {
			c.call.Name = name
			tool, ok = t.tools.Lookup(name)
		}
	}
	if !ok {
		c.unknown, c.fault = true, recovery.UnknownTool(c.call.Name, t.tools.Names())
		c.view = event.CallView{Kind: event.ViewGeneric, Name: c.call.Name}
		return
	}
	c.tool = tool
	fixed, verdict := repair.Arguments(c.call.Arguments)
	c.read = verdict
	if verdict != repair.Intact && verdict != repair.Tidied {
		c.fault = recovery.GarbledArguments
		c.view = event.CallView{Kind: event.ViewGeneric, Name: tool.Name}
		return
	}
	c.call.Arguments, c.args = fixed, json.RawMessage(fixed)
	c.view = t.view(tool, tools.View{Kind: tools.KindGeneric})
	if tool.Preview != nil {
		c.view = t.view(tool, tool.Preview(c.args))
	}
}

// planned records a call before anything of it happens.
func (c *callRun) planned(t *turn, message string, ordinal int) sessions.Effect {
	return sessions.CallPlanned{
		ID: string(c.id), Agent: string(t.Agent.id), Turn: string(t.id), Message: message, Ordinal: ordinal,
		WireID: c.call.WireID, Name: c.call.Name, Arguments: c.call.Arguments, At: t.conv.ids.Now(),
	}
}

// runBatch runs the calls of one message, side by side where that is safe, and
// stores their results in call order. However it ends, each call has a result.
func (t *turn) runBatch(ctx context.Context, calls []*callRun) error {
	var err error
	if t.parallel(calls) {
		err = t.runParallel(ctx, calls)
	} else {
		for _, c := range calls {
			if err = t.dispatch(ctx, c); err != nil {
				break
			}
		}
	}
	if err != nil {
		t.skip(calls, err)
	}
	if kept := t.keepResults(calls); kept != nil {
		return kept
	}
	return err
}

func (t *turn) parallel(calls []*callRun) bool {
	list := make([]tools.Call, len(calls))
	for i, c := range calls {
		if c.fault != "" {
			return false
		}
		list[i] = tools.Call{ID: string(c.id), Name: c.call.Name, Args: c.args}
	}
	return t.tools.Parallel(list)
}

// runParallel runs calls side by side. The first error stops the others.
func (t *turn) runParallel(parent context.Context, calls []*callRun) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxWorkers)
	errs := make([]error, len(calls))
	for i, c := range calls {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			defer func() {
				if r := recover(); r != nil {
					errs[i] = &panicError{value: r, stack: debug.Stack()}
					t.conv.report(errs[i])
					cancel(errs[i])
				}
			}()
			if errs[i] = t.dispatch(ctx, c); errs[i] != nil {
				cancel(errs[i])
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// skip gives a result to every call that has none, because the batch ended
// before they could run.
func (t *turn) skip(calls []*callRun, why error) {
	if s, ok := errors.AsType[*Stopped](why); ok {
		why = s // whatever was under way when it was stopped
	}
	for _, c := range calls {
		if c.recorded {
			continue
		}
		c.result = tools.Cancelled(tools.View{}, "Not run: "+why.Error()+".")
		c.outcome = event.OutcomeSkipped
		if !c.started.IsZero() {
			c.outcome = event.OutcomeCancelled
		}
		_ = t.record(c) // keepResults reports a store that refuses
	}
}

// keepResults stores the results as messages, in call order.
func (t *turn) keepResults(calls []*callRun) error {
	t.boundBatch(calls)
	var results []providers.Message
	for _, c := range calls {
		results = append(results, providers.Message{
			ID: string(t.conv.ids.Message()), Role: providers.Tool, Parts: t.resultParts(&c.result),
			CallID: string(c.id), CallName: c.call.Name, At: t.conv.ids.Now(),
		})
	}
	if err := t.conv.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id, Rows: t.rows(results...)}); err != nil {
		return err
	}
	t.history = append(t.history, results...)
	return nil
}

// answerOpenCalls gives a result to calls of the newest message that have none,
// after a panic in the turn.
func (t *turn) answerOpenCalls(why string) error {
	b := &journal.Batch{Agent: t.Agent.id, Session: t.session, Turn: t.id}
	var results []providers.Message
	for _, c := range openCalls(t.history) {
		results = append(results, providers.Message{
			ID: string(t.conv.ids.Message()), Role: providers.Tool, Parts: providers.TextParts(tools.JSON(map[string]string{"error": why})),
			CallID: c.ID, CallName: c.Name, At: t.conv.ids.Now(),
		})
		b.Events = append(b.Events, &event.ToolFinished{
			Call: event.CallID(c.ID), Outcome: event.OutcomeUnknown,
			View: event.CallView{Kind: event.ViewGeneric, Name: c.Name, Summary: why},
		})
	}
	if len(results) == 0 {
		return nil
	}
	b.Rows = t.rows(results...)
	if err := t.conv.com.Commit(b); err != nil {
		return err
	}
	t.history = append(t.history, results...)
	return nil
}
