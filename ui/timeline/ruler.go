package timeline

import (
	"strconv"
	"strings"
	"time"

	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
)

// tickCells is how far apart the marks of a ruler are at least.
const tickCells = 10

// steps are the distances of marks on a ruler.
func steps() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{
		100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 5 * day, 10 * day, 50 * day, 100 * day, 1000 * day, 10000 * day,
	}
}

// tick is a mark on a ruler.
type tick struct {
	x     int
	label string
}

// ticks are the marks of a ruler of w cells whose left edge is at a time.
func ticks(from, per int64, w int) []tick {
	all := steps()
	step := int64(all[len(all)-1])
	for _, s := range all {
		if int64(s) >= per*tickCells {
			step = int64(s)
			break
		}
	}
	var list []tick
	for at := (from + step - 1) / step * step; ; at += step {
		x := (at - from) / per
		if x >= int64(w) || at < 0 {
			return list
		}
		label := format.Elapsed(time.Duration(at))
		if step < int64(time.Second) {
			label = withTenths(label, at)
		}
		list = append(list, tick{int(x), label})
	}
}

// withTenths adds tenths of a second to a time.
func withTenths(label string, at int64) string {
	tenth := strconv.FormatInt(at%int64(time.Second)/int64(100*time.Millisecond), 10)
	if head, ok := strings.CutSuffix(label, "s"); ok {
		return head + "." + tenth + "s"
	}
	return label
}

// ruler draws a line with marks and their times, in w cells.
func ruler(st *rows.Styles, from, per int64, w int) string {
	line := make([]rune, w)
	for i := range line {
		line[i] = '─'
	}
	for _, m := range ticks(from, per, w) {
		line[m.x] = '┼'
		if m.x+1+len(m.label) > w {
			continue
		}
		copy(line[m.x+1:], []rune(m.label))
	}
	text := string(line)
	if st.Faint.Open() == "" {
		return text
	}
	return st.Faint.Render(text)
}
