package term

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"hermes-tui/internal/corpustest"
)

type testCase struct {
	ID    string
	Input struct {
		Text   *string
		Chunks []string
		Bytes  *string
	}
	Want struct{ Text string }
}

func TestConformance(t *testing.T) {
	for _, c := range corpustest.Cases[testCase](t, "terminal_sanitize") {
		t.Run(c.ID, func(t *testing.T) {
			var pieces []string
			switch {
			case c.Input.Text != nil:
				pieces = []string{*c.Input.Text}
			case c.Input.Bytes != nil:
				var raw []byte
				for _, r := range *c.Input.Bytes {
					raw = append(raw, byte(r))
				}
				pieces = []string{string(raw)}
			default:
				pieces = c.Input.Chunks
			}
			whole := strings.Join(pieces, "")
			if got := Sanitize(whole); got != c.Want.Text {
				t.Errorf("whole: got %q, want %q", got, c.Want.Text)
			}
			if got := pushAll(pieces); got != c.Want.Text {
				t.Errorf("pieces: got %q, want %q", got, c.Want.Text)
			}
			if got := pushAll(strings.Split(whole, "")); got != c.Want.Text {
				t.Errorf("characters: got %q, want %q", got, c.Want.Text)
			}
			if got := pushAll(bytePieces(whole)); got != c.Want.Text {
				t.Errorf("bytes: got %q, want %q", got, c.Want.Text)
			}
		})
	}
}

func pushAll(pieces []string) string {
	var z Sanitizer
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(z.Push(p))
	}
	b.WriteString(z.Flush())
	return b.String()
}

func bytePieces(s string) []string {
	out := make([]string, len(s))
	for i := range len(s) {
		out[i] = s[i : i+1]
	}
	return out
}

// TestLongCharacters bounds what is one character, however the text is cut.
func TestLongCharacters(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 100_000) }
	for name, in := range map[string]string{
		"joiners": "a" + many("\u200d"), "marks": "e" + many("\u0301"), "joined pictures": many("👩\u200d"),
		"modifiers": "👍" + many("\U0001f3fd"), "Korean letters": many("\u1100"), "number signs": many("\u0600"),
		"marks between colours": "e" + many("\u0301\x1b[31m\u0301"),
	} {
		t.Run(name, func(t *testing.T) {
			got := Sanitize(in + "b and more")
			if !strings.HasSuffix(got, "b and more") {
				t.Errorf("what follows is lost: %.80q", got)
			}
			for rest := Plain(got); rest != ""; {
				one, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
				if n := utf8.RuneCountInString(one); n > maxCluster {
					t.Fatalf("a character of %d code points", n)
				}
				rest = rest[len(one):]
			}
			if pieces := pushAll(strings.SplitAfter(in+"b and more", "\u200d")); pieces != got {
				t.Errorf("in pieces it gives %d bytes, as a whole %d", len(pieces), len(got))
			}
		})
	}
	for _, fine := range []string{
		"👨\u200d👩\u200d👧\u200d👦 family", "नमस्ते दुनिया", "ไม่มีปัญหา", "각 \u1100\u1161\u11a8", "e\u0301\u0302\u0303", strings.Repeat("क्ष", 30),
		strings.Repeat("語", 1000), strings.Repeat("🎉", 1000), strings.Repeat("🇩🇪", 200),
	} {
		if got := Sanitize(fine); got != fine {
			t.Errorf("%q became %q", fine, got)
		}
	}
}

func TestSanitizeDetails(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"control ends at a line break", "\x1b[31\nnext", "\nnext"},
		{"control ignores a bell inside", "a\x1b[3\a1mb", "a\x1b[31mb"},
		{"control ends at text", "\x1b[12é", "é"},
		{"control is cancelled", "\x1b[31\x18m", "m"},
		{"escape begins again", "\x1b\x1b[1mx", "\x1b[1mx"},
		{"private parameters are no colour", "\x1b[>4;2mx\x1b[?1mx", "xx"},
		{"intermediate bytes are no colour", "\x1b[1 mx", "x"},
		{"conceal among others", "\x1b[1;8;31mx", "\x1b[1;31mx"},
		{"conceal with zeros", "\x1b[008mx", "x"},
		{"conceal with sub-parameter", "\x1b[8:1mx", "x"},
		{"conceal and empty parameter", "\x1b[8;mx", "\x1b[mx"},
		{"eight as colour channel", "\x1b[38;2;8;8;8;8mx", "\x1b[38;2;8;8;8mx"},
		{"eight as colour number", "\x1b[48;5;8;58;5;8mx", "\x1b[48;5;8;58;5;8mx"},
		{"eight in colons", "\x1b[38:5:8mx", "\x1b[38:5:8mx"},
		{"cut colour selection", "\x1b[38;2;8mx", "\x1b[38;2;8mx"},
		{"unknown colour space", "\x1b[38;8mx", "\x1b[38mx"},
		{"string ends before an escape", "\x1b]0;t\x1b[1mx", "\x1b[1mx"},
		{"string ends before an 8-bit control", "\x1b]0;t\u009b2Jx", "x"},
		{"string ends before a lone CR", "\x1b]0;t\rx", "\nx"},
		{"string cancelled", "\x1bPq\x1ax", "x"},
		{"string holds wide characters", "\x1b]0;蛭\u009cx", "x"},
		{"CR CR LF", "a\r\r\nb", "a\n\nb"},
		{"CR at the end", "a\r", "a\n"},
		{"cut character", "a\xe2\x82", "a\ufffd"},
		{"not UTF-8", "a\xff\xc0b", "a\ufffd\ufffdb"},
		{"replacement character stays", "a\ufffdb", "a\ufffdb"},
		{"tags", "a\U000e0041b", "a⟨U+E0041⟩b"},
		{"fillers", "a\u3164\uffa0b", "a⟨U+3164⟩⟨U+FFA0⟩b"},
		{"one selector", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"bytes in selectors", "😀\ufe01\ufe02\U000e0110x\ufe01", "😀\ufe01⟨U+FE02⟩⟨U+E0110⟩x\ufe01"},
		{"arabic mark", "a\u061cb", "a⟨U+061C⟩b"},
		{"8-bit next line", "a\u0085b", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Sanitize(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := pushAll(bytePieces(c.in)); got != c.want {
				t.Errorf("bytewise: got %q, want %q", got, c.want)
			}
		})
	}
	if got := Plain("a\x1b[31mb\x1b[m\tc"); got != "ab\tc" {
		t.Errorf("Plain keeps colour: %q", got)
	}
	z := Sanitizer{NoColor: true}
	if got := z.Push("a\x1b[3") + z.Push("1mb") + z.Flush(); got != "ab" {
		t.Errorf("NoColor keeps colour: %q", got)
	}
}

func TestLongParametersAreBounded(t *testing.T) {
	var z Sanitizer
	z.Push("\x1b[")
	for range 1000 {
		z.Push(strings.Repeat("1;", 100))
	}
	if len(z.params) > maxParams {
		t.Errorf("holds %d bytes of parameters", len(z.params))
	}
	if got := z.Push("m done"); got != " done" {
		t.Errorf("got %q", got)
	}
}

// checkSafe fails when a text holds anything a terminal would act on, except
// colours.
func checkSafe(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q gives invalid UTF-8 %q", in, out)
	}
	rest := out
	for {
		i := strings.IndexByte(rest, esc)
		if i < 0 {
			break
		}
		end := strings.IndexByte(rest[i:], 'm')
		if end < 0 || !strings.HasPrefix(rest[i:], "\x1b[") || strings.Trim(rest[i+2:i+end], "0123456789;:") != "" {
			t.Fatalf("%q keeps an escape in %q", in, out)
		}
		rest = rest[:i] + rest[i+end+1:]
	}
	for _, r := range rest {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || (&Sanitizer{}).hidden(r) {
			t.Fatalf("%q keeps %U in %q", in, r, out)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07x", "\x9b2J", "a\r\nb", "\x1b[8;1mx", "é\xe2\x82", "\u202e"} {
		f.Add(s, uint64(1))
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		want := Sanitize(s)
		checkSafe(t, s, want)
		checkSafe(t, s, Plain(s))
		if again := Sanitize(want); again != want {
			t.Fatalf("not stable: %q then %q", want, again)
		}
		rnd := rand.New(rand.NewPCG(seed, 1))
		var pieces []string
		for rest := s; rest != ""; {
			n := 1 + rnd.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got := pushAll(pieces); got != want {
			t.Fatalf("pieces %q: got %q, want %q", pieces, got, want)
		}
		if l := Line(s); strings.ContainsAny(l, "\n\t\x1b") {
			t.Fatalf("Line(%q) = %q", s, l)
		}
		checkSafe(t, s, Sanitize(CarriageReturns(s)))
	})
}

func BenchmarkSanitize(b *testing.B) {
	ascii := strings.Repeat("The quick brown fox jumps over the lazy dog and runs away from it, fast.\n", 1000)
	for _, c := range []struct{ name, text string }{
		{"ascii", ascii},
		{"cjk", strings.Repeat("雛形と蛭の話をする。\n", 3000)},
		{"colour", strings.Repeat("\x1b[32mPASS\x1b[0m some test name (0.01s)\n", 2000)},
		{"hostile", strings.Repeat("\x1b]0;x\x07\x1b[2J\u202e\x9b1A", 4000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				Sanitize(c.text)
			}
		})
	}
}
