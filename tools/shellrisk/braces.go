package shellrisk

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// token is a piece of a word for brace expansion: one unquoted character, an
// escaped one with its backslash, or a part that braces do not look into.
type token struct {
	lit  string
	part syntax.WordPart
}

func (t token) is(ch byte) bool { return len(t.lit) == 1 && t.lit[0] == ch }

// maxBraces bounds the words that one brace expansion may give.
const maxBraces = 128

// braces expands the braces of a word exactly as bash does, malformed ones
// included: the words it yields decide what a command acts on. It is not ok when
// there would be more than maxBraces.
func braces(w *syntax.Word) (expanded []*syntax.Word, ok bool) {
	if !slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "{")
	}) {
		return []*syntax.Word{w}, true
	}
	var tokens []token
	for _, p := range w.Parts {
		lit, isLit := p.(*syntax.Lit)
		if !isLit {
			tokens = append(tokens, token{part: p})
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			n := 1
			if lit.Value[i] == '\\' && i+1 < len(lit.Value) {
				n = 2
			}
			tokens = append(tokens, token{lit: lit.Value[i : i+n]})
			i += n - 1
		}
	}
	x := bracer{}
	lists := x.expand(tokens, 0)
	if x.over {
		return nil, false
	}
	for _, list := range lists {
		expanded = append(expanded, toWord(list))
	}
	return expanded, true
}

// toWord puts tokens together again.
func toWord(list []token) *syntax.Word {
	w := &syntax.Word{}
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			w.Parts = append(w.Parts, &syntax.Lit{Value: lit.String()})
			lit.Reset()
		}
	}
	for _, t := range list {
		if t.part == nil {
			lit.WriteString(t.lit)
			continue
		}
		flush()
		w.Parts = append(w.Parts, t.part)
	}
	flush()
	return w
}

// bracer expands, and notes when that gets too much.
type bracer struct{ over bool }

// find gives the index of the next token that is ch outside inner braces. A
// closing brace only counts behind a comma or two dots.
func find(tokens []token, from int, ch byte) (int, bool) {
	level := 0
	separated := ch != '}'
	for i := from; i < len(tokens); i++ {
		t := tokens[i]
		if t.is(ch) && level == 0 && separated {
			empty := ch == '{' && i == 0 && i+1 < len(tokens) && tokens[i+1].is('}')
			if !empty {
				return i, true
			}
			continue
		}
		switch {
		case t.is('{'):
			level++
		case t.is('}') && level > 0:
			level--
		case level > 0 || ch != '}':
		case t.is(','):
			separated = true
		case t.is('.') && i+2 < len(tokens) && tokens[i+1].is('.') && !tokens[i+2].is('}'):
			separated = true
		}
	}
	return len(tokens), false
}

// expand gives the lists of tokens that a list turns into.
func (x *bracer) expand(tokens []token, depth int) [][]token {
	if depth > 50 {
		x.over = true
	}
	var open, end int
	for from := 0; ; from = open + 1 {
		var ok bool
		if open, ok = find(tokens, from, '{'); !ok {
			return [][]token{tokens}
		}
		if end, ok = find(tokens, open+1, '}'); ok {
			break
		}
	}
	inside := tokens[open+1 : end]
	rest := tokens[end+1:]
	var middle [][]token
	switch {
	case hasComma(inside):
		middle = x.alternatives(inside, depth)
	default:
		seq, ok := sequence(inside)
		switch {
		case ok && len(seq) > maxBraces:
			x.over = true
		case ok:
			for _, s := range seq {
				middle = append(middle, []token{{lit: s}})
			}
		case len(rest) == 0:
			return [][]token{tokens}
		default:
			middle = [][]token{tokens[open : end+1]}
		}
	}
	out := join([][]token{tokens[:open]}, middle)
	if len(rest) > 0 && !x.over {
		out = x.join(out, x.expand(rest, depth+1))
	}
	if len(out) > maxBraces {
		x.over = true
	}
	if x.over {
		return nil
	}
	return out
}

// alternatives expands what stands between commas.
func (x *bracer) alternatives(tokens []token, depth int) [][]token {
	var out [][]token
	for start := 0; !x.over; {
		end, ok := find(tokens, start, ',')
		out = append(out, x.expand(tokens[start:end], depth+1)...)
		x.over = x.over || len(out) > maxBraces
		if !ok {
			break
		}
		start = end + 1
	}
	return out
}

// hasComma looks for a comma as bash does, which takes a quoted one for a
// separator here, but not where it separates.
func hasComma(tokens []token) bool {
	return slices.ContainsFunc(tokens, func(t token) bool {
		switch p := t.part.(type) {
		case *syntax.SglQuoted:
			return strings.Contains(p.Value, ",")
		case *syntax.DblQuoted:
			return slices.ContainsFunc(p.Parts, func(p syntax.WordPart) bool {
				lit, ok := p.(*syntax.Lit)
				return ok && strings.Contains(strings.ReplaceAll(lit.Value, `\,`, ""), ",")
			})
		}
		return t.is(',')
	})
}

// join combines beginnings with ends, unless that gets too much.
func (x *bracer) join(begins, ends [][]token) [][]token {
	if len(begins)*len(ends) > maxBraces {
		x.over = true
		return nil
	}
	return join(begins, ends)
}

func join(begins, ends [][]token) [][]token {
	out := make([][]token, 0, len(begins)*len(ends))
	for _, b := range begins {
		for _, e := range ends {
			out = append(out, append(b[:len(b):len(b)], e...))
		}
	}
	return out
}

// sequence gives the items of "1..9", "a..e" or "1..9..2".
func sequence(tokens []token) ([]string, bool) {
	var b strings.Builder
	for _, t := range tokens {
		if len(t.lit) != 1 {
			return nil, false
		}
		b.WriteString(t.lit)
	}
	parts := strings.Split(b.String(), "..")
	if len(parts) < 2 || len(parts) > 3 {
		return nil, false
	}
	step := 1
	if len(parts) == 3 {
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			return nil, false
		}
		step = max(1, max(n, -n))
	}
	if isLetter(parts[0]) && isLetter(parts[1]) {
		return count(int(parts[0][0]), int(parts[1][0]), step, func(n int) string { return string(rune(n)) }), true
	}
	first, err1 := strconv.Atoi(parts[0])
	last, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return nil, false
	}
	width := 0
	for _, p := range parts[:2] {
		if digits := strings.TrimPrefix(p, "-"); len(digits) > 1 && digits[0] == '0' {
			width = max(len(parts[0]), len(parts[1]))
		}
	}
	return count(first, last, step, func(n int) string {
		s := strconv.Itoa(n)
		for len(s) < width {
			s = strings.Replace(s, strings.TrimPrefix(s, "-"), "0"+strings.TrimPrefix(s, "-"), 1)
		}
		return s
	}), true
}

func isLetter(s string) bool {
	return len(s) == 1 && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

// count gives the numbers from first to last as text, up to one more than
// maxBraces.
func count(first, last, step int, text func(int) string) []string {
	if first > last {
		step = -step
	}
	var out []string
	for n := first; (step > 0 && n <= last || step < 0 && n >= last) && len(out) <= maxBraces; n += step {
		out = append(out, text(n))
	}
	return out
}
