package bedrock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

// writer puts steps into the form of the protocol.
type writer struct {
	block int // the index of the block that is open, -1 for none
	kind  protocoltest.Kind
	next  int
	calls map[int]int // the blocks of the calls
	usage []byte
}

// shut ends the open block if it is of another kind than is to follow.
func (w *writer) shut(kind protocoltest.Kind) (out []byte) {
	if w.block >= 0 && w.kind != kind {
		out = closed(w.block)
		w.block = -1
	}
	if w.block < 0 {
		w.block, w.kind = w.next, kind
		w.next++
	}
	return out
}

func (w *writer) step(s protocoltest.Step) []byte {
	switch s.Kind {
	case protocoltest.Text, protocoltest.Refusal:
		return append(w.shut(protocoltest.Text), text(w.block, s.Text)...)
	case protocoltest.Reasoning:
		out := append(w.shut(protocoltest.Reasoning), think(w.block, s.Text)...)
		if s.Opaque != "" {
			out = append(out, sign(w.block, s.Opaque)...)
		}
		return out
	case protocoltest.Call:
		if w.block >= 0 && w.kind == protocoltest.Call {
			w.kind = protocoltest.Unknown // each call is a block of its own
		}
		out := w.shut(protocoltest.Call)
		w.calls[s.Index] = w.block
		return append(out, call(w.block, s.ID, s.Name)...)
	case protocoltest.Arguments:
		return args(w.calls[s.Index], s.Text)
	case protocoltest.Usage:
		u, err := json.Marshal(map[string]int64{"inputTokens": s.Usage.Input, "outputTokens": s.Usage.Output,
			"cacheReadInputTokens": s.Usage.CacheRead, "cacheWriteInputTokens": s.Usage.CacheWrite})
		if err != nil {
			panic(err)
		}
		w.usage = ev("metadata", `{"usage":`+string(u)+`,"metrics":{"latencyMs":1}}`)
		return nil
	case protocoltest.Finish:
		return w.finish(s)
	case protocoltest.Failure:
		return exception(s.Type, `{"message":`+quote(s.Text)+`}`)
	case protocoltest.Unknown:
		return append(ev("somethingNew", `{"a":[1]}`), delta(99, `"text":"","newField":{"x":[1]}`)...)
	case protocoltest.KeepAlive:
		return rawFrame("{}", ":event-type", "ping", ":message-type", "event")
	case protocoltest.Junk:
		return ev("contentBlockDelta", `{"contentBlockIndex":`)
	}
	panic(fmt.Sprint("no form for ", s))
}

func (w *writer) finish(s protocoltest.Step) []byte {
	reason := s.Reason
	if reason == "" {
		reason = map[providers.Finish]string{
			providers.FinishStop: "end_turn", providers.FinishToolCalls: "tool_use", providers.FinishLength: "max_tokens",
			providers.FinishFilter: "content_filtered",
		}[s.Finish]
	}
	var out []byte
	if w.block >= 0 {
		out = closed(w.block)
	}
	return append(append(out, stop(reason)...), w.usage...)
}

func encodeSteps(steps []protocoltest.Step) [][]byte {
	w := &writer{block: -1, calls: map[int]int{}}
	var out [][]byte
	for i, s := range steps {
		b := w.step(s)
		if i == 0 {
			b = append(begin(), b...)
		}
		out = append(out, b)
	}
	return out
}

func protocol() protocoltest.Protocol {
	return protocoltest.Protocol{
		New: func(t *testing.T, url string) providers.Client {
			return newClient(t, url, func(c *Config) { c.Key = protocoltest.Key })
		},
		Encode:      encodeSteps,
		ContentType: eventType,
		Path:        "/model/" + protocoltest.Model + "/converse-stream",
		RequestType: "application/json",
		AuthHeader:  "Authorization",
		Authorised:  func(h http.Header) bool { return h.Get("Authorization") == "Bearer "+protocoltest.Key },
		Reasons: map[string]providers.Finish{
			"end_turn": providers.FinishStop, "stop_sequence": providers.FinishStop, "something_new": providers.FinishStop,
			"tool_use": providers.FinishToolCalls, "max_tokens": providers.FinishLength,
			"model_context_window_exceeded": providers.FinishLength, "guardrail_intervened": providers.FinishFilter,
			"content_filtered": providers.FinishFilter, "refusal": providers.FinishFilter,
		},
		ErrorBody: func(_ int, kind, message string) (map[string]string, string) {
			return map[string]string{"X-Amzn-ErrorType": kind + ":http://internal.amazon.com/coral/"}, `{"message":` + quote(message) + `}`
		},
		Counts:           func(u providers.Usage) providers.Usage { u.Reasoning = 0; return u },
		ReplaysReasoning: true, ReplaysOpaque: true, Interleaves: true,
	}
}

// Each request of a loop reads again what was sent before.
func TestMarksKeepLoops(t *testing.T) {
	protocoltest.Cached(t, protocol(), "us.anthropic.claude-sonnet-4-6-v1:0")
}

func TestProtocol(t *testing.T) {
	protocoltest.Run(t, protocol())
}
