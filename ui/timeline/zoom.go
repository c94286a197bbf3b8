package timeline

import "time"

// The shortest time that a cell can stand for, and the shortest that a window
// shows when it shows all.
const (
	shortestCell = 10 * time.Millisecond
	shortestView = time.Second
)

// zoom says which part of the time is in sight. The zero value shows all of it.
type zoom struct {
	// per is what a cell stands for, in nanoseconds, 0 for what makes all fit.
	per int64
	// from is how far the left edge is from the beginning. At the right end of a
	// tree that grows, the window follows it.
	from   int64
	follow bool
	w      int // cells of a bar at the newest drawing
}

// begin is when the tree begins, 0 when that is not known.
func (t *Timeline) begin() int64 {
	var first int64
	for i := range t.bars {
		if at := t.bars[i].start; at > 0 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

// end is when the tree ended, or how far it has come.
func (t *Timeline) end() int64 {
	last := t.begin()
	for i := range t.bars {
		if b := &t.bars[i]; b.start > 0 {
			last = max(last, b.until(nanos(t.now)))
		}
	}
	return last
}

// length is how long the tree took, or takes so far.
func (t *Timeline) length() int64 { return t.end() - t.begin() }

// cell is what a cell stands for when bars have w cells.
func (t *Timeline) cell(w int) int64 {
	if t.view.per > 0 {
		return t.view.per
	}
	all, n := max(t.length(), int64(shortestView)), int64(max(w, 1))
	return max((all+n-1)/n, 1)
}

// offset is how far the left edge is from the beginning when bars have w cells.
func (t *Timeline) offset(w int) int64 {
	if t.view.per == 0 {
		return 0
	}
	last := max(t.length()-t.cell(w)*int64(w)+1, 0)
	if t.view.follow && t.live > 0 && !t.past.on {
		return last
	}
	return max(min(t.view.from, last), 0)
}

// ZoomIn halves the time that is in sight.
func (t *Timeline) ZoomIn() { t.zoom(func(per int64) int64 { return max(per/2, int64(shortestCell)) }) }

// ZoomOut doubles the time that is in sight.
func (t *Timeline) ZoomOut() {
	t.zoom(func(per int64) int64 { return per * 2 })
}

// Fit shows all of the time.
func (t *Timeline) Fit() { t.view.per, t.view.from, t.view.follow = 0, 0, false }

// zoom changes what a cell stands for around the moment of a replay, the end of a
// tree that grows, or else the middle of what is in sight.
func (t *Timeline) zoom(change func(int64) int64) {
	w := max(t.view.w, 1)
	per, from := t.cell(w), t.offset(w)
	pin, cells := from+per*int64(w)/2, int64(w)/2
	switch {
	case t.past.on:
		pin, cells = t.past.at, (t.past.at-from)/per
	case t.live > 0 && from+per*int64(w) >= t.length():
		t.view.follow = true
	}
	to := change(per)
	if to >= per && to*int64(w) >= max(t.length(), int64(shortestView)) {
		t.Fit()
		return
	}
	if to == per || t.view.per == 0 && to > per {
		return
	}
	t.view.per = to
	t.view.from = max(pin-cells*to, 0)
}

// Left goes back in time: the moment of a replay, or else what is in sight.
func (t *Timeline) Left() { t.shift(-1) }

// Right goes on in time: the moment of a replay, or else what is in sight.
func (t *Timeline) Right() { t.shift(1) }

func (t *Timeline) shift(by int64) {
	w := max(t.view.w, 1)
	per := t.cell(w)
	if t.past.on {
		t.past.playing = false
		t.seek(t.past.at + by*per)
		return
	}
	if t.view.per == 0 {
		return
	}
	t.view.from = t.offset(w) + by*per*max(int64(w)/8, 1)
	last := max(t.length()-per*int64(w), 0)
	t.view.follow = by > 0 && t.view.from >= last
}
