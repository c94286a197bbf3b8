package search

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parts of an expression for ripgrep. Its engine knows nothing of lines without
// their ends, of byte order marks that are taken off, and of bytes that stand for
// U+FFFD because they are not UTF-8; so these are spelled out.
const (
	anyByte   = `(?-u:[\x80-\xFF])`
	lineStart = `(?m:^)\x{FEFF}?`
	lineEnd   = `\r?(?m:$)`
	// wide is what texts in UTF-16 hold, whose characters look different: every such file may
	// match.
	wide = `(?-u:\xFF\xFE)|(?-u:\xFE\xFF)|(?-u:\x00)`
)

// superset writes an expression in the syntax of ripgrep so that it matches, in
// the bytes of a file, wherever the given one matches in one of its lines. It may
// match elsewhere as well. It is not ok for expressions that cannot be written
// so.
func superset(re *syntax.Regexp) (expression string, ok bool) {
	var t translation
	t.write(re)
	expression = "(?:" + t.b.String() + ")|" + wide
	if strings.ContainsFunc(re.String(), func(r rune) bool { return r >= utf8.RuneSelf }) || strings.Contains(re.String(), `\x{`) {
		expression += "|" + anyByte // in another encoding
	}
	return expression, !t.failed
}

// translation writes an expression.
type translation struct {
	b      strings.Builder
	failed bool
}

func (t *translation) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch:
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			t.literal(r, re.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		t.class(re.Rune)
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		t.b.WriteString(`(?:[^\n]|` + anyByte + `)`)
	case syntax.OpBeginLine, syntax.OpBeginText:
		t.b.WriteString(lineStart)
	case syntax.OpEndLine, syntax.OpEndText:
		t.b.WriteString(lineEnd)
	case syntax.OpWordBoundary:
		t.b.WriteString(`(?-u:\b)`)
	case syntax.OpNoWordBoundary:
		t.b.WriteString(`(?-u:\B)`)
	case syntax.OpCapture:
		t.group(re.Sub, "")
	case syntax.OpStar:
		t.repeat(re, "*")
	case syntax.OpPlus:
		t.repeat(re, "+")
	case syntax.OpQuest:
		t.repeat(re, "?")
	case syntax.OpRepeat:
		most := ""
		if re.Max >= 0 {
			most = fmt.Sprint(re.Max)
		}
		t.repeat(re, fmt.Sprintf("{%d,%s}", re.Min, most))
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			t.write(sub)
		}
	case syntax.OpAlternate:
		t.group(re.Sub, "")
	default: // what matches nothing
		t.failed = true
	}
}

// repeat writes a repetition. Any characters, any number of times, are any bytes,
// which is faster to match.
func (t *translation) repeat(re *syntax.Regexp, count string) {
	anything := re.Sub[0].Op == syntax.OpAnyCharNotNL || re.Sub[0].Op == syntax.OpAnyChar
	if anything && (re.Op == syntax.OpStar || re.Op == syntax.OpPlus) {
		t.b.WriteString(`(?-u:[^\n])` + count)
		return
	}
	t.group(re.Sub, count)
}

// group writes alternatives with a count behind them.
func (t *translation) group(alternatives []*syntax.Regexp, count string) {
	t.b.WriteString("(?:")
	for i, sub := range alternatives {
		if i > 0 {
			t.b.WriteByte('|')
		}
		t.write(sub)
	}
	t.b.WriteString(")" + count)
}

// literal writes a character, with those that differ from it in case only when
// case does not matter.
func (t *translation) literal(r rune, fold bool) {
	if !fold {
		t.class([]rune{r, r})
		return
	}
	same := []rune{r, r}
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		same = append(same, other, other)
	}
	t.class(same)
}

// class writes a class of characters, given as pairs of the first and the last of
// each range.
func (t *translation) class(pairs []rune) {
	var ranges strings.Builder
	damaged := false
	add := func(from, to rune) {
		if from <= to {
			fmt.Fprintf(&ranges, `\x{%X}-\x{%X}`, from, to)
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		from, to := pairs[i], pairs[i+1]
		damaged = damaged || from <= utf8.RuneError && utf8.RuneError <= to
		for _, hole := range [][2]rune{{'\n', '\n'}, {0xD800, 0xDFFF}} { // in no line, no characters
			if from <= hole[1] && to >= hole[0] {
				add(from, hole[0]-1)
				from = hole[1] + 1
			}
		}
		add(from, to)
	}
	switch {
	case ranges.Len() == 0:
		t.failed = true
	case damaged:
		t.b.WriteString("(?:[" + ranges.String() + "]|" + anyByte + ")")
	default:
		t.b.WriteString("[" + ranges.String() + "]")
	}
}
