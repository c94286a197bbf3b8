package script

import (
	"errors"
	"io"
	"testing"
)

func BenchmarkClient20kTokens(b *testing.B) {
	c := client(b, `[{"tokens": {"n": 20000}}]`)
	b.ReportAllocs()
	for b.Loop() {
		s, err := c.Stream(b.Context(), says("hi"))
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := s.Next(); err != nil {
				break
			}
		}
		s.Close()
	}
	b.ReportMetric(20000/(b.Elapsed().Seconds()/float64(b.N)), "tokens/s")
}

func BenchmarkDemoReport(b *testing.B) {
	h := newHost(b, b.TempDir(), allTools()...)
	h.ask("hello")
	r := h.request
	r.Messages = r.Messages[:len(r.Messages)-1]
	b.ReportAllocs()
	for b.Loop() {
		s, err := h.client.Stream(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := s.Next(); err != nil {
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				break
			}
		}
	}
}
