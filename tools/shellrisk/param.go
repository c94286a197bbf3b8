package shellrisk

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expansion gives the value of an expansion, judging the commands in it.
func (j *judge) expansion(st *state, p syntax.WordPart) variable {
	switch p := p.(type) {
	case *syntax.ParamExp:
		return j.param(st, p)
	case *syntax.CmdSubst:
		return j.substitution(st, p.Stmts)
	case *syntax.ArithmExp:
		j.arithmetic(st, p.X)
		return variable{list: []string{hole}} // a number is harmless
	case *syntax.ProcSubst:
		before := j.downloads
		j.concurrent++
		j.stmts(p.Stmts, st.clone(), input{piped: p.Op == syntax.CmdOut})
		j.concurrent--
		v := variable{list: []string{"/dev/fd/63"}, from: fromProcess} // whichever number: it is a pipe
		if j.downloads > before {
			v.from |= fromDownload
		}
		return v
	}
	return unknownVariable()
}

// param gives the value of a parameter expansion.
func (j *judge) param(st *state, p *syntax.ParamExp) variable {
	if p.Param == nil {
		return unknownVariable()
	}
	j.paramCode(st, p)
	name := p.Param.Value
	switch {
	case p.Excl:
		if p.Names == 0 {
			j.evaluated(st, name)
		}
		return unknownVariable()
	case p.Length:
		return variable{list: []string{hole}, from: fromVariable}
	}
	v, ok := j.plainParam(st, p)
	if p.Exp != nil {
		return j.operated(st, name, p.Exp, v, ok)
	}
	if !ok {
		v = unknownVariable()
		v.from |= fromOutside
	}
	if p.Slice != nil || p.Repl != nil {
		return variable{list: []string{hole}, from: v.from | fromVariable | opaque}
	}
	if secretName(name) {
		v.from |= fromSecret
	}
	return v
}

// paramCode judges what stands inside the expansion and runs with it.
func (j *judge) paramCode(st *state, p *syntax.ParamExp) {
	j.arithmetic(st, p.Index)
	if p.Slice != nil {
		j.arithmetic(st, p.Slice.Offset)
		j.arithmetic(st, p.Slice.Length)
	}
	if p.Repl != nil {
		j.value(st, p.Repl.Orig)
		j.value(st, p.Repl.With)
	}
}

// plainParam is the value of a name, a position or an array element.
func (j *judge) plainParam(st *state, p *syntax.ParamExp) (variable, bool) {
	name := p.Param.Value
	if v, ok := st.special(name); ok {
		return v, true
	}
	v, ok := st.lookup(name)
	if !ok || p.Index == nil {
		if v.array && len(v.list) > 1 && p.Index == nil {
			v.list, v.array = v.list[:1], false
		}
		return v, ok
	}
	word, isWord := p.Index.(*syntax.Word)
	if !isWord {
		return unknownVariable(), true
	}
	switch index := word.Lit(); index {
	case "@":
		v.array = true
		return v, true
	case "*":
		v.array = false
		return v, true
	default:
		if n, err := strconv.Atoi(index); err == nil && n >= 0 && n < len(v.list) {
			return variable{list: v.list[n : n+1], from: v.from}, true
		}
	}
	return unknownVariable(), true
}

// mildVariables are set by the shell to numbers and names of the machine.
var mildVariables = words(`BASHPID BASH_SUBSHELL BASH_VERSION COLUMNS EPOCHREALTIME EPOCHSECONDS EUID GROUPS HOSTNAME
	HOSTTYPE LINENO LINES MACHTYPE OPTIND OSTYPE PIPESTATUS PPID RANDOM SECONDS SHLVL SRANDOM UID`)

// shellVariables are set by the shell to anything.
var shellVariables = words(`_ BASH BASH_ARGV BASH_COMMAND BASH_REMATCH BASH_SOURCE COPROC DIRSTACK FUNCNAME MAPFILE OPTARG
	READLINE_LINE REPLY`)

// special gives the parameters that are not variables.
func (st *state) special(name string) (variable, bool) {
	switch name {
	case "?", "#", "$", "-":
		return variable{list: []string{hole}, from: fromVariable}, true
	case "!":
		return variable{list: []string{hole}, from: fromVariable | fromJob}, true
	case "@", "*":
		if !st.bound {
			return variable{list: []string{hole}, from: fromVariable | opaque, array: true}, true
		}
		v := variable{from: fromVariable, array: name == "@"}
		for _, a := range st.params {
			v.list = append(v.list, a.text)
			v.from |= a.from
		}
		return v, true
	}
	if _, assigned := st.vars[name]; !assigned && mildVariables[name] {
		v := variable{list: []string{hole}, from: fromVariable}
		if name == "PPID" {
			v.from |= fromParent
		}
		return v, true
	} else if !assigned && shellVariables[name] {
		return unknownVariable(), true
	}
	n, err := strconv.Atoi(name)
	if err != nil {
		return variable{}, false
	}
	if n == 0 && st.zero.text != "" {
		return variable{list: []string{st.zero.text}, from: st.zero.from | fromVariable}, true
	}
	if !st.bound || n == 0 {
		return unknownVariable(), true
	}
	if n > len(st.params) {
		return variable{from: fromVariable}, true
	}
	a := st.params[n-1]
	return variable{list: []string{a.text}, from: a.from | fromVariable}, true
}

// operated applies ${name:-word} and its relatives. A default stands for a
// variable of which nothing is known.
func (j *judge) operated(st *state, name string, e *syntax.Expansion, v variable, known bool) variable {
	word := j.value(st, e.Word)
	other := variable{list: []string{word.text}, from: word.from | fromVariable}
	empty := len(v.list) == 0 || len(v.list) == 1 && v.list[0] == ""
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if known && !empty {
			return v
		}
		if e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull {
			st.put(name, other)
			j.setsVariable(name, word)
		}
		return other
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if known && empty {
			return variable{from: fromVariable}
		}
		return other
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if known {
			return v
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if known && len(v.list) == 1 {
			if text, ok := j.trims(st, e, v); ok {
				return variable{list: []string{text}, from: v.from | fromVariable}
			}
		}
	case syntax.OtherParamOps:
		if word.text == "P" {
			j.ask(CatObfuscated, "evaluates the value of a variable", "${"+name+"@P}")
			for _, s := range v.list {
				j.embedded(st, s)
			}
		}
	}
	u := unknownVariable()
	u.from |= v.from
	return u
}

// substitution gives the output of commands, as far as it is known.
func (j *judge) substitution(st *state, stmts []*syntax.Stmt) variable {
	before := j.downloads
	sub := st.clone()
	j.last = call{}
	j.stmts(stmts, sub, input{})
	v := variable{list: []string{hole}, from: fromCommand}
	if j.downloads > before {
		v.from |= fromDownload
	}
	if len(stmts) != 1 {
		v.from |= opaque
		return v
	}
	text, kind := j.last.output(single(stmts[0]))
	if !plainPipe(stmts[0]) {
		kind = outputOpen
	}
	switch kind {
	case outputKnown:
		v.list[0] = strings.TrimRight(text, "\n")
	case outputOpen:
		v.from |= opaque
	case outputMild:
		if text != "" {
			v.list[0] = text
		}
	}
	return v
}

// single reports whether a statement is one simple command.
func single(s *syntax.Stmt) bool {
	_, ok := s.Cmd.(*syntax.CallExpr)
	return ok
}

// plainPipe reports whether the output of a statement is that of the simple
// command that ends it.
func plainPipe(s *syntax.Stmt) bool {
	if c, ok := s.Cmd.(*syntax.BinaryCmd); ok && (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) {
		return single(c.Y)
	}
	return single(s)
}

// evaluated asks when the value of a variable is itself evaluated and holds a
// command: indirect expansion, and arithmetic with array subscripts.
func (j *judge) evaluated(st *state, name string) {
	v, ok := st.lookup(name)
	if !ok {
		return
	}
	for _, s := range v.list {
		if strings.Contains(s, "$(") || strings.Contains(s, "`") {
			j.ask(CatObfuscated, "evaluates the value of a variable as code", name)
			j.embedded(st, s)
		}
	}
}
