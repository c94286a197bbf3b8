package prompt

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// need is what a text has to contain for an expression to match: one of the words of each
// set, folded.
type need [][]string

// missing reports whether a folded text lacks something that is needed. It takes a small
// part of the time that the expression would.
func (n need) missing(folded string) bool {
	return slices.ContainsFunc(n, func(set []string) bool {
		return !slices.ContainsFunc(set, func(word string) bool { return strings.Contains(folded, word) })
	})
}

// needOf reads an expression.
func needOf(re string) need {
	parsed, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return nil
	}
	return needs(parsed.Simplify())
}

func needs(re *syntax.Regexp) (n need) {
	switch re.Op {
	case syntax.OpLiteral:
		return need{{fold(string(re.Rune))}}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n = append(n, needs(sub)...)
		}
	case syntax.OpAlternate:
		var any []string
		for _, sub := range re.Sub {
			best := longest(needs(sub))
			if best == nil {
				return nil // this one may match without any word
			}
			any = append(any, best...)
		}
		return need{any}
	}
	return n
}

// longest is the set whose shortest word is the longest: it says the most.
func longest(n need) (best []string) {
	least := 0
	for _, set := range n {
		if l := len(slices.MinFunc(set, func(a, b string) int { return len(a) - len(b) })); l > least {
			best, least = set, l
		}
	}
	return best
}

// fold writes letters that expressions take for the same in the same way: small, and of
// all that fold to each other the least.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r <= unicode.MaxASCII:
			return r
		}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if f <= unicode.MaxASCII {
				return unicode.ToLower(f)
			}
		}
		return r
	}, text)
}
