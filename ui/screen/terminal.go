package screen

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	xterm "golang.org/x/term"

	"hermes-tui/ui/term"
)

// Lost says that the terminal is gone: nothing can be read from it any more.
type Lost struct{ Err error }

// ByRunes says that the terminal has no grapheme widths.
type ByRunes struct{}

// Panicked carries a panic of a goroutine of this package to the one of the
// program, which ends in order only from there.
type Panicked struct {
	Value any
	Stack []byte
}

// stuckTime is how long a terminal that takes no output is waited for when it is
// given back.
const stuckTime = 500 * time.Millisecond

// Terminal is the user's terminal while the program has it. See the package for
// what it guarantees.
type Terminal struct {
	out     io.Writer
	environ []string
	console uv.Console // nil unless input and output are a terminal
	profile colorprofile.Profile
	send    func(any)
	now     func() time.Time
	tty     io.Reader       // what is read
	ctx     context.Context // from the start to the end
	cancel  context.CancelFunc
	lent    atomic.Bool // another program has the terminal

	mu     sync.Mutex
	reads  *reading
	spare  []string      // room for the rows of the next frame
	next   *Frame        // to be shown
	before []byte        // to be written before it
	sync   bool          // the terminal has answered: output can be synchronised
	wide   bool          // and: it can measure graphemes
	erase  bool          // the next frame begins with an empty screen
	modes  bool          // the modes are to be set once more
	taken  bool          // and the whole screen, which no one was told to give back
	away   bool          // the terminal was given back
	left   chan struct{} // closed when that is written

	// What frames have taken: the newest one, how many there were, and all of them.
	bytes, frames, allBytes int

	wake  chan struct{} // holds a token while there may be something to write
	stop  chan struct{} // ends the writer
	ended chan struct{} // closed when the writer has ended
	halt  chan struct{} // wishes that the process stops
}

// Open takes the terminal that in and out are: it sets raw mode, and shows nothing
// until the first frame. Where they are none, frames are written all the same and
// modes are left alone. now is the clock by which typing is told from pasting.
func Open(in io.Reader, out io.Writer, environ []string, now func() time.Time) (*Terminal, error) {
	t := &Terminal{
		tty: in, out: out, now: now, environ: environ, profile: colorprofile.Detect(out, environ),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan struct{}), halt: make(chan struct{}, 1),
	}
	fin, isIn := in.(uv.File)
	fout, isOut := out.(uv.File)
	if isIn && isOut && xterm.IsTerminal(int(fin.Fd())) && xterm.IsTerminal(int(fout.Fd())) {
		t.console = uv.NewConsole(fin, fout, environ)
		if _, err := t.console.MakeRaw(); err != nil {
			return nil, fmt.Errorf("set the terminal to raw mode: %w", err)
		}
	}
	return t, nil
}

// Profile is how many colours the terminal shows.
func (t *Terminal) Profile() colorprofile.Profile { return t.profile }

// Size is the size of the terminal in cells; zero if it is none.
func (t *Terminal) Size() (w, h int) {
	if t.console == nil {
		return 0, 0
	}
	w, h, err := t.console.GetSize()
	if err != nil {
		return 0, 0
	}
	return w, h
}

// Start begins to read and to write. What the terminal sends goes to send, which
// may block: events of [uv], [Lost] once when it is gone, [Panicked].
func (t *Terminal) Start(send func(any)) error {
	ctx, cancel := context.WithCancel(context.Background())
	t.send = send
	if err := t.listen(ctx); err != nil {
		cancel()
		return err
	}
	t.ctx, t.cancel = ctx, cancel
	go t.guard(func() { t.signals(ctx) })
	go t.guard(func() {
		whole := false
		defer func() {
			if !whole { // after a panic it is not known what the terminal has got
				_, _ = io.WriteString(t.out, term.ResetSequence()+term.RestoreTitle)
			}
			close(t.ended)
		}()
		t.write()
		whole = true
	})
	return nil
}

// guard hands a panic on.
func (t *Terminal) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			t.send(Panicked{r, debug.Stack()})
		}
	}()
	f()
}

// Draw shows a frame. The rows are copied.
func (t *Terminal) Draw(f Frame) {
	t.mu.Lock()
	if t.next != nil {
		t.spare = t.next.Rows // it was never written
	}
	f.Rows = append(t.spare[:0], f.Rows...)
	t.next, t.spare = &f, nil
	t.mu.Unlock()
	t.rouse()
}

// Write writes sequences that belong to no frame: questions to the terminal,
// notifications, the clipboard. They come before the next frame.
func (t *Terminal) Write(seq string) {
	t.mu.Lock()
	t.before = append(t.before, seq...)
	t.mu.Unlock()
	t.rouse()
}

// Written is how many bytes the newest frame took, and how many a frame takes on average.
// Frames in which nothing changed do not count.
func (t *Terminal) Written() (last, mean int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes, t.allBytes / max(t.frames, 1)
}

// Redraw draws the newest frame again on an empty screen, and sets the modes once more.
func (t *Terminal) Redraw() {
	t.mu.Lock()
	t.erase, t.modes = true, true
	t.mu.Unlock()
	t.rouse()
}

// Remind sets the modes of the terminal once more: it may be another one than before
// that shows the session of a multiplexer.
func (t *Terminal) Remind() {
	t.mu.Lock()
	t.modes = true
	t.mu.Unlock()
	t.rouse()
}

func (t *Terminal) rouse() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// write is the goroutine that writes. It alone has the painter.
func (t *Terminal) write() {
	p := newPainter(t.environ, t.profile)
	var shown *Frame // the newest frame, for a terminal that is drawn again
	for {
		select {
		case <-t.wake:
		case <-t.stop:
			select {
			case <-t.wake: // the last sequence is still to be written
			default:
				return
			}
		}
		t.mu.Lock()
		if t.next != nil && !t.away {
			if shown != nil {
				t.spare = shown.Rows
			}
			shown, t.next = t.next, nil
		}
		out := t.take(p, shown)
		left := t.left
		t.left = nil
		t.mu.Unlock()
		if len(out) > 0 {
			// Whoever reads from the terminal learns that it is gone.
			_, _ = t.out.Write(out)
		}
		if left != nil {
			close(left)
		}
	}
}

// take is what is to be written now. The caller holds the lock.
func (t *Terminal) take(p *painter, shown *Frame) []byte {
	if t.away {
		if p.on {
			return p.leave()
		}
		return nil
	}
	p.sync = t.sync
	if t.wide {
		t.before = append(t.before, p.setGraphemes()...)
	}
	switch {
	case t.taken:
		t.before = append(t.before, p.retake()...)
	case t.modes:
		t.before = append(t.before, p.remind()...)
	}
	t.taken, t.modes = false, false
	if t.erase {
		p.erase()
		t.erase = false
	}
	if shown == nil {
		return nil // questions wait for the modes
	}
	out := p.frame(shown, t.before)
	t.before = t.before[:0]
	if len(out) > 0 {
		t.bytes, t.frames, t.allBytes = len(out), t.frames+1, t.allBytes+len(out)
	}
	return out
}

// giveBack writes what puts the terminal back as it was and waits until that is
// done, or until it is clear that the terminal takes nothing. The settings of the
// terminal are restored in any case.
func (t *Terminal) giveBack() {
	left := make(chan struct{})
	t.mu.Lock()
	t.away, t.left = true, left
	t.mu.Unlock()
	t.rouse()
	if !within(left, t.ended) {
		// What it has not read is dropped, which makes room for the sequence.
		t.drop()
		within(left, t.ended)
	}
	if t.console != nil {
		_ = t.console.Restore() // fails when it is gone
	}
}

// within reports whether one of two channels is closed before the terminal counts as
// stuck.
func within(done, broken <-chan struct{}) bool {
	late := time.NewTimer(stuckTime)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-broken:
		return true
	case <-late.C:
		return false
	}
}

// takeAgain has the terminal once more after [Terminal.giveBack], or after a stop that
// came without it: another program may have changed its settings, its modes, its size and
// what it shows.
func (t *Terminal) takeAgain() {
	if t.console != nil {
		_ = t.console.Restore()
		_, _ = t.console.MakeRaw() // or keys arrive in lines
	}
	t.mu.Lock()
	t.taken = !t.away
	t.away, t.erase = false, true
	t.mu.Unlock()
	t.rouse()
	t.resized()
}

// resized tells the size of the terminal.
func (t *Terminal) resized() {
	if w, h := t.Size(); w > 0 {
		t.send(uv.WindowSizeEvent{Width: w, Height: h})
	}
}

// Close gives the terminal back and ends what [Terminal.Start] has begun. It takes
// no longer than a second, whatever the terminal does.
func (t *Terminal) Close() {
	if t.cancel == nil { // it was never started
		if t.console != nil {
			_ = t.console.Restore()
		}
		return
	}
	t.cancel()
	t.deafen()
	t.giveBack()
	t.dropInput()
	close(t.stop)
}

// read is the goroutine that reads.
func (t *Terminal) read(ctx context.Context, r *reading) {
	events := make(chan uv.Event)
	var err error
	go func() {
		defer close(events)
		err = t.decoder(r).StreamEvents(ctx, events)
	}()
	defer func() { r.close() }()
	for e := range events {
		switch e := e.(type) {
		case uv.ModeReportEvent:
			t.answered(e)
		case uv.PrimaryDeviceAttributesEvent: // behind all other answers
			if !t.measures() {
				t.send(ByRunes{})
			}
		}
		t.send(e)
	}
	if ctx.Err() == nil && !r.lends.Load() {
		t.send(Lost{err})
	}
}

// decoder reads events. Where the terminal sends bytes, they are put in order before.
func (t *Terminal) decoder(r *reading) *uv.TerminalReader {
	kind := uv.Environ(t.environ).Getenv("TERM")
	if runtime.GOOS == "windows" { // the console has events of its own
		return uv.NewTerminalReader(r.keys, kind)
	}
	in := term.NewInput(r.keys, t.now, time.After)
	r.close = in.Close
	d := uv.NewTerminalReader(term.CleanPastes(in), kind)
	d.EscTimeout = time.Millisecond // it has been waited for
	return d
}

// answered takes the terminal's answer to whether it knows a mode.
func (t *Terminal) answered(m uv.ModeReportEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet
	switch m.Mode {
	case ansi.ModeSynchronizedOutput:
		t.sync = m.Value == ansi.ModeReset
	case ansi.ModeUnicodeCore:
		t.wide = t.wide || known
	}
}

// measures reports whether the terminal has answered that it knows grapheme widths.
func (t *Terminal) measures() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wide
}
