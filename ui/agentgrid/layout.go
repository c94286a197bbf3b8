package agentgrid

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

// layout is how tiles share a screen.
type layout struct {
	cols, rows int
	w, h       int // of all tiles together
}

func (l layout) per() int { return l.cols * l.rows }

// along is how many tiles fit side by side: as many as are good to read, or two if
// two fit at all.
func along(room, usual, least int) int { return max(room/usual, min(room/least, 2), 1) }

// layoutOf shares a screen of w×h cells among n tiles, which get as large as they
// can. When they do not all fit, the last row is left for saying so.
func layoutOf(n, w, h int) layout {
	l := layout{along(w, usualW, leastW), along(h, usualH, leastH), w, h}
	if n > l.per() {
		if h > leastH {
			l.h = h - 1
			l.rows = along(l.h, usualH, leastH)
		}
		return l
	}
	best, cols, rowsOf := math.Inf(1), 1, 1
	for c := 1; c <= l.cols; c++ {
		r := (n + c - 1) / c
		if r > l.rows || r < 1 {
			continue
		}
		// The fewest empty places count first, then a shape that is good to read.
		shape := math.Abs(math.Log(float64(w) / float64(c) / (float64(h) / float64(r)) / (usualW / usualH)))
		if score := float64(c*r)*10 + shape; score < best {
			best, cols, rowsOf = score, c, r
		}
	}
	l.cols, l.rows = cols, rowsOf
	return l
}

// share is where part i of n parts of a length begins.
func share(length, i, n int) int { return length * i / n }

// Rows appends the grid to dst: exactly h rows of exactly w cells.
func (g *Grid) Rows(dst []string, width, h int) []string {
	base := len(dst)
	if h <= 0 || width <= 0 || len(g.order) == 0 {
		return g.empty(dst, width, h)
	}
	l := layoutOf(len(g.order), width, h)
	g.shown = l
	from := g.at / l.per() * l.per()
	to := min(from+l.per(), len(g.order))
	for i, t := range g.order {
		if i < from || i >= to {
			t.forget()
		}
	}
	var line strings.Builder
	for r := range l.rows {
		th := share(l.h, r+1, l.rows) - share(l.h, r, l.rows)
		for c := range l.cols {
			if i := from + r*l.cols + c; i < to {
				tw := share(l.w, c+1, l.cols) - share(l.w, c, l.cols)
				g.draw(g.order[i], tw, th, i == g.at)
			}
		}
		for y := range th {
			line.Reset()
			for c := range l.cols {
				if i := from + r*l.cols + c; i < to {
					line.WriteString(g.order[i].rows[y])
				} else {
					line.WriteString(rows.Blank(share(l.w, c+1, l.cols) - share(l.w, c, l.cols)))
				}
			}
			dst = append(dst, line.String())
		}
	}
	if len(dst) < base+h {
		dst = append(dst, g.foot(width, from, to))
	}
	return rows.Fill(dst, base, h, width)
}

// empty says in the middle of the screen that there are no tiles.
func (g *Grid) empty(dst []string, width, h int) []string {
	base := len(dst)
	for y := range max(h, 0) {
		row := cells.NewRow(width)
		if y == h/2 {
			const text = "No subagents to watch."
			row.Skip((width-len(text))/2).Put(g.st.Muted, text)
		}
		dst = append(dst, row.String())
	}
	return rows.Fill(dst, base, max(h, 0), width)
}

// foot says which tiles are in sight, and who waits for the user elsewhere.
func (g *Grid) foot(width, from, to int) string {
	n, per := len(g.order), g.shown.per()
	row := cells.NewRow(width).Skip(1)
	sight := strconv.Itoa(from + 1)
	if to > from+1 {
		sight += "–" + strconv.Itoa(to)
	}
	row.Put(g.st.Strong, sight+" of "+strconv.Itoa(n))
	if waiting := g.waitingElsewhere(from, to); waiting > 0 {
		text := " ◆ " + strconv.Itoa(waiting) + " wait"
		if waiting == 1 {
			text += "s"
		}
		if long := text + " for you elsewhere "; rows.Width(long) < row.Left() {
			text = long
		} else {
			text += " elsewhere "
		}
		row.Skip(1).Put(g.st.BadgeWarn, text)
	}
	row.Put(g.st.Muted, " · page "+strconv.Itoa(from/per+1)+" of "+strconv.Itoa((n+per-1)/per))
	if busy := g.busyElsewhere(from, to); busy > 0 {
		row.Put(g.st.Muted, " · "+strconv.Itoa(busy)+" running elsewhere")
	}
	return row.String()
}

// waitingElsewhere counts the tiles out of sight that wait for the user.
func (g *Grid) waitingElsewhere(from, to int) int {
	n := 0
	for i, t := range g.order {
		if t.asks > 0 && (i < from || i >= to) {
			n++
		}
	}
	return n
}

// busyElsewhere counts the agents at work that are not in sight.
func (g *Grid) busyElsewhere(from, to int) int {
	n := 0
	for i, t := range g.order {
		if (i < from || i >= to) && t.atWork() {
			n++
		}
	}
	return n
}
