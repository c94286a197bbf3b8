package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// sample is about n bytes of what models write.
func sample(n int) string {
	const part = "## Section %d\n\nI found it: `Append` reads the counter *before* taking the lock, so two writers see " +
		"the same value and **one of them is lost**. See [the docs](https://example.org/docs/%d) for more.\n\n" +
		"Two things follow:\n\n1. The lock has to be taken first.\n2. The test needs `-race`.\n   - nested point\n   - another one\n\n" +
		"```go\nfunc (s *Store) Append(v Value) error {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\ts.n++ // counted under the lock\n" +
		"\treturn s.write(v, s.n)\n}\n```\n\n| File | Lines | What |\n|------|------:|------|\n| `store/append.go` | 12 | lock order |\n" +
		"| `store/append_test.go` | 40 | regression test |\n\n> The rest can stay as it is; nothing else reads the counter.\n\n"
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, part, i, i)
	}
	return b.String()[:n]
}

func BenchmarkRender(b *testing.B) {
	st := testStyles()
	fence := "```go\n" + strings.Repeat("\tif err := s.write(v, s.n); err != nil { return err } // line\n", 1000) + "```\n"
	for _, c := range []struct{ name, doc string }{
		{"10KB", sample(10_000)},
		{"200KB", sample(200_000)},
		{"prose10KB", strings.Repeat("Plain words in a paragraph that goes on for some lines before it ends.\n", 140)},
		{"fence1000", fence},
		{"fence100", "```go\n" + strings.Repeat("\tif err := s.write(v, s.n); err != nil { return err } // line\n", 100) + "```\n"},
		{"table200", "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| `x` y | **b** | c d e |\n", 200)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.doc)))
			b.ReportAllocs()
			for b.Loop() {
				testRenderer().Render(c.doc, 100, st)
			}
		})
	}
}

// BenchmarkStream gets a text in 20,000 pieces, five of them per drawing. The
// first ones have 80 KB; the last two are single blocks, drawn again each time.
func BenchmarkStream(b *testing.B) {
	st := testStyles()
	for _, c := range []struct{ name, doc string }{
		{"mixed", sample(80_000)},
		{"prose", strings.Repeat(strings.Repeat("Plain words in a paragraph that goes on. ", 12)+"\n\n", 163)},
		{"fence", "```go\n" + strings.Repeat("\tif err := s.write(v, s.n); err != nil { return err } // line\n", 1300) + "```\n"},
		{"list", strings.Repeat("- an item of a very long list, with `code` in it\n", 1600)},
		{"table", "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| `x` y | **b** | c d e |\n", 300)},
		{"paragraph", strings.Repeat("words without an end ", 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := testRenderer().Stream()
				size := max(len(c.doc)/20_000, 1)
				for i, n := 0, 0; i < len(c.doc); i, n = i+size, n+1 {
					s.Append(c.doc[i:min(i+size, len(c.doc))])
					if n%5 == 4 {
						s.Rows(100, st)
					}
				}
				s.Close()
				s.Rows(100, st)
			}
		})
	}
}

func BenchmarkWrap(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat("Plain words in a paragraph that goes on. ", 250)},
		{"cjk", strings.Repeat("雛形と蛭の話をする。これは長い文章です、", 200)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			var rows []string
			for b.Loop() {
				rows = Wrap(rows[:0], c.text, 80)
			}
		})
	}
}
