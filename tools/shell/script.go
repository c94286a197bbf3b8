package shell

import (
	"path/filepath"
	"strings"
)

// quote makes one word of a text for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// isBash tells whether a program is bash, which can list its variables itself.
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
// to a file, each ended by a NUL. It works whatever options, separators,
// functions and aliases the command has set, and in bash it notes the exit code
// it found.
func dumpState(shell, file string) string {
	if !isBash(shell) {
		return `{ printf '%s\0' "$(pwd)"; env -0; printf '` + endOfState + `\0'; } 2>/dev/null >|` + quote(file)
	}
	return `{ __hermes_status=$?; \builtin set +evux; IFS=$' \t\n'; \builtin printf '%s\0' "$(\builtin pwd)"; ` +
		`for __hermes_name in $(\builtin compgen -e); do ` +
		`\builtin printf '%s=%s\0' "$__hermes_name" "${!__hermes_name}"; done; ` +
		`\builtin printf '` + endOfState + `\0'; } 2>/dev/null >|` + quote(file)
}

// script wraps a command: functions and aliases of the person first, which come
// over the input, where nothing that ran before can change them; then the command
// as it was given, without input; and at the end, however it comes about, the
// state is written. It is one line, so that line numbers in messages are the
// command's own.
func script(shell string, library bool, state, command string) string {
	if !isBash(shell) {
		return ": >|" + quote(state) + "; trap " + quote(dumpState(shell, state)) + " EXIT; set --; eval " + quote(command)
	}
	load := ""
	if library {
		load = `\builtin eval "$(</dev/stdin)" 2>/dev/null; exec </dev/null; `
	}
	end := dumpState(shell, state) + `; \builtin exit "$__hermes_status"`
	return ": >|" + quote(state) + "; shopt -s expand_aliases; " + load +
		`\builtin trap ` + quote(end) + ` EXIT; \builtin set --; \builtin eval ` + quote(command)
}

// startupScript reads start-up files and writes what they leave: functions and
// aliases to one file, the state to another. A file that fails, or ends the
// shell, does not keep the rest from being written.
func startupScript(shell string, files []string, library, state string) string {
	end := dumpState(shell, state)
	if library != "" && isBash(shell) {
		end = `{ \builtin set +evux; \builtin alias -p; \builtin declare -f; } 2>/dev/null >|` + quote(library) + "; " + end
	}
	var b strings.Builder
	b.WriteString("trap " + quote(end) + " EXIT; ")
	for _, f := range files {
		b.WriteString("if [ -r " + quote(f) + " ]; then . " + quote(f) + "; fi; ")
	}
	b.WriteString("exit 0")
	return b.String()
}
