package timeline

import "time"

// shortestView is the shortest time that a chart shows.
const shortestView = time.Second

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

// cell is what a cell stands for when bars have w cells, in nanoseconds: all of the time is
// in sight.
func (t *Timeline) cell(w int) int64 {
	all, n := max(t.length(), int64(shortestView)), int64(max(w, 1))
	return max((all+n-1)/n, 1)
}

// stepBy moves a replay by a cell.
func (t *Timeline) stepBy(cells int64) {
	if t.past.on {
		t.past.playing = false
		t.seek(t.past.at + cells*t.cell(t.wide))
	}
}
