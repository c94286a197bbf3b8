package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/agent/hooks"
	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// listener answers events and notes what it was told.
type listener struct {
	answers map[hooks.Event]func(in hooks.Input) hooks.Answer

	mu   sync.Mutex
	told []hooks.Input
}

func (*listener) Listens(hooks.Event) bool { return true }
func (*listener) Reload()                  {}
func (l *listener) Tell(in hooks.Input)    { _, _ = l.Run(context.Background(), in) }

func (l *listener) Run(_ context.Context, in hooks.Input) (hooks.Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, in)
	if answer := l.answers[in.Event]; answer != nil {
		return answer(in), nil
	}
	return hooks.Answer{}, nil
}

// heard names the events that it was told, in their order.
func (l *listener) heard() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
	for _, in := range l.told {
		list = append(list, in.Event.String())
	}
	return strings.Join(list, " ")
}

// listening makes a rig with hooks that answer.
func listening(t *testing.T, s *script.Scenario, answers map[hooks.Event]func(hooks.Input) hooks.Answer, opts ...option) (*rig, *listener) {
	l := &listener{answers: answers}
	return newRig(t, s, append(opts, func(c *agent.Config) { c.Hooks, c.Begins = l, "startup" })...), l
}

func always(a hooks.Answer) func(hooks.Input) hooks.Answer {
	return func(hooks.Input) hooks.Answer { return a }
}

// TestHookEvents holds which hooks run in a turn with a call, and in which order.
func TestHookEvents(t *testing.T) {
	r, l := listening(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "terminal"}, Steps: steps(script.Text{Text: "done"})},
		{Steps: steps(call("terminal", map[string]any{"command": "echo hi > made"}))},
	}}, nil, withMode(event.ModeManual))
	r.submit("go")
	r.answer(r.request(), event.Answer{Choice: event.ChoiceOnce})
	r.idle(1)
	want := "on_session_start user_prompt_submit pre_llm_call pre_api_request post_api_request pre_tool_call pre_approval_request notification post_approval_response " +
		"transform_terminal_output transform_tool_result post_tool_call pre_api_request post_api_request transform_llm_output stop post_llm_call on_session_end"
	r.until("the end was told", func(*event.State) bool { return strings.HasSuffix(l.heard(), "on_session_end") })
	if got := l.heard(); got != want {
		t.Errorf("hooks ran at\n%s, want\n%s", got, want)
	}
	r.submit("again")
	r.answer(r.request(), event.Answer{Choice: event.ChoiceOnce})
	r.idle(2)
	if n := strings.Count(l.heard(), "on_session_start"); n != 1 {
		t.Errorf("the session began %d times", n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, in := range l.told {
		if in.Event == hooks.PostToolCall && (in.More["status"] != "ok" || in.Tool != "terminal" || !strings.Contains(in.More["result"].(string), "exit_code")) {
			t.Errorf("after the call: %+v", in)
		}
		if in.Task != string(r.conv.Session()) {
			t.Errorf("%s is of the task %q", in.Event, in.Task)
		}
		if of := in.Tool != "" || in.Event == hooks.PreAPIRequest || in.Event == hooks.PostAPIRequest; of != (in.Request != "") || of && !strings.HasPrefix(in.Request, in.Turn+"-") {
			t.Errorf("%s is of the request %q of %s", in.Event, in.Request, in.Turn)
		}
		if in.Event == hooks.TransformTerminalOutput && in.More["env_type"] != "local" {
			t.Errorf("where it ran: %v", in.More["env_type"])
		}
	}
	history := func(e hooks.Event, n int) string {
		for _, in := range l.told {
			if in.Event == e {
				if n--; n == 0 {
					return fmt.Sprint(in.More["conversation_history"])
				}
			}
		}
		return "not told"
	}
	if first, second := history(hooks.PreLLMCall, 1), history(hooks.PreLLMCall, 2); first != "[]" || !strings.HasPrefix(second, "[map[content:go role:user] map[content: role:assistant tool_calls:[terminal]] map[content:") || !strings.HasSuffix(second, "map[content:done role:assistant]]") {
		t.Errorf("told before the first turn: %s\nbefore the second: %s", first, second)
	}
	if after := history(hooks.PostLLMCall, 1); !strings.HasSuffix(after, "map[content:done role:assistant]]") {
		t.Errorf("told after the turn: %s", after)
	}
}

// TestHookRefusesMessage keeps a refused message from the model, also after a resume.
func TestHookRefusesMessage(t *testing.T) {
	r, _ := listening(t, say(script.Text{Text: "Hello."}), map[hooks.Event]func(hooks.Input) hooks.Answer{
		hooks.UserPromptSubmit: func(in hooks.Input) (a hooks.Answer) {
			if strings.Contains(in.More["user_message"].(string), "secret") {
				a.Refused = "it names the project"
			}
			return a
		},
	})
	r.submit("the secret one")
	r.idle(1)
	if f := r.last(); f.Outcome != event.TurnFailed || !strings.Contains(f.Explain, "it names the project") {
		t.Errorf("the turn ends with %+v", f)
	}
	r.submit("hi")
	r.idle(2)
	r.wants("user the secret one", "user hi", "answer Hello.")
	for _, rec := range r.server.Requests() {
		if strings.Contains(string(rec.Body), "secret one") {
			t.Errorf("the model gets %s", rec.Body)
		}
	}
	past := r.revive()
	history, err := past.Recall(t.Context())
	if got := transcript(past.State); !strings.Contains(got, "the secret one") || len(history) != 2 || err != nil {
		t.Errorf("resumed, it is\n%s%+v, %v", got, history, err)
	}
}

// TestHookAsks has the user asked where the mode lets everything pass; what is forbidden
// stays forbidden, whatever a hook says.
func TestHookAsks(t *testing.T) {
	s := &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "write_file"}, Steps: steps(script.Text{Text: "over"})},
		{Steps: steps(call("write_file", map[string]any{"path": "a.txt", "content": "x"}))},
	}}
	r, _ := listening(t, s, map[hooks.Event]func(hooks.Input) hooks.Answer{hooks.PreToolCall: always(hooks.Answer{Ask: "writing on a Friday"})}, withMode(event.ModeOff))
	r.submit("go")
	q := r.request()
	if !strings.Contains(q.Approval.Reason, "is asked about by a hook: writing on a Friday") || len(q.Approval.Scopes) > 0 {
		t.Errorf("it is asked %+v", q.Approval)
	}
	r.answer(q, event.Answer{Choice: event.ChoiceDeny})
	r.idle(1)
	if _, err := os.Stat(filepath.Join(r.work, "a.txt")); err == nil {
		t.Error("it was written")
	}
	read := &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "search_files"}, Steps: steps(script.Text{Text: "over"})},
		{Steps: steps(call("search_files", map[string]any{"pattern": "x"}))},
	}}
	r, _ = listening(t, read, map[hooks.Event]func(hooks.Input) hooks.Answer{hooks.PreToolCall: always(hooks.Answer{Ask: "looking"})}, withMode(event.ModeOff))
	r.submit("go")
	r.answer(r.request(), event.Answer{Choice: event.ChoiceOnce})
	r.idle(1)
	r.wants("search_files", "answer over")
}

// TestHookReplaces puts what hooks say in the place of a result, an output and an answer,
// and adds to them. What a hook was to replace and did not is withheld.
func TestHookReplaces(t *testing.T) {
	s := func() *script.Scenario {
		return &script.Scenario{Name: "test", Rules: []script.Rule{
			{Match: script.Match{Tool: "terminal"}, Steps: steps(script.Text{Text: "The answer is 42."})},
			{Steps: steps(call("terminal", map[string]any{"command": "echo private"}))},
		}}
	}
	with := func(e hooks.Event, a hooks.Answer) map[hooks.Event]func(hooks.Input) hooks.Answer {
		return map[hooks.Event]func(hooks.Input) hooks.Answer{e: always(a)}
	}
	for name, c := range map[string]struct {
		answers     map[hooks.Event]func(hooks.Input) hooks.Answer
		result      string // what of it the model gets
		not, answer string
	}{
		"result":   {with(hooks.TransformToolResult, hooks.Answer{Text: new("nothing to see")}), "nothing to see", "private", "42"},
		"output":   {with(hooks.TransformTerminalOutput, hooks.Answer{Text: new("redacted\n")}), `"output":"redacted\n"`, "private", "42"},
		"withheld": {with(hooks.TransformToolResult, hooks.Answer{Refused: "the filter crashed"}), "Withheld. the filter crashed", "private", "42"},
		"context":  {with(hooks.PostToolCall, hooks.Answer{Context: []hooks.Text{{From: "x", Text: "lint failed"}}}), "[From a hook of the user:]\nlint failed", "Withheld", "42"},
		"answer":   {with(hooks.TransformLLMOutput, hooks.Answer{Text: new("No comment.")}), "private", "Withheld", "No comment."},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := listening(t, s(), c.answers, withMode(event.ModeOff))
			r.submit("go")
			r.idle(1)
			if got := r.onlyResult(); !strings.Contains(got, c.result) || strings.Contains(got, c.not) {
				t.Errorf("the model gets %s", got)
			}
			r.wants("answer ", c.answer)
			if rows := r.messages(); !strings.Contains(rows[len(rows)-1].Content, c.answer) {
				t.Errorf("stored is %q", rows[len(rows)-1].Content)
			}
		})
	}
}

// TestHookLetsGoOn has a turn go on with what a hook says, not for ever.
func TestHookLetsGoOn(t *testing.T) {
	n := 0
	r, l := listening(t, say(script.Text{Text: "Done."}), map[hooks.Event]func(hooks.Input) hooks.Answer{
		hooks.Stop: func(in hooks.Input) (a hooks.Answer) {
			if n++; n == 1 {
				a.GoOn = "run the tests"
			}
			return a
		},
	})
	r.submit("go")
	r.idle(1)
	r.wants("user go", "answer Done.", "user run the tests", "answer Done.")
	if rows := r.messages(); len(rows) != 4 || rows[2].Role != string(providers.User) || !strings.Contains(rows[2].Content, "run the tests") {
		t.Errorf("stored are %+v", rows)
	}
	l.mu.Lock()
	stops := slices.DeleteFunc(slices.Clone(l.told), func(in hooks.Input) bool { return in.Event != hooks.Stop })
	l.mu.Unlock()
	if len(stops) != 2 || stops[0].More["stop_hook_active"] != false || stops[1].More["stop_hook_active"] != true {
		t.Errorf("they were told %+v", stops)
	}
	if history, err := r.revive().Recall(t.Context()); len(history) != 4 || err != nil {
		t.Errorf("resumed, it has %d messages, %v", len(history), err)
	}

	r, l = listening(t, say(script.Text{Text: "Done."}), map[hooks.Event]func(hooks.Input) hooks.Answer{hooks.Stop: always(hooks.Answer{GoOn: "more"})})
	r.submit("go")
	r.idle(1)
	if n := strings.Count(l.heard(), " stop"); n != 9 {
		t.Errorf("asked %d times", n)
	}
	r.wants("wants this turn to go on for the 9th time")
}

// TestHookChangesCall tells the model what ran instead of what it wrote.
func TestHookChangesCall(t *testing.T) {
	r, _ := listening(t, &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "terminal"}, Steps: steps(script.Text{Text: "over"})},
		{Steps: steps(call("terminal", map[string]any{"command": "touch asked"}))},
	}}, map[hooks.Event]func(hooks.Input) hooks.Answer{
		hooks.PreToolCall: always(hooks.Answer{Args: json.RawMessage(`{"command":"touch other","timeout":"30"}`)}),
	}, withMode(event.ModeOff))
	r.submit("go")
	r.idle(1)
	if got := r.onlyResult(); !strings.Contains(got, "This ran instead:]\n") || !strings.Contains(got, `touch other`) {
		t.Errorf("the model gets %s", got)
	}
	if _, err := os.Stat(filepath.Join(r.work, "other")); err != nil {
		t.Error(err)
	}
}

// TestHookOfSubagent says whose subagent one is, and which session its calls belong to.
func TestHookOfSubagent(t *testing.T) {
	l := &listener{}
	r := newFamily(t, limits(), &script.Scenario{Name: "test", Rules: []script.Rule{
		{Match: script.Match{Tool: "delegate_task"}, Steps: steps(script.Text{Text: "both done"})},
		{Match: script.Match{User: "Your task:"}, Steps: steps(script.Text{Text: "small"})},
		{Steps: steps(call("delegate_task", map[string]any{"goal": "count"}))},
	}}, func(c *agent.Config) { c.Hooks = l })
	r.submit("go")
	r.idle(1)
	r.until("its end was told", func(*event.State) bool { return strings.HasSuffix(l.heard(), "on_session_end") })
	l.mu.Lock()
	defer l.mu.Unlock()
	turn, child := "", ""
	for _, in := range l.told {
		switch in.Event {
		case hooks.UserPromptSubmit:
			turn = in.Turn
		case hooks.SubagentStart:
			child, _ = in.More["child_session_id"].(string)
		}
	}
	heard := 0
	for _, in := range l.told {
		switch {
		case in.Event == hooks.SubagentStart || in.Event == hooks.SubagentStop:
			heard++
			if in.More["parent_turn_id"] != turn || turn == "" || in.More["parent_session_id"] != string(r.conv.Session()) || in.Task != child || child == "" {
				t.Errorf("%s of the turn %q: %+v", in.Event, turn, in)
			}
		case in.Event == hooks.PreAPIRequest && in.Agent != "":
			heard++
			if in.Task != child || in.Turn == turn {
				t.Errorf("a request of the subagent: %+v", in)
			}
		}
	}
	if heard != 3 {
		t.Errorf("%d events of the subagent: %s", heard, l.heard())
	}
}
