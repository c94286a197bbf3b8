package tools

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Obeyed says by whom a file of a project is obeyed, without anyone having asked
// for it just then.
type Obeyed string

// Those who obey files.
const (
	ObeyedByNoOne   Obeyed = ""
	ObeyedByGit     Obeyed = "git"     // programs to run, where the repository is, what it holds
	ObeyedByEditors Obeyed = "editors" // and by hooks, which run programs by themselves
	ObeyedByAgents  Obeyed = "agents"
	// ObeyedAsEnvironment are files with the project's secrets and settings.
	ObeyedAsEnvironment Obeyed = "environment"
)

// These are folders and files that are obeyed in any folder of a project. Not
// among them is what does something only when its program is called for, and what
// is read before it is merged: Makefile, package.json, .pre-commit-config.yaml,
// workflows of a forge. A list that is too wide keeps builds from working.
var (
	agentFolders   = set(names(`.hermes .claude .codex .cursor .gemini .windsurf`))
	agentFiles     = set(names(`agents.md claude.md gemini.md hermes.md .hermes.md .cursorrules .windsurfrules .clinerules .mcp.json`))
	startedFolders = set(names(`.vscode .idea .devcontainer .husky`))
)

// ObeyedFile says by whom a file of a project is obeyed. The elements are those of
// its path, folded by [FoldName]; the path may be absolute.
func ObeyedFile(elems []string) Obeyed {
	if len(elems) == 0 {
		return ObeyedByNoOne
	}
	for i, name := range elems[:len(elems)-1] {
		next := elems[i+1]
		switch {
		case name == ".git" || name == "git~1":
			return ObeyedByGit
		case startedFolders[name] || name == ".zed" && next == "settings.json":
			return ObeyedByEditors
		case agentFolders[name] || name == ".github" && next == "copilot-instructions.md":
			return ObeyedByAgents
		}
	}
	switch last := elems[len(elems)-1]; {
	case EnvironmentFile(last):
		return ObeyedAsEnvironment
	case last == ".git" || last == "git~1":
		return ObeyedByGit
	case agentFiles[last]:
		return ObeyedByAgents
	}
	return ObeyedByNoOne
}

// protectedNames are the paths of a workspace that confined programs must not
// change, as they are written where they do not exist yet. Of .git only what makes
// it run programs is among them: git itself writes the rest.
var protectedNames = strings.Fields(`.git/hooks .git/config .git/config.worktree .git/info/attributes .git/commondir
	.hermes .claude .codex .cursor .gemini .windsurf .mcp.json AGENTS.md agents.md CLAUDE.md claude.md GEMINI.md HERMES.md hermes.md .hermes.md .cursorrules
	.windsurfrules .clinerules .github/copilot-instructions.md .vscode .idea .devcontainer .husky .zed/settings.json
	.env .envrc`)

// ProtectedPaths are the paths of a workspace that confined programs must not
// change: what runs later and outside the confinement, and what agents and editors
// obey. Those in other spellings of their names are found if they exist, and so are
// the modules of a repository and its worktrees; the others need not exist. Files of
// these names in folders of the workspace are not searched for.
func ProtectedPaths(root string) []string {
	var list []string
	for _, name := range protectedNames {
		list = append(list, filepath.Join(root, filepath.FromSlash(name)))
	}
	for _, dir := range gitFolders(filepath.Join(root, ".git")) {
		list = append(list, gitSettings(dir)...)
	}
	for _, e := range entries(root) {
		by := ObeyedFile([]string{FoldName(e.Name())})
		if folder := ObeyedFile([]string{FoldName(e.Name()), ""}); e.IsDir() && folder != ObeyedByGit {
			by = folder
		}
		// A folder .git is written by git; a file of that name says where the repository is.
		if by != ObeyedByNoOne && (by != ObeyedByGit || !e.IsDir()) {
			list = append(list, filepath.Join(root, e.Name()))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// GitStore is the folder in which git keeps the commits of a linked worktree, which
// lies outside of it, and what of that confined programs must not change; empty
// where root is none. The worktree's own word is not believed: the folder must name
// the worktree as well.
func GitStore(root string) (store string, protected []string) {
	own, ok := strings.CutPrefix(line(filepath.Join(root, ".git")), "gitdir: ")
	if !ok || !filepath.IsAbs(own) {
		return "", nil
	}
	own = filepath.Clean(own)
	store = filepath.Dir(filepath.Dir(own))
	back := line(filepath.Join(own, "gitdir"))
	if filepath.Base(filepath.Dir(own)) != "worktrees" || line(filepath.Join(own, "commondir")) != "../.." ||
		!filepath.IsAbs(back) || realPath(back) != filepath.Join(realPath(root), ".git") {
		return "", nil
	}
	protected = append(gitSettings(store), filepath.Join(own, "commondir"), filepath.Join(own, "gitdir"))
	for _, dir := range gitFolders(store) {
		protected = append(protected, gitSettings(dir)...)
	}
	return store, protected
}

// gitSettings are the files in a folder of git's that make it run programs.
func gitSettings(dir string) []string {
	var list []string
	for _, name := range []string{"hooks", "config", "config.worktree", "info/attributes"} {
		list = append(list, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return list
}

// line is the text of a small file without the end of its line, empty for another.
func line(file string) string {
	st, err := os.Lstat(file)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 8<<10 {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

// gitFolders are the folders with settings of their own in a repository: of its
// worktrees and, at any depth of their names, its modules.
func gitFolders(git string) []string {
	var list []string
	for _, e := range entries(filepath.Join(git, "worktrees")) {
		list = append(list, filepath.Join(git, "worktrees", e.Name()))
	}
	var below func(dir string, depth int)
	below = func(dir string, depth int) {
		for _, e := range entries(dir) {
			at := filepath.Join(dir, e.Name())
			if _, err := os.Lstat(filepath.Join(at, "HEAD")); err == nil {
				list = append(append(list, at), gitFolders(at)...)
			} else if e.IsDir() && depth > 0 {
				below(at, depth-1)
			}
		}
	}
	below(filepath.Join(git, "modules"), 4)
	return list
}

// entries lists a folder; one that cannot be read has none.
func entries(dir string) []os.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return list
}
