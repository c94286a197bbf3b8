package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/status"
	"hermes-tui/ui/timeline"
	"hermes-tui/ui/transcript"
)

// boxKind says what an open window is for.
type boxKind int

const (
	boxHelp boxKind = iota
	boxPager
	boxSessions
	boxModels
	boxMeant  // models that a typed name may mean
	boxChange // whether to change the model
	boxPrompts
	boxWays
	boxJobs
	boxJobPager // the output of a job, opened out of the list
	boxTimeline
	boxTrees
	boxUsage
	boxCache
	boxPermissions
)

// sessionsMsg brings the list of conversations.
type sessionsMsg struct {
	gen  uint64
	list []app.SessionInfo
	err  error
}

// foundMsg brings the result of a search in a picker.
type foundMsg struct{ found overlay.Found }

// pagerMsg brings a text that was made ready to be read.
type pagerMsg struct {
	pager *overlay.Pager
	kind  boxKind
}

func (m *Model) show(b overlay.Box, k boxKind) {
	m.box, m.boxKind, m.dirty = b, k, true
}

// boxKey sends a key to the open window.
func (m *Model) boxKey(key, text string) tea.Cmd {
	a, ok := m.keys.Find(key, keys.InOverlay)
	if !ok {
		if a, ok = m.keys.Find(key, keys.Anywhere); ok && !boxIgnores(a) {
			return m.boxAnywhere(a)
		}
		switch box := m.box.(type) {
		case *overlay.Jobs:
			return m.jobKey(box, text)
		case *timeline.Timeline:
			if cmd, taken := m.barKey(box, key); taken {
				return cmd
			}
			switch key {
			case "left":
				box.Left()
			case "right":
				box.Right()
			default:
				box.Type(text)
			}
			return m.animate()
		case *timeline.Trees:
			box.Type(text)
			return nil
		}
		if text != "" {
			m.box.Type(text)
			return m.boxChanged()
		}
		return nil
	}
	switch a {
	case keys.Accept:
		return m.boxAccept()
	case keys.Backspace:
		m.box.Backspace()
		return m.boxChanged()
	case keys.Up:
		m.box.Move(overlay.Up)
	case keys.Down:
		m.box.Move(overlay.Down)
	case keys.PageUp:
		m.box.Move(overlay.PageUp)
	case keys.PageDown:
		m.box.Move(overlay.PageDown)
	case keys.Top:
		m.box.Move(overlay.Top)
	case keys.Bottom:
		m.box.Move(overlay.Bottom)
	}
	switch b := m.box.(type) {
	case *overlay.Pager:
		return m.pagerKey(b, a)
	case *overlay.Jobs:
		return m.jobsChanged() // another one may be marked
	}
	return nil
}

// boxIgnores are the actions that mean nothing while a window is open.
func boxIgnores(a keys.Action) bool {
	switch a {
	case keys.Escape, keys.Cancel, keys.Quit, keys.Redraw, keys.Mode:
		return false
	}
	return true
}

func (m *Model) boxAnywhere(a keys.Action) tea.Cmd {
	switch a {
	case keys.Escape, keys.Cancel:
		if m.box.Back() {
			return m.closeBox()
		}
		return m.boxChanged()
	}
	cmd, _ := m.actAnywhere(a)
	return cmd
}

// closeBox closes the open window. The output of a job, and a timeline, give way to the
// list that they were opened from.
func (m *Model) closeBox() tea.Cmd {
	kind := m.boxKind
	m.box = nil
	if kind == boxModels {
		m.stopModels()
	}
	if kind == boxJobPager && m.jobs != nil {
		return m.backToJobs()
	}
	if list := m.treesBehind; kind == boxTimeline && list != nil {
		m.show(list, boxTrees)
		m.syncBoxes()
	}
	m.jobs, m.treesBehind = nil, nil
	return nil
}

func (m *Model) pagerKey(p *overlay.Pager, a keys.Action) tea.Cmd {
	switch a {
	case keys.Find:
		p.Find()
	case keys.FindNext:
		p.Next()
	case keys.FindPrev:
		p.Prev()
	case keys.Copy:
		return m.copy(p.Text())
	}
	return nil
}

func (m *Model) boxMove(up bool) {
	if up {
		m.box.Move(overlay.Up)
	} else {
		m.box.Move(overlay.Down)
	}
}

// boxChanged runs the search that a picker waits for, off this goroutine.
func (m *Model) boxChanged() tea.Cmd {
	p, ok := m.box.(*overlay.Picker)
	if !ok {
		return nil
	}
	f, ok := p.Pending()
	if !ok {
		return nil
	}
	return m.do(func() tea.Msg { return foundMsg{f.Run()} })
}

func (m *Model) onFound(msg foundMsg) tea.Cmd {
	if p, ok := m.box.(*overlay.Picker); ok {
		p.Found(msg.found)
		m.dirty = true
	}
	return nil
}

// boxAccept takes the marked entry of a picker, or pages on.
func (m *Model) boxAccept() tea.Cmd {
	switch b := m.box.(type) {
	case *overlay.Pager:
		b.Accept()
		return nil
	case *overlay.Jobs:
		return m.openJob(b)
	case *timeline.Timeline:
		return m.barAccept(b)
	case *timeline.Trees:
		return m.treeAccept(b)
	case *models.Picker:
		return m.modelAccept(b)
	case *overlay.Confirm:
		return m.changeAccept()
	case *overlay.Picker:
		if m.boxKind == boxPermissions {
			return m.permissionAccept(b)
		}
		item, ok := b.Accept()
		if !ok {
			return nil
		}
		kind := m.boxKind
		m.box = nil
		switch kind {
		case boxSessions:
			return m.resume(item.ID)
		case boxMeant:
			return m.meantAccept(item.ID)
		case boxPrompts:
			return m.openWays(event.TurnID(item.ID))
		case boxWays:
			return m.rewind(m.rewindTo, item.ID)
		}
		return nil
	}
	m.box = nil
	return nil
}

// openBlock shows a block in a window. Of a call whose output is longer than the
// transcript holds, all of it is shown.
func (m *Model) openBlock(b *event.Block) tea.Cmd {
	if b == nil {
		return m.say("Mark a block first, with up and down.")
	}
	title, text := transcript.OpenText(b)
	conv, styles := m.conv, m.styles
	hints := append([]status.Hint{{Key: "/", Text: "find"}}, m.hints(keys.InOverlay, keys.Copy, keys.Escape)...)
	return m.do(func() tea.Msg {
		if b.Call != nil && (b.Call.Stage != event.CallEnded || b.Call.View.Cut > 0) {
			if whole, ok := conv.Output(b.Call.ID); ok {
				text = whole
			}
		}
		return pagerMsg{overlay.NewPager(styles, title, text, hints), boxPager}
	})
}

func (m *Model) onPager(msg pagerMsg) tea.Cmd {
	m.jobs = nil
	if box, ok := m.box.(*overlay.Jobs); ok && msg.kind == boxJobPager {
		m.jobs = box
	}
	m.show(msg.pager, msg.kind)
	return m.jobsChanged()
}

// maxSessions is how many conversations the list shows.
const maxSessions = 500

func (m *Model) openSessions() tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Sessions", Empty: "There is no earlier session.", Hints: m.hints(keys.InOverlay, keys.Accept, keys.Escape),
	})
	gen := p.Load()
	m.show(p, boxSessions)
	a, ctx := m.app, m.ctx
	return m.do(func() tea.Msg {
		list, err := a.Sessions(ctx, "", maxSessions)
		return sessionsMsg{gen, list, err}
	})
}

func (m *Model) onSessions(msg sessionsMsg) tea.Cmd {
	p, ok := m.box.(*overlay.Picker)
	if !ok || m.boxKind != boxSessions {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		p.Fail(msg.gen, msg.err.Error())
		return nil
	}
	now := m.now()
	items := make([]overlay.Item, len(msg.list))
	for i, s := range msg.list {
		label := s.Title
		if label == "" {
			label = s.Preview
		}
		items[i] = overlay.Item{
			ID: s.Session, Label: label, Detail: status.ShortDir(s.Dir, m.state.Work.Home),
			Right: fmt.Sprintf("%d · %s", s.Messages, format.Ago(now.Sub(s.LastActive))), Current: s.Session == string(m.conv.Session()),
		}
		if id, ok := m.elsewhere(s.Session); ok {
			items[i].Right = m.otherOf(id).words()
		}
	}
	p.SetItems(msg.gen, items)
	if p.Wanted() {
		return m.boxAccept()
	}
	return m.boxChanged()
}

// hints are the short reminders of some keys.
func (m *Model) hints(p keys.Place, actions ...keys.Action) []status.Hint {
	var out []status.Hint
	for _, a := range actions {
		b, ok := m.keys.Binding(a, p, keys.Anywhere)
		if !ok {
			continue
		}
		text := b.Hint
		if text == "" {
			text = b.Help
		}
		if a == keys.Escape && p == keys.InOverlay {
			text = "close"
		}
		out = append(out, status.Hint{Key: b.Keys[0], Text: text})
	}
	return out
}
