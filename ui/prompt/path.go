package prompt

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

const (
	pathSep = " › "
	// minName is how many cells a name in a path keeps as long as others can be left
	// out instead.
	minName = 8
)

// names are who asks, each fit for one line: the sessions and the subagents on the way
// to it, subagents by their goals in quotes. The agent of the session has no name.
func names(r event.Request) []string {
	var list []string
	below := false // the names are goals from here on
	for i, n := range r.Path {
		if !below && i < 2 && n == rootName {
			below = true
			continue
		}
		n = strings.TrimSpace(spell(term.Line(n)))
		if below {
			n = "“" + n + "”"
		}
		list = append(list, n)
	}
	switch {
	case len(list) > 0:
		return list
	case len(r.Path) > 0:
		return []string{"The agent"}
	}
	return []string{"An agent"}
}

// rootName is how the first agent of a session is called in a path.
const rootName = "root"

// path is who asks, in full.
func path(r event.Request) string { return strings.Join(names(r), pathSep) }

// pathIn joins names in at most w cells. Long names are shortened in their middle,
// all to the same length; where that is not enough, names behind the first are left
// out, and in the end all but the last.
func pathIn(list []string, w int) string {
	short := make([]string, len(list))
	for i, name := range list {
		short[i] = cutMiddle(name, w)
	}
	if s, ok := join(short, w); ok {
		return s
	}
	for i := 2; i < len(short); i++ {
		if s, ok := join(append([]string{short[0], "…"}, short[i:]...), w); ok {
			return s
		}
	}
	last := short[len(short)-1]
	if s, ok := join([]string{"…", last}, w); ok && len(short) > 1 {
		return s
	}
	return last
}

// join joins names in at most w cells, each shortened to not less than minName. It
// reports false when that is not enough.
func join(list []string, w int) (string, bool) {
	w -= rows.Width(pathSep) * (len(list) - 1)
	for n := max(w, minName); n >= minName; n-- {
		sum := 0
		for _, name := range list {
			sum += min(rows.Width(name), n)
		}
		if sum > w {
			continue
		}
		short := make([]string, len(list))
		for i, name := range list {
			short[i] = cutMiddle(name, n)
		}
		return strings.Join(short, pathSep), true
	}
	return "", false
}

// cutMiddle shortens a text in its middle to at most w cells.
func cutMiddle(s string, w int) string {
	n := rows.Width(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	case w < 4:
		return rows.Truncate(s, w, "…")
	}
	room := (w - 1) / 2
	tail := rows.TruncateLeft(s, n-room, "")
	for cut := n - room + 1; rows.Width(tail) > room; cut++ {
		tail = rows.TruncateLeft(s, cut, "") // a wide character stood on the edge
	}
	return rows.Truncate(s, w-1-room, "") + "…" + tail
}
