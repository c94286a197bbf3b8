package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"hermes-tui/agent/event"
)

// speaker answers in one of the protocols: a turn's first request with a call of the
// tool for tasks, the next with a text.
type speaker struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

// tongue is how a protocol writes an answer.
type tongue struct {
	path  string // of requests, a part of it
	frame func(kind, body string) []byte
	call  [][2]string // kind and body of events; %s is the arguments as a JSON text
	text  [][2]string
	// sends is the header with the credential, and what it holds.
	header, value string
}

// events writes events as text.
func events(kind, body string) []byte {
	if kind == "" {
		return []byte("data: " + body + "\n\n")
	}
	return []byte("event: " + kind + "\ndata: " + body + "\n\n")
}

// frames writes events as Amazon does.
func frames(kind, body string) []byte {
	var out bytes.Buffer
	m := eventstream.Message{Payload: []byte(body)}
	for name, value := range map[string]string{":message-type": "event", ":event-type": kind, ":content-type": "application/json"} {
		m.Headers.Set(name, eventstream.StringValue(value))
	}
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err)
	}
	return out.Bytes()
}

var tongues = map[string]tongue{
	"chat": {
		path: "/v1/chat/completions", frame: events, header: "Authorization", value: "Bearer a-key",
		call: [][2]string{
			{"", `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"todo","arguments":%s}}]}}]}`},
			{"", `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`}, {"", "[DONE]"},
		},
		text: [][2]string{
			{"", `{"choices":[{"index":0,"delta":{"content":"All noted."},"finish_reason":"stop"}]}`},
			{"", `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7}}`}, {"", "[DONE]"},
		},
	},
	"anthropic": {
		path: "/v1/messages", frame: events, header: "X-Api-Key", value: "a-key",
		call: [][2]string{
			{"message_start", `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":9,"output_tokens":1}}}`},
			{"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"todo","input":{}}}`},
			{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":%s}}`},
			{"content_block_stop", `{"type":"content_block_stop","index":0}`},
			{"message_delta", `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`},
			{"message_stop", `{"type":"message_stop"}`},
		},
		text: [][2]string{
			{"message_start", `{"type":"message_start","message":{"id":"m2","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":20,"cache_read_input_tokens":80,"output_tokens":1}}}`},
			{"content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
			{"content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"All noted."}}`},
			{"content_block_stop", `{"type":"content_block_stop","index":0}`},
			{"message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`},
			{"message_stop", `{"type":"message_stop"}`},
		},
	},
	"responses": {
		path: "/v1/responses", frame: events, header: "Authorization", value: "Bearer a-key",
		call: [][2]string{
			{"response.created", `{"type":"response.created","response":{"id":"r1","status":"in_progress"}}`},
			{"response.output_item.added", `{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc1","call_id":"c1","name":"todo","arguments":""}}`},
			{"response.function_call_arguments.delta", `{"type":"response.function_call_arguments.delta","item_id":"fc1","output_index":0,"delta":%s}`},
			{"response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc1","call_id":"c1","name":"todo","arguments":%s,"status":"completed"}}`},
			{"response.completed", `{"type":"response.completed","response":{"id":"r1","status":"completed","usage":{"input_tokens":9,"output_tokens":7}}}`},
		},
		text: [][2]string{
			{"response.created", `{"type":"response.created","response":{"id":"r2","status":"in_progress"}}`},
			{"response.output_item.added", `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","content":[]}}`},
			{"response.output_text.delta", `{"type":"response.output_text.delta","item_id":"i1","output_index":0,"content_index":0,"delta":"All noted."}`},
			{"response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"i1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"All noted."}]}}`},
			{"response.completed", `{"type":"response.completed","response":{"id":"r2","status":"completed","usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":80},"output_tokens":7}}}`},
		},
	},
	"bedrock": {
		path: "/converse-stream", frame: frames, header: "Authorization", value: "Bearer a-key",
		call: [][2]string{
			{"messageStart", `{"role":"assistant"}`},
			{"contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c1","name":"todo"}}}`},
			{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":%s}}}`},
			{"contentBlockStop", `{"contentBlockIndex":0}`},
			{"messageStop", `{"stopReason":"tool_use"}`},
			{"metadata", `{"usage":{"inputTokens":9,"outputTokens":7,"totalTokens":16}}`},
		},
		text: [][2]string{
			{"messageStart", `{"role":"assistant"}`},
			{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"All noted."}}`},
			{"contentBlockStop", `{"contentBlockIndex":0}`},
			{"messageStop", `{"stopReason":"end_turn"}`},
			{"metadata", `{"usage":{"inputTokens":20,"outputTokens":7,"totalTokens":107,"cacheReadInputTokens":80}}`},
		},
	},
}

// note is what the model writes as arguments.
const note = `{"todos":[{"id":"1","content":"speak in tongues","status":"in_progress"}]}`

func newSpeaker(t *testing.T, in tongue) *speaker {
	t.Helper()
	quoted, err := json.Marshal(note)
	if err != nil {
		t.Fatal(err)
	}
	s := &speaker{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(r.URL.Path, in.path) {
			http.Error(w, "there is nothing at "+r.URL.Path, http.StatusNotFound)
			return
		}
		s.mu.Lock()
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		answer := in.text
		if len(s.bodies) == 1 {
			answer = in.call
		}
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		if in.path == "/converse-stream" {
			w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		}
		for _, e := range answer {
			w.Write(in.frame(e[0], strings.ReplaceAll(e[1], "%s", string(quoted))))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestEveryProtocol has a turn with a tool call in each of the protocols, through the
// whole program.
func TestEveryProtocol(t *testing.T) {
	for name, in := range tongues {
		t.Run(name, func(t *testing.T) {
			s := newSpeaker(t, in)
			b := newBox(t)
			b.env["AWS_REGION"] = "eu-west-1"
			b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: mine, default: a-model}\n"+
				"providers:\n  mine: {base_url: %s, api_key: a-key, protocol: %s}\n", s.URL, name))
			_, conv := b.begin()
			say(t, conv, "note it")
			state := conv.State()
			root := state.Root()
			if n := len(root.Todos); n != 1 || root.Todos[0].Content != "speak in tongues" {
				t.Errorf("the tool left %+v", root.Todos)
			}
			if last := root.Blocks[len(root.Blocks)-1]; last.Text.String() != "All noted." {
				t.Errorf("it says %q", last.Text.String())
			}
			if u := root.Usage; u.Calls != 2 || u.Output != 14 && name != "chat" || u.Prompt() < 100 {
				t.Errorf("it used %+v", u)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.bodies) != 2 {
				t.Fatalf("%d requests", len(s.bodies))
			}
			for i, r := range s.requests {
				if got := r.Header.Get(in.header); got != in.value {
					t.Errorf("request %d: %s is %q", i, in.header, got)
				}
				if agent := r.UserAgent(); !strings.HasPrefix(agent, "hermes-tui/") {
					t.Errorf("request %d calls itself %q", i, agent)
				}
			}
			if !strings.Contains(s.bodies[0], "a-model") && !strings.Contains(s.requests[0].URL.Path, "a-model") {
				t.Error("the model was not named")
			}
			if !strings.Contains(s.bodies[1], "speak in tongues") || !strings.Contains(s.bodies[1], `"c1"`) {
				t.Errorf("the call is not in %s", s.bodies[1])
			}
		})
	}
}

// TestEventsOfManyLines reads answers whose events have several lines of data, with
// each of the line ends that event streams may have, and asks once for each.
func TestEventsOfManyLines(t *testing.T) {
	for name, in := range tongues {
		if name == "bedrock" { // has no lines
			continue
		}
		for _, end := range []string{"\n", "\r\n", "\r"} {
			t.Run(fmt.Sprintf("%s with %q", name, end), func(t *testing.T) {
				in.frame = func(kind, body string) []byte {
					body = strings.Replace(body, `{"`, "{\ndata: \"", 1)
					return []byte(strings.ReplaceAll(string(events(kind, body)), "\n", end))
				}
				s := newSpeaker(t, in)
				b := newBox(t)
				b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: mine, default: a-model}\n"+
					"providers:\n  mine: {base_url: %s, api_key: a-key, protocol: %s}\n", s.URL, name))
				_, conv := b.begin()
				say(t, conv, "note it")
				blocks := conv.State().Root().Blocks
				if last := blocks[len(blocks)-1]; last.Text.String() != "All noted." {
					t.Errorf("it says %q", last.Text.String())
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if len(s.bodies) != 2 {
					t.Errorf("%d requests", len(s.bodies))
				}
			})
		}
	}
}

// TestModeOfModels goes by the model when no one says how it is spoken to.
func TestModeOfModels(t *testing.T) {
	for name, c := range map[string]struct{ provider, model, in string }{
		"Claude behind a gateway":    {"anthropic", "claude-sonnet-4-6", "anthropic"},
		"a name of OpenAI, nearby":   {"openai", "gpt-5.1", "chat"},
		"a model of Amazon":          {"bedrock", "us.amazon.nova-2-lite-v1:0", "bedrock"},
		"a model of a router":        {"openrouter", "anthropic/claude-sonnet-4.6", "chat"},
		"a model at its own service": {"xai", "grok-4.7", "responses"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpeaker(t, tongues[c.in])
			b := newBox(t)
			b.env["AWS_REGION"] = "eu-west-1"
			b.config(fmt.Sprintf("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: %s, default: %s}\n"+
				"providers:\n  %[1]s: {base_url: %[3]s, api_key: a-key}\n", c.provider, c.model, s.URL))
			_, conv := b.begin()
			say(t, conv, "note it")
			if got := model(conv); got.Provider != c.provider || got.Name != c.model {
				t.Errorf("%+v answers", got)
			}
			if got := conv.State().Root().Usage; got.Status() == event.CostUnknown && c.provider == "anthropic" {
				t.Errorf("the cost is %s of %+v", got.Status(), got)
			}
		})
	}
}
