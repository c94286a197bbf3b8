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
