package ui

import (
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/prompt"
)

// armMsg is due when a question may take keys.
type armMsg struct{ gen int }

// answeredMsg tells how an answer was taken.
type answeredMsg struct {
	id  event.RequestID
	err error
}

// panelTakes reports whether the question on the screen takes keys.
func (m *Model) panelTakes() bool {
	return m.focus == focusComposer && m.panel.Active() && m.panel.Armed()
}

// turnPanel puts a question of the conversation that has come to the screen before
// those of the others.
func (m *Model) turnPanel() {
	own := m.state.Requests
	now, waits := m.panel.Current()
	if !waits || len(own) == 0 || slices.ContainsFunc(own, func(r event.Request) bool { return r.ID == now.ID }) {
		return
	}
	m.panel.Turn(own[0].ID)
}

// observe tells the panel what goes on and sets its timer.
func (m *Model) observe(key bool) tea.Cmd {
	m.panel.Cover(m.box != nil || tooSmall(m.w, m.h))
	if !m.panel.Active() {
		return nil
	}
	m.panel.Observe(m.now(), key, m.composer.Empty() && m.focus == focusComposer && !m.recall.IsOpen())
	at, ok := m.panel.ArmAt()
	if !ok {
		return nil
	}
	m.clock.armGen++
	gen := m.clock.armGen
	return m.after(max(at.Sub(m.now()), 0), func() tea.Msg { return armMsg{gen} })
}

func (msg armMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.clock.armGen {
		return nil
	}
	m.dirty = true
	cmd := m.observe(false)
	if m.panel.Armed() {
		m.armedAt = m.now()
	}
	return cmd
}

// reach is how long after a question took the keys by itself a tab still means to
// give them to it: the user had seen that tab was needed.
const reach = 600 * time.Millisecond

// panelKey sends a key to the armed question. Text that it does not take goes to
// the draft.
func (m *Model) panelKey(key, text string) tea.Cmd {
	picked := m.panel.Picked()
	switch {
	case picked && text != "":
		m.wroteTo(m.picked + text)
		return nil
	case text != "" && m.panel.Takes(text):
		m.panel.Text(text)
		return m.pickRow(text)
	}
	if a, ok := m.keys.Find(key, keys.InPrompt); ok {
		return m.actPrompt(a)
	}
	a, known := m.keys.Find(key, keys.InComposer, keys.Anywhere)
	if e, ok := edits[a]; known && ok && m.panel.Edit(e) {
		return nil
	}
	if known && a == keys.Newline && m.panel.Edit(composer.Newline) {
		return nil
	}
	switch a {
	case keys.Escape:
		return m.resolved(m.panel.Escape())
	case keys.Mode:
		if m.panel.Typing() {
			return nil // in the middle of a text it would be a slip
		}
		cmd, _ := m.actAnywhere(a)
		return cmd
	case keys.Help:
		if text == "" {
			m.openHelp()
			return nil
		}
	case keys.Cancel, keys.Quit, keys.Sessions, keys.NextSession, keys.FocusNext, keys.Side, keys.Redraw, keys.TurnPrev, keys.TurnNext, keys.FoldAll, keys.Find, keys.Mouse, keys.Prompts:
		cmd, _ := m.actAnywhere(a)
		return cmd
	}
	if text != "" {
		m.wroteTo(text)
	}
	return nil
}

// wroteTo puts text into the draft that was typed while the question had the keys.
func (m *Model) wroteTo(text string) {
	if r, ok := m.panel.Current(); ok && m.panel.Armed() && m.composer.Value() == "" {
		m.replying = r.ID // it may become an answer
	}
	m.panel.Disarm()
	m.insert(text)
}

// pickedMsg is due when a key that stands for a row of a question is its answer: no text
// has followed.
type pickedMsg struct{ gen int }

// pickRow has the row taken for which a key stands, unless the key turns out to be the
// beginning of a word.
func (m *Model) pickRow(text string) tea.Cmd {
	if !m.panel.Picked() {
		return nil
	}
	m.picked = text
	m.clock.pickGen++
	if m.panel.Reviewed() {
		return pickedMsg{m.clock.pickGen}.handle(m)
	}
	gen, ctx := m.clock.pickGen, m.ctx
	return m.do(func() tea.Msg {
		wait := time.NewTimer(prompt.Pause)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
		}
		return pickedMsg{gen}
	})
}

func (msg pickedMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.clock.pickGen || !m.panelTakes() || !m.panel.Picked() {
		return nil
	}
	m.dirty, m.pickedAt = true, m.now()
	return tea.Batch(m.resolved(m.panel.Accept()), m.observe(false))
}

// confirms reports whether a key only confirms one that has answered just now.
func (m *Model) confirms(key string) bool {
	a, _ := m.keys.Find(key, keys.InPrompt)
	late := m.now().Sub(m.pickedAt) >= reach
	m.pickedAt = time.Time{}
	return a == keys.Accept && !late
}

// reachesPanel reports whether a key gives the keys to the question that waits, from
// wherever they are.
func (m *Model) reachesPanel(key string) bool {
	a, ok := m.keys.Find(key, m.focused().context, keys.InComposer)
	return ok && a == keys.Complete && m.focus != focusComposer && m.box == nil && m.panel.Active() && !tooSmall(m.w, m.h)
}

// blindKey takes a key while a question waits on a screen that is too small to show
// it: it can be denied, and what stops the turn or the program works.
func (m *Model) blindKey(key string) tea.Cmd {
	a, _ := m.keys.Find(key, keys.Anywhere)
	switch a {
	case keys.Escape:
		return m.resolved(m.panel.Refuse())
	case keys.Cancel, keys.Quit:
		cmd, _ := m.actAnywhere(a)
		return cmd
	}
	return nil
}

func (m *Model) actPrompt(a keys.Action) tea.Cmd {
	switch a {
	case keys.Accept:
		return m.resolved(m.panel.Accept())
	case keys.Up:
		return m.resolved(m.panel.Up())
	case keys.Down:
		return m.resolved(m.panel.Down())
	case keys.Left:
		return m.resolved(m.panel.Left())
	case keys.Right:
		return m.resolved(m.panel.Right())
	case keys.Later:
		if early := m.now().Sub(m.armedAt) < reach; early {
			m.armedAt = time.Time{}
			return nil
		}
		return m.resolved(m.panel.Later())
	case keys.QuestionNext:
		return m.resolved(m.panel.NextQuestion())
	case keys.QuestionPrev:
		return m.resolved(m.panel.PrevQuestion())
	case keys.Backspace:
		return m.resolved(m.panel.Backspace())
	case keys.PageUp:
		m.panel.PageUp()
	case keys.PageDown:
		m.panel.PageDown()
	}
	return nil
}

// repliesTo reports whether a text is meant for the question that waits, rather than
// as a message: it reads like an answer, and a turn of the session is held up.
func (m *Model) repliesTo(text string) bool {
	r, waits := m.panel.Current()
	own := slices.ContainsFunc(m.state.Requests, func(o event.Request) bool { return o.ID == r.ID })
	return waits && (own || m.busy()) && slices.Contains(prompt.Letters(), word(text))
}

// word is a text as an answer.
func word(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// replies is what enter does with a draft that answers the question on the screen, empty
// where it answers none.
func (m *Model) replies() string {
	r, ok := m.panel.Current()
	text := m.composer.Value()
	if !ok || m.replying != r.ID || text == "" || !m.repliesTo(text) {
		return ""
	}
	return m.panel.Replies(word(text))
}

// unsent takes an answer out of the draft. One that was typed while the question had the
// keys answers it; any other marks what it stands for, and enter answers once the question
// has the keys.
func (m *Model) unsent(text string) tea.Cmd {
	r, _ := m.panel.Current()
	meant := m.replying == r.ID
	m.composer.Set("")
	m.replying = ""
	known := m.panel.Reply(word(text))
	if known && meant {
		m.panel.Arm()
		return m.resolved(m.panel.Accept())
	}
	m.panel.Recall()
	how := "answer it above."
	if known {
		how = m.press(keys.Accept, keys.InPrompt, "takes what is selected above.")
	}
	return m.warn("“" + strings.TrimSpace(text) + "” was not sent, because a question waits: " + how)
}

// resolved sends an answer, if a verb of the panel gave one.
func (m *Model) resolved(id event.RequestID, a event.Answer, done bool) tea.Cmd {
	if q, wants := m.panel.Looks(); wants {
		return m.lookAtEdit(q)
	}
	if !done || m.conv == nil {
		return nil
	}
	m.note = "" // what it said of the question
	cmds := []tea.Cmd{m.sendAnswer(id, a)}
	for _, more := range m.panel.More() {
		cmds = append(cmds, m.sendAnswer(more.ID, more.Answer))
	}
	return tea.Batch(cmds...)
}

// sendAnswer hands an answer to the conversation that asked.
func (m *Model) sendAnswer(id event.RequestID, a event.Answer) tea.Cmd {
	conv := m.asker(id)
	m.probe.answered[id] = true
	return m.do(func() tea.Msg { return answeredMsg{id, conv.Answer(id, a)} })
}

func (msg answeredMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if msg.err != nil {
		delete(m.probe.answered, msg.id)
	}
	switch {
	case errors.Is(msg.err, app.ErrStale):
		return tea.Batch(m.say("That question was answered or withdrawn meanwhile."), m.observe(false))
	case msg.err != nil:
		m.panel.Reopen(msg.id)
		return tea.Batch(m.fail(msg.err), m.observe(false))
	}
	return m.observe(false)
}
