package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic judges the commands inside an arithmetic expression or subscript,
// and the values of the variables it names: the shell evaluates those, too.
func (j *judge) arithmetic(st *state, x syntax.ArithmExpr) {
	if x == nil || !j.step() {
		return
	}
	j.depth++
	defer func() { j.depth-- }()
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		j.arithmetic(st, x.X)
		j.arithmetic(st, x.Y)
	case *syntax.UnaryArithm:
		j.arithmetic(st, x.X)
	case *syntax.ParenArithm:
		j.arithmetic(st, x.X)
	case *syntax.FlagsArithm:
		j.arithmetic(st, x.X)
	case *syntax.Word:
		if x == nil {
			return
		}
		a := j.value(st, x)
		if name := x.Lit(); name != "" {
			j.evaluated(st, name)
		}
		j.subscript(st, a)
	}
}

// subscript asks about a text that the shell evaluates and that holds a command
// in an array subscript, as in test -v 'a[$(id)]'.
func (j *judge) subscript(st *state, a arg) {
	i := strings.IndexByte(a.text, '[')
	if i < 0 {
		return
	}
	if rest := a.text[i:]; strings.Contains(rest, "$(") || strings.Contains(rest, "`") {
		j.ask(CatObfuscated, "hides a command in an array subscript", a.show())
		j.embedded(st, rest)
	}
}

// test judges a [[ … ]] expression.
func (j *judge) test(st *state, x syntax.TestExpr) {
	if x == nil || !j.step() {
		return
	}
	j.depth++
	defer func() { j.depth-- }()
	switch x := x.(type) {
	case *syntax.BinaryTest:
		j.test(st, x.X)
		j.test(st, x.Y)
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			j.testNumber(st, x.X)
			j.testNumber(st, x.Y)
		}
	case *syntax.UnaryTest:
		j.test(st, x.X)
	case *syntax.ParenTest:
		j.test(st, x.X)
	case *syntax.Word:
		if x == nil {
			return
		}
		for _, a := range j.fields(st, x) {
			j.subscript(st, a)
		}
	}
}

// testNumber looks at an operand that is evaluated as a number.
func (j *judge) testNumber(st *state, x syntax.TestExpr) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	if name := w.Lit(); name != "" {
		j.evaluated(st, name)
	}
}

// patternText asks about a command in an extended pattern, which the parser
// does not look into.
func (j *judge) patternText(st *state, text string) {
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		j.ask(CatObfuscated, "hides a command in a pattern", text)
		j.embedded(st, text)
	}
}
