package anthropic

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient makes a client of a server.
func newClient(t testing.TB, url string, change ...func(*Config)) *Client {
	t.Helper()
	tr := transport.New(transport.Options{Version: "test"})
	t.Cleanup(tr.CloseIdle)
	config := Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "acme", BaseURL: url, Key: protocoltest.Key}, Transport: tr}}
	for _, f := range change {
		f(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func protocol() protocoltest.Protocol {
	return protocoltest.Protocol{
		New:         func(t *testing.T, baseURL string) providers.Client { return newClient(t, baseURL) },
		Encode:      encode,
		ContentType: "text/event-stream; charset=utf-8",
		Path:        "/v1/messages",
		RequestType: "application/json",
		AuthHeader:  "X-Api-Key",
		Authorised: func(h http.Header) bool {
			return h.Get("X-Api-Key") == protocoltest.Key && h.Get("Authorization") == ""
		},
		Sends: map[string]string{"Accept": "text/event-stream", "Anthropic-Version": "2023-06-01"},
		Reasons: map[string]providers.Finish{
			"end_turn": providers.FinishStop, "stop_sequence": providers.FinishStop, "something_new": providers.FinishStop,
			"tool_use": providers.FinishToolCalls, "max_tokens": providers.FinishLength, "pause_turn": providers.FinishLength,
			"model_context_window_exceeded": providers.FinishLength, "refusal": providers.FinishFilter,
		},
		ErrorBody: func(_ int, kind, message string) (map[string]string, string) {
			return map[string]string{"Content-Type": "application/json"}, encodeError(kind, message)
		},
		ReplaysReasoning: true,
		ReplaysOpaque:    true,
	}
}

func TestProtocol(t *testing.T) { protocoltest.Run(t, protocol()) }

// Each request of a loop reads again what was sent before.
func TestMarksKeepLoops(t *testing.T) { protocoltest.Cached(t, protocol(), "claude-sonnet-4-6") }

// The same with a credential that is sent the other way.
func TestProtocolWithBearer(t *testing.T) {
	p := protocol()
	p.New = func(t *testing.T, baseURL string) providers.Client {
		return newClient(t, baseURL+"/anthropic/", func(c *Config) { c.Token = token(protocoltest.Key) })
	}
	p.Path, p.AuthHeader = "/anthropic/v1/messages", "Authorization"
	p.Authorised = func(h http.Header) bool {
		return h.Get("Authorization") == "Bearer "+protocoltest.Key && h.Get("X-Api-Key") == ""
	}
	protocoltest.Run(t, p)
}

// encoder writes an answer as a server of this protocol does.
type encoder struct {
	index int
	open  string // the type of the open block
	usage providers.Usage
	begun bool
	out   strings.Builder
}

func encode(steps []protocoltest.Step) [][]byte {
	var out [][]byte
	e := &encoder{index: -1}
	for _, s := range steps {
		e.out.Reset()
		e.step(s)
		out = append(out, []byte(e.out.String()))
	}
	return out
}

func (e *encoder) step(s protocoltest.Step) {
	if !e.begun && s.Kind != protocoltest.Failure && s.Kind != protocoltest.KeepAlive && s.Kind != protocoltest.Unknown {
		e.begun = true
		e.event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}`)
	}
	switch s.Kind {
	case protocoltest.Text, protocoltest.Refusal:
		e.block("text", `{"type":"text","text":""}`)
		e.delta(`{"type":"text_delta","text":` + quote(s.Text) + `}`)
	case protocoltest.Reasoning:
		e.block("thinking", `{"type":"thinking","thinking":"","signature":""}`)
		e.delta(`{"type":"thinking_delta","thinking":` + quote(s.Text) + `}`)
		if s.Opaque != "" {
			e.delta(`{"type":"signature_delta","signature":` + quote(s.Opaque) + `}`)
		}
	case protocoltest.Call:
		e.stop()
		e.block("tool_use", fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, s.ID, s.Name))
	case protocoltest.Arguments:
		e.delta(`{"type":"input_json_delta","partial_json":` + quote(s.Text) + `}`)
	case protocoltest.Usage:
		e.usage = s.Usage
	case protocoltest.Finish:
		e.finish(s)
	case protocoltest.Failure:
		e.out.WriteString("event: error\ndata: " + encodeError(s.Type, s.Text) + "\n\n")
	case protocoltest.Unknown:
		e.event("news", `"index":7,"news":{"x":[1]}`)
		e.event("content_block_delta", `"index":7,"delta":{"type":"news_delta","news":"x"}`)
	case protocoltest.KeepAlive:
		e.event("ping", "")
		e.out.WriteString(": still here\n\n")
	case protocoltest.Junk:
		e.out.WriteString("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":}\n\n")
	}
}

func (e *encoder) finish(s protocoltest.Step) {
	e.stop()
	reason := s.Reason
	if reason == "" {
		reason = map[providers.Finish]string{
			providers.FinishStop: "end_turn", providers.FinishToolCalls: "tool_use",
			providers.FinishLength: "max_tokens", providers.FinishFilter: "refusal",
		}[s.Finish]
	}
	u := e.usage
	e.event("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}`,
		reason, u.Input, u.CacheWrite, u.CacheRead, u.Output, u.Reasoning))
	e.event("message_stop", "")
}

// block opens a block unless one of its type is open.
func (e *encoder) block(kind, start string) {
	if e.open == kind {
		return
	}
	e.stop()
	e.open = kind
	e.index++
	e.event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, e.index, start))
}

func (e *encoder) stop() {
	if e.open != "" {
		e.open = ""
		e.event("content_block_stop", fmt.Sprintf(`"index":%d`, e.index))
	}
}

// delta writes a piece of the open block, with the blanks that servers put there.
func (e *encoder) delta(fields string) {
	e.event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":%s   `, e.index, fields))
}

func (e *encoder) event(kind, fields string) {
	if fields != "" {
		fields = "," + fields
	}
	fmt.Fprintf(&e.out, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, fields)
}

func encodeError(kind, message string) string {
	return `{"type":"error","error":{"type":` + quote(kind) + `,"message":` + quote(message) + `},"request_id":"req_1"}`
}

// atItsMaker is the protocol as Anthropic itself speaks it.
func atItsMaker() protocoltest.Protocol {
	p := protocol()
	p.New = func(t *testing.T, baseURL string) providers.Client {
		c := newClient(t, baseURL)
		c.host.native = true
		return c
	}
	return p
}

func TestEffortKeepsTheCache(t *testing.T) {
	for _, model := range []string{"claude-opus-5", "claude-opus-5-5", "claude-fable-5-2"} {
		t.Run(model, func(t *testing.T) { protocoltest.Steered(t, atItsMaker(), model) })
	}
}
