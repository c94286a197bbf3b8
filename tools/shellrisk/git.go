package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// gitGlobal are the options before git's subcommand.
var gitGlobal = grammar{short: "Cc", long: "git-dir work-tree namespace config-env super-prefix exec-path", first: true}

// git judges what loses work, rewrites what others have, or runs programs.
func (c call) git() {
	opts, rest := gitGlobal.parse(c.args)
	st := c.st
	if opts.has("-c", "-C") {
		st = st.clone()
	}
	c.st = st
	for _, o := range opts {
		switch o.name {
		case "-c":
			c.gitConfig(o.value)
		case "--config-env":
			name, _, _ := strings.Cut(o.value.text, "=")
			c.gitConfig(arg{text: name + "=" + hole, from: opaque})
		case "--exec-path":
			if o.given {
				c.j.ask(CatEnvInjection, "makes git run programs from another folder", c.name, o.name)
			}
		case "-C":
			dir, ok := st.abs(o.value.text)
			if !ok || hasHole(dir) {
				dir = ""
			}
			st.enter(dir)
		}
	}
	if len(rest) == 0 {
		return
	}
	verb := rest[0]
	if hasHole(verb.text) {
		c.j.ask(CatObfuscated, "does with git what cannot be known beforehand", c.name, verb.show())
		return
	}
	c.foreignRepo(opts)
	c.gitLike(verb.text, rest[1:])
	c.gitAlias(verb.text, rest[1:])
	c.gitSettles(verb.text, rest[1:], opts, append([]string{c.name, verb.text}, show(rest[1:])...))
	c.gitFolder(verb.text, rest[1:])
	c.gitVerb(verb.text, rest[1:], opts)
}

// gitEqual are commands that do what another one does, as rules name it.
var gitEqual = map[string]string{"send-pack": "push", "http-push": "push", "fetch-pack": "fetch"}

// gitLike tells rules by which other words the call is known.
func (c call) gitLike(verb string, args []arg) {
	other, equal := gitEqual[verb]
	if !equal {
		other = verb
	}
	if equal || c.name != "git" {
		c.j.alike(append([]arg{literalArg("git"), literalArg(other)}, args...))
	}
}

// gitAlias judges a command that the command itself has given a name.
func (c call) gitAlias(verb string, args []arg) {
	value, ok := c.st.named["git "+strings.ToLower(verb)]
	if !ok {
		return
	}
	if code, isCode := strings.CutPrefix(value.text, "!"); isCode {
		c.code(joined(append([]arg{{text: code, from: value.from}}, args...)), c.st.clone(), c.in)
		return
	}
	words, known := literalWords(value.text)
	if !known || hasHole(value.text) {
		c.j.ask(CatObfuscated, "does with git what cannot be known beforehand", c.name, verb)
		c.j.darken()
		return
	}
	inner := []arg{literalArg("git")}
	for _, w := range words {
		inner = append(inner, arg{text: w, from: value.from &^ dynamic})
	}
	c.j.command(c.st, append(inner, args...), c.in)
}

// foreignRepo asks when git would obey the configuration of a repository other
// than the workspace's own: it may run any program.
func (c call) foreignRepo(opts options) {
	if own, other := c.repos(opts); other != "" && other != own {
		c.j.ask(CatEnvInjection, "obeys the git configuration of another repository", c.name, other)
	}
}

// repos are the roots of the workspace's own repository and of the one that git works
// in, empty where there is none or it is not known.
func (c call) repos(opts options) (own, other string) {
	if c.j.set.Repo == nil || c.st.cwd == "" {
		return "", ""
	}
	dir := c.st.cwd
	if o, ok := opts.get("--git-dir"); ok {
		dir, _ = c.st.abs(o.value.text)
	}
	return c.j.set.Repo(c.j.set.root()), c.j.set.Repo(dir)
}

func (c call) gitVerb(verb string, args []arg, global options) {
	shown := append([]string{c.name, verb}, show(args)...)
	lose := func(reason string) { c.j.ask(CatGitDestructive, reason, shown...) }
	switch verb {
	case "clone", "fetch", "pull", "push", "ls-remote":
		c.j.online(c.name + " " + verb)
	}
	switch verb {
	case "push", "send-pack", "http-push":
		c.gitPush(args, shown)
	case "checkout", "switch", "restore":
		if c.discards(verb, args) || someMayBeOption(args) {
			// Files only: what snapshots keep of them is kept of deleted ones as well.
			c.j.ask(CatDelete, "throws away changes that are not committed", shown...)
		}
	case "reset":
		if opts, _ := (grammar{}).parse(args); opts.has("--hard", "--merge") || someMayBeOption(args) {
			lose("throws away changes that are not committed")
		}
	case "clean":
		opts, _ := grammar{short: "e", long: "exclude"}.parse(args)
		force := opts.has("-f", "--force") || global.has("-c") || someMayBeOption(args)
		if force && !opts.rehearses("-n", "--dry-run") {
			lose("deletes files that git does not know")
		}
	case "branch", "tag":
		c.gitNames(verb, args, lose)
	case "stash":
		if len(args) > 0 && (args[0].text == "drop" || args[0].text == "clear" || args[0].mayBeOption()) {
			lose("throws away stashed changes")
		}
	case "rm":
		if opts, _ := (grammar{}).parse(args); opts.has("-f", "--force") && !opts.spelled("--cached") && !opts.rehearses("-n", "--dry-run") {
			lose("deletes files with changes that are not committed")
		}
	case "worktree":
		if opts, operands := (grammar{}).parse(args); opts.has("-f", "--force") && len(operands) > 0 && operands[0].text == "remove" {
			lose("deletes a worktree with what is in it")
		}
	case "reflog":
		if len(args) > 0 && (args[0].text == "expire" || args[0].text == "delete") {
			lose("forgets where branches have been")
		}
	case "gc", "prune":
		if opts, _ := (grammar{}).parse(args); verb == "prune" || opts.has("--prune") {
			lose("deletes commits that nothing leads to")
		}
	case "filter-branch", "filter-repo", "replace":
		lose("rewrites the history")
	case "update-ref":
		if opts, _ := (grammar{short: "m"}).parse(args); opts.has("-d", "--stdin") {
			lose("deletes a branch or tag")
		}
	default:
		c.gitRuns(verb, args, shown)
	}
	c.gitOutput(verb, args)
}

func someMayBeOption(args []arg) bool {
	return slices.ContainsFunc(args, arg.mayBeOption)
}

// gitPush judges what a push does to branches of others.
func (c call) gitPush(args []arg, shown []string) {
	opts, refs := grammar{short: "o", long: "push-option repo receive-pack exec"}.parse(args)
	if opts.has("--receive-pack", "--exec") {
		c.j.ask(CatIndirectExec, "runs another program", shown...)
	}
	forced := opts.has("-f", "--force", "--force-with-lease", "--mirror", "--prune", "-d", "--delete") || someMayBeOption(args)
	for _, r := range refs {
		forced = forced || strings.HasPrefix(r.text, "+") || strings.HasPrefix(r.text, ":") && r.text != ":"
	}
	if opts.rehearses("-n", "--dry-run") {
		return
	}
	c.j.pushes(shown)
	if forced {
		c.j.ask(CatGitDestructive, "rewrites or deletes a remote branch", shown...)
	}
}

// gitPublishers are subcommands of git that come apart, with the word that publishes.
var gitPublishers = map[string]string{"lfs": "push", "subtree": "push", "svn": "dcommit", "p4": "submit", "annex": "sync"}

// gitNames judges the deletion and moving of branches and tags.
func (c call) gitNames(verb string, args []arg, lose func(string)) {
	opts, _ := grammar{short: "umF", long: "set-upstream-to message file"}.parse(args)
	switch {
	case verb == "tag" && opts.has("-d", "--delete", "-f", "--force"):
		lose("deletes or moves a tag")
	case verb == "branch" && (opts.has("-D") || opts.has("-f", "--force") && !opts.spelled("-m", "-M", "--move")):
		lose("deletes or moves a branch that may not be merged")
	case verb == "branch" && someMayBeOption(args):
		lose("does to branches what cannot be known beforehand")
	}
}

// discards reports whether checkout, switch or restore overwrite changed files.
func (c call) discards(verb string, args []arg) bool {
	opts, operands := grammar{short: "bBcCsU", long: "orphan conflict source pathspec-from-file unified"}.parse(args)
	switch verb {
	case "restore":
		staged := opts.has("-S", "--staged") && !opts.has("-W", "--worktree")
		return !staged && (len(operands) > 0 || opts.has("--pathspec-from-file"))
	case "switch":
		return opts.has("-f", "--force", "--discard-changes")
	}
	if opts.has("-f", "--force", "--pathspec-from-file") {
		return true
	}
	if opts.has("-b", "-B", "--orphan", "-t", "--track", "--detach", "-d") {
		return false
	}
	if i := slices.IndexFunc(args, func(a arg) bool { return a.text == "--" }); i >= 0 {
		return i < len(args)-1
	}
	switch len(operands) {
	case 0:
		return opts.has("-p", "--patch", "--ours", "--theirs")
	case 1:
		return opts.has("--ours", "--theirs", "-p", "--patch") || c.looksLikePath(operands[0])
	}
	return true // a commit, then paths
}

// looksLikePath tells a file from a branch: it is there, it is written like a
// path, it is a pattern, or it ends like the name of a file.
func (c call) looksLikePath(a arg) bool {
	text := a.text
	switch {
	case a.pat != "" || text == "." || text == "..":
		return true
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"), strings.HasPrefix(text, "/"),
		strings.HasPrefix(text, ":"), strings.HasSuffix(text, "/"):
		return true
	case strings.Contains(text, ".."):
		return false
	}
	if c.j.set.List != nil && c.st.cwd != "" && !hasHole(text) {
		dir, name := cutLast(joinPath(c.st.cwd, text))
		return slices.Contains(c.j.set.List(path.Clean(dir)), name)
	}
	ext := path.Ext(text)
	return len(ext) > 1 && len(ext) <= 6 && ext != text && strings.Trim(ext[1:2], "0123456789") != ""
}

// gitRuns judges the subcommands that run programs, or set up that others do.
func (c call) gitRuns(verb string, args []arg, shown []string) {
	if word, ok := gitPublishers[verb]; ok && len(args) > 0 && args[0].text == word {
		c.j.pushes(shown)
	}
	switch verb {
	case "config":
		c.gitConfigVerb(args)
	case "bisect":
		if len(args) > 1 && args[0].text == "run" {
			c.j.command(c.st.clone(), args[1:], input{})
		}
	case "submodule":
		i := slices.IndexFunc(args, func(a arg) bool { return a.text == "foreach" })
		if i >= 0 {
			_, rest := grammar{first: true}.parse(args[i+1:])
			c.codeWords(rest)
		}
	case "rebase":
		opts, _ := grammar{short: "xsXC", long: "exec onto strategy strategy-option"}.parse(args)
		for _, o := range opts {
			if o.is("-x", "--exec") {
				c.code(o.value, c.st.clone(), input{})
			}
		}
	case "clone", "fetch", "pull", "ls-remote", "remote", "archive":
		c.gitRemote(verb, args, shown)
	case "difftool", "mergetool":
		if opts, _ := (grammar{short: "xt", long: "extcmd tool"}).parse(args); opts.has("-x", "--extcmd") {
			c.j.ask(CatIndirectExec, "runs another program", shown...)
		}
	case "grep":
		if opts, _ := (grammar{short: "efmABC"}).parse(args); opts.has("-O", "--open-files-in-pager") {
			c.j.ask(CatIndirectExec, "runs another program", shown...)
		}
	case "init":
		if opts, _ := (grammar{short: "b", long: "template"}).parse(args); opts.has("--template") {
			c.j.ask(CatEnvInjection, "installs programs that git runs by itself", shown...)
		}
	case "send-email", "daemon", "instaweb", "imap-send":
		c.j.ask(CatExfiltration, "sends files to another machine", shown...)
	case "credential":
		c.j.ask(CatSensitiveFile, "reads stored passwords", shown...)
	}
}

// gitRemote judges where commits come from.
func (c call) gitRemote(verb string, args []arg, shown []string) {
	g := grammar{short: "cuobj", long: "config upload-pack template exec origin branch depth reference output remote jobs filter"}
	opts, operands := g.parse(args)
	for _, o := range opts {
		switch {
		case o.is("--upload-pack", "--exec") || o.name == "-u" && verb == "clone":
			c.j.ask(CatIndirectExec, "runs another program", shown...)
		case verb == "clone" && o.is("-c", "--config"):
			c.gitConfig(o.value)
		case o.is("--template"):
			c.j.ask(CatEnvInjection, "installs programs that git runs by itself", shown...)
		}
	}
	for _, a := range operands {
		if strings.HasPrefix(a.text, "ext::") || strings.HasPrefix(a.text, "fd::") {
			c.j.ask(CatRemoteExec, "makes git run a program to reach a repository", shown...)
		}
	}
}

// gitOutput judges options by which reading commands write files.
func (c call) gitOutput(verb string, args []arg) {
	switch verb {
	case "diff", "log", "show", "format-patch", "archive", "bundle", "shortlog", "blame":
	default:
		return
	}
	opts, _ := grammar{short: "o", long: "output output-directory"}.parse(args)
	for _, o := range opts {
		if o.given && (o.is("--output", "--output-directory") || o.name == "-o") {
			c.writesFile(o.value)
		}
	}
}
