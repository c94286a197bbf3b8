package find

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// pattern is a regular expression, and what makes looking for it quick.
type pattern struct {
	re *regexp.Regexp
	// must is a text that every match holds, nil where none is known.
	must *needle
	// line says that no match goes over the end of a line, begins that one begins where
	// a line does.
	line, begins bool
}

// pattern matches by a regular expression.
func (q Query) pattern() (Matcher, error) {
	text := q.Text
	if !q.Regexp {
		text = regexp.QuoteMeta(text)
	}
	if !q.Case {
		text = "(?i)" + text
	}
	text = "(?m)" + text
	re, err := regexp.Compile(text)
	if err != nil {
		if bad, ok := errors.AsType[*syntax.Error](err); ok {
			err = errors.New(bad.Code.String())
		}
		return nil, err
	}
	p := &pattern{re: re}
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil {
		p.must, p.line, p.begins = required(tree, q.Case), !spans(tree), begins(tree)
	}
	return p.find, nil
}

func (p *pattern) find(text []byte, at int, _ bool) (from, to int) {
	for at <= len(text) {
		if p.begins && at > 0 && at < len(text) && text[at-1] != '\n' {
			if at = lineEnd(text, at) + 1; at > len(text) {
				break
			}
		}
		end := len(text)
		if p.must != nil {
			i, _ := p.must.find(text, at, false)
			if i < 0 {
				break
			}
			if p.line {
				at, end = max(at, bytes.LastIndexByte(text[:i], '\n')+1), lineEnd(text, i)
			}
		}
		m := p.re.FindIndex(text[at:end])
		switch {
		case m == nil && end == len(text):
			return -1, -1
		case m == nil:
			at = end + 1
		case m[1] > m[0]:
			return at + m[0], at + m[1]
		default:
			_, n := utf8.DecodeRune(text[at+m[0]:])
			at += m[0] + max(n, 1)
		}
	}
	return -1, -1
}

// lineEnd is the end of the line around an offset, without its line feed.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// leastMust is how long a text must be at least to be worth looking for first.
const leastMust = 2

// required finds the longest text that every match of an expression holds.
func required(re *syntax.Regexp, exact bool) *needle {
	text := longest(re)
	if len(strings.TrimSpace(text)) < leastMust {
		return nil
	}
	n := newNeedle(text, exact)
	return &n
}

func longest(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
		// Some letters have more forms than two: K, S, and all that are not ASCII.
		parts := strings.FieldsFunc(string(re.Rune), func(r rune) bool {
			return r >= utf8.RuneSelf || strings.ContainsRune("ksKS", r)
		})
		return longer(parts...)
	case syntax.OpCapture, syntax.OpPlus:
		return longest(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return longest(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			best = longer(best, longest(sub))
		}
		return best
	}
	return ""
}

func longer(list ...string) (best string) {
	for _, s := range list {
		if len(s) > len(best) {
			best = s
		}
	}
	return best
}

// spans reports whether a match may go over the end of a line.
func spans(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, spans)
}

// begins reports whether an expression matches at the start of lines only.
func begins(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpConcat:
		return len(re.Sub) > 0 && begins(re.Sub[0])
	}
	return false
}
