package composer

import (
	"fmt"
	"strings"
	"testing"
)

// key is what a key costs: the edit, the height, the rows and the cursor.
func key(c *Composer, do func()) {
	do()
	h := c.Height(80, 12)
	c.Rows(nil, 80, h)
	c.Cursor()
	c.Completion()
}

func typed(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of a long draft with some words in it\n", i)
	}
	return b.String()
}

func BenchmarkKey(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"empty", ""},
		{"2000 lines", typed(2000)},
		{"1 MB of lines", typed(22_000)},
		{"1 MB in one line", strings.Repeat("a word or two ", 75_000)},
		{"1 MB of CJK in one line", strings.Repeat("漢字", 175_000)},
	} {
		for _, where := range []Action{BufferStart, BufferEnd} {
			b.Run(fmt.Sprintf("%s/%s", c.name, map[Action]string{BufferStart: "start", BufferEnd: "end"}[where]), func(b *testing.B) {
				e := newTest()
				e.SetDraft(c.text)
				e.Do(where)
				key(e, func() {})
				b.ReportAllocs()
				for b.Loop() {
					key(e, func() { e.Insert("x") })
					key(e, func() { e.Do(Backspace) })
				}
			})
		}
	}
}

func BenchmarkMiddle(b *testing.B) {
	e := newTest()
	e.SetDraft(typed(2000))
	for range 1000 {
		e.Do(Up)
	}
	b.ReportAllocs()
	for b.Loop() {
		key(e, func() { e.Do(Newline) })
		key(e, func() { e.Do(Backspace) })
		key(e, func() { e.Do(Up) })
		key(e, func() { e.Do(Down) })
	}
}

func BenchmarkPaste(b *testing.B) {
	text := typed(22_000)
	b.ReportAllocs()
	for b.Loop() {
		e := newTest()
		key(e, func() { e.Paste(text) })
		e.pasteLines, e.pasteChars = 0, 0
		key(e, func() { e.Paste(text) })
	}
}
