package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// history is n blocks of a long conversation.
func history(n int) []*event.Block {
	out := make([]*event.Block, n)
	for i := range n {
		id := fmt.Sprint("h", i)
		switch i % 6 {
		case 0:
			out[i] = block(event.BlockUser, id, "Please look at the next thing and tell me what you find.")
		case 1:
			out[i] = block(event.BlockReasoning, id, strings.Repeat("I should look at this first. ", 20))
		case 2, 3:
			out[i] = call(id, "terminal", "go test ./...", event.ViewCommand, func(_ *event.Block, c *event.Call) { c.View.Body = lines(20) })
		case 4:
			out[i] = call(id, "read_file", "store/append.go", event.ViewRead, nil)
		default:
			out[i] = block(event.BlockAnswer, id, "I found **it**: `Append` reads the counter before taking the lock.\n\n- one\n- two\n\nThat is all there is to say about this.\n")
		}
		out[i].Turn = event.TurnID(fmt.Sprint("t", i/6))
	}
	return out
}

// answer80K is an answer of about 80 KB.
func answer80K() string {
	return strings.Repeat("## Part\n\nText with `code` and **more** that goes on for a while, and a list:\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| c | d |\n\n", 630)
}

func BenchmarkOpen50k(b *testing.B) {
	blocks := history(50_000)
	b.ReportAllocs()
	for b.Loop() {
		v := newView()
		v.Sync(blocks)
		v.Rows(nil, 200, 60)
	}
}

func BenchmarkRows50k(b *testing.B) {
	for _, where := range []string{"following", "scrolled up"} {
		b.Run(where, func(b *testing.B) {
			v := newView()
			v.Sync(history(50_000))
			v.Rows(nil, 200, 60)
			if where != "following" {
				for range 100 {
					v.PageUp()
				}
			}
			frame := v.Rows(nil, 200, 60)
			b.ReportAllocs()
			for b.Loop() {
				v.changed()
				frame = v.Rows(frame[:0], 200, 60)
			}
		})
	}
}

func BenchmarkSync50k(b *testing.B) {
	blocks := history(50_000)
	v := newView()
	v.Sync(blocks)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Sync(blocks[:50_000-i%2])
	}
}

func BenchmarkPageUp50k(b *testing.B) {
	v := newView()
	v.Sync(history(50_000))
	frame := v.Rows(nil, 200, 60)
	b.ReportAllocs()
	for b.Loop() {
		v.PageUp()
		if frame = v.Rows(frame[:0], 200, 60); v.top == 0 {
			v.Bottom()
		}
	}
}

// BenchmarkDelta adds 20 bytes to an answer of 80 KB and draws the screen.
func BenchmarkDelta(b *testing.B) {
	for _, kind := range []event.BlockKind{event.BlockAnswer, event.BlockReasoning} {
		b.Run(string(kind), func(b *testing.B) {
			blocks := history(1000)
			v := newView()
			var frame []string
			var text event.Text
			reset := func() {
				text = event.NewText(answer80K())
				v = newView()
				open := &event.Block{ID: "open", Kind: kind, At: noon, Open: true, Text: text}
				v.Sync(append(blocks[:1000:1000], open))
				frame = v.Rows(frame[:0], 200, 60)
			}
			reset()
			all := append(blocks[:1000:1000], nil)
			b.ReportAllocs()
			for i := uint64(1); b.Loop(); i++ {
				if i%2000 == 0 {
					b.StopTimer()
					reset()
					b.StartTimer()
				}
				piece := "some words of text, "
				if i%12 == 0 {
					piece = "an end.\n\nAnd more. "
				}
				text = text.Append(piece)
				all[1000] = &event.Block{ID: "open", Kind: kind, At: noon, Rev: i, Open: true, Text: text}
				v.Sync(all)
				v.Tick(noon.Add(time.Duration(i)*time.Second), int(i))
				frame = v.Rows(frame[:0], 200, 60)
			}
		})
	}
}

// BenchmarkResize changes the width of a screen that shows an answer of 80 KB
// and of one that shows a long history.
func BenchmarkResize(b *testing.B) {
	for _, c := range []struct {
		name   string
		blocks []*event.Block
	}{
		{"history", history(50_000)},
		{"answer", []*event.Block{block(event.BlockAnswer, "a", answer80K())}},
	} {
		b.Run(c.name, func(b *testing.B) {
			v := newView()
			v.Sync(c.blocks)
			frame := v.Rows(nil, 200, 60)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				frame = v.Rows(frame[:0], 198+i%2, 60)
			}
		})
	}
}

// BenchmarkReasoning draws reasoning of 4, 40 and 400 KB: with 20 bytes more, with
// nothing but time gone by, and, when it is over, at another width.
func BenchmarkReasoning(b *testing.B) {
	words := strings.Repeat("I should look at the lock first, and then at the counter. ", 7) + "\n"
	for _, folded := range []bool{true, false} {
		for _, size := range []int{4 << 10, 40 << 10, 400 << 10} {
			name := fmt.Sprintf("folded=%v/%dKB", folded, size>>10)
			text := event.NewText(strings.Repeat(words, size/len(words)))
			begin := func() *View {
				v := newView()
				v.FoldAll(folded)
				v.Sync([]*event.Block{thinkingOf(text, 0)})
				v.Rows(nil, 120, 50)
				return v
			}
			b.Run("delta/"+name, func(b *testing.B) {
				var v *View
				var grown event.Text
				reset := func() {
					v, grown = begin(), event.NewText(text.String()).Append("\n")
					v.Sync([]*event.Block{thinkingOf(grown, 1)})
					v.Rows(nil, 120, 50)
				}
				reset()
				var frame []string
				b.ReportAllocs()
				for i := uint64(2); b.Loop(); i++ {
					if i%1000 == 0 { // 20 KB more
						b.StopTimer()
						reset()
						b.StartTimer()
					}
					piece := "some words of text, "
					if i%12 == 0 {
						piece = "an end.\n\nAnd more. "
					}
					grown = grown.Append(piece)
					v.Sync([]*event.Block{thinkingOf(grown, i)})
					frame = v.Rows(frame[:0], 120, 50)
				}
			})
			b.Run("tick/"+name, func(b *testing.B) {
				v := begin()
				v.Top()
				frame := v.Rows(nil, 120, 50)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					v.Tick(noon.Add(time.Duration(i)*time.Second), i)
					frame = v.Rows(frame[:0], 120, 50)
				}
			})
			b.Run("over/"+name, func(b *testing.B) {
				v := newView()
				v.FoldAll(folded)
				v.Sync([]*event.Block{block(event.BlockReasoning, "r", text.String())})
				frame := v.Rows(nil, 120, 50)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					frame = v.Rows(frame[:0], 119+i%2, 50)
				}
			})
		}
	}
}

// BenchmarkReasoningOpens draws reasoning of 400 KB that goes on for the first time,
// which takes all of it in.
func BenchmarkReasoningOpens(b *testing.B) {
	text := event.NewText(strings.Repeat("I should look at the lock first, and then at the counter.\n", 7000))
	b.ReportAllocs()
	for b.Loop() {
		v := newView()
		v.Sync([]*event.Block{thinkingOf(text, 0)})
		v.Rows(nil, 120, 50)
	}
}

// BenchmarkAgents lets time go by for a call with 60 subagents, of which 8 or all
// are in view, below a long conversation.
func BenchmarkAgents(b *testing.B) {
	for _, folded := range []bool{true, false} {
		b.Run(fmt.Sprintf("folded=%v", folded), func(b *testing.B) {
			v := newView()
			v.Sync(append(history(10_000), delegation(60, true)))
			v.FoldAll(folded)
			frame := v.Rows(nil, 160, 70)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				v.Tick(noon.Add(time.Duration(i)*100*time.Millisecond), i)
				frame = v.Rows(frame[:0], 160, 70)
			}
		})
	}
}

// BenchmarkRunning lets time go by for eight commands at work with 64 KB of live
// output each.
func BenchmarkRunning(b *testing.B) {
	var blocks []*event.Block
	tail := event.NewText(strings.Repeat("ok  hermes/store  12%\r 13%\r 14%\n", 2000))
	for i := range 8 {
		blocks = append(blocks, call(fmt.Sprint("c", i), "terminal", "go test ./...", event.ViewCommand, func(b *event.Block, c *event.Call) {
			b.Open, c.Stage, c.Tail = true, event.CallRunning, tail
		}))
	}
	v := newView()
	v.Sync(blocks)
	frame := v.Rows(nil, 160, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Tick(noon.Add(time.Duration(i)*100*time.Millisecond), i)
		frame = v.Rows(frame[:0], 160, 60)
	}
}

// BenchmarkSetReasoning hides and shows reasoning in a long conversation.
func BenchmarkSetReasoning(b *testing.B) {
	v := newView()
	v.Sync(history(50_000))
	frame := v.Rows(nil, 200, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.SetReasoning(i%2 == 1)
		frame = v.Rows(frame[:0], 200, 60)
	}
}

// BenchmarkSyncHidden50k is [BenchmarkSync50k] with reasoning hidden.
func BenchmarkSyncHidden50k(b *testing.B) {
	blocks := history(50_000)
	v := newView()
	v.SetReasoning(false)
	v.Sync(blocks)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Sync(blocks[:50_000-i%2])
	}
}
