package review

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

func window(made bool, files ...hunks.File) *Window {
	return New(Options{
		Styles: rows.NewStyles(themes.Theme{}), Title: "Review", Edit: edit(files), Made: made,
		Edits: map[keys.Action]composer.Action{keys.Backspace: composer.Backspace},
		Hints: func(...keys.Hint) []status.Hint { return nil },
	})
}

func edit(files []hunks.File) *event.Edit { return event.EditOf(files) }

func lines(n int, changed ...int) string {
	var b strings.Builder
	for i := range n {
		word := "line"
		for _, c := range changed {
			if i == c {
				word = "LINE"
			}
		}
		fmt.Fprintf(&b, "\t%s %d\n", word, i)
	}
	return b.String()
}

// do gives actions to a window, and text behind a blank.
func do(w *Window, list ...any) (last overlay.Request) {
	for _, a := range list {
		w.Rows(nil, 80, 24)
		switch a := a.(type) {
		case keys.Action:
			last = w.Act(a)
		case string:
			last = w.Type(a)
		}
	}
	return last
}

// TestDecide decides about all that can happen to files.
func TestDecide(t *testing.T) {
	w := window(false,
		hunks.File{Name: "a", Op: hunks.Change, Old: lines(40), New: lines(40, 3, 20, 30)},
		hunks.File{Name: "n", Op: hunks.Create, New: "x\r\ny\r\n"},
		hunks.File{Name: "m", To: "k", Op: hunks.Move, Old: lines(9), New: lines(9, 2)},
		hunks.File{Name: "d", Op: hunks.Delete, Old: lines(3)},
		hunks.File{Name: "b", Op: hunks.Change, Old: "\x00", New: "\x01", Opaque: "a binary file"},
	)
	if len(w.pieces) != 8 {
		t.Fatalf("%d pieces", len(w.pieces))
	}
	if do(w, keys.Accept); !strings.Contains(w.say, "Nothing is decided") {
		t.Error(w.say)
	}
	if r := do(w, keys.TakeHunk, keys.RejectHunk, keys.Accept); r != nil || !strings.Contains(w.say, "6 of 8 are undecided") || w.at != 2 {
		t.Error(r, w.say, w.at)
	}
	do(w, keys.EditHunk)
	if w.input.Value() != "⇥LINE 30" || !w.Typing() {
		t.Errorf("to be written otherwise: %q", w.input.Value())
	}
	do(w, "!", keys.Newline, "\tmore", keys.Accept, keys.CommentHunk, "two lines?", keys.Accept)
	do(w, keys.NextHunk, keys.EditHunk)
	if w.input.Value() != "x\ny" {
		t.Errorf("a file with CRLF to be written otherwise: %q", w.input.Value())
	}
	w.Back()
	do(w, keys.TakeHunk, keys.RejectHunk, keys.TakeHunk, keys.EditHunk)
	if w.Typing() || !strings.Contains(w.say, "as a whole") {
		t.Error("a deletion can be written otherwise")
	}
	r, ok := do(w, keys.TakeHunk, keys.RejectHunk, keys.Accept).(Send)
	want := hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{
		{File: 0, Piece: 1, Verdict: hunks.Reject}, {File: 0, Piece: 2, Verdict: hunks.Replace, Text: "\tLINE 30!\n\tmore", Comment: "two lines?"},
		{File: 2, Piece: 0, Verdict: hunks.Reject}, {File: 4, Piece: 0, Verdict: hunks.Reject},
	}}
	if !ok || fmt.Sprint(r.Review) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", r.Review, want)
	}
}

// TestDecideAll accepts and rejects all, and takes one back.
func TestDecideAll(t *testing.T) {
	f := hunks.File{Name: "a", Op: hunks.Change, Old: lines(40), New: lines(40, 3, 20, 30)}
	w := window(false, f)
	r, ok := do(w, keys.TakeAll, keys.Accept).(Send)
	if !ok || len(r.Review.List) != 0 || r.Review.Rest != hunks.Accept {
		t.Errorf("%+v", r)
	}
	if do(w, keys.Undecide, keys.Accept) != nil {
		t.Error("sent with one undecided")
	}
	r, ok = do(w, keys.RejectAll, keys.Accept).(Send)
	if !ok || len(r.Review.List) != 3 {
		t.Errorf("%+v", r)
	}
	w = window(true, f)
	if do(w, keys.Accept) != nil || !strings.Contains(w.say, "nothing to send") {
		t.Error("an empty review is sent")
	}
	r, ok = do(w, keys.NextHunk, keys.CommentHunk, "why?", keys.Accept, keys.Accept).(Send)
	if !ok || len(r.Review.List) != 1 || r.Review.List[0] != (hunks.Decision{Piece: 1, Verdict: hunks.Accept, Comment: "why?"}) {
		t.Errorf("%+v", r)
	}
}

// TestPieces holds for random texts that the window finds the pieces that the gate does, and
// what stands there to be written otherwise.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		end := []string{"\n", "\r\n"}[r.IntN(2)]
		for range r.IntN(25) {
			b.WriteString([]string{"a", "b", "-- c", "++ d", "@@ e", "", "\t世界\x1b[31m"}[r.IntN(7)] + end)
		}
		if r.IntN(3) == 0 {
			b.WriteString("no end")
		}
		return b.String()
	}
	for range 500 {
		f := hunks.File{Name: "f", Op: []hunks.Op{hunks.Change, hunks.Create, hunks.Delete, hunks.Move}[r.IntN(4)], To: "g", Old: text(), New: text()}
		switch f.Op {
		case hunks.Create:
			f.Old = ""
		case hunks.Delete:
			f.New = ""
		}
		w, p := window(false, f), f.Pieces()
		if len(w.pieces) != len(p.List) {
			t.Fatalf("%d pieces, want %d: %+v", len(w.pieces), len(p.List), f)
		}
		for i, at := range p.List {
			if !p.Editable(i) {
				continue
			}
			review := hunks.Review{Rest: hunks.Accept, List: []hunks.Decision{{Piece: i, Verdict: hunks.Replace, Text: w.pieces[i].proposed}}}
			if got := review.Typed([]*hunks.Pieces{p}).List[0]; got.Verdict != hunks.Accept && strings.Trim(got.Text, "\r\n") != strings.Trim(hunks.Text(p.New[at.New.From:at.New.To]), "\r\n") && !mixed(f.New) {
				t.Errorf("left as it is, piece %d becomes %q: %+v", i, got.Text, f)
			}
		}
		for range 3 {
			bw, bh := r.IntN(150), r.IntN(50)
			do(w, []keys.Action{keys.NextHunk, keys.TakeHunk, keys.CommentHunk, keys.SideBySide, keys.EditHunk, keys.Accept}[r.IntN(6)])
			list := w.Rows(nil, bw, bh)
			if len(list) != bh {
				t.Fatalf("%d rows of %d", len(list), bh)
			}
			for _, l := range list {
				if rows.Width(l) != bw {
					t.Fatalf("a row of %d cells in %d: %q", rows.Width(l), bw, l)
				}
			}
		}
	}
}

func mixed(s string) bool {
	return strings.Count(s, "\r\n") != strings.Count(s, "\n") && strings.Contains(s, "\r")
}

// TestMarkedInSight steps through many hunks: the head of the marked one is in sight.
func TestMarkedInSight(t *testing.T) {
	var changed []int
	for i := 2; i < 400; i += 10 {
		changed = append(changed, i)
	}
	w := window(false, hunks.File{Name: "a", Op: hunks.Change, Old: lines(400), New: lines(400, changed...)})
	for _, a := range []keys.Action{keys.NextHunk, keys.PrevHunk} {
		for range 40 {
			w.Act(a)
			if text := strings.Join(w.Rows(nil, 100, 20), "\n"); !strings.Contains(text, fmt.Sprintf("▸ %d/40 ", w.at+1)) {
				t.Fatalf("hunk %d is out of sight:\n%s", w.at+1, text)
			}
		}
	}
}

func BenchmarkRows(b *testing.B) {
	var changed []int
	for i := 2; i < 4000; i += 10 {
		changed = append(changed, i)
	}
	w := window(false, hunks.File{Name: "a.go", Op: hunks.Change, Old: lines(4000), New: lines(4000, changed...)})
	w.Rows(nil, 160, 50)
	b.ReportAllocs()
	for b.Loop() {
		w.Act(keys.NextHunk)
		w.Rows(nil, 160, 50)
	}
}
