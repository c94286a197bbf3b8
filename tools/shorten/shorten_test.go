package shorten

import (
	"fmt"
	"testing"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Runes("äöü", 2), "äö"}, {Runes("äöü", 3), "äöü"}, {Runes("a", 0), ""}, {Runes("", 0), ""},
		{Bytes("äöü", 3), "ä"}, {Bytes("äöü", 6), "äöü"}, {Bytes("ü", 1), ""},
		{After("äöü", 2), "äö…"}, {After("äöü", 3), "äöü"},
		{To("äöü", 2), "ä…"}, {To("äöü", 3), "äöü"}, {To("ab", 1), "…"},
		{Line(" a\n\tb  c ", 5), "a b c"}, {Line("a b c", 4), "a b…"},
		{Join("a\x00b\r\n\xffc\u200b d"), "a b \ufffdc d"}, {First("\n  a \nb"), "a"}, {First(""), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func ExampleLine() {
	fmt.Println(Line("one\ntwo  three", 8))
	// Output: one two…
}
