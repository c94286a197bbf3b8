package composer

import (
	"slices"
	"strconv"
	"strings"

	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Item is an entry of the completion menu.
type Item struct {
	Label, Detail string
	// Insert takes the place of the word. For a command or an argument it is
	// inserted as it stands. For a file it is the name alone: @ and quotes are
	// added where needed, and a blank behind it unless it ends with a slash or, as
	// what begins the name of something else than a file does, with a colon.
	Insert string
	// Match are the offsets in bytes of the characters of Label to highlight.
	Match []int
}

// MaxMenuRows is the most rows that the menu asks for.
const MaxMenuRows = 8

// menu is the state of completion.
type menu struct {
	word span
	// full is the whole text of the word, behind the cursor too.
	full string
	gen  uint64

	items    []Item
	itemsGen uint64 // the generation they were offered for
	selected int
	top      int
	chosen   bool // the user has moved the mark

	// closed is the word that the user closed the menu for.
	closed     pos
	closedText string
	isClosed   bool

	// asked is where the word begins that a path was asked for.
	asked   pos
	isAsked bool
}

// refresh finds out whether the word at the cursor is another one than before.
func (c *Composer) refresh() {
	m, word := &c.menu, c.word()
	full := ""
	if word.exists {
		full = c.buf.slice(word.at, word.end)
	}
	if word == m.word && full == m.full {
		return
	}
	if !word.exists || word.kind != m.word.kind || word.command != m.word.command || word.at != m.word.at {
		m.items = nil
	}
	m.word, m.full = word, full
	m.gen++
	if m.isClosed && (!word.exists || word.at != m.closed || full != m.closedText) {
		m.isClosed = false
	}
}

// Completion is the word at the cursor that can be completed. There is none when
// the user closed the menu, until the word changes.
func (c *Composer) Completion() (Query, bool) {
	c.refresh()
	m := &c.menu
	if !m.word.exists || m.isClosed {
		return Query{}, false
	}
	return Query{m.word.kind, m.word.command, m.word.text, m.gen}, true
}

// Offer gives the entries for a query, best first. It is ignored when the query
// is no longer the current one. Entries stay in sight while the word changes,
// until others are offered, but can be taken only for the word they were offered
// for. An entry that is marked stays so when it is offered for the same word again.
// No entries close the menu.
func (c *Composer) Offer(gen uint64, items []Item) {
	if q, ok := c.Completion(); !ok || q.Gen != gen {
		return
	}
	m := &c.menu
	at := -1
	if m.itemsGen == gen && m.selected < len(m.items) {
		marked := m.items[m.selected].Insert
		at = slices.IndexFunc(items, func(it Item) bool { return it.Insert == marked })
	}
	m.items, m.itemsGen = items, gen
	if m.selected = max(at, 0); at < 0 {
		m.top, m.chosen = 0, false
	}
}

// MenuOpen reports whether the menu is in sight.
func (c *Composer) MenuOpen() bool {
	_, ok := c.Completion()
	return ok && len(c.menu.items) > 0
}

// MenuUp marks the entry before, after the first the last.
func (c *Composer) MenuUp() { c.menuMove(-1) }

// MenuDown marks the entry after, after the last the first.
func (c *Composer) MenuDown() { c.menuMove(1) }

func (c *Composer) menuMove(by int) {
	if n := len(c.menu.items); c.MenuOpen() {
		c.menu.selected, c.menu.chosen = (c.menu.selected+by+n)%n, true
	}
}

// MenuChosen reports whether the user has moved the mark of the menu.
func (c *Composer) MenuChosen() bool { return c.MenuOpen() && c.menu.chosen }

// MenuClose closes the menu for the word at the cursor.
func (c *Composer) MenuClose() {
	if _, ok := c.Completion(); ok {
		c.closeFor(c.menu.word.at, c.menu.full)
	}
	c.menu.isAsked = false
}

func (c *Composer) closeFor(at pos, text string) {
	m := &c.menu
	m.items, m.isClosed, m.closed, m.closedText = nil, true, at, text
}

// MenuMarked is the entry that [Composer.MenuAccept] would take, and what is
// completed by it.
func (c *Composer) MenuMarked() (Item, Kind, bool) {
	if !c.MenuOpen() || c.menu.itemsGen != c.menu.gen {
		return Item{}, 0, false
	}
	return c.menu.items[c.menu.selected], c.menu.word.kind, true
}

// MenuKeep makes the marked entry one for what was typed since it was offered, if fits
// reports that it is; the others are looked for still.
func (c *Composer) MenuKeep(fits func(typed string, it Item) bool) {
	q, ok := c.Completion()
	if !ok || !c.MenuOpen() || c.menu.itemsGen == c.menu.gen {
		return
	}
	if it := c.menu.items[c.menu.selected]; fits(q.Text, it) {
		c.Offer(q.Gen, []Item{it})
	}
}

// MenuAccept puts the marked entry in the place of the word and closes the menu;
// behind a folder or a command with a blank the next word can be completed at
// once. It reports false when there is nothing to take, also while the entries
// are still those of an earlier state of the word.
func (c *Composer) MenuAccept() bool {
	if !c.MenuOpen() || c.menu.itemsGen != c.menu.gen {
		return false
	}
	w := c.menu.word
	text := strings.ReplaceAll(clean(c.menu.items[c.menu.selected].Insert), "\n", " ")
	goesOn := strings.HasSuffix(text, "/") || w.kind == FileQuery && strings.HasSuffix(text, ":")
	if w.kind == PathQuery {
		if text = escape(text); !goesOn {
			text += " "
		}
	}
	if w.kind == FileQuery {
		if text = quote(text); !goesOn {
			text += " "
			if strings.HasPrefix(c.buf.text(w.end)[w.end.off:], " ") {
				w.end.off = next(c.buf.text(w.end), w.end.off) // the blank that is there
			}
		}
	}
	same := text == c.menu.full
	c.log.seal()
	c.apply(w.at, w.end, text, single)
	c.killing = false
	c.menu.items, c.menu.isAsked = nil, c.menu.isAsked && goesOn
	if same { // a folder that is there already
		c.refresh()
		c.closeFor(w.at, c.menu.full)
		return true
	}
	if c.refresh(); c.menu.word.exists && c.menu.word.at == w.at && !goesOn {
		c.closeFor(w.at, c.menu.full)
	}
	return true
}

// MenuHeight is how many rows the menu takes, at most limit and [MaxMenuRows].
func (c *Composer) MenuHeight(limit int) int {
	if !c.MenuOpen() {
		return 0
	}
	return max(min(len(c.menu.items), MaxMenuRows, limit), 0)
}

// MenuRows appends exactly h rows of exactly w cells to dst, scrolled so that
// the marked entry is in sight.
func (c *Composer) MenuRows(dst []string, w, h int) []string {
	base := len(dst)
	if h <= 0 {
		return dst
	}
	if !c.MenuOpen() {
		return rows.Fill(dst, base, h, w)
	}
	m := &c.menu
	m.top = min(m.top, m.selected, max(len(m.items)-h, 0))
	m.top = max(m.top, m.selected-h+1)
	shown := m.items[m.top:min(m.top+h, len(m.items))]
	column := 0
	for _, it := range shown {
		column = max(column, rows.Width(term.Line(it.Label)))
	}
	column = min(column, max(w/2, w-40))
	for i, it := range shown {
		count := ""
		if i == h-1 && len(m.items) > h {
			count = " " + strconv.Itoa(m.selected+1) + "/" + strconv.Itoa(len(m.items))
		}
		dst = append(dst, c.menuRow(it, m.top+i == m.selected, column, count, w))
	}
	return rows.Fill(dst, base, h, w)
}

func (c *Composer) menuRow(it Item, selected bool, column int, count string, w int) string {
	st, mark := c.styles, indent
	if selected {
		mark = st.Accent.Render("▸ ")
	}
	left := mark + rows.Fit(c.highlight(it), column)
	if detail := term.Line(it.Detail); detail != "" {
		left += "  " + st.Muted.Render(detail)
	}
	row := rows.Fit(left, max(w-rows.Width(count), 0)) + st.Faint.Render(count)
	row = rows.Fit(row, w)
	if selected {
		return st.Selected.Over(row)
	}
	return row
}

// highlight draws a label with its matched characters marked. A label that had
// to be changed to be shown is not highlighted: its offsets no longer hold.
func (c *Composer) highlight(it Item) string {
	label := term.Line(it.Label)
	if label != it.Label || len(it.Match) == 0 {
		return c.styles.Text.Render(label)
	}
	at := make(map[int]bool, len(it.Match))
	for _, i := range it.Match {
		at[i] = true
	}
	var b strings.Builder
	style := c.styles.Accent.With(rows.Bold)
	for off := 0; off < len(label); {
		end := next(label, off)
		if at[off] {
			b.WriteString(style.Render(label[off:end]))
		} else {
			b.WriteString(c.styles.Text.Render(label[off:end]))
		}
		off = end
	}
	return b.String()
}
