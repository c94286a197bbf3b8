//go:build unix

package tmux

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"hermes-tui/internal/uitest"
	"hermes-tui/internal/uitest/internal/probe"
)

func TestMain(m *testing.M) {
	probe.Main()
	code := uitest.Main(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// start starts a small program of package probe in tmux.
func start(t *testing.T, name string, o Options) *Session {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Bin = bin
	o.Env = append(o.Env, probe.Env(name))
	return Start(t, o)
}

func TestKeysReachTheProgram(t *testing.T) {
	s := start(t, "app", Options{})
	for _, k := range []string{
		"enter", "ctrl+c", "alt+up", "shift+tab", "esc", "pgup", "alt+enter", "f12", "ctrl+left", "x", "X", "ä", ";", "space", "+",
	} {
		s.Press("f6", k)
		s.Expect(uitest.LineMatches(`^key `+strings.NewReplacer("+", `\+`).Replace(k)+`$`), uitest.Count("key", 1))
	}
	s.Press("f6", "esc", "up").Type("日本 ü;")
	s.Expect(uitest.Contains("key esc\nkey up\n"), uitest.CursorAfter("日本ü;"), uitest.Title("Prüfung ✓; eins"))
	s.Press("f6").Paste("one\ntwo")
	s.Expect(uitest.Contains(`paste of 7: "one\rtwo"`), uitest.Count("paste", 1))
	for _, key := range []string{"", "nokey", "super+x"} {
		if name, err := keyName(key); err == nil {
			t.Errorf("%q is %q", key, name)
		}
	}
}

func TestIdleStylesAndSize(t *testing.T) {
	for _, env := range [][]string{nil, {"APP_NAMED=1"}} {
		o := Options{}
		o.Cols, o.Rows, o.Env = 80, 24, env
		s := start(t, "app", o)
		s.Press("f1").WaitIdle()
		s.Expect(uitest.Count("work done", 1), uitest.LineContains(0, "size 80x24"),
			uitest.Styled("in bold", "size", func(st uitest.Style) bool { return st.Bold }))
		s.Resize(50, 12)
		s.Expect(uitest.LineContains(0, "size 50x12"), uitest.Matches("has the size", func(s uitest.Screen) bool {
			return s.Cols == 50 && s.Rows == 12 && s.Alt && s.Mouse
		}))
	}
}

func TestEndings(t *testing.T) {
	s := start(t, "app", Options{})
	if got := s.Press("ctrl+q").Wait(); got != (uitest.ExitState{}) {
		t.Errorf("after quitting: %v", got)
	}
	s.AssertRestored()

	s = start(t, "app", Options{})
	s.WaitIdle().Signal(syscall.SIGKILL)
	if got := s.Wait(); got != (uitest.ExitState{Code: -1, Signal: syscall.SIGKILL}) {
		t.Errorf("after kill -9: %v", got)
	}

	for name, kill := range map[string]func(*Session) *Session{"session": (*Session).KillSession, "server": (*Session).KillServer} {
		t.Run(name, func(t *testing.T) { kill(start(t, "app", Options{}).WaitIdle()).WaitGone() })
	}
}

func TestRawPrograms(t *testing.T) {
	o := Options{Set: [][]string{{"-g", "history-limit", "100"}}}
	o.Plain, o.Args = true, []string{"name? ", "read", "\x1b[?1002h", "exit", "5"}
	s := start(t, "raw", o)
	s.WaitFor(uitest.Contains("name?")).Type("Ada").Press("enter")
	if got := s.Wait(); got.Code != 5 {
		t.Errorf("it %v", got)
	}
	s.Expect(uitest.Contains(`got "Ada\n"`))
	if got := strings.TrimSpace(s.Run("show-options", "-gv", "history-limit")); got != "100" {
		t.Errorf("the option is %s", got)
	}
}

func TestAttachAndDetach(t *testing.T) {
	s := start(t, "app", Options{})
	outer := s.Attach()
	outer.WaitFor(uitest.Contains("size 120x36"))
	outer.Press("a").Click(3, 4)
	outer.WaitFor(uitest.Contains("key a", "click 3,4"))
	outer.Press("ctrl+b", "d").Wait()
	outer.AssertRestored()
	s.Press("b").Expect(uitest.Contains("key a", "key b"))
	s.Attach().WaitFor(uitest.Contains("key b"))
}

func TestWithoutTmuxTheTestIsSkipped(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		start(t, "app", Options{})
	})
	if !skipped {
		t.Error("the test went on")
	}
}
