package shellrisk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign follows an assignment that lasts.
func (p *prover) assign(a *syntax.Assign) bool {
	if a.Name == nil || a.Index != nil || !p.assignable(a.Name.Value) {
		return false
	}
	name := a.Name.Value
	switch {
	case a.Append:
		if a.Array != nil || !p.inner(a.Value) {
			return false
		}
		p.learn(name, variable{list: []string{hole}})
		return true
	case a.Array != nil:
		var list []*syntax.Word
		for _, e := range a.Array.Elems {
			if e.Index != nil || e.Value == nil {
				return false
			}
			list = append(list, e.Value)
		}
		return p.words(list, func(args []arg) bool {
			v := variable{array: true}
			for _, a := range args {
				v.from |= a.from & scattered
				files, ok := p.globbed(a)
				if !ok {
					return false
				}
				for _, f := range files {
					v.list = append(v.list, f.text)
				}
			}
			p.learn(name, v)
			return true
		})
	case a.Value == nil:
		p.learn(name, variable{list: []string{""}})
		return true
	}
	return p.single(a.Value, func(text string) bool {
		p.learn(name, variable{list: []string{text}})
		return true
	})
}

// single expands a word that is not split, in each case that may be.
func (p *prover) single(w *syntax.Word, each func(text string) bool) bool {
	quoted := &syntax.Word{Parts: w.Parts}
	return p.words([]*syntax.Word{quoted}, func([]arg) bool {
		b := builder{st: p.st, values: p.value}
		for i, part := range quoted.Parts {
			b.part(part, i == 0, i == len(quoted.Parts)-1)
		}
		return each(b.single().text)
	})
}

// assignable reports whether giving a variable a value changes nothing but the
// texts it is used in: it is none of the shell's own, and no program gets it.
func (p *prover) assignable(name string) bool {
	if shellOwn[name] || mildVariables[name] || shellVariables[name] || programVariables[name] || toolVariables[name] ||
		optionVariables[name] != nil || secretName(name) {
		return false
	}
	for _, begin := range []string{"BASH", "COMP", "GIT_", "HIST", "LC_", "LD_", "MAIL", "PROMPT", "READLINE"} {
		if strings.HasPrefix(name, begin) {
			return false
		}
	}
	return !p.exported(name)
}

// exported reports whether a variable is known to be in the environment.
func (p *prover) exported(name string) bool {
	if p.set.Getenv == nil {
		return false
	}
	_, ok := p.set.Getenv(name)
	return ok
}

// shellOwn are the variables that change what the shell or every program does.
var shellOwn = words(`PATH HOME IFS CDPATH ENV PWD OLDPWD PS0 PS1 PS2 PS3 PS4 OPTERR EXECIGNORE FCEDIT FIGNORE FUNCNEST
	GLOBIGNORE GLOBSORT IGNOREEOF INPUTRC INSIDE_EMACS LANG LANGUAGE POSIXLY_CORRECT TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT
	TMOUT TMPDIR TERM TZ auto_resume histchars CHILD_MAX EMACS LOCPATH NLSPATH`)

// arithmetic reports whether an expression has only numbers in it: the shell
// evaluates the values of variables, too.
func (p *prover) arithmetic(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		return p.arithmetic(x.X) && p.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		return p.arithmetic(x.X)
	case *syntax.ParenArithm:
		return p.arithmetic(x.X)
	case *syntax.Word:
		name := x.Lit()
		if identifier(name) == 0 || identifier(name) != len(name) {
			return p.number(x)
		}
		if !p.assignable(name) {
			return numericVariables[name]
		}
		ok := !slices.ContainsFunc(p.values(name), func(v variable) bool { return !isNumber(strings.Join(v.list, "")) })
		p.learn(name, variable{list: []string{numeral}})
		return ok
	}
	return false
}

// number reports whether a word is a number, or nothing, in each case that may be.
func (p *prover) number(w *syntax.Word) bool {
	return p.single(w, isNumber)
}

func isNumber(s string) bool {
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(s), "-"), "0123456789"+numeral) == ""
}
