//go:build unix

package uitest

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// lit is a terminal whose answers are collected.
func lit(t testing.TB, cols, rows int, kind Terminal) (*terminal, func() string) {
	t.Helper()
	term := newTerminal(cols, rows, kind)
	var answers bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&answers, term.answers())
	}()
	stop := func() string {
		term.close()
		<-done
		return answers.String()
	}
	t.Cleanup(func() { stop() })
	return term, stop
}

func TestTitlesInAnyScript(t *testing.T) {
	for _, title := range []string{"plain", "Ü ✓; 日本 ❜; x", "", "a\tb"} {
		for _, end := range []string{"\x07", "\x1b\\"} {
			s := ParseScreen(20, 2, "before\x1b]2;"+title+end+"after")
			want := title
			if s.Title != want || s.Line(0) != "beforeafter" {
				t.Errorf("%q: the title is %q, the screen %q", title, s.Title, s.Line(0))
			}
		}
	}
	if s := ParseScreen(20, 2, "\x1b]2;lost\x18kept"); s.Title != firstTitle || s.Line(0) != "kept" {
		t.Errorf("a title that was broken off is %q on %q", s.Title, s.Line(0))
	}
}

func TestMarksInTitles(t *testing.T) {
	for _, c := range []struct {
		title, plain string
		mark         Mark
		found        bool
	}{
		{"app ⟦sync=12 busy=3⟧", "app", Mark{Sync: 12, Busy: 3}, true},
		{"⟦sync=0 busy=0⟧", "", Mark{}, true},
		{"a ⟦b⟧ ⟦sync=1 busy=0 size=120x36⟧", "a ⟦b⟧", Mark{1, 0, 120, 36}, true},
		{"a ⟦sync=1 busy=⟧", "a ⟦sync=1 busy=⟧", Mark{}, false},
		{"⟦sync=1 busy=0⟧ more", "⟦sync=1 busy=0⟧ more", Mark{}, false},
	} {
		plain, m, found := CutMark(c.title)
		if plain != c.plain || m != c.mark || found != c.found {
			t.Errorf("%q: %q %+v %t", c.title, plain, m, found)
		}
	}
}

func TestAMarkCountsWhenItsFrameIsComplete(t *testing.T) {
	term, _ := lit(t, 20, 2, Terminal{})
	at := func(want mark) {
		t.Helper()
		if term.mark != want {
			t.Errorf("the mark is %+v, want %+v", term.mark, want)
		}
	}
	term.write([]byte("\x1b]2;⟦sync=1 busy=0⟧\x07text"))
	at(mark{Mark{Sync: 1}, true, false})
	term.write([]byte("\x1b[?2026h\x1b]2;⟦sync=2 busy=1⟧\x07text"))
	at(mark{Mark{Sync: 2, Busy: 1}, true, false})
	term.write([]byte("\x1b[?2026l"))
	at(mark{Mark{Sync: 2, Busy: 1}, true, true})
}

func TestQuestionsAreAnswered(t *testing.T) {
	const questions = "\x1b[?2026$p\x1b[?2027$p\x1b[?2026h\x1b[?2026$p\x1b[?u\x1b[>5u\x1b[?u\x1b[=2;2u\x1b[?u\x1b[<u\x1b[?u\x1b]11;?\x07\x1b[?7$p"
	for name, c := range map[string]struct {
		kind Terminal
		want string
	}{
		"usual": {Terminal{}, "\x1b[?2026;2$y\x1b[?2027;2$y\x1b[?2026;1$y\x1b]11;rgb:0000/0000/0000\x07\x1b[?7;1$y"},
		"other": {Terminal{Light: true, NoSync: true, NoGraphemes: true, Kitty: true},
			"\x1b[?2026;0$y\x1b[?2027;0$y\x1b[?2026;0$y\x1b[?0u\x1b[?5u\x1b[?7u\x1b[?0u\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?7;1$y"},
	} {
		t.Run(name, func(t *testing.T) {
			term, stop := lit(t, 20, 2, c.kind)
			term.write([]byte(questions))
			if got := stop(); got != c.want {
				t.Errorf("the answers are %q, want %q", got, c.want)
			}
		})
	}
}

func TestTailAndHistoryAreBounded(t *testing.T) {
	term, _ := lit(t, 20, 2, Terminal{})
	line := []byte(strings.Repeat("x", 18) + "\r\n")
	for range 20_000 {
		term.write(line)
	}
	term.write([]byte("the end"))
	if n := len(term.tail); n < keepTail || n > 2*keepTail || !bytes.HasSuffix(term.tail, []byte("the end")) {
		t.Errorf("%d bytes are kept", n)
	}
	if term.bytes != 400_007 {
		t.Errorf("%d bytes were counted", term.bytes)
	}
	if got := term.history(); len(got) != 5000 || got[0] != strings.Repeat("x", 18) {
		t.Errorf("%d rows are kept", len(got))
	}
}

// TestPiecesOfCharacters holds the model to the same screen however the output
// is cut into pieces.
func TestPiecesOfCharacters(t *testing.T) {
	const output = "a👨‍👩‍👧b 日本 \x1b]2;ti✓tle\x07\x1b[1mé🇩🇪\x1b[m é|"
	want := ParseScreen(40, 2, output)
	if want.Line(0) != "a👨‍👩‍👧b 日本 é🇩🇪 é|" {
		t.Fatalf("the whole output gives %q", want.Line(0))
	}
	for cut := 1; cut < len(output); cut++ {
		synctest.Test(t, func(t *testing.T) { // in whose time the second piece is never late
			term, _ := lit(t, 40, 2, Terminal{})
			r, w := io.Pipe()
			go func() {
				_, _ = w.Write([]byte(output[:cut]))
				_, _ = w.Write([]byte(output[cut:]))
				_ = w.Close()
			}()
			show(r, term, nil)
			if got := term.snapshot(); got.String() != want.String() {
				t.Fatalf("cut at %d:\n%s\nwant\n%s", cut, got, want)
			}
		})
	}
}

func TestALoneCharacterIsShownSoon(t *testing.T) {
	term, _ := lit(t, 10, 1, Terminal{})
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		show(r, term, nil)
	}()
	if _, err := w.Write([]byte("日")); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(10 * time.Second)
	for {
		term.mu.Lock()
		text, changed := term.picture().Line(0), term.changed
		term.mu.Unlock()
		if text == "日" {
			break
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("the screen is %q", text)
		}
	}
	_ = w.Close()
	<-done
}

// FuzzTerminal feeds anything: the model may be wrong about nonsense, but must
// give a screen of its size whose rows are as wide as it.
func FuzzTerminal(f *testing.F) {
	for _, seed := range []string{
		"plain text", "\x1b[31mred\x1b[m\r\n", "\x1b]2;title ✓\x07", "\x1b[?1049h\x1b[2J\x1b[5;5H日", "\x1b[999;999H\x1b[J\x1b[1;1r\n\n",
		"\x1bPabc\x1b\\", "\x1b]8;;http://x\x07y", "\x1b[22;0t\x1b[23;0t", "\x1b[>1u\x1b[<9u\x1b[=1;3u", "\x1b[?u\x1b[6n\x1b]52;c;eHg=\x07",
		"\xff\xfe\x80", "\x1b[2;3r\x1bM\x1b[L\x1b[P\x1b[@\x1b[99b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		term, stop := lit(t, 20, 5, Terminal{Kitty: true})
		defer stop()
		term.write(data)
		s := term.snapshot()
		if s.Cols != 20 || s.Rows != 5 || len(s.Lines()) != 5 {
			t.Fatalf("the screen is %d×%d", s.Cols, s.Rows)
		}
		for y := range s.Rows {
			width := 0
			for x := range s.Cols {
				width += s.Cell(x, y).Width
			}
			if width < 20 || width > 21 { // the last column may hold half of a wide one
				t.Fatalf("row %d is %d columns wide: %+v", y, width, s.cells[y])
			}
		}
		_ = term.left()
	})
}

// FuzzScanner holds the scanner to the same result however the output is cut.
func FuzzScanner(f *testing.F) {
	f.Add([]byte("a\x1b]2;x\x07b\x1b]8;;y\x1b\\c\x1bPq\x1b\\d"), uint8(4))
	f.Add([]byte("\x1b\x1b]\x1b]\x18\x1b"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		run := func(pieces ...[]byte) (text, commands string, open bool) {
			var b, c strings.Builder
			s := scanner{text: func(p []byte) { b.Write(p) }, command: func(p string) { c.WriteString(p + "\n") }}
			for _, p := range pieces {
				s.feed(p)
			}
			return b.String(), c.String(), s.open()
		}
		at := int(cut) % (len(data) + 1)
		text, commands, open := run(data)
		text2, commands2, open2 := run(data[:at], data[at:])
		if text != text2 || commands != commands2 || open != open2 {
			t.Fatalf("cut at %d: %q %q %t, whole: %q %q %t", at, text2, commands2, open2, text, commands, open)
		}
		if len(text)+len(commands) > 2*len(data)+8 {
			t.Fatalf("%d bytes became %d and %d", len(data), len(text), len(commands))
		}
	})
}

func BenchmarkTerminal(b *testing.B) {
	rows := strings.TrimSuffix(strings.Repeat("\x1b[31mcolour\x1b[m and plain text ─── │ \r\n", 36), "\r\n")
	frame := []byte("\x1b[?2026h\x1b]2;t ⟦sync=1 busy=0⟧\x07\x1b[H" + rows + "\x1b[?2026l")
	term, _ := lit(b, 120, 36, Terminal{})
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(frame)))
		for b.Loop() {
			term.write(frame)
		}
	})
	b.Run("snapshot", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if term.snapshot().Rows != 36 {
				b.Fatal("no screen")
			}
		}
	})
}

func TestHugeNumbersTakeNoTime(t *testing.T) {
	for final := '@'; final <= '~'; final++ {
		term, _ := lit(t, 20, 5, Terminal{})
		began := time.Now()
		for _, prefix := range []string{"", "?", ">", "<", "="} {
			term.write([]byte("\x1b[3;3Ha\x1b[" + prefix + "999999999" + string(final)))
		}
		if took := time.Since(began); took > time.Second || term.fault != nil {
			t.Errorf("CSI %c took %v: %v", final, took, term.fault)
		}
	}
}

// TestMarginsOfALargerScreen scrolls within margins that the screen had before it shrank.
func TestMarginsOfALargerScreen(t *testing.T) {
	term := newTerminal(20, 10, Terminal{})
	t.Cleanup(term.close)
	term.resize(20, 5)
	term.write([]byte("\x1b[3;9r\x1b[3;1H\x1b[6S\x1b[2L\x1b[1;10r\x1b[Hnow"))
	if term.fault != nil || !strings.HasPrefix(term.em.Render(), "now") {
		t.Errorf("%v\n%s", term.fault, term.em.Render())
	}
}
