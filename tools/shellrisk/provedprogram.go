package shellrisk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reports whether a simple command is proved in each case that may be.
func (p *prover) call(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			if !p.assign(a) {
				return false
			}
		}
		return true
	}
	for _, a := range c.Assigns {
		if !p.lends(a, c.Args[0].Lit()) {
			return false
		}
	}
	return p.words(c.Args, func(args []arg) bool { return len(args) == 0 || p.command(args) })
}

// lentVariables are those that a command may be given for itself: they change how
// it prints, and name no file.
var lentVariables = words(`LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LANG LANGUAGE TZ COLUMNS LINES TERM NO_COLOR CLICOLOR
	CLICOLOR_FORCE FORCE_COLOR GIT_OPTIONAL_LOCKS`)

// lends reports whether an assignment before a command is harmless.
func (p *prover) lends(a *syntax.Assign, program string) bool {
	if a.Name == nil || a.Append || a.Index != nil || a.Array != nil {
		return false
	}
	if a.Name.Value == "IFS" && program == "read" {
		return a.Value == nil || p.inner(a.Value)
	}
	if pager := a.Name.Value; pager == "GIT_PAGER" || pager == "PAGER" {
		return a.Value != nil && a.Value.Lit() == "cat"
	}
	return lentVariables[a.Name.Value] && (a.Value == nil || p.single(a.Value, func(text string) bool {
		return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-@+") == ""
	}))
}

// command reports whether a program is proved with these arguments.
func (p *prover) command(args []arg) bool {
	if !p.step() {
		return false
	}
	words := make([]arg, 0, len(args))
	for _, a := range args {
		if a.pat == "" {
			words = append(words, a)
			continue
		}
		files, ok := p.globbed(a)
		if !ok {
			return false
		}
		words = append(words, files...)
	}
	if body, ok := p.funcs[words[0].text]; ok {
		return p.function(body)
	}
	return p.program(words)
}

// filters are programs that read files only where they are named.
var filters = words("ss grep egrep fgrep head tail wc sort uniq cut tr echo printf true false sleep")

// program is [prover.command] without functions.
func (p *prover) program(words []arg) bool {
	name, args := words[0], words[1:]
	if !name.known() || name.from != 0 || strings.Contains(name.text, numeral) || hiddenWord(name) {
		return false
	}
	plain := name.text
	if dir, last := cutLast(plain); dir == "/bin/" || dir == "/usr/bin/" {
		plain = last
	} else if p.set.Shadowed != nil && p.set.Shadowed(plain) {
		return false
	}
	p.sockets, p.files = p.sockets || plain == "ss", p.files || !filters[plain]
	prog := provable()[plain]
	return prog != nil && prog.proved(p, args)
}

// function follows the body of a function, whose parameters may be anything.
func (p *prover) function(body *syntax.Stmt) bool {
	if p.calls >= maxCalls {
		return false
	}
	p.calls++
	defer func() { p.calls-- }()
	return p.stmt(body)
}

// provedProgram is what is known of one program.
type provedProgram struct {
	name     string // the first of its names
	operands operandKind
	most     int // operands; 0: any number
	short    map[byte]optionKind
	long     map[string]optionKind // with their dashes
}

// provedCall is a call with its options apart.
type provedCall struct {
	opts     options
	operands []arg
	ended    int // operands before a double dash; -1: there is none
}

// operandKind says what a program does with its operands.
type operandKind int

const (
	noOperand    operandKind = iota
	textOperands             // takes them as texts
	unparsed                 // takes all words as texts, options among them do no harm
	shownFiles               // reads names and properties of files
	readFiles                // reads files
	readTrees                // reads files and what is below folders
	patternRead              // reads files, after a pattern that is a text
	patternTree              // reads trees, after a pattern that is a text
)

// optionKind says what an option takes.
type optionKind int

const (
	_         optionKind = iota
	flag                 // nothing
	textValue            // a text
	fileValue            // a file that is read
	optional             // a text, if it is joined to the option
	pattern              // a text that stands for the pattern among the operands
)

// proved reports whether the program only reads what it may with these words.
func (prog *provedProgram) proved(p *prover, args []arg) bool {
	if prog.operands == unparsed {
		return p.checks(prog.name, provedCall{operands: args})
	}
	c, ok := prog.parse(p, args)
	if !ok || prog.most > 0 && len(c.operands) > prog.most {
		return false
	}
	return prog.reads(p, c) && p.checks(prog.name, c)
}

// parse splits words into options that are known and operands.
func (prog *provedProgram) parse(p *prover, args []arg) (provedCall, bool) {
	c := provedCall{ended: -1}
	for i := 0; i < len(args); i++ {
		a := args[i]
		text := a.text
		switch {
		case a.from&scattered != 0 || strings.HasPrefix(text, hole) || strings.HasPrefix(text, numeral):
			return c, false
		case text == "--":
			c.ended = len(c.operands)
			c.operands = append(c.operands, args[i+1:]...)
			return c, !slices.ContainsFunc(c.operands, func(a arg) bool { return a.from&scattered != 0 })
		case len(text) < 2 || text[0] != '-':
			c.operands = append(c.operands, a)
		default:
			list, used, ok := prog.option(args[i:])
			if !ok || !p.harmlessValues(prog, list) {
				return c, false
			}
			c.opts = append(c.opts, list...)
			i += used
		}
	}
	return c, true
}

// option reads a word with options and tells how many further words it took.
func (prog *provedProgram) option(args []arg) (opts options, used int, ok bool) {
	text := args[0].text
	next := func() (arg, bool) {
		if len(args) < 2 || args[1].from&scattered != 0 {
			return arg{}, false
		}
		return args[1], true
	}
	name, value, has := strings.Cut(text, "=")
	if kind := prog.long[name]; kind != 0 {
		o := option{name: name, value: arg{text: value}, given: has}
		switch {
		case has:
			return options{o}, 0, kind != flag
		case kind == flag || kind == optional:
			return options{o}, 0, true
		}
		o.value, ok = next()
		o.given = ok
		return options{o}, 1, ok
	}
	if text[1] == '-' {
		return nil, 0, false
	}
	for k := 1; k < len(text); k++ {
		kind := prog.short[text[k]]
		o := option{name: "-" + text[k:k+1], value: arg{text: text[k+1:]}, given: k+1 < len(text)}
		switch {
		case kind == 0:
			return nil, 0, false
		case kind == flag:
			o.value, o.given = arg{}, false
			opts = append(opts, o)
			continue
		case !o.given && kind != optional:
			if o.value, o.given = next(); !o.given {
				return nil, 0, false
			}
			used = 1
		}
		return append(opts, o), used, true
	}
	return opts, 0, true
}

// kind is what an option takes.
func (prog *provedProgram) kind(o option) optionKind {
	if k := prog.long[o.name]; k != 0 {
		return k
	}
	return prog.short[o.name[len(o.name)-1]]
}

// harmlessValues reports whether the values of options are files that may be read,
// or texts that name no secret: another version of the program may take one for an
// operand.
func (p *prover) harmlessValues(prog *provedProgram, list options) bool {
	for _, o := range list {
		switch kind := prog.kind(o); {
		case !o.given:
		case kind == fileValue:
			if !p.reads(o.value) {
				return false
			}
		case kind != pattern && !hasHole(o.value.text) && p.namesSecret(o.value):
			return false
		}
	}
	return true
}

// namesSecret reports whether a text, taken for a file, is one with keys.
func (p *prover) namesSecret(a arg) bool {
	return strings.Contains(a.text, "/") && !p.everywhere(a, func(file string) bool { return !p.holds(file) && !p.ofAgent(file) })
}

// reads reports whether the operands are what the program may read.
func (prog *provedProgram) reads(p *prover, c provedCall) bool {
	operands := c.operands
	switch prog.operands {
	case noOperand:
		return len(operands) == 0
	case textOperands:
		return true
	case patternRead, patternTree:
		named := slices.ContainsFunc(c.opts, func(o option) bool { return givesPattern[o.name] })
		if !named {
			if len(operands) == 0 {
				return false
			}
			operands = operands[1:]
		}
	}
	right := p.reads
	switch prog.operands {
	case shownFiles:
		right = p.shows
	case readTrees, patternTree:
		right = p.readsTree
	}
	for _, a := range operands {
		if !right(a) {
			return false
		}
	}
	return true
}

// here is the folder in which the command runs.
var here = arg{text: "."}
