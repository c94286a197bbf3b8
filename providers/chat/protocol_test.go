package chat

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

func TestProtocol(t *testing.T) {
	protocoltest.Run(t, protocoltest.Protocol{
		New: func(t *testing.T, baseURL string) providers.Client {
			c := newClient(t, baseURL, func(c *Config) { c.Key = protocoltest.Key })
			c.grace = 50 * time.Millisecond
			return c
		},
		Encode:      encode,
		ContentType: "text/event-stream",
		Path:        "/v1/chat/completions",
		RequestType: "application/json",
		AuthHeader:  "Authorization",
		Authorised:  func(h http.Header) bool { return h.Get("Authorization") == "Bearer "+protocoltest.Key },
		Sends:       map[string]string{"Accept": "text/event-stream"},
		Reasons: map[string]providers.Finish{
			"stop": providers.FinishStop, "tool_calls": providers.FinishToolCalls, "function_call": providers.FinishToolCalls,
			"length": providers.FinishLength, "content_filter": providers.FinishFilter, "something_new": providers.FinishStop,
		},
		ErrorBody: func(_ int, kind, message string) (map[string]string, string) {
			return map[string]string{"Content-Type": "application/json"}, encodeError(kind, message)
		},
		Interleaves:      true,
		ReplaysReasoning: true,
	})
}

// encode writes an answer as a server of this protocol does.
func encode(steps []protocoltest.Step) [][]byte {
	var out [][]byte
	for i, s := range steps {
		if s.Kind == protocoltest.Finish && i > 0 && steps[i-1].Kind == protocoltest.Refusal {
			s.Reason = "stop" // only the field says that it is a refusal
		}
		out = append(out, []byte(encodeStep(s)))
	}
	return out
}

func encodeStep(s protocoltest.Step) string {
	switch s.Kind {
	case protocoltest.Text:
		return sse(delta(`"content":` + quote(s.Text)))
	case protocoltest.Reasoning:
		return sse(delta(`"reasoning_content":` + quote(s.Text)))
	case protocoltest.Call:
		return sse(delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]`, s.Index, s.ID, s.Name)))
	case protocoltest.Arguments:
		return sse(delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, s.Index, quote(s.Text))))
	case protocoltest.Usage:
		u := s.Usage
		return sse(fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
			u.Prompt(), u.Output, u.CacheRead, u.CacheWrite, u.Reasoning))
	case protocoltest.Refusal:
		return sse(delta(`"content":null,"refusal":` + quote(s.Text)))
	case protocoltest.Finish:
		if s.Reason == "" {
			s.Reason = string(s.Finish)
		}
		return sse(finish(s.Reason), "[DONE]")
	case protocoltest.Failure:
		return sse(encodeError(s.Type, s.Text))
	case protocoltest.Unknown:
		return "event: news\nid: 9\n" + sse(`{"type":"news"}`, `{"choices":[{"index":0,"delta":{"news":{"x":[1]}},"finish_reason":null}],"x_news":1}`)
	case protocoltest.KeepAlive:
		return ": still here\n\n"
	case protocoltest.Junk:
		return sse(`{"choices":[{"delta":{"content":}]}`)
	}
	panic(fmt.Sprintf("unknown step %+v", s))
}

func encodeError(kind, message string) string {
	return `{"error":{"message":` + quote(message) + `,"type":` + quote(kind) + `}}`
}
