package responses

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

// tokens is how many deltas an iteration decodes.
const tokens = 20_000

const tokenEvent = `{"type":"response.output_text.delta","sequence_number":1234,"item_id":"msg_0123456789abcdef0123456789abcdef0123456789abcdef01","output_index":1,"content_index":0,"delta":" token","logprobs":[],"obfuscation":"Xy1zAbCdEf"}`

func perToken(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

func BenchmarkDecode(b *testing.B) {
	for name, raw := range map[string]string{
		"text":      tokenEvent,
		"escaped":   strings.Replace(tokenEvent, " token", `\n\"tok\"`, 1),
		"arguments": `{"type":"response.function_call_arguments.delta","sequence_number":1234,"item_id":"fc_1","output_index":1,"delta":"token","obfuscation":"x"}`,
		// With a field that the quick reader does not know.
		"decoded": strings.Replace(tokenEvent, `"logprobs":[]`, `"logprobs":[{"token":" token","logprob":-0.1}]`, 1),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var queue []providers.Delta
			event := []byte(raw)
			for b.Loop() {
				d := decoder{issuer: "acme", model: "m"}
				at := number(1)
				if strings.Contains(raw, "arguments") {
					d.begin(benchPlace(&at), &wireItem{Type: itemCall, CallID: "c", Name: "f"})
				}
				for range tokens {
					var err error
					if queue, err = d.Event("", event, queue[:0]); err != nil || len(queue) == 0 {
						b.Fatal(queue, err)
					}
				}
			}
			perToken(b)
		})
	}
}

func benchPlace(at *number) *event { return &event{Output: at} }

// BenchmarkStream reads 20,000 tokens from a server on this machine.
func BenchmarkStream(b *testing.B) {
	body := strings.Repeat("event: response.output_text.delta\ndata: "+tokenEvent+"\n\n", tokens) + sse(completed)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}))
	b.Cleanup(srv.Close)
	c := newClient(b, srv.URL)
	protocoltest.Bench(b, c, hello(), tokens)
	perToken(b)
}

// BenchmarkRequest writes a request with a long history.
func BenchmarkRequest(b *testing.B) {
	c := newClient(b, "http://host.test")
	r := providers.Request{Model: "gpt-5", System: strings.Repeat("be kind ", 2000), Tools: tools()}
	for i := range 100 {
		m := history("gpt-5")
		for k := range m {
			m[k].ID = fmt.Sprint(i, k)
		}
		r.Messages = append(r.Messages, m...)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.body(r); err != nil {
			b.Fatal(err)
		}
	}
}
