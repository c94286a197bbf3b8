package wall

import (
	"math"
	"strconv"
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// The least tile, and one that is good to read.
const (
	leastW, leastH = 30, 6
	usualW, usualH = 44, 11
)

// grid is how tiles share a screen.
type grid struct {
	cols, rows int
	w, h       int // of all tiles together
}

func (g grid) per() int { return g.cols * g.rows }

// along is how many tiles fit side by side: as many as are good to read, or two if
// two fit at all.
func along(room, usual, least int) int { return max(room/usual, min(room/least, 2), 1) }

// gridOf shares a screen of w×h cells among n tiles, which get as large as they
// can. When they do not all fit, the last row is left for saying so.
func gridOf(n, w, h int) grid {
	g := grid{along(w, usualW, leastW), along(h, usualH, leastH), w, h}
	if n > g.per() {
		if h > leastH {
			g.h = h - 1
			g.rows = along(g.h, usualH, leastH)
		}
		return g
	}
	best, cols, rowsOf := math.Inf(1), 1, 1
	for c := 1; c <= g.cols; c++ {
		r := (n + c - 1) / c
		if r > g.rows || r < 1 {
			continue
		}
		// The fewest empty places count first, then a shape that is good to read.
		shape := math.Abs(math.Log(float64(w) / float64(c) / (float64(h) / float64(r)) / (usualW / usualH)))
		if score := float64(c*r)*10 + shape; score < best {
			best, cols, rowsOf = score, c, r
		}
	}
	g.cols, g.rows = cols, rowsOf
	return g
}

// share is where part i of n parts of a length begins.
func share(length, i, n int) int { return length * i / n }

// Rows appends the wall to dst: exactly h rows of exactly w cells.
func (w *Wall) Rows(dst []string, width, h int) []string {
	base := len(dst)
	if h <= 0 || width <= 0 || len(w.order) == 0 {
		return w.empty(dst, width, h)
	}
	g := gridOf(len(w.order), width, h)
	w.shown = g
	from := w.at / g.per() * g.per()
	to := min(from+g.per(), len(w.order))
	for i, t := range w.order {
		if i < from || i >= to {
			t.forget()
		}
	}
	var line strings.Builder
	for r := range g.rows {
		th := share(g.h, r+1, g.rows) - share(g.h, r, g.rows)
		for c := range g.cols {
			if i := from + r*g.cols + c; i < to {
				tw := share(g.w, c+1, g.cols) - share(g.w, c, g.cols)
				w.draw(w.order[i], tw, th, i == w.at)
			}
		}
		for y := range th {
			line.Reset()
			for c := range g.cols {
				if i := from + r*g.cols + c; i < to {
					line.WriteString(w.order[i].rows[y])
				} else {
					line.WriteString(rows.Blank(share(g.w, c+1, g.cols) - share(g.w, c, g.cols)))
				}
			}
			dst = append(dst, line.String())
		}
	}
	if len(dst) < base+h {
		dst = append(dst, w.foot(width, from, to))
	}
	return rows.Fill(dst, base, h, width)
}

// empty says in the middle of the screen that there are no tiles.
func (w *Wall) empty(dst []string, width, h int) []string {
	base := len(dst)
	for y := range max(h, 0) {
		row := cells.NewRow(width)
		if y == h/2 {
			const text = "No subagents to watch."
			row.Skip((width-len(text))/2).Put(w.st.Muted, text)
		}
		dst = append(dst, row.String())
	}
	return rows.Fill(dst, base, max(h, 0), width)
}

// foot says which tiles are in sight, and who waits for the user elsewhere.
func (w *Wall) foot(width, from, to int) string {
	n, per := len(w.order), w.shown.per()
	row := cells.NewRow(width).Skip(1)
	sight := strconv.Itoa(from + 1)
	if to > from+1 {
		sight += "–" + strconv.Itoa(to)
	}
	row.Put(w.st.Strong, sight+" of "+strconv.Itoa(n))
	if waiting := w.waitingElsewhere(from, to); waiting > 0 {
		text := " ◆ " + strconv.Itoa(waiting) + " wait"
		if waiting == 1 {
			text += "s"
		}
		if long := text + " for you elsewhere "; rows.Width(long) < row.Left() {
			text = long
		} else {
			text += " elsewhere "
		}
		row.Skip(1).Put(w.st.BadgeWarn, text)
	}
	row.Put(w.st.Muted, " · page "+strconv.Itoa(from/per+1)+" of "+strconv.Itoa((n+per-1)/per))
	if busy := w.busyElsewhere(from, to); busy > 0 {
		row.Put(w.st.Muted, " · "+strconv.Itoa(busy)+" running elsewhere")
	}
	return row.String()
}

// waitingElsewhere counts the tiles out of sight that wait for the user.
func (w *Wall) waitingElsewhere(from, to int) int {
	n := 0
	for i, t := range w.order {
		if t.asks > 0 && (i < from || i >= to) {
			n++
		}
	}
	return n
}

// busyElsewhere counts the agents at work that are not in sight.
func (w *Wall) busyElsewhere(from, to int) int {
	n := 0
	for i, t := range w.order {
		if (i < from || i >= to) && t.atWork() {
			n++
		}
	}
	return n
}
