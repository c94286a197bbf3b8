package markdown

import (
	"strings"

	"hermes-tui/themes"
	"hermes-tui/ui/diff/words"
	"hermes-tui/ui/rows"
)

// differenceRuns colours code that is a difference: what was removed and what was
// added, and the words that have changed in a line.
func (r *renderer) differenceRuns(code string) []run {
	st := r.pal.st
	mark := func(fg, bg themes.Color) string { return rows.NewStyle(rows.Fg(fg), rows.Bg(bg)).Open() }
	t := st.Theme
	removed, added := mark(t.Syntax.Deleted, t.RemovedBg), mark(t.Syntax.Inserted, t.AddedBg)
	in := map[byte][2]string{'-': {removed, wordOpen(removed, t.RemovedWordBg)}, '+': {added, wordOpen(added, t.AddedWordBg)}}
	var runs []run
	lines := strings.SplitAfter(code, "\n")
	at := 0
	put := func(n int, open string) {
		if at += n; n > 0 {
			runs = append(runs, run{end: at, open: open})
		}
	}
	for i := 0; i < len(lines); {
		gone := alike(lines[i:], '-')
		came := alike(lines[i+gone:], '+')
		marks := make([][]words.Part, gone+came)
		for k := range min(gone, came) {
			marks[k], marks[gone+k] = words.Changed(lines[i+k][1:], lines[i+gone+k][1:])
		}
		for k, line := range lines[i : i+gone+came] {
			opens, done := in[line[0]], 0
			for _, m := range marks[k] {
				put(m.From+1-done, opens[0])
				put(m.To-m.From, opens[1])
				done = m.To + 1
			}
			put(len(line)-done, opens[0])
		}
		if i += gone + came; gone+came > 0 {
			continue
		}
		put(len(lines[i]), r.differenceOpen(lines[i]))
		i++
	}
	return runs
}

// differenceOpen is the style of a line that neither side has.
func (r *renderer) differenceOpen(line string) string {
	st := r.pal.st
	switch {
	case strings.HasPrefix(line, "@@"):
		return st.Info.Open()
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
		return st.Strong.Open()
	}
	return st.Text.Open()
}

// wordOpen is the style of words that have changed in a line.
func wordOpen(line string, bg themes.Color) string {
	if bg == "" {
		return line + rows.NewStyle(rows.Reverse).Open()
	}
	return line + rows.NewStyle(rows.Bg(bg)).Open()
}

// alike counts the lines that a side begins with.
func alike(lines []string, sign byte) int {
	n := 0
	for n < len(lines) && lines[n] != "" && lines[n][0] == sign && !strings.HasPrefix(lines[n], strings.Repeat(string(sign), 3)+" ") {
		n++
	}
	return n
}
