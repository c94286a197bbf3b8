package screen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"hermes-tui/ui/rows"
)

var environ = []string{"TERM=xterm-256color"}

// onTerminal are the rows that a terminal shows, styles included.
func onTerminal(e *vt.Emulator) []string {
	list := make([]string, e.Height())
	for y := range list {
		line := uv.NewLine(e.Width())
		for x := range line {
			if c := e.CellAt(x, y); c != nil {
				line[x] = *c
			}
			if line[x].Content == " " { // what cannot be seen of it may differ
				line[x].Style.Fg = nil
				line[x].Style.Attrs &^= uv.AttrBold | uv.AttrItalic
			}
		}
		list[y] = line.Render()
	}
	return list
}

// piece is some text of a row, narrow and wide, plain and styled.
func piece(r *rand.Rand) string {
	texts := []string{"word ", "│ ", "日本 ", "── ", "         ", "x", "🙂 ", "1234", "t\u00e9 "}
	styles := []string{"", "\x1b[1m", "\x1b[38;2;226;165;90m", "\x1b[48;2;20;30;40m", "\x1b[4;31m"}
	t, s := texts[r.IntN(len(texts))], styles[r.IntN(len(styles))]
	if s == "" {
		return t
	}
	return s + t + "\x1b[m"
}

func randomRow(r *rand.Rand, w int) string {
	if r.IntN(3) == 0 { // rows that are the same, and empty ones
		return rows.Fit(strings.Repeat("── ", r.IntN(2)), w)
	}
	var b strings.Builder
	for rows.Width(b.String()) < w/2+r.IntN(w/2) {
		b.WriteString(piece(r))
	}
	return rows.Fit(b.String(), w)
}

// change makes the next frame of a frame: rows changed, scrolled, all new, another
// size.
func change(r *rand.Rand, f Frame) Frame {
	f.Rows = slices.Clone(f.Rows)
	h := len(f.Rows)
	switch r.IntN(10) {
	case 0:
		f.Width, h = 20+r.IntN(60), 5+r.IntN(20)
		f.Rows = make([]string, h)
		for y := range f.Rows {
			f.Rows[y] = randomRow(r, f.Width)
		}
	case 1, 2, 3:
		n := 1 + r.IntN(h-1)
		f.Rows = append(f.Rows[n:], make([]string, n)...)
		for y := h - n; y < h; y++ {
			f.Rows[y] = randomRow(r, f.Width)
		}
	case 8, 9: // a part moves among rows that stay
		top, n := r.IntN(h-3), 1+r.IntN(2)
		bottom := top + 3 + r.IntN(h-top-2)
		moved := slices.Clone(f.Rows[top:bottom])
		for i := range moved {
			f.Rows[top+i] = moved[(i+n)%len(moved)]
		}
		if r.IntN(2) == 0 {
			f.Rows[top+r.IntN(bottom-top)] = rows.Blank(f.Width)
		}
	case 4:
		f.Title = fmt.Sprint("title ", r.IntN(3))
	default:
		for range 1 + r.IntN(3) {
			f.Rows[r.IntN(h)] = randomRow(r, f.Width)
		}
	}
	f.Cursor, f.Hidden = uv.Pos(r.IntN(f.Width), r.IntN(h)), r.IntN(4) == 0
	f.Mouse = r.IntN(2) == 0
	return f
}

// TestFramesReachTheTerminal draws random frames one after the other, each as what
// it changes, and compares what the terminal shows with the same frame drawn on an
// empty one.
func TestFramesReachTheTerminal(t *testing.T) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPainter(environ, colorprofile.TrueColor)
		p.sync = seed%2 == 0
		f := Frame{Width: 40, Rows: make([]string, 10)}
		for y := range f.Rows {
			f.Rows[y] = randomRow(r, f.Width)
		}
		e := vt.NewEmulator(f.Width, len(f.Rows))
		if seed%4 < 2 {
			_, _ = e.Write(p.setGraphemes())
		}
		for step := range 60 {
			if e.Width() != f.Width || e.Height() != len(f.Rows) {
				e.Resize(f.Width, len(f.Rows))
			}
			switch r.IntN(20) {
			case 0:
				p.erase()
			case 1: // given back and taken again
				_, _ = e.Write(p.leave())
			}
			_, _ = e.Write(p.frame(&f, nil))
			fresh := newPainter(environ, colorprofile.TrueColor)
			want := vt.NewEmulator(f.Width, len(f.Rows))
			if p.graphemes {
				_, _ = want.Write(fresh.setGraphemes())
			}
			_, _ = want.Write(fresh.frame(&f, nil))
			got, all := onTerminal(e), onTerminal(want)
			for y := range all {
				if got[y] != all[y] || strings.TrimRight(ansi.Strip(all[y]), " ") != strings.TrimRight(ansi.Strip(f.Rows[y]), " ") {
					t.Fatalf("seed %d, step %d, row %d of %d×%d: it shows\n%q, drawn at once\n%q, the frame has\n%q", seed, step, y, f.Width, len(all), got[y], all[y], f.Rows[y])
				}
			}
			if at := e.CursorPosition(); !f.Hidden && at != f.Cursor {
				t.Fatalf("seed %d, step %d: the cursor is at %v, not %v", seed, step, at, f.Cursor)
			}
			if out := p.frame(&f, nil); len(out) > 0 {
				t.Fatalf("seed %d, step %d: the same frame again writes %q", seed, step, out)
			}
			f = change(r, f)
		}
	}
}

// TestUnchangedWideRowsStay writes nothing of rows that are as they were.
func TestUnchangedWideRowsStay(t *testing.T) {
	p := newPainter(environ, colorprofile.TrueColor)
	f := Frame{Width: 20, Rows: []string{rows.Fit("日本語", 20), rows.Fit("one", 20), rows.Fit("🙂 two", 20)}}
	p.frame(&f, nil)
	for range 2 { // the renderer looks once more at rows it was told of before
		f.Rows = slices.Clone(f.Rows)
		f.Rows[1] = rows.Fit(f.Rows[1][:3]+"!", 20)
		if out := string(p.frame(&f, nil)); strings.ContainsAny(out, "日🙂") {
			t.Errorf("it writes %q", out)
		}
		f.Rows[1] = rows.Fit("one", 20)
	}
}

// TestOneChange says how a frame is wrapped, with and without synchronised output.
func TestOneChange(t *testing.T) {
	draw := func(sync bool) string {
		p := newPainter(environ, colorprofile.TrueColor)
		p.sync = sync
		f := Frame{Width: 10, Rows: []string{rows.Fit("a", 10)}}
		p.frame(&f, nil)
		f.Rows = []string{rows.Fit("ab", 10)}
		f.Cursor = uv.Pos(2, 0)
		return string(p.frame(&f, []byte("Q")))
	}
	if got, want := draw(true), "Q\x1b[?2026hab\x1b[?2026l"; got != want {
		t.Errorf("synchronised it is %q", got)
	}
	if got := draw(false); !strings.HasPrefix(got, "Q\x1b[?25l") || !strings.HasSuffix(got, "b\x1b[?25h") {
		t.Errorf("otherwise it is %q", got)
	}
}

// longFrame is a frame of 120×40 as an answer fills it.
func longFrame() Frame {
	f := Frame{Width: 120, Rows: make([]string, 40)}
	for y := range f.Rows {
		f.Rows[y] = rows.Fit(fmt.Sprintf(" \x1b[38;2;215;219;226mline %d of an answer that has words in it\x1b[m", y), 120)
	}
	return f
}

// BenchmarkFrame draws frames of 120×40: after a key, after a delta, after a scroll
// by a row, after a change of all.
func BenchmarkFrame(b *testing.B) {
	for name, change := range map[string]func(f *Frame, i int){
		"same": func(*Frame, int) {},
		"key": func(f *Frame, i int) {
			f.Rows[38] = rows.Fit("❯ some draf"+strings.Repeat("t", i%2), 120)
			f.Cursor = uv.Pos(11+i%2, 38)
		},
		"scroll": func(f *Frame, i int) {
			copy(f.Rows[2:36], f.Rows[3:37])
			f.Rows[36] = rows.Fit(fmt.Sprintf(" \x1b[38;2;215;219;226mline %d more\x1b[m", i), 120)
		},
		"all": func(f *Frame, i int) {
			for y := range f.Rows {
				f.Rows[y] = rows.Fit(fmt.Sprintf(" \x1b[38;2;215;219;226mrow %d.%d\x1b[m", y, i), 120)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			p := newPainter(environ, colorprofile.TrueColor)
			p.sync = true
			f := longFrame()
			p.frame(&f, nil)
			written := 0
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				change(&f, i)
				written += len(p.frame(&f, nil))
			}
			b.ReportMetric(float64(written)/float64(b.N), "bytes/op")
		})
	}
}
