package flight

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxWaiting is how many bytes wait to be written at most. More end the recording.
const maxWaiting = 16 << 20

// restTime is how long a screen has been at rest when its rows become a mark.
const restTime = 150 * time.Millisecond

// Recorder writes a recording. It is safe for concurrent use.
type Recorder struct {
	file  *os.File
	start time.Time
	mask  atomic.Pointer[func(string) string]
	ended func(error) // told once when it ends by itself; may be nil

	mu      sync.Mutex
	queue   [][]byte
	waiting int
	wake    chan struct{}
	done    chan struct{}
	closed  bool
	broken  bool
	ids     int
	bodies  map[string]body // the newest of each address
	rest    *rest           // the screen, as long as nothing has happened since
	shown   []string        // rows that were recorded last
}

// body is that of a request.
type body struct {
	id   int
	text string
}

// rest is a screen that was at rest at a moment.
type rest struct {
	at   int64
	rows []string
}

// Exists says that a recording would take the place of a file.
type Exists struct{ Name string }

func (e *Exists) Error() string {
	return fmt.Sprintf("%s is there already: name another file, or add --overwrite", e.Name)
}

// Record begins a recording in a file that is not there yet, or in the place of one that
// is. mask hides secrets.
func Record(name string, over bool, h Head, mask func(string) string) (*Recorder, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if over {
		if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no plain file, so it is not overwritten", name)
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, &Exists{name}
	}
	if err != nil {
		return nil, err
	}
	r := &Recorder{file: f, start: h.Start, wake: make(chan struct{}, 1), done: make(chan struct{}), bodies: map[string]body{}}
	r.SetMask(mask)
	h.Flight = Version
	h.Settings, h.Prompt = mask(h.Settings), mask(h.Prompt)
	line, err := json.Marshal(h)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	go r.write()
	return r, nil
}

// SetMask changes how secrets are hidden: later, more of them are known.
func (r *Recorder) SetMask(mask func(string) string) { r.mask.Store(&mask) }

// OnEnd sets who is told when the recording ends by itself.
func (r *Recorder) OnEnd(f func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = f
}

// Mask hides secrets in a text.
func (r *Recorder) Mask(text string) string { return (*r.mask.Load())(text) }

func (r *Recorder) now() int64 { return time.Since(r.start).Microseconds() }

// id names something that has several items.
func (r *Recorder) id() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	return r.ids
}

// add queues an item that happens now.
func (r *Recorder) add(i Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = nil
	i.T = r.now()
	r.put(i)
}

// put queues an item. The caller holds the lock.
func (r *Recorder) put(i Item) {
	if r.closed || r.broken {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(i); err != nil {
		r.fail(err)
		return
	}
	if r.waiting += b.Len(); r.waiting > maxWaiting {
		r.fail(errors.New("the disk is too slow"))
		return
	}
	r.queue = append(r.queue, b.Bytes())
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
	if r.broken {
		return
	}
	r.broken, r.queue = true, nil
	if r.ended != nil {
		go r.ended(err)
	}
	r.rouse()
}

// write is the goroutine that writes.
func (r *Recorder) write() {
	defer close(r.done)
	tick := time.NewTicker(restTime)
	defer tick.Stop()
	for {
		select {
		case <-r.wake:
		case <-tick.C:
		}
		r.mu.Lock()
		if r.rest != nil && r.now()-r.rest.at > restTime.Microseconds() {
			r.keep()
		}
		lines, closed, broken := r.queue, r.closed, r.broken
		r.queue, r.waiting = nil, 0
		r.mu.Unlock()
		if broken {
			return
		}
		if len(lines) > 0 {
			if _, err := r.file.Write(bytes.Join(lines, nil)); err != nil {
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

// Close ends the recording.
func (r *Recorder) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.keep()
		r.put(Item{T: r.now(), Kind: KindStop})
		r.closed = true
	}
	r.mu.Unlock()
	r.rouse()
	<-r.done
	return r.file.Close()
}

// Input records what the terminal has sent, when it is handled, and what the screen showed
// then.
func (r *Recorder) Input(name string, value []byte, rows []string) {
	value = maskJSON(value, r.Mask)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rest != nil {
		r.keep()
	} else {
		r.screen(KindSeen, r.now(), rows)
	}
	r.put(Item{T: r.now(), Kind: KindInput, Name: name, Val: value})
}

// Rest tells the rows of a screen on which nothing is under way. They become a mark when
// nothing else changes them for a moment, or when input comes.
func (r *Recorder) Rest(rows []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = &rest{r.now(), rows}
}

// Busy tells that something is under way.
func (r *Recorder) Busy() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = nil
}

// keep makes a mark of the screen. The caller holds the lock.
func (r *Recorder) keep() {
	if r.rest == nil {
		return
	}
	r.screen(KindMark, r.rest.at, r.rest.rows)
	r.rest = nil
}

// screen records the rows of a screen that differ from those before. The caller holds the
// lock.
func (r *Recorder) screen(kind Kind, at int64, rows []string) {
	i := Item{T: at, Kind: kind, Size: len(rows), Rows: map[int]string{}}
	differs := len(r.shown) != len(rows)
	for n, row := range rows {
		row = r.Mask(row)
		rows[n] = row
		if n >= len(r.shown) || r.shown[n] != row {
			i.Rows[n] = row
			differs = differs || n >= len(r.shown) || !Same(r.shown[n], row)
		}
	}
	if differs {
		r.shown = rows
		r.put(i)
	}
}
