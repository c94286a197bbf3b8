package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSecretsByName(t *testing.T) {
	env := map[string]string{
		"AWS_SHARED_CREDENTIALS_FILE": "/srv/keys/aws", "KUBECONFIG": "/srv/k1:/srv/k2", "CARGO_HOME": "/srv/cargo",
		"XDG_CONFIG_HOME": "/srv/config", "GNUPGHOME": "relative",
	}
	s := NewSecrets([]string{"/home/alice"}, []string{"/home/alice/.hermes/profiles/work"}, func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})
	secret := strings.Fields(`/home/alice/.ssh /home/alice/.ssh/id_ed25519 /home/alice/.ssh/work/key /home/alice/.SSH/ID_RSA
		/home/alice/.aws/credentials /home/alice/.netrc /home/alice/.npmrc /home/bob/.pgpass /root/.kube/config /Users/eve/.netrc
		/home/alice/Library/Keychains/login.keychain-db /home/alice/.config/google-chrome/Default/Cookies
		/home/alice/.mozilla/firefox/x.default/logins.json /etc/shadow /private/etc/master.passwd /srv/keys/aws /srv/k1 /srv/k2
		/srv/cargo/credentials.toml /srv/config/gh/hosts.yml /home/alice/.hermes/auth.json /home/alice/.hermes/profiles/work/.env
		/home/alice/.hermes/profiles/other/mcp-tokens/a.json /home/alice/.hermes/snapshots/x.pack
		/home/alice/project/.env /home/alice/project/.env.production /home/alice/project/sub/.envrc /work/.ENV`)
	for _, file := range secret {
		if s.Holds(file) == "" {
			t.Errorf("%s is not taken for a secret", file)
		}
	}
	open := strings.Fields(`/home/alice/.ssh/config /home/alice/.ssh/known_hosts /home/alice/.ssh/id_rsa.pub /home/alice/.bash_history
		/home/alice/.gitconfig /home/alice/project/main.go /home/alice/project/.ssh-notes /home/alice/.awsome /home/alice
		/home/alice/.hermes/config.yaml /home/alice/.hermes/skills/a/SKILL.md /home/alice/.hermes/cache/results/c/1.txt
		/home/alice/project/.env.example /home/alice/project/.env.local.sample /srv/cargo/bin/cargo /etc/passwd /relative
		/work/.netrc /home/alice/.config/ghost/hosts.yml /home/alice/.cargo/bin/cargo`)
	for _, file := range open {
		if why := s.Holds(file); why != "" {
			t.Errorf("%s is taken for a secret: it %s", file, why)
		}
	}
	if why := s.Keys("/home/alice/project/.env"); why != "" {
		t.Errorf("the environment file of a project counts as a key: %s", why)
	}
}

func TestHiddenPaths(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".npmrc", "registry=https://registry.example/\n//registry.example/:_authToken=abc\n")
	write(".pip/pip.conf", "[global]\nindex-url = https://pypi.example/simple\n")
	write(".config/pip/pip.conf", "[global]\nindex-url = https://me:pw@pypi.example/simple\n")
	write(".aws/config", "[default]\nregion = eu-west-1\n")
	agent := filepath.Join(home, "agent")
	kube := filepath.Join(home, "k.yaml")
	got := HiddenPaths(home, agent, []string{"KUBECONFIG=" + kube, "GNUPGHOME=" + filepath.Dir(home), "XDG_CONFIG_HOME=" + home + "/xdg"})
	for _, name := range []string{
		".ssh", ".aws/credentials", ".npmrc", ".config/pip/pip.conf", ".hermes", "agent", "k.yaml", "xdg/gh/hosts.yml",
		".config/BraveSoftware", "Library/Application Support/Google/Chrome",
	} {
		if !slices.Contains(got, filepath.Join(home, name)) {
			t.Errorf("%s is not hidden", name)
		}
	}
	for _, name := range []string{".pip/pip.conf", ".aws/config", "", ".."} {
		if slices.Contains(got, filepath.Join(home, name)) {
			t.Errorf("%q is hidden", name)
		}
	}
	for _, file := range got {
		if Within(home, file) {
			t.Errorf("%s is hidden, and home with it", file)
		}
	}
	if own, err := os.UserHomeDir(); err == nil && own != "" && slices.Contains(HiddenPaths(own, "", os.Environ()), own) {
		t.Error("the user's own home is hidden")
	}
}

func TestProtectedPaths(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".git/modules/lib/sub/info", ".git/worktrees/other", ".Vscode"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{".git/HEAD", ".git/modules/lib/sub/HEAD", "agents.md", ".env.production", ".env.example", "main.go"} {
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := ProtectedPaths(root)
	for _, name := range []string{
		".git/hooks", ".git/config", "AGENTS.md", "agents.md", ".env", ".env.production", ".Vscode", ".vscode", ".mcp.json",
		".git/modules/lib/sub/hooks", ".git/modules/lib/sub/config", ".git/worktrees/other/config.worktree", ".github/copilot-instructions.md",
	} {
		if !slices.Contains(got, filepath.Join(root, name)) {
			t.Errorf("%s is not protected", name)
		}
	}
	for _, name := range []string{"", ".git", ".git/HEAD", ".git/index", ".git/refs", ".env.example", "main.go", ".github", ".zed"} {
		if slices.Contains(got, filepath.Join(root, name)) {
			t.Errorf("%q is protected, so that no work is possible", name)
		}
	}
}

// TestGitStore makes a real worktree, and one that lies about where it belongs.
func TestGitStore(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	base := t.TempDir()
	repo, tree, liar := filepath.Join(base, "repo"), filepath.Join(base, "tree"), filepath.Join(base, "liar")
	run := func(args ...string) {
		t.Helper()
		c := exec.Command(git, args...)
		c.Env = []string{
			"HOME=" + base, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", repo)
	run("-C", repo, "commit", "-q", "--allow-empty", "-m", "one")
	run("-C", repo, "worktree", "add", "-q", tree)
	store, protected := GitStore(tree)
	if want := filepath.Join(realPath(repo), ".git"); realPath(store) != want {
		t.Fatalf("store is %q, not %q", store, want)
	}
	for _, name := range []string{"hooks", "config", "worktrees/tree/commondir"} {
		if !slices.Contains(protected, filepath.Join(store, name)) {
			t.Errorf("%s of the store is not protected: %v", name, protected)
		}
	}
	if store, _ := GitStore(repo); store != "" {
		t.Errorf("an ordinary repository has the store %q elsewhere", store)
	}
	if err := os.Mkdir(liar, 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(tree, ".git"))
	if err == nil {
		err = os.WriteFile(filepath.Join(liar, ".git"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if store, _ := GitStore(liar); store != "" {
		t.Errorf("a folder that no repository names as its worktree has the store %q", store)
	}
}
