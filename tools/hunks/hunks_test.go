package hunks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source makes random texts out of few different lines, so that many of them repeat.
type source struct{ *rand.Rand }

func (r source) text(lines, kinds int) string {
	var b strings.Builder
	for range lines {
		end := "\n"
		switch r.IntN(12) {
		case 0:
			end = "\r\n"
		case 1:
			end = "\r"
		}
		fmt.Fprintf(&b, "%s%d%s", []string{"", "\t", "é ", "\x00", "\xff"}[r.IntN(5)], r.IntN(kinds), end)
	}
	return strings.TrimSuffix(b.String(), []string{"", "\n"}[r.IntN(2)])
}

// changed is a text with some lines taken out, put in and exchanged.
func (r source) changed(text string, changes, kinds int) string {
	lines := Lines(text)
	for range changes {
		at := r.IntN(len(lines) + 1)
		to := min(at+r.IntN(4), len(lines))
		lines = slices.Replace(lines, at, to, Lines(r.text(r.IntN(4), kinds))...)
	}
	return Text(lines)
}

// pairs calls f with random pairs of texts, small ones above all.
func pairs(t *testing.T, n int, f func(r source, before, after string)) {
	t.Helper()
	for seed := range n {
		r := source{rand.New(rand.NewPCG(uint64(seed), 7))}
		before := r.text(r.IntN(30), 1+r.IntN(20))
		after := r.changed(before, r.IntN(6), 20)
		if r.IntN(4) == 0 {
			after = r.text(r.IntN(30), 6)
		}
		f(r, before, after)
		if t.Failed() {
			t.Fatalf("seed %d: %q → %q", seed, before, after)
		}
	}
}

// put puts what was drawn for each hunk into a text by another way than Join: from the
// last hunk to the first, in the lines of the old text.
func put(c *Compared, verdicts []Put) string {
	lines := slices.Clone(c.Old)
	for i, h := range slices.Backward(c.Hunks) {
		var in []string
		switch p := verdicts[i]; {
		case p.Text != nil:
			in = []string{*p.Text}
		case p.New:
			in = c.New[h.New.From:h.New.To]
		default:
			continue
		}
		lines = slices.Replace(lines, h.Old.From, h.Old.To, in...)
	}
	return Text(lines)
}

// TestJoin holds that a text put together is the old one with exactly the hunks that were
// taken, and that all and none of them give the new and the old text.
func TestJoin(t *testing.T) {
	pairs(t, 4000, func(r source, before, after string) {
		c := Compare(before, after)
		all := c.Join(func(int) Put { return Put{New: true} })
		none := c.Join(func(int) Put { return Put{} })
		if all != after || none != before {
			t.Errorf("all %q, none %q", all, none)
		}
		drawn := make([]Put, len(c.Hunks))
		for i := range drawn {
			if drawn[i].New = r.IntN(2) == 0; r.IntN(3) == 0 {
				text := r.text(r.IntN(3), 9)
				drawn[i].Text = &text
			}
		}
		if got, want := c.Join(func(i int) Put { return drawn[i] }), put(c, drawn); got != want {
			t.Errorf("%v: %q, want %q", drawn, got, want)
		}
		checkHunks(t, c)
	})
}

// checkHunks holds that hunks stand in order, apart from each other, and hold only what
// differs at their ends.
func checkHunks(t *testing.T, c *Compared) {
	t.Helper()
	at := Hunk{}
	for i, h := range c.Hunks {
		same := h.Old.From - at.Old.To
		if i > 0 && same < 1 || same != h.New.From-at.New.To || h.Old.Len()+h.New.Len() == 0 {
			t.Errorf("hunk %d: %v behind %v", i, h, at)
			return
		}
		if !slices.Equal(c.Old[at.Old.To:h.Old.From], c.New[at.New.To:h.New.From]) {
			t.Errorf("before hunk %d the texts differ", i)
		}
		at = h
	}
	if !slices.Equal(c.Old[at.Old.To:], c.New[at.New.To:]) {
		t.Error("behind the last hunk the texts differ")
	}
}

// TestUnified holds that patch(1) makes the new text of the old one and a unified
// difference, where both are text.
func TestUnified(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("SKIPPED: patch(1) is not there: differences are not tried with it")
	}
	dir := t.TempDir()
	pairs(t, 60, func(_ source, before, after string) {
		c := Compare(before, after)
		file, diff := filepath.Join(dir, "f"), filepath.Join(dir, "d")
		for name, text := range map[string]string{file: before, diff: c.Unified("a/f", "b/f")} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if before == "" || after == "" || len(c.Hunks) == 0 { // patch makes and deletes files
			return
		}
		out, err := exec.CommandContext(t.Context(), patch, "--binary", "-s", "-p1", "-F0", file, diff).CombinedOutput()
		if err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, c.Unified("a/f", "b/f"))
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != after {
			t.Errorf("patched: %q (%v)", got, err)
		}
	})
}

// TestEditable holds that a hunk which an editor leaves alone stays as it is, and that
// line ends and the end of the text do.
func TestEditable(t *testing.T) {
	pairs(t, 2000, func(_ source, before, after string) {
		c := Compare(before, after)
		for i, h := range c.Hunks {
			lines := c.New[h.New.From:h.New.To]
			ends := slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, "\r\n") }) &&
				slices.ContainsFunc(lines, func(l string) bool { return !strings.HasSuffix(l, "\r\n") })
			if last := len(lines) - 1; ends || last >= 0 && (lines[last] == "\n" || lines[last] == "\r\n") || strings.Contains(Text(lines), "\r\r") {
				continue // lines of several ends become alike; an empty line at the end is none
			}
			if got := c.Edited(h, c.Editable(h)); got != Text(lines) {
				t.Errorf("hunk %d: %q, want %q", i, got, Text(lines))
			}
		}
	})
	c := Compare("a\r\nb\r\n", "a\r\nx\r\nb\r\n")
	if got := c.Edited(c.Hunks[0], "y\nz"); got != "y\r\nz\r\n" {
		t.Errorf("CRLF: %q", got)
	}
	c = Compare("a\nb", "a\nc")
	if got := c.Edited(c.Hunks[0], "d\n"); got != "d" {
		t.Errorf("no line feed at the end: %q", got)
	}
	if got := c.Edited(c.Hunks[0], ""); got != "" {
		t.Errorf("nothing: %q", got)
	}
}

// TestPieces decides about files of every kind.
func TestPieces(t *testing.T) {
	decide := func(f File, list ...Decision) *File {
		p := f.Pieces()
		r := Review{Rest: Accept, List: list}
		if !r.Fits([]*Pieces{p}) {
			t.Errorf("%v does not fit %+v", r, f)
			return nil
		}
		return p.Decided(r.Of(0, p))
	}
	no := func(i int) Decision { return Decision{Piece: i, Verdict: Reject} }
	for _, c := range []struct {
		f    File
		list []Decision
		want *File
	}{
		{File{Op: Create, New: "a\n"}, nil, &File{Op: Create, New: "a\n"}},
		{File{Op: Create, New: ""}, []Decision{no(0)}, nil},
		{File{Op: Create, New: "a\n"}, []Decision{{Verdict: Replace, Text: "b\n"}}, &File{Op: Create, New: "b\n"}},
		{File{Op: Delete, Old: "a\n"}, []Decision{no(0)}, nil},
		{File{Op: Move, To: "n", Old: "a\nb\n", New: "a\nc\n"}, []Decision{no(0)}, &File{Op: Change, Old: "a\nb\n", New: "a\nc\n"}},
		{File{Op: Move, To: "n", Old: "a\nb\n", New: "a\nc\n"}, []Decision{no(1)}, &File{Op: Move, To: "n", Old: "a\nb\n", New: "a\nb\n"}},
		{File{Op: Move, To: "n", Old: "a\n", New: "c\n"}, []Decision{no(0), no(1)}, nil},
		{File{Op: Move, Opaque: "a binary file"}, []Decision{no(0)}, nil},
		{File{Op: Change, Opaque: "a binary file"}, nil, &File{Op: Change, Opaque: "a binary file"}},
		{File{Op: Change, Old: "a\nb\nc\n", New: "A\nb\nC\n"}, []Decision{no(1)}, &File{Op: Change, Old: "a\nb\nc\n", New: "A\nb\nc\n"}},
	} {
		if got := decide(c.f, c.list...); (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%+v, %v: %+v, want %+v", c.f, c.list, got, c.want)
		}
	}
	p := (&File{Op: Delete, Old: "a\n"}).Pieces()
	for _, r := range []Review{
		{}, {Rest: Replace}, {Rest: Accept, List: []Decision{{Piece: 0, Verdict: Replace}}}, {Rest: Accept, List: []Decision{{Piece: 1, Verdict: Accept}}},
		{Rest: Accept, List: []Decision{{File: 1, Verdict: Accept}}}, {Rest: Accept, List: []Decision{no(0), no(0)}}, {Rest: Accept, List: []Decision{{}}},
	} {
		if r.Fits([]*Pieces{p}) {
			t.Errorf("%+v fits", r)
		}
	}
}

// TestDecided holds that files decided about at random hold exactly what was decided, and
// that each piece begins in the line that it is said to.
func TestDecided(t *testing.T) {
	pairs(t, 2000, func(r source, before, after string) {
		f := File{Op: []Op{Change, Move}[r.IntN(2)], To: "to", Old: before, New: after}
		p := f.Pieces()
		review := Review{Rest: []Verdict{Accept, Reject}[r.IntN(2)]}
		want := make([]Put, len(p.Hunks))
		first := p.moves()
		for i := range p.List {
			d := Decision{Piece: i, Verdict: []Verdict{Accept, Reject, Replace, ""}[r.IntN(4)]}
			if i < first && d.Verdict == Replace {
				d.Verdict = Accept
			}
			if d.Verdict == Replace {
				d.Text = r.text(1+r.IntN(3), 9) + "\n"
			}
			v := d.Verdict
			if v == "" {
				v = review.Rest
			} else {
				review.List = append(review.List, d)
			}
			if i < first {
				continue
			}
			if want[i-first] = (Put{New: v == Accept}); v == Replace {
				want[i-first].Text = &d.Text
			}
		}
		if !review.Fits([]*Pieces{p}) {
			t.Fatal("does not fit")
		}
		decisions := review.Of(0, p)
		text := put(p.Compared, want)
		got := p.Decided(decisions)
		switch {
		case got == nil && (text != before || first == 1 && decisions[0].Verdict != Reject):
			t.Error("nothing is left")
		case got != nil && got.New != text:
			t.Errorf("%q, want %q", got.New, text)
		}
		final := Lines(text)
		for i, line := range p.Lines(decisions) {
			d, at := decisions[i], p.List[i]
			if at.Whole {
				continue
			}
			in := p.Old[at.Old.From:at.Old.To]
			switch d.Verdict {
			case Accept:
				in = p.New[at.New.From:at.New.To]
			case Replace:
				in = Lines(d.Text)
			}
			if end := line - 1 + len(in); end > len(final) || !slices.Equal(final[line-1:end], in) {
				t.Errorf("piece %d is not in line %d of %q", i, line, text)
			}
		}
	})
}

// TestManyHunks compares files with ten thousand differences.
func TestManyHunks(t *testing.T) {
	const n = 10_000
	var before, after strings.Builder
	for i := range n {
		fmt.Fprintf(&before, "line %d\nkept\n", i)
		fmt.Fprintf(&after, "line %d changed\nkept\n", i)
		fmt.Fprintf(&before, "unique %d\n", i)
		fmt.Fprintf(&after, "unique %d\n", i)
	}
	c := Compare(before.String(), after.String())
	if len(c.Hunks) != n {
		t.Errorf("%d hunks, want %d", len(c.Hunks), n)
	}
	if added, removed := c.Counts(); added != n || removed != n {
		t.Errorf("+%d −%d", added, removed)
	}
}

// FuzzJoin holds for any texts what TestJoin does.
func FuzzJoin(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\n", uint64(1))
	f.Add("", "x\r\ny", uint64(5))
	f.Add("a\na\na\n", "a\nb\na\n", uint64(2))
	f.Fuzz(func(t *testing.T, before, after string, bits uint64) {
		c := Compare(before, after)
		checkHunks(t, c)
		if all := c.Join(func(int) Put { return Put{New: true} }); all != after {
			t.Errorf("all: %q", all)
		}
		drawn := make([]Put, len(c.Hunks))
		for i := range drawn {
			drawn[i].New = bits>>(i%64)&1 == 1
		}
		half := c.Join(func(i int) Put { return drawn[i] })
		if want := put(c, drawn); half != want {
			t.Errorf("%q, want %q", half, want)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		var before, after strings.Builder
		for i := range n {
			fmt.Fprintf(&before, "line %d\nkept\nunique %d\n", i, i)
			fmt.Fprintf(&after, "line %d changed\nkept\nunique %d\n", i, i)
		}
		b.Run(fmt.Sprintf("hunks-%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c := Compare(before.String(), after.String()); len(c.Hunks) != n {
					b.Fatal(len(c.Hunks))
				}
			}
		})
	}
}
