package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/ui/keys"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
)

// Region is a part of the screen: exactly h rows of w cells. One that changes with time
// is a [ticker] as well.
type Region interface {
	Rows(dst []string, w, h int) []string
	SetStyles(st *rows.Styles)
}

// sidePane is a region that stands over the agents in the side panes, as high as it
// wants to be, or in one line where there is no room.
type sidePane interface {
	Region
	// Empty reports whether there is nothing to see.
	Empty() bool
	// HeightAt is how many of at most limit rows of w cells it wants.
	HeightAt(w, limit int) int
	Line(w int) string
}

// region is the registration of a [Region]. What is nil does not apply to it.
type region struct {
	of     func() Region
	hidden func() bool         // it is not drawn: neither synced nor told the time
	sync   func(now time.Time) // hands it what it shows of the state
	tick   func(now time.Time) // tells it the time, where it is no ticker

	// While the focus is on it: where its keys are, what they do, and which ones are
	// worth knowing. act returns false when the key is text after all.
	focus   focus
	context keys.Context
	act     func(a keys.Action) (tea.Cmd, bool)
	hints   func() []status.Hint
}

// register lists the regions, in the order in which they learn of events. Only those
// with a context get the focus.
func (m *Model) register() {
	acts := func(act func(keys.Action) tea.Cmd) func(keys.Action) (tea.Cmd, bool) {
		return func(a keys.Action) (tea.Cmd, bool) { return act(a), true }
	}
	undetailed := func() bool { return !m.view.detail }
	m.stack = []sidePane{m.todos}
	m.list = []region{
		{
			of: func() Region { return m.agents }, sync: m.syncAgents,
			focus: focusSide, context: keys.InSidebar, act: acts(m.actSide), hints: m.agentHints,
		},
		{
			of: func() Region { return m.transcript }, sync: m.syncTranscript,
			focus: focusTranscript, context: keys.InTranscript, act: acts(m.actTranscript), hints: m.transcriptHints,
		},
		{of: func() Region { return m.todos }, sync: m.syncTodos, tick: m.tickTodos},
		{of: func() Region { return m.detail }, hidden: undetailed, sync: func(time.Time) { m.detail.Sync(m.state) }},
		{of: func() Region { return m.detailTranscript }, hidden: undetailed, sync: func(time.Time) { m.syncInside() }},
		{
			of: func() Region { return m.grid }, hidden: func() bool { return !m.view.grid }, sync: func(time.Time) { m.grid.Sync(m.state, m.gridTree) },
			focus: focusGrid, context: keys.InGrid, act: acts(m.actGridKey), hints: m.gridHints,
		},
		{
			of: func() Region { return m.queue }, sync: func(time.Time) { m.syncQueue() },
			focus: focusQueue, context: keys.InQueue, act: acts(m.actQueue), hints: m.queueHints,
		},
		{of: func() Region { return m.panel }, sync: func(time.Time) { m.syncPanel() }, tick: func(now time.Time) { m.panel.Tick(now) }},
		{of: func() Region { return m.recall }},
		{of: func() Region { return m.composer }, focus: focusComposer, context: keys.InComposer, act: m.actComposer},
	}
}

// focused is the region that has the focus.
func (m *Model) focused() *region {
	for i := range m.list {
		if r := &m.list[i]; r.context != "" && r.focus == m.focus {
			return r
		}
	}
	panic("no region has the focus")
}

// sync hands the state to the regions and the open window.
func (m *Model) sync(now time.Time) {
	for i := range m.list {
		if r := &m.list[i]; r.sync != nil && (r.hidden == nil || !r.hidden()) {
			r.sync(now)
		}
	}
	m.syncBox()
}

// tickRegions tells the regions and the open window the time.
func (m *Model) tickRegions(now time.Time) {
	for i := range m.list {
		r := &m.list[i]
		if r.hidden != nil && r.hidden() {
			continue
		}
		if t, ok := r.of().(ticker); ok {
			t.Tick(now, m.clock.frame)
		} else if r.tick != nil {
			r.tick(now)
		}
	}
	m.tickBox(now)
}

// spinning reports whether anything moves but times.
func (m *Model) spinning() bool {
	if m.state.Busy() || m.boxAnimates() {
		return true
	}
	for i := range m.list {
		r := &m.list[i]
		if t, ok := r.of().(ticker); ok && t.Animating() && (r.hidden == nil || !r.hidden()) {
			return true
		}
	}
	return false
}
