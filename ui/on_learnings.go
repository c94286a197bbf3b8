package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// learningsMsg brings what was learnt.
type learningsMsg struct {
	list   []app.Learning
	unread int
	err    error
}

// learningMsg asks what is to be done with a learning.
type learningMsg struct{ one app.Learning }

// learningDoMsg asks to do it.
type learningDoMsg struct {
	one  app.Learning
	what string
}

// forgotMsg says that a learning is gone.
type forgotMsg struct {
	one app.Learning
	err error
}

// What can be done with a learning.
const (
	learningRead   = "read"
	learningFix    = "fix"
	learningFailed = "failed"
	learningForget = "forget"
	learningUndo   = "undo"
)

// commandLearnings lists what was learnt, changes a text of it, or puts back what was
// forgotten last.
func (m *Model) commandLearnings(args string) tea.Cmd {
	what, rest, _ := strings.Cut(args, " ")
	id, text, _ := strings.Cut(strings.TrimSpace(rest), " ")
	a, ctx := m.app, m.ctx
	switch what {
	case "":
		return m.do(func() tea.Msg {
			list, unread, err := a.Learnings()
			return learningsMsg{list, unread, err}
		})
	case learningUndo:
		one := m.forgotten
		if one.ID == "" {
			return m.say("Nothing was forgotten.")
		}
		m.forgotten = app.Learning{}
		return m.do(func() tea.Msg { return said(a.RestoreLearning(ctx, one), "Put back: "+one.Pattern) })
	case learningFix, learningFailed:
		return m.do(func() tea.Msg {
			list, _, err := a.Learnings()
			i := slices.IndexFunc(list, func(l app.Learning) bool { return l.ID == id })
			if err != nil || i < 0 {
				return saidMsg{"There is no such learning: /learnings lists them."}
			}
			if what == learningFix {
				list[i].Fix = text
			} else {
				list[i].Pattern = text
			}
			return said(a.EditLearning(ctx, list[i]), "Changed.")
		})
	}
	return m.say(fmt.Sprintf("/learnings does not know %s: it takes fix, failed, undo or nothing.", what))
}

// said is what the status line says of something that was done.
func said(err error, text string) tea.Msg {
	if err != nil {
		text = sentence(err)
	}
	return saidMsg{text}
}

func (msg learningsMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	title := "Learnings"
	if msg.unread > 0 {
		title += " · " + format.Count(msg.unread, "line", "lines") + " of the file cannot be read"
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Empty: "Nothing was learnt yet.",
		Hints: m.windowHints("open", nil),
		Chosen: func(it overlay.Item) overlay.Request {
			return learningMsg{msg.list[slices.IndexFunc(msg.list, func(l app.Learning) bool { return l.ID == it.ID })]}
		},
	})
	m.show(p)
	p.SetItems(p.Load(), learningItems(msg.list, m.now()))
	return m.dispatch(p.Search())
}

// learningItems are the rows of the window.
func learningItems(list []app.Learning, now time.Time) []overlay.Item {
	items := make([]overlay.Item, len(list))
	for i, l := range list {
		it := overlay.Item{ID: l.ID, Label: l.Pattern, Detail: "→ " + l.Fix, Right: "not used yet"}
		if l.TimesUsed > 0 {
			it.Right = fmt.Sprintf("used %d×", l.TimesUsed)
			if !l.UsedAt.IsZero() {
				it.Right += ", " + format.Ago(now.Sub(l.UsedAt))
			}
		}
		items[i] = it
	}
	return items
}

func (msg learningMsg) handle(m *Model) tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Learning", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return learningDoMsg{msg.one, it.ID} },
	})
	m.showOver(p)
	p.SetItems(p.Load(), []overlay.Item{
		{ID: learningRead, Label: "Read all of it"},
		{ID: learningFix, Label: "Change what to do", Detail: msg.one.Fix},
		{ID: learningFailed, Label: "Change what failed", Detail: msg.one.Pattern},
		{ID: learningForget, Label: "Forget it", Detail: "/learnings undo puts it back"},
	})
	return m.dispatch(p.Search())
}

func (msg learningDoMsg) handle(m *Model) tea.Cmd {
	one := msg.one
	switch msg.what {
	case learningRead:
		m.showOver(overlay.NewPager(m.styles, "Learning", learningText(one), m.readHints()))
		return nil
	case learningForget:
		m.show(nil)
		a, ctx := m.app, m.ctx
		return m.do(func() tea.Msg { return forgotMsg{one, a.ForgetLearning(ctx, one.ID)} })
	}
	if !m.composer.Empty() {
		return m.say("Send or delete what is typed first: a learning is changed in its place.")
	}
	m.show(nil)
	text := one.Fix
	if msg.what == learningFailed {
		text = one.Pattern
	}
	m.composer.Set("/" + string(slash.Learnings) + " " + msg.what + " " + one.ID + " " + text)
	return nil
}

func (msg forgotMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	m.forgotten = msg.one
	return m.say("Forgotten: /learnings undo puts it back.")
}

// learningText says all that is known of a learning.
func learningText(l app.Learning) string {
	var b strings.Builder
	for _, part := range [][2]string{
		{"Failed", l.Pattern}, {"What it said", l.Context}, {"Kind of failure", l.ErrorType}, {"What worked", l.Fix},
		{"Only in", l.Project}, {"Tags", strings.Join(l.Tags, ", ")},
	} {
		if part[1] != "" {
			b.WriteString(part[0] + ":\n" + part[1] + "\n\n")
		}
	}
	if !l.CreatedAt.IsZero() {
		b.WriteString("Learnt on " + l.CreatedAt.Local().Format(time.DateOnly) + ".\n")
	}
	return b.String()
}
