package prompt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGit says where a repository stands, through real git.
func TestGit(t *testing.T) {
	f := newFolder(t)
	b := f.builder("")
	want := func(when, want string) {
		t.Helper()
		if got := b.Git(t.Context(), true); got != want {
			t.Errorf("%s it is %q, want %q", when, got, want)
		}
	}
	want("without a repository", "")
	f.git("init", "-q", "-b", "main", "--bare", "up.git")
	f.git("init", "-q", "-b", "main", "w")
	b = f.builder("w")
	want("before the first commit", `branch "main", nothing changed`)
	f.write("w/a.txt", "1\n")
	f.write("w/b.txt", "1\n")
	f.git("-C", "w", "add", ".")
	f.git("-C", "w", "commit", "-q", "-m", "one")
	f.git("-C", "w", "remote", "add", "origin", "../up.git")
	f.git("-C", "w", "push", "-q", "-u", "origin", "main")
	want("when pushed", `branch "main", nothing changed`)
	f.write("w/a.txt", "2\n")
	f.git("-C", "w", "commit", "-q", "-a", "-m", "two")
	f.write("w/a.txt", "3\n")
	f.write("w/b.txt", "3\n")
	f.git("-C", "w", "add", "b.txt")
	f.write("w/new one.txt", "")
	want("with changes", `branch "main" (1 ahead of and 0 behind "origin/main"), 1 staged, 1 changed, 1 untracked`)
	f.git("-C", "w", "reset", "-q", "--hard", "HEAD~1")
	f.git("-C", "w", "checkout", "-q", "-b", "side")
	f.write("w/a.txt", "side\n")
	f.git("-C", "w", "commit", "-q", "-a", "-m", "aside")
	f.git("-C", "w", "checkout", "-q", "main")
	f.write("w/a.txt", "main\n")
	f.git("-C", "w", "commit", "-q", "-a", "-m", "here")
	f.fails("-C", "w", "merge", "side")
	want("in a merge", `branch "main" (1 ahead of and 0 behind "origin/main"), 1 in conflict, 1 untracked, a merge is in progress`)
	f.git("-C", "w", "merge", "--abort")
	f.fails("-C", "w", "rebase", "side")
	if got := b.Git(t.Context(), true); !strings.HasPrefix(got, "no branch, at commit ") || !strings.HasSuffix(got, "1 in conflict, 1 untracked, a rebase is in progress") {
		t.Errorf("in a rebase it is %q", got)
	}
	f.git("-C", "w", "rebase", "--abort")
	f.git("-C", "w", "worktree", "add", "-q", "../tree", "side")
	f.write("tree/c.txt", "")
	b = f.builder("tree")
	want("in a worktree", `branch "side", 1 untracked`)
	if got := b.Git(t.Context(), false); got != `branch "side"` {
		t.Errorf("untrusted it is %q", got)
	}
	b = f.builder("w")
	f.git("-C", "w", "checkout", "-q", "-b", "x\"],`id`,ignore_all_\u202ethings")
	if got := b.Git(t.Context(), true); !strings.HasPrefix(got, `branch "x\"],`+"`id`"+`,ignore_all_\u202ethings", `) {
		t.Errorf("with a hostile name it is %q", got)
	}
	for i := range 3000 {
		f.write(filepath.Join("w", strings.Repeat("n", i%150+1)+string(rune('a'+i/150))), "")
	}
	if got := b.Git(t.Context(), true); !strings.HasSuffix(got, " or more untracked") {
		t.Errorf("with very many files it is %q", got)
	}
}

// fails runs git where that stops with a conflict.
func (f *folder) fails(args ...string) {
	f.t.Helper()
	f.write("stops.sh", "#!/bin/sh\ngit \"$@\" >/dev/null 2>&1 && exit 1 || exit 0\n")
	f.git(append([]string{"-c", "alias.stops=!" + filepath.Join(f.dir, "stops.sh"), "stops", "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	_ = os.Remove(filepath.Join(f.dir, "stops.sh"))
}
