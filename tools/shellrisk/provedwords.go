package shellrisk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// numeral stands in a text for a number that is not known before the command runs.
// Commands with control characters are not proved, so it is never mistaken.
const numeral = "\x01"

// inner reports whether the expansions in a word are understood, and the commands
// in it proved.
func (p *prover) inner(w *syntax.Word) bool {
	if w == nil {
		return true
	}
	ok := true
	syntax.Walk(w, func(n syntax.Node) bool {
		if !ok {
			return false
		}
		switch n := n.(type) {
		case *syntax.CmdSubst:
			ok = !n.TempFile && !n.ReplyVar && p.stmts(n.Stmts)
			return false
		case *syntax.ProcSubst:
			ok = n.Op == syntax.CmdIn && p.stmts(n.Stmts)
			return false
		case *syntax.ArithmExp:
			ok = p.arithmetic(n.X)
			return false
		case *syntax.ParamExp:
			ok = p.understood(n)
		case *syntax.ExtGlob:
			ok = false
		case *syntax.DblQuoted:
			ok = !n.Dollar
		case *syntax.SglQuoted:
			ok = !n.Dollar || strings.IndexFunc(ansiC(n.Value), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) < 0
		case *syntax.Lit:
			ok = !otherTilde(n.Value)
		}
		return ok
	})
	return ok
}

// otherTilde reports whether a text may hold a tilde that means anything but the
// home directory.
func otherTilde(s string) bool {
	for i := range len(s) {
		if s[i] == '~' && (i == 0 || s[i-1] == ':' || s[i-1] == '=') && i+1 < len(s) && s[i+1] != '/' {
			return true
		}
	}
	return false
}

// understood reports whether a parameter expansion does nothing but give a text.
func (p *prover) understood(n *syntax.ParamExp) bool {
	if n.Param == nil || n.Flags != nil || n.Excl || n.Width || n.IsSet || n.NestedParam != nil || len(n.Modifiers) > 0 || n.Names != 0 {
		return false
	}
	name := n.Param.Value
	if secretName(name) || p.exported(name) && !openVariables[name] {
		return false
	}
	switch word, _ := n.Index.(*syntax.Word); {
	case n.Index == nil:
	case word == nil || word.Lit() != "@" && word.Lit() != "*" && !digits(word.Lit()):
		return false
	}
	if n.Slice != nil && (!p.arithmetic(n.Slice.Offset) || n.Slice.Length != nil && !p.arithmetic(n.Slice.Length)) {
		return false
	}
	if n.Exp == nil {
		return true
	}
	switch n.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return false
	case syntax.OtherParamOps:
		return n.Exp.Word != nil && n.Exp.Word.Lit() == "Q"
	}
	return true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// words expands words in each case that may be, and reports whether each of them
// is all right.
func (p *prover) words(list []*syntax.Word, each func([]arg) bool) bool {
	var names []string
	for _, w := range list {
		if _, ok := asTyped(w); ok {
			continue
		}
		if !p.inner(w) {
			return false
		}
		syntax.Walk(w, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
				return false
			case *syntax.ParamExp:
				if name := n.Param.Value; !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			return true
		})
	}
	cases := 1
	for _, name := range names {
		if cases *= len(p.values(name)); cases > maxCases {
			return false
		}
	}
	outer := p.now
	defer func() { p.now = outer }()
	for i := range cases {
		p.now = nil
		if len(names) > 0 {
			p.now = make(map[string]variable, len(names))
		}
		for _, name := range names {
			values := p.values(name)
			p.now[name] = values[i%len(values)]
			i /= len(values)
		}
		args, ok := p.expand(list)
		if !ok || !each(args) {
			return false
		}
	}
	return true
}

// expand gives the words of the present case.
func (p *prover) expand(list []*syntax.Word) ([]arg, bool) {
	out := make([]arg, 0, len(list))
	for _, w := range list {
		if text, ok := asTyped(w); ok && text != "" {
			if !p.step() {
				return nil, false
			}
			out = append(out, arg{text: text})
			continue
		}
		expanded, ok := braces(w)
		if !ok {
			return nil, false
		}
		for _, word := range expanded {
			if !p.step() {
				return nil, false
			}
			b := builder{st: p.st, values: p.value, splits: true}
			for i, part := range word.Parts {
				b.part(part, i == 0, i == len(word.Parts)-1)
			}
			out = append(out, b.finish()...)
		}
	}
	return out, true
}

// values are what a variable may hold.
func (p *prover) values(name string) []variable {
	if list, ok := p.vars[name]; ok {
		return list
	}
	list := []variable{p.initial(name)}
	p.vars[name] = list
	return list
}

// numericVariables are set by the shell to a number.
var numericVariables = words(`? # $ ! BASHPID BASH_SUBSHELL COLUMNS EPOCHSECONDS EUID LINENO LINES OPTIND PPID RANDOM SECONDS SHLVL SRANDOM UID`)

// initial is what a variable holds when the command starts.
func (p *prover) initial(name string) variable {
	anything := variable{list: []string{hole}}
	switch {
	case numericVariables[name]:
		return variable{list: []string{numeral}}
	case name == "@" || digits(name):
		return variable{list: []string{hole}, array: true, from: scattered} // any number of words, even in quotes
	case strings.Trim(name, "*-") == "", shellVariables[name], mildVariables[name], name == "PWD", name == "OLDPWD":
		return anything
	case name == "HOME":
		if home, ok := p.st.home(); ok {
			return variable{list: []string{home}}
		}
		return anything
	case p.set.Getenv == nil:
		return anything
	}
	value, ok := p.set.Getenv(name)
	if !ok {
		return variable{}
	}
	return variable{list: []string{value}}
}

// learn adds what a variable may hold.
func (p *prover) learn(name string, v variable) {
	have := p.values(name)
	if len(have) >= maxValues {
		v = variable{list: []string{hole}, array: v.array, from: scattered}
	}
	if !slices.ContainsFunc(have, v.equal) {
		p.vars[name] = append(have, v)
	}
}

// value gives the value of an expansion in the present case.
func (p *prover) value(_ *state, part syntax.WordPart) variable {
	switch part := part.(type) {
	case *syntax.ParamExp:
		return p.param(part)
	case *syntax.ArithmExp:
		return variable{list: []string{numeral}}
	case *syntax.ProcSubst:
		return variable{list: []string{"/dev/fd/" + numeral}}
	case *syntax.CmdSubst:
		return p.output(part.Stmts)
	}
	return unknownVariable()
}

func (p *prover) param(n *syntax.ParamExp) variable {
	v := p.now[n.Param.Value]
	many := false
	if word, ok := n.Index.(*syntax.Word); ok {
		switch index := word.Lit(); index {
		case "@":
			v.array, many = true, true
		case "*":
			v.array = false
		default:
			v = variable{list: []string{hole}}
		}
	} else if v.array && n.Param.Value != "@" && !digits(n.Param.Value) {
		v.array, v.list = false, v.list[:min(1, len(v.list))]
	}
	switch {
	case n.Length:
		return variable{list: []string{numeral}}
	case n.Slice == nil && n.Repl == nil && n.Exp == nil:
		return v
	case many || v.array || n.Slice != nil || n.Repl != nil:
		return variable{list: []string{hole}, array: v.array}
	}
	return operatedOn(v, n.Exp)
}

// operatedOn is the value of ${name#word} and its relatives, where it is simple.
func operatedOn(v variable, e *syntax.Expansion) variable {
	text := strings.Join(v.list, "")
	word := ""
	if e.Word != nil {
		word = e.Word.Lit()
	}
	plain := word != "" && !strings.ContainsAny(word, `*?[\~`) && !hasHole(text)
	one := func(s string) variable { return variable{list: []string{s}} }
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if text == "" && plain && e.Op == syntax.DefaultUnsetOrNull {
			return one(word)
		} else if text != "" && !hasHole(text) {
			return v
		}
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if plain {
			return one(strings.TrimSuffix(text, word))
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if plain {
			return one(strings.TrimPrefix(text, word))
		}
		if e.Op == syntax.RemLargePrefix && word == "*/" && !hasHole(text) {
			return one(text[strings.LastIndexByte(text, '/')+1:])
		}
	}
	return one(hole)
}

// numericOutput are programs that print nothing but a number.
var numericOutput = words(`nproc`)

// output is what is known of the output of commands.
func (p *prover) output(stmts []*syntax.Stmt) variable {
	if len(stmts) == 1 {
		if c, ok := stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Args) == 1 && len(stmts[0].Redirs) == 0 && numericOutput[c.Args[0].Lit()] {
			return variable{list: []string{numeral}}
		}
	}
	return variable{list: []string{hole}}
}
