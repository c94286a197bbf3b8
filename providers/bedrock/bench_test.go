package bedrock

import (
	"bytes"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
)

// tokens is how many deltas an iteration decodes.
const tokens = 20_000

func perToken(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tokens, "ns/token")
}

// BenchmarkDecode reads frames and events from memory.
func BenchmarkDecode(b *testing.B) {
	body := bytes.Repeat(text(0, " token"), tokens)
	b.ReportAllocs()
	var queue []providers.Delta
	for b.Loop() {
		var d decoder
		f := newFrames(bytes.NewReader(body))
		for range tokens {
			name, payload, err := f.Next()
			if err != nil {
				b.Fatal(err)
			}
			if queue, err = d.Event(name, payload, queue[:0]); err != nil || len(queue) != 1 {
				b.Fatal(queue, err)
			}
		}
	}
	perToken(b)
}

// BenchmarkStream reads 20,000 tokens from a server on this machine.
func BenchmarkStream(b *testing.B) {
	s := streams(b, begin(), bytes.Repeat(text(0, " token"), tokens), closed(0), stop("end_turn"), figures())
	c := newClient(b, s.url)
	protocoltest.Bench(b, c, hello(), tokens)
	perToken(b)
}

// BenchmarkRequest writes a request with a long history, without sending it.
func BenchmarkRequest(b *testing.B) {
	c := newClient(b, "")
	r := providers.Request{Model: modelID, System: "Be kind.", Tools: twoTools}
	for range 200 {
		r.Messages = append(r.Messages, user("look"), said("I look", called("k1", "t1", "now", `{"a":1}`)), result("k1", "now", string(bytes.Repeat([]byte("line\n"), 200))))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.input(r); err != nil {
			b.Fatal(err)
		}
	}
}
