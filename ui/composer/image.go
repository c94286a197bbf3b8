package composer

import (
	"strconv"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/term"
)

// newImage makes the chip of an image: one unit that stands for its mark in the
// text, and that cannot be turned into text.
func newImage(a event.Attachment) *chip {
	a.Name = strings.ReplaceAll(term.Line(a.Name), "\n", " ")
	label := "[▣ " + a.Name
	if a.Width > 0 && a.Height > 0 {
		label += " " + strconv.Itoa(a.Width) + "×" + strconv.Itoa(a.Height)
	}
	return &chip{text: a.Mark(), label: label + "]", image: &a}
}

// InsertImage puts an image at the cursor, with a blank behind it, as one step that
// can be undone.
func (c *Composer) InsertImage(a event.Attachment) {
	c.sweep()
	text := c.buf.addChip(newImage(a))
	if rest := c.buf.text(c.cur)[c.cur.off:]; !strings.HasPrefix(rest, " ") {
		text += " "
	}
	c.log.seal()
	c.apply(c.cur, c.cur, text, single)
	c.killing = false
}

// ReplaceByImage puts an image in the place of a text of one line, where it stands
// last in the draft, as one step that can be undone. The cursor stays where it is in
// the text. It reports false when the draft does not hold the text any more.
func (c *Composer) ReplaceByImage(text string, a event.Attachment) bool {
	text = clean(text)
	if text == "" || strings.Contains(text, "\n") {
		return false
	}
	for i := len(c.buf.lines) - 1; i >= 0; i-- {
		off := lastWhole(c.buf.lines[i].text, text)
		if off < 0 {
			continue
		}
		c.sweep()
		from, to, cur := pos{i, off}, pos{i, off + len(text)}, c.cur
		ref := c.buf.addChip(newImage(a))
		c.log.seal()
		c.apply(from, to, ref, single)
		switch {
		case cur.line == i && cur.off >= to.off:
			cur.off += len(ref) - len(text)
		case cur.line == i && cur.off > off:
			cur.off = off + len(ref)
		}
		c.cur, c.goal, c.killing = cur, -1, false
		return true
	}
	return false
}

// lastWhole is where a text stands last in a line, or -1. One that begins with an @
// is looked for as a word of its own.
func lastWhole(line, text string) int {
	for end := len(line); ; {
		off := strings.LastIndex(line[:end], text)
		if off < 0 || text[0] != '@' {
			return off
		}
		rest := line[off+len(text):]
		if beginsWord(line, off) && (rest == "" || strings.ContainsAny(rest[:1], " .,;:!?)]}"+string(refOpen))) {
			return off
		}
		end = off + len(text) - 1
	}
}

// Images are the images in the draft, in their order.
func (c *Composer) Images() []event.Attachment {
	var list []event.Attachment
	for _, l := range c.buf.lines {
		c.buf.refs(l.text, func(id, _, _ int) {
			if i := c.buf.chips[id].image; i != nil {
				list = append(list, *i)
			}
		})
	}
	return list
}

// InsertWithImages puts a text with the marks of images at the cursor, as
// [Composer.Paste] does, and the images in the place of their marks. What was sent
// before comes back as it was written.
func (c *Composer) InsertWithImages(text string, images []event.Attachment) {
	if draft := c.remembered(text); draft != "" {
		c.sweep()
		c.apply(c.cur, c.cur, c.buf.decode(draft), single)
		return
	}
	for _, a := range images {
		before, after, found := strings.Cut(text, a.Mark())
		if !found {
			continue
		}
		c.Paste(before)
		c.sweep()
		c.apply(c.cur, c.cur, c.buf.addChip(newImage(a)), single)
		text = after
	}
	if text != "" {
		c.Paste(text)
	}
}

// mentions reports whether a text names something with an @.
func mentions(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for at := range len(line) {
			if line[at] != '@' || !beginsWord(line, at) && strings.IndexByte("\t\"'", line[at-1]) < 0 {
				continue
			}
			if _, ok := mentionAt(line[at:]); ok {
				return true
			}
		}
	}
	return false
}

// Mentions are the names of files in the draft that stand behind an @, and the words
// as they are written. Collapsed pastes hold none.
func (c *Composer) Mentions() []Mention {
	var list []Mention
	for _, l := range c.buf.lines {
		for at := 0; at < len(l.text); at = next(l.text, at) {
			if l.text[at] != '@' || !beginsWord(l.text, at) {
				continue
			}
			if m, ok := mentionAt(l.text[at:]); ok {
				list = append(list, m)
			}
		}
	}
	return list
}

// Mention is a file that a draft names.
type Mention struct {
	Name string // without @ and quotes
	Word string // as it is written
}

// mentionAt reads the word at the beginning of a text. What ends a sentence does not
// belong to it.
func mentionAt(text string) (Mention, bool) {
	if rest, quoted := strings.CutPrefix(text, `@"`); quoted {
		for i := 0; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				name, ok := unquote(rest[:i])
				return Mention{name, text[:i+3]}, ok && name != ""
			}
		}
		return Mention{}, false
	}
	word := text
	if i := strings.IndexAny(text, " "+string(refOpen)); i >= 0 {
		word = text[:i]
	}
	word = strings.TrimRight(word, ".,;:!?)]}")
	return Mention{strings.TrimPrefix(word, "@"), word}, len(word) > 1
}

// imageFields is how many fields an image has in the text form of a draft.
const imageFields = 6

// writeImage writes an image in its text form: as a paste, with an i before its
// number, whose lines are its fields.
func writeImage(b *strings.Builder, a *event.Attachment) {
	b.WriteByte(draftOpen)
	b.WriteString("i0")
	b.WriteByte(draftText)
	b.WriteString(strings.Join([]string{
		a.ID, a.MediaType, strconv.Itoa(a.Width), strconv.Itoa(a.Height), strconv.Itoa(a.Bytes), a.Name,
	}, "\n"))
	b.WriteByte(draftClose)
}

// readImage reads the fields of an image.
func readImage(text string) (*event.Attachment, bool) {
	fields := strings.Split(text, "\n")
	if len(fields) != imageFields || fields[0] == "" || fields[5] == "" {
		return nil, false
	}
	a := &event.Attachment{ID: fields[0], MediaType: fields[1], Name: fields[5]}
	for i, to := range []*int{&a.Width, &a.Height, &a.Bytes} {
		n, err := strconv.Atoi(fields[2+i])
		if err != nil || n < 0 {
			return nil, false
		}
		*to = n
	}
	return a, true
}
