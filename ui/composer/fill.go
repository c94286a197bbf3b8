package composer

import (
	"strings"
	"unicode/utf8"
)

// insertOpen begins a command in a draft whose output is to take its place: {!date}.
const insertOpen = "{!"

// Inserts are the commands in braces of what was typed, in their order: {!date}. Braces in
// a command are balanced; none of it is pasted, and none is broken over lines.
func (c *Composer) Inserts() []string {
	var list []string
	c.eachInsert(func(_ int, _, _ int, command string) { list = append(list, command) })
	return list
}

// eachInsert calls f with the line and the place of every command in braces.
func (c *Composer) eachInsert(f func(line, from, to int, command string)) {
	for i, l := range c.buf.lines {
		for at := 0; ; {
			n := strings.Index(l.text[at:], insertOpen)
			if n < 0 {
				break
			}
			from := at + n
			at = from + len(insertOpen)
			if to := closing(l.text, at); to > 0 {
				if command := strings.TrimSpace(l.text[at : to-1]); command != "" && strings.IndexByte(command, refOpen) < 0 {
					f(i, from, to, command)
				}
				at = to
			}
		}
	}
}

// closing is the end of the brace that closes what is open at an offset, 0 for none.
func closing(text string, at int) int {
	open := 1
	for ; at < len(text); at++ {
		switch text[at] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return at + 1
			}
		}
	}
	return 0
}

// Fill puts texts in the places of [Composer.Inserts], as if they were pasted there, as
// one step that can be undone. What names something, or has a command in braces itself,
// becomes a chip, so that no one takes it for typed. It reports false when the draft has
// not so many.
func (c *Composer) Fill(texts []string) bool {
	if len(c.Inserts()) != len(texts) {
		return false
	}
	c.sweep()
	var b strings.Builder
	n, line, at := 0, 0, 0
	upTo := func(to, off int) { // what is between two of them
		for ; line < to; line++ {
			b.WriteString(c.buf.lines[line].text[at:] + "\n")
			at = 0
		}
		b.WriteString(c.buf.lines[line].text[at:off])
	}
	c.eachInsert(func(i, from, to int, _ string) {
		upTo(i, from)
		b.WriteString(c.pasted(texts[n], b.String()))
		n, at = n+1, to
	})
	last := len(c.buf.lines) - 1
	upTo(last, len(c.buf.lines[last].text))
	c.replaceAll(b.String())
	return true
}

// pasted is a text in the form of the buffer, as it is pasted behind what is written
// already.
func (c *Composer) pasted(text, written string) string {
	text = cleanPaste(strings.TrimRight(text, "\n"))
	if c.collapses(text) {
		return c.buf.addChip(newChip(c.buf.nextNumber(append(c.texts(), c.killed, written)...), text))
	}
	return untab(text)
}

// runs reports whether a text that is typed at the start of a draft would have commands
// run when the draft is sent.
func runs(text string) bool {
	return strings.HasPrefix(text, "!") || strings.Contains(text, insertOpen)
}

// collapses reports whether a paste becomes a chip: where it is large, and where as text it
// would do what only typed text does.
func (c *Composer) collapses(text string) bool {
	if runs(text) && (c.cur == pos{} || strings.Contains(text, insertOpen)) {
		return true
	}
	return mentions(text) || c.pasteLines > 0 && countLines(text) > c.pasteLines || c.pasteChars > 0 && utf8.RuneCountInString(text) > c.pasteChars
}
