package queue

import (
	"strconv"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// Widths, in cells.
const (
	// wide is from which width on the words at the end of a row say what to do.
	wide = 80
	// leastText is the least room that a text keeps before the words yield.
	leastText = 12
	// shortWord is the length of words that stand also where no room is left.
	shortWord = 4
	// maxName bounds the name of an agent, and a third of the row does.
	maxName = 28
)

// Height is how many of at most limit rows the pane wants. It is 0 when nothing
// waits.
func (p *Pane) Height(limit int) int {
	n := len(p.entries)
	switch {
	case n == 0:
	case p.focused:
		n = 1 + min(n, listedFocused)
	case n > listed:
		n = listed + 1
	}
	return max(min(n, limit), 0)
}

// Rows appends the pane to dst. With the focus it begins with a header, and scrolls
// to the selected entry.
func (p *Pane) Rows(dst []string, w, h int) []string {
	base, n := len(dst), len(p.entries)
	if h <= 0 || n == 0 {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	if p.focused {
		return rows.Fill(p.drawFocused(dst, w, h), base, h, w)
	}
	show := n
	switch more := strconv.Itoa(n - 1); {
	case n > 1 && h == 1:
		return append(dst, p.row(0, w, p.word(0, w)+between+more+" more", "+"+more))
	case n > h:
		show = h - 1
	}
	for i := range show {
		dst = append(dst, p.row(i, w, p.word(i, w)))
	}
	if show < n {
		dst = append(dst, p.hidden(w, n-show, "more"))
	}
	return rows.Fill(dst, base, h, w)
}

func (p *Pane) drawFocused(dst []string, w, h int) []string {
	if h == 1 {
		return append(dst, p.row(p.at, w, p.place(), strconv.Itoa(p.at+1)+"/"+strconv.Itoa(len(p.entries))))
	}
	dst = append(dst, p.header(w))
	n, room := len(p.entries), h-1
	from, to := cells.Window(n, room, p.at)
	marks := room >= 3
	if marks && from > 0 {
		dst = append(dst, p.hidden(w, from, "above"))
	}
	for i := from; i < to; i++ {
		dst = append(dst, p.row(i, w, p.word(i, w)))
	}
	if marks && to < n {
		dst = append(dst, p.hidden(w, n-to, "below"))
	}
	return dst
}

// place is which of how many entries is selected.
func (p *Pane) place() string {
	return strconv.Itoa(p.at+1) + " of " + strconv.Itoa(len(p.entries))
}

// header says how much waits and which keys apply, as many as there is room for.
func (p *Pane) header(w int) string {
	row := cells.NewRow(w).Skip(1).Put(p.st.Strong, "Queue").Skip(2).Put(p.st.Muted, p.place())
	if p.held {
		row.Put(p.st.Muted, " · held")
	}
	fit, used := 0, 0
	for i, k := range p.keys {
		n := rows.Width(k.Key) + 1 + rows.Width(k.Text)
		if i > 0 {
			n += rows.Width(between)
		}
		if used+n+3 > row.Left() {
			break
		}
		fit, used = i+1, used+n
	}
	row.Until(used + 1)
	for i, k := range p.keys[:fit] {
		if i > 0 {
			row.Put(p.st.Faint, between)
		}
		row.Put(p.st.Accent, k.Key).Skip(1).Put(p.st.Faint, k.Text)
	}
	return row.String()
}

// between stands between two hints.
const between = " · "

// hidden says how many entries are out of sight.
func (p *Pane) hidden(w, n int, where string) string {
	return cells.NewRow(w).Skip(2).Put(p.st.Faint, "… "+strconv.Itoa(n)+" "+where).String()
}

// sign shows what becomes of an entry, or who wrote it.
func (e *entry) sign() string {
	switch {
	case e.from == event.OriginJob:
		return "⚙"
	case e.from != "":
		return "↩"
	case e.steer:
		return "↪"
	}
	return "⋯"
}

// word says in words what the sign shows, and whether the user has to send it.
func (p *Pane) word(i, w int) string {
	e := &p.entries[i]
	word := "queued"
	switch {
	case e.from == event.OriginJob:
		word = "from a job"
	case e.from != "":
		word = "from an agent"
	case e.steer || e.to != "":
		word = "steers"
	}
	switch {
	case !p.held || e.to != "": // an agent that works takes it by itself
		return word
	case w >= wide && i == 0 && !p.focused && p.whenHeld != "":
		return "held; " + p.whenHeld
	}
	return "held"
}

// row draws an entry with a word at its end: the first of those that leave room for
// the text.
func (p *Pane) row(i, w int, words ...string) string {
	e := &p.entries[i]
	text, faint := p.st.User, p.st.Faint
	if e.from != "" {
		text = p.st.Muted
	}
	row, lead := cells.NewRow(w), " "
	if p.focused && i == p.at {
		bg := p.st.Marked()
		lead, text, faint = "▸", text.With(rows.Bold, bg), faint.With(bg)
	}
	row.Put(p.st.Accent, lead).Put(text, e.sign()+" ")
	if e.to != "" {
		row.Put(p.st.Info, "→ ").PutMax(p.st.Info, e.to, min(maxName, w/3)).Put(faint, between)
	}
	for _, word := range words {
		end := rows.Width(word) + 1
		if row.Left() >= end+1+leastText || len(word) <= shortWord && row.Left() > end+1 {
			return row.PutMax(text, e.text, row.Left()-end-1).Until(end).Put(faint, word).String()
		}
	}
	return row.Put(text, e.text).String()
}
