package shellrisk

import (
	"slices"
	"strings"
)

// reading is one way in which a wrapper may read its words.
type reading struct {
	wrapper
	args []arg
	opts options
	at   []int // where the command may begin, the likeliest place first
	seen []bool
	sets []arg // NAME=VALUE before the command
	// unclear says that an option is not known, so that it may take a value or not.
	unclear bool
}

// read finds the options of a wrapper and every place at which the command that
// it runs may begin.
func (w wrapper) read(args []arg) *reading {
	r := &reading{wrapper: w, args: args, seen: make([]bool, len(args)+3)}
	r.from(0)
	return r
}

// from reads options from the i-th word on.
func (r *reading) from(i int) {
	for i < len(r.args) && !r.seen[i] {
		r.seen[i] = true
		text := r.args[i].text
		switch {
		case text == "--":
			r.operand(i + 1)
			return
		case text == "-" && r.dash:
			i++
		case len(text) < 2 || text[0] != '-':
			r.operand(i)
			return
		case strings.HasPrefix(text, "--") || r.single:
			i += r.longOption(i)
		default:
			i += r.cluster(i)
		}
	}
}

// longOption reads a long option and tells how many words it took.
func (r *reading) longOption(i int) int {
	name, value, has := strings.Cut(strings.TrimLeft(r.args[i].text, "-"), "=")
	full, next, none, known := r.longTakes(name)
	o := option{name: "--" + full}
	if !known {
		o.name, r.unclear = "--"+name, true
	}
	switch {
	case has:
		o.value, o.given = arg{text: value, from: r.args[i].from}, true
	case next && i+1 < len(r.args):
		o.value, o.given = r.args[i+1], true
	}
	r.opts = append(r.opts, o)
	switch {
	case has || none && !next:
		return 1
	case next && !none:
		return 2
	case next: // one of several, some of which take a value
		r.from(i + 2)
		return 1
	}
	defer r.from(i + 2)
	r.from(i + 1)
	return len(r.args)
}

// cluster reads letters behind one dash and tells how many words they took.
func (r *reading) cluster(i int) int {
	text := r.args[i].text[1:]
	for k := range len(text) {
		how, known := r.shortTakes(text[k])
		o := option{name: "-" + text[k:k+1]}
		rest := text[k+1:]
		switch {
		case !known:
			r.unclear = true
			r.opts = append(r.opts, o)
			defer r.from(i + 2)
			r.from(i + 1)
			return len(r.args)
		case how == takesNone:
			r.opts = append(r.opts, o)
			continue
		case rest != "":
			o.value, o.given = arg{text: rest, from: r.args[i].from}, true
		case how == takesNext && i+1 < len(r.args):
			o.value, o.given = r.args[i+1], true
		}
		r.opts = append(r.opts, o)
		if rest == "" && how == takesNext {
			return 2
		}
		return 1
	}
	return 1
}

// operand notes where the command begins, when its operands begin at the i-th
// word. Options may follow operands.
func (r *reading) operand(i int) {
	least, most := r.least, r.most
	for n := least; n <= most; n++ {
		at := i + n
		for r.assigns && at < len(r.args) && strings.Contains(r.args[at].text, "=") {
			r.sets = append(r.sets, r.args[at])
			at++
		}
		switch {
		case at >= len(r.args):
		case n > 0 && len(r.args[at].text) > 1 && r.args[at].text[0] == '-':
			r.least, r.most = 0, 0
			r.from(at)
			r.least, r.most = least, most
		case !slices.Contains(r.at, at):
			r.at = append(r.at, at)
		}
	}
	if r.permutes {
		r.from(i + 1)
	}
}

// rest are the words of the command in the likeliest reading.
func (r *reading) rest() []arg {
	if len(r.at) == 0 {
		return nil
	}
	return r.args[r.at[0]:]
}

// wrapper judges the command inside.
func (c call) wrapper() {
	w, _ := wrapperFor(c.name)
	r := w.read(c.args)
	if w.risen {
		c.j.askWeakly(CatPrivilege, "runs with other rights", c.name)
	}
	c.wrapperOutput(w, r.opts)
	if c.name == "command" && r.opts.has("-v", "-V") {
		return // only tells where it is
	}
	if c.name == "nsenter" && len(r.at) == 0 || c.name == "doas" && r.opts.has("-s") {
		c.j.ask(CatPrivilege, "opens a shell with other rights", c.name)
	}
	if o, ok := r.opts.get(w.code...); ok {
		c.code(o.value, c.st.clone(), c.in)
		return
	}
	if o, ok := r.opts.get(w.program...); ok {
		c.j.command(c.st, append([]arg{o.value}, r.rest()...), c.in)
		return
	}
	if w.shell {
		c.j.command(c.st, append([]arg{literalArg("sh")}, r.rest()...), c.in)
		return
	}
	if o, ok := r.opts.get("--preload", "--audit", "--library-path"); ok && w.loader {
		c.j.ask(CatEnvInjection, "names a program or library that other programs run", c.name, o.name, o.value.show())
	}
	c.inner(r)
}

// inner judges what a wrapper runs, at every place where that may begin.
func (c call) inner(r *reading) {
	st := c.st
	if o, ok := r.opts.get(r.chdir...); ok {
		st = st.clone()
		dir, known := st.abs(o.value.text)
		if !known || hasHole(dir) {
			dir = ""
		}
		st.enter(dir)
	}
	for _, a := range r.sets {
		name, value, _ := strings.Cut(a.text, "=")
		if st == c.st {
			st = st.clone()
		}
		c.j.setsVariable(name, arg{text: value, from: a.from})
		st.assign(name, arg{text: value, from: a.from})
	}
	if r.unclear && len(r.at) > 0 {
		c.j.ask(CatObfuscated, "does not say plainly which program it runs", append([]string{c.name}, show(c.args)...)...)
	}
	for _, at := range r.at {
		rest := c.args[at:]
		if slices.Contains(r.code, "-c") && len(rest) > 1 && (rest[0].text == "-c" || rest[0].text == "--command") {
			c.code(joined(rest[1:]), st.clone(), c.in)
			continue
		}
		c.j.command(st, rest, c.in)
	}
}

// wrapperOutput judges the file that a measuring wrapper writes to. A tracer
// takes a text that begins with a sign of the shell for a command.
func (c call) wrapperOutput(w wrapper, opts options) {
	o, ok := opts.get(w.output...)
	switch {
	case !ok || len(w.output) == 0:
	case strings.ContainsAny(o.value.text[:min(1, len(o.value.text))], "|!"):
		c.j.ask(CatIndirectExec, "runs another program", c.name, o.value.show())
	default:
		c.writesFile(o.value)
	}
}

// env judges the variables it sets and the command it runs.
func (c call) env() {
	r := wrappers()["env"].read(c.args)
	if o, ok := r.opts.get("-S", "--split-string"); ok {
		c.splitString(o.value, r.rest(), c.st)
		return
	}
	c.inner(r)
}

// splitString judges env -S, which takes a text apart much like a shell.
func (c call) splitString(text arg, rest []arg, st *state) {
	words, ok := literalWords(text.text)
	if !ok || !text.literal() {
		c.j.ask(CatObfuscated, "does not say plainly which program it runs", c.name, text.show())
		c.code(text, st.clone(), c.in)
		return
	}
	var args []arg
	for _, w := range words {
		args = append(args, literalArg(w))
	}
	inner := call{j: c.j, st: st, name: "env", word: c.word, args: append(args, rest...), in: c.in}
	inner.env()
}

// sudo judges the command inside. Without a password configured, -S could only
// read one that the agent made up or found.
func (c call) sudo() {
	r := wrappers()["sudo"].read(c.args)
	opts := r.opts
	c.j.askWeakly(CatPrivilege, "runs with the rights of another user", c.name)
	if opts.has("-S", "--stdin") {
		c.j.block(CatSudoStdin, "hands a password to sudo", c.name, "-S")
	}
	if opts.has("-A", "--askpass") {
		c.j.ask(CatPrivilege, "runs a program that asks for a password", c.name)
	}
	if opts.has("-e", "--edit") {
		for _, a := range r.rest() {
			c.j.writes(c.st, a)
		}
		c.j.ask(CatPrivilege, "edits files with the rights of another user", c.name)
		return
	}
	shell := opts.has("-i", "--login", "-s", "--shell") || len(r.at) > 0 && opensShell(r.rest())
	if shell && !c.in.piped && !c.in.doc {
		c.j.ask(CatPrivilege, "opens a shell with the rights of another user", append([]string{c.name}, show(r.rest())...)...)
	}
	c.inner(r)
}

// opensShell reports whether a command is an interactive shell.
func opensShell(args []arg) bool {
	_, name := cutLast(args[0].text)
	switch name {
	case "su", "bash", "sh", "zsh", "dash", "ksh", "fish":
		return len(args) == 1 || strings.HasPrefix(args[1].text, "-") && !strings.Contains(args[1].text, "c")
	}
	return false
}

// su judges the command it is given, and asks in any case.
func (c call) su() {
	w := wrappers()[c.name]
	r := w.read(c.args)
	c.j.askWeakly(CatPrivilege, "runs with the rights of another user", c.name)
	coded := false
	for _, o := range r.opts {
		if o.given && o.is("-c", "--command", "--session-command") {
			c.code(o.value, c.st.clone(), c.in)
			coded = true
		}
	}
	switch i := slices.IndexFunc(c.args, func(a arg) bool { return a.text == "--" }); {
	case coded:
		return
	case c.name == "runuser" && r.opts.has("-u", "--user"):
		c.inner(&reading{wrapper: w, args: c.args, at: r.at[:min(1, len(r.at))]})
		return
	case i >= 0: // what follows is for the shell
		c.j.command(c.st, append([]arg{literalArg("sh")}, c.args[i+1:]...), c.in)
	}
	c.j.ask(CatPrivilege, "opens a shell with the rights of another user", c.name)
}

// xargs judges the command that gets what is read as arguments.
func (c call) xargs() {
	r := wrappers()["xargs"].read(c.args)
	opts := r.opts
	if r.unclear && len(r.at) > 0 {
		c.j.ask(CatObfuscated, "does not say plainly which program it runs", append([]string{c.name}, show(c.args)...)...)
	}
	for _, at := range r.at {
		c.xargsRuns(opts, c.args[at:])
	}
}

// xargsRuns judges the command behind the options.
func (c call) xargsRuns(opts options, rest []arg) {
	given := c.given()
	if o, ok := opts.get("-I", "--replace", "-J", "-i"); ok {
		mark := o.value.text
		if mark == "" {
			mark = "{}"
		}
		for _, g := range given {
			c.j.command(c.st, replaced(rest, mark, g), input{})
		}
		return
	}
	c.j.command(c.st, append(append([]arg{}, rest...), given...), input{})
}

// given are the words that xargs will read, when they are known.
func (c call) given() []arg {
	if c.in.known {
		var out []arg
		for _, w := range strings.Fields(c.in.text) {
			out = append(out, arg{text: strings.Trim(w, `'"`), from: fromInput})
		}
		if len(out) > 0 && len(out) <= maxBraces {
			return out
		}
	}
	a := holeArg(fromInput)
	if c.in.download {
		a.from |= fromDownload
	}
	return []arg{a}
}

// replaced puts a word where the mark stands.
func replaced(args []arg, mark string, with arg) []arg {
	out := make([]arg, 0, len(args))
	for _, a := range args {
		if strings.Contains(a.text, mark) {
			a.text = strings.ReplaceAll(a.text, mark, with.text)
			a.from |= with.from
			a.pat = ""
		}
		out = append(out, a)
	}
	return out
}
