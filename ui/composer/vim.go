package composer

import (
	"slices"
	"strings"
)

// vimMode is how keys are read.
type vimMode uint8

const (
	inserting vimMode = iota
	normal
	visual
	visualLines
)

// vim is the state of editing with the keys of vim.
type vim struct {
	on   bool
	mode vimMode

	// What was typed of a command: numbers, the operator, and what waits for another key.
	count, opCount int
	op, prefix     string
	keys           []string
	edits          uint64 // when it was begun

	anchor pos       // where the selection began
	sought [2]string // how and which character was sought on the line last
	lines  string    // what was cut, if it was whole lines

	// The newest change, to be repeated: its keys, and what was typed then.
	last      []string
	typed     string
	repeating bool
}

// mostTimes bounds how often a command is carried out.
const mostTimes = 1000

// clear forgets what was typed of a command.
func (v *vim) clear() { v.count, v.opCount, v.op, v.prefix, v.keys = 0, 0, "", "", nil }

// begin has keys be typed as text.
func (v *vim) begin() {
	v.clear()
	v.mode = inserting
}

func (v *vim) selects() bool { return v.mode == visual || v.mode == visualLines }

// times is how often a command is to be carried out.
func (v *vim) times() int { return min(max(v.count, 1)*max(v.opCount, 1), mostTimes) }

// SetVim turns the keys of vim on or off. Typing is as without them until escape.
func (c *Composer) SetVim(on bool) {
	if c.vim.on != on {
		c.vim = vim{on: on}
		clear(c.screen.cache)
	}
}

// VimMode is how keys are read: NORMAL, VISUAL or VISUAL LINE; empty while they are text.
func (c *Composer) VimMode() string {
	return [...]string{inserting: "", normal: "NORMAL", visual: "VISUAL", visualLines: "VISUAL LINE"}[c.vim.mode]
}

// VimKey takes a key as vim does and reports whether it meant something: all text does
// outside of inserting. Escape on an empty draft, and when there is nothing to leave,
// means what it does elsewhere.
func (c *Composer) VimKey(key, text string) bool {
	v := &c.vim
	switch {
	case !v.on || v.mode == inserting && (key != "esc" || c.Empty()):
		return false
	case v.mode == inserting:
		c.leaveInserting()
	case key == "esc" && v.mode == normal && len(v.keys) == 0:
		return false
	case key == "esc":
		v.clear()
		v.mode = normal
	case key == "ctrl+r":
		for range v.times() {
			c.redo()
		}
		v.clear()
		c.settle()
	case text == "" || text == "?" && c.Empty():
		return false
	default:
		c.vimKey(text)
	}
	return true
}

// leaveInserting ends typing. The cursor stands on the character before.
func (c *Composer) leaveInserting() {
	c.vim.begin()
	c.vim.mode = normal
	if c.cur.off > 0 {
		c.move(c.buf.back(c.cur))
	}
	c.log.seal()
}

// settle keeps the cursor on a character: behind the last one is a place for typing only.
func (c *Composer) settle() {
	if text := c.buf.text(c.cur); c.vim.mode == normal && c.cur.off == len(text) && text != "" {
		c.cur.off = prev(text, c.cur.off)
	}
}

// vimKey takes one key of a command, and notes the command when it has changed something.
func (c *Composer) vimKey(key string) {
	v := &c.vim
	if len(v.keys) == 0 {
		v.edits = c.buf.edits
	}
	v.keys = append(v.keys, key)
	selected := v.selects()
	if !c.step(key) {
		return
	}
	if (c.buf.edits != v.edits || v.mode == inserting) && !v.repeating && !selected && key != "u" && key != "." {
		v.last, v.typed = slices.Clone(v.keys), ""
	}
	if v.mode == inserting {
		v.begin()
	}
	v.clear()
	c.settle()
}

// step takes a key and reports whether the command is complete.
func (c *Composer) step(key string) (done bool) {
	v := &c.vim
	prefix := v.prefix
	v.prefix = ""
	switch prefix {
	case "f", "F", "t", "T":
		v.sought = [2]string{prefix, key}
		return c.moveVim(c.seek(prefix, key, false))
	case "r":
		c.replaceUnder(key)
		return true
	case "i", "a":
		if from, to, ok := c.object(prefix, key); ok {
			c.change(from, to, false)
		}
		return true
	case "g":
		if key != "g" {
			return true
		}
		return c.moveVim(pos{}, wholeLines)
	}
	if d := key[0]; len(key) == 1 && (d >= '1' && d <= '9' || d == '0' && v.count > 0) {
		v.count = min(v.count*10+int(d-'0'), mostTimes)
		return false
	}
	switch key {
	case "f", "F", "t", "T", "r", "g":
		v.prefix = key
		return false
	case "i", "a":
		if v.op != "" || v.selects() {
			v.prefix = key
			return false
		}
	case "d", "c", "y":
		return c.operator(key)
	}
	if to, kind, ok := c.motion(key); ok {
		return c.moveVim(to, kind)
	}
	if v.op == "" {
		c.command(key)
	}
	return true
}

// operator begins a change of a range, or carries it out where the range is known: the
// selection, or whole lines for a key that is pressed twice.
func (c *Composer) operator(key string) (done bool) {
	v := &c.vim
	switch {
	case v.selects():
		from, to, lines := c.selected()
		v.op, v.mode = key, normal
		c.change(from, to, lines)
	case v.op == key:
		last := min(c.cur.line+v.times()-1, len(c.buf.lines)-1)
		c.change(c.cur, pos{last, 0}, true)
	case v.op == "":
		v.op, v.opCount, v.count = key, v.count, 0
		return false
	}
	return true
}

// moveVim moves the cursor, or changes what lies on the way if there is an operator.
func (c *Composer) moveVim(to pos, kind rangeKind) (done bool) {
	if kind == nowhere {
		return true
	}
	if c.vim.op == "" {
		if kind == wholeLines && !c.vim.selects() {
			to.off = c.indented(to.line)
		}
		c.move(to)
		return true
	}
	from := c.cur
	if to.less(from) {
		from, to = to, from
	}
	if kind == inclusive {
		to = c.behind(to)
	}
	c.change(from, to, kind == wholeLines)
	return true
}

// behind is the place behind a character, on its line.
func (c *Composer) behind(p pos) pos {
	if p.off < len(c.buf.text(p)) {
		return c.buf.forth(p)
	}
	return p
}

// selected is what is selected.
func (c *Composer) selected() (from, to pos, lines bool) {
	from, to = c.vim.anchor, c.cur
	if to.less(from) {
		from, to = to, from
	}
	return from, c.behind(to), c.vim.mode == visualLines
}

// change carries out the operator on a range, or selects it where there is none.
func (c *Composer) change(from, to pos, lines bool) {
	v := &c.vim
	if v.op == "" {
		v.anchor = from
		c.move(c.buf.back(to))
		return
	}
	var text string
	if lines {
		from, to = pos{from.line, 0}, pos{to.line, len(c.buf.text(to))}
		text = c.buf.slice(from, to) + "\n"
		v.lines = text
	} else {
		text = c.buf.slice(from, to)
	}
	if text == "" && v.op != "c" {
		return
	}
	c.killed = text
	if !lines {
		v.lines = ""
	}
	switch {
	case v.op == "y":
		c.move(from)
	case v.op == "c":
		c.cut(from, to)
		v.mode = inserting
	case lines && to.line+1 < len(c.buf.lines):
		c.cut(from, pos{to.line + 1, 0})
		c.cur.off = c.indented(c.cur.line)
	case lines && from.line > 0:
		c.cut(pos{from.line - 1, len(c.buf.lines[from.line-1].text)}, to)
		c.cur.off = c.indented(c.cur.line)
	default:
		c.cut(from, to)
	}
}

// cut takes a text out, as a step of its own.
func (c *Composer) cut(from, to pos) {
	c.log.seal()
	if from != to {
		c.apply(from, to, "", single)
		return
	}
	c.move(from)
}

// indented is where the text of a line begins.
func (c *Composer) indented(line int) int {
	text := c.buf.lines[line].text
	return min(len(text)-len(strings.TrimLeft(text, " ")), max(len(text)-1, 0))
}
