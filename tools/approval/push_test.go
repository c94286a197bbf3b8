package approval

import (
	"os/exec"
	"slices"
	"strings"
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
		t.Skipf("SKIPPED: there is no git here: %v %s", err, out)
	}
	s.programs(t, "git", "gh", "npm", "cargo", "docker", "twine", "hg", "yarn", "pnpm", "bun", "poetry", "uv", "hatch", "flit", "pdm", "gem", "bundle", "rake", "helm", "podman",
		"buildah", "nerdctl", "lerna", "npx", "python3", "composer", "ko", "mvn", "gradle", "sbt", "deno", "jj", "conda", "cosign", "changeset", "semantic-release", "vsce", "glab", "mix", "dart", "flutter", "dotnet", "terraform")
	for _, command := range []string{
		"git push", "git push -u origin HEAD", "git push --force", "git push --tags", "git push --mirror x", "git -C . push", "git send-pack x", "git lfs push origin main",
		"make && git push", "gh pr create --fill", "gh release create v1", "npm publish", "cargo publish", "docker push a/b", "twine upload dist/*", "hg push",
		"docker buildx build --push -t a/b .", "docker buildx bake --push", "docker build --push -t a/b .", "docker image push a/b", "docker buildx build --output=type=registry -t a/b .", "docker buildx build -o type=image,name=a/b,push=true .",
		"docker compose push", "docker manifest push a/b", "docker compose build --push", "podman push a/b", "podman manifest push a/b", "buildah push a/b", "nerdctl push a/b", "skopeo copy a b",
		"yarn publish", "yarn npm publish", "yarn workspaces foreach -A npm publish", "pnpm publish -r", "pnpm -r publish", "npm unpublish a", "npm dist-tag add a@1 next", "npm deprecate a x", "npm --workspace a publish", "npx lerna publish", "npx semantic-release", "bun publish",
		"deno publish", "cargo yank --version 1", "cargo +nightly publish", "cargo owner --add a", "poetry publish --build", "uv publish", "hatch publish", "flit publish", "pdm publish", "python3 -m twine upload dist/*", "python3 -m flit publish",
		"gem push a.gem", "gem yank a", "bundle exec rake release", "rake release", "helm push a.tgz oci://x", "helm cm-push a x", "gh release upload v1 a", "glab release create v1", "mvn deploy", "gradle publish", "./gradlew publish", "sbt publish",
		"jj git push", "mix hex.publish", "dart pub publish", "flutter pub publish", "dotnet nuget push a", "ko build ./a", "vsce publish", "git subtree push --prefix a origin main", "git p4 submit", "git svn dcommit",
	} {
		s.person.asked = nil
		s.pass(t, s.exec(command), ModeGuarded)
		if len(s.person.asked) != 1 || !slices.ContainsFunc(s.person.asked[0].Reasons, reasonOf(shellrisk.CatPublish)) || !s.person.asked[0].Confinable {
			t.Errorf("%s: asked %+v", command, s.person.asked)
		}
	}
	for command, confined := range map[string]bool{
		"git push --dry-run": true, "cat /proc/self/environ": true, "npx prettier": true, "cargo test": true,
		"docker buildx build --push=false -t a .": true, "docker build -t a .": true, "yarn npm info a": true, "npm dist-tag ls a": true, "gradle build": true, "gradle publishToMavenLocal": true, "rake test": true, "npm publish --dry-run": true, "yarn workspaces foreach -A run build": true,
		"git config user.name X": false, "git config --local user.email 'a@b.example'": false, "git remote add up https://x.example/a.git": false,
		"git branch --set-upstream-to=origin/main main": false, "git branch -u origin/main": false, "git branch --unset-upstream": false,
		"git remote add up git@x.example:a/b.git": false, "git remote add up ../a.git": false,
	} {
		s.person.asked = nil
		if p, d := s.pass(t, s.exec(command), ModeGuarded); d != nil || len(s.person.asked) > 0 || p.p.confined != confined {
			t.Errorf("%s: %v, asked %+v", command, d, s.person.asked)
		}
	}
	for _, command := range []string{
		"git config core.pager ./x", "git config core.hooksPath x", "git config user.name \"$(./x)\"", "git config user.name X > .git/config", "git config user.name X; git config core.pager x",
		"git branch -u origin/main -m x", "git branch -M x", "git branch --set-upstream-to=origin/main a -f", "git branch -u origin/main; git config core.pager x",
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

// TestStarsDoNotWrite holds that a star of a rule does not stand for what makes a program that
// only shows things write or delete outside. For a program that writes it does.
func TestStarsDoNotWrite(t *testing.T) {
	s := confining(t)
	s.person.strict = true
	var rules, names []string
	for name := range strings.FieldsSeq("sort uniq sed awk gawk find tree xxd curl wget yq less git cat base64 diff file cp tee split rsync install dd") {
		names = append(names, name)
		rules = append(rules, "allow terminal("+name+" *)")
	}
	rules = append(rules, "allow terminal(sed -i s/b/c/ *)")
	rules[slices.Index(names, "git")] = "allow terminal(git log *)\nallow terminal(git grep *)"
	s.programs(t, names...)
	s.rule(t, strings.Join(rules, "\n"))
	for command, held := range map[string]bool{
		"git log -3": false, "git log --output=/srv/x": true, "git log -p --output /srv/x": true, "git log --output=x": false, "git grep -O/srv/x y": true,
		"sort a": false, "sort -o b a": true, "sort -o /srv/x a": true, "sort -uo/srv/x a": true, "sort --output=/srv/x a": true, "sort --outp /srv/x a": true, "sort a -o /srv/x": true, "sort a > /srv/x": true,
		"uniq a": false, "uniq a b": true, "uniq a /srv/x": true, "uniq -c a /srv/x": true,
		"sed s/a/b/ a": false, "sed -i s/a/b/ a": true, "sed -i s/a/b/ /srv/x": true, "sed -i s/b/c/ /srv/x": false, "sed -ni.bak p /srv/x": true, "sed --in-place p /srv/x": true, "sed -n 'w /srv/x' a": true, "sed 's/a/b/w /srv/x' a": true,
		"awk 1 a": false, "awk '{print > \"/srv/x\"}' a": true, "awk '{print >> \"/srv/x\"}' a": true, "awk '{print > $1}' a": true, "gawk -i inplace 1 /srv/x": true, "gawk -o/srv/x 1": true,
		"find . -name a": false, "find . -fprint b": true, "find . -fprint /srv/x": true, "find . -fprintf /srv/x %p": true, "find . -fls /srv/x": true, "find . -fprint0 /srv/x": true, "find /srv -delete": true,
		"tree -o b": true, "tree -o /srv/x": true, "xxd -r a": true, "xxd -r a /srv/x": true, "xxd a /srv/x": true, "xxd a b": true,
		"curl -o /srv/x https://a.example": true, "curl -sSo /srv/x https://a.example": true, "curl --output /srv/x https://a.example": true, "curl --output-dir /srv -O https://a.example/x": true, "curl -D /srv/x https://a.example": true, "curl -c /srv/x https://a.example": true,
		"wget -O /srv/x https://a.example": true, "wget -P /srv https://a.example/x": true, "wget -o /srv/x https://a.example": true,
		"yq -i .a /srv/x": true, "less -o /srv/x a": true, "cat a > /srv/x": true, "base64 a > /srv/x": true, "diff a b --output=/srv/x": true, "file -C -m /srv/x": true,
		"cp a /srv/x": false, "tee /srv/x": false, "split a /srv/x": false, "rsync a /srv/x": false, "install a /srv/x": false, "dd if=a of=/srv/x": false,
	} {
		s.person.asked = nil
		p, _ := s.pass(t, s.exec(command), ModeGuarded)
		if got := len(s.person.asked) > 0 || p.p == nil || p.p.confined; got != held {
			t.Errorf("%s: %d questions, %+v", command, len(s.person.asked), p)
		}
	}
}
