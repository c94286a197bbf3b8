package shell

import (
	"path/filepath"
	"strings"
)

// quote makes one word of a text for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// isBash reports whether a program is bash, which can list its variables itself.
func isBash(shell string) bool { return filepath.Base(shell) == "bash" }

// shellArgv is a shell that runs the code which follows, and reads no start-up
// files of its own.
func shellArgv(shell string) []string {
	if isBash(shell) {
		return []string{shell, "--norc", "--noprofile", "-c"}
	}
	return []string{shell, "-c"}
}

// endOfState ends a complete state file.
const endOfState = "END"

// dumpState is shell code that writes the directory and the exported variables
// to a file, a word of the shell, each ended by a NUL. It works whatever options, separators,
// functions and aliases the command has set, and in bash it notes the exit code
// it found.
func dumpState(shell, file string) string {
	if !isBash(shell) {
		return `{ printf '%s\0' "$(pwd)"; env -0; printf '` + endOfState + `\0'; } 2>/dev/null >|` + file
	}
	return `{ __hermes_status=$?; \builtin set +evux; IFS=$' \t\n'; \builtin printf '%s\0' "$(\builtin pwd)"; ` +
		`for __hermes_name in $(\builtin compgen -e); do ` +
		`\builtin printf '%s=%s\0' "$__hermes_name" "${!__hermes_name}"; done; ` +
		`\builtin printf '` + endOfState + `\0'; } 2>/dev/null >|` + file
}

// source is where a command gets the functions and aliases of the user from; zero
// is nowhere.
type source int

const (
	// fromInput: over the input, where nothing that ran before can change them.
	fromInput source = iota + 1
	// fromFile: from a file, written just before, of a command whose input is its
	// own.
	fromFile
)

// wrapping says how a command is wrapped.
type wrapping struct {
	shell     string
	functions source
	file      string // holds the functions (fromFile)
	state     string // takes directory and variables in the end; empty: nothing does
	// shared takes them where state cannot be written, as by a confined command; empty:
	// nothing does.
	shared string
	sudo   bool // sudo asks for its password by the program in SUDO_ASKPASS
}

// script wraps a command: functions and aliases of the user first, then the
// command as it was given, and at the end, however it comes about, the state is
// written. It is one line, so that line numbers in messages are the command's own.
func (w wrapping) script(command string) string {
	const empty = "umask 077; : >|" // for one user, and not what the command makes
	begin, trap, state := "", "", quote(w.state)
	switch {
	case w.state != "" && w.shared != "":
		state = `"$__hermes_state"`
		begin = "__hermes_state=" + quote(w.state) + `; (` + empty + `"$__hermes_state") 2>/dev/null || { __hermes_state=` + quote(w.shared) +
			`; (` + empty + `"$__hermes_state"); }; `
	case w.state != "":
		begin = "(" + empty + state + "); "
	}
	if !isBash(w.shell) {
		if w.state != "" {
			trap = "trap " + quote(dumpState(w.shell, state)) + " EXIT; "
		}
		if w.sudo {
			begin += `sudo() { command sudo -A "$@"; }; `
		}
		return begin + trap + "set --; eval " + quote(command)
	}
	if w.state != "" {
		trap = `\builtin trap ` + quote(dumpState(w.shell, state)+`; \builtin exit "$__hermes_status"`) + " EXIT; "
	}
	return begin + "shopt -s expand_aliases; " + w.load() + trap + `\builtin set --; \builtin eval ` + quote(command)
}

// functionsVariable names the file of functions where it is another one than usual. No
// command can set it for a later one.
const functionsVariable = "__hermes_functions"

// load is bash code that makes functions and aliases known. A function named
// sudo of the user's own stays.
func (w wrapping) load() string {
	code := ""
	switch w.functions {
	case fromInput:
		code = `\builtin eval "$(</dev/stdin)" 2>/dev/null; exec </dev/null; `
	case fromFile:
		code = `[ "${` + functionsVariable + `-}" ] || ` + functionsVariable + `=` + quote(w.file) + `; { \builtin eval "$(<"$` + functionsVariable + `")"; } 2>/dev/null; unset ` + functionsVariable + `; `
	}
	if w.sudo {
		code += `\builtin declare -F sudo >/dev/null || function sudo { \builtin command sudo -A "$@"; }; `
	}
	return code
}

// startupScript reads start-up files and writes what they leave: functions and
// aliases to one file, the state to another. A file that fails, or ends the
// shell, does not keep the rest from being written.
func startupScript(shell string, files []string, library, state string) string {
	end := dumpState(shell, quote(state))
	if library != "" && isBash(shell) {
		end = `{ \builtin set +evux; \builtin alias -p; \builtin declare -f; } 2>/dev/null >|` + quote(library) + "; " + end
	}
	var b strings.Builder
	b.WriteString("trap " + quote("umask 077; "+end) + " EXIT; ")
	for _, f := range files {
		b.WriteString("if [ -r " + quote(f) + " ]; then . " + quote(f) + "; fi; ")
	}
	b.WriteString("exit 0")
	return b.String()
}
