package scrub

import (
	"strings"
	"testing"
)

// ruleSets are combinations that the program uses, and those of the corpus.
var ruleSets = []Rules{Answer, HideReasoning, HideMemory, HideReasoning | HideMemory | HideCalls, 0}

// FuzzStream looks for panics, for results that depend on where the text was cut,
// for text that is held back without need, and for text that was not in the input.
func FuzzStream(f *testing.F) {
	for i, c := range cases {
		f.Add(c.in, uint8(i), uint8(i))
	}
	for i, c := range codeCases {
		f.Add(c.in, uint8(i), uint8(0))
	}
	for i := range forms {
		f.Add("a "+forms[i].open+"x"+forms[i].tail+"{"+forms[i].close+" \n"+forms[i].open, uint8(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, in string, size, which uint8) {
		r := ruleSets[int(which)%len(ruleSets)]
		want := feed(t, r, in)
		for _, n := range []int{1, 2, 3, int(size) + 1} {
			if got := feed(t, r, pieces(in, n)...); got != want {
				t.Fatalf("%q in pieces of %d:\ngot  %q\nwant %q", in, n, got, want)
			}
		}
		cut := int(size) % (len(in) + 1)
		if got := feed(t, r, in[:cut], in[cut:]); got != want {
			t.Fatalf("%q cut at %d:\ngot  %q\nwant %q", in, cut, got, want)
		}
		sound(t, r, in)
		if r == 0 && want.text != in {
			t.Fatalf("%q became %q without a rule", in, want.text)
		}
	})
}

// sound holds the pieces to be parts of the text in their order, so that together
// they are never longer.
func sound(t *testing.T, r Rules, in string) {
	s := New(r)
	rest := in
	for _, p := range append(append([]Piece(nil), s.Feed(in)...), s.Flush()...) {
		i := strings.Index(rest, p.Text)
		if i < 0 {
			t.Fatalf("%q gives %q, which is not in %q", in, p.Text, rest)
		}
		rest = rest[i+len(p.Text):]
	}
}
