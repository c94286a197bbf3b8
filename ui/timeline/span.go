package timeline

import (
	"slices"
	"sort"
	"time"

	"hermes-tui/agent/event"
)

// span is a stretch of time, in nanoseconds of the clock on the wall.
type span struct{ from, to int64 }

// overlap is how much of a span lies between two moments.
func (s span) overlap(from, to int64) int64 { return max(min(s.to, to)-max(s.from, from), 0) }

// nanos is a moment on the clock on the wall, 0 for none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// spans are stretches of time in their order, none of which touch.
type spans []span

// add puts a stretch in and joins it with those it touches.
func (l spans) add(s span) spans {
	if s.from == 0 || s.to < s.from {
		return l
	}
	i := sort.Search(len(l), func(k int) bool { return l[k].to >= s.from })
	j := i
	for ; j < len(l) && l[j].from <= s.to; j++ {
		s.from, s.to = min(s.from, l[j].from), max(s.to, l[j].to)
	}
	return slices.Replace(l, i, j, s)
}

// after is the index of the first stretch that ends after a moment.
func (l spans) after(at int64) int {
	return sort.Search(len(l), func(k int) bool { return l[k].to > at })
}

// total is how long all of them are together.
func (l spans) total() time.Duration {
	var sum int64
	for _, s := range l {
		sum += s.to - s.from
	}
	return time.Duration(sum)
}

// diary is what the calls of an agent tell about its time. It reads each block of
// a transcript once.
type diary struct {
	settled int          // blocks that were read and change no more
	last    *event.Block // the newest of them
	first   int64        // when the first block came
	tools   spans        // calls that ended
	asked   spans        // those of them that were questions to the user
	recent  spans        // calls that ended while an earlier one goes on
	open    []int64      // when the calls began that run now
}

// read takes in the blocks that are new since the last time.
func (d *diary) read(blocks []*event.Block) {
	if d.settled > len(blocks) || d.settled > 0 && blocks[d.settled-1] != d.last {
		*d = diary{}
	}
	if d.first == 0 && len(blocks) > 0 && blocks[0] != nil {
		d.first = nanos(blocks[0].At)
	}
	for d.settled < len(blocks) {
		b := blocks[d.settled]
		if b == nil || b.Open {
			break
		}
		d.note(b)
		d.settled, d.last = d.settled+1, b
	}
	d.open, d.recent = d.open[:0], d.recent[:0]
	for _, b := range blocks[d.settled:] {
		if b == nil || b.Call == nil {
			continue
		}
		if s, ok := ran(b.Call); ok {
			d.recent = d.recent.add(s)
		} else if b.Call.Stage == event.CallRunning && !b.Call.Started.IsZero() {
			d.open = append(d.open, nanos(b.Call.Started))
		}
	}
}

// note takes in a block that is final.
func (d *diary) note(b *event.Block) {
	if b.Call == nil {
		return
	}
	s, ok := ran(b.Call)
	switch {
	case !ok:
	case b.Call.View.Kind == event.ViewClarify:
		d.asked = d.asked.add(s)
	default:
		d.tools = d.tools.add(s)
	}
}

// ran is when a call ran that has ended, waiting for answers included.
func ran(c *event.Call) (span, bool) {
	if c.Stage != event.CallEnded || c.Started.IsZero() || c.Took <= 0 {
		return span{}, false
	}
	from := nanos(c.Started)
	return span{from, from + int64(c.Took+c.Held)}, true
}
