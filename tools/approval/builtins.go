package approval

import "strings"

// changeDir follows cd and its relatives.
func (c call) changeDir() { c.cd() }

func (c call) cd() {
	if c.name == "popd" || c.name == "pushd" && len(c.args) == 0 {
		c.st.enter("")
		return
	}
	_, operands := grammar{}.parse(c.args)
	switch {
	case len(operands) == 0 && len(c.args) > 0 && c.args[len(c.args)-1].text == "-":
		c.st.enter(c.st.prev)
	case len(operands) == 0:
		home, _ := c.st.home()
		c.st.enter(home)
	case operands[0].text == "-":
		c.st.enter(c.st.prev)
	case !operands[0].known():
		c.st.enter("")
	default:
		dir, ok := c.st.abs(operands[0].text)
		if !ok {
			dir = ""
		}
		c.st.enter(dir)
	}
}

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

// trap judges the code that runs on a signal.
func (c call) trap() {
	_, operands := grammar{}.parse(c.args)
	if len(operands) < 2 || operands[0].text == "" {
		return
	}
	c.code(operands[0], c.st.clone(), input{})
}

// alias judges what a name will stand for.
func (c call) alias() {
	for _, a := range c.args {
		if _, text, ok := strings.Cut(a.text, "="); ok {
			c.code(arg{text: text, from: a.from}, c.st.clone(), input{})
		}
	}
}

// variables follows the builtins that change variables and parameters.
func (c call) variables() {
	for _, a := range c.args {
		c.j.subscript(a)
	}
	switch c.name {
	case "set":
		c.set()
	case "shift":
		c.st.params, c.st.bound = nil, false
	case "unset":
		for _, a := range c.args {
			if !strings.HasPrefix(a.text, "-") && !hasHole(a.text) {
				c.st.vars[a.text] = variable{from: fromVariable}
				delete(c.st.funcs, a.text)
			}
		}
	case "read", "mapfile", "readarray", "getopts":
		c.st.forget("REPLY")
		c.st.forget("MAPFILE")
		for _, a := range c.args {
			if !strings.HasPrefix(a.text, "-") && !hasHole(a.text) {
				c.st.forget(a.text)
				c.j.setsUnknown(a.text)
			}
		}
		if opts, _ := (grammar{short: "Ccdnosut"}).parse(c.args); c.name != "read" && opts.has("-C") {
			c.j.ask(CatIndirectExec, "runs code for every line it reads", c.name)
		}
	case "printf":
		if len(c.args) > 1 && c.args[0].text == "-v" {
			c.st.forget(c.args[1].text)
			c.j.setsUnknown(c.args[1].text)
		}
	}
}

// set follows the positional parameters.
func (c call) set() {
	for i, a := range c.args {
		if a.text == "--" {
			c.st.params, c.st.bound = c.args[i+1:], true
			return
		}
		if len(a.text) == 0 || a.text[0] != '-' && a.text[0] != '+' {
			if i == 0 || c.args[i-1].text != "-o" && c.args[i-1].text != "+o" {
				c.st.params, c.st.bound = c.args[i:], true
				return
			}
		}
	}
}

// export judges export and its relatives where the parser took them for plain
// commands: behind command, builtin or a backslash.
func (c call) export() {
	for _, a := range c.args {
		c.j.declareWord(a, c.st)
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
}
