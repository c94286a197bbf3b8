// Package mathtext writes formulas of TeX as text of Unicode: x_1^2 as x₁²,
// \frac{a}{b} as a/b. What cannot be written on a line is refused as a whole, so
// that a reader never sees half of a formula: its source says more.
//
// The work is linear in the source, whose nesting is limited. Nothing is kept
// between calls but tables that are made with the first one.
package mathtext

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The limits of a formula. What goes beyond one is refused.
const (
	maxSource = 4 << 10
	maxDepth  = 16
)

// tables are made when the first formula comes.
var tables = sync.OnceValue(func() *table {
	return &table{symbols(), accents(), letters(), raised(), lowered()}
})

type table struct {
	symbols, accents map[string]string
	letters          map[string]map[string]string
	raised, lowered  map[string]string
}

// Unicode writes a formula, given without the signs around it. Line feeds part the
// lines of one that has several. It reports false for a formula that it cannot
// write.
func Unicode(src string) (string, bool) {
	if len(src) > maxSource || !utf8.ValidString(src) {
		return "", false
	}
	p := parser{src: src, t: tables()}
	out := p.run(0, "")
	if p.failed || p.at < len(src) {
		return "", false
	}
	var lines []string
	for line := range strings.SplitSeq(out, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}

// parser reads a formula from left to right.
type parser struct {
	src    string
	at     int
	t      *table
	failed bool
}

func (p *parser) fail() string {
	p.failed = true
	return ""
}

// run writes what follows up to a closing brace, or to the end of an environment
// where one is named.
func (p *parser) run(depth int, environment string) string {
	if depth > maxDepth {
		return p.fail()
	}
	var b strings.Builder
	for p.at < len(p.src) && !p.failed {
		switch c := p.src[p.at]; c {
		case '}':
			if depth == 0 || environment != "" {
				return p.fail()
			}
			return b.String()
		case '{':
			b.WriteString(p.group(depth))
		case '^', '_':
			p.at++
			b.WriteString(p.script(c == '^', depth))
		case '\\':
			if environment != "" && strings.HasPrefix(p.src[p.at:], `\end{`+environment+`}`) {
				p.at += len(`\end{}`) + len(environment)
				return b.String()
			}
			b.WriteString(p.command(depth))
		case '&', '~', '\n': // columns are not aligned
			p.at++
			b.WriteByte(' ')
		case '-':
			p.at++
			b.WriteString("−")
		case '*':
			p.at++
			b.WriteString("∗")
		case '\'':
			p.at++
			b.WriteString("′")
		default:
			_, n := utf8.DecodeRuneInString(p.src[p.at:])
			b.WriteString(p.src[p.at : p.at+n])
			p.at += n
		}
	}
	if environment != "" {
		return p.fail()
	}
	return b.String()
}

// group writes what stands in braces.
func (p *parser) group(depth int) string {
	p.at++
	s := p.run(depth+1, "")
	if p.at >= len(p.src) || p.src[p.at] != '}' {
		return p.fail()
	}
	p.at++
	return s
}

// argument writes the next group, command or sign.
func (p *parser) argument(depth int) string {
	for p.at < len(p.src) && p.src[p.at] == ' ' {
		p.at++
	}
	switch {
	case p.at >= len(p.src):
		return p.fail()
	case p.src[p.at] == '{':
		return p.group(depth)
	case p.src[p.at] == '\\':
		return p.command(depth + 1)
	case strings.IndexByte("}^_&", p.src[p.at]) >= 0:
		return p.fail()
	}
	_, n := utf8.DecodeRuneInString(p.src[p.at:])
	p.at += n
	return p.src[p.at-n : p.at]
}

// verbatim gives the next group as it is written.
func (p *parser) verbatim() string {
	if p.at >= len(p.src) || p.src[p.at] != '{' {
		return p.fail()
	}
	end := strings.IndexByte(p.src[p.at:], '}')
	if end < 0 {
		return p.fail()
	}
	s := p.src[p.at+1 : p.at+end]
	if strings.ContainsAny(s, `{\`) {
		return p.fail()
	}
	p.at += end + 1
	return s
}

// script writes an exponent or an index: in small signs where all of it has some.
func (p *parser) script(up bool, depth int) string {
	signs, mark := p.t.lowered, "_"
	if up {
		signs, mark = p.t.raised, "^"
	}
	s := strings.TrimSpace(p.argument(depth))
	var b strings.Builder
	for _, r := range s {
		if r == ' ' {
			continue
		}
		small, ok := signs[string(r)]
		if !ok {
			if utf8.RuneCountInString(s) > 1 && !all(s, digit) {
				s = "(" + s + ")"
			}
			return mark + s
		}
		b.WriteString(small)
	}
	return b.String()
}

// enclosed puts parentheses around what is more than a number or a name.
func enclosed(s string) string {
	if utf8.RuneCountInString(s) <= 1 || all(s, digit) || all(s, unicode.IsLetter) || strings.HasPrefix(s, "(") && strings.IndexByte(s, ')') == len(s)-1 {
		return s
	}
	return "(" + s + ")"
}

func digit(r rune) bool { return r >= '0' && r <= '9' || r == '.' }

func all(s string, is func(rune) bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !is(r) })
}

// command writes what a backslash begins.
func (p *parser) command(depth int) string {
	if depth > maxDepth {
		return p.fail()
	}
	name := p.name()
	in := func(list string) bool { return strings.Contains(list, " "+name+" ") }
	switch sign, ok := p.t.symbols[name]; {
	case ok:
		return sign
	case in(names):
		return spaced(name)
	case in(spaces):
		return " "
	case in(nothing):
		return p.delimiter(name)
	case name == `\`:
		return "\n"
	case len(name) == 1 && strings.Contains("{}$%&#_|", name):
		if name == "|" {
			return "‖"
		}
		return name
	case in(fonts):
		if strings.HasPrefix(name, "text") || name == "mbox" {
			return p.verbatim()
		}
		return p.argument(depth)
	}
	return p.composed(name, depth)
}

// name reads the name of a command: letters, or one other sign.
func (p *parser) name() string {
	p.at++
	from := p.at
	for p.at < len(p.src) && (p.src[p.at]|0x20 >= 'a' && p.src[p.at]|0x20 <= 'z') {
		p.at++
	}
	if p.at == from && p.at < len(p.src) {
		_, n := utf8.DecodeRuneInString(p.src[p.at:])
		p.at += n
		return p.src[from:p.at]
	}
	name := p.src[from:p.at]
	if p.at < len(p.src) && p.src[p.at] == '*' && strings.HasPrefix(name, "operatorname") {
		p.at++
	}
	return name
}

// spaced is the name of a function: apart from what stands before and behind it.
func spaced(name string) string { return " " + name + " " }

// delimiter leaves out the dot that stands for a delimiter that is not shown.
func (p *parser) delimiter(name string) string {
	if (name == "left" || name == "right") && p.at < len(p.src) && p.src[p.at] == '.' {
		p.at++
	}
	return ""
}

// composed writes commands that have arguments.
func (p *parser) composed(name string, depth int) string {
	if mark, ok := p.t.accents[name]; ok {
		return marked(p.argument(depth), mark)
	}
	if signs, ok := p.t.letters[name]; ok {
		s := p.argument(depth)
		var b strings.Builder
		for _, r := range s {
			sign, ok := signs[string(r)]
			if !ok {
				return s
			}
			b.WriteString(sign)
		}
		return b.String()
	}
	switch name {
	case "frac", "dfrac", "tfrac":
		return enclosed(strings.TrimSpace(p.argument(depth))) + "/" + enclosed(strings.TrimSpace(p.argument(depth)))
	case "binom":
		return "C(" + p.argument(depth) + ", " + p.argument(depth) + ")"
	case "sqrt":
		return p.root(depth)
	case "not":
		return marked(p.argument(depth), "\u0338")
	case "pmod":
		return " (mod " + p.argument(depth) + ")"
	case "tag":
		return "  (" + p.verbatim() + ")"
	case "begin":
		return p.environment(depth)
	}
	return p.fail()
}

func (p *parser) root(depth int) string {
	sign := "√"
	if p.at < len(p.src) && p.src[p.at] == '[' {
		end := strings.IndexByte(p.src[p.at:], ']')
		if end < 0 {
			return p.fail()
		}
		switch degree := p.src[p.at+1 : p.at+end]; degree {
		case "2":
		case "3":
			sign = "∛"
		case "4":
			sign = "∜"
		default:
			small, ok := p.t.raised[degree]
			if !ok {
				return p.fail()
			}
			sign = small + "√"
		}
		p.at += end + 1
	}
	return sign + enclosed(strings.TrimSpace(p.argument(depth)))
}

// marked puts a mark on each letter.
func marked(s, mark string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
		if !unicode.IsSpace(r) && !unicode.IsMark(r) {
			b.WriteString(mark)
		}
	}
	return b.String()
}

// environment writes lines that belong together. Matrices have no form on lines
// of text.
func (p *parser) environment(depth int) string {
	name := p.verbatim()
	switch strings.TrimSuffix(name, "*") {
	case "aligned", "align", "equation", "gather", "gathered", "split", "cases", "multline":
		return p.run(depth+1, name)
	}
	return p.fail()
}
