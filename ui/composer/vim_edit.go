package composer

import (
	"strings"
	"unicode"
)

// command carries out a key that is neither motion nor operator.
func (c *Composer) command(key string) {
	v, n := &c.vim, c.vim.times()
	line := c.buf.text(c.cur)
	over := func(op string, from, to pos) {
		v.op = op
		c.change(from, to, false)
	}
	if v.selects() && c.commandSelected(key) {
		return
	}
	switch key {
	case "i":
		v.mode = inserting
	case "a":
		c.move(c.behind(c.cur))
		v.mode = inserting
	case "I":
		c.move(pos{c.cur.line, c.indented(c.cur.line)})
		v.mode = inserting
	case "A":
		c.move(pos{c.cur.line, len(line)})
		v.mode = inserting
	case "o":
		end := pos{c.cur.line, len(line)}
		c.apply(end, end, "\n", single)
		v.mode = inserting
	case "O":
		start := pos{c.cur.line, 0}
		c.apply(start, start, "\n", single)
		c.cur = start
		v.mode = inserting
	case "x", "s":
		to := c.cur
		for range n {
			to = c.behind(to)
		}
		over(map[string]string{"x": "d", "s": "c"}[key], c.cur, to)
	case "X":
		from := c.cur
		for range n {
			if from.off > 0 {
				from = c.buf.back(from)
			}
		}
		over("d", from, c.cur)
	case "D", "C":
		over(strings.ToLower(key), c.cur, pos{c.cur.line, len(line)})
	case "S":
		v.op = "c"
		c.change(c.cur, pos{min(c.cur.line+n, len(c.buf.lines)) - 1, 0}, true)
	case "Y":
		v.op = "y"
		c.change(c.cur, pos{min(c.cur.line+n, len(c.buf.lines)) - 1, 0}, true)
	case "p", "P":
		c.put(key == "p", n)
	case "J":
		for range max(n-1, 1) {
			c.joinLine()
		}
	case "~":
		to := c.cur
		for range n {
			to = c.behind(to)
		}
		c.turnCase(c.cur, to)
	case "u":
		for range n {
			c.undo()
		}
	case "v", "V":
		v.anchor, v.mode = c.cur, visual
		if key == "V" {
			v.mode = visualLines
		}
	case ".":
		c.again()
	}
}

// commandSelected carries out a key on what is selected, and reports whether there is one.
func (c *Composer) commandSelected(key string) bool {
	v := &c.vim
	from, to, lines := c.selected()
	switch key {
	case "x", "X", "D":
		return c.operator("d")
	case "s", "C", "S":
		return c.operator("c")
	case "Y":
		return c.operator("y")
	case "~":
		c.turnCase(from, to)
		c.move(from)
		v.mode = normal
	case "p", "P":
		put, whole := c.killed, v.lines
		v.op, v.mode = "d", normal
		c.change(from, to, lines)
		c.log.seal()
		c.apply(c.cur, c.cur, strings.TrimSuffix(put, "\n"), single)
		c.killed, v.lines = put, whole
	case "o":
		v.anchor, c.cur = c.cur, v.anchor
	case "v", "V":
		mode := visual
		if key == "V" {
			mode = visualLines
		}
		if v.mode == mode {
			mode = normal
		}
		v.mode = mode
	}
	return true
}

// put inserts what was cut, whole lines below or above the line of the cursor.
func (c *Composer) put(after bool, n int) {
	text := c.killed
	if text == "" {
		return
	}
	c.log.seal()
	if text == c.vim.lines {
		text = strings.Repeat(text, n)
		if !after {
			start := pos{c.cur.line, 0}
			c.apply(start, start, text, single)
			c.cur = start
			return
		}
		line := c.cur.line + 1
		end := pos{c.cur.line, len(c.buf.text(c.cur))}
		c.apply(end, end, "\n"+strings.TrimSuffix(text, "\n"), single)
		c.cur = pos{line, c.indented(line)}
		return
	}
	at := c.cur
	if after {
		at = c.behind(at)
	}
	c.apply(at, at, strings.Repeat(text, n), single)
	if c.cur.off > 0 {
		c.cur = c.buf.back(c.cur)
	}
}

// joinLine joins the next line to this one, with one blank between them.
func (c *Composer) joinLine() {
	if c.cur.line+1 >= len(c.buf.lines) {
		return
	}
	end := pos{c.cur.line, len(c.buf.text(c.cur))}
	after := c.buf.lines[c.cur.line+1].text
	gap := " "
	if strings.HasSuffix(c.buf.text(c.cur), " ") || strings.TrimLeft(after, " ") == "" {
		gap = ""
	}
	c.log.seal()
	c.apply(end, pos{c.cur.line + 1, len(after) - len(strings.TrimLeft(after, " "))}, gap, single)
	c.cur = end
	c.settle()
}

// replaceUnder puts a character in the place of so many.
func (c *Composer) replaceUnder(with string) {
	n := c.vim.times()
	if c.vim.selects() || strings.Count(c.buf.text(c.cur)[c.cur.off:], "")-1 < n {
		return
	}
	to := c.cur
	for range n {
		to = c.behind(to)
	}
	with = strings.Repeat(clean(with), n)
	c.log.seal()
	c.apply(c.cur, to, with, single)
	c.cur = c.buf.back(c.cur)
}

// turnCase turns small letters into capitals and the other way round. Pastes stay.
func (c *Composer) turnCase(from, to pos) {
	var b strings.Builder
	text := c.buf.slice(from, to)
	for off := 0; off < len(text); {
		end := off + 1
		if text[off] != '\n' {
			end = next(text, off)
		}
		if text[off] == refOpen {
			b.WriteString(text[off:end])
		} else {
			b.WriteString(strings.Map(func(r rune) rune {
				if unicode.IsUpper(r) {
					return unicode.ToLower(r)
				}
				return unicode.ToUpper(r)
			}, text[off:end]))
		}
		off = end
	}
	if b.String() == text {
		c.move(to)
		return
	}
	c.log.seal()
	c.apply(from, to, b.String(), single)
}

// again repeats the newest change, with what was typed then.
func (c *Composer) again() {
	v := &c.vim
	keys, typed := v.last, v.typed
	v.clear()
	v.repeating = true
	for _, k := range keys {
		c.vimKey(k)
	}
	if v.mode == inserting {
		c.Insert(typed)
		c.leaveInserting()
	}
	v.repeating, v.last, v.typed = false, keys, typed
}

// note keeps what is typed as a part of the newest change.
func (c *Composer) note(text string) {
	if v := &c.vim; v.on && v.mode == inserting && !v.repeating {
		v.typed += text
	}
}

// noteBackspace takes the last character of that back.
func (c *Composer) noteBackspace() {
	if v := &c.vim; v.on && v.typed != "" && !strings.HasSuffix(v.typed, "\n") {
		v.typed = v.typed[:prev(v.typed, len(v.typed))]
	}
}
