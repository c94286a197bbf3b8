package composer

// Action is something that a key does to the draft.
type Action int

// The actions. "Line" means a line of the draft, up and down go by rows of the
// screen.
const (
	Left Action = iota
	Right
	Up
	Down
	WordLeft
	WordRight
	Home        // start of the line
	End         // end of the line
	BufferStart // start of the draft
	BufferEnd   // end of the draft
	Backspace
	Delete
	DeleteWordLeft  // keeps what it deletes for Yank
	DeleteWordRight // keeps what it deletes for Yank
	KillToEnd       // cuts to the end of the line, or the line break there
	KillToStart     // cuts to the start of the line, or the line break there
	Yank            // inserts what was cut
	Newline
	Undo
	Redo
	ExpandChip // turns the paste under or before the cursor into text
)

// Do carries out an action. It reports false when there was nothing to do: the
// cursor is at the edge, or there is nothing to delete, insert, undo or expand.
// So for Up and Down false means the first and the last row, where the root goes
// to the history.
func (c *Composer) Do(a Action) bool {
	killing := c.killing
	c.killing = false
	if to, moved := c.target(a); moved {
		return c.move(to)
	}
	switch a {
	case Up:
		return c.vertical(-1)
	case Down:
		return c.vertical(1)
	case Backspace:
		c.noteBackspace()
		to := c.buf.back(c.cur)
		return c.remove(to, c.cur, deletingBack)
	case Delete:
		to := c.buf.forth(c.cur)
		return c.remove(c.cur, to, deletingForth)
	case DeleteWordLeft:
		return c.kill(c.buf.wordBack(c.cur), killing)
	case DeleteWordRight:
		return c.kill(c.buf.wordForth(c.cur), killing)
	case KillToEnd:
		to := pos{c.cur.line, len(c.buf.text(c.cur))}
		if to == c.cur {
			to = c.buf.forth(c.cur)
		}
		return c.kill(to, killing)
	case KillToStart:
		to := pos{c.cur.line, 0}
		if to == c.cur {
			to = c.buf.back(c.cur)
		}
		return c.kill(to, killing)
	case Yank:
		if c.killed == "" {
			return false
		}
		c.apply(c.cur, c.cur, c.killed, single)
		return true
	case Newline:
		c.apply(c.cur, c.cur, "\n", single)
		c.note("\n")
		return true
	case Undo:
		return c.undo()
	case Redo:
		return c.redo()
	case ExpandChip:
		return c.expandChip()
	}
	return false
}

// target is where an action moves the cursor, false for other actions.
func (c *Composer) target(a Action) (to pos, moves bool) {
	switch a {
	case Left:
		to = c.buf.back(c.cur)
	case Right:
		to = c.buf.forth(c.cur)
	case WordLeft:
		to = c.buf.wordBack(c.cur)
	case WordRight:
		to = c.buf.wordForth(c.cur)
	case Home:
		to = pos{c.cur.line, 0}
	case End:
		to = pos{c.cur.line, len(c.buf.text(c.cur))}
	case BufferStart:
	case BufferEnd:
		to = c.buf.end()
	default:
		return c.cur, false
	}
	return to, true
}

func (c *Composer) move(to pos) bool {
	c.log.seal()
	moved := to != c.cur
	c.cur, c.goal = to, -1
	return moved
}

// vertical moves by a row of the screen and keeps to the cell where the movement
// began.
func (c *Composer) vertical(by int) bool {
	c.log.seal()
	l := c.buf.lines[c.cur.line]
	row := c.buf.rowOf(l, c.cur.off)
	if c.goal < 0 {
		c.goal = c.buf.cellsTo(l.text, l.starts[row], c.cur.off)
	}
	to, ok := c.buf.step(rowPos{c.cur.line, row}, by)
	if ok {
		c.cur = pos{to.line, c.buf.offsetAt(c.buf.lines[to.line], to.row, c.goal)}
	}
	return ok
}

func (c *Composer) remove(from, to pos, kind editKind) bool {
	if from == to {
		return false
	}
	c.apply(from, to, "", kind)
	return true
}

// kill deletes from the cursor to a place on either side and keeps the text.
// What is killed in one go is put together.
func (c *Composer) kill(to pos, again bool) bool {
	from, back := c.cur, to.less(c.cur)
	if back {
		from, to = to, from
	}
	text := c.buf.slice(from, to)
	switch {
	case text == "":
		c.killing = again
		return false
	case again && back:
		c.killed = text + c.killed
	case again:
		c.killed += text
	default:
		c.killed = text
	}
	c.killing = true
	return c.remove(from, to, single)
}

// expandChip replaces the reference under or before the cursor by its text,
// which is text like any other then: its tabs become blanks.
func (c *Composer) expandChip() bool {
	text, from, to := c.buf.text(c.cur), c.cur.off, c.cur.off
	switch {
	case to < len(text) && text[to] == refOpen:
		to = next(text, to)
	case from > 0 && text[from-1] == refClose:
		from = prev(text, from)
	}
	p := c.buf.chipOf(text[from:to])
	if p == nil || p.image != nil {
		return false
	}
	c.apply(pos{c.cur.line, from}, pos{c.cur.line, to}, untab(p.text), single)
	return true
}
