package place

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// TestGuardedProject works in a repository and in a linked worktree of it, as the
// program arranges them: git commits, what runs later stays as it is, keys cannot be
// read.
func TestGuardedProject(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	base := tempDir(t)
	home, repo, tree := filepath.Join(base, "home"), filepath.Join(base, "repo"), filepath.Join(base, "tree")
	for _, dir := range []string{home + "/.ssh", home + "/.aws", repo + "/.vscode"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".ssh/id_rsa", ".aws/credentials", ".netrc"} {
		write(t, filepath.Join(home, name), "secret")
	}
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = a\n\temail = a@example.com\n")
	for _, args := range [][]string{
		{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "one"}, {"worktree", "add", "-q", tree},
	} {
		c := exec.Command(git, args...)
		c.Dir, c.Env = repo, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write(t, filepath.Join(repo, "AGENTS.md"), "kept")
	write(t, filepath.Join(repo, ".env"), "kept")
	for _, root := range []string{repo, tree} {
		roots, readOnly := []string{root}, tools.ProtectedPaths(root)
		if store, protected := tools.GitStore(root); store != "" {
			roots, readOnly = append(roots, store), append(readOnly, protected...)
		}
		g, _ := newGuarded(t, GuardedOptions{Roots: roots, ReadOnly: readOnly, Hidden: tools.HiddenPaths(home, "", nil)})
		if !g.box.system.mounts {
			t.Skip("SKIPPED: no mount namespaces here")
		}
		sh := func(script string) (string, int) {
			out, exit := g.run(t, root, "export HOME="+home+"; "+script, &Confine{})
			return out, exit.Code
		}
		if out, code := sh("echo x > new.txt && git add new.txt && git commit -q -m two && git log --oneline"); code != 0 || !strings.Contains(out, "two") {
			t.Errorf("%s: a commit: %d, %s", root, code, out)
		}
		if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil {
			t.Fatalf("%s: after a command: %v", root, err)
		}
		common := filepath.Join(repo, ".git")
		for _, script := range []string{
			"echo x > " + common + "/hooks/pre-commit", "git config core.fsmonitor ./x", "echo x >> " + common + "/config", "mv " + common + "/hooks h",
			"cat ~/.ssh/id_rsa", "test -s ~/.aws/credentials || cat ~/.aws/credentials /none", "test -s ~/.netrc || cat ~/.netrc /none",
			"cp -r ~/.ssh . && cat .ssh/id_rsa",
		} {
			if out, code := sh(script); code == 0 || strings.Contains(out, "secret") {
				t.Errorf("%s: %s: %d, %s", root, script, code, out)
			}
		}
		for _, name := range []string{"AGENTS.md", ".env", ".vscode/tasks.json"} {
			if root != repo {
				break
			}
			if out, code := sh("echo x > " + name); code == 0 {
				t.Errorf("%s was changed: %s", name, out)
			}
		}
	}
	for _, name := range []string{".git/hooks/pre-commit", ".vscode/tasks.json"} {
		if _, err := os.Stat(filepath.Join(repo, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	if read(t, filepath.Join(repo, "AGENTS.md")) != "kept" || read(t, filepath.Join(repo, ".env")) != "kept" {
		t.Error("a protected file was changed")
	}
}
