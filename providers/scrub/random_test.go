package scrub

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

// fragments gives what random texts are made of.
func fragments() []string {
	list := []string{
		" ", "\n", "\n", "\r\n", "\t", "\u3000", "a", "b c", "。", "é", "<", ">", "/", "</", "`", "``", "```", "~~~", "\"", "{", "<d>", "\xe3", "\x80",
	}
	for _, f := range forms[:7] {
		list = append(list, f.open, f.open, f.close, f.open[:len(f.open)-1], f.close[1:], strings.ToUpper(f.open))
	}
	for _, f := range forms[7:] {
		list = append(list, f.open+strings.Repeat("f", len(f.tail))+f.tail, f.close)
	}
	return list
}

// TestRandom cuts random texts at random places, and compares the rules of the
// corpus with those rules spelled out.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	all := fragments()
	few := all[:29] // reasoning of one name, and everything that is no tag
	for range 20000 {
		from := all
		if r.IntN(2) == 0 {
			from = few
		}
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(from[r.IntN(len(from))])
		}
		in := b.String()
		for _, rules := range ruleSets {
			want := feed(t, rules, in)
			var cuts []string
			for rest := in; rest != ""; {
				n := 1 + r.IntN(min(len(rest), 9))
				cuts, rest = append(cuts, rest[:n]), rest[n:]
			}
			if got := feed(t, rules, cuts...); got != want {
				t.Fatalf("%q:\ngot  %q\nwant %q", cuts, got, want)
			}
			if rules == HideReasoning && want.text != withoutReasoning(in) {
				t.Fatalf("%q: got %q, want %q", in, want.text, withoutReasoning(in))
			}
			if rules == HideMemory && want.text != withoutMemory(in) {
				t.Fatalf("%q: got %q, want %q", in, want.text, withoutMemory(in))
			}
		}
	}
}

// withoutReasoning is [HideReasoning] for a whole text, as it is written in the
// corpus.
func withoutReasoning(s string) string {
	shown := ""
next:
	for s != "" {
		for _, name := range []string{"think", "thinking", "reasoning", "thought", "reasoning_scratchpad"} {
			end := "</" + name + ">"
			if cut(s, end) {
				s = strings.TrimLeftFunc(s[len(end):], unicode.IsSpace)
				continue next
			}
			if !cut(s, "<"+name+">") {
				continue
			}
			body := s[len(end)-1:]
			begins := startsLine(shown)
			if line, _, _ := strings.Cut(body, "\n"); !begins {
				body = line
			}
			if i := find(body, end); i >= 0 {
				s = s[len(end)-1+i+len(end):]
				continue next
			}
			if begins {
				return shown
			}
		}
		shown, s = shown+s[:1], s[1:]
	}
	return shown
}

// withoutMemory is [HideMemory] for a whole text.
func withoutMemory(s string) string {
	const begin, end = "<memory-context>", "</memory-context>"
	shown := ""
	for s != "" {
		if startsLine(shown) && (cut(s, begin+"\n") || cut(s, begin+"\r\n")) {
			i := find(s, end)
			if i < 0 {
				return shown
			}
			s = s[i+len(end):]
			continue
		}
		shown, s = shown+s[:1], s[1:]
	}
	return shown
}

func startsLine(shown string) bool {
	return strings.TrimSpace(shown[strings.LastIndexByte(shown, '\n')+1:]) == ""
}

func cut(s, tag string) bool { return len(s) >= len(tag) && asciiLower(s[:len(tag)]) == tag }

func find(s, tag string) int { return strings.Index(asciiLower(s), tag) }

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}
