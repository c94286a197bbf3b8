//go:build unix

package snapshots

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func (f *fixture) excluded() map[string]Exclusion {
	f.t.Helper()
	list, err := f.Excluded(context.Background())
	f.ok(err)
	all := map[string]Exclusion{}
	for _, e := range list {
		all[e.Why] = e
	}
	return all
}

// Nothing is written through a directory that has become a link.
func TestParentBecomesALink(t *testing.T) {
	f := newFixture(t)
	other := filepath.Join(filepath.Dir(f.root), "other")
	f.write("d/x", "0")
	f.write("d/gone", "0")
	f.call("t1", func() { f.write("d/x", "1"); f.remove("d/gone"); f.write("d/made", "1") })
	f.write(filepath.Join(other, "x"), "precious")
	f.write(filepath.Join(other, "made"), "1")
	f.ok(os.Rename(f.path("d"), f.path("moved")))
	f.link(other, "d")
	before := treeOf(t, other)
	p := f.plan("t1")
	want(t, "restore", f.names(p.Restore), "")
	want(t, "impossible", f.names(p.Impossible), "d/gone, d/x")
	if !strings.Contains(p.Impossible[0].Why, "is a link now") {
		t.Error(p.Impossible[0].Why)
	}
	f.apply(p, Choice{All: true})
	want(t, "the other directory", treeOf(t, other), before)
}

// An agent that puts a link in the place of a directory: the link goes, what it
// leads to stays.
func TestAgentReplacesADirectoryByALink(t *testing.T) {
	f := newFixture(t)
	other := filepath.Join(filepath.Dir(f.root), "other")
	f.write("d/x", "0")
	f.write(filepath.Join(other, "x"), "precious")
	before := f.tree()
	f.call("t1", func() { f.remove("d"); f.link(other, "d") })
	f.rewind("t1")
	want(t, "tree", f.tree(), before)
	want(t, "the other directory", treeOf(t, other), `x 644 "precious"`)
}

// The directory is exchanged between the plan and the writing.
func TestParentSwappedInTheMiddle(t *testing.T) {
	f := newFixture(t)
	other := filepath.Join(filepath.Dir(f.root), "other")
	f.write("d/x", "0")
	f.write(filepath.Join(other, "x"), "1")
	f.call("t1", func() { f.write("d/x", "1") })
	p := f.plan("t1")
	f.step = func(s string) {
		if s == "intended" {
			f.ok(os.Rename(f.path("d"), f.path("moved")))
			f.link(other, "d")
		}
	}
	r := f.apply(p, Choice{})
	want(t, "left", f.names(r.Left), "d/x")
	want(t, "the other directory", treeOf(t, other), `x 644 "1"`)
}

// A user is faster than the rewind.
func TestChangedInTheMiddle(t *testing.T) {
	f := newFixture(t)
	for _, n := range []string{"a", "b", "c"} {
		f.write(n, "0")
	}
	f.call("t1", func() { f.write("a", "1"); f.remove("b"); f.write("c", "1"); f.write("made", "1") })
	p := f.plan("t1")
	f.step = func(s string) {
		if s == "intended" {
			f.write("a", "person")
			f.write("b", "person")
			f.write("made", "person")
		}
	}
	r := f.apply(p, Choice{All: true})
	want(t, "left", f.names(r.Left), "a, b, made")
	want(t, "tree", f.tree(), strings.Join([]string{`a 644 "person"`, `b 644 "person"`, `c 644 "0"`, `made 644 "person"`}, "\n"))
	f.step = func(string) {}
	want(t, "conflicts", f.names(f.plan("t1").Conflicts), "a, b, made")
}

func TestHardLinks(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	f.call("t1", func() { f.write("a", "1") })
	outside := filepath.Join(filepath.Dir(f.root), "outside")
	f.ok(os.Link(f.path("a"), outside))
	p := f.plan("t1")
	if len(p.Restore) != 1 || !strings.Contains(p.Restore[0].Note, "2 names") {
		t.Errorf("plan %+v", p)
	}
	want(t, "restored", f.names(f.apply(p, Choice{}).Restored), "a")
	got, err := os.ReadFile(outside)
	f.ok(err)
	want(t, "the other name", string(got), "1")
	want(t, "tree", f.tree(), `a 644 "0"`)
}

func TestExcluded(t *testing.T) {
	f := newFixture(t, func(o *Options) {
		o.Limits = Limits{File: 1000, Names: 3}
		o.Dir = filepath.Join(o.Root, "home", "snapshots")
		o.Ignored = func() Ignored { return func(p string, _ bool) bool { return strings.HasSuffix(p, ".o") } }
	})
	f.write("big", strings.Repeat("x", 1001))
	f.write("grows", "small")
	f.ok(syscall.Mkfifo(f.path("pipe"), 0o600))
	f.write(".git/config", "secret")
	for i := range 5 {
		f.write(fmt.Sprintf("%d.o", i), "object")
	}
	changes := f.call("t1", func() {
		f.write("big", strings.Repeat("y", 1002))
		f.write("grows", strings.Repeat("z", 2000))
		f.write("0.o", "changed")
		f.write("new.o", "changed")
		f.write(".git/config", "changed")
	})
	want(t, "changes", f.says(changes), "modified big, modified grows")
	got := f.excluded()
	for why, want := range map[string]string{
		whyLarge:                "2 big grows",
		skipSpecial.words():     "1 pipe",
		skipGit.words():         "1 .git",
		skipOwn.words():         "1 home/snapshots",
		skipIgnored.words():     "6 0.o 1.o 2.o",
		skipMany.words():        "0",
		whyLocked:               "0",
		skipLocked.words():      "0",
		"no such reason at all": "0",
	} {
		text := fmt.Sprint(got[why].Count)
		for _, n := range got[why].Names {
			text += " " + f.label(n)
		}
		if text != want {
			t.Errorf("%s: %s, want %s", why, text, want)
		}
	}
	p := f.plan("t1")
	want(t, "impossible", f.names(p.Impossible), "big")
	want(t, "restore", f.names(p.Restore), "grows")
	if !strings.Contains(p.Impossible[0].Why, "too large") || !strings.Contains(p.Restore[0].Note, "can't be undone") {
		t.Errorf("%+v", p)
	}
	r := f.apply(p, Choice{})
	undo, err := f.Undo(context.Background(), r.ID)
	f.ok(err)
	want(t, "cannot be undone", f.names(undo.Impossible), "grows")
}

func TestTooManyFiles(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.Limits.Files = 5 })
	for i := range 8 {
		f.write(fmt.Sprintf("d%d/f", i), "0")
	}
	f.write("a", "0")
	f.call("t1", func() {
		for i := range 8 {
			f.write(fmt.Sprintf("d%d/f", i), "1")
		}
		f.write("new", "1")
	})
	e := f.excluded()[skipMany.words()]
	if e.Count < 4 {
		t.Errorf("%+v", e)
	}
	p := f.plan("t1")
	want(t, "watched: what comes first", f.names(p.Restore), "d0/f, d1/f, d2/f, d3/f")
	f.rewind("t1")
	if changes := f.call("t2", func() { f.write("d7/f", "named") }, "d7/f"); len(changes) != 1 {
		t.Errorf("a named file is kept all the same: %s", f.says(changes))
	}
}

func TestTooWideARoot(t *testing.T) {
	for _, home := range []string{"", "/sub/deeper"} {
		f := newFixture(t, func(o *Options) { o.Home = o.Root + home })
		f.write("a", "0")
		f.write("b", "0")
		if changes := f.call("t1", func() { f.write("a", "1"); f.write("b", "1") }); len(changes) > 0 {
			t.Errorf("watched: %s", f.says(changes))
		}
		want(t, "named", f.says(f.call("t2", func() { f.write("a", "2"); f.write("b", "2") }, "a")), "modified a")
		want(t, "a command, later", f.says(f.call("t3", func() { f.write("a", "3"); f.write("b", "3") })), "modified a")
		f.reopen()
		f.rewind("t2", "t3")
		want(t, "tree", f.tree(), "a 644 \"1\"\nb 644 \"3\"")
		if len(f.excluded()) != 1 {
			t.Errorf("excluded: %v", f.excluded())
		}
	}
}

// The rules are git's own here: what it ignores is left out, also after they have
// changed in the middle of a call.
func TestGitIgnoreRulesChange(t *testing.T) {
	var f *fixture
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", f.root}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Skip("SKIPPED: no git here:", err)
		}
		return string(out)
	}
	rules := func() Ignored {
		out := git("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
		list := strings.Split(out, "\x00")
		return func(p string, dir bool) bool {
			rel := strings.TrimPrefix(p, f.root+"/")
			if slices.Contains(list, rel) || dir && slices.Contains(list, rel+"/") {
				return true
			}
			return strings.TrimSpace(git("check-ignore", "--no-index", "--", rel)) != ""
		}
	}
	f = &fixture{t: t, root: filepath.Join(t.TempDir(), "work")}
	real, err := filepath.EvalSymlinks(filepath.Dir(f.root))
	f.ok(err)
	f.root = filepath.Join(real, "work")
	f.o = Options{Dir: filepath.Join(real, "s"), Conv: "c", Files: disk{}, Root: f.root, Ignored: rules}
	f.ok(os.Mkdir(f.root, 0o755))
	git("init", "-q")
	f.open()
	defer f.Close()
	f.write(".gitignore", "*.log\n/build/\n!keep.log\n")
	f.write("sub/.gitignore", "local\n")
	f.write(".git/info/exclude", "private\n")
	for _, n := range []string{"a", "x.log", "keep.log", "build/out", "sub/local", "sub/build/b", "private", "local", "vendor/v"} {
		f.write(n, "0")
	}
	ignored := func() string {
		var names []string
		for _, n := range f.excluded()[skipIgnored.words()].Names {
			names = append(names, f.label(n))
		}
		return strings.Join(names, " ")
	}
	f.ok(f.Warm(context.Background()))
	want(t, "ignored", ignored(), "build private sub/local x.log")
	before := f.tree()
	changes := f.call("t1", func() {
		f.write(".gitignore", "/vendor/\ngen/\n") // build and x.log are watched now, vendor no longer
		f.write("gen/made", "1")
		f.write("a", "1")
		f.write("vendor/v", "1")
		f.write("vendor/new", "1")
	})
	want(t, "changes", f.says(changes), "modified .gitignore, modified a, modified vendor/v")
	want(t, "ignored now", ignored(), "gen private sub/local")
	f.remove("gen")
	f.remove("vendor/new")
	f.rewind("t1")
	want(t, "tree", f.tree(), before)
	// Files that rules no longer hide were there before: they are not deleted.
	changes = f.call("t2", func() { f.write(".git/info/exclude", ""); f.write("build/out", "2"); f.write("private", "0") })
	want(t, "build was watched in between", f.says(changes), "modified build/out")
	f.rewind("t2")
	f.reopen()
	changes = f.call("t3", func() { f.write("private", "3") })
	want(t, "watched from now on", f.says(changes), "modified private")
}

func TestOddNames(t *testing.T) {
	f := newFixture(t)
	odd := []string{"new\nline", "esc\x1b[2J", "-rf", "bad\xff\xfeutf8", " blank ", "日本語 🦊", strings.Repeat("n", 250), `quo"te`}
	for _, n := range odd {
		f.write(n, "0")
	}
	f.ok(f.Warm(context.Background()))
	before := f.tree()
	changes := f.call("t1", func() {
		for _, n := range odd {
			f.write(n, "1")
		}
		f.link("to\xff", "link")
	})
	if len(changes) != len(odd)+1 {
		t.Errorf("changes: %s", f.says(changes))
	}
	d, err := f.Diff(context.Background(), changes, DiffLimits{})
	f.ok(err)
	if strings.Contains(d.Text, "\x1b") || strings.Contains(d.Text, "\xff") {
		t.Errorf("raw bytes in %q", d.Text)
	}
	f.reopen()
	f.rewind("t1")
	want(t, "tree", f.tree(), before)
}
