package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/providers/transport"
)

// cast says what each agent of a family answers, by its goal, which is empty for
// the root: to its first request, to its second and so on. The last one is
// repeated.
type cast map[string][]func(*ask)

func (c cast) answer(a *ask) {
	parts := c[a.goal()]
	if len(parts) == 0 {
		a.fail(400, "nothing is written down for "+a.goal())
		return
	}
	parts[min(a.answers(), len(parts)-1)](a)
}

// newCast starts a family whose model is a cast.
func newCast(t testing.TB, l delegate.Limits, c cast, opts ...option) (*rig, *unruly) {
	t.Helper()
	u := serveUnruly(t, c.answer)
	r := newFamily(t, l, say(), append([]option{withMode(event.ModeOff), at(t, u.url)}, opts...)...)
	return r, u
}

// at lets a conversation talk to another server.
func at(t testing.TB, url string) option {
	return func(c *agent.Config) { c.Runtime.Client = clientOf(t, url, transport.Options{}) }
}

// goal is the task of the subagent that asks, empty for the root.
func (a *ask) goal() string {
	for _, m := range a.Messages {
		if m.Role == "user" {
			rest, is := strings.CutPrefix(m.text(), "Your task:\n")
			if !is {
				return ""
			}
			goal, _, _ := strings.Cut(rest, "\n\n")
			return goal
		}
	}
	return ""
}

// answers is how many answers of the model are in the history.
func (a *ask) answers() int {
	n := 0
	for _, m := range a.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

// last is the text of the newest message with a role.
func (a *ask) last(role string) string {
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if a.Messages[i].Role == role {
			return a.Messages[i].text()
		}
	}
	return ""
}

// holds waits until a gate is opened, or the client has left.
func (a *ask) holds(gate <-chan struct{}) {
	select {
	case <-gate:
	case <-a.r.Context().Done():
	}
}

func says(text string) func(*ask) { return func(a *ask) { a.say(text) } }

// wire is a call as it is streamed.
type wire struct {
	name string
	args map[string]any
}

// calls is an answer that makes calls.
func calls(list ...wire) func(*ask) {
	return func(a *ask) {
		var events []string
		for i, c := range list {
			args, err := json.Marshal(c.args)
			if err != nil {
				panic(err)
			}
			events = append(events, callEvent(i, fmt.Sprintf("w%d-%d", a.answers(), i), c.name, string(args)))
		}
		a.stream(append(events, endEvent("tool_calls"), "[DONE]")...)
	}
}

// runs is a call of a command.
func runs(command string) wire { return wire{"terminal", map[string]any{"command": command}} }

// hands is a call that delegates tasks.
func hands(goals ...string) wire {
	var tasks []any
	for _, g := range goals {
		tasks = append(tasks, map[string]any{"goal": g})
	}
	return wire{"delegate_task", map[string]any{"tasks": tasks}}
}

// nests is a call that delegates a task which may be delegated further.
func nests(goal string) wire {
	return wire{"delegate_task", map[string]any{"goal": goal, "role": "orchestrator"}}
}

// behind is a call that delegates a task no one waits for.
func behind(goal string) wire {
	return wire{"delegate_task", map[string]any{"goal": goal, "background": true}}
}

// untilFile is a command that ends when a file of the workspace is there.
func untilFile(name string) string {
	return "echo " + name + " >> started; until [ -e " + name + " ]; do sleep 0.01; done"
}

// count is how many requests the subagent with a goal has sent, or the root.
func (u *unruly) count(goal string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := 0
	for _, raw := range u.bodies {
		a := &ask{}
		if json.Unmarshal(raw, &a.sent) == nil && a.goal() == goal {
			n++
		}
	}
	return n
}

// outcome is what a call of delegate_task gives the model.
type outcome struct {
	Results []struct {
		Status, Summary, Error string
		Index                  int                             `json:"task_index"`
		Exit                   string                          `json:"exit_reason"`
		Stale                  []string                        `json:"stale_paths"`
		Trace                  []struct{ Tool, Status string } `json:"tool_trace"`
	}
	Status, Error string
}

// outcomes are what the calls of delegate_task gave that an agent has made; a call
// that failed as a whole has no results.
func (r *rig) outcomes(session event.SessionID) []outcome {
	r.t.Helper()
	rows, err := r.db.Messages(r.t.Context(), string(session))
	r.check(err)
	var list []outcome
	for _, m := range rows {
		if m.Role != "tool" || m.ToolName != "delegate_task" {
			continue
		}
		var o outcome
		if err := json.Unmarshal([]byte(m.Content), &o); err != nil {
			r.t.Errorf("the result of delegate_task is no JSON: %v\n%.2000s", err, m.Content)
		}
		list = append(list, o)
	}
	return list
}

// result is what became of the only call of delegate_task of the root.
func (r *rig) result() outcome {
	r.t.Helper()
	list := r.outcomes(r.conv.Session())
	if len(list) != 1 {
		r.t.Fatalf("%d results of delegate_task:\n%s", len(list), r.dump())
	}
	return list[0]
}

// await follows the conversation until something is true that no event tells.
func (r *rig) await(what string, ok func() bool) {
	r.t.Helper()
	ends := time.Now().Add(patience)
	for !ok() {
		ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Millisecond)
		events, _ := r.conv.Next(ctx) // it may well be that nothing happens
		cancel()
		for _, e := range events {
			r.state.Apply(e)
		}
		r.log = append(r.log, events...)
		if time.Now().After(ends) {
			r.t.Fatalf("waiting until %s:\n%s", what, r.dump()+r.kin())
		}
	}
}

// again closes the conversation and goes on with it.
func (r *rig) again(opts ...option) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.check(r.conv.Close(ctx))
	r.start(r.revive(), opts...)
}

// sound checks what holds of every family at rest: the requests and what is stored
// are valid, the journal folds to what is on the screen, and every subagent has
// begun and ended once, after all below it.
func (r *rig) sound(u *unruly) {
	r.t.Helper()
	u.requests(r.t)
	for _, a := range r.state.Agents {
		if a.Session == "" {
			continue
		}
		rows, err := r.db.Messages(r.t.Context(), string(a.Session))
		r.check(err)
		if err := checkRows(rows); err != nil {
			r.t.Errorf("the stored history of %q is not valid: %v", a.Goal, err)
		}
	}
	if err := r.lives(); err != nil {
		r.t.Error(err)
	}
	r.same()
}
