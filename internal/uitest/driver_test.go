//go:build unix

package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-tui/providers/script"
)

func TestKeysArriveAsPressed(t *testing.T) {
	keys := []string{
		"enter", "ctrl+c", "alt+up", "shift+tab", "esc", "up", "pgup", "pgdown", "alt+enter", "ctrl+space", "f12", "tab",
		"shift+enter", "ctrl+enter", "alt+x", "ctrl+alt+x", "shift+up", "ctrl+left", "delete", "backspace", "alt+backspace",
		"home", "end", "+", "X", "ä", "日", "ctrl+_", "ctrl+shift+up", "alt+f7", "shift+f10", "insert", "alt+[", "?", "space",
	}
	for name, o := range map[string]Options{"legacy": {}, "kitty": {Terminal: Terminal{Kitty: true}}} {
		t.Run(name, func(t *testing.T) {
			o.Cols, o.Rows = 60, 20
			d := Start(t, probed(t, "app", o))
			for _, k := range keys {
				d.Press("f6").Press(k)
				d.Expect(LineMatches(`^key ` + regexp.QuoteMeta(k) + `$`))
			}
		})
	}
}

func TestEscapeIsNotTheBeginningOfAKey(t *testing.T) {
	d := Start(t, probed(t, "app", Options{}))
	d.Press("esc", "a").Press("esc", "up")
	d.Expect(Contains("key esc\nkey a\nkey esc\nkey up\n"))
}

func TestUnknownKeysAreRefused(t *testing.T) {
	for _, key := range []string{"", "entr", "ctrl+", "hyper+x", "ctrl+abc", "\x01"} {
		if k, err := parseKey(key); err == nil {
			t.Errorf("%q is read as %+v", key, k)
		}
	}
	text := failure(t, func(t testing.TB) { Start(t, probed(t, "app", Options{})).Press("entr") })
	if !strings.Contains(text, `no key "entr"`) {
		t.Errorf("the failure is %q", text)
	}
}

func TestTypeAndPaste(t *testing.T) {
	d := Start(t, probed(t, "app", Options{}))
	d.Type("grüße 日本").Expect(CursorAfter("> grüße日本")) // the space is a key with a name
	d.Press("f6").Paste("one\r\ntwo\nthree\x1b[A")
	d.Expect(LineMatches(`^paste of 16: "one\\rtwo\\rthree\\x1b\[A"$`), Count("paste", 1))
	d.Press("f6").Paste(strings.Repeat("lorem ipsum ", 50_000))
	d.Expect(Contains("paste of 600000: "), Count("paste", 1), NotContains("key"))
	text := failure(t, func(t testing.TB) { Start(t, probed(t, "app", Options{})).Type("a\nb") })
	if !strings.Contains(text, "control characters are not typed") {
		t.Errorf("the failure is %q", text)
	}
}

func TestMouseAndFocus(t *testing.T) {
	d := Start(t, probed(t, "app", Options{}))
	d.Click(3, 4).Wheel(5, 6, Down, 2).Wheel(5, 6, Up, 1).Drag(1, 2, 7, 8).Focus(false).Focus(true)
	d.Expect(Contains("click 3,4\nrelease 3,4\nwheeldown 5,6\nwheeldown 5,6\nwheelup 5,6\n" +
		"click 1,2\nmotion 7,8\nrelease 7,8\nblur\nfocus\n"))
	d.Press("f6").ClickOn("|").Expect(Contains("click 119,1"))

	text := failure(t, func(t testing.TB) {
		d := Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"ready", "hang"}}))
		d.WaitFor(Contains("ready")).Click(1, 1)
	})
	if !strings.Contains(text, "has not turned on mouse events") {
		t.Errorf("the failure is %q", text)
	}
}

func TestResizeArrives(t *testing.T) {
	for name, env := range map[string][]string{
		"unnamed": nil, "named": {"APP_NAMED=1"}, "late": {"APP_NAMED=1", "APP_LATE=100ms"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Start(t, probed(t, "app", Options{Cols: 80, Rows: 24, Env: env}))
			d.Expect(LineContains(0, "size 80x24"))
			for _, size := range [][2]int{{100, 30}, {40, 10}, {80, 24}} {
				d.Resize(size[0], size[1]).Press("x")
				s := d.Screen()
				if s.Cols != size[0] || s.Rows != size[1] {
					t.Fatalf("the screen is %d×%d, want %v", s.Cols, s.Rows, size)
				}
				d.Expect(LineMatches(fmt.Sprintf(`^size %dx%d$`, size[0], size[1])), CursorAfter("x"), LineContains(-1, "> x"))
			}
		})
	}
}

func TestWaitIdleWaitsForWork(t *testing.T) {
	for name, terminal := range map[string]Terminal{"sync": {}, "no sync": {NoSync: true}, "silent": {Silent: true}} {
		t.Run(name, func(t *testing.T) {
			d := Start(t, probed(t, "app", Options{Terminal: terminal}))
			for n := 1; n <= 5; n++ {
				d.Press("f6", "f1").WaitSync()
				d.Press("f1", "a").WaitIdle()
				d.Expect(Count("work done", 2), CursorAfter("a"))
			}
			d.Press("f1")
			d.Expect(Not(Count("work done", 3))) // it waited for the keys only
		})
	}
}

func TestAnswersOfTheTerminal(t *testing.T) {
	d := Start(t, probed(t, "app", Options{}))
	d.WaitFor(Contains("mode 2026 is 2", "mode 2027 is 2")).Expect(NotContains("kitty"), Title("Prüfung ✓; eins"))
	d.Press("f2").WaitFor(Contains("dark true"))
	d = Start(t, probed(t, "app", Options{Terminal: Terminal{Light: true, NoSync: true, NoGraphemes: true, Kitty: true}}))
	d.WaitFor(Contains("mode 2026 is 0", "mode 2027 is 0", "kitty 1"))
	d.Press("f2").WaitFor(Contains("dark false"))
}

func TestWhatGoesBeyondTheScreen(t *testing.T) {
	asked := Count("mode 2027 is 2", 2) // the toolkit asks what the terminal can, and does so twice
	d := Start(t, probed(t, "app", Options{})).WaitFor(asked)
	d.Press("f3", "f4").WaitIdle()
	if got := d.Clipboard(); got != "copied ✓ text" {
		t.Errorf("the clipboard holds %q", got)
	}
	if got := d.Notifications(); len(got) != 1 || got[0] != "look here" {
		t.Errorf("the notifications are %q", got)
	}
	if d.Bells() != 1 {
		t.Errorf("the bell rang %d times", d.Bells())
	}
	d.Expect(Styled("in bold", "size", func(s Style) bool { return s.Bold }))
	d.ExpectQuiet(50 * time.Millisecond)
	text := failure(t, func(t testing.TB) {
		d := Start(t, probed(t, "app", Options{})).WaitFor(asked)
		d.Press("f1").WaitSync().ExpectQuiet(5 * time.Second)
	})
	if !strings.Contains(text, "while it should rest") || !strings.Contains(text, "work done") {
		t.Errorf("the failure is %q", text)
	}
}

func TestEndings(t *testing.T) {
	d := Start(t, probed(t, "app", Options{}))
	if got := d.Press("ctrl+q").Wait(); got != (ExitState{}) {
		t.Errorf("after quitting: %v", got)
	}
	d.AssertRestored()
	d.Expect(NotContains("size"), Matches("is the main one", func(s Screen) bool { return !s.Alt }))

	d = Start(t, probed(t, "app", Options{IgnoreRaces: true})) // the toolkit closes its input while it reads
	if got := d.Press("f5").Wait(); got.Code == 0 || !strings.Contains(d.Stderr(), "program was killed") {
		t.Errorf("after a panic: %v", got)
	}
	d.AssertRestored()

	d = Start(t, probed(t, "app", Options{}))
	d.WaitIdle().Signal(syscall.SIGTERM)
	d.AssertRestored()

	d = Start(t, probed(t, "app", Options{}))
	d.WaitIdle().Kill9()
	if got := d.Wait(); got != (ExitState{Code: -1, Signal: syscall.SIGKILL}) {
		t.Errorf("after kill -9: %v", got)
	}
	d.Expect(Contains("size")) // what it showed is still there

	d = Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"complain", "exit", "7"}}))
	if got := d.Wait(); got.Code != 7 || d.Stderr() != "something to complain about\n" {
		t.Errorf("it %v with %q", got, d.Stderr())
	}
	d = Start(t, probed(t, "raw", Options{Plain: true, StderrOnScreen: true, Args: []string{"complain"}}))
	d.Wait()
	d.Expect(Contains("something to complain about"))
}

func TestFailuresShowEverything(t *testing.T) {
	start := func(t testing.TB, args ...string) *Driver {
		home := filepath.Join(realTemp(t), ".hermes")
		if err := os.MkdirAll(filepath.Join(home, "logs"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "logs", "app.log"), []byte("a line of the log\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return Start(t, probed(t, "raw", Options{
			Plain: true, Home: home, Args: append([]string{"complain", "some \x1b[1mtext"}, args...), Cols: 30, Rows: 4,
			Timeout: 500 * time.Millisecond,
		}))
	}
	for name, c := range map[string]struct {
		steps func(t testing.TB)
		want  []string
	}{
		"time": {func(t testing.TB) { start(t, "hang").WaitFor(Contains("other")) }, []string{"the time ran out", `"other" is not there`}},
		"ended": {func(t testing.TB) { start(t, "exit", "3").WaitFor(Contains("other")) },
			[]string{"the program ended", "exited with code 3"}},
		"expect": {func(t testing.TB) {
			d := start(t)
			d.Wait()
			d.Expect(NotContains("text"), CursorAt(0, 0))
		}, []string{`"text" is at column 5 of row 0`, "it is at 9,0"}},
		"wait": {func(t testing.TB) { start(t, "hang").Wait() }, []string{"before the program ended"}},
		"idle": {func(t testing.TB) { start(t, "hang").WaitFor(Contains("text")).WaitIdle() }, []string{"does not know the protocol"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := failure(t, c.steps)
			for _, want := range append(c.want, "│some text ", "30×4 · cursor at 9,0", "something to complain about",
				"-- log app.log\na line of the log", `some \x1b[1mtext`) {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in:\n%s", want, text)
				}
			}
		})
	}
	text := failure(t, func(t testing.TB) {
		o := probed(t, "raw", Options{Args: []string{"never a title", "hang"}, Timeout: 300 * time.Millisecond})
		Start(t, o).Press("x")
	})
	if !strings.Contains(text, "before the program had drawn its first frame") {
		t.Errorf("the failure is %q", text)
	}
}

func TestLaunch(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	answers := &script.Scenario{Models: []script.Model{{ID: "parrot"}}, Rules: []script.Rule{{Steps: []script.Step{script.Text{Text: "hi"}}}}}
	d := Start(t, probed(t, "raw", Options{
		Plain: true, Args: []string{"env"}, Scenario: answers, Config: "display:\n  theme: dark\n  note: \"{{url}}\"\n", Cols: 200, Rows: 30,
		Env: []string{"LANG=de_DE.UTF-8"},
	}))
	d.Wait()
	d.Expect(Contains("HERMES_HOME="+d.Home(), "TERM=xterm-256color", "LANG=de_DE.UTF-8", "TZ=UTC"), NotContains("secret", "HERMES_TUI_UITEST"))
	config, err := os.ReadFile(filepath.Join(d.Home(), "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	url := d.Server().URL()
	want := "model:\n  provider: custom\n  base_url: " + url + "\n  default: \"parrot\"\n" +
		"probe:\n  local_servers: false\ndisplay:\n  theme: dark\n  note: \"" + url + "\"\n"
	if string(config) != want {
		t.Errorf("config.yaml is\n%s\nwant\n%s", config, want)
	}
	again := Start(t, probed(t, "raw", Options{Plain: true, Home: d.Home(), Args: []string{"env"}, Cols: 200, Rows: 30}))
	again.Wait()
	if again.Dir() != d.Dir() {
		t.Errorf("the second start was in %s, the first in %s", again.Dir(), d.Dir())
	}
	if kept, err := os.ReadFile(filepath.Join(d.Home(), "config.yaml")); err != nil || string(kept) != want {
		t.Errorf("the second start changed the settings to\n%s (%v)", kept, err)
	}
}

func TestInputIsTypedInOrder(t *testing.T) {
	d := Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"name? ", "read"}}))
	d.WaitFor(Contains("name?")).Type("Ada").Press("enter").Wait()
	d.Expect(Contains(`got "Ada\n"`))
}

func TestAProgramThatDoesNotReadHoldsNoOneUp(t *testing.T) {
	d := Start(t, probed(t, "raw", Options{Plain: true, Args: []string{"stty", "ready", "stall"}}))
	d.WaitFor(Contains("ready")).Paste(strings.Repeat("text ", 200_000))
	d.Expect(Contains("ready"))
	d.Kill9()
}

func TestWhatScrolledAwayIsKept(t *testing.T) {
	var lines strings.Builder
	for n := range 50 {
		fmt.Fprintf(&lines, "line %d\r\n", n)
	}
	d := Start(t, probed(t, "raw", Options{Plain: true, Rows: 10, Cols: 20, Args: []string{lines.String()}}))
	d.Wait()
	if got := d.History(); len(got) != 41 || got[0] != "line 0" || got[40] != "line 40" {
		t.Errorf("%d rows are kept: %q", len(got), got)
	}
	d.Expect(LineContains(0, "line 41"))
}
