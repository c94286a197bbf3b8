package patch

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The strategies by which text is found, in the order in which they are tried.
const (
	Exact                = "exact"
	LineTrimmed          = "line_trimmed"
	WhitespaceNormalized = "whitespace_normalized"
	EscapeNormalized     = "escape_normalized"
	UnicodeNormalized    = "unicode_normalized"
	BlockAnchor          = "block_anchor"
	ContextAware         = "context_aware"
)

// strategy is a way to find a text in another.
type strategy struct {
	name string
	// inLines finds text anywhere; nil where whole finds it, too.
	inLines func(h *haystack, n *needle) []span
	// whole finds whole lines and gives the numbers of the first ones, from 0.
	whole func(h *haystack, n *needle) []int
}

// chain returns the strategies. A hunk of a patch stands for whole lines, so for
// it the second function counts; for a replacement the first one, where there is
// one.
func chain() []strategy {
	return []strategy{
		{Exact, findExact, byKey(same)},
		{LineTrimmed, nil, byKey(strings.TrimSpace)},
		{WhitespaceNormalized, findCollapsed, byKey(func(s string) string { return strings.TrimSpace(collapse(s)) })},
		{EscapeNormalized, findUnescaped, findUnescapedLines},
		{UnicodeNormalized, findTyped, findTypedLines},
		{BlockAnchor, nil, findAnchored},
		{ContextAware, nil, findAlike},
	}
}

// haystack is a text that is searched. Its lines are split when first needed.
type haystack struct {
	text  string
	split []line
	work  *work
}

func newHaystack(text string) *haystack { return &haystack{text: text, work: &work{maxWork}} }

func (h *haystack) lines() []line {
	if h.split == nil {
		h.split = textLines(h.text)
	}
	return h.split
}

// needle is what is searched for.
type needle struct {
	text  string
	lines []string
}

func newNeedle(text string) *needle { return &needle{text: text, lines: plainLines(text)} }

// search tries the strategies until one finds something. White space alone says
// nothing about a place, so it is found exactly or not at all.
func search(h *haystack, n *needle) (string, []span) {
	for _, s := range chain() {
		if s.name != Exact && isBlank(n.text) {
			break
		}
		var found []span
		if s.inLines != nil {
			found = s.inLines(h, n)
		}
		if s.inLines == nil || s.name == UnicodeNormalized && len(found) == 0 {
			found = wholeLines(h.lines(), s.whole(h, n), len(n.lines))
		}
		if len(found) > 0 {
			return s.name, found
		}
	}
	return "", nil
}

// searchLines tries the strategies on whole lines until one finds something. Blank
// lines alone are found as lines that are blank, not by likeness.
func searchLines(h *haystack, n *needle) (string, []int) {
	for _, s := range chain() {
		if s.name == WhitespaceNormalized && isBlank(n.text) {
			break
		}
		if found := s.whole(h, n); len(found) > 0 {
			return s.name, found
		}
	}
	return "", nil
}

func byKey(key func(string) string) func(*haystack, *needle) []int {
	return func(h *haystack, n *needle) []int { return windows(h.lines(), n.lines, key) }
}

// maxRescan bounds the bytes that are compared again to count places that
// overlap; what lies behind is not counted.
const maxRescan = 100_000_000

// occurrences finds a text in another, overlapping places included.
func occurrences(text, want string) []int {
	var found []int
	for at, cost := 0, 0; cost < maxRescan; cost += len(want) {
		i := strings.Index(text[at:], want)
		if i < 0 {
			break
		}
		found = append(found, at+i)
		_, size := utf8.DecodeRuneInString(text[at+i:])
		at += i + size
	}
	return found
}

func findExact(h *haystack, n *needle) []span { return literally(h.text, n.text) }

func literally(text, want string) []span {
	places := occurrences(text, want)
	spans := make([]span, len(places))
	for i, p := range places {
		spans[i] = span{p, p + len(want)}
	}
	return spans
}

// findCollapsed takes runs of spaces and tabs for one space. A run at an edge
// belongs to a place only where the text searched for has one there.
func findCollapsed(h *haystack, n *needle) []span {
	text, want := collapse(h.text), collapse(n.text)
	places := occurrences(text, want)
	if len(places) == 0 {
		return nil
	}
	return translate(h.text, places, len(want), func(s string) (string, int) {
		size := len(s) - len(strings.TrimLeft(s, " \t"))
		if size > 0 {
			return " ", size
		}
		return s[:1], 1
	})
}

// unescape writes escapes out.
func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(s)
}

func findUnescaped(h *haystack, n *needle) []span {
	want := unescape(n.text)
	if want == n.text {
		return nil
	}
	return literally(h.text, want)
}

// findUnescapedLines leaves \n alone: a line never stands for two.
func findUnescapedLines(h *haystack, n *needle) []int {
	if !strings.Contains(n.text, `\t`) && !strings.Contains(n.text, `\r`) {
		return nil
	}
	decode := strings.NewReplacer(`\t`, "\t", `\r`, "\r")
	want := make([]string, len(n.lines))
	for i, l := range n.lines {
		want[i] = decode.Replace(l)
	}
	return windows(h.lines(), want, strings.TrimSpace)
}

// findTyped takes typographic characters for those that are typed.
func findTyped(h *haystack, n *needle) []span {
	text, want := typed(h.text), typed(n.text)
	if text == h.text && want == n.text {
		return nil
	}
	places := occurrences(text, want)
	if len(places) == 0 {
		return nil
	}
	return translate(h.text, places, len(want), func(s string) (string, int) {
		_, size := utf8.DecodeRuneInString(s)
		return typed(s[:size]), size
	})
}

func findTypedLines(h *haystack, n *needle) []int {
	if typed(n.text) == n.text && !slices.ContainsFunc(h.lines(), func(l line) bool { return typed(l.text) != l.text }) {
		return nil
	}
	if found := windows(h.lines(), n.lines, typed); len(found) > 0 {
		return found
	}
	return windows(h.lines(), n.lines, func(s string) string { return strings.TrimSpace(typed(s)) })
}

// translate turns places of one length in a normalised text into stretches of the
// text itself. step takes the beginning of the text and gives what one step of
// normalising makes of how many bytes of it. Places that begin or end inside of
// what one step makes are left out.
func translate(text string, places []int, length int, step func(string) (string, int)) []span {
	ends := places
	var spans []span
	starts := map[int]int{}
	at, norm := 0, 0
	for {
		if len(places) > 0 && places[0] < norm { // begins inside a step
			places = places[1:]
			continue
		}
		if len(places) > 0 && places[0] == norm {
			starts[norm] = at
			places = places[1:]
		}
		for len(ends) > 0 && ends[0]+length <= norm {
			start, ok := starts[ends[0]]
			if ok && ends[0]+length == norm {
				spans = append(spans, span{start, at})
			}
			delete(starts, ends[0])
			ends = ends[1:]
		}
		if at == len(text) || len(ends) == 0 {
			return spans
		}
		made, size := step(text[at:])
		at += size
		norm += len(made)
	}
}
