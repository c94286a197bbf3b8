package shellrisk

import "strings"

// awkProgram is what a program for awk does to the world outside.
type awkProgram struct {
	runs   bool     // it runs programs
	opens  bool     // it writes files whose names it makes up
	writes []string // files it writes
}

// awk judges the programs of awk.
func (c call) awk() {
	g := grammar{short: "FvfEeil", long: "field-separator assign file exec source include load"}
	g.first = true
	opts, operands := g.parse(c.args)
	var programs []arg
	fromFile := false
	for _, o := range opts {
		switch {
		case o.name == "-e" || o.is("--source"):
			programs = append(programs, o.value)
		case o.name == "-f" || o.name == "-E" || o.is("--file", "--exec"):
			fromFile = true
			c.script(o.value)
		case o.name == "-l" || o.is("--load"):
			c.j.ask(CatIndirectExec, "loads a library", c.name, o.value.show())
		case (o.name == "-i" || o.is("--include")) && o.value.text == "inplace":
			for _, f := range operands[min(1, len(operands)):] {
				c.j.writes(c.st, f)
			}
		}
	}
	if len(programs) == 0 && !fromFile && len(operands) > 0 {
		programs = operands[:1]
	}
	for _, p := range programs {
		c.awkProgram(p)
	}
}

func (c call) awkProgram(p arg) {
	if p.from&opaque != 0 && p.from&(fromCommand|fromInput) != 0 {
		c.j.ask(CatIndirectExec, "runs a program that is put together only when it runs", c.name, p.show())
		return
	}
	prog, ok := scanAwk(p.text)
	switch {
	case !ok:
		c.j.ask(CatIndirectExec, "runs a program that cannot be read", c.name, p.show())
	case prog.runs:
		c.j.ask(CatIndirectExec, "runs other programs", c.name, p.show())
	case prog.opens:
		c.j.ask(CatIndirectExec, "writes files whose names it makes up", c.name, p.show())
	}
	for _, f := range prog.writes {
		c.j.writes(c.st, arg{text: f, from: p.from})
	}
}

// scanAwk reads a program. It is not ok when a string or expression has no end.
func scanAwk(s string) (awkProgram, bool) {
	sc := awkScanner{s: s}
	for sc.i < len(s) {
		if !sc.token() {
			return sc.out, false
		}
	}
	return sc.out, true
}

type awkScanner struct {
	s       string
	i       int
	operand bool // the last token ends an operand: a slash divides
	print   bool // inside a print statement
	parens  int  // open parentheses of it
	out     awkProgram
}

// token reads one token.
func (sc *awkScanner) token() bool {
	switch ch := sc.s[sc.i]; {
	case ch == '"':
		text, ok := sc.text('"')
		sc.out.runs = sc.out.runs || strings.HasPrefix(text, "/inet") // gawk opens connections so
		sc.operand = true
		return ok
	case ch == '/' && !sc.operand:
		sc.operand = true
		return sc.regex()
	case ch == '#':
		end := strings.IndexByte(sc.s[sc.i:], '\n')
		if end < 0 {
			end = len(sc.s) - sc.i
		}
		sc.i += end
	case isWordByte(ch):
		sc.word()
	case ch == '@':
		sc.out.runs = true // loads a library, or calls a function by name
		sc.i++
	case ch == '|':
		if strings.HasPrefix(sc.s[sc.i:], "||") {
			sc.i += 2
		} else {
			sc.out.runs = true
			sc.i++
		}
		sc.operand = false
	case ch == '>':
		sc.greater()
	default:
		sc.punctuation(ch)
	}
	return true
}

// word reads a name or number.
func (sc *awkScanner) word() {
	start := sc.i
	for sc.i < len(sc.s) && (isWordByte(sc.s[sc.i]) || sc.s[sc.i] == '.') {
		sc.i++
	}
	name := sc.s[start:sc.i]
	sc.operand = true
	switch name {
	case "print", "printf":
		sc.print, sc.parens, sc.operand = true, 0, false
	case "return", "in", "case", "else", "do", "getline":
		sc.operand = false
	case "system":
		if strings.HasPrefix(strings.TrimLeft(sc.s[sc.i:], " \t"), "(") {
			sc.out.runs = true
		}
	}
}

// punctuation reads one character that is not special otherwise.
func (sc *awkScanner) punctuation(ch byte) {
	sc.i++
	switch ch {
	case ' ', '\t', '\\':
		return
	case '(':
		sc.parens++
		sc.operand = false
	case ')':
		sc.parens--
		sc.operand = true
	case ']', '$':
		sc.operand = ch == ']'
	case '{', '}', ';', '\n':
		sc.print, sc.operand = false, false
	default:
		sc.operand = false
	}
}

// greater reads ">", which redirects inside print and compares elsewhere.
func (sc *awkScanner) greater() {
	sc.i++
	sc.operand = false
	if !sc.print || sc.parens > 0 || strings.HasPrefix(sc.s[sc.i:], "=") {
		return
	}
	for sc.i < len(sc.s) && strings.IndexByte("> \t", sc.s[sc.i]) >= 0 {
		sc.i++
	}
	if sc.i < len(sc.s) && sc.s[sc.i] == '"' {
		if name, ok := sc.text('"'); ok && strings.Trim(untilStatement(sc.s[sc.i:]), " \t") == "" {
			sc.out.writes = append(sc.out.writes, name)
			sc.operand = true
			return
		}
	}
	sc.out.opens = true
}

// untilStatement is the rest of a statement.
func untilStatement(s string) string {
	if k := strings.IndexAny(s, ";}\n#"); k >= 0 {
		return s[:k]
	}
	return s
}

// text reads a string.
func (sc *awkScanner) text(quote byte) (string, bool) {
	for k := sc.i + 1; k < len(sc.s); k++ {
		switch sc.s[k] {
		case '\\':
			k++
		case quote:
			text := sc.s[sc.i+1 : k]
			sc.i = k + 1
			return text, true
		}
	}
	return "", false
}

// regex reads a regular expression.
func (sc *awkScanner) regex() bool {
	for k := sc.i + 1; k < len(sc.s); k++ {
		switch sc.s[k] {
		case '\\':
			k++
		case '\n':
			return false
		case '[':
			k += bracketLength(sc.s[k:], "^") - 1
		case '/':
			sc.i = k + 1
			return true
		}
	}
	return false
}
