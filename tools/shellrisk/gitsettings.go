package shellrisk

import (
	"path"
	"slices"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// gitSettles asks about what writes the settings of the workspace's own repository, or
// those of the user: for confined processes they are read-only, and git would stop
// half-way or leave them out.
func (c call) gitSettles(verb string, args []arg, global options, shown []string) {
	own, other := c.repos(global)
	if c.j.set.Repo == nil {
		return
	}
	if verb == "config" {
		switch opts, writes := configWrites(args); {
		case !writes || opts.has("-f", "--file"):
			return
		case opts.has("--global"):
			c.writesFile(literalArg(path.Join(c.j.set.Home, ".gitconfig")))
			return
		case opts.has("--system"):
			c.writesFile(literalArg("/etc/gitconfig"))
			return
		}
	} else if !settles(verb, args) {
		return
	}
	if own != "" && other == own {
		c.j.ask(CatProjectConfig, "writes the settings of the repository", shown...)
	}
}

// configWrites gives the options of "git config", and reports whether it sets
// something.
func configWrites(args []arg) (options, bool) {
	opts, operands := grammar{short: "ft", long: "file type default blob comment value"}.parse(args)
	switch {
	case opts.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l", "--list"):
		return opts, false
	case opts.has("--unset", "--unset-all", "--rename-section", "--remove-section", "-e", "--edit"):
		return opts, true
	case len(operands) > 0 && words("set unset rename-section remove-section edit")[operands[0].text]:
		return opts, true
	}
	return opts, len(operands) > 1 && operands[0].text != "get" && operands[0].text != "list"
}

// settlers are the words after a subcommand with which it writes settings.
var settlers = map[string]map[string]bool{
	"remote":          words(`add rename rm remove set-url set-branches`),
	"submodule":       words(`add init deinit set-url set-branch sync absorbgitdirs`),
	"sparse-checkout": words(`init set add reapply disable`),
	"maintenance":     words(`start stop register unregister`),
	"lfs":             words(`install uninstall`),
	"flow":            words(`init`),
}

// settles reports whether a subcommand other than "config", and "push", which is asked about
// anyway, writes settings. Those that
// only remember what a new branch comes from do so only where they are told to: without
// it they do the rest.
func settles(verb string, args []arg) bool {
	opts, operands := grammar{}.parse(args)
	if len(operands) > 0 && settlers[verb][operands[0].text] {
		return true
	}
	switch verb {
	case "fetch", "pull":
		return opts.has("--set-upstream")
	case "branch":
		return opts.has("-u", "--set-upstream-to", "--unset-upstream", "-t", "--track", "-m", "-M", "--move", "-c", "-C", "--copy", "--edit-description")
	case "checkout", "switch":
		return opts.has("-t", "--track")
	case "submodule":
		return opts.has("--init") && slices.ContainsFunc(operands, func(a arg) bool { return a.text == "update" })
	case "init":
		return len(operands) == 0
	}
	return false
}

// follows reports whether the arguments of "git branch" only say what a branch follows.
func follows(args []string) bool {
	_, joined := strings.CutPrefix(args[0], "--set-upstream-to=")
	most := 2
	switch {
	case args[0] == "-u" || args[0] == "--set-upstream-to":
		most = 3
	case !joined && args[0] != "--unset-upstream":
		return false
	}
	return len(args) <= most && !slices.ContainsFunc(args[1:], func(a string) bool { return strings.HasPrefix(a, "-") })
}

// gitFolder judges the folder that a worktree or a clone is made in.
func (c call) gitFolder(verb string, args []arg) {
	if c.j.set.Repo == nil {
		return
	}
	switch verb {
	case "worktree":
		if _, operands := (grammar{short: "bB", long: "reason"}).parse(args); len(operands) > 1 && operands[0].text == "add" {
			c.writesFile(operands[1])
		}
	case "clone":
		g := grammar{short: "cuobj", long: "config upload-pack template origin branch depth reference jobs filter separate-git-dir shallow-since shallow-exclude server-option"}
		if _, operands := g.parse(args); len(operands) > 1 {
			c.writesFile(operands[1])
		}
	}
}

// harmlessSettings are settings of a repository that name no program, and nowhere that
// commits go to.
var harmlessSettings = lazyregexp.New(`(?i)^(user\.(name|email)|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.prune|merge\.(ff|conflictstyle)|` +
	`rebase\.(autostash|autosquash)|rerere\.enabled|diff\.(algorithm|renames|colormoved)|core\.(autocrlf|eol|filemode|ignorecase|quotepath|precomposeunicode)|` +
	`color\.[a-z.]+|advice\.[a-z]+|status\.[a-z]+|log\.(date|decorate)|branch\.[^:]+\.description)$`)

// plainCommand is a command without anything that a shell would replace, redirect or join, and
// plainRemote where a remote may lead that runs no program.
var (
	plainCommand = lazyregexp.New(`^[A-Za-z0-9@%+=:,./_ "'-]+$`)
	plainRemote  = lazyregexp.New(`^((https?|ssh|git)://[^:/][^:]*(:\d+)?[^:]*|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^:]+|\.{0,2}/[^:]*)$`)
)

// OnlySettles reports whether the command is nothing but one call of git, by that name, that
// sets a harmless setting of the repository it is in, adds a remote to it, or says what a
// branch of it follows.
func (s *Survey) OnlySettles(command string) bool {
	if s == nil || s.dark || s.loose || len(s.calls) != 1 || !plainCommand.MatchString(command) || !s.calls[0].literal() {
		return false
	}
	var w []string
	for _, a := range s.calls[0].words {
		w = append(w, a.text)
	}
	if len(w) < 2 || w[0] != "git" {
		return false
	}
	if w[1] == "config" && len(w) > 2 && w[2] == "--local" {
		w = slices.Delete(w, 2, 3)
	}
	switch {
	case len(w) == 4 && w[1] == "config":
		return harmlessSettings.MatchString(w[2]) && !strings.HasPrefix(w[3], "-")
	case len(w) == 5 && w[1] == "remote" && w[2] == "add":
		return !strings.HasPrefix(w[3], "-") && plainRemote.MatchString(w[4])
	case len(w) > 2 && w[1] == "branch":
		return follows(w[2:])
	}
	return false
}
