package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestHarmlessNew(t *testing.T) {
	dir := t.TempDir()
	config, hooks := filepath.Join(dir, ".git", "config"), filepath.Join(dir, ".git", "hooks")
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	plain := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n# x\n[remote \"origin\"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n"
	for text, want := range map[string]bool{
		plain: true, "": true,
		plain + "[core]\n\tfsmonitor = touch x\n": false,
		"[core]\n\thooksPath = x\n":               false,
		"[core] fsmonitor = x\n":                  false,
		"[core]\n\tfilemode = a\\\n":              false,
		"[include]\n\tpath = x\n":                 false,
		"[remote \"x\"]\n\turl = ext::sh -c x\n":  false,
		"[remote \"x\"]\n\tuploadpack = x\n":      false,
		"[alias]\n\tst = !x\n":                    false,
		"[filter \"x\"]\n\tclean = x\n":           false,
		"bare\n":                                  false,
	} {
		if put(config, text); HarmlessNew(config) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	put(filepath.Join(hooks, "post-commit.sample"), "x")
	if !HarmlessNew(hooks) {
		t.Error("samples of hooks")
	}
	put(filepath.Join(hooks, "post-commit"), "x")
	for _, name := range []string{hooks, filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, "config"), filepath.Join(dir, "hooks")} {
		if HarmlessNew(name) {
			t.Errorf("%s", name)
		}
	}
	if err := os.Symlink(filepath.Join(dir, ".git"), filepath.Join(dir, "way")); err != nil {
		t.Fatal(err)
	}
	if HarmlessNew(filepath.Join(dir, "way", "config")) {
		t.Error("a link")
	}
}

func TestHarmlessNewRepository(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: no git")
	}
	dir := t.TempDir()
	if out, err := exec.Command(git, "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	for _, name := range []string{"config", "hooks"} {
		if !HarmlessNew(filepath.Join(dir, ".git", name)) {
			t.Errorf("%s of a new repository", name)
		}
	}
}
