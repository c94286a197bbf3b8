package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

// tokens is how many deltas an iteration decodes.
const tokens = 20_000

func perToken(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

// BenchmarkDecode decodes events: of the usual form, with escapes, and in another
// form, so that each is decoded as a whole.
func BenchmarkDecode(b *testing.B) {
	for name, raw := range map[string]string{
		"usual":     grow(0, `{"type":"text_delta","text":" token"}`) + "\n",
		"arguments": grow(0, `{"type":"input_json_delta","partial_json":"\": \"a\\n"}`) + "\n",
		"other":     `{"index":0,"type":"content_block_delta","delta":{"type":"text_delta","text":" token"}}` + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			event := []byte(raw)
			var queue []providers.Delta
			for b.Loop() {
				d := decoder{issuer: "acme", model: "m"}
				start := say(0, "")[0]
				if name == "arguments" {
					start = begin(0, `{"type":"tool_use","id":"t","name":"f","input":{}}`)
				}
				if _, err := d.Event("", []byte(start), nil); err != nil {
					b.Fatal(err)
				}
				for range tokens {
					var err error
					if queue, err = d.Event("content_block_delta", event, queue[:0]); err != nil || len(queue) != 1 {
						b.Fatal(queue, err)
					}
				}
			}
			perToken(b)
		})
	}
}

// BenchmarkStream reads 20,000 tokens from a server on this machine.
func BenchmarkStream(b *testing.B) {
	token := sse(grow(0, `{"type":"text_delta","text":" token"}`))
	c := newClient(b, serve(b, "text/event-stream", strings.Repeat(token, tokens)+sse(reason("end_turn"), over)).URL)
	protocoltest.Bench(b, c, calm("m-1"), tokens)
	perToken(b)
}

// BenchmarkRequest writes a request of 1 MB.
func BenchmarkRequest(b *testing.B) {
	r := calm("claude-sonnet-5")
	text := strings.Repeat("a line of \"text\" with <marks>\n", 170)
	for i := range 100 {
		id := fmt.Sprint(i)
		r.Messages = append(r.Messages,
			providers.Message{ID: "a" + id, Role: providers.Assistant, Calls: []providers.Call{{ID: "k" + id, Name: "read", Arguments: `{"path":"x"}`}}},
			providers.Message{ID: "t" + id, Role: providers.Tool, CallID: "k" + id, Parts: []providers.Part{{Text: text}, {Text: text}}})
	}
	c := newClient(b, "http://127.0.0.1:1")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := c.body(r); err != nil {
			b.Fatal(err)
		}
	}
}
