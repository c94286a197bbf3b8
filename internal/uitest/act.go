//go:build unix

package uitest

import (
	"fmt"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
)

// send gives bytes to the program, after its first frame.
func (d *Driver) send(text string) *Driver {
	d.t.Helper()
	if err := d.ready(); err != nil {
		d.fail("%v before the program had drawn its first frame", err)
	}
	d.input.add([]byte(text))
	d.behind = true
	return d
}

// Send gives bytes to the program as they are.
func (d *Driver) Send(bytes string) *Driver {
	d.t.Helper()
	return d.send(bytes)
}

// Press presses keys, one after the other, by the names the program's own key
// table has: "enter", "esc", "ctrl+c", "alt+up", "shift+tab", "pgup", "f5", "x",
// "X", "space". They are sent as an xterm sends them, or, where the program
// turned it on and [Terminal.Kitty] is set, in the kitty protocol. After esc comes
// a reply to be counted, so that the next key is not taken for a part of it.
func (d *Driver) Press(keys ...string) *Driver {
	d.t.Helper()
	for _, name := range keys {
		k, err := parseKey(name)
		if err != nil {
			d.fail("%v", err)
		}
		if name == "enter" && d.bang {
			d.rest()
		}
		d.pace(name == "enter")
		bytes := k.encode(d.keyboard())
		d.send(bytes)
		if bytes == "\x1b" && !d.plain {
			d.sendMark()
		}
	}
	return d
}

// keyboard is how keys are sent just now.
func (d *Driver) keyboard() keyboard {
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	m := &d.term.modes
	return keyboard{kitty: d.term.kind.Kitty && m.keys(d.term.screen())&1 != 0, application: m.dec[modeCursorKeys]}
}

// Quit leaves by ctrl+d, pressed once more in case the program asks because something runs.
func (d *Driver) Quit() *Driver {
	d.t.Helper()
	return d.Press("ctrl+d", "ctrl+d")
}

// Type types text, character by character. It has no control characters; for
// those there is Press.
func (d *Driver) Type(text string) *Driver {
	d.t.Helper()
	if strings.ContainsFunc(text, unicode.IsControl) {
		d.fail("type %q: control characters are not typed; use Press or Paste", text)
	}
	d.pace(false)
	d.bang = d.bang || strings.HasPrefix(text, "!")
	return d.send(text)
}

// typed is what a user takes at least between two keys, by which they are told from a
// paste: a command of the user's is run only when it was typed.
const typed = 15 * time.Millisecond

// rest has the program handle what was sent, and replies until a user might press the next
// key.
func (d *Driver) rest() {
	d.t.Helper()
	d.settle()
	for began := time.Now(); time.Since(began) < typed && !d.plain; {
		d.behind = true
		d.settle()
	}
}

// pace lets an enter and a paste take effect before other keys come: what comes together
// with them is taken for a part of a paste.
func (d *Driver) pace(ends bool) {
	d.t.Helper()
	if d.ends && !d.plain && !d.stuck.Load() && d.asked("", func(t *terminal) bool { return t.modes.dec[modePaste] }) {
		d.settle()
	}
	d.ends, d.bang = ends, d.bang && !ends
}

// Paste pastes text: in brackets if the program asked for that, and with
// carriage returns for line feeds, as terminals do. Other control characters are
// sent as they are, which terminals do not all do.
func (d *Driver) Paste(text string) *Driver {
	d.t.Helper()
	d.pace(true)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r")
	if d.asked("", func(t *terminal) bool { return t.modes.dec[modePaste] }) {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return d.send(text)
}

// asked reports whether the program has asked for something, after its first
// frame. With a name, the test fails if it has not.
func (d *Driver) asked(name string, has func(*terminal) bool) bool {
	d.t.Helper()
	if err := d.ready(); err != nil {
		d.fail("%v before the program had drawn its first frame", err)
	}
	d.term.mu.Lock()
	ok := has(d.term)
	d.term.mu.Unlock()
	if !ok && name != "" {
		d.fail("the program has not turned on %s, so the terminal sends none", name)
	}
	return ok
}

// mouse sends a mouse event in the SGR form.
func (d *Driver) mouse(button, x, y int, release bool) *Driver {
	d.t.Helper()
	d.asked("mouse events in SGR form", func(t *terminal) bool { return t.modes.mouse() && t.modes.dec[modeMouseSGR] })
	if x < 0 || y < 0 || x >= d.cols || y >= d.rows {
		d.fail("there is no column %d in row %d on a screen of %d×%d", x, y, d.cols, d.rows)
	}
	final := 'M'
	if release {
		final = 'm'
	}
	return d.send(fmt.Sprintf("\x1b[<%d;%d;%d%c", button, x+1, y+1, final))
}

// Click presses and releases the left button at a place.
func (d *Driver) Click(x, y int) *Driver {
	d.t.Helper()
	return d.mouse(0, x, y, false).mouse(0, x, y, true)
}

// ClickOn clicks on the first character of a text.
func (d *Driver) ClickOn(text string) *Driver {
	d.t.Helper()
	x, y, ok := d.Screen().Find(text)
	if !ok {
		d.fail("click on %q: it is not on the screen", text)
	}
	return d.Click(x, y)
}

// Drag presses the left button at one place and releases it at another.
func (d *Driver) Drag(fromX, fromY, toX, toY int) *Driver {
	d.t.Helper()
	return d.mouse(0, fromX, fromY, false).mouse(32, toX, toY, false).mouse(0, toX, toY, true)
}

// Direction is where a wheel turns.
type Direction int

// The directions.
const (
	Up   Direction = 64
	Down Direction = 65
)

// Wheel turns the wheel n steps at a place.
func (d *Driver) Wheel(x, y int, to Direction, n int) *Driver {
	d.t.Helper()
	for range n {
		d.mouse(int(to), x, y, false)
	}
	return d
}

// Focus brings the terminal to the front or another window before it.
func (d *Driver) Focus(front bool) *Driver {
	d.t.Helper()
	d.asked("focus reports", func(t *terminal) bool { return t.modes.dec[modeFocus] })
	if front {
		return d.send("\x1b[I")
	}
	return d.send("\x1b[O")
}

// Resize changes the size of the terminal.
func (d *Driver) Resize(cols, rows int) *Driver {
	d.t.Helper()
	if err := d.ready(); err != nil {
		d.fail("%v before the program had drawn its first frame", err)
	}
	if cols == d.cols && rows == d.rows {
		return d
	}
	d.term.mu.Lock()
	d.erased = d.term.erased
	d.term.mu.Unlock()
	d.cols, d.rows, d.behind, d.undrawn = cols, rows, true, true
	d.term.resize(cols, rows)
	if err := d.console.resize(cols, rows); err != nil {
		d.fail("%v", err)
	}
	return d
}

// Signal sends a signal to the program.
func (d *Driver) Signal(s syscall.Signal) *Driver {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.fail("send %v: %v", s, err)
	}
	return d
}

// SignalForeground sends a signal to the process group that has the terminal, which
// is another one than the program's when that is a shell.
func (d *Driver) SignalForeground(s syscall.Signal) *Driver {
	d.t.Helper()
	group, err := unix.IoctlGetInt(int(d.console.file.Fd()), unix.TIOCGPGRP)
	if err == nil {
		err = syscall.Kill(-group, s)
	}
	if err != nil {
		d.fail("send %v to the foreground: %v", s, err)
	}
	return d
}

// Kill9 ends the program the hard way and waits until it is gone.
func (d *Driver) Kill9() *Driver {
	d.t.Helper()
	d.Signal(syscall.SIGKILL).Wait()
	return d
}
