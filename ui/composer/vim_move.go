package composer

import "strings"

// rangeKind says what lies on the way of a motion.
type rangeKind uint8

const (
	nowhere    rangeKind = iota // there is no such place
	exclusive                   // up to the place
	inclusive                   // with the character there
	wholeLines                  // all lines from one to the other
)

// motion is where a key leads, and what lies on the way. ok is false for other keys.
func (c *Composer) motion(key string) (to pos, kind rangeKind, ok bool) {
	v, n := &c.vim, c.vim.times()
	to, kind = c.cur, exclusive
	line := c.buf.text(to)
	switch key {
	case "h":
		for range min(n, to.off) {
			if to.off > 0 {
				to = c.buf.back(to)
			}
		}
	case "l", " ":
		for range n {
			if to.off < len(line) {
				to = c.buf.forth(to)
			}
		}
	case "0":
		to.off = 0
	case "^", "_":
		to.off = c.indented(to.line)
	case "$":
		to.line = min(to.line+n-1, len(c.buf.lines)-1)
		to.off = len(c.buf.text(to))
	case "j", "k":
		return c.lineStep(key == "j", n)
	case "G":
		kind, to = wholeLines, pos{len(c.buf.lines) - 1, 0}
		if v.count > 0 {
			to.line = min(v.count, len(c.buf.lines)) - 1
		}
	case "w", "W":
		to = c.nextWord(key == "W", n)
	case "b", "B":
		for range n {
			to = c.wordStart(to, key == "B")
		}
	case "e", "E":
		kind = inclusive
		for range n {
			to = c.wordEnd(to, key == "E")
		}
	case "{", "}":
		for range n {
			to = c.paragraph(to, key == "}")
		}
	case ";", ",":
		if v.sought[0] == "" {
			return to, nowhere, true
		}
		how := v.sought[0]
		if key == "," {
			how = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[how]
		}
		to, kind = c.seek(how, v.sought[1], true)
	default:
		return to, nowhere, false
	}
	return to, kind, true
}

// lineStep goes up or down: with an operator by lines of the draft, else by rows of the
// screen, and behind the first and last one to earlier and later drafts.
func (c *Composer) lineStep(down bool, n int) (pos, rangeKind, bool) {
	by := 1
	if !down {
		by = -1
	}
	if c.vim.op != "" {
		line := c.cur.line + by*n
		if line < 0 || line >= len(c.buf.lines) {
			return c.cur, nowhere, true
		}
		return pos{line, 0}, wholeLines, true
	}
	for i := range n {
		if c.vertical(by) {
			continue
		}
		if i == 0 && !c.vim.selects() {
			if down {
				c.HistoryNext()
			} else {
				c.HistoryPrev()
			}
		}
		break
	}
	return c.cur, nowhere, true
}

// classAt is what stands at a place: at the end of a line nothing does.
func (c *Composer) classAt(p pos, big bool) class {
	text := c.buf.text(p)
	if p.off >= len(text) {
		return blank
	}
	k := classOf(text[p.off:next(text, p.off)])
	if big && k != blank {
		k = word
	}
	return k
}

// bare reports whether a place is an empty line, which is a word for motions.
func (c *Composer) bare(p pos) bool { return c.buf.text(p) == "" }

// nextWord is the start of the n-th word from the cursor on. An operator does not reach
// over the end of the last line for it, and changing a word leaves the blanks behind it.
func (c *Composer) nextWord(big bool, n int) pos {
	to, end := c.cur, c.buf.end()
	for i := range n {
		if c.vim.op == "c" && i == n-1 && c.classAt(to, big) != blank {
			return c.behind(c.runEnd(to, big))
		}
		if kind := c.classAt(to, big); kind != blank {
			to = c.behind(c.runEnd(to, big))
		}
		for to != end && c.classAt(to, big) == blank {
			if c.vim.op != "" && i == n-1 && to.off == len(c.buf.text(to)) && to != c.cur {
				return to
			}
			if to = c.buf.forth(to); to.off == 0 && c.bare(to) {
				break
			}
		}
	}
	return to
}

// runEnd is the last character of the word at a place.
func (c *Composer) runEnd(p pos, big bool) pos {
	kind := c.classAt(p, big)
	for q := c.behind(p); q != p && q.off < len(c.buf.text(q)) && c.classAt(q, big) == kind; q = c.behind(q) {
		p = q
	}
	return p
}

// wordEnd is the last character of the word behind a place.
func (c *Composer) wordEnd(p pos, big bool) pos {
	end := c.buf.end()
	for p = c.buf.forth(p); p != end && c.classAt(p, big) == blank; {
		p = c.buf.forth(p)
	}
	return c.runEnd(p, big)
}

// wordStart is the first character of the word before a place.
func (c *Composer) wordStart(p pos, big bool) pos {
	p = c.buf.back(p)
	for p != (pos{}) && c.classAt(p, big) == blank {
		if p.off == 0 && c.bare(p) {
			return p
		}
		p = c.buf.back(p)
	}
	for kind := c.classAt(p, big); p.off > 0; {
		q := c.buf.back(p)
		if c.classAt(q, big) != kind {
			break
		}
		p = q
	}
	return p
}

// paragraph is the next or previous empty line, or the end or start of the draft.
func (c *Composer) paragraph(p pos, down bool) pos {
	by := 1
	if !down {
		by = -1
	}
	for i, seen := p.line, !c.bare(p); ; i += by {
		switch {
		case i < 0:
			return pos{}
		case i >= len(c.buf.lines):
			return c.buf.end()
		case c.buf.lines[i].text != "":
			seen = true
		case seen && i != p.line:
			return pos{i, 0}
		}
	}
}

// seek is where a character stands on the line: f and t look ahead, F and T back; t and T
// stop beside it, where on does not count one that they stand beside already.
func (c *Composer) seek(how, what string, on bool) (pos, rangeKind) {
	line, at := c.buf.text(c.cur), c.cur.off
	ahead := how == "f" || how == "t"
	for n := c.vim.times(); n > 0; n-- {
		switch {
		case ahead:
			from := at
			if from < len(line) {
				from = next(line, from)
			}
			if on && how == "t" && n == c.vim.times() && from < len(line) && strings.HasPrefix(line[from:], what) {
				from = next(line, from) // it stands beside one already
			}
			i := strings.Index(line[from:], what)
			if i < 0 {
				return c.cur, nowhere
			}
			at = from + i
		default:
			to := at
			if on && how == "T" && n == c.vim.times() && to > 0 && strings.HasSuffix(line[:to], what) {
				to = prev(line, to)
			}
			i := strings.LastIndex(line[:to], what)
			if i < 0 {
				return c.cur, nowhere
			}
			at = i
		}
	}
	at = snap(line, at)
	switch how {
	case "t":
		at = prev(line, at)
	case "T":
		at = next(line, at)
	}
	if ahead {
		return pos{c.cur.line, at}, inclusive
	}
	return pos{c.cur.line, at}, exclusive
}

// pairs are the signs that text objects stand between.
var pairs = map[string]string{"(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}", "<": "<>", ">": "<>"}

// object is a text object at the cursor: i is inside, a is with what surrounds it.
func (c *Composer) object(how, key string) (from, to pos, ok bool) {
	line, at := c.buf.text(c.cur), c.cur.off
	span := func(a, b int) (pos, pos, bool) { return pos{c.cur.line, a}, pos{c.cur.line, b}, b > a || how == "i" }
	switch key {
	case "w", "W":
		if line == "" {
			return from, to, false
		}
		a, b := at, c.behind(c.runEnd(c.cur, key == "W")).off
		for kind := c.classAt(c.cur, key == "W"); a > 0 && c.classAt(c.buf.back(pos{c.cur.line, a}), key == "W") == kind; {
			a = prev(line, a)
		}
		if how == "a" {
			end := b + len(line[b:]) - len(strings.TrimLeft(line[b:], " "))
			if end == b {
				a = len(strings.TrimRight(line[:a], " "))
			}
			b = end
		}
		return span(a, b)
	case `"`, "'", "`":
		a := strings.LastIndex(line[:min(at+1, len(line))], key)
		if a < 0 || strings.Count(line[:a], key)%2 == 1 { // it is the closing one
			if a >= 0 && a == at {
				a = strings.LastIndex(line[:a], key)
			} else if i := strings.Index(line[at:], key); i >= 0 && a < 0 {
				a = at + i
			}
		}
		if a < 0 {
			return from, to, false
		}
		b := strings.Index(line[a+1:], key)
		if b < 0 {
			return from, to, false
		}
		if b += a + 1; how == "a" {
			return span(a, b+1)
		}
		return span(a+1, b)
	}
	pair, known := pairs[key]
	if !known {
		return from, to, false
	}
	return c.between(pair, how == "a")
}

// between is what stands between two signs around the cursor, over lines.
func (c *Composer) between(pair string, with bool) (from, to pos, ok bool) {
	at := func(p pos) string {
		if text := c.buf.text(p); p.off < len(text) {
			return text[p.off : p.off+1]
		}
		return ""
	}
	depth := 0
	for from = c.cur; ; from = c.buf.back(from) {
		switch s := at(from); {
		case s == pair[1:] && from != c.cur:
			depth++
		case s == pair[:1] && depth > 0:
			depth--
		case s == pair[:1]:
			depth = -1
		}
		if depth < 0 {
			break
		}
		if from == (pos{}) {
			return from, to, false
		}
	}
	depth = 0
	for to = c.buf.forth(from); ; to = c.buf.forth(to) {
		switch s := at(to); {
		case s == pair[:1]:
			depth++
		case s == pair[1:]:
			depth--
		}
		if depth < 0 {
			break
		}
		if to == c.buf.end() {
			return from, to, false
		}
	}
	if with {
		return from, c.behind(to), true
	}
	return c.behind(from), to, true
}
