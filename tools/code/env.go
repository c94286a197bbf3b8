package code

import (
	"slices"
	"strings"
)

// passed are the beginnings of names of variables that scripts get, and whole
// names of this program's own that hold folders.
var (
	passed = []string{
		"PATH", "HOME", "USER", "LANG", "LC_", "TERM", "TMPDIR", "TMP", "TEMP", "SHELL", "LOGNAME", "XDG_",
		"PYTHONPATH", "VIRTUAL_ENV", "CONDA",
	}
	passedWhole = []string{"HERMES_HOME", "HERMES_PROFILE", "HERMES_CONFIG", "HERMES_ENV"}
	// credentials are parts of names that say credential; they win.
	credentials = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "PASSWD", "AUTH", "DSN", "WEBHOOK"}
	// fixed are variables that every script gets.
	fixed = []string{
		"TERM=dumb", "PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8", "PYTHONDONTWRITEBYTECODE=1", "PAGER=cat", "GIT_TERMINAL_PROMPT=0",
	}
)

// maxVariable bounds one variable in bytes: the system refuses to start a
// program with a longer one.
const maxVariable = 100 << 10

// environment gives what a script gets of an environment, in the order of names.
// Folders in PATH that depend on the working directory are dropped.
func environment(env []string) []string {
	values := map[string]string{}
	for _, kv := range slices.Concat(env, fixed) {
		name, value, ok := strings.Cut(kv, "=")
		if ok && name != "" && len(kv) <= maxVariable && !strings.Contains(kv, "\x00") && (passes(name) || slices.Contains(fixed, kv)) {
			values[name] = value
		}
	}
	dirs := slices.DeleteFunc(strings.Split(values["PATH"], ":"), func(dir string) bool { return !strings.HasPrefix(dir, "/") })
	if len(dirs) == 0 {
		dirs = []string{"/usr/local/bin", "/usr/bin", "/bin"}
	}
	values["PATH"] = strings.Join(dirs, ":")
	out := make([]string, 0, len(values))
	for name, value := range values {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// passes reports whether a script gets a variable.
func passes(name string) bool {
	upper := strings.ToUpper(name)
	if slices.ContainsFunc(credentials, func(part string) bool { return strings.Contains(upper, part) }) {
		return false
	}
	return slices.Contains(passedWhole, name) ||
		slices.ContainsFunc(passed, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// variable gives the value of a variable, empty when there is none.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// withVariable gives a copy of an environment in which one variable is set.
func withVariable(env []string, name, value string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	out = append(out, name+"="+value)
	slices.Sort(out)
	return out
}
