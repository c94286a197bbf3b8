package timeline

import "time"

// replay is a moment of the past that is shown.
type replay struct {
	on      bool
	begun   bool // in this window, rather than with it
	playing bool
	fresh   bool  // no tick has come since it plays
	at      int64 // since the tree began
	speed   int   // times as fast as it was, see speeds
}

// speeds are the speeds of a replay, as multiples of what was.
func speeds() []int { return []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} }

// longestReplay is about how long a replay plays unless its speed is changed.
const longestReplay = 30 * time.Second

// Replay shows the past from its beginning. The window closes with it.
func (t *Timeline) Replay() {
	t.past = replay{on: true, speed: t.usualSpeed()}
}

// usualSpeed is the slowest speed at which a replay does not get too long.
func (t *Timeline) usualSpeed() int {
	all := speeds()
	for _, s := range all {
		if t.length()/int64(s) <= int64(longestReplay) {
			return s
		}
	}
	return all[len(all)-1]
}

// ToggleReplay begins a replay, or ends it.
func (t *Timeline) ToggleReplay() {
	if t.past.on {
		t.endReplay()
		return
	}
	t.Replay()
	t.past.begun = true
}

func (t *Timeline) endReplay() { t.past = replay{} }

// Play lets a replay play, or pauses it. At its end it begins again. Outside of a
// replay one is begun.
func (t *Timeline) Play() {
	if !t.past.on {
		t.ToggleReplay()
	}
	t.past.playing = !t.past.playing
	t.past.fresh = t.past.playing
	if t.past.playing && t.past.at >= t.length() {
		t.seek(0)
	}
}

// play goes on by time that has passed. How long ago the tick before the first one
// was says nothing: while nothing moved there were none.
func (t *Timeline) play(passed time.Duration) {
	fresh := t.past.fresh
	t.past.fresh = false
	if !t.past.on || !t.past.playing || fresh || passed <= 0 {
		return
	}
	t.seek(t.past.at + int64(min(passed, time.Minute))*int64(max(t.past.speed, 1)))
	if t.past.at >= t.length() {
		t.past.playing = false
	}
}

// seek goes to a moment.
func (t *Timeline) seek(at int64) { t.past.at = max(min(at, t.length()), 0) }

// Slower halves the speed of a replay, or about so.
func (t *Timeline) Slower() { t.gear(-1) }

// Faster doubles the speed of a replay, or about so.
func (t *Timeline) Faster() { t.gear(1) }

func (t *Timeline) gear(by int) {
	all := speeds()
	for i, s := range all {
		if s == t.past.speed {
			t.past.speed = all[max(min(i+by, len(all)-1), 0)]
			return
		}
	}
}

// Next goes to the next moment at which an agent was asked for, began or ended.
func (t *Timeline) Next() { t.step(1) }

// Prev goes to the previous moment at which an agent was asked for, began or
// ended.
func (t *Timeline) Prev() { t.step(-1) }

func (t *Timeline) step(by int64) {
	if !t.past.on {
		return
	}
	t.past.playing = false
	begin, best, found := t.begin(), int64(0), false
	for i := range t.bars {
		b := &t.bars[i]
		for _, at := range [3]int64{b.start, b.began, b.end} {
			if at == 0 {
				continue
			}
			at -= begin
			if d := (at - t.past.at) * by; d > 0 && (!found || d < (best-t.past.at)*by) {
				best, found = at, true
			}
		}
	}
	if found {
		t.seek(best)
	}
}
