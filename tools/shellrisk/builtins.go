package shellrisk

import (
	"slices"
	"strconv"
	"strings"
)

// eval judges the text it puts together.
func (c call) eval() {
	args := c.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	c.code(joined(args), c.st, c.in)
}

// joined puts words together with blanks.
func joined(args []arg) arg {
	var out arg
	for i, a := range args {
		if i > 0 {
			out.text += " "
		}
		out.text += a.text
		out.from |= a.from
	}
	return out
}

// code judges a text that a shell will run.
func (c call) code(a arg, st *state, in input) {
	if a.from&dynamic != 0 || hasHole(a.text) {
		if a.from&fromDownload != 0 {
			c.j.ask(CatRemoteExec, "runs what was fetched from the network", c.name, a.show())
		}
		c.j.ask(CatIndirectExec, "runs code that is put together only when it runs", c.name, a.show())
	}
	if hasHole(a.text) {
		c.j.darken()
	}
	if !hasHole(a.text) {
		c.j.text(a.text, st, in)
	}
}

// source judges the reading of a script into the shell.
func (c call) source() {
	args := c.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		c.script(args[0])
	}
}

// script judges the running of a file of shell code, or of another language.
func (c call) script(a arg) {
	if a.from&(fromDownload|fromProcess) != 0 || a.text == "-" || a.text == "/dev/stdin" || strings.HasPrefix(a.text, "/dev/fd/") || hasHole(a.text) {
		c.j.darken() // what it holds may be shell code
	}
	switch {
	case a.from&fromDownload != 0:
		c.j.ask(CatRemoteExec, "runs what was fetched from the network", c.name, a.show())
	case a.from&fromProcess != 0:
		c.j.ask(CatIndirectExec, "runs the output of a command", c.name, a.show())
	case a.text == "-" || a.text == "/dev/stdin" || strings.HasPrefix(a.text, "/dev/fd/"):
		c.codeFromInput()
	case a.opens():
		c.j.ask(CatObfuscated, "runs a file that cannot be known beforehand", c.name, a.show())
	default:
		c.j.executes(c.st, a)
		c.scriptText(a)
	}
}

// scriptText judges a script for the shell that the command itself has written.
func (c call) scriptText(a arg) {
	file, ok := c.st.abs(a.text)
	if !ok {
		return
	}
	switch _, other := interpreterFor(c.name); {
	case c.name == "source" || c.name == ".":
		params, bound, zero := c.st.params, c.st.bound, c.st.zero
		c.j.runsText(c.st, file, params, c.in)
		c.st.params, c.st.bound, c.st.zero = params, bound, zero
	case !other:
		c.j.runsText(c.st.clone(), file, nil, c.in)
	}
}

// codeFromInput judges code that is handed to a shell or interpreter.
func (c call) codeFromInput() {
	switch {
	case c.in.download:
		c.j.ask(CatRemoteExec, "runs what was fetched from the network", c.name)
	case c.in.piped || c.in.doc:
		c.j.ask(CatIndirectExec, "runs code that is handed to it", c.name)
	case strings.HasPrefix(c.in.file, hole):
		c.j.ask(CatObfuscated, "runs a file that cannot be known beforehand", c.name)
	case c.in.file != "":
		c.j.executes(c.st, literalArg(c.in.file))
	}
}

// trap judges the code that runs on a signal, or whenever the shell does
// something: from here on it may run at any time.
func (c call) trap() {
	_, operands := grammar{}.parse(c.args)
	if len(operands) < 2 || operands[0].text == "" {
		return
	}
	c.code(operands[0], c.st.clone(), input{})
	if operands[0].known() {
		c.st.traps = withText(c.st.traps, operands[0].text)
	}
}

// alias judges what a name will stand for.
func (c call) alias() {
	for _, a := range c.args {
		if name, text, ok := strings.Cut(a.text, "="); ok {
			value := arg{text: text, from: a.from}
			c.code(value, c.st.clone(), input{})
			c.st.name(name, value)
		}
	}
}

// otherName judges a call by what its name stands for.
func (c call) otherName() {
	value, ok := c.st.named[c.word.text]
	if !ok {
		return
	}
	delete(c.st.named, c.word.text) // once: a name may stand for itself with options
	defer c.st.name(c.word.text, value)
	if words, known := literalWords(value.text); known && !hasHole(value.text) && len(words) > 0 {
		var inner []arg
		for _, w := range words {
			inner = append(inner, arg{text: w, from: value.from})
		}
		c.j.command(c.st, append(inner, c.args...), c.in)
		return
	}
	c.code(joined(append([]arg{value}, c.args...)), c.st, c.in)
}

// leaves follows exit, return, break and continue.
func (c call) leaves() {
	if _, ok := c.st.funcs[c.name]; ok {
		return
	}
	switch {
	case c.name == "exit":
		c.st.leaving = exits
	case c.name == "return" && c.st.depth > 0:
		c.st.leaving = returns
	case c.name != "return" && c.st.loops > 0:
		c.st.leaving = breaks
	}
}

// shopt follows the options of the shell that change what is followed here.
func (c call) shopt() {
	opts, names := grammar{}.parse(c.args)
	for _, a := range names {
		if a.text == "lastpipe" || hasHole(a.text) {
			c.st.lastpipe = c.st.lastpipe || !opts.has("-u")
		}
	}
}

// history judges commands that are put into the list of earlier ones, from where
// they can be run.
func (c call) history() {
	opts, rest := grammar{short: "d", first: true}.parse(c.args)
	switch {
	case opts.has("-s"):
		c.code(joined(rest), c.st.clone(), input{})
	case opts.has("-r", "-n"):
		c.j.ask(CatIndirectExec, "runs earlier commands that are not seen here", c.name)
	case opts.has("-w", "-a"):
		file := literalArg("~/.bash_history")
		if v, ok := c.st.lookup("HISTFILE"); ok && len(v.list) == 1 {
			file = arg{text: v.list[0], from: v.from}
		}
		if len(rest) > 0 {
			file = rest[0]
		}
		c.j.writes(c.st, file)
	}
	if c.name == "fc" && !opts.has("-l") {
		c.j.ask(CatIndirectExec, "runs earlier commands that are not seen here", c.name)
		c.j.darken()
	}
}

// variables follows the builtins that change variables and parameters.
func (c call) variables() {
	for _, a := range c.args {
		c.j.subscript(c.st, a)
	}
	switch c.name {
	case "set":
		c.set()
	case "shift":
		c.shift()
	case "unset":
		for _, a := range c.args {
			if !strings.HasPrefix(a.text, "-") && !hasHole(a.text) && !c.st.vars[a.text].fixed {
				c.st.vars[a.text] = variable{from: fromVariable}
				delete(c.st.funcs, a.text)
			}
		}
	case "read", "mapfile", "readarray", "getopts":
		c.read()
	case "printf", "wait":
		letters := map[string]string{"printf": "v", "wait": "p"}[c.name]
		opts, _ := grammar{short: letters, first: true}.parse(c.args)
		if o, ok := opts.get("-" + letters); ok {
			c.st.forget(o.value.text)
			c.j.setsUnknown(o.value.text)
			c.j.subscript(c.st, o.value)
		}
		if c.name == "printf" && len(c.args) > 1 && slices.ContainsFunc(c.args, func(a arg) bool { return counts(a.text) }) {
			for _, a := range c.args {
				c.st.forget(a.text)
				c.j.setsUnknown(a.text)
			}
		}
	}
}

// read makes the variables unknown that get what is read, or gives them the words
// of a text that is known.
func (c call) read() {
	opts, operands := grammar{short: "CcdinNOpstu"}.parse(c.args)
	names := operands
	if o, ok := opts.get("-a"); ok && c.name == "read" && !o.given {
		opts = append(opts, o)
	}
	c.st.forget("REPLY")
	c.st.forget("MAPFILE")
	c.st.forget("OPTARG")
	for _, a := range append(names, c.args...) {
		if !strings.HasPrefix(a.text, "-") && !hasHole(a.text) {
			c.st.forget(a.text)
			c.j.setsUnknown(a.text)
		}
	}
	if o, ok := opts.get("-C"); ok && c.name != "read" {
		c.j.ask(CatIndirectExec, "runs code for every line it reads", c.name)
		c.code(o.value, c.st.clone(), input{})
	}
	line, _, _ := strings.Cut(c.in.text, "\n")
	if c.name != "read" || !c.in.known || len(names) == 0 || opts.has("-a", "-d", "-n", "-N", "-u") || hasHole(line) {
		return
	}
	if !opts.has("-r") {
		line = strings.ReplaceAll(line, "\\", "")
	}
	fields := strings.Fields(line)
	for i, a := range names {
		var text string
		switch {
		case i == len(names)-1:
			text = strings.Join(fields[min(i, len(fields)):], " ")
		case i < len(fields):
			text = fields[i]
		}
		if v := (arg{text: text, from: fromInput}); a.known() {
			c.st.assign(a.text, v)
			c.j.setsVariable(a.text, v)
		}
	}
}

// shift drops positional parameters.
func (c call) shift() {
	n := 1
	if len(c.args) > 0 {
		var err error
		if n, err = strconv.Atoi(c.args[0].text); err != nil {
			n = -1
		}
	}
	if !c.st.bound || n < 0 || n > len(c.st.params) {
		c.st.params, c.st.bound = nil, false
		return
	}
	c.st.params = c.st.params[n:]
}

// set follows the positional parameters.
func (c call) set() {
	for i, a := range c.args {
		if a.text == "--" {
			c.st.params, c.st.bound = c.args[i+1:], true
			return
		}
		if len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+') && (strings.Contains(a.text, "P") || a.text[1] == 'o') {
			c.st.physical = c.st.physical || a.text[0] == '-' && (a.text[1] != 'o' || i+1 < len(c.args) && c.args[i+1].text == "physical")
		}
		if len(a.text) == 0 || a.text[0] != '-' && a.text[0] != '+' {
			if i == 0 || c.args[i-1].text != "-o" && c.args[i-1].text != "+o" {
				c.st.params, c.st.bound = c.args[i:], true
				return
			}
		}
	}
}

// builtinCode judges the builtins that make names run other programs.
func (c call) builtinCode() {
	opts, _ := grammar{short: "pfCxFAGWPSo"}.parse(c.args)
	switch {
	case c.name == "hash" && opts.has("-p"):
		c.j.ask(CatEnvInjection, "makes a command name run another program", c.name)
	case c.name == "enable" && opts.has("-f"):
		c.j.ask(CatEnvInjection, "loads a library into the shell", c.name)
	case opts.has("-C") || c.name == "bind" && opts.has("-x"):
		c.j.ask(CatIndirectExec, "makes the shell run code later", c.name)
	}
	for _, o := range opts {
		switch {
		case o.name == "-C":
			c.code(o.value, c.st.clone(), input{})
		case o.name == "-W":
			c.j.codeValue(c.st, o.value)
		case o.name == "-p" && c.name == "hash":
			_, names := grammar{short: "p"}.parse(c.args)
			for _, n := range names {
				c.st.name(n.text, o.value)
			}
		}
	}
	if c.name == "bind" {
		for _, a := range c.args {
			if _, code, ok := strings.Cut(a.text, ":"); ok {
				c.code(arg{text: strings.Trim(code, " \"'"), from: a.from}, c.st.clone(), input{})
			}
		}
	}
}

// shellBuiltins are commands that the shell finds before any file. Those that
// run other commands have their arguments followed.
var shellBuiltins = words(`. : [ bg break builtin cd command continue declare dirs disown echo enable eval exec exit export
	false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly
	return set shift shopt source suspend test times trap true type typeset ulimit umask unset wait`)

// Builtin reports whether a name is a command that the shell finds before any file.
func Builtin(name string) bool { return shellBuiltins[name] }
