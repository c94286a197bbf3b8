package shellrisk

import "strings"

// developer judges tools of developers by which other programs can be run.
func (c call) developer() {
	shown := append([]string{c.name}, show(c.args)...)
	switch c.name {
	case "make", "gmake":
		c.makeTool(shown)
	case "go":
		c.goTool(shown)
	case "cargo":
		opts, _ := grammar{long: "config"}.parse(c.args)
		if o, ok := opts.get("--config"); ok && strings.Contains(o.value.text, "runner") {
			c.j.ask(CatIndirectExec, "runs another program", shown...)
		}
		c.publish()
	default:
		c.debuggerOrEditor(shown)
	}
}

func (c call) makeTool(shown []string) {
	opts, operands := grammar{short: "fCIjloWE", long: "file makefile directory eval include-dir jobs"}.parse(c.args)
	for _, o := range opts {
		switch {
		case o.is("--eval") || o.name == "-E":
			c.makeCode(o.value)
			c.j.ask(CatIndirectExec, "runs code given on the command line", shown...)
		case (o.name == "-f" || o.is("--file", "--makefile")) && o.given:
			c.script(o.value)
		}
	}
	for _, a := range operands {
		if name, value, ok := strings.Cut(a.text, "="); ok {
			if strings.HasSuffix(name, "!") {
				c.j.ask(CatIndirectExec, "runs code given on the command line", shown...)
				c.code(arg{text: value, from: a.from}, c.st.clone(), input{})
			}
			c.makeCode(a)
			c.j.setsVariable(strings.TrimRight(name, ":+?!"), arg{text: value, from: a.from})
		}
	}
}

// makeCode judges the shell code in a text for make.
func (c call) makeCode(a arg) {
	text := strings.ReplaceAll(a.text, "${shell", "$(shell")
	for {
		_, code, found := strings.Cut(text, "$(shell")
		if !found {
			return
		}
		c.j.ask(CatIndirectExec, "runs code given on the command line", c.name, a.show())
		end, depth := 0, 1
		for end < len(code) && depth > 0 {
			switch code[end] {
			case '(', '{':
				depth++
			case ')', '}':
				depth--
			}
			end++
		}
		if depth == 0 {
			end--
		}
		c.code(arg{text: strings.ReplaceAll(strings.TrimSpace(code[:end]), "$$", "$"), from: a.from}, c.st.clone(), input{})
		text = code[end:]
	}
}

func (c call) goTool(shown []string) {
	c.runsPackage()
	for i, a := range c.args {
		if !strings.HasPrefix(a.text, "-") {
			if i == 1 && c.args[0].text == "run" && strings.Contains(a.text, "@") {
				c.j.ask(CatRemoteExec, "runs a program straight from the network", shown...)
			}
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(a.text, "-"), "=")
		switch name {
		case "toolexec", "exec", "vettool", "overlay":
			c.j.ask(CatIndirectExec, "runs another program", shown...)
		}
	}
	if len(c.args) > 1 && c.args[0].text == "env" && c.args[1].text == "-w" {
		for _, a := range c.args[2:] {
			if name, value, ok := strings.Cut(a.text, "="); ok {
				c.j.setsVariable(name, arg{text: value, from: a.from})
			}
		}
	}
}

// debuggerOrEditor judges programs with a command language that reaches the
// shell. Without a terminal an editor only makes sense with such commands.
func (c call) debuggerOrEditor(shown []string) {
	switch c.name {
	case "ed", "ex":
		if c.in.piped || c.in.doc {
			c.j.ask(CatIndirectExec, "hands commands to an editor, which can run others", shown...)
		}
	}
	for _, a := range c.args {
		text := a.text
		switch c.name {
		case "gdb", "lldb":
			if strings.HasPrefix(text, "-ex") || strings.HasPrefix(text, "--ex") || text == "-o" || text == "-x" ||
				strings.HasPrefix(text, "--eval") || strings.HasPrefix(text, "--command") || text == "--one-line" {
				c.j.ask(CatIndirectExec, "hands commands to a debugger, which can run others", shown...)
			}
		case "emacs":
			if strings.HasPrefix(text, "--eval") || text == "-eval" || text == "-l" || strings.HasPrefix(text, "--load") ||
				text == "-f" || strings.HasPrefix(text, "--funcall") || text == "--script" {
				c.j.ask(CatIndirectExec, "hands commands to an editor, which can run others", shown...)
			}
		default:
			if text == "-c" || text == "-S" || strings.HasPrefix(text, "--cmd") || strings.HasPrefix(text, "+") ||
				text == "-s" || text == "-u" {
				c.j.ask(CatIndirectExec, "hands commands to an editor, which can run others", shown...)
			}
		}
	}
}
