package search

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPattern bounds a regular expression in bytes.
const maxPattern = 10_000

// pattern finds the lines that a regular expression matches. It is safe for
// concurrent use.
type pattern struct {
	re   *regexp.Regexp
	tree *syntax.Regexp
	// literal is text that every match contains, empty if there is none. Only
	// lines with it are tried.
	literal []byte
	// exact says that the literal is the whole expression.
	exact bool
}

// newPattern compiles a regular expression in RE2 syntax. The error is written
// for the model.
func newPattern(expression string) (*pattern, error) {
	switch {
	case expression == "":
		return nil, errors.New("pattern is required")
	case len(expression) > maxPattern:
		return nil, fmt.Errorf("pattern is %d bytes long; at most %d are possible", len(expression), maxPattern)
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, explain(err)
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, explain(err)
	}
	p := &pattern{re: re, tree: tree}
	if needed := required(tree); !slices.Contains(needed, utf8.RuneError) {
		p.literal = []byte(string(needed))
		p.exact = tree.Op == syntax.OpLiteral && len(needed) > 0
	}
	if bytes.IndexByte(p.literal, '\n') >= 0 {
		return nil, errors.New(`pattern holds a line break; lines are searched one by one, so search for a part that stands on one line`)
	}
	return p, nil
}

// explain says what is wrong with an expression.
func explain(err error) error {
	advice := `escape characters that are meant literally with a backslash`
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		backreference := wrong.Code == syntax.ErrInvalidEscape && len(wrong.Expr) == 2 && wrong.Expr[1] >= '1' && wrong.Expr[1] <= '9'
		if wrong.Code == syntax.ErrInvalidPerlOp || backreference || strings.HasPrefix(wrong.Expr, "(?<") {
			advice = "the syntax is RE2, which has no lookahead, lookbehind or backreferences"
		}
		return fmt.Errorf("pattern is not a valid regular expression: %s: `%s`; %s", wrong.Code, wrong.Expr, advice)
	}
	return fmt.Errorf("pattern is not a valid regular expression: %w", err)
}

// required finds the longest text that every match of an expression contains.
func required(re *syntax.Regexp) []rune {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return re.Rune
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []rune
		for _, sub := range re.Sub {
			if r := required(sub); len(r) > len(best) {
				best = r
			}
		}
		return best
	}
	return nil
}

// each calls visit for every matching line of data, with the positions of the
// line without its end, until visit returns false. Lines end with "\n" or
// "\r\n".
func (p *pattern) each(data []byte, visit func(start, end int) bool) {
	for at := 0; at < len(data); {
		start := at
		if len(p.literal) > 0 {
			i := bytes.Index(data[at:], p.literal)
			if i < 0 {
				return
			}
			start = at + bytes.LastIndexByte(data[at:at+i], '\n') + 1
		}
		end := len(data)
		if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
			end = start + i
		}
		at = end + 1
		line := bytes.TrimSuffix(data[start:end], []byte{'\r'})
		if (p.exact || p.re.Match(line)) && !visit(start, start+len(line)) {
			return
		}
	}
}
