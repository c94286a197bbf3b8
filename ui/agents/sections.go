package agents

import (
	"math"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status/cells"
)

// room is how many rows a section takes at most below its title: at first, and
// when all of them do not fit.
type room struct{ long, short int }

// rooms of the sections.
var rooms = [sections + 1]room{
	SectionGoal: {40, 2}, SectionResult: {80, 5}, SectionCalls: {callsKept, 3}, SectionOutput: {12, 4},
	SectionAgents: {kidsKept, 2}, SectionFiles: {16, 0}, SectionFacts: {14, 0},
}

// yields is the order in which sections give up room.
var yields = [...]Section{SectionFacts, SectionFiles, SectionAgents, SectionCalls, SectionOutput, SectionGoal, SectionResult}

// inset is the blank before the text of a section.
const inset = margin + 2

// Height is how many rows of w cells the view takes when every section that the
// user has not folded is shown in full. It is 0 when it shows no one.
func (d *Detail) Height(w int) int {
	if d.id == "" {
		return 0
	}
	if !d.card.found {
		return 1
	}
	n := len(d.head(nil, w))
	for s := Section(1); int(s) <= sections; s++ {
		if d.card.has(s) {
			n += 1 + d.size(s, w, d.most(s))
		}
	}
	return n
}

// Rows appends the view to dst: what the agent is and does, and the sections. When
// not all of it fits, marks say how many rows are hidden above and below.
func (d *Detail) Rows(dst []string, w, h int) []string {
	base := len(dst)
	if h <= 0 || d.id == "" {
		return rows.Fill(dst, base, max(h, 0), w)
	}
	if !d.card.found {
		dst = append(dst, cells.NewRow(w).Skip(margin).PutMax(d.st.Muted, "This agent no longer exists.", w-2*margin).String())
		return rows.Fill(dst, base, h, w)
	}
	d.drawn = d.head(d.drawn[:0], w)
	limits := d.fit(w, h-len(d.drawn))
	for s := Section(1); int(s) <= sections; s++ {
		d.open[s] = false
		if d.card.has(s) {
			d.drawn = d.section(d.drawn, s, w, limits[s])
		}
	}
	return d.window(dst, w, h)
}

// window appends the rows that are in sight, and marks.
func (d *Detail) window(dst []string, w, h int) []string {
	base := len(dst)
	all := d.drawn
	if d.page = h; len(all) > h && h >= 3 {
		d.page = h - 1 // a row for the mark
	}
	d.top = max(min(d.top, len(all)-d.page), 0)
	end := min(d.top+d.page, len(all))
	dst = append(dst, all[d.top:end]...)
	if d.page < h {
		above, below := d.top, len(all)-end
		text := ""
		switch {
		case above > 0 && below > 0:
			text = "↑ " + itoa(above) + " · ↓ " + itoa(below) + " more"
		case above > 0:
			text = "↑ " + itoa(above) + " more"
		case below > 0:
			text = "↓ " + itoa(below) + " more"
		}
		dst = append(dst, cells.NewRow(w).Skip(margin).Put(d.st.Faint, text).String())
	}
	return rows.Fill(dst, base, h, w)
}

// fit chooses how many rows each section takes, so that all of them take at most
// h, if that can be.
func (d *Detail) fit(w, h int) (limits [sections + 1]int) {
	total := 0
	var sizes [sections + 1]int
	for s := Section(1); int(s) <= sections; s++ {
		if d.card.has(s) {
			limits[s] = d.most(s)
			sizes[s] = d.size(s, w, limits[s])
			total += 1 + sizes[s]
		}
	}
	for _, s := range yields {
		if total <= h {
			break
		}
		if d.folds[s] != foldAuto || !d.card.has(s) {
			continue
		}
		// It keeps what is left when the others have their room.
		keep := max(sizes[s]-(total-h), rooms[s].short)
		if keep < sizes[s] {
			limits[s] = keep
			total -= sizes[s] - keep
		}
	}
	return limits
}

// most is how many rows a section may take when there is room for all of them.
func (d *Detail) most(s Section) int {
	if d.folds[s] == foldOpen {
		return math.MaxInt
	}
	return rooms[s].long
}

// size is how many rows of at most limit a section takes below its title.
func (d *Detail) size(s Section, w, limit int) int {
	if d.folds[s] == foldClose {
		return 0
	}
	return min(d.length(s, w), limit)
}

// length is how many rows a section would take below its title.
func (d *Detail) length(s Section, w int) int {
	c := &d.card
	switch s {
	case SectionGoal:
		return len(d.wrapped(c.goal, w-inset-margin))
	case SectionResult:
		return len(d.result(w))
	case SectionCalls:
		return len(c.list)
	case SectionOutput:
		return len(c.tail)
	case SectionAgents:
		return len(c.kids)
	case SectionFiles:
		return len(c.read.names) + len(c.written.names)
	}
	return len(d.facts(nil, w))
}

// section appends a section in at most limit rows below its title. Without any it
// is folded.
func (d *Detail) section(dst []string, s Section, w, limit int) []string {
	limit = d.size(s, w, limit)
	d.open[s] = limit > 0
	dst = append(dst, d.title(s, w, limit > 0))
	all := d.length(s, w)
	if limit == 0 {
		return dst
	}
	left := 0
	if all > limit {
		left, limit = all-limit+1, limit-1
	}
	if s == SectionOutput { // the newest lines stand last
		if left > 0 {
			dst = append(dst, d.text(w, d.st.Faint, "… "+itoa(left)+" lines above"))
		}
		for _, l := range d.card.tail[all-limit:] {
			dst = append(dst, d.text(w, d.st.Muted, l))
		}
		return dst
	}
	base := len(dst)
	dst = d.body(dst, s, w, limit)[:base+limit]
	if left > 0 {
		dst = append(dst, d.text(w, d.st.Faint, "… "+itoa(left)+" more"))
	}
	return dst
}

// body appends at least the first n rows of a section.
func (d *Detail) body(dst []string, s Section, w, n int) []string {
	c := &d.card
	switch s {
	case SectionGoal:
		return d.paragraph(dst, w, d.st.Text, c.goal, n)
	case SectionResult:
		return append(dst, d.result(w)[:n]...)
	case SectionCalls:
		for i := range c.list[:n] {
			dst = append(dst, d.call(w, &c.list[i]))
		}
	case SectionAgents:
		for i := range c.kids[:n] {
			dst = append(dst, d.kid(w, &c.kids[i]))
		}
	case SectionFiles:
		for _, name := range c.written.names {
			dst = append(dst, d.file(w, "✎", d.st.Accent, name))
		}
		for _, name := range c.read.names {
			dst = append(dst, d.file(w, "·", d.st.Faint, name))
		}
	case SectionFacts:
		return d.facts(dst, w)
	}
	return dst
}

// result draws what the agent has to report: its summary, which is Markdown, and its
// error.
func (d *Detail) result(w int) []string {
	key := memoKey{"\x00" + d.card.summary + "\x00" + d.card.err, w}
	if m, ok := d.memo[key]; ok {
		return m
	}
	var lines []string
	for _, l := range d.md.Render(d.card.summary, max(w-inset-margin, 1), d.st) {
		// Apart from blanks that its ends may join with.
		lines = append(lines, rows.Fit(rows.Blank(inset)+"\x1b[m"+l+"\x1b[m", w))
	}
	if d.card.err != "" {
		lines = d.paragraph(lines, w, d.st.Bad, d.card.err, len(d.wrapped(d.card.err, w-inset-margin)))
	}
	return d.remember(key, lines)
}

// report is what the agent has to report in words: its error after its summary.
func (c *card) report() string {
	if c.summary != "" && c.err != "" {
		return c.summary + "\n" + c.err
	}
	return c.summary + c.err
}

// memoKey names a text that was wrapped at a width.
type memoKey struct {
	text string
	w    int
}

// memoLimit bounds how many wrapped texts are kept. They are forgotten with their
// agent.
const memoLimit = 16

// wrapped is a text as rows of at most w cells.
func (d *Detail) wrapped(text string, w int) []string {
	w = max(w, 1)
	key := memoKey{text, w}
	if m, ok := d.memo[key]; ok {
		return m
	}
	return d.remember(key, rows.Wrap(nil, text, w))
}

func (d *Detail) remember(key memoKey, lines []string) []string {
	if len(d.memo) >= memoLimit {
		clear(d.memo)
	}
	d.memo[key] = lines
	return lines
}

// paragraph appends the first n rows of a text.
func (d *Detail) paragraph(dst []string, w int, style rows.Style, text string, n int) []string {
	for _, l := range d.wrapped(text, w-inset-margin)[:n] {
		dst = append(dst, d.text(w, style, l))
	}
	return dst
}

// text is a row of a section.
func (d *Detail) text(w int, style rows.Style, text string) string {
	return cells.NewRow(w).Skip(inset).PutMax(style, text, w-inset-margin).String()
}

func (d *Detail) file(w int, sign string, style rows.Style, name string) string {
	row := cells.NewRow(w).Skip(inset).Put(style, sign).Skip(1)
	return row.Put(d.st.Text, cells.CutStart(name, row.Left()-margin)).String()
}

// titles are what the sections are called.
var titles = [sections + 1]string{
	SectionGoal: "Goal", SectionResult: "Summary", SectionCalls: "Calls", SectionOutput: "Output", SectionAgents: "Agents",
	SectionFiles: "Files", SectionFacts: "Facts",
}

// title is the first row of a section: its name, what is in it, and its number,
// by which it can be folded.
func (d *Detail) title(s Section, w int, open bool) string {
	c := &d.card
	name, sign := titles[s], "▸"
	if open {
		sign = "▾"
	}
	switch {
	case s == SectionResult && c.summary == "":
		name = "Error"
	case s == SectionOutput && c.tailOf == event.BlockReasoning:
		name = "Thinking"
	case s == SectionOutput && c.tailOf == event.BlockAnswer:
		name = "Writing"
	}
	row := cells.NewRow(w).Skip(margin).Put(d.st.Faint, sign).Skip(1).Put(d.st.Strong, name)
	if digest := d.digest(s, open); digest != "" {
		row.Skip(1).PutMax(d.st.Muted, digest, row.Left()-margin-2)
	}
	return row.Until(1+margin).Put(d.st.Faint, itoa(int(s))).String()
}

// digest is what stands beside a title: figures, and when it is folded the
// beginning of a text.
func (d *Detail) digest(s Section, open bool) string {
	c := &d.card
	switch s {
	case SectionCalls:
		text := itoa(c.own.tools) + " ended"
		if c.running > 0 {
			text += " · " + itoa(c.running) + " running"
		}
		return text
	case SectionAgents:
		text := itoa(c.allKids)
		if c.below > c.allKids {
			text += " · " + itoa(c.below) + " in all"
		}
		return text
	case SectionFiles:
		var parts []string
		if n := c.written.count; n > 0 {
			parts = append(parts, itoa(n)+" changed")
		}
		if n := c.read.count; n > 0 {
			parts = append(parts, itoa(n)+" read")
		}
		return strings.Join(parts, " · ")
	}
	if open {
		return ""
	}
	switch s {
	case SectionGoal:
		return clip(c.goal)
	case SectionResult:
		return clip(c.report())
	case SectionOutput:
		return strings.TrimSpace(c.tail[len(c.tail)-1])
	}
	return c.sets
}
