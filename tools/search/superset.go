package search

import (
	"regexp/syntax"
	"slices"
)

// elsewhere matches in files in which ripgrep and the search may see different lines:
// those with a carriage return, a NUL or anything that is not ASCII, in any encoding.
const elsewhere = `|(?-u:[\x00\r\x80-\xFF])`

// superset writes an expression in the syntax of ripgrep that matches in a file
// wherever the given one matches in one of its lines. It may match elsewhere as well.
// In a file of ASCII alone both programs agree, but for the ends of texts: here each
// line is a text. It is not ok for an expression that matches nothing.
func superset(re *syntax.Regexp) (expression string, ok bool) {
	line := perLine(re)
	return "(?:" + line.String() + ")" + elsewhere, !never(line)
}

// perLine returns an expression with the ends of texts replaced by those of lines.
func perLine(re *syntax.Regexp) *syntax.Regexp {
	out := *re
	switch re.Op {
	case syntax.OpBeginText:
		out.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		out.Op, out.Flags = syntax.OpEndLine, out.Flags&^syntax.WasDollar
	}
	out.Sub = nil
	for _, sub := range re.Sub {
		out.Sub = append(out.Sub, perLine(sub))
	}
	return &out
}

// never reports whether a part of an expression matches nothing, which ripgrep does
// not know how to say.
func never(re *syntax.Regexp) bool {
	return re.Op == syntax.OpNoMatch || re.Op == syntax.OpCharClass && len(re.Rune) == 0 || slices.ContainsFunc(re.Sub, never)
}
