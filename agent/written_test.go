package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
)

// answering serves one answer as content in pieces of three bytes, and another one once the
// model was told that its call is text.
func answering(t *testing.T, first, then string) *unruly {
	return serveUnruly(t, func(a *ask) {
		text := first
		if then != "" && strings.Contains(string(a.raw), "held a tool call as text") {
			text = then
		}
		a.open()
		for text != "" {
			n := min(3, len(text))
			data, _ := json.Marshal(text[:n])
			a.put(`data: {"choices":[{"index":0,"delta":{"content":` + string(data) + `},"finish_reason":null}]}` + "\n\n")
			text = text[n:]
		}
		a.put(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	})
}

// TestWrittenCalls has a server pass calls on as text. The model is told twice, and then the
// turn ends with what is wrong at the server. What only explains such calls is an answer.
func TestWrittenCalls(t *testing.T) {
	for name, c := range map[string]struct {
		prompt, text string
		call         bool
	}{
		"closed":            {text: "I'll look.\n\n<function=read_file>\n<parameter=path>\nREADME.md\n</parameter>\n</function>\n</tool_call>", call: true},
		"cut":               {text: "I'll look.\n\n<function=read_file>\n<parameter=path>\nREADME.md\n</parameter>\n", call: true},
		"JSON":              {text: `{"name": "terminal", "arguments": {"command": "ls"}}`, call: true},
		"JSON behind words": {text: "I'll look.\n\n" + `{"type": "function", "name": "terminal", "parameters": {"command": "ls"}}`, call: true},
		"JSON in a fence":   {text: "Running:\n```json\n" + `{"name": "terminal", "arguments": {"command": "ls"}}` + "\n```\n", call: true},
		"list of JSON":      {text: `[{"name": "terminal", "arguments": "{\"command\": \"ls\"}"}]`, call: true},
		"wrapped":           {text: `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}]}`, call: true},
		"mistral":           {text: `[TOOL_CALLS]terminal{"command": "ls"}`, call: true},
		"mistral, a list":   {text: `I look. [TOOL_CALLS] [{"name": "terminal", "arguments": {"command": "ls"}}]`, call: true},
		"llama":             {text: `<|python_tag|>terminal.call(command="ls")`, call: true},
		"llama, a list":     {text: `[terminal(command="ls")]`, call: true},
		"harmony":           {text: `<|channel|>commentary to=functions.terminal <|constrain|>json<|message|>{"command":"ls"}<|call|>`, call: true},
		"name and JSON":     {text: `terminal{"command": "ls"}`, call: true},
		"name, JSON below":  {text: "functions.terminal:0\n{\"command\": \"ls\"}", call: true},
		"action":            {text: "Thought: look.\nAction: terminal\nAction Input: {\"command\": \"ls\"}", call: true},
		"tags alone":        {text: "<tool_call>\n{\"name\": \"terminal\", \"arguments\": {}}\n</tool_call>", call: true},

		"explained in a fence":   {text: "Such a call looks like this:\n```json\n" + `{"name": "terminal", "arguments": {"command": "ls"}}` + "\n```\nThe server reads it."},
		"explained at the end":   {text: "The syntax of a call, for example:\n```json\n" + `{"name": "terminal", "arguments": {"command": "ls"}}` + "\n```"},
		"explained in backticks": {text: "Mistral writes `[TOOL_CALLS]terminal{}` and Llama `<|python_tag|>`."},
		"a fence with tags":      {text: "Qwen writes\n```\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n```\n"},
		"JSON that was asked":    {prompt: "answer with JSON that fits this JSON Schema", text: `{"name": "terminal", "arguments": {"command": "ls"}}`},
		"other JSON":             {text: `{"name": "Ann", "arguments": {"for": "x"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if c.prompt == "" {
				c.prompt = "go"
			}
			rig := func(u *unruly) *rig {
				return newRig(t, &script.Scenario{Name: "unused"}, patient(3), withMode(event.ModeOff), func(cfg *agent.Config) {
					cfg.Runtime.Client = clientOf(t, u.url, transport.Options{})
				})
			}
			u := answering(t, c.text, "")
			r := rig(u)
			r.submit(c.prompt)
			r.idle(1)
			end := r.last()
			if !c.call {
				if end.Outcome != event.TurnCompleted || u.requests(t) != 1 {
					t.Errorf("%d requests: %+v", u.requests(t), end)
				}
				return
			}
			if end.Outcome != event.TurnFailed || !strings.Contains(end.Explain, "tool parser") || u.requests(t) != 3 {
				t.Errorf("%d requests: %+v", u.requests(t), end)
			}
			for _, left := range []string{"</tool_call>", "arguments", "[TOOL_CALLS]", "<|", "terminal"} {
				if strings.Contains(r.dump(), left) {
					t.Errorf("%s is seen:\n%s", left, r.dump())
				}
			}
			u = answering(t, c.text, "Fine.")
			r = rig(u)
			r.submit(c.prompt)
			r.idle(1)
			if end := r.last(); end.Outcome != event.TurnCompleted || u.requests(t) != 2 {
				t.Errorf("told: %d requests: %+v", u.requests(t), end)
			}
		})
	}
}

// TestThinkingThatWasNotOpened makes reasoning of what stands before a lone closing tag.
func TestThinkingThatWasNotOpened(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"lines":          {"The user greets me. Keep it short.\n</think>\n\nHello!", "answer Hello!"},
		"behind a line":  {"The user greets me.</think>\n\nHello!", "answer Hello!"},
		"other name":     {"The user greets me.\n</thinking>\nHello!", "answer Hello!"},
		"at the end":     {"Hello!\n</think>", "answer Hello!"},
		"opened as well": {"<think>a</think>Hello,\n</think>\nyou!", "answer Hello,\nyou!"},
		"in code":        {"It ends:\n```\n</think>\n```\nso.", "answer It ends:\n```\n</think>\n```\nso."},
	} {
		t.Run(name, func(t *testing.T) {
			u := answering(t, c.text, "")
			r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), func(cfg *agent.Config) {
				cfg.Runtime.Client = clientOf(t, u.url, transport.Options{})
			})
			r.submit("hi")
			r.idle(1)
			r.wants(strings.ReplaceAll(c.want, "\n", "⏎"))
			if rows := r.messages(); len(rows) != 2 || "answer "+rows[1].Content != c.want {
				t.Errorf("stored %+v", rows)
			}
		})
	}
}
