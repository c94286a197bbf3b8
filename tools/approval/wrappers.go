package approval

import "strings"

// wrapper describes a program that runs the command in its arguments.
type wrapper struct {
	grammar
	skip int    // operands before the command
	code string // an option whose value is shell code
}

// wrappers are the programs that do nothing but run another one.
var wrappers = map[string]wrapper{
	"command":               {},
	"ld.so":                 {},
	"ld-linux.so.2":         {},
	"ld-linux-x86-64.so.2":  {},
	"ld-linux-aarch64.so.1": {},
	"ld-musl-x86_64.so.1":   {},
	"builtin":               {},
	"exec":                  {grammar: grammar{short: "a"}},
	"nohup":                 {},
	"nice":                  {grammar: grammar{short: "n", long: "adjustment"}},
	"ionice":                {grammar: grammar{short: "cnpPu", long: "class classdata"}},
	"chrt":                  {grammar: grammar{short: "TPD"}, skip: 1},
	"taskset":               {skip: 1},
	"setsid":                {},
	"timeout":               {grammar: grammar{short: "ks", long: "kill-after signal"}, skip: 1},
	"gtimeout":              {grammar: grammar{short: "ks", long: "kill-after signal"}, skip: 1},
	"time":                  {grammar: grammar{short: "fo", long: "format output"}},
	"gtime":                 {grammar: grammar{short: "fo", long: "format output"}},
	"stdbuf":                {grammar: grammar{short: "ioe", long: "input output error"}},
	"unbuffer":              {},
	"caffeinate":            {grammar: grammar{short: "tw"}},
	"chronic":               {},
	"setarch":               {skip: 1},
	"linux32":               {},
	"linux64":               {},
	"strace":                {grammar: grammar{short: "abeEoOpPsSuUX"}},
	"ltrace":                {grammar: grammar{short: "aAeFlnopsuwx"}},
	"valgrind":              {},
	"catchsegv":             {},
	"numactl":               {grammar: grammar{short: "iINpmCl", long: "interleave cpunodebind physcpubind membind"}},
	"cgexec":                {grammar: grammar{short: "g"}},
	"cpulimit":              {grammar: grammar{short: "lpe"}},
	"prlimit":               {},
	"setpriv":               {grammar: grammar{long: "reuid regid groups"}},
	"unshare":               {grammar: grammar{short: "SGwR"}},
	"nsenter":               {grammar: grammar{short: "tSG", long: "target"}},
	"firejail":              {},
	"bwrap":                 {grammar: grammar{long: "chdir uid gid hostname"}},
	"fakeroot":              {},
	"faketime":              {skip: 1},
	"proot":                 {grammar: grammar{short: "rbwq"}},
	"chroot":                {grammar: grammar{long: "userspec groups"}, skip: 1},
	"flock":                 {grammar: grammar{short: "wEc", long: "timeout conflict-exit-code command"}, skip: 1, code: "-c"},
	"systemd-run":           {grammar: grammar{short: "pMHuE", long: "unit property description slice uid gid setenv on-calendar on-active"}},
	"systemd-inhibit":       {grammar: grammar{long: "what who why mode"}},
	"dbus-run-session":      {grammar: grammar{long: "config-file"}},
	"dbus-launch":           {},
	"xvfb-run":              {grammar: grammar{short: "efnps", long: "error-file auth-file server-num server-args"}},
	"busybox":               {},
	"toybox":                {},
	"doas":                  {grammar: grammar{short: "uC"}},
	"pkexec":                {grammar: grammar{long: "user"}},
	"gosu":                  {skip: 1},
	"su-exec":               {skip: 1},
	"torsocks":              {},
	"proxychains":           {grammar: grammar{short: "f"}},
	"proxychains4":          {grammar: grammar{short: "f"}},
	"rlwrap":                {},
	"ssh-agent":             {},
	"aws-vault":             {skip: 2},
}

// risen are the wrappers that give other rights.
var risen = words(`doas pkexec gosu su-exec chroot nsenter`)

// wrapper judges the command inside.
func (c call) wrapper() {
	w := wrappers[c.name]
	g := w.grammar
	g.first = true
	opts, rest := g.parse(c.args)
	if risen[c.name] {
		c.j.askWeakly(CatPrivilege, "runs with other rights", c.name)
	}
	c.wrapperOutput(opts)
	if c.name == "command" && opts.has("-v", "-V") {
		return // only tells where it is
	}
	if c.name == "nsenter" && len(rest) == 0 || c.name == "doas" && opts.has("-s") {
		c.j.ask(CatPrivilege, "opens a shell with other rights", c.name)
	}
	if o, ok := opts.get(w.code); ok && w.code != "" {
		c.code(o.value, c.st.clone(), c.in)
		return
	}
	for range w.skip {
		if len(rest) == 0 {
			return
		}
		if c.name == "flock" && len(rest) > 1 && (rest[1].text == "-c" || rest[1].text == "--command") {
			c.code(joined(rest[2:]), c.st.clone(), c.in)
			return
		}
		rest = rest[1:]
	}
	for len(rest) > 0 && strings.Contains(rest[0].text, "=") && (c.name == "busybox" || c.name == "doas") {
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0].text == "--" {
		rest = rest[1:]
	}
	c.j.command(c.st, rest, c.in)
}

// wrapperOutput judges the file that a measuring wrapper writes to. A tracer
// takes a text that begins with a sign of the shell for a command.
func (c call) wrapperOutput(opts options) {
	switch c.name {
	case "time", "gtime", "strace", "ltrace":
	default:
		return
	}
	o, ok := opts.get("-o", "--output")
	switch {
	case !ok:
	case strings.ContainsAny(o.value.text[:min(1, len(o.value.text))], "|!"):
		c.j.ask(CatIndirectExec, "runs another program", c.name, o.value.show())
	default:
		c.writesFile(o.value)
	}
}

// env judges the variables it sets and the command it runs.
func (c call) env() {
	g := grammar{short: "uCSP", long: "unset chdir split-string", first: true}
	args := c.args
	st := c.st
	for len(args) > 0 {
		opts, rest := g.parse(args)
		if o, ok := opts.get("-C", "--chdir"); ok {
			st = st.clone()
			dir, known := st.abs(o.value.text)
			if !known || hasHole(dir) {
				dir = ""
			}
			st.enter(dir)
		}
		if o, ok := opts.get("-S", "--split-string"); ok {
			c.splitString(o.value, rest, st)
			return
		}
		args = rest
		for len(args) > 0 {
			name, value, ok := strings.Cut(args[0].text, "=")
			if !ok {
				break
			}
			c.j.setsVariable(name, arg{text: value, from: args[0].from})
			args = args[1:]
		}
		if len(args) == len(rest) {
			break
		}
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	c.j.command(st, args, c.in)
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
	g := grammar{short: "ugpCDRTrthU", long: "user group prompt close-from chdir chroot command-timeout role type host other-user", first: true}
	opts, rest := g.parse(c.args)
	c.j.askWeakly(CatPrivilege, "runs with the rights of another user", c.name)
	if opts.has("-S", "--stdin") {
		c.j.block(CatSudoStdin, "hands a password to sudo", c.name, "-S")
	}
	if opts.has("-A", "--askpass") {
		c.j.ask(CatPrivilege, "runs a program that asks for a password", c.name)
	}
	if opts.has("-e", "--edit") {
		for _, a := range rest {
			c.j.writes(c.st, a)
		}
		c.j.ask(CatPrivilege, "edits files with the rights of another user", c.name)
		return
	}
	for len(rest) > 0 {
		name, value, ok := strings.Cut(rest[0].text, "=")
		if !ok {
			break
		}
		c.j.setsVariable(name, arg{text: value, from: rest[0].from})
		rest = rest[1:]
	}
	shell := opts.has("-i", "--login", "-s", "--shell") || len(rest) > 0 && opensShell(rest)
	if shell && !c.in.piped && !c.in.doc {
		c.j.ask(CatPrivilege, "opens a shell with the rights of another user", append([]string{c.name}, show(rest)...)...)
	}
	st := c.st
	if o, ok := opts.get("-D", "--chdir"); ok {
		st = st.clone()
		dir, _ := st.abs(o.value.text)
		st.enter(dir)
	}
	c.j.command(st, rest, c.in)
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
	g := grammar{short: "cgGsuTw", long: "command session-command group shell user whitelist-environment"}
	opts, rest := g.parse(c.args)
	c.j.askWeakly(CatPrivilege, "runs with the rights of another user", c.name)
	if o, ok := opts.get("-c", "--command", "--session-command"); ok {
		c.code(o.value, c.st.clone(), c.in)
		return
	}
	if c.name == "runuser" && opts.has("-u", "--user") {
		c.j.command(c.st, rest, c.in)
		return
	}
	c.j.ask(CatPrivilege, "opens a shell with the rights of another user", c.name)
}

// xargs judges the command that gets what is read as arguments.
func (c call) xargs() {
	g := grammar{
		short: "EIJLPRSadns", first: true,
		long: "arg-file delimiter max-args max-procs max-chars max-lines replace process-slot-var",
	}
	opts, rest := g.parse(c.args)
	if len(rest) == 0 {
		return
	}
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
