package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
)

// tailed is a list of jobs with room for the end of a text; the last one's words would do harm.
func tailed() *overlay.Picker {
	p := overlay.NewPicker(styles, overlay.PickerOptions{Title: "Background jobs", Empty: "Nothing runs in the background.", Tail: true, Hints: hints})
	p.SetItems(p.Load(), []overlay.Item{
		{ID: "1", Label: "go test ./... -run 'TestOfAVeryLongName' -count=20 && echo a command that fits on no screen of a usual width", Right: "running 1m 4s"},
		{ID: "2", Label: "npm run dev", Detail: "~/src/漢字", Right: "still running 3h 2m"},
		{ID: "3", Label: "make", Right: "exit 0 12s"},
		{ID: "4", Label: "false", Right: "exit 1 0s"},
		{ID: "5", Label: "sleep 1\n\x1b]0;owned\arm -rf /\t\u202e漢字", Detail: "\x1b[2J/x", Right: "ended 9s"},
	})
	return p
}

func TestTailGolden(t *testing.T) {
	golden(t, "jobs", 20, func() overlay.Box { return tailed() }, func(b overlay.Box) {
		b.Move(overlay.Down)
		b.(*overlay.Picker).SetTail("2", "one\ntwo \x1b[31mred\x1b[m 漢字\n50%\r100%\nlast")
	})
	golden(t, "jobs-low", 10, func() overlay.Box { return tailed() }, func(b overlay.Box) { b.Move(overlay.Bottom) })
}

// TestTailAtAllSizes draws the window at all sizes with a text that is hostile: every row has
// exactly its cells.
func TestTailAtAllSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	hostile := "\x1b[2J\x1b[H\x1b]52;c;AAAA\a\x1bPq\x1b\\" + strings.Repeat("漢字👩‍👩‍👧é\t\x00\x7f\u202e", 50) + "\r\nnext\x1b[38;5;1m"
	for w := range 90 {
		for h := range 30 {
			b := tailed()
			for range r.IntN(7) {
				b.Move(overlay.Move(r.IntN(6)))
			}
			at, _ := b.Selected()
			b.SetTail(at.ID, hostile[r.IntN(8):])
			draw(t, b, w, h)
			for _, row := range b.Rows(nil, w, h) {
				if plain := ansi.Strip(row); strings.ContainsAny(plain, "\x1b\a\x00\u202e") {
					t.Fatalf("%d×%d: %q", w, h, plain)
				}
			}
		}
	}
}

// TestTailOfTheMarked drops a text about an entry that is not marked, takes a new one once, and
// keeps letters for keys.
func TestTailOfTheMarked(t *testing.T) {
	p := tailed()
	p.Move(overlay.Down)
	if p.SetTail("1", "of another one") || !p.SetTail("2", "mine") || p.SetTail("2", "mine") {
		t.Error("output was not told apart")
	}
	contains(t, p, "▸  npm run dev", "mine")
	if p.Type("make"); p.Query() != "" {
		t.Error("letters filter")
	}
	p.Move(overlay.Down)
	contains(t, p, "▸  make", "One moment")
}

// TestPagerOfASource makes the text again for every width and for other colours,
// keeps the place and the matches, and copies what the text was made of.
func TestPagerOfASource(t *testing.T) {
	made := 0
	var lines []string
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	p := overlay.NewPagerOf(styles, "Title", "raw", sourceOf(lines, &made), hints)
	contains(t, p, "line 0 80", "400 lines")
	contains(t, p, "line 0 80")
	if made != 1 {
		t.Errorf("made %d times for one width", made)
	}
	for range 10 {
		p.Move(overlay.PageDown)
	}
	before := text(t, p, 80, 24)
	if got := text(t, p, 120, 24); !strings.Contains(got, strings.Fields(before)[0]) || strings.Contains(got, "line 0 ") {
		t.Errorf("the place was lost:\n%s", got)
	}
	p.Find()
	p.Type("line 399")
	p.Accept()
	contains(t, p, "line 399 80", "1 of 1")
	if got := text(t, p, 60, 20); !strings.Contains(got, "1 of 1") {
		t.Errorf("the match was lost:\n%s", got)
	}
	if p.Text() != "raw" {
		t.Errorf("copied %q", p.Text())
	}
}

// TestPagerRenewed changes the text while it is read: the place stays, and what is
// copied is the new one.
func TestPagerRenewed(t *testing.T) {
	made := 0
	lines := func(word string) (list []string) {
		for i := range 100 {
			list = append(list, fmt.Sprintf("%s %d", word, i))
		}
		return list
	}
	p := overlay.NewPagerOf(styles, "Title", "raw", sourceOf(lines("old"), &made), hints)
	contains(t, p, "old 0 80")
	p.Move(overlay.PageDown)
	contains(t, p, "old 20 80")
	p.Renew("raw of the new", sourceOf(lines("new"), &made))
	contains(t, p, "new 20 80", "100 lines")
	contains(t, p, "new 20 80")
	if made != 2 || p.Text() != "raw of the new" {
		t.Errorf("made %d times, copied %q", made, p.Text())
	}
	p.Find()
	p.Type("new 9")
	p.Accept()
	p.Renew("", sourceOf(lines("newer"), &made))
	contains(t, p, "newer", "not found")
	p.Renew("", sourceOf(nil, &made)) // shorter than where it was
	text(t, p, 80, 24)
}

// sourceOf writes lines and, behind each, the screen width they are for.
func sourceOf(lines []string, made *int) overlay.Source {
	return func(w int, _ *rows.Styles) string {
		*made++
		return strings.Join(lines, fmt.Sprintf(" %d\n", w+8)) + fmt.Sprintf(" %d", w+8)
	}
}

// BenchmarkJobsFrame draws the window with a tail of 200 KB that is new each time.
func BenchmarkJobsFrame(b *testing.B) {
	box := tailed()
	tail := strings.Repeat("a line of output with \x1b[32mcolours\x1b[m and 漢字\n", 200_000/50)
	tails := [2]string{tail, tail + "."}
	frame := make([]string, 50)
	b.ReportAllocs()
	b.SetBytes(int64(len(tail)))
	for i := 0; b.Loop(); i++ {
		box.SetTail("1", tails[i%2])
		for y := range frame {
			frame[y] = strings.Repeat(" ", 160)
		}
		overlay.Draw(frame, box, 160, 50)
	}
}
