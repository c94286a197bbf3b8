package ui

import (
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// segmentGap is how long the user's command for the status row is not run again after it
// has ended, segmentCells how much is shown of what it writes.
const (
	segmentGap   = time.Second
	segmentCells = 60
)

// segment is what the user's command adds to the status row.
type segment struct {
	text    string
	running bool   // the command runs, or ran less than segmentGap ago
	again   bool   // it is due again then
	ticking bool   // a timer for the next run is on its way
	failed  string // what was said of its failure
}

// The messages of it: what the command has written, that it may run again, that it is to
// run again by the clock.
type (
	segmentMsg struct {
		gen  int
		text string
		err  error
	}
	segmentFreeMsg struct{}
	segmentTickMsg struct{}
)

// segmentTold is what the command reads on its standard input, as JSON.
type segmentTold struct {
	Session string     `json:"session"`
	Title   string     `json:"title"`
	Model   string     `json:"model"`
	Host    string     `json:"host"`
	Effort  string     `json:"effort"`
	Mode    event.Mode `json:"mode"`
	Dir     string     `json:"dir"`
	Branch  string     `json:"branch"`
	Busy    bool       `json:"busy"`
	Used    int        `json:"context_used"`
	Max     int        `json:"context_max"`
	Input   int64      `json:"input_tokens"`
	Output  int64      `json:"output_tokens"`
	Cost    float64    `json:"cost_usd"`
	Queue   int        `json:"queue"`
	Jobs    int        `json:"jobs"`
	Agents  int        `json:"agents"`
}

// segmentOn runs the user's command when something has happened that it is told of.
func (m *Model) segmentOn(e event.Event) tea.Cmd {
	switch e.(type) {
	case *event.TurnStarted, *event.TurnFinished, *event.ModelChanged, *event.ModeChanged, *event.TitleChanged, *event.JobsChanged:
		return m.segmentDue()
	}
	return nil
}

// segmentDue runs the user's command for the status row, if there is one: at once, or when
// the run under way has ended. No frame waits for it.
func (m *Model) segmentDue() tea.Cmd {
	s := &m.segment
	command := m.o.Settings.StatusCommand
	switch {
	case command == "" || m.conv == nil || m.app == nil:
		s.text = ""
		return nil
	case s.running:
		s.again = true
		return nil
	}
	s.running = true
	told, err := json.Marshal(m.segmentTold())
	a, ctx, gen, dir := m.app, m.ctx, m.gen, m.state.Work.Dir
	return m.do(func() tea.Msg {
		if err != nil {
			return segmentMsg{gen: gen, err: err}
		}
		text, err := a.StatusLine(ctx, command, dir, told)
		return segmentMsg{gen, text, err}
	})
}

func (m *Model) segmentTold() segmentTold {
	s := status.Read(m.state, m.now())
	t := segmentTold{
		Session: string(m.conv.Session()), Title: m.title(), Model: m.state.Model.Name, Host: m.state.Model.Host, Effort: m.state.Model.Effort,
		Mode: m.state.Mode, Dir: m.state.Work.Dir, Branch: m.state.Work.Branch, Busy: m.busy(), Input: s.Input, Output: s.Output,
		Cost: float64(m.state.Usage().Cost) / float64(event.Dollar), Queue: s.Queue, Jobs: s.Jobs, Agents: s.Agents,
	}
	if root := m.state.Root(); root != nil {
		t.Used, t.Max = root.Context.Used, root.Context.Max
	}
	return t
}

// handle shows what the command has written. That it failed is said once.
func (msg segmentMsg) handle(m *Model) tea.Cmd {
	s := &m.segment
	text, cmds := "", []tea.Cmd(nil)
	if msg.err == nil {
		text, s.failed = cells.Cut(term.Line(msg.text), segmentCells), ""
	} else if why := sentence(msg.err); why != s.failed && m.ctx.Err() == nil {
		s.failed = why
		cmds = append(cmds, m.say(why))
	}
	if msg.gen == m.gen && text != s.text && m.o.Settings.StatusCommand != "" {
		s.text, m.dirty = text, true
	}
	if s.again {
		cmds = append(cmds, m.after(segmentGap, func() tea.Msg { return segmentFreeMsg{} }))
	} else {
		s.running = false
	}
	return tea.Batch(append(cmds, m.segmentTick())...)
}

// segmentTick has the command run again after a while, where that is set.
func (m *Model) segmentTick() tea.Cmd {
	every := m.o.Settings.StatusEvery
	if every <= 0 || m.segment.ticking {
		return nil
	}
	m.segment.ticking = true
	return m.after(every, func() tea.Msg { return segmentTickMsg{} })
}

func (segmentFreeMsg) handle(m *Model) tea.Cmd {
	m.segment.running, m.segment.again = false, false
	return m.segmentDue()
}

// handle runs the command by the clock, unless no one is looking.
func (segmentTickMsg) handle(m *Model) tea.Cmd {
	m.segment.ticking = false
	if m.blurred {
		return m.segmentTick()
	}
	return m.segmentDue()
}
