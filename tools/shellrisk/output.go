package shellrisk

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
)

// outputKind says what is known of a command's output.
type outputKind int

const (
	outputOpen  outputKind = iota // anything
	outputMild                    // something short and harmless: a date, a branch
	outputKnown                   // this very text
)

// output predicts what the command prints. Only for one that stands alone is
// the text itself predicted.
func (c call) output(alone bool) (string, outputKind) {
	if c.redefined() {
		return "", outputOpen
	}
	if c.name == "mktemp" {
		return c.temporary(alone)
	}
	if alone {
		if text, ok := c.printed(); ok {
			return text, outputKnown
		}
	}
	if mildPrograms[c.name] || c.name == "git" && len(c.args) > 0 && mildGit[c.args[0].text] {
		return "", outputMild
	}
	if c.name == "git" && len(c.args) == 2 && c.args[0].text == "branch" && c.args[1].text == "--show-current" {
		return "", outputMild
	}
	return "", outputOpen
}

// temporary predicts the name that mktemp makes: with a number for what it chooses
// where the name stands alone.
func (c call) temporary(alone bool) (string, outputKind) {
	opts, operands := grammar{short: "p", long: "suffix"}.parse(c.args)
	dir := literalArg("/tmp")
	if v, ok := c.st.lookup("TMPDIR"); ok && len(v.list) == 1 && v.list[0] != "" {
		dir = arg{text: v.list[0], from: v.from}
	}
	named := len(operands) == 0 || opts.has("-t")
	if o, ok := opts.get("-p", "--tmpdir"); ok {
		if named = true; o.given {
			dir = o.value
		}
	}
	name := literalArg("tmp.X")
	if len(operands) > 0 {
		name = operands[0]
	}
	if !named {
		dir = arg{text: c.st.cwd}
	}
	switch {
	case !dir.known() || dir.text == "" || !name.known():
		return "", outputOpen
	case !alone:
		return dir.text + "/" + hole, outputMild
	case !path.IsAbs(name.text) || named:
		name.text = joinPath(dir.text, name.text)
	}
	c.j.temporary++
	return name.text + strconv.Itoa(c.j.temporary), outputKnown
}

// redefined reports whether there is no such command, or a function has its name.
func (c call) redefined() bool {
	if c.st == nil {
		return true
	}
	_, ok := c.st.funcs[c.word.text]
	return ok
}

// mildPrograms print numbers, dates and names of the machine: nothing that
// another program would take for an option, a path elsewhere or code.
var mildPrograms = words(`arch date getconf hostname id mktemp nproc pwd seq stat tty uname wc whoami`)

// mildGit are the git commands that print names of commits and branches.
var mildGit = words(`rev-parse describe symbolic-ref merge-base rev-list`)

// printed is the output of a command that prints what stands in it.
func (c call) printed() (string, bool) {
	if c.redefined() {
		return "", false
	}
	size := 0
	for _, a := range c.args {
		if size += len(a.text); hasHole(a.text) || size > maxText {
			return "", false
		}
	}
	switch c.name {
	case "echo":
		return echoed(c.args), true
	case "printf":
		if len(c.args) == 0 {
			return "", false
		}
		var rest []string
		for _, a := range c.args[1:] {
			rest = append(rest, a.text)
		}
		return printed(c.args[0].text, rest)
	case "pwd":
		return c.st.cwd, c.st.cwd != ""
	case "cat", "tee":
		return c.in.text, c.in.known && operandCount(c.args) == 0
	case "which", "command":
		if n := len(c.args); n > 0 {
			return c.args[n-1].text, true
		}
	}
	return "", false
}

func operandCount(args []arg) int {
	n := 0
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			n++
		}
	}
	return n
}

// echoed is the output of echo, without the options it knows.
func echoed(args []arg) string {
	escapes := false
	for len(args) > 0 && len(args[0].text) > 1 && strings.HasPrefix(args[0].text, "-") &&
		strings.Trim(args[0].text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	var parts []string
	for _, a := range args {
		parts = append(parts, a.text)
	}
	text := strings.Join(parts, " ")
	if escapes {
		return decodeEscapes(text, true)
	}
	return text
}

// printed is the output of printf, which repeats its format while there are
// arguments.
func printed(format string, args []string) (string, bool) {
	if !plainFormat(format) {
		return "", false
	}
	var b strings.Builder
	for range 64 {
		out, used, err := expand.Format(nil, format, args)
		if err != nil || hasHole(out) || b.Len() > maxText {
			return "", false
		}
		b.WriteString(out)
		args = args[min(used, len(args)):]
		if used == 0 || len(args) == 0 {
			return b.String(), true
		}
	}
	return "", false
}

// plainFormat reports whether a format has no widths, which would make the output
// as long as they say.
func plainFormat(format string) bool {
	for i := strings.IndexByte(format, '%'); i >= 0; i = strings.IndexByte(format, '%') {
		if i+1 >= len(format) || strings.IndexByte("sbqdiuxXoc%", format[i+1]) < 0 {
			return false
		}
		format = format[i+2:]
	}
	return true
}
