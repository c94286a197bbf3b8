//go:build unix

package screen

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/creack/pty"
	"go.uber.org/goleak"
	xterm "golang.org/x/term"

	"hermes-tui/ui/term"
)

// patience is how long a test waits for what should come at once.
const patience = 10 * time.Second

// opened is a terminal with what it has sent, and the end that a user would hold.
func opened(t *testing.T) (user *os.File, tm *Terminal, tty *os.File, sent chan any) {
	t.Helper()
	user, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = user.Close(), tty.Close() })
	if err := pty.Setsize(user, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	tm, err = Open(tty, tty, environ, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	sent = make(chan any, 100)
	if err := tm.Start(func(m any) { sent <- m }); err != nil {
		t.Fatal(err)
	}
	return user, tm, tty, sent
}

// await returns the next message that a terminal has sent.
func await(t *testing.T, sent <-chan any) any {
	t.Helper()
	select {
	case m := <-sent:
		return m
	case <-time.After(patience):
		t.Fatal("nothing comes")
		return nil
	}
}

// busy is a frame whose every row is unlike that of another number.
func busy(n int) Frame {
	f := Frame{Width: 80, Rows: make([]string, 24), Title: fmt.Sprint("frame ", n)}
	for y := range f.Rows {
		f.Rows[y] = fmt.Sprintf("%-80s", fmt.Sprintf("row %d of frame %d", y, n))
	}
	return f
}

// until reads from a terminal until a text has come.
func until(t *testing.T, r io.Reader, text string) string {
	t.Helper()
	found := make(chan string, 1)
	go func() {
		var all bytes.Buffer
		buf := make([]byte, 4096)
		for !strings.Contains(all.String(), text) {
			n, err := r.Read(buf)
			all.Write(buf[:n])
			if err != nil {
				break
			}
		}
		found <- all.String()
	}()
	select {
	case s := <-found:
		return s
	case <-time.After(patience):
		t.Fatalf("%q never comes", text)
		return ""
	}
}

// TestTerminalThatTakesNothing draws to a terminal that no one reads from: drawing
// does not block, and it is given back in time, with its settings as they were and
// room made for the sequence that restores it.
func TestTerminalThatTakesNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	user, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = user.Close(), tty.Close() }()
	before, err := xterm.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	tm, err := Open(tty, tty, environ, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := tm.Start(func(any) {}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for n := range 2000 { // some megabytes; a terminal holds a few kilobytes
		tm.Draw(busy(n))
	}
	tm.Close()
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
	after, err := xterm.GetState(int(tty.Fd()))
	if err != nil || *after != *before {
		t.Errorf("the settings are not as before: %v", err)
	}
	until(t, user, term.RestoreTitle)
}

// TestTerminalEvents reads keys, answers and sizes, and says when the terminal is
// gone.
func TestTerminalEvents(t *testing.T) {
	user, tm, tty, sent := opened(t)
	defer tm.Close()
	if w, h := tm.Size(); w != 80 || h != 24 {
		t.Errorf("its size is %d×%d", w, h)
	}
	if _, err := user.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if k, ok := await(t, sent).(uv.KeyPressEvent); !ok || k.Text != "x" {
		t.Errorf("a key is %v", k)
	}
	if _, err := user.WriteString("\x1b[?2026;2$y"); err != nil {
		t.Fatal(err)
	}
	if m, ok := await(t, sent).(uv.ModeReportEvent); !ok || m.Mode.Mode() != 2026 {
		t.Errorf("an answer is %v", m)
	}
	tm.Draw(busy(1))
	if all := until(t, user, "frame 1"); !strings.Contains(all, "\x1b[?2026h") {
		t.Errorf("its output is not synchronised: %q", all)
	}
	tm.Write("\x1b[c")
	until(t, user, "\x1b[c")
	_, _ = user.Close(), tty
	for {
		if _, ok := await(t, sent).(Lost); ok {
			return
		}
	}
}

// TestTerminalTakenAgain gives the terminal back and takes it again, as when the
// process is stopped and continued: what is drawn meanwhile waits.
func TestTerminalTakenAgain(t *testing.T) {
	user, tm, tty, sent := opened(t)
	defer tm.Close()
	before, err := xterm.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	tm.Draw(busy(1))
	until(t, user, "row 23 of frame 1")
	tm.giveBack()
	until(t, user, term.RestoreTitle)
	tm.Draw(busy(2))
	tm.takeAgain()
	if all := until(t, user, "row 23 of frame 2"); !strings.HasPrefix(all, term.SaveTitle+"\x1b[?1049h") {
		t.Errorf("it begins with %.60q", all)
	}
	if after, err := xterm.GetState(int(tty.Fd())); err != nil || *after != *before {
		t.Errorf("it is not raw again: %v", err)
	}
	if size, ok := await(t, sent).(uv.WindowSizeEvent); !ok || size.Width != 80 {
		t.Errorf("its size is told as %v", size)
	}
}
