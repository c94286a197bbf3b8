//go:build linux || darwin

package transcript

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hermes-tui/agent/event"
	"hermes-tui/ui/find"
)

// reportText is n lines of the Markdown that models write, numbered from a line on.
func reportText(from, n int) string {
	var b strings.Builder
	for i := from; i < from+n; i++ {
		switch at := i % 20; {
		case at == 0:
			fmt.Fprintf(&b, "\n## Part %d\n\n", i/20)
		case at < 8:
			fmt.Fprintf(&b, "- entry %06d of the report, with `code` and **weight** and some plain words\n", i)
		case at == 8:
			b.WriteString("\n```go\n")
		case at < 18:
			fmt.Fprintf(&b, "\tvalue%06d := compute(%d, \"text of line %d\") // and why\n", i, i, i)
		case at == 18:
			b.WriteString("```\n\n")
		default:
			fmt.Fprintf(&b, "Paragraph %06d says in a sentence or two what the lines above are good for.\n", i)
		}
	}
	return b.String()
}

// longAnswers is a conversation of n answers of 5,000 lines each.
func longAnswers(n int) (list []*event.Block) {
	for i := range n {
		list = append(list, block(event.BlockUser, fmt.Sprint("q", i), fmt.Sprintf("turn %03d", i)),
			block(event.BlockAnswer, fmt.Sprint("a", i), reportText(i*5000, 5000)))
	}
	return list
}

// TestPartsShowTheSame has a view that draws answers in parts do what one does that draws
// them as a whole, while an agent and a user do things, and compares every frame.
func TestPartsShowTheSame(t *testing.T) {
	for seed := range uint64(10) {
		a := newActor(100 + seed)
		whole, parts := newView(), newView()
		whole.least, parts.least = math.MaxInt, shortParts
		both := func(do func(*View)) { do(whole); do(parts) }
		both(func(v *View) { v.SetSize(20+int(seed)*7, 16) })
		for i := range 300 {
			a.step()
			dice := a.rnd.Uint64()
			both(func(v *View) {
				v.Sync(a.state.Root().Blocks)
				doSame(v, rand.New(rand.NewPCG(dice, 1)), i)
			})
			got, want := colour(parts), colour(whole)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				for k := range got {
					if got[k] != want[k] {
						t.Errorf("row %d\n%q\n%q", k, got[k], want[k])
					}
				}
				t.Fatalf("seed %d, step %d:\n%s\nas a whole:\n%s", seed, i, plain(got), plain(want))
			}
			if got, want := parts.SelectionText(), whole.SelectionText(); got != want {
				t.Fatalf("seed %d, step %d: selected %q, as a whole %q", seed, i, got, want)
			}
			if got, want := parts.Found(), whole.Found(); got != want {
				t.Fatalf("seed %d, step %d: found %+v, as a whole %+v", seed, i, got, want)
			}
		}
		if len(parts.long) == 0 {
			t.Errorf("seed %d: no answer is drawn in parts", seed)
		}
	}
}

// doSame does something that leaves views at the same place however they draw.
func doSame(v *View, rnd *rand.Rand, i int) {
	switch rnd.IntN(15) {
	case 0, 1:
		v.ScrollBy(rnd.IntN(60) - 40)
	case 2:
		v.Bottom()
	case 3:
		v.Select(Move(rnd.IntN(3)))
	case 4:
		v.ToggleFold()
	case 5:
		v.TurnPrev()
	case 6:
		v.TurnNext()
	case 7:
		v.Find(find.Query{Text: []string{"", "words", "code", "item", "t", "x := "}[rnd.IntN(6)]})
		finish(v)
	case 8, 9:
		v.FindNext(rnd.IntN(2) == 0)
		finish(v)
	case 10:
		v.PageUp()
	case 11:
		v.StartSelection(rnd.IntN(100), rnd.IntN(20), Unit(rnd.IntN(3)))
		v.ExtendSelection(rnd.IntN(100), rnd.IntN(20))
	case 12:
		v.SelectByKeys()
		v.MoveSelection(Step(rnd.IntN(int(StepBottom + 1))))
	case 13:
		v.EndSelection()
	case 14:
		v.Tick(noon.Add(time.Duration(i)*time.Second), i)
	}
}

// slowest tells how long the longest of some steps takes, in time of the processor.
type slowest struct{ d time.Duration }

func (s *slowest) time(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
		return time.Duration(t.Nano())
	}
	at := used()
	f()
	s.d = max(s.d, used()-at)
}

// BenchmarkLongAnswers finds, resizes and jumps in a conversation of 20 answers of 5,000
// lines. What a user waits for is the slowest step.
func BenchmarkLongAnswers(b *testing.B) {
	v := newView()
	v.Sync(longAnswers(20))
	frame := v.Rows(nil, 120, 40)
	draw := func(s *slowest) { s.time(func() { v.changed(); frame = v.Rows(frame[:0], 120, 40) }) }
	b.Run("find", func(b *testing.B) {
		var typed, next, drawn slowest
		for i := 0; b.Loop(); i++ {
			text := fmt.Sprintf("entry %05d", i*7919%5000)
			v.Bottom()
			for n := range text {
				typed.time(func() { v.Find(find.Query{Text: text[:n+1]}); v.FindMore() })
				draw(&drawn)
			}
			finish(v)
			draw(&drawn)
			next.time(func() { v.FindNext(false) })
			draw(&drawn)
			v.Find(find.Query{})
		}
		b.ReportMetric(typed.d.Seconds()*1e3, "max-letter-ms")
		b.ReportMetric(next.d.Seconds()*1e3, "max-next-ms")
		b.ReportMetric(drawn.d.Seconds()*1e3, "max-frame-ms")
	})
	b.Run("resize", func(b *testing.B) {
		var drawn slowest
		for i := 0; b.Loop(); i++ {
			drawn.time(func() { frame = v.Rows(frame[:0], 60+i*37%120, 40) })
		}
		b.ReportMetric(drawn.d.Seconds()*1e3, "max-frame-ms")
	})
	v.long = map[event.BlockID]*longAnswer{} // as when the conversation was loaded
	b.Run("turns", func(b *testing.B) {
		var drawn slowest
		for b.Loop() {
			drawn.time(func() {
				if !v.TurnPrev() {
					v.choose("", 0)
					v.Bottom()
				}
				v.ScrollBy(-3)
				frame = v.Rows(frame[:0], 120, 40)
			})
		}
		b.ReportMetric(drawn.d.Seconds()*1e3, "max-frame-ms")
	})
}

// BenchmarkLongFence streams, finds, resizes and jumps in one block of code of 100,000 lines.
// What a user waits for is the slowest step.
func BenchmarkLongFence(b *testing.B) {
	const lines = 100_000
	line := func(i int) string {
		return fmt.Sprintf("\tvalue%06d := compute(%d, \"text of line %d\") // and why\n", i, i, i)
	}
	for b.Loop() {
		v := newView()
		v.SetSize(120, 40)
		var streamed, ended, refined, found, next, resized, turned slowest
		text := event.NewText("Here it is:\n\n```go\n")
		one := []*event.Block{block(event.BlockUser, "q", "write it"), nil}
		frame := v.Rows(nil, 120, 40)
		show := func(s *slowest, rev int, open bool) {
			one[1] = &event.Block{ID: "a", Kind: event.BlockAnswer, At: noon, Rev: uint64(rev), Open: open, Text: text}
			s.time(func() { v.Sync(one); frame = v.Rows(frame[:0], 120, 40) })
		}
		for i := range lines {
			text = text.Append(line(i))
			show(&streamed, i, true)
		}
		text = text.Append("```\n")
		show(&ended, lines, false)
		for more := true; more; {
			refined.time(func() { v.Tick(noon, 0); more = v.moving; frame = v.Rows(frame[:0], 120, 40) })
		}
		for n := range 12 {
			found.time(func() { v.Find(find.Query{Text: "line 099999"[:n]}); v.FindMore(); frame = v.Rows(frame[:0], 120, 40) })
		}
		finish(v)
		next.time(func() { v.FindNext(false); frame = v.Rows(frame[:0], 120, 40) })
		for i := range 3 {
			resized.time(func() { frame = v.Rows(frame[:0], 100+i, 40) })
		}
		turned.time(func() { v.TurnPrev(); v.PageUp(); frame = v.Rows(frame[:0], 102, 40) })
		for name, s := range map[string]slowest{"stream": streamed, "end": ended, "refine": refined, "letter": found, "next": next, "resize": resized, "jump": turned} {
			b.ReportMetric(s.d.Seconds()*1e3, "max-"+name+"-ms")
		}
	}
}

// TestLongFenceShowsTheSame is [TestPartsShowTheSame] for code that is taken apart. What is
// selected of such code on from before it has the line that opens it.
func TestLongFenceShowsTheSame(t *testing.T) {
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		text := event.NewText("Here it is:\n\n```go\n" + strings.Repeat("x := code\n", 405))
		whole, parts := newView(), newView()
		whole.least, parts.least = math.MaxInt, shortParts
		for i := range 300 {
			line := fmt.Sprintf("\tt%d := words(%d)\n", i, i)
			switch i % 50 {
			case 20:
				line = strings.Repeat("long line ", 40) + "\n"
			case 30:
				line = "```\nafter the words\nand more\n\n- item\n"
			case 40:
				line = "```text\n" + strings.Repeat("y words\n", 410)
			}
			text = text.Append(line)
			b := &event.Block{ID: "a", Kind: event.BlockAnswer, At: noon, Rev: uint64(i), Open: i < 299, Text: text}
			dice := rnd.Uint64()
			for _, v := range []*View{whole, parts} {
				v.SetSize(20+int(seed)*11, 16)
				v.Sync([]*event.Block{block(event.BlockUser, "q", "write it"), b})
				doSame(v, rand.New(rand.NewPCG(dice, 1)), i)
				if jump := rand.New(rand.NewPCG(dice, 1)).IntN(15); jump >= 7 && jump <= 9 { // a search goes there by other steps
					v.Bottom()
				}
			}
			if got, want := colour(parts), colour(whole); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("seed %d, step %d:\n%s\nas a whole:\n%s", seed, i, plain(got), plain(want))
			}
			if got, want := parts.Found(), whole.Found(); got != want {
				t.Fatalf("seed %d, step %d: found %+v, as a whole %+v", seed, i, got, want)
			}
		}
	}
}
