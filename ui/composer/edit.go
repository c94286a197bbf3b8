package composer

import "strings"

// Marked is the text of the draft with a mark in place of each collapsed paste and each
// image, to be changed elsewhere; see [Composer.SetMarked].
func (c *Composer) Marked() string {
	return c.join(func(b *strings.Builder, p *chip) { b.WriteString(p.mark()) })
}

// mark stands for a chip in plain text.
func (p *chip) mark() string {
	if p.image != nil {
		return p.text
	}
	return PasteMark(p.number)
}

// SetMarked replaces the draft by a text of [Composer.Marked] that was changed, as one
// step that can be undone. The marks in it are the pastes and images again, as far as the
// draft had them: of several with one mark each is the next one, and the last one again.
// One whose mark is gone is out of the draft.
func (c *Composer) SetMarked(text string) {
	waiting := map[string][]string{} // references by mark, in their order
	for _, l := range c.buf.lines {
		c.buf.refs(l.text, func(id, start, end int) {
			mark := c.buf.chips[id].mark()
			waiting[mark] = append(waiting[mark], l.text[start:end])
		})
	}
	var b strings.Builder
	for text = clean(text); text != ""; {
		at, first := -1, ""
		for mark := range waiting {
			if i := strings.Index(text, mark); i >= 0 && (at < 0 || i < at || i == at && len(mark) > len(first)) {
				at, first = i, mark
			}
		}
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		refs := waiting[first]
		b.WriteString(refs[0])
		if len(refs) > 1 {
			waiting[first] = refs[1:]
		}
		text = text[at+len(first):]
	}
	b.WriteString(text)
	c.replaceAll(b.String())
	c.history.leave()
}
