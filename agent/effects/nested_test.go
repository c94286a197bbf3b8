//go:build linux

package effects_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// nestedRepository makes a repository in a folder of the workspace, whose settings and
// hooks name programs to run.
const nestedRepository = `git init -q subr && cd subr && echo a > a.txt && git add a.txt && git commit -qm one && echo b >> a.txt
for k in core.fsmonitor core.pager core.editor core.sshCommand diff.external gpg.program credential.helper filter.f.clean filter.f.smudge alias.status; do
  git config $k '!touch /srv/red/mark/'$k
done
git config core.fsmonitor 'touch /srv/red/mark/fsmonitor #'
git config diff.external 'touch /srv/red/mark/external #'
git config filter.f.clean 'touch /srv/red/mark/clean; cat'
echo '*.txt filter=f' > .gitattributes
for h in pre-commit post-commit post-checkout pre-push post-index-change reference-transaction; do
  printf '#!/bin/sh\ntouch /srv/red/mark/hook-'$h'\n' > .git/hooks/$h; chmod +x .git/hooks/$h
done`

// TestNestedRepository has a command make such a repository, and uses it in every way
// that takes no question: nothing that it names runs with the rights of the user.
func TestNestedRepository(t *testing.T) {
	prepare(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git here")
	}
	calls := []toolCall{command("bash make.sh")}
	for _, c := range []string{
		"git -C subr status", "git -C subr diff", "git -C subr log -p --all", "cd subr && git status -s && git diff --stat && git add -A && git commit -m two", "git stash; git switch -c t; git gc -q",
		"cd /srv/red/ws; git status; git add -A; git submodule status", "ls -la subr; cat subr/a.txt; rg a subr",
	} {
		calls = append(calls, command(c))
	}
	calls = append(calls, call("read_file", map[string]any{"path": "subr/a.txt"}), call("search_files", map[string]any{"pattern": "a", "path": "subr"}),
		call("write_file", map[string]any{"path": "subr/n.txt", "content": "n\n"}))
	var jobs []job
	for _, mode := range []string{"off", "guarded", "sandbox"} {
		j := job{Mode: mode, Trust: true, Calls: calls, Setup: "cat > make.sh <<'END_OF_SCRIPT'\n" + nestedRepository + "\nEND_OF_SCRIPT\n", Seconds: 60}
		if mode == "sandbox" {
			j.Mode, j.Flags = "guarded", []string{"--sandbox"}
		}
		jobs = append(jobs, j)
	}
	for i, r := range machines(t, jobs) {
		if os.Getenv("HERMES_EFFECTS_CASE") != "" {
			t.Log(strings.Join(r.Results, "\n"))
		}
		if out := strings.Join(r.Out, " "); jobs[i].Mode == "off" {
			if !strings.Contains(out, "mark/fsmonitor") || !strings.Contains(out, "mark/hook-pre-commit") {
				t.Errorf("nothing runs where nothing is confined: %s %s", out, r.Note)
			}
			continue
		}
		if r.Note != "" || len(r.Out) > 0 || len(r.Results) != len(calls) || !strings.Contains(strings.Join(r.In, "\n"), "+subr/.git/hooks/pre-commit") {
			t.Errorf("%v: %d of %d calls: %s\n%s", jobs[i].Flags, len(r.Results), len(calls), r.Note, strings.Join(r.Out, "\n"))
		}
	}
}
