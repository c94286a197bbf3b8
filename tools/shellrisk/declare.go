package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declaring is declare or one of its relatives with the letters of its options.
type declaring struct {
	name    string // export, declare, typeset, local, readonly
	letters string
}

// word judges an option, or a word that came out of an expansion.
func (d *declaring) word(j *judge, w arg, st *state) {
	if strings.HasPrefix(w.text, "-") {
		d.letters += w.text[1:]
		return
	}
	name, value, ok := strings.Cut(w.text, "=")
	if hasHole(name) {
		return
	}
	d.before(st, name)
	if ok {
		v := arg{text: value, from: w.from}
		j.setsVariable(name, v)
		j.subscript(st, arg{text: name, from: w.from})
		if st.vars[name].code {
			j.codeValue(st, v)
		}
		st.assign(name, v)
	}
	d.after(st, name)
}

// before makes the variable local, and one whose value is evaluated, before it
// gets its value.
func (d *declaring) before(st *state, name string) {
	if d.name == "local" || d.name != "export" && d.name != "readonly" && !strings.Contains(d.letters, "g") {
		st.shade(name)
	}
	if strings.ContainsAny(d.letters, "in"+hole) {
		v, ok := st.lookup(name)
		if !ok {
			v = unknownVariable()
		}
		v.code = true
		st.vars[name] = v
	}
}

// after gives the variable its attributes, once it has its value. References, and
// values whose letters change, are not followed.
func (d *declaring) after(st *state, name string) {
	if strings.ContainsAny(d.letters, "nluc"+hole) {
		st.forget(name)
	}
	if d.name == "readonly" || strings.Contains(d.letters, "r") {
		v, ok := st.lookup(name)
		if !ok {
			v = unknownVariable()
		}
		v.fixed = true
		st.vars[name] = v
	}
}

// export judges export and its relatives where the parser took them for plain
// commands: behind command, builtin or a backslash.
func (c call) export() {
	d := declaring{name: c.name}
	for _, a := range c.args {
		d.word(c.j, a, c.st)
	}
}

// codeValue judges a value that the shell evaluates: that of a number or of a
// reference, and a prompt.
func (j *judge) codeValue(st *state, value arg) {
	if strings.Contains(value.text, "$(") || strings.Contains(value.text, "`") {
		j.ask(CatObfuscated, "evaluates the value of a variable as code", value.show())
		j.embedded(st, value.text)
	}
}

// embedded judges the commands in a text that the shell expands once more.
func (j *judge) embedded(st *state, text string) {
	if !j.step() || len(text) > maxText {
		return
	}
	word, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(strings.ReplaceAll(text, hole, "")))
	if err != nil || word == nil {
		return
	}
	j.depth++
	j.document(st.clone(), word)
	j.depth--
}

// setsName remembers what a name stands for that is set by way of the shell's own
// tables of aliases and commands.
func (j *judge) setsName(st *state, table string, index syntax.ArithmExpr, value arg) {
	if table != "BASH_ALIASES" && table != "BASH_CMDS" {
		return
	}
	j.ask(CatEnvInjection, "makes a command name run another program", table, value.show())
	if w, ok := index.(*syntax.Word); ok {
		st.name(j.value(st, w).text, value)
	}
}
