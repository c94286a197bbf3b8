package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/recall"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
	"hermes-tui/ui/timeline"
)

// View implements [tea.Model]. It puts a frame together out of the rows of the
// regions if something changed and hands it to the terminal, which writes it at once;
// the toolkit draws nothing.
func (m *Model) View() tea.View {
	if !m.dirty || m.w <= 0 {
		return tea.View{}
	}
	m.dirty = false
	measured := m.hud.measure(m.now)
	m.lay = arrange(m.w, m.h, m.wants())
	l := m.lay
	f := screen.Frame{Rows: m.shown.Rows[:0], Width: l.w, Title: m.windowTitle(), Mouse: m.o.Settings.Mouse && !m.released, Hidden: true}
	if l.tooSmall {
		f.Rows = m.small(f.Rows)
	} else {
		f.Rows = m.regions(f.Rows, l, m.now())
		if c := m.cursor(l); c != nil {
			f.Cursor, f.Hidden = uv.Pos(c.X, c.Y), false
		}
	}
	m.shown = f
	if m.terminal != nil {
		m.terminal.Draw(m.shown)
	}
	measured()
	if m.o.Recorder != nil {
		m.o.Recorder.Show(m.shown, m.now())
	}
	return tea.View{}
}

// write writes a sequence to the terminal that belongs to no frame.
func (d *display) write(sequence string) {
	if d.terminal != nil {
		d.terminal.Write(sequence)
	}
}

// small is the frame of a window that is too small.
func (m *Model) small(dst []string) []string {
	base := len(dst)
	text := fmt.Sprintf("%d×%d is too small: make the window at least %d×%d.", m.w, m.h, minColumns, minRows)
	if m.panel.Active() {
		text += joined("; ", " A question waits", m.press(keys.Escape, keys.Anywhere, "denies it")) + "."
	}
	dst = rows.Wrap(dst, text, m.w)
	for i := base; i < len(dst); i++ {
		dst[i] = rows.Fit(dst[i], m.w)
	}
	return rows.Fill(dst, base, m.h, m.w)
}

// wants asks the regions how much room they need.
func (m *Model) wants() wants {
	w := m.view.wants(m.sideHolds())
	w.looking = count(m.state.Looking != nil)
	w.queue, w.prompt = m.queue.Height(maxQueueRows), m.panel.Height(m.w, m.h)
	w.composer = m.composer.Height(m.w-2*margin, max(1, m.h/3))
	w.summary = count(m.agentsHold())
	for _, p := range m.stack {
		w.summary += count(!p.Empty())
	}
	switch {
	case m.recall.IsOpen():
		w.menu = m.recall.Height(recall.MaxRows)
	case m.composer.MenuOpen():
		w.menu = m.menuHeight()
	}
	return w
}

// agentsHold reports whether there is something to see of agents: one besides the
// root, or that there may be none.
func (t *talk) agentsHold() bool { return len(t.state.Agents) > 1 || t.state.Frozen }

// sideHolds reports whether the side panes have something to show.
func (m *Model) sideHolds() bool {
	return m.agentsHold() || slices.ContainsFunc(m.stack, func(p sidePane) bool { return !p.Empty() })
}

// regions stacks the regions from the top to the bottom.
func (m *Model) regions(dst []string, l layout, now time.Time) []string {
	rule := func(on bool, joint string) {
		if on {
			dst = append(dst, m.rule(l, joint))
		}
	}
	dst = append(dst, m.bars.Title(l.w, m.titleData()))
	rule(l.topRule, "┬")
	dst = m.body(dst, l)
	rule(l.lowerRule, "┴")
	dst = m.summary(dst, l)
	if l.looking > 0 {
		dst = append(dst, m.lookingRow(l.w, now))
	}
	if l.queue > 0 {
		dst = m.queue.Rows(dst, l.w, l.queue)
	}
	if l.prompt > 0 {
		dst = m.panel.Rows(dst, l.w, l.prompt)
	}
	if l.inputRule {
		dst = append(dst, rows.Rule(l.w, m.styles.Border))
	}
	switch {
	case l.menu > 0 && m.recall.IsOpen():
		dst = append(dst, m.inset(m.recall.Rows(nil, l.w-2*margin, l.menu), l.w)...)
	case l.menu > 0:
		dst = append(dst, m.inset(m.menuRows(l.w-2*margin, l.menu), l.w)...)
	}
	m.composer.SetPlaceholder(m.placeholder())
	dst = append(dst, m.inset(m.composer.Rows(nil, l.w-2*margin, l.composer), l.w)...)
	dst = append(dst, m.bars.Status(l.w, m.statusData(now), m.statusHints()))
	if m.box != nil {
		overlay.Draw(dst, m.box, l.w, l.h)
		if _, y, bw, bh := overlay.Place(m.box, l.w, l.h); y+bh == l.h && bw == l.w {
			if hints := m.boxHints(); len(hints) > 0 {
				dst[l.h-1] = overlay.Leave(m.styles, dst[l.h-1], hints[0].Key+" "+hints[0].Text, l.w)
			}
		}
	}
	if m.hud.on {
		dst[1] = m.hudRow(dst[1], l.w)
	}
	return dst
}

// rule is a line over the whole width, with a joint where the side panes begin.
func (m *Model) rule(l layout, joint string) string {
	if l.side == 0 {
		return rows.Rule(l.w, m.styles.Border)
	}
	return m.styles.Border.Render(strings.Repeat("─", l.main) + joint + strings.Repeat("─", l.side))
}

// body is the transcript with the side panes beside it.
func (m *Model) body(dst []string, l layout) []string {
	base := len(dst)
	if m.view.grid {
		return m.grid.Rows(dst, l.w, l.body)
	}
	room := l.body - l.below
	if m.view.agent != "" {
		dst = append(dst, m.banner(l.main))
		room--
	}
	finds := m.finds() && room > 1
	if finds {
		room--
	}
	dst = m.transcript.Rows(dst, l.main, room)
	m.welcome(dst, base, l.main)
	if over := m.followBadge(); over != "" {
		dst[len(dst)-1] = rows.Splice(dst[len(dst)-1], max(0, l.main-rows.Width(over)-1), over, l.main)
	}
	if finds {
		dst = append(dst, m.findRow(l.main))
	}
	if l.below > 0 {
		dst = append(dst, rows.Rule(l.w, m.styles.Border))
		return append(dst, m.inset(m.panes(nil, l.w-2, l.below-1), l.w)...)
	}
	if l.side == 0 {
		return dst
	}
	bar, joint := m.styles.Border.Render("│"), m.styles.Border.Render("├")
	side, rules := m.side(l)
	for i, r := range side {
		if slices.Contains(rules, i) {
			dst[base+i] += joint + r
			continue
		}
		dst[base+i] += bar + r
	}
	return dst
}

// followBadge says that the transcript does not follow, how much is new at its end, and
// which key goes there.
func (m *Model) followBadge() string {
	if m.numbering || m.transcript.Following() || m.transcript.AtEnd() {
		return ""
	}
	text := " scrolled up"
	if n := m.transcript.NewLines(); n > 0 {
		text = " ↓ " + format.Exact(n, "new line", "new lines")
	}
	if press := m.press(keys.Bottom, keys.Anywhere, "follows"); press != "" {
		text += " · " + press
	}
	return m.styles.BadgeMuted.Render(text + " ")
}

// banner says whose transcript is in the main view, when it is not the root's.
func (m *Model) banner(w int) string {
	a, word := m.main(), ""
	if a != nil {
		word, _ = timeline.Word(a.State, a.On)
	}
	text, back := m.styles.Strong.Render(" ▣ "+m.crumbs())+m.styles.Muted.Render(" · "+word), ""
	if !m.panelTakes() { // else escape answers the question
		back = m.styles.Faint.Render(" " + m.press(keys.Escape, keys.Anywhere, "goes back") + " ")
	}
	return rows.Between(text, back, w)
}

// side are the rows of the side panes, and which of them are the rules between
// them.
func (m *Model) side(l layout) (dst []string, rules []int) {
	rule := func() {
		rules = append(rules, len(dst))
		dst = append(dst, rows.Rule(l.side, m.styles.Border))
	}
	w := l.side - 2
	for _, p := range m.stack {
		if h := p.HeightAt(w, l.body*2/5); h > 0 && len(dst)+h+3 < l.body && !m.view.detail {
			dst = append(dst, m.inset(p.Rows(nil, w, h), l.side)...)
			rule()
		}
	}
	m.panesAt = len(dst)
	if !m.view.detail {
		dst = append(dst, m.inset(m.agents.Rows(nil, w, l.body-len(dst)), l.side)...)
		return rows.Fill(dst, 0, l.body, l.side), rules
	}
	dst = append(dst, m.inset(m.agents.Rows(nil, w, max(m.agents.Height(l.body/3), min(l.body, leastBelow))), l.side)...)
	rule()
	left := l.body - len(dst)
	if h := m.detail.Height(w); left-h > leastInside {
		dst = append(dst, m.inset(m.detail.Rows(nil, w, h), l.side)...)
		rule()
		left = l.body - len(dst)
		dst = append(dst, m.inset(m.detailTranscript.Rows(nil, w, left), l.side)...)
	} else if left > 2*leastInside {
		dst = append(dst, m.inset(m.detail.Rows(nil, w, left-leastInside-1), l.side)...)
		rule()
		dst = append(dst, m.inset(m.detailTranscript.Rows(nil, w, leastInside), l.side)...)
	} else {
		dst = append(dst, m.inset(m.detail.Rows(nil, w, left), l.side)...)
	}
	return rows.Fill(dst, 0, l.body, l.side), rules
}

// leastInside is the least height of the transcript of an agent in detail.
const leastInside = 8

// panes are the side panes where they stand below the transcript: the current task
// and the agents, or the marked one in detail.
func (m *Model) panes(dst []string, w, h int) []string {
	m.panesAt = 0
	if m.view.detail && !m.agents.Steering() {
		return m.detail.Rows(dst, w, h)
	}
	for _, p := range m.stack {
		if h-m.panesAt > leastBelow && !p.Empty() {
			dst = append(dst, p.Line(w))
			m.panesAt++
		}
	}
	return m.agents.Rows(dst, w, h-m.panesAt)
}

// margin is how many blank cells [Model.inset] leaves on each side.
const margin = 1

// inset gives rows a blank cell on both sides.
func (m *Model) inset(list []string, w int) []string {
	for i, r := range list {
		list[i] = rows.Fit(" "+r+" ", w)
	}
	return list
}

// summary are the one-line forms of the side panes.
func (m *Model) summary(dst []string, l layout) []string {
	if l.summary == 0 {
		return dst
	}
	base := len(dst)
	if m.agentsHold() {
		dst = append(dst, m.agents.Line(l.w))
	}
	for _, p := range m.stack {
		if !p.Empty() {
			dst = append(dst, p.Line(l.w))
		}
	}
	return slices.Delete(dst, base, max(len(dst)-l.summary, base))
}

// maxQueueRows is how many rows the list of what waits may take.
const maxQueueRows = 8

// steerCursor is where the insertion point stands in the input that steers an
// agent.
func (m *Model) steerCursor(l layout) *tea.Cursor {
	x, y, ok := m.agents.Cursor()
	if !ok {
		return nil
	}
	left, top := l.main+1, l.mainTop()+m.panesAt
	if l.below > 0 {
		left, top = 0, l.mainTop()+l.body-l.below+1+m.panesAt
	}
	return tea.NewCursor(left+1+x, top+y)
}

// titleData is what the title row shows.
func (m *Model) titleData() status.Title {
	d := status.TitleOf(m.state)
	d.Title = m.title()
	if d.Mode == "" {
		d.Mode = event.ModeGuarded
	}
	if m.conv == nil {
		d.Work.Dir, d.Work.Home = m.o.Dir, m.o.Home
	}
	return d
}

// windowTitle tells in the title of the window what goes on.
func (m *Model) windowTitle() string {
	mark := "✓"
	switch {
	case m.panel.Active():
		mark = "⚠"
	case m.busy():
		mark = "◐"
	}
	return term.Title(mark+" hermes "+m.title()) + m.probeSuffix()
}

// cursor is where the insertion point stands.
func (m *Model) cursor(l layout) *tea.Cursor {
	if m.box != nil {
		x, y, bw, bh := overlay.Place(m.box, l.w, l.h)
		if cx, cy, ok := m.box.Cursor(bw, bh); ok {
			return tea.NewCursor(x+cx, y+cy)
		}
		return nil
	}
	if m.panelTakes() {
		if x, y, ok := m.panel.Cursor(); ok {
			return tea.NewCursor(x, l.promptTop()+y)
		}
		return nil
	}
	if m.focus == focusSide && m.agents.Steering() {
		return m.steerCursor(l)
	}
	if x, y, ok := m.transcript.SelectionCursor(); ok && m.focus == focusTranscript {
		return tea.NewCursor(x, l.mainTop()+count(m.view.agent != "")+y)
	}
	if m.typesQuery() {
		return tea.NewCursor(m.findCursor(l.main), l.mainTop()+l.body-l.below-1)
	}
	if m.focus != focusComposer {
		return nil
	}
	if x, y, ok := m.recall.Cursor(l.w-2*margin, l.menu); ok {
		return tea.NewCursor(margin+x, l.composerTop()-l.menu+y)
	}
	if x, y, ok := m.composer.Cursor(); ok {
		return tea.NewCursor(margin+x, l.composerTop()+y)
	}
	return nil
}
