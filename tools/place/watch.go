package place

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Watch records when the commands of this program were idle, and when other programs
// wrote files, while those commands ran. It cannot tell which program wrote which
// file: it reports when the commands cannot have written any, and when another
// program may have. It is safe for concurrent use.
type Watch struct {
	table programs
	stop  chan struct{}
	done  sync.WaitGroup

	mu    sync.Mutex
	last  look
	idle  []window // the commands did nothing
	still bool     // the last of these lasts
	wrote []window // something else wrote files
}

// window is a span of time in nanoseconds; why says what happened in it.
type window struct {
	from, to int64
	why      string
}

// look is the result of one look at the processes. Files are stamped with a coarse clock,
// which stands still between the ticks of the kernel, and for longer on a virtual machine
// that gets no processor. A file written after a look began has a time of at least begin,
// one written before it ended has a time of at most end.
type look struct {
	begin, end int64         // the clock of files at the beginning, the precise one at the end
	took       time.Duration // processor time
	active     string        // changes whenever the commands run; empty when that is not known
	writers    []string
}

// programs looks at the processes of this machine.
type programs interface{ look() look }

// The pace of looking: a look may use one part in watchShare of a processor until the
// next one. The upper bound counts where thousands of processes run.
const (
	watchOften  = 40 * time.Millisecond
	watchSeldom = time.Second
	watchShare  = 150
)

func newWatch(table programs) *Watch {
	w := &Watch{table: table, stop: make(chan struct{})}
	w.done.Go(w.run)
	return w
}

func (w *Watch) run() {
	for wait := time.Duration(0); ; {
		select {
		case <-w.stop:
			return
		case <-time.After(wait):
		}
		w.mu.Lock()
		w.lookAgain()
		wait = min(max(watchOften, watchShare*w.last.took), watchSeldom)
		w.mu.Unlock()
	}
}

// lookAgain compares a new look with the last one and extends the windows.
func (w *Watch) lookAgain() {
	was := w.last
	w.last = w.table.look()
	if was.end == 0 {
		return
	}
	if w.last.active != "" && w.last.active == was.active {
		if !w.still {
			w.idle = append(w.idle, window{from: was.end})
		}
		w.idle[len(w.idle)-1].to = w.last.begin
		w.still = true
	} else {
		w.still = false
	}
	switch {
	case len(w.last.writers) > 0:
		names := slices.Compact(slices.Sorted(slices.Values(w.last.writers)))
		w.wrote = append(w.wrote, window{from: was.begin, to: w.last.end, why: strings.Join(names, ", ") + " wrote files at the same time"})
	case len(was.writers) > 0:
		// Many programs write a file beside its place and then move it there, which changes
		// the time of the file, and which no count shows.
		w.wrote[len(w.wrote)-1].to = w.last.end
	}
}

// Doubt returns the reason why a file that changed at a time, in nanoseconds of the
// epoch, may be someone else's work; empty for none.
func (w *Watch) Doubt(at int64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at >= w.last.begin {
		w.lookAgain()
	}
	for _, i := range w.wrote {
		if i.from <= at && at <= i.to {
			return i.why
		}
	}
	for _, i := range w.idle {
		if i.from < at && at < i.to {
			return "changed while the command waited"
		}
	}
	return ""
}

// Close stops the looks.
func (w *Watch) Close() {
	close(w.stop)
	w.done.Wait()
}
