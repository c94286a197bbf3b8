//go:build unix

package ui_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	. "hermes-tui/internal/uitest"
)

// choose moves the mark of an armed question to a row.
func choose(d *Driver, row string) *Driver {
	marked := LineMatches(`▸ \d ` + regexp.QuoteMeta(row))
	for range 8 {
		if Explain(d.Screen(), marked) == "" {
			break
		}
		d.Press("right")
	}
	return d.Expect(marked)
}

// TestEditThenRun changes what is to run: exactly that runs, and nothing of what
// was asked for.
func TestEditThenRun(t *testing.T) {
	t.Parallel()
	s := answers(on("go", run("rm -rf keep\ntouch asked")), after("go", 1, say("It is done.")))
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual})
		there := folders(t, d, "keep")
		d.Type("go").Press("enter").WaitFor(Contains("enter answer"))
		d.Press("pgdown", "pgdown").WaitFor(NotContains("not seen yet")) // the path of the folder can be long
		choose(d, "Edit").Press("enter").Expect(Contains("runs this instead"), Contains("enter run this"), Contains("❯ rm -rf keep"), CursorAfter("touch asked"))
		d.Resize(size[0]-5, size[1]-2).Expect(CursorAfter("touch asked"))
		d.Press("esc").Expect(Contains("▸ 1 Deny"))
		choose(d, "Edit").Press("enter", "ctrl+u", "backspace", "ctrl+u")
		d.Type("touch 'a b'").Press("ctrl+j").Type("touch edited # rm -rf keep").Press("up", "down")
		d.Press("enter").WaitFor(Contains("It is done."))
		d.WaitIdle()
		if !there("keep") || there("asked") || !there("a b") || !there("edited") {
			t.Fatalf("keep %v, asked %v, a b %v, edited %v", there("keep"), there("asked"), there("a b"), there("edited"))
		}
	}
}

// TestAllAlike answers the questions of three conversations at once.
func TestAllAlike(t *testing.T) {
	t.Parallel()
	s := answers(
		on("task a", run("rm -rf a")), after("task a", 1, say("a is over")),
		on("task b", run("rm -rf b")), after("task b", 1, say("b is over")),
		on("task c", run("rm -rf c")), after("task c", 1, say("c is over")),
	)
	for _, size := range sizes[:3] {
		for _, allow := range []bool{true, false} {
			d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual})
			there := folders(t, d, "a", "b", "c")
			d.Type("task a").Press("enter").WaitFor(Contains("wants to run"))
			d.Type("/new").Press("enter").WaitFor(Contains("1 other session"))
			d.Type("task b").Press("enter").WaitFor(Contains("1 of 2"))
			d.Type("/new").Press("enter").WaitFor(Contains("2 other sessions"))
			d.Type("task c").Press("enter").WaitFor(Contains("1 of 3"), Contains("enter answer"))
			choose(d, "All 3 like this").Press("enter").Expect(Contains("All of these wait"), Contains("▸ 1 Back"), Contains("esc back"))
			row := "Deny all 3"
			if allow {
				row = "Allow all 3 once"
			}
			d.Press("pgdown", "pgdown", "pgdown")
			choose(d, row).Press("enter").WaitFor(Contains("c is over"), NotContains("1 other session"), NotContains("2 other sessions"))
			d.WaitIdle()
			for _, name := range []string{"a", "b", "c"} {
				if there(name) == allow {
					t.Errorf("%s: %v although allowed %v", name, there(name), allow)
				}
			}
		}
	}
}

// sudoStandIn asks for a password as sudo does.
const sudoStandIn = `#!/bin/sh
[ "$1" = -A ] && shift
password=$("$SUDO_ASKPASS" "[sudo] password: ") || exit 1
[ "$password" = tr0ub4dor ] || exit 1
exec "$@"
`

// tap collects what a program writes.
type tap struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (w *tap) add(p []byte, _ time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(p)
}

// TestPasswordIsNowhere types a password: it reaches the program that needs it, and
// neither the screen nor a file.
func TestPasswordIsNowhere(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only a sudo that runs as root gets an answer")
	}
	s := answers(on("go", run("sudo touch by-root")), after("go", 1, say("It is done.")))
	for _, size := range sizes[:3] {
		home := filepath.Join(t.TempDir(), "user", ".hermes")
		bin := filepath.Join(filepath.Dir(home), "bin")
		for path, text := range map[string]string{filepath.Join(bin, "sudo"): sudoStandIn, filepath.Join(filepath.Dir(home), ".profile"): "PATH=" + bin + ":$PATH\n"} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w := &tap{}
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Home: home, Tap: w.add, Config: manual})
		d.Type("go").Press("enter").WaitFor(Contains("wants to run"), Contains("enter answer"))
		d.Press("pgdown", "pgdown").WaitFor(NotContains("not seen yet")) // the program is one that the agent can write
		choose(d, "Allow once").Press("enter").WaitFor(Contains("needs a password"), Contains("esc no password"))
		d.Type("tr0ub4dorx").Press("backspace").Expect(Contains("•••••••••"), NotContains("••••••••••"))
		d.Resize(size[0]-3, size[1]).Expect(Contains("•••••••••"))
		d.Press("enter").WaitFor(Contains("It is done."))
		d.WaitIdle()
		if _, err := os.Stat(filepath.Join(d.Dir(), "by-root")); err != nil {
			t.Error("it did not run")
		}
		d.Quit().Wait()
		w.mu.Lock()
		if bytes.Contains(w.all.Bytes(), []byte("tr0")) {
			t.Error("the password was on the screen")
		}
		w.mu.Unlock()
		err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte("tr0ub4dor")) {
				t.Errorf("the password is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestScriptWithACallThatIsDenied lets a script run and denies what it wants to do.
func TestScriptWithACallThatIsDenied(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: there is no Python here")
	}
	code := "from hermes_tools import read_file, terminal\nprint(read_file(path='a.txt')['content'])\nprint(terminal(command='rm -rf keep'))\nprint('the end')\n"
	s := answers(on("go", call("execute_code", map[string]any{"code": code})), after("go", 1, say("It is over.")))
	for _, size := range sizes[:3] {
		d := Start(t, Options{Cols: size[0], Rows: size[1], Scenario: s, Config: manual, Timeout: 30 * time.Second})
		there := folders(t, d, "keep")
		leave(t, d, "a.txt", "some text\n")
		d.Type("go").Press("enter").WaitFor(Contains("enter answer"))
		d.Press("pgdown", "pgdown", "pgdown")
		choose(d, "Allow once").Press("enter").WaitFor(Contains("rm -rf keep"), Contains("enter answer"), NotContains("the end"))
		d.Expect(Contains("1 call"), Contains("read_file"), Contains("The agent wants to run"))
		d.Press("esc").WaitFor(Contains("It is over."))
		d.WaitIdle().Expect(Contains("2 calls"), Contains("⊘"))
		if !there("keep") {
			t.Fatal("what was denied ran")
		}
	}
}
