package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/providers/script"
	settings "hermes-tui/store/config"
	"hermes-tui/tools/approval"
	tool "hermes-tui/tools/delegate"
	"hermes-tui/tools/place"
	"hermes-tui/tools/process"
	"hermes-tui/tools/shellrisk"
)

// limits are those of most families of these tests.
func limits() delegate.Limits {
	return delegate.Limits{Concurrent: 3, Background: 2, Depth: 2, Orchestrators: true, Iterations: 20}
}

// newFamily starts a conversation whose agents can have subagents.
func newFamily(t testing.TB, l delegate.Limits, s *script.Scenario, opts ...option) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
	r.serve(s)
	r.openStore()
	r.start(nil, append([]option{r.family(l)}, opts...)...)
	return r
}

// family gives a conversation subagents with real tools, all in its workspace.
func (r *rig) family(l delegate.Limits, alter ...func(*bind.ToolOptions)) option {
	return func(c *agent.Config) {
		c.Delegation = l
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "LANG=C.UTF-8"}
		here, err := place.NewLocal(place.Options{Env: env, Home: r.dir})
		r.check(err)
		work, err := here.FS().Resolve(r.work)
		r.check(err)
		jobs := process.New(process.Options{Place: here, Now: r.ids.Now})
		equip := func(id event.AgentID, depth int, only []string) *bind.Tools {
			o := bind.ToolOptions{
				Settings: settings.Config{Toolsets: []string{"hermes-cli"}}, Place: here, Root: work, Private: r.dir, Env: env, Jobs: jobs, Only: only,
				Agent: string(id), Now: r.ids.Now,
			}
			if depth < l.Depth {
				o.Delegate = bind.Delegate(bind.DelegateOptions{
					SpawnOptions: bind.SpawnOptions{
						Conv: func() *agent.Conversation { return r.conv }, Agent: id, Model: func() string { return "model" }, Random: r.ids.Random,
					},
					MaxTasks: max(l.Concurrent, 60), Background: l.Background, Orchestrators: l.Orchestrators && depth+1 < l.Depth,
					Tool: tool.Options{Now: r.ids.Now},
				})
			}
			for _, f := range alter {
				f(&o)
			}
			box, _, err := bind.Toolbox(o)
			r.check(err)
			return box
		}
		root := equip(c.Root, 0, nil)
		r.t.Cleanup(func() { r.check(errors.Join(jobs.Close(context.Background(), false), root.Close())) })
		c.Tools = root
		seal, _, err := bind.OpenSeal(context.Background(), filepath.Join(r.dir, "grants.key"))
		r.check(err)
		c.Gate = approval.New(approval.Options{Place: here, Home: r.dir, HermesHome: r.dir, Workspace: work, Grants: bind.Grants(r.db, r.ids, seal), Rules: func() *shellrisk.Rules { return r.rules }})
		c.Children = func(_ context.Context, s agent.ChildSpec) (agent.Child, error) {
			box := equip(s.ID, s.Depth, append([]string{}, s.Tools...))
			b := *c.Prompt.(*prompt.Builder)
			b.Guidance = box.Guidance
			return agent.Child{
				Tools: box, Runtime: s.Parent, Close: box.Close, Assignment: prompt.Assignment(s.Goal, s.Context, work),
				Prompt: &prompt.Subagent{Builder: &b, Orchestrator: s.Orchestrator, Depth: s.Depth, MaxDepth: l.Depth},
			}, nil
		}
	}
}

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
}

// hand is a call that delegates tasks.
func hand(goals ...string) script.Call {
	var tasks []any
	for _, g := range goals {
		tasks = append(tasks, map[string]any{"goal": g})
	}
	return call("delegate_task", map[string]any{"tasks": tasks})
}

// on is a rule for whoever has a goal, at a number of tool results since.
func on(goal string, results int, s ...script.Step) script.Rule {
	return script.Rule{Match: script.Match{User: goal, Results: &results}, Steps: s}
}

func scenario(rules ...script.Rule) *script.Scenario {
	return &script.Scenario{Name: "family", Rules: rules}
}

// child finds the subagent with a goal.
func (r *rig) child(goal string) *event.Agent {
	for _, a := range r.state.Agents {
		if a.Goal == goal {
			return a
		}
	}
	return nil
}

// childIs waits until the subagent with a goal is in a state.
func (r *rig) childIs(goal string, want event.AgentState) *event.Agent {
	r.t.Helper()
	r.until(goal+" is "+string(want), func(*event.State) bool {
		a := r.child(goal)
		return a != nil && a.State == want
	})
	return r.child(goal)
}

// same checks that the journal folds to what is on the screen.
func (r *rig) same() {
	r.t.Helper()
	if d := differ(normalState(r.state), normalState(r.revive().State)); d != "" {
		r.t.Errorf("the screen and the journal differ: %s", d)
	}
}

// kin describes the subagents, one line each.
func (r *rig) kin() string {
	text := ""
	for _, a := range r.state.Agents {
		if a.Parent != "" {
			text += fmt.Sprintf("%s %s is %s %s: %s %s\n", a.ID, a.Goal, a.State, a.On, a.Summary, a.Error)
		}
	}
	return text
}
