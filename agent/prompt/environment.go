package prompt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hermes-tui/agent/event"
)

// environment says where the agent works.
func (b *Builder) environment(ctx context.Context, trusted bool) string {
	w := b.Workspace(ctx, trusted)
	var s strings.Builder
	fmt.Fprintf(&s, "# Environment\n- System: %s/%s, shell %s", b.System.OS, b.System.Arch, b.System.Shell)
	s.WriteString(b.System.place())
	fmt.Fprintf(&s, "\n- Working directory: %s", w.Dir)
	switch {
	case w.Branch == "" && w.Root == w.Dir && !b.inRepository(w.Root):
		s.WriteString("\n- Not a git repository.")
	case w.Root != w.Dir:
		fmt.Fprintf(&s, "\n- Git repository: %s", w.Root)
		fallthrough
	default:
		if w.Branch != "" {
			fmt.Fprintf(&s, "\n- Git branch: %s", w.Branch)
		}
		if trusted {
			s.WriteString(b.gitState(ctx, w))
		}
	}
	return s.String()
}

// place says where commands run and files are, when that is not the user's
// machine as it is.
func (sys System) place() string {
	var s strings.Builder
	if sys.Place != "local" && sys.Place != "" {
		s.WriteString("\n- Place: " + sys.Place)
		if sys.Target != "" {
			s.WriteString(" " + sys.Target)
		}
		if sys.Isolated {
			s.WriteString("; what is done here does not reach the user's machine")
		}
	}
	if sys.Confined {
		s.WriteString("; files can be written only below " + strings.Join(sys.Roots, ", ") +
			", everything else fails with a permission error that no other way gets around")
	}
	if sys.Confines {
		s.WriteString("\n- Commands that are not known to only read run confined, without a question: they write only below " + strings.Join(sys.Roots, ", ") +
			" and in $TMPDIR, cannot read keys and passwords, and reach only hosts that the user allows, who is asked when a host is first connected to. " +
			"Where that is not enough, the user is asked; outside: true asks at once.")
	}
	if sys.Offline {
		s.WriteString("; there is no network")
	}
	return s.String()
}

// Workspace describes the place of work as it is now. In a folder that is not
// trusted only files are looked at; git itself could run programs that the
// folder names.
func (b *Builder) Workspace(ctx context.Context, trusted bool) event.Workspace {
	w := event.Workspace{Dir: b.Dir, Root: b.root(), Trusted: trusted, Place: b.System.Place, Target: b.System.Target, Home: b.System.Home}
	w.Branch = b.branch(w.Root)
	if trusted && w.Branch != "" {
		out, err := b.status(ctx, w.Root, "--porcelain")
		w.Dirty = err == nil && strings.TrimSpace(out) != ""
	}
	return w
}

// root is the top of the repository around Dir, or Dir itself.
func (b *Builder) root() string {
	for dir := b.Dir; ; {
		if b.inRepository(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return b.Dir
		}
		dir = up
	}
}

func (b *Builder) inRepository(dir string) bool {
	if b.Files.IsDir(filepath.Join(dir, ".git")) {
		return true
	}
	head, err := b.Files.Read(filepath.Join(dir, ".git"), 4096) // a worktree
	return err == nil && strings.HasPrefix(string(head), "gitdir: ")
}

// gitDir is where a repository, or one of its worktrees, keeps its state.
func (b *Builder) gitDir(root string) string {
	dir := filepath.Join(root, ".git")
	link, err := b.Files.Read(dir, 4096)
	if err != nil {
		return dir
	}
	target := strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir: "))
	if !filepath.IsAbs(target) {
		target = filepath.Join(root, target)
	}
	return target
}

// branch reads the current branch without running git; empty when there is none.
func (b *Builder) branch(root string) string {
	head, err := b.Files.Read(filepath.Join(b.gitDir(root), "HEAD"), 4096)
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(head))
	if name, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
		return name
	}
	if len(text) >= 12 {
		return text[:12] // detached
	}
	return ""
}

// gitState is what a trusted repository says of itself: changes and recent
// commits.
func (b *Builder) gitState(ctx context.Context, w event.Workspace) string {
	var s strings.Builder
	if out, err := b.status(ctx, w.Root, "--short"); err == nil {
		lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
		switch {
		case out == "":
			s.WriteString("\n- Git status: clean")
		case len(lines) > maxStatusLines:
			fmt.Fprintf(&s, "\n- Git status (%d entries, the first %d):\n%s", len(lines), maxStatusLines, indent(lines[:maxStatusLines]))
		default:
			fmt.Fprintf(&s, "\n- Git status:\n%s", indent(lines))
		}
	}
	if out, err := b.git(ctx, w.Root, "log", "--oneline", "--no-decorate", "-5"); err == nil && out != "" {
		fmt.Fprintf(&s, "\n- Recent commits:\n%s", indent(strings.Split(strings.TrimRight(out, "\n"), "\n")))
	}
	return s.String()
}

const maxStatusLines = 20

func indent(lines []string) string { return "    " + strings.Join(lines, "\n    ") }

// gitTimeout bounds one git command.
const gitTimeout = 2 * time.Second

// git runs git with everything switched off by which the settings of a repository
// could make it run other programs, but for filters; see [Builder.status].
func (b *Builder) git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	argv := append([]string{"git", "--no-optional-locks", "--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "log.showSignature=false",
	}, args...)
	return b.Run(ctx, dir, argv...)
}

// status tells what has changed in a repository. It looks at no files of submodules,
// which have settings of their own, and runs no filters: without them a file that was
// touched may count as changed.
func (b *Builder) status(ctx context.Context, dir string, form ...string) (string, error) {
	args, err := b.withoutFilters(ctx, dir)
	if err != nil {
		return "", err
	}
	return b.git(ctx, dir, append(append(args, "status", "--ignore-submodules=dirty"), form...)...)
}

// withoutFilters are the arguments of git that switch the filters of a repository off.
func (b *Builder) withoutFilters(ctx context.Context, dir string) (args []string, err error) {
	names, err := b.git(ctx, dir, "config", "--name-only", "--get-regexp", `^filter\..*\.(clean|process)$`)
	if strings.Contains(names, "=") {
		return nil, errors.New("ask git for changes: a filter has a name that cannot be given to it")
	}
	if err == nil { // else there are none
		for name := range strings.SplitSeq(strings.TrimSpace(names), "\n") {
			args = append(args, "-c", name+"=", "-c", name[:strings.LastIndexByte(name, '.')]+".required=false")
		}
	}
	return args, nil
}

// Diff is what has changed in the workspace's files, or what is staged, as git says it.
// Nothing that the repository names is run for it.
func (b *Builder) Diff(ctx context.Context, staged bool) (string, error) {
	args, err := b.withoutFilters(ctx, b.Dir)
	if err != nil {
		return "", err
	}
	args = append(args, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty")
	if staged {
		args = append(args, "--cached")
	}
	out, err := b.git(ctx, b.Dir, args...)
	return out, inRepository(err)
}

// Log is what the newest commits say and have changed.
func (b *Builder) Log(ctx context.Context, commits int) (string, error) {
	out, err := b.git(ctx, b.Dir, "log", "--no-color", "--no-decorate", "--no-ext-diff", "--no-textconv", "--patch", "--stat", "-"+strconv.Itoa(commits))
	return out, inRepository(err)
}

func inRepository(err error) error {
	if err != nil {
		return errors.New("git says nothing here: is this folder in a repository, with a commit?")
	}
	return nil
}
