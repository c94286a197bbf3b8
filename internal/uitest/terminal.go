package uitest

import (
	"fmt"
	"image/color"
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Terminal says what the terminal is like. The zero value is a dark one that
// knows synchronised output and grapheme widths, but not the kitty keyboard
// protocol.
type Terminal struct {
	// Light gives it a white background.
	Light bool
	// NoSync and NoGraphemes make it not know modes 2026 and 2027.
	NoSync, NoGraphemes bool
	// Kitty makes it know the kitty keyboard protocol.
	Kitty bool
	// Silent makes it answer no question at all.
	Silent bool
}

// terminal is the model of a terminal. It is safe for concurrent use.
type terminal struct {
	kind Terminal

	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	em      *vt.Emulator
	scan    scanner
	modes   modes
	mark    mark
	title   string
	clip    string
	notes   []string
	bells   int
	erased  int // how often the whole screen was erased
	bytes   int64
	tail    []byte // the newest output, between keepTail and twice as much
	over    bool   // nothing more will come
	fault   error  // of the emulator
}

// mark is what the newest title said for the driver.
type mark struct {
	Mark
	seen bool
	// sealed tells that the whole frame with this title was read.
	sealed bool
}

// keepTail is how much of the newest output is kept, in bytes.
const keepTail = 64 << 10

// firstTitle is the window title that a program finds.
const firstTitle = "a shell"

// newTerminal makes a terminal. Its answers must be read from [terminal.answers]
// all the time.
func newTerminal(cols, rows int, kind Terminal) *terminal {
	t := &terminal{
		kind: kind, changed: make(chan struct{}), em: vt.NewEmulator(cols, rows), modes: newModes(), title: firstTitle,
	}
	t.scan = scanner{text: func(p []byte) { _, _ = t.em.Write(p) }, command: t.command}
	t.em.SetScrollbackSize(5000)
	t.em.SetCallbacks(vt.Callbacks{Bell: func() { t.bells++ }})
	if kind.Light {
		t.em.SetDefaultBackgroundColor(color.White)
		t.em.SetDefaultForegroundColor(color.Black)
		t.em.SetDefaultCursorColor(color.Black)
	}
	t.register()
	return t
}

// answers is what the terminal sends by itself. Reading ends after close.
func (t *terminal) answers() io.Reader { return t.em }

// close ends the answers.
func (t *terminal) close() {
	if w, ok := t.em.InputPipe().(io.Closer); ok {
		_ = w.Close()
	}
}

// answer sends a reply to the program.
func (t *terminal) answer(text string) { _, _ = io.WriteString(t.em.InputPipe(), text) }

// write shows output.
func (t *terminal) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += int64(len(p))
	if t.tail = append(t.tail, p...); len(t.tail) > 2*keepTail {
		t.tail = append(t.tail[:0], t.tail[len(t.tail)-keepTail:]...)
	}
	t.show(p)
	t.announce()
}

// show feeds the model. A panic in it is a fault of the model, to be reported
// with the output that led to it.
func (t *terminal) show(p []byte) {
	defer func() {
		if r := recover(); r != nil && t.fault == nil {
			t.fault = fmt.Errorf("the screen model gave up on the output: %v", r)
		}
	}()
	t.scan.feed(p)
}

// announce wakes all that wait for a change. The lock is held.
func (t *terminal) announce() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// end says that nothing more will come.
func (t *terminal) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.announce()
}

// resize changes the size.
func (t *terminal) resize(cols, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.em.Resize(cols, rows)
	t.modes.margins = false
	t.announce()
}

// maxRepeat is how often a sequence is carried out that the emulator repeats one
// by one. More is left out: it could take the emulator minutes.
const maxRepeat = 10_000

// register sees to the sequences that the emulator does not know or whose effect
// must be known here. A handler that returns false leaves the rest to it.
func (t *terminal) register() {
	dec := func(on bool) vt.CsiHandler {
		return func(p ansi.Params) bool {
			p.ForEach(0, func(_, mode int, _ bool) { t.setMode(mode, on) })
			return false
		}
	}
	plain := func(on bool) vt.CsiHandler {
		return func(p ansi.Params) bool {
			p.ForEach(0, func(_, mode int, _ bool) { t.modes.ansi[mode] = on })
			return false
		}
	}
	csi := t.em.RegisterCsiHandler
	csi(ansi.Command('?', 0, 'h'), dec(true))
	csi(ansi.Command('?', 0, 'l'), dec(false))
	csi('h', plain(true))
	csi('l', plain(false))
	csi(ansi.Command('?', '$', 'p'), t.askedMode)
	csi(ansi.Command('>', 0, 'u'), func(p ansi.Params) bool { t.modes.pushKeys(t.screen(), param(p, 0, 0)); return true })
	csi(ansi.Command('<', 0, 'u'), func(p ansi.Params) bool { t.modes.popKeys(t.screen(), param(p, 0, 1)); return true })
	csi(ansi.Command('=', 0, 'u'), func(p ansi.Params) bool {
		t.modes.setKeys(t.screen(), param(p, 0, 0), param(p, 1, 1))
		return true
	})
	csi(ansi.Command('?', 0, 'u'), t.askedKeys)
	csi(ansi.Command('>', 0, 'm'), func(p ansi.Params) bool {
		if param(p, 0, 4) == 4 {
			t.modes.otherKeys = param(p, 1, 0)
		}
		return true
	})
	csi(ansi.Command(0, ' ', 'q'), func(p ansi.Params) bool { t.modes.shape = param(p, 0, 0); return false })
	csi('r', t.margins)
	csi('t', t.window)
	csi('J', func(p ansi.Params) bool {
		if at := t.em.CursorPosition(); param(p, 0, 0) == 2 || param(p, 0, 0) == 0 && at.X == 0 && at.Y == 0 {
			t.erased++
		}
		return false
	})
	for _, repeated := range "bIXZ" {
		csi(int(repeated), func(p ansi.Params) bool { return param(p, 0, 1) > maxRepeat })
	}
	esc := t.em.RegisterEscHandler
	esc('=', func() bool { t.modes.keypad = true; return false })
	esc('>', func() bool { t.modes.keypad = false; return false })
	esc('c', func() bool {
		t.modes, t.title = newModes(), ""
		return false
	})
}

func param(p ansi.Params, i, otherwise int) int {
	n, _, _ := p.Param(i, otherwise)
	return n
}

// screen is the index of the screen shown: 0 the main, 1 the alternate one.
func (t *terminal) screen() int {
	if t.em.IsAltScreen() {
		return 1
	}
	return 0
}

func (t *terminal) setMode(mode int, on bool) {
	if mode == modeSync && t.kind.NoSync {
		return
	}
	t.modes.set(mode, on)
	if mode == modeSync && !on {
		t.mark.sealed = true
	}
}

// askedMode answers for the modes that the emulator does not know.
func (t *terminal) askedMode(p ansi.Params) bool {
	mode, state := param(p, 0, 0), 2
	switch {
	case mode != modeSync && mode != modeGraphemes:
		return false
	case mode == modeSync && t.kind.NoSync, mode == modeGraphemes && t.kind.NoGraphemes:
		state = 0
	case t.modes.dec[mode]:
		state = 1
	}
	t.answer(fmt.Sprintf("\x1b[?%d;%d$y", mode, state))
	return true
}

func (t *terminal) askedKeys(ansi.Params) bool {
	if t.kind.Kitty {
		t.answer(fmt.Sprintf("\x1b[?%du", t.modes.keys(t.screen())))
	}
	return true
}

func (t *terminal) margins(p ansi.Params) bool {
	top, bottom := param(p, 0, 1), param(p, 1, 0)
	if bottom > t.em.Height() { // drawn for the screen as it was before a resize; the emulator does not bound it
		return true
	}
	t.modes.margins = top > 1 || bottom > 0 && bottom < t.em.Height()
	return false
}

// window keeps the stack of titles.
func (t *terminal) window(p ansi.Params) bool {
	if what := param(p, 1, 0); what != 0 && what != 2 {
		return false
	}
	switch stack := t.modes.titles; param(p, 0, 0) {
	case 22:
		if len(stack) < 16 {
			t.modes.titles = append(stack, t.title)
		}
	case 23:
		if n := len(stack); n > 0 {
			t.title, t.modes.titles = stack[n-1], stack[:n-1]
		}
	}
	return false
}

// setTitle takes a window title.
func (t *terminal) setTitle(title string) {
	plain, m, ok := CutMark(title)
	t.title = plain
	if ok {
		t.mark = mark{Mark: m, seen: true}
	}
}

// history are the rows that have left the main screen at its top, oldest first.
func (t *terminal) history() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for y := range t.em.ScrollbackLen() {
		var b strings.Builder
		for x := range t.em.Width() {
			if c := t.em.ScrollbackCellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		all = append(all, strings.TrimRight(b.String(), " "))
	}
	return all
}
