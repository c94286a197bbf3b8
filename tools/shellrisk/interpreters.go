package shellrisk

import "strings"

// language says how an interpreter takes its code.
type language struct {
	code    string // short options whose value, or whose cluster, is code
	long    string // long options that carry code
	takes   string // other short options with a value
	takesL  string // other long options with a value
	module  string // the short option that names a module to run
	noStdin bool   // without a script it does not run what it reads
	any     bool   // every use runs code that is not looked at
}

// languages are the interpreters of other languages than the shell's.
var languages = map[string]language{
	"python":    {code: "c", takes: "WXQ", module: "m"},
	"pypy":      {code: "c", takes: "WX", module: "m"},
	"node":      {code: "ep", long: "eval print", takes: "rC", takesL: "require import loader conditions env-file"},
	"nodejs":    {code: "ep", long: "eval print", takes: "rC", takesL: "require import loader conditions env-file"},
	"bun":       {code: "e", long: "eval print", noStdin: true},
	"tsx":       {code: "ep", long: "eval print", takes: "rC", takesL: "require import tsconfig"},
	"ts-node":   {code: "ep", long: "eval print", takes: "rPO", takesL: "require project"},
	"perl":      {code: "eE", takes: "ImM"},
	"ruby":      {code: "e", takes: "IrEKCT"},
	"php":       {code: "rRBE", takes: "cdzSt", takesL: "define"},
	"lua":       {code: "e", takes: "l"},
	"luajit":    {code: "e", takes: "lbj"},
	"Rscript":   {code: "e"},
	"R":         {code: "e", noStdin: true},
	"julia":     {code: "eE", long: "eval print", takes: "LJptCHm", takesL: "project threads"},
	"osascript": {any: true},
	"groovy":    {code: "e"},
	"scala":     {code: "e"},
	"elixir":    {code: "e", long: "eval rpc-eval", takes: "rpS", takesL: "require name sname cookie"},
	"erl":       {any: true},
	"iex":       {any: true},
	"ghc":       {code: "e", noStdin: true},
	"runghc":    {},
	"raku":      {code: "e"},
	"tclsh":     {},
	"expect":    {code: "c"},
	"racket":    {code: "e", long: "eval", takes: "rtlpu"},
	"guile":     {code: "c", takes: "lLsx"},
	"sbcl":      {long: "eval", takesL: "load core"},
	"clojure":   {code: "e", noStdin: true},
	"clj":       {code: "e", noStdin: true},
	"octave":    {long: "eval"},
	"swift":     {code: "e", noStdin: true},
	"jshell":    {},
}

// interpreterFor finds the language of a program, versions in the name aside.
func interpreterFor(name string) (language, bool) {
	if l, ok := languages[name]; ok {
		return l, true
	}
	base := strings.TrimRight(name, "0123456789.")
	if l, ok := languages[base]; ok && base != "" {
		return l, true
	}
	return language{}, false
}

// interpreter judges the code that an interpreter is given.
func (c call) interpreter() {
	l, _ := interpreterFor(c.name)
	shown := append([]string{c.name}, show(c.args)...)
	if l.any && len(c.args) > 0 {
		c.j.ask(CatIndirectExec, "runs code given on the command line", shown...)
		return
	}
	args := c.args
	for len(args) > 0 {
		a := args[0]
		text := a.text
		switch {
		case a.opens():
			c.j.ask(CatObfuscated, "runs what cannot be known beforehand", shown...)
			return
		case text == "-":
			c.loadsHere(l)
			c.codeFromInput()
			return
		case text == "--":
			args = args[1:]
			if len(args) > 0 {
				c.script(args[0])
			}
			return
		case len(text) < 2 || text[0] != '-':
			c.script(a)
			return
		}
		used, done := c.codeOption(l, args, shown)
		if done {
			return
		}
		args = args[min(used, len(args)):]
	}
	if !l.noStdin {
		c.loadsHere(l)
		c.codeFromInput()
	}
}

// loadsHere notes that modules in the folder where it starts come before others.
func (c call) loadsHere(l language) {
	if l.module != "" {
		c.runsModule("__main__")
	}
}

// codeOption judges one option. It tells how many words it took, and whether
// the rest no longer matters.
func (c call) codeOption(l language, args []arg, shown []string) (used int, done bool) {
	text := args[0].text
	if strings.HasPrefix(text, "--") {
		name, _, has := strings.Cut(text[2:], "=")
		if name != "" && strings.Contains(" "+l.long+" ", " "+name+" ") {
			c.j.ask(CatIndirectExec, "runs code given on the command line", shown...)
			return 1, true
		}
		if !has && strings.Contains(" "+l.takesL+" ", " "+name+" ") {
			return 2, false
		}
		return 1, false
	}
	for i, r := range text[1:] {
		rest := text[1+i+len(string(r)):]
		switch {
		case strings.ContainsRune(l.code, r) && r != 0:
			c.loadsHere(l)
			c.j.ask(CatIndirectExec, "runs code given on the command line", shown...)
			return 1, true
		case l.module == string(r):
			c.module(rest, args[1:], shown)
			return 1, true
		case strings.ContainsRune(l.takes, r) && r != 0:
			if rest == "" {
				return 2, false
			}
			return 1, false
		case r == 'i' && (c.name == "perl" || c.name == "ruby"):
			return 1, false // the rest is the ending of the copy
		}
	}
	return 1, false
}

// module judges python -m: most modules are tools of the project.
func (c call) module(name string, args []arg, shown []string) {
	if name == "" && len(args) > 0 {
		name, args = args[0].text, args[1:]
	}
	c.runsModule(name)
	switch name {
	case "json.tool":
		if _, operands := (grammar{long: "indent"}).parse(args); len(operands) > 1 {
			c.writesFile(operands[1])
		}
	case "asyncio", "idlelib", "cProfile", "profile", "trace":
		c.codeFromInput()
	case "timeit", "code", "pdb":
		c.j.ask(CatIndirectExec, "runs code given on the command line", shown...)
	case "twine", "flit", "pdm":
		inner := c
		inner.name, inner.args = name, args
		inner.publish()
	}
	if hasHole(name) {
		c.j.ask(CatObfuscated, "runs what cannot be known beforehand", shown...)
	}
}
