package agents

import (
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/rows"
)

// steering is the input below an agent's row in which it is told something.
type steering struct {
	input *composer.Composer
	open  bool
	to    event.AgentID
	drawn int // the input's first row among those of the pane drawn last, -1 for none
}

// steerRows is how many rows the input takes at most.
const steerRows = 3

// steerMargin is the blank before the input.
const steerMargin = margin + 2

func newSteering(st *rows.Styles) steering {
	c := composer.New(composer.Options{Styles: st})
	c.SetPlaceholder("what should it know?")
	return steering{input: c, drawn: -1}
}

// BeginSteer opens an input below the selected row, for a text that steers the
// agent. It reports false when there is no such agent or it has ended. What was
// written for the same agent and not sent is there again.
func (p *Pane) BeginSteer() bool {
	i := p.index()
	if i >= len(p.lines) {
		return false
	}
	n := &p.all[p.lines[i].at]
	if n.state.Ended() {
		return false
	}
	s := &p.steer
	if s.to != n.id {
		s.input.SetDraft("")
	}
	s.open, s.to = true, n.id
	p.selected = n.id
	return true
}

// Steering reports whether the input is open.
func (p *Pane) Steering() bool { return p.steer.open }

// Insert puts typed or pasted text at the cursor of the input. It stays one line:
// line breaks become blanks.
func (p *Pane) Insert(text string) {
	if p.steer.open {
		p.steer.input.Insert(oneLine.Replace(text))
	}
}

// oneLine makes a blank of every line break.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\u2028", " ", "\u2029", " ", "\u0085", " ")

// Edit carries out an action of the composer in the input. It reports false when
// there was nothing to do.
func (p *Pane) Edit(a composer.Action) bool {
	return p.steer.open && a != composer.Newline && p.steer.input.Do(a)
}

// Accept closes the input and gives the agent and the text for it. The text is
// empty when only blanks were written.
func (p *Pane) Accept() (event.AgentID, string) {
	s := &p.steer
	if !s.open {
		return "", ""
	}
	text := strings.TrimSpace(s.input.Value())
	s.input.SetDraft("")
	s.open = false
	p.arrange()
	return s.to, text
}

// Cancel closes the input. What was written is kept for the next time that the
// same agent is steered.
func (p *Pane) Cancel() {
	p.steer.open = false
	p.arrange()
}

// Cursor is the cell of the cursor within the rows drawn last, from 0 on. It
// reports false when the input is not among them.
func (p *Pane) Cursor() (x, y int, ok bool) {
	s := &p.steer
	if !s.open || s.drawn < 0 {
		return 0, 0, false
	}
	if x, y, ok = s.input.Cursor(); !ok {
		return 0, 0, false
	}
	return steerMargin + x, s.drawn + y, true
}

// steerLine is the row of the agent that is steered, -1 for none.
func (p *Pane) steerLine() int {
	for i := range p.lines {
		if p.all[p.lines[i].at].id == p.steer.to {
			return i
		}
	}
	return -1
}

// steerHeight is how many of room rows the input takes.
func (p *Pane) steerHeight(w, room int) int {
	if !p.steer.open {
		return 0
	}
	return p.steer.input.Height(w-steerMargin-margin, max(min(steerRows, room/2), min(room, 1)))
}

// drawSteer appends h rows of the input. base is where the pane begins in dst.
func (p *Pane) drawSteer(dst []string, base, w, h int) []string {
	if h <= 0 {
		return dst
	}
	left := max(min(w, steerMargin), 0)
	inner := max(w-left-margin, 0)
	p.steer.drawn = len(dst) - base
	for _, r := range p.steer.input.Rows(nil, inner, h) {
		dst = append(dst, rows.Blank(left)+r+rows.Blank(w-left-inner))
	}
	return dst
}
