package approval

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools"
)

// quietGit are settings of git that keep what a folder brings along from running
// when git is used in it.
var quietGit = [][2]string{
	{"core.fsmonitor", "false"},
	{"core.hooksPath", "/dev/null"},
	{"core.sshCommand", "ssh"},
	{"core.pager", "cat"},
	{"core.askPass", ""},
	{"credential.helper", ""},
	{"protocol.ext.allow", "never"},
}

// QuietGit adds to an environment what keeps git from running what a folder that
// is not trusted brings along in its settings, after the settings that the
// environment holds already.
func QuietGit(env []string) []string {
	count, _ := tools.Variable(env, "GIT_CONFIG_COUNT")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		n = 0
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_COUNT=") })
	for i, kv := range quietGit {
		at := strconv.Itoa(n + i)
		out = append(out, "GIT_CONFIG_KEY_"+at+"="+kv[0], "GIT_CONFIG_VALUE_"+at+"="+kv[1])
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(n+len(quietGit)))
}
