package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/providers/transport"
)

// chatWire is a request as it is on the wire.
type chatWire struct {
	Tools []struct {
		Function struct{ Name string }
	}
	Messages []struct {
		Role      string
		Content   json.RawMessage
		Reasoning json.RawMessage `json:"reasoning_content"`
		CallID    string          `json:"tool_call_id"`
		Calls     []struct {
			ID    string
			Extra json.RawMessage `json:"extra_content"`
		} `json:"tool_calls"`
	}
}

func (w *chatWire) tool(name string) int {
	return slices.IndexFunc(w.Tools, func(t struct{ Function struct{ Name string } }) bool { return t.Function.Name == name })
}

// ids reports whether all ids of calls match.
func (w *chatWire) ids(pattern string) bool {
	re := regexp.MustCompile(pattern)
	for _, m := range w.Messages {
		if m.CallID != "" && !re.MatchString(m.CallID) {
			return false
		}
		for _, c := range m.Calls {
			if !re.MatchString(c.ID) {
				return false
			}
		}
	}
	return true
}

// alternate reports whether user and assistant take turns, but for calls and results.
func (w *chatWire) alternate() bool {
	last := ""
	for _, m := range w.Messages {
		if m.Role == "system" || m.Role == "tool" || len(m.Calls) > 0 {
			continue
		}
		if m.Role == last {
			return false
		}
		last = m.Role
	}
	return true
}

// judged serves a model that calls a tool once and then answers. Before that it refuses what
// a judge does not like: with a status and a body, nothing for what is fine.
func judged(t *testing.T, delta string, judge func(*chatWire) (int, string)) (u *unruly, refused *int) {
	t.Helper()
	refused = new(int)
	return serveUnruly(t, func(a *ask) {
		raw := a.raw
		var w chatWire
		if err := json.Unmarshal(raw, &w); err != nil {
			t.Error(err)
		}
		if status, body := judge(&w); status != 0 {
			*refused++
			a.w.Header().Set("Content-Type", "application/json")
			a.w.WriteHeader(status)
			a.put(body)
			return
		}
		a.open()
		if delta != "" && w.Messages[len(w.Messages)-1].Role == "user" && len(w.Messages) < 4 {
			a.put("data: " + `{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n")
			a.put(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n")
			return
		}
		a.put(`data: {"choices":[{"index":0,"delta":{"content":"Fine."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	}), refused
}

func oneCall(id, more string) string {
	return `{"role":"assistant"` + more + `,"tool_calls":[{"index":0,"id":"` + id + `","type":"function","function":{"name":"todo","arguments":"{}"}}]}`
}

// TestRefusedPart refuses one part of a request as services do. The turn goes on without it,
// or with it in another form, after one refusal, and so does the session after none.
func TestRefusedPart(t *testing.T) {
	for name, c := range map[string]struct {
		delta   string
		judge   func(*chatWire) (int, string)
		refused int
		notice  string
	}{
		"a tool by its name": {judge: func(w *chatWire) (int, string) {
			if i := w.tool("write_file"); i >= 0 {
				return 400, fmt.Sprintf(`{"error":{"message":"Invalid schema for function 'write_file': schema must have type 'object' and not have 'oneOf' at the top level.","type":"invalid_request_error","param":"tools[%d].function.parameters","code":"invalid_function_parameters"}}`, i)
			}
			return 0, ""
		}, refused: 1, notice: "refuses the tool write_file"},
		"a tool by its number": {judge: func(w *chatWire) (int, string) {
			if i := w.tool("write_file"); i >= 0 {
				return 400, fmt.Sprintf(`{"type":"error","error":{"message":"tools.%d.custom.input_schema: JSON schema is invalid.","type":"invalid_request_error"}}`, i)
			}
			return 0, ""
		}, refused: 1, notice: "refuses the tool write_file"},
		"a tool by its declaration": {judge: func(w *chatWire) (int, string) {
			if i := w.tool("todo"); i >= 0 {
				return 400, fmt.Sprintf(`[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[%d].parameters.properties[x].items: missing field.","status":"INVALID_ARGUMENT"}}]`, i)
			}
			return 0, ""
		}, refused: 1, notice: "refuses the tool todo"},
		"a tool, counted from 1": {judge: func(w *chatWire) (int, string) {
			if i := w.tool("patch"); i >= 0 {
				return 400, fmt.Sprintf(`{"message":"1 validation error detected: Value at 'toolConfig.tools.%d.member.toolSpec.inputSchema' failed to satisfy constraint"}`, i+1)
			}
			return 0, ""
		}, refused: 1, notice: "refuses the tool patch"},
		"two tools": {judge: func(w *chatWire) (int, string) {
			for _, n := range []string{"patch", "write_file"} {
				if w.tool(n) >= 0 {
					return 422, `{"error":{"message":"tool '` + n + `': unsupported schema"}}`
				}
			}
			return 0, ""
		}, refused: 2, notice: "refuses the tool patch"},
		"too many tools": {judge: func(w *chatWire) (int, string) {
			if n := len(w.Tools); n > 5 {
				return 400, fmt.Sprintf(`{"error":{"message":"Invalid 'tools': array too long. Expected an array with maximum length 5, but got an array with length %d instead.","param":"tools","code":"array_above_max_length"}}`, n)
			}
			return 0, ""
		}, refused: 1, notice: "takes 5 tools"},
		"ids of nine": {delta: oneCall("functions.read_file:0", ""), judge: func(w *chatWire) (int, string) {
			if !w.ids(`^[A-Za-z0-9]{9}$`) {
				return 400, `{"object":"error","message":"Tool call id was functions.read_file:0 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","param":null,"code":"3280"}`
			}
			return 0, ""
		}, refused: 1},
		"long ids": {delta: oneCall("call_005AKQn2j5TEr4S6i3zNN59moT.call_005AKQn2j5TEr4S6i3zNN59moT", ""), judge: func(w *chatWire) (int, string) {
			if !w.ids(`^[A-Za-z0-9_-]{1,40}$`) {
				return 400, `{"error":{"message":"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 43 instead."}}`
			}
			return 0, ""
		}},
		"roles": {delta: oneCall("c1", ""), judge: func(w *chatWire) (int, string) {
			if !w.alternate() {
				return 500, `{"error":{"code":500,"message":"Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.","type":"server_error"}}`
			}
			return 0, ""
		}},
		"a signature": {delta: oneCall("c1", ""), judge: func(w *chatWire) (int, string) {
			for _, m := range w.Messages {
				if len(m.Calls) > 0 && !strings.Contains(string(m.Calls[0].Extra), "thought_signature") {
					return 400, `[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]`
				}
			}
			return 0, ""
		}, refused: 1},
		"reasoning": {delta: oneCall("c1", ""), judge: func(w *chatWire) (int, string) {
			for i, m := range w.Messages {
				if len(m.Calls) > 0 && m.Reasoning == nil {
					return 400, fmt.Sprintf(`{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index %d","type":"invalid_request_error"}}`, i)
				}
			}
			return 0, ""
		}, refused: 1},
		"reasoning that is none of its own": {delta: oneCall("c1", `,"reasoning_content":"Hm."`), judge: func(w *chatWire) (int, string) {
			for i, m := range w.Messages {
				if m.Reasoning != nil {
					return 422, fmt.Sprintf(`{"detail":[{"type":"extra_forbidden","loc":["body","messages",%d,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]}`, i)
				}
			}
			return 0, ""
		}, refused: 1},
	} {
		t.Run(name, func(t *testing.T) {
			u, refused := judged(t, c.delta, c.judge)
			r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), withMode(event.ModeOff), func(cfg *agent.Config) {
				cfg.Runtime.Client = clientOf(t, u.url, transport.Options{})
			})
			for n := 1; n <= 2; n++ {
				r.submit(fmt.Sprint("go ", n))
				r.idle(n)
				if end := r.last(); end.Outcome != event.TurnCompleted {
					t.Fatalf("turn %d: %+v", n, end)
				}
				if *refused != c.refused {
					t.Errorf("turn %d: %d refusals, want %d", n, *refused, c.refused)
				}
			}
			if c.notice != "" {
				r.wants(c.notice)
			}
			if got := r.countRetries(); got > 0 {
				t.Errorf("%d waits", got)
			}
		})
	}
}

// withFallback has another service behind the first.
func withFallback(t *testing.T, url string) option {
	return func(cfg *agent.Config) {
		rt := cfg.Runtime
		cfg.Fallbacks = []agent.Fallback{{Name: "other", Open: func(context.Context) (agent.Runtime, error) {
			other := rt
			other.Model.Name, other.Client = "other", clientOf(t, url, transport.Options{})
			return other, nil
		}}}
	}
}

// TestUnreadableCall has a service that cannot read the calls of its model. The model is told,
// by the same service, without a wait, and the turn ends when that does not help.
func TestUnreadableCall(t *testing.T) {
	const groq = `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=read_file{\"path\": \"a\"}</function>"}}`
	for name, c := range map[string]struct {
		status int
		body   string
		stream string // before the body, which then is one
		times  int
		want   string // of the model's word
	}{
		"failed generation":    {status: 400, body: groq, times: 1, want: "adjust your prompt"},
		"another type":         {status: 400, body: "{\"error\":{\"message\":\"tool call validation failed: parameters for tool read_file did not match schema: errors: [`/offset`: expected integer, but got string]\"}}", times: 1, want: "expected integer"},
		"no such tool":         {status: 400, body: `{"error":{"message":"attempted to call tool 'listFiles' which was not in request.tools"}}`, times: 2, want: "listFiles"},
		"in the stream":        {status: 200, stream: `data: {"choices":[{"index":0,"delta":{"content":"I look."},"finish_reason":null}]}` + "\n\nevent: error\ndata: ", body: groq, times: 1, want: "adjust your prompt"},
		"parser of the server": {status: 500, body: `{"error":{"message":"XML syntax error on line 7: element <parameter> closed by </function>","type":"api_error","param":null,"code":null}}`, times: 2, want: "XML syntax error"},
		"bare in the stream":   {status: 200, stream: `data: {"choices":[{"index":0,"delta":{"content":"I look."},"finish_reason":null}]}` + "\n\n", body: `{"error":{"message":"XML syntax error on line 7: element <parameter> closed by </function>","type":"api_error"}}`, times: 1, want: "XML syntax error"},
		"for ever":             {status: 500, body: `{"error":{"message":"error parsing tool call: raw='{\"path\": ', err=unexpected end of JSON input"}}`, times: 99, want: "parsing tool call"},
	} {
		t.Run(name, func(t *testing.T) {
			u := serveUnruly(t, nil)
			n := 0
			u.answer = func(a *ask) {
				if n++; n > c.times {
					a.open()
					a.put(`data: {"choices":[{"index":0,"delta":{"content":"Fine."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
					return
				}
				a.w.Header().Set("Content-Type", "application/json")
				if c.stream != "" {
					a.w.Header().Set("Content-Type", "text/event-stream")
				}
				a.w.WriteHeader(c.status)
				a.put(c.stream + c.body + "\n\n")
			}
			other := serveUnruly(t, func(a *ask) { a.w.WriteHeader(http.StatusTeapot) })
			r := newRig(t, &script.Scenario{Name: "unused"}, patient(3), withMode(event.ModeOff), withFallback(t, other.url), func(cfg *agent.Config) {
				cfg.Runtime.Client = clientOf(t, u.url, transport.Options{})
			})
			r.submit("go")
			r.idle(1)
			if c.times > 3 {
				if end := r.last(); end.Outcome != event.TurnFailed || n != 3 || other.requests(t) == 0 {
					t.Fatalf("%d requests: %+v", n, end)
				}
				return
			}
			if end := r.last(); end.Outcome != event.TurnCompleted || n != c.times+1 || other.requests(t) != 0 {
				t.Fatalf("%d requests, %d elsewhere: %+v", n, other.requests(t), end)
			}
			if body := string(u.body(c.times)); !strings.Contains(body, "could not read the tool call") || !strings.Contains(body, c.want) {
				t.Errorf("the model was not told: %s", body)
			}
			if n := strings.Count(r.dump(), "I look."); c.stream != "" && n != 1 {
				t.Errorf("%d times the text:\n%s", n, r.dump())
			}
		})
	}
}
