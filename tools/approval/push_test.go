package approval

import (
	"os/exec"
	"slices"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/shellrisk"
)

// TestPublishing holds that commands which publish are asked about and run outside, where
// their keys are. Harmless settings of a repository are made without a question.
func TestPublishing(t *testing.T) {
	s := confining(t)
	s.person.strict = true
	if out, err := exec.Command("git", "init", "-q", "-b", "main", s.dir).CombinedOutput(); err != nil {
		t.Skipf("there is no git here: %v %s", err, out)
	}
	s.programs(t, "git", "gh", "npm", "cargo", "docker", "twine", "hg")
	for _, command := range []string{
		"git push", "git push -u origin HEAD", "git push --force", "git push --tags", "git push --mirror x", "git -C . push", "git send-pack x", "git lfs push origin main",
		"make && git push", "gh pr create --fill", "gh release create v1", "npm publish", "cargo publish", "docker push a/b", "twine upload dist/*", "hg push",
	} {
		s.person.asked = nil
		s.pass(t, s.exec(command), ModeGuarded)
		if len(s.person.asked) != 1 || !slices.ContainsFunc(s.person.asked[0].Reasons, reasonOf(shellrisk.CatPublish)) || !s.person.asked[0].Confinable {
			t.Errorf("%s: asked %+v", command, s.person.asked)
		}
	}
	for command, confined := range map[string]bool{
		"git push --dry-run": true, "cat /proc/self/environ": true, "npx prettier": true, "cargo test": true,
		"git config user.name X": false, "git config --local user.email 'a@b.example'": false, "git remote add up https://x.example/a.git": false,
		"git remote add up git@x.example:a/b.git": false, "git remote add up ../a.git": false,
	} {
		s.person.asked = nil
		if p, d := s.pass(t, s.exec(command), ModeGuarded); d != nil || len(s.person.asked) > 0 || p.p.confined != confined {
			t.Errorf("%s: %v, asked %+v", command, d, s.person.asked)
		}
	}
	for _, command := range []string{
		"git config core.pager ./x", "git config core.hooksPath x", "git config user.name \"$(./x)\"", "git config user.name X > .git/config", "git config user.name X; git config core.pager x",
		"git config remote.origin.url x", "git remote add up ext::sh", "git remote add up \"ext::sh -c x\"", "git remote add -f up https://x.example/a.git", "git remote set-url origin x",
		"git config --global user.name X", "git -c core.pager=x config user.name X", "cat /proc/1/environ", "cat /proc/self/root/proc/1/environ",
	} {
		s.person.asked = nil
		if s.pass(t, s.exec(command), ModeGuarded); len(s.person.asked) != 1 {
			t.Errorf("%s: %d questions", command, len(s.person.asked))
		}
	}
}

func reasonOf(cat shellrisk.Category) func(r tools.Reason) bool {
	return func(r tools.Reason) bool { return r.Category == string(cat) }
}

// A star of a rule does not stand for an option by which a program that only shows things
// writes a file outside.
func TestStarsDoNotWrite(t *testing.T) {
	s := confining(t)
	s.person.strict = true
	s.programs(t, "git", "sort", "cp")
	s.rule(t, "allow terminal(git log *)\nallow terminal(sort *)\nallow terminal(cp *)")
	for command, asked := range map[string]bool{
		"git log -3": false, "git log --output=/srv/x": true, "git log -p --output /srv/x": true, "git log --output=x": false, "sort a": false, "cp a /srv/x": false,
	} {
		s.person.asked = nil
		if s.pass(t, s.exec(command), ModeGuarded); (len(s.person.asked) > 0) != asked {
			t.Errorf("%s: %d questions", command, len(s.person.asked))
		}
	}
}
