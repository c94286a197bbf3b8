package place

import (
	"errors"
	"path"
	"strings"
)

// launch is the script that starts one process in the place. It lies in the
// connection's private directory and removes itself, so that neither arguments
// nor environment ever stand on a command line that others can read.
type launch struct {
	name       string // of the script
	mark       string
	begin, end string // nonces of the marks
	own        string // directory of the script
}

func (l launch) file() string { return l.own + "/" + l.name }

// codeFile is where a detached process leaves its exit code.
func (l launch) codeFile() string { return "x-" + l.mark }

// text is the script. First it clears the environment and takes care of a
// session of its own, then it stays as the parent of the program, since no
// client tells an exit code from the signal that caused it, or from its own.
func (l launch) text(p Proc) string {
	var b strings.Builder
	put := func(parts ...string) {
		for _, part := range parts {
			b.WriteString(part)
		}
		b.WriteByte('\n')
	}
	put(`if test "$1" != 2; then`)
	put(`PATH=$PATH:/usr/local/bin:/usr/bin:/bin`)
	put(`x=`)
	if p.TTY == nil {
		// A leader of a session stays one; the leader of a group cannot become one.
		put(`test -r /proc/$$/stat && read -r a b c d g s e </proc/$$/stat && test "$s" != $$ && test "$g" != $$ && command -v setsid >/dev/null 2>&1 && x=setsid`)
	}
	put(`exec $x env -i `, shellWord(markName+"="+l.mark), ` /bin/sh "$0" 2`)
	put(`fi`)
	put(`PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin`)
	put(`rm -f "$0"`)
	put(`trap : HUP INT QUIT TERM`) // the program has them as they were
	switch {
	case p.Log != "":
		put(`exec >>`, shellWord(p.Log), ` 3>&1 2>/dev/null`)
	case p.Stderr == nil:
		put(`exec 3>&1 2>/dev/null`)
	default:
		put(`exec 3>&2 2>/dev/null`)
	}
	put(`cd `, shellWord(p.Dir), ` || exit 126`)
	l.say(put, p, l.begin, "$$")
	exports, special := splitEnv(p.Env)
	if len(special) > 0 {
		put(`set -- "$(command -v env)"`)
	}
	put(`unset PATH PWD OLDPWD SHLVL _`)
	for _, kv := range exports {
		name, value, _ := strings.Cut(kv, "=")
		put(`export `, name, `=`, shellWord(value))
	}
	run := words(p.Argv...)
	if len(special) > 0 {
		run = `"$1" ` + words(special...) + " " + run
	}
	switch {
	case p.Log != "" && p.Stdin != nil:
		run += " <" + shellWord(l.inputFile())
	case p.Stdin == nil && p.TTY == nil:
		run += " </dev/null"
	}
	// A shell says how a program was killed; that must not go among its output.
	put(`(exec `, run, ` 2>&3 3>&-)`)
	put(`hermes_code=$?`)
	l.say(put, p, l.end, "$hermes_code")
	return b.String()
}

// say writes a mark wherever output goes.
func (l launch) say(put func(...string), p Proc, nonce, number string) {
	mark := `printf '\036%s %s;' ` + nonce + ` ` + number
	switch {
	case p.Log == "":
		put(mark)
		if p.Stderr != nil {
			put(mark, ` >&3`)
		}
	case nonce == l.begin:
		put(`printf %s `, number, ` >&4`)
		put(`exec 4>&-`)
	default:
		put(`test -d `, shellWord(l.own), ` && printf '%s\n' `, number, ` >`, shellWord(l.own+"/"+l.codeFile()))
	}
}

// splitEnv sorts out the variables that a shell would take for its own or
// cannot hold; the last one of a name counts.
func splitEnv(env []string) (exports, special []string) {
	last := map[string]int{}
	for i, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if ok && name != "" && name != markName {
			last[name] = i
		}
	}
	for i, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		switch {
		case !ok || last[name] != i || name == "" || name == markName:
		case plainName(name) && !shellMeans(name):
			exports = append(exports, kv)
		default:
			special = append(special, kv)
		}
	}
	return exports, special
}

// plainName reports whether a shell can have a variable of that name.
func plainName(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// shellMeans names variables that some shell keeps to itself, computes, checks
// or obeys.
func shellMeans(name string) bool {
	switch name {
	case "_", "PWD", "OLDPWD", "SHLVL", "UID", "EUID", "PPID", "GROUPS", "RANDOM", "SRANDOM", "SECONDS", "LINENO",
		"IFS", "OPTIND", "OPTARG", "OPTERR", "PS4", "POSIXLY_CORRECT", "SHELLOPTS", "HISTCMD", "DIRSTACK", "FUNCNAME",
		"FUNCNEST", "EPOCHSECONDS", "EPOCHREALTIME", "COMP_WORDBREAKS", "EXECIGNORE", "hermes_code":
		return true
	}
	return strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "LC_") || name == "LANG" || name == "LANGUAGE"
}

// checkRemote refuses what cannot be started in any place.
func checkRemote(p Proc) error {
	switch {
	case len(p.Argv) == 0 || !path.IsAbs(p.Argv[0]):
		return errors.New("the program must be an absolute path")
	case !path.IsAbs(p.Dir):
		return errors.New("the directory must be an absolute path")
	case p.TTY != nil && p.Log != "":
		return errors.New("a process has a terminal or a log, not both")
	case p.TTY != nil && p.Stderr != nil:
		return errors.New("a terminal shows errors and output alike: Stderr must be nil")
	case p.TTY != nil && (p.TTY.Rows < 1 || p.TTY.Cols < 1 || p.TTY.Rows > 0xffff || p.TTY.Cols > 0xffff):
		return errors.New("a terminal has 1 to 65535 rows and columns")
	case p.Log != "" && (p.Stdout != nil || p.Stderr != nil):
		return errors.New("what a log takes goes nowhere else: Stdout and Stderr must be nil")
	case p.Log != "" && !path.IsAbs(p.Log):
		return errors.New("the log must be an absolute path")
	}
	for _, list := range [][]string{p.Argv, p.Env, {p.Dir, p.Log}} {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return errors.New("arguments and variables cannot hold a zero byte")
			}
		}
	}
	return nil
}
