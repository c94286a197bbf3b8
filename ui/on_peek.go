package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/composer"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// peek is what is shown of the file or folder that is marked in the completion menu.
type peek struct {
	name  string
	lines []string
	note  string // why there are none
}

// peekMsg brings the beginning of a file.
type peekMsg struct {
	gen  int
	peek peek
}

// What is shown of a file beside the menu, or below it where there is less room, and from
// which width and height on.
const (
	peekBytes  = 4 << 10
	peekRows   = 8
	belowRows  = 5
	besideFrom = 100
	belowFrom  = 30
)

// peeks reports whether there is something to look at in the menu.
func (m *Model) peeks() (composer.Item, bool) {
	it, kind, ok := m.composer.MenuMarked()
	return it, ok && (kind == composer.FileQuery || kind == composer.PathQuery)
}

// lookInside shows the beginning of what is marked in the menu.
func (m *Model) lookInside() tea.Cmd {
	it, ok := m.peeks()
	if !ok {
		return nil // the menu may come back in a moment
	}
	if it.Insert == m.peek.name || m.conv == nil {
		return nil
	}
	m.peek = peek{name: it.Insert}
	if it.Detail != "" { // it is no file
		m.peek.lines = []string{term.Line(it.Detail)}
		return nil
	}
	if strings.HasSuffix(it.Insert, "/") {
		m.peek.lines = inside(m.files.names, it.Insert, peekRows)
		return nil
	}
	conv, gen, name := m.conv, m.gen, it.Insert
	return m.do(func() tea.Msg {
		text, err := conv.Peek(m.ctx, name, peekBytes)
		p := peek{name: name}
		if err != nil {
			p.note = err.Error()
			return peekMsg{gen, p}
		}
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			if len(p.lines) == peekRows {
				break
			}
			p.lines = append(p.lines, term.Line(strings.ReplaceAll(line, "\t", "  ")))
		}
		return peekMsg{gen, p}
	})
}

func (msg peekMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	if msg.gen == m.gen && msg.peek.name == m.peek.name {
		m.peek, m.dirty = msg.peek, true
	}
	return nil
}

// inside are the first entries of a folder.
func inside(names []string, folder string, most int) (list []string) {
	for _, n := range names {
		rest, ok := strings.CutPrefix(n, folder)
		if !ok || rest == "" {
			continue
		}
		if first, _, below := strings.Cut(rest, "/"); below {
			rest = first + "/"
		}
		if !slices.Contains(list, rest) {
			if list = append(list, rest); len(list) == most {
				break
			}
		}
	}
	return list
}

// menuHeight is how many rows the completion menu wants, with what is shown of a file.
func (m *Model) menuHeight() int {
	h := m.composer.MenuHeight(composer.MaxMenuRows)
	switch _, ok := m.peeks(); {
	case h == 0 || !ok && m.peek.name == "":
	case m.w >= besideFrom:
		return max(h, peekRows)
	case m.h >= belowFrom:
		return h + belowRows
	}
	return h
}

// menuRows draws the completion menu, with what is shown of a file.
func (m *Model) menuRows(w, h int) []string {
	list := m.composer.MenuHeight(composer.MaxMenuRows)
	if m.peek.name == "" || h <= list && m.w < besideFrom {
		return m.composer.MenuRows(nil, w, h)
	}
	if m.w < besideFrom {
		return m.peekRows(m.composer.MenuRows(nil, w, list), w, h-list, "  │ ")
	}
	left := w * 2 / 5
	all := m.composer.MenuRows(nil, left, h)
	for i, r := range m.peekRows(nil, w-left, h, "│ ") {
		all[i] += r
	}
	return all
}

// peekRows appends h rows of w cells of what is shown of a file.
func (m *Model) peekRows(dst []string, w, h int, edge string) []string {
	bar := m.styles.Border.Render(edge)
	for i := range h {
		text := ""
		switch {
		case i < len(m.peek.lines):
			text = m.styles.Muted.Render(m.peek.lines[i])
		case i == 0 && m.peek.note != "":
			text = m.styles.Faint.Render("not shown: " + m.peek.note)
		}
		dst = append(dst, rows.Fit(bar+text, w))
	}
	return dst
}
