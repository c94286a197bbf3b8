package approval

import "testing"

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
