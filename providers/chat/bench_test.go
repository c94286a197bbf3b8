package chat

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// tokens is how many deltas an iteration decodes.
const tokens = 20_000

const tokenEvent = `{"id":"chatcmpl-AbCdEf0123456789","object":"chat.completion.chunk","created":1790000000,"model":"model-name-2026","service_tier":"default","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null}`

func perToken(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

func BenchmarkDecode(b *testing.B) {
	b.Run("alike", func(b *testing.B) { benchDecode(b, [][]byte{[]byte(tokenEvent)}) })
	// A field that differs from event to event, so that each is decoded again.
	b.Run("different", func(b *testing.B) {
		var events [][]byte
		for i := range 1000 {
			events = append(events, []byte(`{"obfuscation":"`+strconv.Itoa(i)+`",`+tokenEvent[1:]))
		}
		benchDecode(b, events)
	})
}

func benchDecode(b *testing.B, events [][]byte) {
	b.ReportAllocs()
	var queue []providers.Delta
	for b.Loop() {
		d := decoder{issuer: "acme", model: "m"}
		for i := range tokens {
			var err error
			if queue, err = d.Event("", events[i%len(events)], queue[:0]); err != nil || len(queue) != 1 {
				b.Fatal(queue, err)
			}
		}
	}
	perToken(b)
}

// BenchmarkStream reads 20,000 tokens from a server on this machine.
func BenchmarkStream(b *testing.B) {
	body := strings.Repeat("data: "+tokenEvent+"\n\n", tokens) + sse(finish("stop"), "[DONE]")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	tr := transport.New(transport.Options{})
	b.Cleanup(func() { tr.CloseIdle(); srv.Close(); <-done })
	c, err := New(Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: "http://" + l.Addr().String()}, Transport: tr}})
	if err != nil {
		b.Fatal(err)
	}
	protocoltest.Bench(b, c, hello(), tokens)
	perToken(b)
}
