package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// trims cuts an end off a value, as ${name#pattern} and its relatives do, and
// gives what may be left. It is not ok when that may be anything.
func (j *judge) trims(st *state, e *syntax.Expansion, v variable) (string, bool) {
	b := builder{judge: j, st: st, values: j.expansion}
	if e.Word != nil {
		for i, part := range e.Word.Parts {
			b.part(part, i == 0, i == len(e.Word.Parts)-1)
		}
	}
	word := b.single()
	pat := word.pat
	if pat == "" {
		pat = escapePattern(word.text)
	}
	value := v.list[0]
	prefix := e.Op == syntax.RemSmallPrefix || e.Op == syntax.RemLargePrefix
	switch {
	case v.from&opaque != 0:
		return "", false
	case !hasHole(pat) && !strings.Contains(pat, "[") && (!hasHole(value) || word.pat == ""):
		return cutEnd(value, pat, word.text, e.Op)
	case e.Op == syntax.RemLargePrefix && pat == "*/": // the last element
		return "./" + hole, true
	case !prefix && !strings.Contains(value, "..") && !strings.HasPrefix(pat, "/"): // what the folder holds
		dir, _ := cutLast(value)
		return dir + hole, true
	}
	return "", false
}

// cutEnd cuts the shortest or longest end off a value that the pattern matches.
// Where something is not known of the value, the pattern matches only its own
// text, which must meet the known part.
func cutEnd(value, pat, text string, op syntax.ParExpOperator) (string, bool) {
	prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
	longest := op == syntax.RemLargePrefix || op == syntax.RemLargeSuffix
	if hasHole(value) {
		rest, ok := strings.CutPrefix(value, text)
		end := value[:min(len(text), len(value))]
		if !prefix {
			rest, ok = strings.CutSuffix(value, text)
			end = value[max(0, len(value)-len(text)):]
		}
		if !ok && hasHole(end) {
			return "", false
		}
		if !ok {
			rest = value
		}
		return rest, true
	}
	if len(value) > maxText/16 {
		return "", false
	}
	for n := range len(value) + 1 {
		if longest {
			n = len(value) - n
		}
		switch {
		case prefix && matches(pat, value[:n]):
			return value[n:], true
		case !prefix && matches(pat, value[len(value)-n:]):
			return value[:len(value)-n], true
		}
	}
	return value, true
}
