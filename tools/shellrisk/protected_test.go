package shellrisk

import (
	"slices"
	"strings"
	"testing"
)

func TestJudgeWrite(t *testing.T) {
	set := Setting{
		Cwd: "/w/app", Home: "/home/alice", HermesHome: "/home/alice/.hermes",
		Workspace: "/w/app", Scratch: []string{"/tmp/hermes-1"},
	}
	cases := []struct {
		file string
		want Decision
		cat  Category
	}{
		{"/w/app/main.go", Allow, CatNone},
		{"/w/app/a b/é 修复.txt", Allow, CatNone},
		{"/w/app/.github/workflows/ci.yml", Allow, CatNone},
		{"/w/app/.gitignore", Allow, CatNone},
		{"/tmp/hermes-1/x", Allow, CatNone},
		{"/w/app-secrets/x", Ask, CatOutside},
		{"/w/app/../x", Ask, CatOutside},
		{"/w/x", Ask, CatOutside},
		{"/tmp/x", Ask, CatOutside},
		{"/tmp/hermes-10/x", Ask, CatOutside},
		{"/home/alice/notes.txt", Ask, CatOutside},
		{"/w/app/.git/hooks/pre-commit", Ask, CatProjectConfig},
		{"/w/app/.git/config", Ask, CatProjectConfig},
		{"/w/app/.GIT/config", Ask, CatProjectConfig},
		{"/w/app/.g\u200cit/config", Ask, CatObfuscated},
		{"/w/app/sub/.git/modules/x/config", Ask, CatProjectConfig},
		{"/w/app/.git", Ask, CatProjectConfig},
		{"/w/app/.env", Ask, CatProjectConfig},
		{"/w/app/.ENV.local", Ask, CatProjectConfig},
		{"/w/app/.mcp.json", Ask, CatAgentConfig},
		{"/w/app/.herme\u017f/config", Ask, CatAgentConfig},
		{"/w/app/.claude/settings.json", Ask, CatAgentConfig},
		{"/home/alice/.hermes/skills/x/SKILL.md", Ask, CatAgentConfig},
		{"/home/alice/.bashrc", Ask, CatSensitiveFile},
		{"/home/alice/.config/systemd/user/x.service", Ask, CatSensitiveFile},
		{"/usr/local/bin/x", Ask, CatSystemConfig},
		{"/home/alice/.hermes/config.yaml", Blocked, CatProtected},
		{"/home/alice/.hermes/.env", Blocked, CatProtected},
		{"/home/alice/.hermes/auth.json", Blocked, CatProtected},
		{"/home/alice/.hermes/mcp-tokens/x", Blocked, CatProtected},
		{"/home/alice/.ssh/authorized_keys", Blocked, CatProtected},
		{"/home/bob/.ssh/config", Blocked, CatProtected},
		{"/root/.aws/credentials", Blocked, CatProtected},
		{"/home/alice/.netrc", Blocked, CatProtected},
		{"/home/alice/.kube/config", Blocked, CatProtected},
		{"/etc/passwd", Blocked, CatProtected},
		{"/ETC/passwd", Blocked, CatProtected},
		{"/private/etc/hosts", Blocked, CatProtected},
		{"/w/app/../../etc/sudoers.d/x", Blocked, CatProtected},
		{"/boot/grub.cfg", Blocked, CatProtected},
		{"/usr/lib/systemd/system/x", Blocked, CatProtected},
		{"/var/run/docker.sock", Blocked, CatProtected},
		{"/proc/sysrq-trigger", Blocked, CatProtected},
		{"/dev/sda", Blocked, CatRawDisk},
		{"relative", Ask, CatUnparsable},
		{"/w/app/a\x00b", Ask, CatUnparsable},
		{"", Ask, CatUnparsable},
	}
	for _, c := range cases {
		got := JudgeWrite(c.file, set)
		if got.Decision != c.want || got.Category != c.cat {
			t.Errorf("%q: %s %s (it %s), want %s %s", c.file, got.Decision, got.Category, got.Reason, c.want, c.cat)
		}
	}
}

// Everything that file tools of such agents refuse is refused here, or asked
// about, wherever the workspace is; and nothing of it is offered for good.
func TestWriteDenyList(t *testing.T) {
	blocked := []string{
		"/etc/hosts", "/etc/sudoers", "/etc/sudoers.d/x", "/etc/passwd", "/etc/shadow", "/etc/systemd/system/x.service", "/etc/cron.d/x", "/etc/ld.so.preload",
		"/boot/vmlinuz", "/usr/lib/systemd/system/x.service", "/lib/systemd/system/x.service", "/private/etc/hosts", "/var/spool/cron/root",
		"/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/systemd/private", "/proc/1/mem", "/sys/x",
		"~/.ssh/authorized_keys", "~/.ssh/id_rsa", "~/.ssh/config", "~/.aws/credentials", "~/.aws/config", "~/.gnupg/x", "~/.kube/config", "~/.docker/config.json",
		"~/.azure/x", "~/.config/gh/hosts.yml", "~/.config/gcloud/x", "~/.netrc", "~/_netrc", "~/.pgpass", "~/.npmrc", "~/.pypirc", "~/.git-credentials",
		"~/.password-store/x", "~/Library/Keychains/x", "~/.hermes/config.yaml", "~/.hermes/.env", "~/.hermes/auth.json", "~/.hermes/auth.lock",
		"~/.hermes/.anthropic_oauth.json", "~/.hermes/mcp-tokens/x.json", "~/.hermes/pairing/x", "~/.hermes/webhook_subscriptions.json", "~/.hermes/state.db",
		"~/.hermes/state.db-wal", "~/.hermes/cache/x", "~/.hermes/logs/x", "~/.hermes/profiles/work/config.yaml", "~/.hermes/profiles/work/auth.json",
		"/dev/sda", "/dev/nvme0n1p1",
	}
	asked := []string{
		"~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.profile", "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.config/fish/config.fish", "~/.gitconfig",
		"~/.config/git/config", "~/.vimrc", "~/.tmux.conf", "~/.envrc", "~/.local/bin/x", "~/bin/x", "~/.config/autostart/x.desktop",
		"~/.config/systemd/user/x.service", "~/Library/LaunchAgents/x.plist", "~/.claude/settings.json", "~/.claude.json", "~/.codex/config.toml",
		"~/.gemini/x", "~/.cursor/mcp.json", "~/.hermes/SOUL.md", "~/.hermes/skills/x/SKILL.md", "~/.hermes/memories/x.md", "~/.hermes/profiles/work/SOUL.md",
		"/usr/bin/x", "/usr/local/bin/x", "/bin/x", "/opt/x", "/lib/x", "/var/lib/x", "/private/var/db/x", "/dev/ttyS0", "/root/x", "/mnt/x",
	}
	for _, set := range []Setting{
		{Cwd: "/w/app", Home: "/home/alice", HermesHome: "/home/alice/.hermes", Workspace: "/w/app"},
		{Cwd: "/home/alice", Home: "/home/alice", HermesHome: "/home/alice/.hermes/profiles/play", Workspace: "/home/alice"},
	} {
		for want, list := range map[Decision][]string{Blocked: blocked, Ask: asked} {
			for _, file := range list {
				if rest, ok := strings.CutPrefix(file, "~"); ok {
					file = set.Home + rest
				}
				got := JudgeWrite(file, set)
				if got.Decision != want {
					t.Errorf("%s in %s: %s (it %s), want %s", file, set.Workspace, got.Decision, got.Reason, want)
				}
				if got.Category != CatOutside && got.Decision == Ask && !slices.Contains(obeyedReasons, got.Category) {
					t.Errorf("%s: %s may be granted for good", file, got.Category)
				}
			}
		}
	}
}

// Where the file system folds case, another spelling is the same folder.
func TestJudgeWriteFoldsCase(t *testing.T) {
	set := Setting{Home: "/Users/alice", Workspace: "/Users/alice/App", FoldsCase: true}
	if got := JudgeWrite("/users/ALICE/app/x", set); got.Decision != Allow {
		t.Errorf("inside: %+v", got)
	}
	if got := JudgeWrite("/users/alice/.SSH/config", set); got.Decision != Blocked {
		t.Errorf("credentials: %+v", got)
	}
	set.FoldsCase = false
	if got := JudgeWrite("/Users/alice/app/x", set); got.Decision != Ask {
		t.Errorf("another folder: %+v", got)
	}
}

// obeyedReasons are the reasons to ask about a file for which no lasting permission is given.
var obeyedReasons = []Category{CatAgentConfig, CatProjectConfig, CatSensitiveFile, CatSystemConfig}
