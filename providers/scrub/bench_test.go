package scrub

import (
	"strings"
	"testing"
)

const (
	prose = "The quick brown fox jumps over the lazy dog, and then it sleeps for an hour or two in the shade.\n"
	code  = "```go\nfor i := 0; i < n; i++ {\n\tm[k] <- List<String>{a << 2}\n}\n```\n<p>one</p> `a<b>` <tr><td>x</td></tr>\n"
)

// BenchmarkStream streams an answer in pieces of the size of a token.
func BenchmarkStream(b *testing.B) {
	for _, c := range []struct{ name, before, text string }{
		{"prose", "", prose},
		{"code", "", code},
		{"reasoning", "<think>", prose},
		{"call", "<tool_call>{", prose},
		{"memory", "<memory-context>\n", prose},
		{"mentions", "", "Use <think> and <tool_call> tags, then `<function=f>` in a prompt.\n"},
		{"blocks", "", "<think>a</think>b</think> <tool_call>{}</tool_call>\n"},
	} {
		for _, size := range []struct {
			name string
			n    int
		}{{"token", 4}, {"chunk", 64}, {"whole", 1 << 20}} {
			chunks := pieces(strings.Repeat(c.text, 64<<10/len(c.text)), size.n)
			b.Run(c.name+"/"+size.name, func(b *testing.B) {
				s := New(Answer)
				n := 0
				for _, p := range chunks {
					n += len(p)
				}
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					s.Feed(c.before)
					for _, p := range chunks {
						s.Feed(p)
					}
					s.Flush()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/byte")
			})
		}
	}
}

// BenchmarkHostile streams text made to be slow, which must cost no more per byte
// for being long.
func BenchmarkHostile(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"half tags", "<"},
		{"openings on one line", "a<think>"},
		{"functions", "<function=f>"},
		{"openings and pairs", "a<think><thought>x</thought>"},
		{"almost closed", "a<think></thin"},
		{"white space", "</think>        "},
		{"backticks", "`<"},
	} {
		for _, size := range []int{16 << 10, 256 << 10} {
			chunks := pieces(strings.Repeat(c.unit, size/len(c.unit)), 4)
			b.Run(c.name+"/"+map[bool]string{true: "16K", false: "256K"}[size == 16<<10], func(b *testing.B) {
				s := New(Answer)
				b.ReportAllocs()
				for b.Loop() {
					for _, p := range chunks {
						s.Feed(p)
					}
					s.Flush()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
			})
		}
	}
}
