package agents

import (
	"math/bits"
	"strings"
	"time"

	"hermes-tui/agent/event"
)

// The window over which activity is measured: slots of slotTime each, a minute in
// all.
const (
	slotTime = 2 * time.Second
	slots    = 30
	// heatSlots is how many of the newest slots the heat mark looks at.
	heatSlots = 5
)

// toolWeight is what a call that ended counts, in the unit of activity: a
// character that arrived.
const toolWeight = 256

// levels is the greatest level of activity.
const levels = 8

// pulse measures how much arrives from an agent. The zero value is ready.
type pulse struct {
	ring   [slots]uint32
	newest int64 // the number of the newest slot since the epoch
	begun  bool

	active time.Time
	block  event.BlockID
	size   int64
	tools  int
}

// take adds what is new since the last time. What was there the first time is not
// news.
func (u *pulse) take(a *event.Agent, now time.Time) {
	n := u.news(a)
	if n == 0 || now.IsZero() {
		return
	}
	at := slotOf(now)
	switch {
	case at-u.newest >= slots:
		clear(u.ring[:])
		u.newest = at
	case at > u.newest:
		for u.newest < at {
			u.newest++
			u.ring[u.newest%slots] = 0
		}
	}
	slot := &u.ring[u.newest%slots]
	*slot = uint32(min(int64(*slot)+n, 1<<31))
}

// slotOf numbers the slots of time. Times before the epoch share one.
func slotOf(t time.Time) int64 { return max(t.UnixNano()/int64(slotTime), 0) }

// news is what came since the last time, in characters: of text, arguments and
// live output of the newest block, and by calls that ended. Whatever else happened
// counts as one.
func (u *pulse) news(a *event.Agent) int64 {
	was := *u
	u.begun, u.active, u.tools = true, a.Active, a.Tools
	u.block, u.size = "", 0
	if n := len(a.Blocks); n > 0 {
		b := a.Blocks[n-1]
		u.block, u.size = b.ID, int64(b.Text.Len())
		if c := b.Call; c != nil {
			u.size += int64(c.Bytes) + c.Shed + int64(c.Tail.Len())
		}
	}
	if !was.begun {
		return 0
	}
	n := u.size
	if u.block == was.block {
		n -= was.size
	}
	n = max(n, 0) + int64(max(u.tools-was.tools, 0))*toolWeight
	if n == 0 && u.active.After(was.active) {
		n = 1
	}
	return n
}

// over is the activity in the slots from the given age on, oldest first, of which
// count are looked at. The slot that now is in has the age 0.
func (u *pulse) over(now time.Time, age, count int) uint64 {
	if now.IsZero() || u.newest == 0 {
		return 0
	}
	var sum uint64
	for at := slotOf(now) - int64(age); count > 0; at, count = at+1, count-1 {
		if at <= u.newest && at > u.newest-slots && at >= 0 {
			sum += uint64(u.ring[at%slots])
		}
	}
	return sum
}

// level ranks the activity in the newest n slots: 0 for none, then a step for each
// time that the rate is four times as high, up to [levels].
func (u *pulse) level(now time.Time, n int) int { return rank(u.over(now, n-1, n), n) }

func rank(sum uint64, n int) int {
	if sum == 0 {
		return 0
	}
	rate := sum / (uint64(n) * uint64(slotTime/time.Second))
	return min(1+bits.Len64(rate)/2, levels)
}

// bars are the heights of a sparkline.
var bars = [levels + 1]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// spark draws the last minute in n cells, a divisor of [slots], oldest first.
func (u *pulse) spark(now time.Time, n int) string {
	var b strings.Builder
	b.Grow(3 * n)
	each := slots / n
	for i := range n {
		b.WriteString(bars[rank(u.over(now, slots-1-i*each, each), each)])
	}
	return b.String()
}

// heats are the marks of activity before a name, from none on.
var heats = [...]string{" ", "▏", "▎", "▍", "▌"}

// heat is how active an agent was in the last seconds, as an index into [heats].
func (u *pulse) heat(now time.Time) int { return (u.level(now, heatSlots) + 1) / 2 }
