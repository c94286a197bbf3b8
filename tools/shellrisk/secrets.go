package shellrisk

import (
	"path"
	"strings"

	"hermes-tui/tools"
)

// keyUsers are programs that name files with keys without showing them: they tell
// about files, or use the keys for what they are. What they run is looked at by
// itself.
var keyUsers = words(`ls dir vdir stat test [ cd pushd echo printf chmod chown chgrp mkdir touch rm rmdir unlink find gfind wc du tree
	realpath readlink basename dirname ssh ssh-add ssh-keygen ssh-copy-id mosh autossh sftp kubectl helm docker podman aws gcloud
	export local declare alias type which command eval`)

// names asks about a word of a program that names a file with keys, the environment
// or memory of a process.
func (j *judge) names(st *state, program string, a arg) {
	_, wraps := wrapperFor(program)
	wraps = wraps || program == "sudo" || program == "env" || program == "xargs"
	for _, file := range j.named(st, a) {
		if !wraps && !keyUsers[program] && j.holdsKeys(file) {
			j.askWeakly(CatSensitiveFile, readsKeysReason, a.show())
			return
		}
		if j.ofProcess(file) {
			j.ask(CatSensitiveFile, "reads the secrets of another process", a.show())
			return
		}
	}
}

// readsKeys asks about reading a file that holds keys or passwords, or those of a
// process: what a command shows goes to the model. The environment files of a project
// are not among them: commands read them to run its programs, and their values
// are masked.
func (j *judge) readsKeys(st *state, a arg) { j.names(st, "", a) }

const readsKeysReason = "reads a file with keys or passwords"

// holdsKeys reports whether a path, as it is named or where it leads, is a file with
// keys. What is not known of it may be any name.
func (j *judge) holdsKeys(raw string) bool {
	if j.secrets == nil {
		j.secrets = j.set.secrets()
	}
	if i := strings.Index(raw, hole); i >= 0 {
		raw = raw[:strings.LastIndexByte(raw[:i], '/')+1]
	}
	real, followed := j.set.real(raw)
	return j.secrets.Keys(realPrivate(path.Clean(raw))) != "" || followed && j.secrets.Keys(real) != ""
}

// maxNamed bounds the paths that one word may name.
const maxNamed = 64

// named gives the paths that a word may name: as a whole, behind "=" or "@" as in
// "if=FILE" and "--data=@FILE", inside a program of another language, and what a
// pattern stands for.
func (j *judge) named(st *state, a arg) []string {
	var out []string
	add := func(text string) {
		if raw, ok := st.raw(text); ok && len(out) < maxNamed {
			out = append(out, throughProcess(raw, st.cwd))
		}
	}
	if a.pat != "" && st.cwd != "" && j.set.List != nil && !hasHole(a.pat) {
		found, _ := j.set.matching(st.cwd, a.pat, j.step)
		for _, name := range found {
			add(name)
		}
	}
	text := a.text
	add(text)
	if i := strings.LastIndexAny(text, "=@"); i >= 0 && i+1 < len(text) && !strings.HasPrefix(text, "/") {
		add(text[i+1:])
	}
	for i := 1; i < len(text); i++ {
		if text[i] == '/' && !inPath(text[i-1]) {
			end := i
			for end < len(text) && inPath(text[end]) {
				end++
			}
			add(text[i:end])
			i = end
		}
	}
	return out
}

// inPath reports whether a character is usual in the names of files with keys.
func inPath(ch byte) bool {
	return isWordByte(ch) || ch == '/' || ch == '.' || ch == '-' || ch == '~' || ch == hole[0]
}

// throughProcess takes off the folders by which a process sees its root and its
// working directory.
func throughProcess(raw, cwd string) string {
	if !ofProc(raw) {
		return raw
	}
	e := elems(raw)
	if len(e) < 3 {
		return raw
	}
	rest := strings.Join(e[3:], "/")
	switch e[2] {
	case "root":
		return "/" + rest
	case "cwd":
		return cwd + "/" + rest
	}
	return raw
}

// ofProcess reports whether a path is the environment or memory of another process:
// the agent's own keys are in one.
func (j *judge) ofProcess(raw string) bool {
	if e := elems(path.Clean(raw)); ofProc(raw) && len(e) == 3 && (e[1] == "self" || e[1] == "thread-self") {
		return false // whoever resolves it is another process
	}
	real, ok := j.set.real(raw)
	for _, file := range []string{path.Clean(raw), real} {
		if file == real && !ok || !ofProc(file) {
			continue
		}
		e := elems(file)
		if len(e) < 3 || e[1] == "self" || e[1] == "thread-self" {
			continue
		}
		switch e[len(e)-1] {
		case "environ", "mem":
			return true
		}
		if e[2] == "fd" || e[2] == "map_files" {
			return true
		}
	}
	return false
}

// ofProc reports whether a path leads below /proc, as it is written.
func ofProc(raw string) bool { return strings.HasPrefix(strings.TrimLeft(raw, "/"), "proc/") }

// search asks about searching what is below a folder with keys.
func (c call) search() {
	deep := c.name != "rg"
	opts, operands := grammar{short: "efmABCgtTrMdjED", long: "regexp file max-count after-context before-context context glob type"}.parse(c.args)
	if strings.HasSuffix(c.name, "grep") {
		deep = opts.has("-r", "-R", "--recursive", "--dereference-recursive")
	} else if opts.has("-u", "-.", "--hidden", "--unrestricted") {
		deep = true
	}
	if !deep {
		return
	}
	if !opts.has("-e", "-f", "--regexp", "--file", "--files") {
		operands = operands[min(1, len(operands)):]
	}
	if len(operands) == 0 {
		operands = []arg{here}
	}
	for _, a := range operands {
		if dir, ok := c.st.abs(a.text); ok && c.j.keysBelow(dir) {
			c.j.askWeakly(CatSensitiveFile, "searches a folder with keys or passwords", c.name, a.show())
			return
		}
	}
}

// keysBelow reports whether a folder holds a home directory, or files with keys
// right in it.
func (j *judge) keysBelow(dir string) bool {
	if hasHole(dir) {
		return false
	}
	if j.set.Home != "" && Within(j.set.Home, dir, j.set.FoldsCase) {
		return true
	}
	if _, ok := j.set.homeOf(dir); !ok || j.set.List == nil || j.set.Inside(dir) {
		return false
	}
	for _, name := range j.set.List(dir) {
		if j.holdsKeys(joinPath(dir, name)) {
			return true
		}
	}
	return false
}

// processes asks about listing processes with their environment, and about memory.
func (c call) processes() {
	if c.name == "gcore" {
		c.j.ask(CatSensitiveFile, "reads the memory of another process", append([]string{c.name}, show(c.args)...)...)
		return
	}
	for i, a := range c.args {
		value := i > 0 && len(c.args[i-1].text) == 2 && strings.ContainsAny(c.args[i-1].text, "CGUgopqstu")
		bare := strings.Trim(a.text, "acdefhjklmnoprstuvwxyzASTUVXZ") == "" && strings.Contains(a.text, "e") && !value
		if bare || strings.Contains(strings.ToLower(a.text), "environ") {
			c.j.ask(CatSensitiveFile, "shows the environment of other processes", c.name, a.show())
			return
		}
	}
}

// secrets are the files with keys or passwords in these surroundings.
func (s Setting) secrets() *tools.Secrets {
	return tools.NewSecrets([]string{s.Home}, []string{s.HermesHome}, s.Getenv)
}

// agentHomes are the folders with the layout of the agent's home: its own, the
// usual one, and the one that keeps its own as a profile.
func (s Setting) agentHomes() []string {
	homes := []string{s.hermesHome()}
	if s.Home != "" {
		homes = append(homes, joinPath(s.Home, ".hermes"))
	}
	if parent := path.Dir(s.hermesHome()); path.Base(parent) == "profiles" {
		homes = append(homes, path.Dir(parent))
	}
	return homes
}

// belowHome gives the folded first element of a file below an agent's home,
// Within a profile where it is in one.
func belowHome(file, home string, folds bool) (first string, ok bool) {
	if home == "" || home == "/" || !Within(file, home, folds) {
		return "", false
	}
	e := elems(foldName(file[min(len(file), len(home)):]))
	if len(e) > 2 && e[0] == "profiles" {
		e = e[2:]
	}
	if len(e) == 0 {
		return "", false
	}
	return e[0], true
}
