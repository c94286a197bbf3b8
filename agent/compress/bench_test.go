package compress

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// conversation has about n messages in turns of twenty, as work on code makes
// them: 1.5 KB a result.
func conversation(n int) []providers.Message {
	s := &script{}
	for len(s.list) < n {
		s.user(fmt.Sprint("please do step ", len(s.list)))
		for i := range 9 {
			args := encode(map[string]any{"path": fmt.Sprint("file", i, ".go"), "content": strings.Repeat("code ", 150)})
			s.calls(made{[]string{"read_file", "terminal", "write_file"}[i%3], args, encode(map[string]any{
				"output": fmt.Sprint(s.n) + strings.Repeat(" words of output\n", 80), "exit_code": 0,
			})})
		}
		s.says(strings.Repeat("what was found ", 20))
	}
	return s.list[:n-n%20]
}

var lengths = []int{2_000, 10_000}

// BenchmarkMeasure measures a request as a turn does: one message came since the
// last time.
func BenchmarkMeasure(b *testing.B) {
	for _, n := range lengths {
		r := providers.Request{System: strings.Repeat("prompt ", 3_000), Messages: conversation(n)}
		for range 30 {
			r.Tools = append(r.Tools, providers.ToolDef{Name: "tool", Description: strings.Repeat("what ", 40), Parameters: []byte(strings.Repeat("{} ", 400))})
		}
		b.Run(fmt.Sprint("warm/", n), func(b *testing.B) {
			b.ReportAllocs()
			g := &Gauge{}
			g.Request(r)
			for i := range b.N {
				r := r
				r.Messages = r.Messages[:len(r.Messages)-i%2]
				g.Request(r)
			}
		})
		b.Run(fmt.Sprint("cold/", n), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				(&Gauge{}).Request(r)
			}
		})
	}
}

func BenchmarkCompress(b *testing.B) {
	for _, n := range lengths {
		history := conversation(n)
		total := sum(history)
		for _, c := range []struct {
			name  string
			share int // of the total, in hundredths
		}{{"fits", 100}, {"shorten", 60}, {"leave-out", 10}, {"everything", 0}} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) {
				b.ReportAllocs()
				e := engine()
				budget := Budget{History: total / 100 * c.share, Tail: total / 100 * c.share / 3}
				if c.share == 100 {
					budget.History = total
				}
				var r Result
				for range b.N {
					r = e.Compress(history, budget, nil)
				}
				b.ReportMetric(float64(100*r.After/r.Before), "%left")
			})
		}
	}
}

// TestBenchmarkHistory: the history of the benchmarks is one that can be sent.
func TestBenchmarkHistory(t *testing.T) {
	for _, n := range lengths {
		if h := conversation(n); len(h) != n || fault(h) != "" || !slices.ContainsFunc(h, func(m providers.Message) bool { return len(m.Calls) > 0 }) {
			t.Errorf("%d messages: %s", len(h), fault(h))
		}
	}
}
