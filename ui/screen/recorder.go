package screen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/ui/rows"
)

// maxWaiting is how many bytes of input wait to be written at most. More end the recording.
const maxWaiting = 16 << 20

// Recorder writes what a screen shows and what is typed as an asciicast of version 2:
// https://docs.asciinema.org/manual/asciicast/v2/. Each event is handed to the system as a
// whole line, so a killed program leaves a file that can be played. Secrets are masked
// before they are written. A file that cannot be written ends the recording and keeps the
// events before; it ends nothing else. Recorder is safe for concurrent use.
type Recorder struct {
	file    *os.File
	started time.Time
	size    [2]int // of the frames so far
	painter *painter
	shown   []string // rows of the newest frame, as the screen has them
	masked  []string // the same rows with secrets masked

	mu      sync.Mutex
	mask    func(string) string
	failed  func(error)
	queue   []recorded
	waiting int // bytes of input in the queue
	closed  bool
	broken  error
	wake    chan struct{}
	done    chan struct{}
}

// recorded is an event that was not written yet: a frame, or input.
type recorded struct {
	at    time.Time
	frame *Frame
	input string
}

// Record begins a recording in an empty file, which it closes at the end. mask hides
// secrets in a text.
func Record(file *os.File, w, h int, start time.Time, mask func(string) string) (*Recorder, error) {
	r := &Recorder{
		file: file, started: start, size: [2]int{w, h}, mask: mask,
		// Every player knows the few sequences that this kind of terminal has.
		painter: newPainter([]string{"TERM=vt220"}, colorprofile.TrueColor),
		wake:    make(chan struct{}, 1), done: make(chan struct{}),
	}
	r.painter.on = true // a player keeps its own modes
	head, err := json.Marshal(map[string]any{
		"version": 2, "width": w, "height": h, "timestamp": start.Unix(), "env": map[string]string{"TERM": "xterm-256color"},
	})
	if err == nil {
		err = r.put(append(head, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	go r.write()
	return r, nil
}

// SetMask replaces how secrets are hidden.
func (r *Recorder) SetMask(mask func(string) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mask = mask
}

// OnFailure sets what is called once when the recording ends by itself.
func (r *Recorder) OnFailure(f func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = f
}

// Show records a frame. Of frames that follow each other faster than they are written the
// newest counts. The rows are copied.
func (r *Recorder) Show(f Frame, at time.Time) {
	f.Rows, f.Mouse = slices.Clone(f.Rows), false
	r.add(recorded{at: at, frame: &f})
}

// Typed records input as a terminal sends it.
func (r *Recorder) Typed(input string, at time.Time) { r.add(recorded{at: at, input: input}) }

func (r *Recorder) add(e recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.broken != nil {
		return
	}
	if n := len(r.queue); n > 0 && e.frame != nil && r.queue[n-1].frame != nil {
		r.queue[n-1] = e
		return
	}
	if r.waiting += len(e.input); r.waiting > maxWaiting {
		r.fail(errors.New("the disk is too slow"))
		return
	}
	r.queue = append(r.queue, e)
	r.rouse()
}

func (r *Recorder) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// fail ends the recording. The caller holds the lock.
func (r *Recorder) fail(err error) {
	if r.broken != nil {
		return
	}
	r.broken, r.queue = err, nil
	if r.failed != nil {
		go r.failed(err)
	}
	r.rouse()
}

// Close writes what waits and ends the recording.
func (r *Recorder) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.rouse()
	<-r.done
	return r.file.Close()
}

// write is the goroutine that writes. It alone has the painter.
func (r *Recorder) write() {
	defer close(r.done)
	for range r.wake {
		r.mu.Lock()
		list, mask, closed, broken := r.queue, r.mask, r.closed, r.broken
		r.queue, r.waiting = nil, 0
		r.mu.Unlock()
		if broken != nil {
			return
		}
		for _, e := range list {
			if err := r.put(r.lines(e, mask)); err != nil {
				r.mu.Lock()
				r.fail(err)
				r.mu.Unlock()
				return
			}
		}
		if closed {
			return
		}
	}
}

// put appends whole lines to the file, or none.
func (r *Recorder) put(lines []byte) error {
	n, err := r.file.Write(lines)
	if err == nil || n == 0 {
		return err
	}
	info, bad := r.file.Stat()
	if bad == nil {
		bad = r.file.Truncate(info.Size() - int64(n))
	}
	return errors.Join(err, bad)
}

// lines returns what an event is in the file.
func (r *Recorder) lines(e recorded, mask func(string) string) []byte {
	if e.frame == nil {
		return r.line(nil, e.at, "i", mask(e.input))
	}
	var all []byte
	f := *e.frame
	if size := [2]int{f.Width, len(f.Rows)}; size != r.size {
		r.size = size
		all = r.line(all, e.at, "r", fmt.Sprintf("%dx%d", size[0], size[1]))
	}
	f.Rows, f.Title = r.hide(f, mask), mask(f.Title)
	if out := r.painter.frame(&f, nil); len(out) > 0 {
		all = r.line(all, e.at, "o", string(out))
	}
	return all
}

// line appends one event.
func (r *Recorder) line(dst []byte, at time.Time, kind, text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string into a buffer
	return fmt.Appendf(dst, "[%.6f, %q, %s]\n", max(at.Sub(r.started), 0).Seconds(), kind, bytes.TrimSpace(b.Bytes()))
}

// hide returns the rows of a frame with secrets masked. A row that holds one loses its
// styles.
func (r *Recorder) hide(f Frame, mask func(string) string) []string {
	was, hidden := r.shown, make([]string, len(f.Rows))
	for y, row := range f.Rows {
		if y < len(was) && was[y] == row {
			hidden[y] = r.masked[y]
			continue
		}
		hidden[y] = row
		plain := ansi.Strip(row)
		if text := mask(plain); text != plain || mask(row) != row {
			hidden[y] = rows.Fit(text, f.Width)
		}
	}
	r.shown, r.masked = f.Rows, hidden
	return hidden
}
