package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// codeRunner judges programs that take a command as text, or as words.
func (c call) codeRunner() {
	switch c.name {
	case "watch":
		r := wrappers()["watch"].read(c.args)
		if r.opts.has("-x", "--exec") {
			c.inner(r)
			return
		}
		for _, at := range r.at {
			c.codeWords(c.args[at:])
		}
	case "script":
		opts, rest := grammar{short: "cEIOTBmot", long: "command"}.parse(c.args)
		if o, ok := opts.get("-c", "--command"); ok {
			c.code(o.value, c.st.clone(), c.in)
		} else if len(rest) > 1 { // BSD: the file, then the command
			c.j.command(c.st, rest[1:], c.in)
		}
	case "parallel":
		c.parallel()
	case "entr":
		opts, rest := grammar{first: true}.parse(c.args)
		if opts.has("-s") && len(rest) > 0 {
			c.code(rest[0], c.st.clone(), input{})
			return
		}
		c.j.command(c.st, replaced(rest, "/_", holeArg(fromInput)), input{})
	case "hyperfine", "concurrently":
		g := grammar{short: "wmMrpcsSnDLPi", long: "warmup min-runs max-runs runs names prefix export-json export-markdown export-csv"}
		opts, rest := g.parse(c.args)
		for _, a := range rest {
			c.code(a, c.st.clone(), input{})
		}
		for _, o := range opts {
			if o.given && o.is("-p", "--prepare", "-s", "--setup", "-c", "--cleanup") {
				c.code(o.value, c.st.clone(), input{})
			}
		}
	case "at", "batch":
		if opts, _ := (grammar{short: "qft"}).parse(c.args); !opts.has("-l", "-d", "-c", "-V") {
			c.j.ask(CatIndirectExec, "runs code at a later time", c.name)
			c.j.darken()
		}
	}
}

// codeWords judges words that are put together and given to a shell.
func (c call) codeWords(args []arg) {
	if len(args) == 1 {
		c.code(args[0], c.st.clone(), input{})
		return
	}
	c.code(joined(args), c.st.clone(), input{})
}

// parallel judges GNU parallel: a command, then its arguments behind ":::".
func (c call) parallel() {
	g := grammar{short: "ajIndNLsCE", long: "arg-file jobs delay timeout colsep joblog results tmpdir load", first: true}
	_, rest := g.parse(c.args)
	end := slices.IndexFunc(rest, func(a arg) bool { return strings.HasPrefix(a.text, ":::") })
	given := c.given()
	if end >= 0 {
		given = nil
		for _, a := range rest[end+1:] {
			if !strings.HasPrefix(a.text, ":::") {
				a.from |= fromInput
				given = append(given, a)
			}
		}
		rest = rest[:end]
	}
	for _, g := range given[:min(len(given), maxTurns)] {
		if len(rest) == 0 { // the arguments are the commands
			c.code(g, c.st.clone(), input{})
			continue
		}
		args := replaced(rest, "{}", g)
		if slices.EqualFunc(args, rest, func(a, b arg) bool { return a.text == b.text }) {
			args = append(args, g)
		}
		c.j.command(c.st, args, input{})
		if len(rest) == 1 && strings.ContainsAny(rest[0].text, " ;|&") {
			c.code(joined(args), c.st.clone(), input{})
		}
	}
}

// find judges what find does with what it finds.
func (c call) find() {
	roots, rest := findRoots(c.args)
	for i := 0; i < len(rest); i++ {
		switch text := rest[i].text; text {
		case "-delete":
			c.deletes(roots, fromInput, "find", "-delete")
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(rest) && rest[end].text != ";" && rest[end].text != "+" {
				end++
			}
			for _, root := range roots {
				for _, st := range c.foundIn(root, text) {
					found := root
					found.from |= fromInput
					c.j.command(st, replaced(rest[i+1:end], "{}", found), input{})
				}
			}
			i = end
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			if i+1 < len(rest) {
				c.j.writes(c.st, rest[i+1])
			}
			c.j.ask(CatIndirectExec, "writes a file", "find", text)
		default:
			if rest[i].mayBeOption() {
				c.j.ask(CatObfuscated, "takes an action that cannot be known beforehand", "find", rest[i].show())
			}
		}
	}
}

// foundIn are the states in which find runs a command: where it was started, or
// in the folder of what was found, which is the root or lies below or above it.
func (c call) foundIn(root arg, action string) []*state {
	if action != "-execdir" && action != "-okdir" {
		return []*state{c.st}
	}
	dir, ok := c.st.abs(root.opened())
	if !ok {
		st := c.st.clone()
		st.enter("")
		return []*state{st}
	}
	var list []*state
	for _, at := range []string{dir, joinPath(dir, hole), parentPath(dir)} {
		st := c.st.clone()
		st.enter(at)
		list = append(list, st)
	}
	if path.Base(root.text) == "." || path.Base(root.text) == ".." {
		list = list[:2]
	}
	return list
}

// findRoots splits the arguments into the places to search and the expression.
func findRoots(args []arg) (roots, rest []arg) {
	i := 0
	for i < len(args) {
		switch text := args[i].text; {
		case text == "-H" || text == "-L" || text == "-P" || strings.HasPrefix(text, "-O"):
		case text == "-D":
			i++
		case strings.HasPrefix(text, "-") || text == "(" || text == "!" || text == ")":
			if len(roots) == 0 {
				roots = []arg{literalArg(".")}
			}
			return roots, args[i:]
		default:
			roots = append(roots, args[i])
		}
		i++
	}
	return roots, nil
}

// fd judges the command that fd runs for what it finds.
func (c call) fd() {
	at := slices.IndexFunc(c.args, func(a arg) bool {
		return a.text == "-x" || a.text == "-X" || a.text == "--exec" || a.text == "--exec-batch" ||
			len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-' && strings.ContainsAny(a.text[len(a.text)-1:], "xX")
	})
	if at < 0 {
		return
	}
	g := grammar{short: "deEtScjoB", long: "max-depth extension exclude type size changed-within owner threads base-directory"}
	opts, operands := g.parse(c.args[:at])
	root := literalArg(".")
	if o, ok := opts.get("--base-directory"); ok {
		root = o.value
	} else if len(operands) > 1 {
		root = operands[1]
	}
	root.from |= fromInput
	inner := c.args[at+1:]
	args := inner
	for _, mark := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
		args = replaced(args, mark, root)
	}
	if slices.EqualFunc(args, inner, func(a, b arg) bool { return a.text == b.text }) {
		args = append(append([]arg{}, args...), root)
	}
	c.j.command(c.st, args, input{})
}

// runnerVerbs are the subcommands by which package managers run a command.
var runnerVerbs = map[string]map[string]bool{
	"npx": nil, "bunx": nil, "pnpx": nil, "uvx": nil,
	"npm":    words("exec x"),
	"pnpm":   words("exec dlx"),
	"yarn":   words("exec dlx"),
	"bun":    words("x"),
	"uv":     words("run"),
	"pipx":   words("run"),
	"poetry": words("run"),
	"pipenv": words("run"),
	"bundle": words("exec"),
	"rye":    words("run"),
	"hatch":  words("run"),
	"conda":  words("run"),
	"mamba":  words("run"),
	"mise":   words("exec x"),
	"asdf":   words("exec"),
	"direnv": words("exec"),
	"nix":    words("develop shell"),
	"deno":   words("run eval"),
}

// runner judges package managers, which run commands among other things.
func (c call) runner() {
	verbs, ok := runnerVerbs[c.name]
	args := c.args
	verb := ""
	if c.name == "bun" && len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		c.interpreter()
		return
	}
	if ok && verbs != nil {
		_, args = grammar{short: "CwF", long: "prefix dir cwd filter userconfig registry workspace loglevel project directory", first: true}.parse(args)
		if len(args) == 0 {
			c.packageScript()
			return
		}
		verb = args[0].text
		if !verbs[verb] {
			c.packageManager(verb, args[1:])
			return
		}
		args = args[1:]
	}
	if c.name == "deno" {
		c.deno(verb, args)
		return
	}
	g := grammar{short: "pcn", long: "package call from spec with python name call prefix cwd command", first: true}
	opts, rest := g.parse(args)
	if o, ok := opts.get("-c", "--call", "--command"); ok && c.name != "conda" {
		c.code(o.value, c.st.clone(), c.in)
	}
	if c.name == "direnv" && len(rest) > 0 {
		rest = rest[1:]
	}
	for len(rest) > 0 && (strings.Contains(rest[0].text, "@") && c.name == "mise" || rest[0].text == "--") {
		rest = rest[1:]
	}
	if len(rest) > 0 && remoteSpec(rest[0].text) {
		c.j.ask(CatRemoteExec, "runs a package straight from the network", c.name, rest[0].show())
		return
	}
	if c.name == "nix" {
		return
	}
	c.j.command(c.st, rest, c.in)
}

// packageScript judges nix-shell, which has no verbs.
func (c call) packageScript() {
	if c.name != "nix-shell" {
		return
	}
	opts, _ := grammar{short: "pAI", long: "run command packages"}.parse(c.args)
	if o, ok := opts.get("--run", "--command"); ok {
		c.code(o.value, c.st.clone(), c.in)
	}
}

// packageManager judges the other verbs of package managers.
func (c call) packageManager(verb string, args []arg) {
	words := show(args)
	switch {
	case verb == "publish" || verb == "unpublish" || verb == "deprecate",
		c.name == "yarn" && (verb == "npm" || strings.HasPrefix(verb, "workspace")) && slices.Contains(words, "publish"),
		(verb == "dist-tag" || verb == "owner") && (slices.Contains(words, "add") || slices.Contains(words, "rm")):
		if opts, _ := (grammar{}).parse(args); !opts.rehearses("--dry-run") {
			c.j.ask(CatPublish, "publishes a package", c.name, verb)
		}
	case verb == "config" && len(args) > 1 && args[0].text == "set" && strings.Contains(joined(args[1:]).text, "shell"):
		c.j.ask(CatEnvInjection, "names a program to be run later", append([]string{c.name, verb}, show(args)...)...)
	case c.name == "nix-shell":
		c.packageScript()
	}
}

// deno judges code on the command line and scripts from the network.
func (c call) deno(verb string, args []arg) {
	if verb == "eval" {
		c.j.ask(CatIndirectExec, "runs code given on the command line", c.name, verb)
		return
	}
	for _, a := range args {
		if remoteSpec(a.text) {
			c.j.ask(CatRemoteExec, "runs a script from the network", c.name, a.show())
		}
	}
}

// remoteSpec reports whether a package is named by a place in the network.
func remoteSpec(s string) bool {
	return strings.Contains(s, "://") || strings.HasPrefix(s, "github:") || strings.HasPrefix(s, "git+")
}
