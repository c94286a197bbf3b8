package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// Answer says whether a rule matches.
type Answer int

// The answers.
const (
	No    Answer = iota
	Maybe        // it depends on what is not known before the command runs
	Yes
)

// wordPattern is a pattern for the words of a call. A star in a word stands for
// any text in that word, a word that is a star for any one word, and a star as
// the last word for any number of words.
type wordPattern struct {
	words []starText
	rest  bool
}

// newWordPattern reads a pattern; problem completes "the rule …". Quotes and
// backslashes are removed as a shell would; a quoted star means itself.
func newWordPattern(text string) (p *wordPattern, problem string) {
	p = &wordPattern{}
	var word []byte
	plain := map[int]bool{} // where in the word a star means itself
	quote, in := byte(0), false
	flush := func() {
		if in {
			p.words = append(p.words, starsBut(string(word), plain))
		}
		word, in = nil, false
		clear(plain)
	}
	add := func(ch byte, literal bool) {
		in = true
		if literal {
			plain[len(word)] = true
		}
		word = append(word, ch)
	}
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case quote != 0 && ch == quote:
			quote = 0
		case quote == '\'':
			add(ch, true)
		case ch == '\\' && i+1 < len(text):
			i++
			add(text[i], true)
		case quote != 0:
			add(ch, true)
		case ch == '\'' || ch == '"':
			quote, in = ch, true
		case ch == ' ' || ch == '\t':
			flush()
		case strings.IndexByte(";&|<>()`$", ch) >= 0:
			return nil, "has the sign " + string(ch) + " of the shell outside quotes: a pattern describes one simple command"
		default:
			add(ch, false)
		}
	}
	if quote != 0 {
		return nil, "has a quote that is not closed"
	}
	flush()
	if n := len(p.words); n > 1 && p.words[n-1].lone() {
		p.words, p.rest = p.words[:n-1], true
	}
	return p, ""
}

// starsBut cuts a word at those stars that do not mean themselves.
func starsBut(word string, plain map[int]bool) starText {
	return newStarText(word, func(rest string) bool { return plain[len(word)-len(rest)] })
}

// exact reports whether the pattern leaves nothing open.
func (p *wordPattern) exact() bool {
	for _, w := range p.words {
		if !w.literal() {
			return false
		}
	}
	return !p.rest
}

// meets reports whether a call matches, for rules that forbid or ask. The program
// is known by its name, whatever path leads to it; options of git before its
// subcommand, and unknown words, do not hide what is called.
func (p *wordPattern) meets(s seen, folds bool) Answer {
	a := p.program(s, folds)
	if a == No {
		return No
	}
	best := min(a, p.follow(1, s.words[1:]))
	if best != Yes && (s.name == "git" || s.name == "hub") {
		_, rest := gitGlobal.parse(s.words[1:])
		best = max(best, min(a, p.follow(1, rest)))
	}
	return best
}

// program compares the first word.
func (p *wordPattern) program(s seen, folds bool) Answer {
	want, word := p.words[0], s.words[0]
	if !word.known() {
		if hasHole(word.text) && !want.mayBe(word.text) && !want.mayBe(s.name) {
			return No
		}
		return Maybe
	}
	text, name, base := word.text, s.name, want
	if folds {
		text = strings.ToLower(text)
		want = lowered(want)
		base = want
	}
	if want.literal() {
		base = starText{path.Base(want[0])}
	}
	if want.is(text) || want.is(name) || want.is(s.real) && s.real != "" {
		return Yes
	}
	if !strings.Contains(text, "/") && base.is(text) {
		return Yes // a path in the rule, a bare name in the command
	}
	return No
}

func lowered(t starText) starText {
	out := make(starText, len(t))
	for i, part := range t {
		out[i] = strings.ToLower(part)
	}
	return out
}

// follow compares the words from the i-th of the pattern on.
func (p *wordPattern) follow(i int, words []arg) Answer {
	whole := words
	for ; i < len(p.words); i++ {
		if len(words) == 0 {
			return p.skipping(whole)
		}
		switch w := words[0]; {
		case w.known() && p.words[i].is(w.text):
			words = words[1:]
		case !w.known() && (p.words[i].mayBe(w.opened()) || w.vanishes()):
			return Maybe
		default:
			return p.skipping(whole)
		}
	}
	if p.rest || len(words) == 0 {
		return Yes
	}
	for _, w := range words {
		if !w.vanishes() {
			return p.skipping(whole)
		}
	}
	return Maybe
}

// skipping compares once more where further options, alone or with a value, may
// stand anywhere. What an option takes is not known of every program, so the
// answer is never yes.
func (p *wordPattern) skipping(words []arg) Answer {
	at := make([]bool, len(words)+3) // where the present word of the pattern may be
	at[0] = true
	for i := 1; i <= len(p.words); i++ {
		end := i == len(p.words)
		if !slices.Contains(at, true) {
			return No
		}
		if end && p.rest {
			return Maybe
		}
		next := make([]bool, len(at))
		for k, w := range words {
			if !at[k] {
				continue
			}
			if !end && p.words[i].mayBe(w.opened()) {
				next[k+1] = true
			}
			if strings.HasPrefix(w.text, "-") {
				at[k+1], at[k+2] = true, true
			}
		}
		if end && at[len(words)] {
			return Maybe
		}
		at = next
	}
	return No
}

// opened is the text of a word with holes where it is not known.
func (a arg) opened() string {
	if a.pat != "" {
		return openPattern(a.pat)
	}
	return a.text
}

// vanishes reports whether a word may turn into any number of words, or none.
func (a arg) vanishes() bool { return a.text != "" && strings.Trim(a.opened(), hole) == "" }

// covers reports whether a call matches, for rules that allow: every word is known
// and matches in its place.
func (p *wordPattern) covers(s seen) bool {
	if len(s.words) < len(p.words) || len(s.words) > len(p.words) && !p.rest {
		return false
	}
	for i, w := range s.words {
		if !w.known() || i < len(p.words) && !p.words[i].allows(w.text) {
			return false
		}
	}
	return true
}

// allows reports whether a word matches, for rules that allow: a star in it stands
// for a part of a path, and neither leads up, nor to the root or a home directory.
// A word that is a star is any word.
func (t starText) allows(word string) bool {
	switch {
	case !t.is(word):
		return false
	case t.literal() || t.lone():
		return true
	}
	for _, way := range []string{"/", "~"} {
		if strings.HasPrefix(word, way) && !strings.HasPrefix(t[0], way) {
			return false
		}
	}
	return climbs(word) == climbs(strings.Join(t, "*"))
}

// climbs counts the elements of a path, which an option may stand before, that lead
// up.
func climbs(text string) (n int) {
	for elem := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '/' || r == '=' || r == ':' || r == ',' }) {
		if elem == ".." {
			n++
		}
	}
	return n
}

// firstMatch gives the rule that matches best any call of a command, the first
// one among equals.
func firstMatch(rules []*Policy, s *Survey, folds bool) (best Answer, by *Policy) {
	for _, p := range rules {
		if p.words == nil { // every command
			return Yes, p
		}
		for _, c := range slices.Concat(s.calls, s.alike) {
			if a := p.words.meets(c, folds); a > best {
				best, by = a, p
			}
		}
		if best == Yes {
			return best, by
		}
		if best == No && s.dark {
			best, by = Maybe, p
		}
	}
	return best, by
}
