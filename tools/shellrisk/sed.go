package shellrisk

import "strings"

// sedScript is what a script for sed does to the world outside.
type sedScript struct {
	runs   bool     // it runs programs
	writes []string // files it writes
}

// sed judges the scripts of sed, and the files it changes in place.
func (c call) sed() {
	g := grammar{short: "efl", long: "expression file line-length"}
	opts, operands := g.parse(plainInPlace(c.args))
	var scripts []arg
	for _, o := range opts {
		switch {
		case !o.given:
		case o.name == "-e" || o.is("--expression"):
			scripts = append(scripts, o.value)
		case o.name == "-f" || o.is("--file"):
			c.script(o.value)
		}
	}
	inPlace := opts.has("-i", "--in-place") || opts.has("-I")
	if len(scripts) == 0 && !opts.has("-f", "--file") && len(operands) > 0 {
		if inPlace && operands[0].text == "" && len(operands) > 1 {
			operands = operands[1:] // BSD: the ending of the copy stands by itself
		}
		scripts, operands = operands[:1], operands[1:]
	}
	if !opts.spelled("--sandbox") {
		for _, s := range scripts {
			c.sedScript(s)
		}
	}
	if inPlace {
		for _, f := range operands {
			if !f.opens() { // a list of files that was looked up, as a rule
				c.j.writes(c.st, f)
			}
		}
	}
}

// plainInPlace takes the ending of the copy off "-i.bak".
func plainInPlace(args []arg) []arg {
	out := append([]arg{}, args...)
	for k, a := range out {
		if a.text == "--" {
			break
		}
		if len(a.text) < 3 || a.text[0] != '-' || a.text[1] == '-' {
			continue
		}
		if i := strings.IndexAny(a.text, "iI"); i > 0 && strings.Trim(a.text[1:i], "nErsuz") == "" {
			out[k].text = a.text[:i+1]
		}
	}
	return out
}

func (c call) sedScript(s arg) {
	if s.from&opaque != 0 && s.from&(fromCommand|fromInput) != 0 {
		c.j.ask(CatIndirectExec, "runs a script that is put together only when it runs", c.name, s.show())
		return
	}
	script, ok := scanSed(s.text)
	switch {
	case !ok:
		c.j.ask(CatIndirectExec, "runs a script that cannot be read", c.name, s.show())
	case script.runs:
		c.j.ask(CatIndirectExec, "runs a program from its script", c.name, s.show())
	}
	for _, f := range script.writes {
		if f != "/dev/stdout" && f != "/dev/stderr" {
			c.j.writes(c.st, arg{text: f, from: s.from})
			c.j.ask(CatIndirectExec, "writes a file from its script", c.name, s.show())
		}
	}
}

// scanSed reads a script. It is not ok when it is not valid.
func scanSed(s string) (sedScript, bool) {
	sc := sedScanner{s: s}
	for sc.i < len(sc.s) {
		if !sc.command() {
			return sc.out, false
		}
	}
	return sc.out, true
}

type sedScanner struct {
	s   string
	i   int
	out sedScript
}

func (sc *sedScanner) skip(chars string) {
	for sc.i < len(sc.s) && strings.IndexByte(chars, sc.s[sc.i]) >= 0 {
		sc.i++
	}
}

// until gives the text before the next of the characters, or the end.
func (sc *sedScanner) until(chars string) string {
	rest := sc.s[sc.i:]
	if k := strings.IndexAny(rest, chars); k >= 0 {
		rest = rest[:k]
	}
	sc.i += len(rest)
	return rest
}

// command reads one command with its addresses.
func (sc *sedScanner) command() bool {
	sc.skip(" \t\n;{}")
	if sc.i >= len(sc.s) {
		return true
	}
	if !sc.addresses() {
		return false
	}
	sc.skip(" \t!")
	if sc.i >= len(sc.s) {
		return false
	}
	ch := sc.s[sc.i]
	sc.i++
	switch ch {
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	case 'l', 'L', 'q', 'Q':
		sc.skip(" \t")
		sc.skip("0123456789")
	case ':', 'b', 't', 'T', 'v':
		sc.until(";\n}")
	case '#', 'r', 'R':
		sc.until("\n")
	case 'a', 'i', 'c':
		sc.inserted()
	case 'w', 'W':
		sc.out.writes = append(sc.out.writes, strings.TrimSpace(sc.until("\n")))
	case 'e':
		sc.out.runs = true
		sc.until("\n")
	case 's':
		return sc.substitute()
	case 'y':
		return sc.delimited(false) && sc.back() && sc.delimited(false)
	default:
		return false
	}
	return true
}

// addresses reads what selects lines.
func (sc *sedScanner) addresses() bool {
	for sc.i < len(sc.s) {
		switch ch := sc.s[sc.i]; {
		case ch == '/':
			if !sc.delimited(true) {
				return false
			}
			sc.skip("IM")
		case ch == '\\':
			sc.i++
			if !sc.delimited(true) {
				return false
			}
			sc.skip("IM")
		case ch >= '0' && ch <= '9', ch == '$', ch == ',', ch == '~', ch == '+', ch == ' ', ch == '\t':
			sc.i++
		default:
			return true
		}
	}
	return true
}

// inserted reads the text of a, i and c, which goes on after a line that ends
// with a backslash.
func (sc *sedScanner) inserted() {
	for {
		line := sc.until("\n")
		if !strings.HasSuffix(line, `\`) || sc.i >= len(sc.s) {
			return
		}
		sc.i++
	}
}

// substitute reads s/…/…/flags.
func (sc *sedScanner) substitute() bool {
	if !sc.delimited(true) || !sc.back() || !sc.delimited(false) {
		return false
	}
	for sc.i < len(sc.s) {
		switch ch := sc.s[sc.i]; {
		case ch == 'e':
			sc.out.runs = true
		case ch == 'w':
			sc.i++
			sc.out.writes = append(sc.out.writes, strings.TrimSpace(sc.until("\n")))
			return true
		case strings.IndexByte("gpiImM0123456789 \t", ch) >= 0:
		case strings.IndexByte(";\n}#", ch) >= 0:
			return true
		default:
			return false
		}
		sc.i++
	}
	return true
}

// back steps onto the delimiter that ends one part and begins the next.
func (sc *sedScanner) back() bool {
	sc.i--
	return true
}

// delimited reads from a delimiter to the next one that is not escaped, nor
// Inside brackets when it is a regular expression.
func (sc *sedScanner) delimited(regex bool) bool {
	if sc.i >= len(sc.s) || sc.s[sc.i] == '\n' || sc.s[sc.i] == '\\' {
		return false
	}
	delim := sc.s[sc.i]
	for sc.i++; sc.i < len(sc.s); sc.i++ {
		switch ch := sc.s[sc.i]; {
		case ch == '\\':
			sc.i++
		case ch == delim:
			sc.i++
			return true
		case ch == '[' && regex:
			sc.i += bracketLength(sc.s[sc.i:], "^") - 1
		}
	}
	return false
}

// bracketLength is the length of a bracket expression, 1 when it is not closed.
// negation lists the characters that turn it into its opposite.
func bracketLength(s, negation string) int {
	i := 1
	if i < len(s) && strings.IndexByte(negation, s[i]) >= 0 {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for i < len(s) && s[i] != '\n' {
		if s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0 {
			if k := strings.Index(s[i+2:], string(s[i+1])+"]"); k >= 0 {
				i += k + 4
				continue
			}
		}
		if s[i] == ']' {
			return i + 1
		}
		i++
	}
	return 1
}
