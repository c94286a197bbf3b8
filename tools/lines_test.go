package tools

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStripper(t *testing.T) {
	cases := []struct{ in, want string }{
		{"plain é ☕\ttext\r\n", "plain é ☕\ttext\r\n"},
		{"\x1b[1;31mred\x1b[m", "red"},
		{"a\x1b[2J\x1b[10Ab\x1b[?1049lc", "abc"},
		{"\x1b]52;c;aGk=\x07x", "x"},
		{"\x1bP1$r q\x1b\\x", "x"},
		{"\x1b_Gf=100;AAAA\x1b\\x", "x"},
		{"a\u009b31mb\u009d0;t\x07c\u0085d", "abcd"},
		{"\x1b(Bx\x1bcy\x1b=z", "xyz"},
		{"caf\u00e9 \u00a0", "caf\u00e9 \u00a0"},
		{"a\x1b[12\nb", "a\nb"},
		{"\x1b]0;never ended\nnext line", "\nnext line"},
		{"\x1b]" + strings.Repeat("x", 5000) + "y", strings.Repeat("x", 5000-4096) + "y"},
		{"\x1b\x1b[0mx", "x"},
		{"\x1b", ""},
		{"\xc2", ""},
		{"\xc2x", "\xc2x"},
		{"\x1b]0;a\x1b[31mred", "red"},
	}
	for _, c := range cases {
		var whole Stripper
		if got := string(whole.Text([]byte(c.in))); got != c.want {
			t.Errorf("%.80q: got %.80q, want %.80q", c.in, got, c.want)
		}
		var single Stripper
		var got []byte
		for i := range len(c.in) {
			got = append(got, single.Text([]byte{c.in[i]})...)
		}
		if string(got) != c.want {
			t.Errorf("%.80q byte by byte: got %.80q", c.in, got)
		}
	}
}

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\r\n":               "a\nb\n",
		"10%\r20%\r100%\ndone":     "100%\ndone",
		"long line\rshort":         "shortline",
		"long line\r\x1b[Kshort":   "short",
		"abc\b\b\bxy\n":            "xyc\n",
		"pass\b \b\b \b":           "pa",
		"\b\b\bx":                  "x",
		"\x1b[31mred\x1b[0m\x07\n": "red\n",
		"a\x1b[3Cb":                "a   b",
		"abcdef\x1b[3Dx":           "abcxef",
		"abcdef\x1b[2Gx":           "axcdef",
		"abcdef\x1b[1K":            "",
		"abcdef\x1b[2D\x1b[1Kg":    "    gf",
		"old\x1b[2K\rnew":          "new",
		"old\x1b[1G\x1b[0Jnew":     "new",
		"é☕\r日\n":                  "日☕\n",
		"a\xffb":                   "a\ufffdb",
		"a\xe2\x82\nb":             "a\ufffd\nb",
		"a   \nb":                  "a\nb",
		"x\ty\x00\x0b\x7f":         "x\ty",
		"\x1b[99999999999999Cx":    strings.Repeat(" ", 200) + "x",
		"":                         "",
	} {
		if got := PlainText([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("y", 3*MaxLine+7)
	if got := PlainText([]byte(long + "\rz\nend")); len(got) != len(long)+4 || !strings.HasSuffix(got, "zyyyyyy\nend") {
		t.Errorf("a long line gives %d characters ending %q", len(got), got[max(0, len(got)-20):])
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("10%\r20%\x1b[K\nab\b\bc\x1b[2Dx\xc2\x9bmé\xff"), 3)
	f.Add([]byte("\x1b[5000C\x1b[1K\r\n"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, size%64)
		want := PlainText(data)
		var l Lines
		var got []byte
		for rest := data; len(rest) > 0; {
			n := min(size, len(rest))
			got = append(got, l.Text(rest[:n])...)
			rest = rest[n:]
		}
		if parts := string(got) + l.Rest(); parts != want {
			t.Errorf("%q: %q at once, %q in parts", data, want, parts)
		}
		if !utf8.ValidString(want) || strings.ContainsAny(want, "\x1b\r\b\x07") {
			t.Errorf("%q gives %q", data, want)
		}
		if plain := PlainText([]byte(want)); plain != want && len(want) < MaxLine {
			t.Errorf("%q is changed again: %q", want, plain)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	var l Lines
	chunk := bytes.Repeat([]byte("some output of a build\r\n"), 1400)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		_ = l.Text(chunk)
	}
}
