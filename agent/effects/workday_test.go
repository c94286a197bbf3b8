//go:build linux

package effects_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// task is what a user has an agent do in one project: a series of commands.
type task struct {
	name     string
	needs    []string // programs
	setup    string
	commands []string
}

// workday is a day's work. Each command is compared with itself, run plainly in a
// machine that has seen the same commands before. No command installs for the user: where
// the tools of a language live in their home (pyenv), it would end otherwise, and should.
var workday = []task{
	{"git", []string{"git"}, `git init -q --bare ../origin.git; git push -q origin main other`, []string{
		"git status", "git log --oneline -5", "git diff", "echo more >> a.txt", "git diff --stat", "git add -A", "git commit -m 'add more'", "git show --stat HEAD",
		"git switch -c topic", "echo t > t.txt && git add t.txt && git commit -q -m topic", "git switch main", "echo m > m.txt; git add .; git commit -qm m",
		"git merge --no-edit topic", "git switch topic && git rebase main", "git log --graph --oneline --all | head", "git stash list", "echo z >> b.txt; git stash; git stash pop",
		"echo lost >> b.txt; git restore b.txt; echo lost >> b.txt; git checkout -- .; cat b.txt", "git tag v1", "git branch -a", "git blame a.txt", "git grep -n alpha", "git worktree list", "git cherry-pick --no-commit HEAD || true",
		"git rev-parse --show-toplevel", "git ls-files | wc -l", "git config user.name", "git format-patch -1 -o /tmp/p HEAD", "git clean -nd", "git fsck",
		"git submodule status", "git describe --always", "git remote -v", "git bisect start HEAD HEAD~1; git bisect reset", "git archive HEAD | tar t | head -3",
	}},
	{"git-hooks", []string{"git"}, `printf '#!/bin/sh\necho hook > hooked.txt\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config rerere.enabled true`, []string{
		"git commit --allow-empty -m hooked", "cat hooked.txt", "git rebase HEAD~1", "git commit --amend --no-edit --allow-empty",
	}},
	{"go", []string{"go"}, "", []string{
		"go build ./...", "go vet ./...", "go test ./...", "go test -run TestX -v -count=1 .", "gofmt -l .", "go list ./...", "go env GOPATH", "go run .",
		"go mod tidy", "mkdir -p cmd/x && printf 'package main\\nimport \"fmt\"\\nfunc main(){fmt.Println(1)}\\n' > cmd/x/main.go && go run ./cmd/x", "go build -o bin/x ./cmd/x && ./bin/x",
		"go test -cover -coverprofile=cover.out . && go tool cover -func=cover.out", "go doc fmt.Println | head -3", "go clean -testcache", "go version",
	}},
	{"files", nil, "", []string{
		"ls -la", "find . -name '*.go' | xargs wc -l", "grep -rn alpha . | head", "sed -i 's/alpha/ALPHA/' a.txt", "cat a.txt | sort | uniq -c", "mkdir -p d/e && cp a.txt d/e && mv d/e/a.txt d/b.txt",
		"rm -r d", "tar czf t.tgz src && tar tzf t.tgz", "tmp=$(mktemp); echo x > $tmp; cat $tmp; rm $tmp", "awk '{print $1}' a.txt", "diff a.txt b.txt", "touch n && chmod +x n && ./n", "ln -s a.txt l && cat l",
		"cat > s.sh <<'E'\nset -e\necho hi\nE\nbash s.sh", "for i in 1 2 3; do echo $i; done | tee n.txt", "make", "make test", "make clean", "export X=1", "echo $X; cd src", "pwd; cd ..", "du -sh .", "df -h . | tail -1",
		"ps aux | head -3", "date", "env | wc -l", "head -c 100 /dev/urandom | wc -c", "sleep 0.1 & wait", "echo 1 > /dev/null; echo 2 > /dev/stderr", "ulimit -n", "xargs -n1 echo < a.txt", "test -w . && echo w",
		"f() { echo f; }; f", "cat <(echo sub)", "timeout 5 true", "nohup true", "printf '%s\\n' * | head -3", "stat -c %s a.txt", "rm -rf build && mkdir build", "sort -o b.txt b.txt", "id -un; uname -s; nproc", "mkfifo p; (echo q > p &); cat p; rm p",
		"script -qc 'echo tty' /dev/null", "lsof -p $$ | head -1 || true", "time true", "false", "exit 3",
	}},
	{"python", []string{"python3"}, `printf 'import unittest\nclass T(unittest.TestCase):\n def test(self): self.assertEqual(1,1)\n' > test_x.py; mkdir -p pkg/demo_pkg; touch pkg/demo_pkg/__init__.py; printf '[project]\nname="demo-pkg"\nversion="1"\n' > pkg/pyproject.toml`, []string{
		"python3 -c 'print(1)'", "python3 src/x.py", "python3 -m unittest -q", "python3 -m json.tool package.json", "python3 -m venv --without-pip .venv && .venv/bin/python -c 'import sys; print(sys.prefix)'",
		"python3 -m compileall -q src", "python3 - <<'E'\nimport subprocess,tempfile,multiprocessing,socket\nprint(subprocess.check_output(['ls']))\nwith tempfile.NamedTemporaryFile() as f: f.write(b'x')\nmultiprocessing.Lock()\na,b=socket.socketpair(); a.send(b'x'); print(b.recv(1))\nE",
		"python3 -c 'import multiprocessing as m; print(m.Pool(2).map(abs,[-1,2]))'", "pip --version", "python3 -m pip list", "pip install --no-index no-such-distribution", "python3 -c 'import sqlite3; c=sqlite3.connect(\"t.db\"); c.execute(\"create table t(a)\"); c.commit()'",
	}},
	{"node", []string{"node", "npm"}, `printf 'const test=require("node:test");test("x",()=>{})\n' > x.test.js`, []string{
		"node -p 1+1", "node --test x.test.js", "npm test", "npm run", "npm ls", "node -e 'require(\"fs\").writeFileSync(\"n.txt\",\"1\")'", "npm install --offline --no-audit --no-fund", "node --version; npm --version",
		"npm config get cache", "node -e 'const w=new (require(\"worker_threads\").Worker)(\"1\",{eval:true}); w.on(\"exit\",()=>console.log(\"w\"))'", "node -e 'require(\"child_process\").execSync(\"ls\",{stdio:\"inherit\"})'", "npm version patch --no-git-tag-version",
	}},
	{"others", nil, "mkdir -p crate/src; printf '[package]\\nname=\"c\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n' > crate/Cargo.toml; echo 'fn main(){println!(\"c\")}' > crate/src/main.rs; echo 'int main(){return 0;}' > m.c", []string{
		"sqlite3 x.db 'create table t(a); insert into t values(1); select * from t'", "rg alpha", "rg --files | wc -l", "gcc m.c -o m && ./m", "cd crate && cargo build --offline", "cargo run --offline -q", "cd ..", "perl -e 'print 1'", "jq . package.json",
		"python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 & curl -s --retry 20 --retry-delay 1 --retry-connrefused -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8765/a.txt; r=$?; kill %1; exit $r", "strace -c true 2>&1 | tail -1", "openssl dgst -sha256 a.txt", "zip -q z.zip a.txt && unzip -l z.zip", "vim --version | head -1", "man -w ls",
	}},
}

// TestWorkday runs a day's work confined: every command ends as it does plainly, and
// no one is asked.
func TestWorkday(t *testing.T) {
	prepare(t)
	var tasks []task
	for _, w := range workday {
		lacks := slices.IndexFunc(w.needs, func(n string) bool { _, err := exec.LookPath(n); return err != nil })
		if lacks >= 0 {
			t.Logf("%s: skipped, there is no %s here", w.name, w.needs[lacks])
			continue
		}
		if only := os.Getenv("HERMES_EFFECTS_CASE"); only == "" || only == w.name {
			tasks = append(tasks, w)
		}
	}
	var jobs []job
	for _, w := range tasks {
		for _, mode := range []string{"guarded", "off"} {
			j := job{Mode: mode, Trust: true, Setup: w.setup, Seconds: 240, Env: toolchains()}
			for _, c := range w.commands {
				j.Calls = append(j.Calls, command(c))
			}
			jobs = append(jobs, j)
		}
	}
	reports := machines(t, jobs)
	for i, w := range tasks {
		t.Run(w.name, func(t *testing.T) { w.compare(t, reports[2*i], reports[2*i+1]) })
	}
}

// toolchains lets the machine's user run compilers that another user has installed.
func toolchains() []string {
	var env []string
	for name, dir := range map[string]string{"RUSTUP_HOME": "/.rustup", "PYENV_ROOT": "/.pyenv"} {
		if h, err := os.UserHomeDir(); err == nil {
			if _, err := os.Stat(h + dir); err == nil {
				env = append(env, name+"="+h+dir)
			}
		}
	}
	return env
}

func (w task) compare(t *testing.T, confined, plain report) {
	for _, r := range []report{confined, plain} {
		if r.Note != "" || len(r.Results) != len(w.commands) {
			t.Fatalf("%d of %d commands ran: %s %s", len(r.Results), len(w.commands), r.Note, r.Stderr)
		}
	}
	wrong := 0
	for i, c := range w.commands {
		got, want := confined, plain
		got.Results, want.Results = got.Results[i:i+1], want.Results[i:i+1]
		if g, p := exit(got), exit(want); g != p {
			wrong++
			t.Errorf("exit %s, plainly %s: %s\n\t%s\n\tplainly: %s", g, p, c, cut(strings.Join(got.Results, ""), 600), cut(strings.Join(want.Results, ""), 200))
		}
	}
	if confined.Asked > 0 {
		t.Errorf("%d questions", confined.Asked)
	}
	t.Logf("%d commands, %d ended otherwise than plainly, %d questions; %d ms, plainly %d ms", len(w.commands), wrong, confined.Asked, confined.Millis, plain.Millis)
}
