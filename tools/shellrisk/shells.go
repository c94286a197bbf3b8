package shellrisk

import "strings"

// shell judges a shell that is started as a program.
func (c call) shell() {
	args, code, hasCode := c.shellOptions()
	if hasCode {
		st := c.st.clone()
		if len(args) > 0 {
			st.zero, st.params, st.bound = args[0], args[1:], true
		} else {
			st.params, st.bound = nil, true
		}
		c.code(code, st, c.in)
		return
	}
	if len(args) > 0 {
		c.script(args[0])
		return
	}
	c.codeFromInput()
	switch {
	case c.in.known && (c.in.piped || c.in.doc):
		c.j.text(c.in.text, c.st.clone(), input{})
	case c.in != (input{}) && c.in.file == "":
		c.j.darken()
	}
}

// shellOptions reads the options of a shell: "+x" and "-ec" among them. The code
// of -c is the first word that is no option.
func (c call) shellOptions() (rest []arg, code arg, hasCode bool) {
	args := c.args
	fromInput := false
	for len(args) > 0 {
		text := args[0].text
		if args[0].opens() {
			c.j.ask(CatObfuscated, "starts a shell in a way that cannot be known beforehand", c.name, args[0].show())
			return nil, arg{}, false
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			break
		}
		if text == "--" {
			args = args[1:]
			break
		}
		if strings.HasPrefix(text, "--") {
			if name, _, _ := strings.Cut(text, "="); name == "--rcfile" || name == "--init-file" {
				c.j.ask(CatEnvInjection, "makes a shell run a start-up file", c.name, text)
				args = args[min(1, len(args)-1):]
			}
			args = args[1:]
			continue
		}
		hasCode = hasCode || text[0] == '-' && strings.Contains(text, "c")
		fromInput = fromInput || text[0] == '-' && strings.Contains(text, "s")
		if strings.HasSuffix(text, "o") || strings.HasSuffix(text, "O") {
			args = args[min(1, len(args)-1):]
		}
		args = args[1:]
	}
	if hasCode {
		if len(args) == 0 {
			return nil, arg{}, false
		}
		return args[1:], args[0], true
	}
	if fromInput {
		return nil, arg{}, false
	}
	return args, arg{}, false
}

// foreignShell asks about code for a shell with another language.
func (c call) foreignShell() {
	if len(c.args) > 0 || c.in != (input{}) {
		c.j.darken()
	}
	for _, a := range c.args {
		switch {
		case a.opens(), strings.HasPrefix(a.text, "-") && strings.ContainsAny(strings.ToLower(a.text), "ce") &&
			!strings.HasPrefix(a.text, "--"), strings.HasPrefix(a.text, "--c"):
			c.j.ask(CatIndirectExec, "runs code of another shell", c.name, a.show())
			return
		case !strings.HasPrefix(a.text, "-"):
			c.script(a)
			return
		}
	}
	c.codeFromInput()
}
