package shellrisk

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call is a program about to be run, wrappers taken off.
type call struct {
	j    *judge
	st   *state
	word arg    // the command word
	name string // its last element
	args []arg  // the words after it
	in   input
}

// rule judges the calls of one program.
type rule func(call)

// simple judges a simple command: its assignments, then the program.
func (j *judge) simple(c *syntax.CallExpr, st *state, in input) {
	args := j.expandAll(st, c.Args)
	var before map[string]variable
	if len(c.Assigns) > 0 && len(args) > 0 {
		before = maps.Clone(st.vars)
	}
	st.status = statusOK
	for _, a := range c.Assigns {
		j.loosen()
		j.assignment(a, st)
	}
	if len(args) == 0 {
		if len(c.Args) > 0 || substitutes(c.Assigns) {
			st.status = statusOpen
		}
		return
	}
	j.site = c
	st.status = statusOpen
	j.command(st, args, in)
	if before == nil {
		return
	}
	for _, w := range append([]*state{st}, st.forks...) { // the values were for the one command
		for _, a := range c.Assigns {
			if v, ok := before[a.Name.Value]; ok {
				w.vars[a.Name.Value] = v
			} else {
				delete(w.vars, a.Name.Value)
			}
		}
	}
}

// prompts are variables that the shell expands whenever it shows them.
var prompts = words(`PS0 PS1 PS2 PS4 PROMPT_COMMAND`)

// substitutes reports whether values come from commands, which may fail.
func substitutes(list []*syntax.Assign) bool {
	return slices.ContainsFunc(list, func(a *syntax.Assign) bool { return a.Value == nil || a.Value.Lit() == "" })
}

// assignment judges one assignment.
func (j *judge) assignment(a *syntax.Assign, st *state) {
	if a.Name == nil { // an argument of declare, evaluated when it runs
		j.expand(st, a.Value)
		return
	}
	name := a.Name.Value
	j.arithmetic(st, a.Index)
	if a.Array != nil {
		v := variable{from: fromVariable, array: true}
		for _, e := range a.Array.Elems {
			j.arithmetic(st, e.Index)
			if e.Value == nil {
				continue
			}
			for _, w := range j.expand(st, e.Value) {
				v.list = append(v.list, w.text)
				v.from |= w.from
			}
		}
		if a.Append {
			old, _ := st.lookup(name)
			v.list = append(append([]string{}, old.list...), v.list...)
			v.from |= old.from
		}
		st.put(name, v)
		return
	}
	if a.Naked {
		return
	}
	value := j.value(st, a.Value)
	if a.Append {
		old, ok := st.lookup(name)
		if !ok || len(old.list) > 1 {
			old = unknownVariable()
		}
		value.text = strings.Join(old.list, "") + value.text
		value.from |= old.from
	}
	j.setsVariable(name, value)
	if st.vars[name].code || prompts[name] {
		j.codeValue(st, value)
	}
	if a.Index != nil {
		j.setsName(st, name, a.Index, value)
		st.forget(name)
		return
	}
	st.assign(name, value)
}

// declClause judges export, declare, local and readonly.
func (j *judge) declClause(c *syntax.DeclClause, st *state) {
	d := declaring{name: c.Variant.Value}
	if d.name == "nameref" {
		d.letters = "n"
	}
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			for _, w := range j.expand(st, a.Value) {
				d.word(j, w, st)
			}
			continue
		}
		d.before(st, a.Name.Value)
		j.assignment(a, st)
		d.after(st, a.Name.Value)
	}
}

// command judges a program with its arguments, whoever runs it.
func (j *judge) command(st *state, args []arg, in input) {
	if len(args) == 0 || !j.step() {
		return
	}
	j.depth++
	defer func() { j.depth-- }()
	leave := j.enter(st, args, in)
	defer leave()
	word := args[0]
	if hiddenWord(word) || assignmentName(word.text) > 0 || word.from&(dynamic|fromBraces) != 0 || !word.known() {
		j.ask(CatObfuscated, "does not say plainly which program it runs", word.show())
	}
	if hasHole(word.text) {
		j.darken()
		if word.from&fromDownload != 0 {
			j.ask(CatRemoteExec, "runs what was fetched from the network", word.show())
		}
		return
	}
	_, name := cutLast(word.text)
	if j.set.FoldsCase {
		name = strings.ToLower(name)
	}
	c := call{j: j, st: st, word: word, name: name, args: args[1:], in: in}
	for _, a := range c.args {
		j.names(st, name, a)
		if r, ok := lookAlike(a.text); ok {
			j.ask(CatObfuscated, "has a letter in a path that looks like another one", a.show(), SpellRune(r))
		}
	}
	if body, ok := st.funcs[word.text]; ok {
		j.function(c, body)
	}
	c.otherName()
	path := strings.Contains(word.text, "/")
	if path {
		j.executes(st, word)
		if file, ok := st.abs(word.text); ok {
			j.runsText(st.clone(), file, c.args, in)
		}
	}
	c.options()
	c.obeys()
	c.ownFiles()
	switch name {
	case "true", ":":
		st.status = statusOK
	case "false":
		st.status = statusFailed
	}
	if r := ruleFor(name, path && !strings.HasPrefix(word.text, "/")); r != nil {
		r(c)
	}
	if path {
		c.byRealName(name)
	}
	j.last = c
}

// manyNames are programs that do what the name says by which they are started.
var manyNames = words(`busybox toybox coreutils`)

// byRealName judges a program named by a path that leads to another name.
func (c call) byRealName(name string) {
	raw, ok := c.st.raw(c.word.text)
	if !ok {
		return
	}
	for _, real := range c.j.set.reals(raw) {
		_, c.name = cutLast(real)
		if r := ruleFor(c.name, false); c.name != name && r != nil && !manyNames[c.name] {
			r(c)
		}
	}
}

// hiddenWord reports whether a command word only looks like a familiar one: it
// holds something invisible, blanks that do not separate, letters of two
// alphabets, or the wide forms of ASCII letters.
func hiddenWord(a arg) bool {
	latin, other := false, false
	for _, r := range a.text {
		switch {
		case r == 0:
		case hides(r) || r >= 0xff01 && r <= 0xff5e || r >= 0x80 && isBlank(r):
			return true
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin = true
		case r >= 0x370 && r <= 0x52f: // Greek and Cyrillic
			other = true
		}
	}
	return latin && other
}

// function judges a call of a function with the parameters it gets.
func (j *judge) function(c call, body *syntax.Stmt) {
	st := c.st
	params, bound, scope := st.params, st.bound, st.scope
	st.params, st.bound, st.scope = c.args, true, nil
	st.depth++
	for _, a := range c.args {
		if a.pat != "" {
			st.bound = false
		}
	}
	site := j.site
	if j.active[body] == nil {
		j.sites = append(j.sites, site)
		defer func() { j.sites = j.sites[:len(j.sites)-1] }()
	}
	j.follow(body, st, c.in)
	j.site = site
	st.back(returns)
	for _, w := range append([]*state{st}, st.forks...) {
		w.params, w.bound = params, bound
		w.unshade(scope)
		w.depth--
	}
}

// executes judges the running of a file.
func (j *judge) executes(st *state, a arg) {
	file, ok := st.abs(a.text)
	if !ok || hasHole(file) {
		return
	}
	j.runs(file)
	made := j.made[file]
	for pattern, what := range j.made {
		if hasHole(pattern) && holeMatches(pattern, file) {
			made |= what
		}
	}
	switch {
	case made&fromDownload != 0:
		j.ask(CatRemoteExec, "runs what it has just fetched from the network", a.show())
	case made&(written|executable) != 0:
		j.ask(CatIndirectExec, "runs a file that it has just written or made executable", a.show())
	case strings.HasPrefix(file, "/dev/fd/"), file == "/dev/stdin", strings.HasPrefix(file, "/proc/"):
		j.ask(CatIndirectExec, "runs code that is handed to it", a.show())
	}
}

// holeMatches reports whether a path with unknown pieces may be the file.
func holeMatches(path, file string) bool {
	dir, last := cutLast(path)
	fileDir, fileLast := cutLast(file)
	return dir == fileDir && matches(escapePattern(last), fileLast)
}
