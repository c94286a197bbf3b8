//go:build unix

package ui_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
	"hermes-tui/store/sessions"
)

// TestKillWhileAJobRuns kills the program with a job in the background (R1). The
// job lives on, is listed after the resume and can be ended there; nothing runs
// twice.
func TestKillWhileAJobRuns(t *testing.T) {
	t.Parallel()
	job := map[string]any{"command": "echo once >>proof; echo $$ >pid; exec sleep 600", "background": true}
	s := answers(on("^go$", call("terminal", job)), after("^go$", 1, say("Started.")), on("^go on", say("And on.")))
	o := Options{Cols: 100, Rows: 30, Scenario: s}
	d := Start(t, o)
	said(d, "go", "Started.")
	pid := hanging(t, d.Dir())
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	d.Kill9()
	if syscall.Kill(pid, 0) != nil {
		t.Fatal("the job did not outlive the program")
	}
	again := resume(t, d, o).Expect(Contains("❯ go", "Started."))
	again.Type("/jobs").Press("enter").WaitFor(Contains("Background jobs", "echo once")).WaitIdle().Expect(Contains("running"))
	again.Press("x", "x") // at once: the second one counts for two seconds
	waitGone(t, pid)
	again.WaitIdle().Press("esc").WaitIdle()
	said(again, "go on", "And on.")
	sent(t, again)
	effect(t, d.Dir(), "once")
	left(t, again.Quit(), 0)
}

// TestKillInAnEdit kills at several moments of a patch of several files (R1). Each
// file is whole, old or new, and the conversation goes on.
func TestKillInAnEdit(t *testing.T) {
	t.Parallel()
	const n = 12
	oldText, newText := strings.Repeat("old line\n", 2000), strings.Repeat("old line\n", 2000)+"new line\n"
	var patch strings.Builder
	patch.WriteString("*** Begin Patch\n")
	files := map[string]string{}
	for i := range n {
		name := fmt.Sprintf("f%02d.txt", i)
		files[name] = oldText + "last of " + name + "\n"
		fmt.Fprintf(&patch, "*** Update File: %s\n@@\n-last of %s\n+new line\n", name, name)
	}
	patch.WriteString("*** End Patch")
	s := answers(
		on("^go$", call("patch", map[string]any{"mode": "patch", "patch": patch.String()})), after("^go$", 1, say("Edited.")),
		on("go on$", say("And on.")), // also with the prompt before it, whose answer was not stored yet
	)
	for _, least := range []int{0, 1, n / 2} {
		t.Run(fmt.Sprint(least, " files"), func(t *testing.T) {
			home, dir := work(t, files)
			o := Options{Cols: 100, Rows: 30, Home: home, Dir: dir, Scenario: s}
			d := Start(t, o)
			d.Type("go").Press("enter").WaitFor(Any(Contains("patch"), Contains("Edited.")))
			wait(t, "nothing is edited", func() bool {
				edited := 0
				for name, text := range files {
					if got, err := os.ReadFile(filepath.Join(dir, name)); err == nil && string(got) != text {
						edited++
					}
				}
				return edited >= least
			})
			d.Kill9()
			again := resume(t, d, o).Expect(Contains("❯ go"))
			said(again, "go on", "And on.")
			sent(t, again)
			for name, text := range files {
				got, err := os.ReadFile(filepath.Join(dir, name))
				if fresh := newText; err != nil || string(got) != text && string(got) != fresh {
					t.Errorf("%s holds neither the old nor the new text (%d bytes), %v", name, len(got), err)
				}
			}
			left(t, again.Quit(), 0)
			all, err := filepath.Glob(filepath.Join(dir, "*"))
			litter, bad := filepath.Glob(filepath.Join(dir, ".hermes-*.tmp")) // swept by the next write, once it is old
			if err := errors.Join(err, bad); err != nil || len(all) != n+len(litter) || len(litter) > 1 {
				t.Errorf("left behind: %q, %v", all, err)
			}
		})
	}
}

// TestEightInstances has eight programs with one home, which all say
// something and end (R2): each is answered, all conversations are there, none
// complains.
func TestEightInstances(t *testing.T) {
	t.Parallel()
	const n = 8
	s := answers(on("", run("seq 200")), after("", 1, say("Finis.")))
	first := Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Timeout: 40 * time.Second})
	all := []*Driver{first}
	for range n - 1 {
		all[len(all)-1].WaitIdle() // the driver writes the settings again for each
		all = append(all, Start(t, Options{Cols: 80, Rows: 24, Scenario: s, Home: first.Home(), Timeout: 40 * time.Second}))
	}
	for i, d := range all {
		d.Type("hello " + strconv.Itoa(i)).Press("enter")
	}
	for _, d := range all {
		d.WaitFor(Contains("Finis.")).WaitIdle().Expect(NotContains("locked", "busy", "✗", "blocked"))
	}
	for _, d := range all {
		d.Quit()
		if st := d.Wait(); st.Code != 0 || d.Stderr() != "" {
			t.Errorf("it %v and says %q", st, d.Stderr())
		}
	}
	db := stored(t, first)
	defer db.Close()
	list, err := db.List(t.Context(), sessions.Filter{})
	if err != nil || len(list) != n {
		t.Errorf("%d conversations are stored: %v", len(list), err)
	}
}

// TestHostileAnswersAreQuick answers with what makes careless programs slow or
// deep (R3), on usual and tiny screens. The limit is ten times the target.
func TestHostileAnswersAreQuick(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	for name, text := range map[string]string{
		"deep lists":    rep("> - ", 300) + "a\n",
		"table":         "| a | b |\n|---|---|\n" + rep("| x | y |\n", 10_000),
		"one long line": rep("x", 1_000_000),
		"marks":         "e" + rep("\u0301", 50_000) + rep("👩‍👩‍👧", 2000) + rep("\u0640\u0627", 2000),
		"front matter":  "---\n" + rep("{", 20_000) + "\n---\n" + rep("&a [*a,*a]\n", 2000),
		"brackets":      rep("[", 20_000) + rep("](", 20_000),
		"right to left": rep("שלום عالم ", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &wireTap{}
			d := Start(t, Options{Cols: 100, Rows: 30, Scenario: answers(on("go", say(text+"\n\nFinis."))), Tap: w.tap})
			d.Type("go").Press("enter").WaitFor(Contains("Finis."), Contains("ready")).WaitIdle()
			for _, size := range [][2]int{{20, 5}, {1, 1}, {40, 10}, {100, 30}} {
				d.Resize(size[0], size[1]).WaitIdle()
			}
			d.Type("x")
			began := time.Now()
			d.WaitSync()
			if took := time.Since(began); took > time.Second {
				t.Errorf("a key took %v", took)
			}
			d.Expect(CursorAfter("❯ x"), usualMode()).Press("ctrl+c").WaitSync().Quit().Wait()
			d.AssertRestored()
			bad := slices.DeleteFunc(foreign(w.text()), func(what string) bool { // other sizes are drawn again
				return strings.Contains(what, "times the sequence") || strings.Contains(what, `[?7`)
			})
			if len(bad) > 0 {
				t.Errorf("on the terminal: %q", bad[:min(len(bad), 5)])
			}
		})
	}
}

// TestHostileFilesOfAProject has a project whose rules and instructions are
// bombs (R3): the program starts, asks and goes on; rules that cannot be read
// make everything a question instead of nothing.
func TestHostileFilesOfAProject(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	for name, row := range map[string]struct {
		rules string
		asks  bool // everything is asked about
	}{
		"aliases":     {"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ndeny: [*d]\n", true},
		"braces":      {"deny: [\"write_file(" + rep("{a,", 500) + rep("}", 500) + ")\"]\n", true},
		"depth":       {rep("[", 20_000), true},
		"size":        {"# " + rep("x", 3<<20) + "\ndeny: []\n", true},
		"not UTF-8":   {"deny: [\"\xff\xfe\"]\n", true},
		"stars":       {"deny: [\"terminal(" + rep("*a", 2000) + ")\"]\n", true},
		"empty":       {"", false},
		"a usual one": {"deny: [\"terminal(git push *)\"]\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := work(t, map[string]string{".hermes/rules.yaml": row.rules, "AGENTS.md": "---\n" + rep("{", 50_000) + "\nBe kind.\n"})
			s := answers(on("go", run("ls")), after("go", 1, say("Finis.")))
			d := Start(t, Options{Cols: 140, Rows: 40, Home: home, Dir: dir, Scenario: s})
			d.Type("go").Press("enter").WaitFor(Contains("Do you trust this folder?", "▸ 1 Don't trust")).Press("right", "enter")
			d.WaitFor(Any(Contains("Finis."), Contains("wants to run", "▸ 1 Deny")))
			if asked := Explain(d.Screen(), Contains("wants to run")) == ""; asked != row.asks {
				t.Errorf("it is asked: %v\n%s", asked, d.Screen())
			}
		})
	}
}

// TestHostilePatterns searches with expressions that take for ever in careless
// engines (R3).
func TestHostilePatterns(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 50_000) + "!\n"
	for _, pattern := range []string{"(a+)+$", "(a|aa)+$", "(.*)*x", strings.Repeat("(a?", 500) + strings.Repeat(")", 500), "a{1,1000}{1,1000}", "[", "(?=a)", strings.Repeat("a{0,1000}", 20)} {
		args := map[string]any{"pattern": pattern, "target": "content"}
		home, dir := work(t, map[string]string{"text": text})
		d := Start(t, Options{Cols: 100, Rows: 30, Home: home, Dir: dir, Scenario: answers(on("go", call("search_files", args)), after("go", 1, say("Finis.")))})
		began := time.Now()
		said(d, "go", "Finis.")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%.40q took %v", pattern, took)
		}
		d.Quit().Wait()
	}
}

// TestSpecialFilesOfAProject has pipes, folders and loops where instructions and
// rules are looked for (R3): nothing waits for them.
func TestSpecialFilesOfAProject(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) }, "folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"loop": func(path string) error { return os.Symlink(filepath.Base(path), path) }, "endless": func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, dir := work(t, map[string]string{".hermes/x": "", ".git/config": ""})
			for _, file := range []string{"AGENTS.md", "CLAUDE.md", ".hermes/rules.yaml", ".cursorrules", ".git/HEAD", "SOUL.md"} {
				if err := make(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
			}
			d := Start(t, Options{Cols: 100, Rows: 30, Home: home, Dir: dir, Scenario: answers(on("go", say("Finis.")))})
			d.Type("go").Press("enter").WaitFor(Any(Contains("Finis."), Contains("trust this folder", "▸ 1 Don't trust")))
			if Explain(d.Screen(), Contains("trust this folder")) == "" {
				d.Press("right", "enter").WaitFor(Contains("Finis."))
			}
			d.WaitIdle().Quit().Wait()
		})
	}
}
