package approval

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/place"
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
// environment holds already. own are the user's settings, as git lists them, which hold
// as ever.
func QuietGit(env []string, own [][2]string) []string {
	count, _ := tools.Variable(env, "GIT_CONFIG_COUNT")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		n = 0
	}
	settings := slices.Clone(quietGit)
	for _, kv := range own {
		key := strings.ToLower(kv[0])
		at := slices.IndexFunc(settings[:len(quietGit)], func(o [2]string) bool { return strings.EqualFold(o[0], key) })
		switch {
		case strings.HasPrefix(key, "credential."):
			settings = append(settings, kv) // a list, behind the empty one that ends what a repository names
		case at >= 0:
			settings[at] = kv
		}
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_COUNT=") })
	for i, kv := range settings {
		at := strconv.Itoa(n + i)
		out = append(out, "GIT_CONFIG_KEY_"+at+"="+kv[0], "GIT_CONFIG_VALUE_"+at+"="+kv[1])
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(n+len(settings)))
}

// gitHooks are the hooks that git runs on a user's side, with the subcommands that do.
var gitHooks = map[string]string{
	"pre-commit": "commit", "prepare-commit-msg": "commit|merge|revert|cherry-pick", "commit-msg": "commit|merge|revert|cherry-pick", "post-commit": "commit|revert|cherry-pick",
	"pre-merge-commit": "merge|pull", "post-merge": "merge|pull", "pre-rebase": "rebase|pull", "post-rewrite": "commit|rebase", "pre-push": "push",
	"post-checkout": "checkout|switch|worktree", "applypatch-msg": "am", "pre-applypatch": "am", "post-applypatch": "am",
}

// gitPrograms is a setting of a repository that names a program, one of those in quietGit.
var gitPrograms = lazyregexp.New(`(?mi)^\s*(fsmonitor|hookspath|sshcommand|pager|askpass|helper)\s*=\s*(.*)$`)

// SkippedByGit tells the model what a command did not run of what the repository in a
// folder names, since the user does not trust the folder; empty for nothing.
func SkippedByGit(at place.FS, root, command string) string {
	if !callsGit(command, strings.Fields("commit merge revert cherry-pick pull rebase push fetch clone checkout switch worktree am status diff log")) {
		return ""
	}
	var skipped []string
	entries, _ := at.ReadDir(path.Join(root, ".git/hooks")) // without them there are none
	for _, e := range entries {
		by, ok := gitHooks[e.Name()]
		info, err := e.Info()
		if ok && err == nil && info.Mode()&0o111 != 0 && callsGit(command, strings.Split(by, "|")) {
			skipped = append(skipped, "the hook "+e.Name())
		}
	}
	config, _ := surroundings{fs: at}.read(path.Join(root, ".git/config"), maxGitConfig)
	for _, m := range gitPrograms.FindAllStringSubmatch(string(config), -1) {
		skipped = append(skipped, oneLine(strings.TrimSpace(m[0])))
	}
	if len(skipped) == 0 {
		return ""
	}
	return fmt.Sprintf("[The user has not said that they trust this folder, so git did not run what its repository names: %s. /trust allows it.]",
		strings.Join(skipped[:min(len(skipped), maxRefusals)], ", "))
}

// callsGit reports whether a text may call git with one of these subcommands.
func callsGit(command string, verbs []string) bool {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()'\"", r) })
	return slices.Contains(words, "git") && slices.ContainsFunc(verbs, func(v string) bool { return slices.Contains(words, v) })
}
