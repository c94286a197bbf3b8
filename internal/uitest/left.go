package uitest

import "fmt"

// left lists what is not as it was before the first output. It writes a letter
// to see what the next program's text would look like, and takes it back.
func (t *terminal) left() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.modes.left()
	if t.em.IsAltScreen() {
		all = append(all, "the alternate screen is shown")
	}
	if t.title != "" && t.title != firstTitle {
		all = append(all, fmt.Sprintf("the title is %q", t.title))
	}
	if t.scan.open() {
		return append(all, "an escape sequence was begun and not ended")
	}
	at := t.em.CursorPosition()
	saved := t.em.CellAt(0, at.Y).Clone()
	t.probe("\rq") // in the line drawing set this is no letter
	probe := cellOf(t.em.CellAt(0, at.Y))
	t.em.SetCell(0, at.Y, saved)
	t.probe(fmt.Sprintf("\x1b[%d;%dH", at.Y+1, at.X+1))
	switch {
	case probe.Text != "q":
		all = append(all, fmt.Sprintf("the letter q is shown as %q", probe.Text))
	case probe.Style != Style{} || probe.Link != "":
		all = append(all, fmt.Sprintf("text is shown in the style %+v with the link %q", probe.Style, probe.Link))
	}
	return all
}

func (t *terminal) probe(text string) { _, _ = t.em.Write([]byte(text)) }
