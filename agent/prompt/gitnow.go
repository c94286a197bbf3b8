package prompt

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"hermes-tui/tools"
)

// underWay are the files and folders of a repository by which git knows that it is
// in the middle of something.
var underWay = []struct{ name, what string }{
	{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase"}, {"MERGE_HEAD", "a merge"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"BISECT_LOG", "a bisect"},
}

// longestBranch is how much of the name of a branch is told, in characters.
const longestBranch = 120

// Git says in one line where the repository around the working directory stands:
// branch, changes by their number, what a remote lacks and has, what is in progress.
// It is empty where there is none, or where git could not say. In a folder that is not
// trusted only files are looked at.
func (b *Builder) Git(ctx context.Context, trusted bool) string {
	root := b.root()
	head := b.branch(root)
	if head == "" {
		return ""
	}
	var said []string
	if trusted {
		out, err := b.status(ctx, root, "--porcelain=v2", "--branch")
		if err != nil {
			return ""
		}
		said = changesOf(out)
	} else {
		said = []string{"branch " + tools.Quote(head, longestBranch)}
	}
	for _, u := range underWay {
		if at := filepath.Join(b.gitDir(root), u.name); b.Files.IsDir(at) || b.isFile(at) {
			said = append(said, u.what+" is in progress")
			break
		}
	}
	return strings.Join(said, ", ")
}

func (b *Builder) isFile(name string) bool {
	_, err := b.Files.Read(name, 1)
	return err == nil
}

// changesOf reads what git says in its porcelain format, version 2.
func changesOf(out string) []string {
	var branch, upstream, ahead, behind, commit string
	var staged, changed, conflicts, untracked int
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "#":
			key, value, _ := strings.Cut(rest, " ")
			switch key {
			case "branch.oid":
				commit = value
			case "branch.head":
				branch = value
			case "branch.upstream":
				upstream = value
			case "branch.ab":
				ahead, behind, _ = strings.Cut(value, " ")
			}
		case "1", "2":
			if len(rest) > 1 && rest[0] != '.' {
				staged++
			}
			if len(rest) > 1 && rest[1] != '.' {
				changed++
			}
		case "u":
			conflicts++
		case "?":
			untracked++
		}
	}
	said := []string{"branch " + tools.Quote(branch, longestBranch)}
	if branch == "(detached)" {
		said = []string{"no branch, at commit " + tools.Quote(commit, 12)}
	}
	if ahead, behind = strings.TrimPrefix(ahead, "+"), strings.TrimPrefix(behind, "-"); upstream != "" && ahead != "" && ahead+behind != "00" {
		said[0] += fmt.Sprintf(" (%s ahead of and %s behind %s)", ahead, behind, tools.Quote(upstream, longestBranch))
	}
	more := ""
	if !strings.HasSuffix(out, "\n") { // the rest is cut off
		more = " or more"
	}
	before := len(said)
	for _, n := range []struct {
		of   int
		what string
	}{{staged, "staged"}, {changed, "changed"}, {conflicts, "in conflict"}, {untracked, "untracked"}} {
		if n.of > 0 {
			said = append(said, fmt.Sprintf("%d%s %s", n.of, more, n.what))
		}
	}
	if len(said) == before {
		said = append(said, "nothing changed")
	}
	return said
}
