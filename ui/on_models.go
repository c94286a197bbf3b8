package ui

import (
	"context"
	"strconv"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/models"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
)

// modelShelf is what the screen knows of models, and what it waits for.
type modelShelf struct {
	list   models.List
	at     time.Time      // when all endpoints had answered last
	feed   *modelFeed     // while they are being asked
	window *models.Picker // opened last
	// wanted is a name that was typed and has to be looked for.
	wanted string
}

// pickMsg asks for a model to answer, changeMsg for one that the user was asked about, in
// the conversation of a pump.
type (
	pickMsg   struct{ to models.Option }
	changeMsg struct {
		to   models.Option
		pump int
	}
)

// modelsAge is how old the list may be to find a typed name in it.
const modelsAge = 5 * time.Minute

// modelFeed carries what endpoints say to the goroutine of the program. What has
// not been fetched yet is handed over together.
type modelFeed struct {
	cancel context.CancelFunc
	more   chan struct{}

	mu     sync.Mutex
	groups []app.ModelGroup
	ended  bool
	err    error
}

// modelsMsg brings what endpoints have said, and whether that was all.
type modelsMsg struct {
	feed   *modelFeed
	groups []app.ModelGroup
	ended  bool
	err    error
}

// run asks the endpoints.
func (f *modelFeed) run(ctx context.Context, a *app.App) {
	err := a.AskModels(ctx, func(g app.ModelGroup) {
		f.add(func() { f.groups = append(f.groups, g) })
	})
	f.add(func() { f.ended, f.err = true, err })
}

func (f *modelFeed) add(what func()) {
	f.mu.Lock()
	what()
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default: // what is there has not been fetched yet
	}
}

// next waits for something new.
func (f *modelFeed) next() tea.Msg {
	<-f.more
	f.mu.Lock()
	defer f.mu.Unlock()
	msg := modelsMsg{f, f.groups, f.ended, f.err}
	f.groups = nil
	return msg
}

// askModels asks all endpoints for their models, unless that is under way.
func (m *Model) askModels() tea.Cmd {
	s := &m.models
	if s.feed != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	f, a := &modelFeed{cancel: cancel, more: make(chan struct{}, 1)}, m.app
	s.feed = f
	s.list.Begin()
	return tea.Batch(m.do(func() tea.Msg {
		f.run(ctx, a)
		return nil
	}), m.do(f.next))
}

// stopModels stops asking. What was said stays.
func (m *Model) stopModels() {
	s := &m.models
	if s.feed == nil {
		return
	}
	s.feed.cancel()
	s.feed = nil
	s.list.Stop()
}

// handle takes over what endpoints have said.
func (msg modelsMsg) handle(m *Model) tea.Cmd {
	s := &m.models
	if msg.feed != s.feed {
		return nil
	}
	for _, g := range msg.groups {
		s.list.Put(g)
	}
	var cmds []tea.Cmd
	if msg.ended {
		s.list.End()
		s.feed.cancel()
		s.feed = nil
		s.at = m.now() // also when it went wrong: no key should ask again
	} else {
		cmds = append(cmds, m.do(msg.feed.next))
	}
	if p := s.window; m.box == p {
		if msg.err != nil && s.list.Len() == 0 {
			p.Fail(msg.err.Error())
		}
		p.Refresh()
		m.dirty = true
	}
	if s.wanted != "" {
		cmds = append(cmds, m.lookForModel(msg.err))
	}
	if _, ok := m.modelQuery(); ok {
		cmds = append(cmds, m.completing())
		m.dirty = true
	}
	return tea.Batch(append(cmds, m.animate())...)
}

// openModels shows what all endpoints offer, as they tell it.
func (m *Model) openModels() tea.Cmd {
	s := &m.models
	s.wanted = ""
	s.list.SetCurrent(m.state.Model)
	ask := m.askModels()
	s.window = models.NewPicker(m.styles, &s.list, m.windowHints("use", nil))
	m.show(s.window)
	return tea.Batch(ask, m.animate())
}

func (msg pickMsg) handle(m *Model) tea.Cmd { return m.onPick(msg.to) }

// onPick has the model answer that was chosen.
func (m *Model) onPick(to models.Option) tea.Cmd {
	if m.box == m.models.window {
		m.stopModels()
	}
	m.show(nil)
	return m.pickModel(to)
}

func (msg changeMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	if msg.pump != m.gen {
		return m.say("Another session is shown now: its model stays as it is.")
	}
	return m.useModel(msg.to)
}

// commandModel opens the list, or looks for the model that was named.
func (m *Model) commandModel(name string) tea.Cmd {
	if name == "" {
		return m.openModels()
	}
	s := &m.models
	s.wanted = name
	s.list.SetCurrent(m.state.Model)
	if s.feed == nil && m.now().Sub(s.at) < modelsAge {
		return m.lookForModel(nil)
	}
	return tea.Batch(m.say("Looking for "+name+" …"), m.askModels())
}

// lookForModel finds the model that was named, as soon as it can be found.
func (m *Model) lookForModel(failed error) tea.Cmd {
	s := &m.models
	name := s.wanted
	r := s.list.Resolve(name)
	if r.Answer == models.Unsure {
		return nil
	}
	s.wanted, m.note = "", ""
	m.stopModels()
	one := r.Answer == models.Found || r.Answer == models.Unlisted
	asks := !one
	if one {
		c := models.ChangeOf(m.state, r.Options[0])
		asks = c.Asks()
	}
	switch {
	case failed != nil && s.list.Len() == 0:
		return m.fail(failed)
	case asks && (m.box != nil || !m.composer.Empty()):
		// The user went on meanwhile: a window would take keys that are not for it.
		return m.say("/model " + name + " has a question for you: give the command again.")
	case one:
		return m.pickModel(r.Options[0])
	}
	title, items := r.Choices(name)
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request {
			i, err := strconv.Atoi(it.ID)
			if err != nil || i >= len(r.Options) {
				return overlay.Close{}
			}
			return pickMsg{r.Options[i]}
		},
	})
	p.SetItems(p.Load(), items)
	m.show(p)
	return nil
}

// pickModel changes what answers, or asks first when that drops what a provider has
// cached of the conversation.
func (m *Model) pickModel(to models.Option) tea.Cmd {
	c := models.ChangeOf(m.state, to)
	if !c.Asks() {
		return m.useModel(to)
	}
	ask := overlay.NewConfirm(m.styles, "Change the model?", c.Lines(), m.questionHints("change", "keep "+m.state.Model.Name))
	ask.Yes = changeMsg{to, m.gen}
	m.show(ask)
	return nil
}

// useModel changes what answers from the next turn on.
func (m *Model) useModel(to models.Option) tea.Cmd {
	a, id, ctx, name := m.app, m.conv.ID(), m.ctx, to.Choice.Name
	held := models.Held(name, m.busy())
	return tea.Batch(m.say("Connecting to "+name+" …"), m.do(func() tea.Msg {
		if err := a.Pick(ctx, id, to.Choice, to.Info); err != nil {
			return failedMsg{err}
		}
		return saidMsg{held}
	}))
}

// modelQuery is the word at the cursor while it is to become the name of a model.
func (m *Model) modelQuery() (composer.Query, bool) {
	q, ok := m.composer.Completion()
	if !ok || q.Kind != composer.SlashQuery || q.Command == "" || m.conv == nil {
		return q, false
	}
	c, _, err := slash.Parse(q.Command)
	return q, err == nil && c.Name == slash.Model
}

// completeModel offers the names of models, and asks for them when they are not
// known yet.
func (m *Model) completeModel(q composer.Query) tea.Cmd {
	s := &m.models
	s.list.SetCurrent(m.state.Model)
	var items []composer.Item
	for _, c := range s.list.Complete(q.Text) {
		items = append(items, composer.Item{Label: c.Name, Detail: c.Detail, Insert: c.Name, Match: c.Match})
	}
	m.composer.Offer(q.Gen, items)
	if m.now().Sub(s.at) < modelsAge {
		return nil
	}
	return m.askModels()
}

// unreasoning says that the model is known not to reason, empty when it is not.
func (m *Model) unreasoning(effort string) string {
	info, known := m.models.list.Known(m.state.Model)
	if !known {
		info = m.app.About(m.state.Model)
	}
	if info.Reasons != event.No || effort == "none" {
		return ""
	}
	return " But " + m.state.Model.Name + " is known not to reason."
}
