package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
)

// probe lets a test driver wait for the program instead of sleeping. The driver
// sends a marker through the terminal, as the answer to a question about a mode
// that does not exist; the window title then says how many markers arrived and
// how much is under way. The title is part of a frame, so what it says holds for
// the screen it comes with.
type probe struct {
	on      bool
	synced  int
	running int // commands that have not replied
	// waiting are inputs that were taken and not seen in the conversation yet.
	waiting map[event.InputID]bool
	// seen are inputs that the conversation showed before their reply came.
	seen map[event.InputID]bool
	// answered are requests whose answer was taken and is not seen yet.
	answered map[event.RequestID]bool
	// stopping is an interrupt whose turn has not ended.
	stopping bool
}

func newProbe(on bool) probe {
	return probe{on: on, waiting: map[event.InputID]bool{}, seen: map[event.InputID]bool{}, answered: map[event.RequestID]bool{}}
}

// markerMode is the number of the mode that does not exist.
const markerMode = 9999

func (m *Model) onModeReport(msg tea.ModeReportMsg) tea.Cmd {
	if m.probe.on && msg.Mode.Mode() == markerMode {
		m.probe.synced++
		m.dirty = true
	}
	return nil
}

// sent remembers an input until the conversation shows it.
func (p *probe) sent(id event.InputID) {
	if p.on && !p.seen[id] {
		p.waiting[id] = true
	}
}

// shown notes inputs that the conversation shows, waiting or taken.
func (p *probe) shown(ids ...event.InputID) {
	if !p.on {
		return
	}
	for _, id := range ids {
		p.seen[id] = true
		delete(p.waiting, id)
	}
}

// probeBusy counts what is under way and will change the screen without a key.
func (m *Model) probeBusy() int {
	n := m.probe.running + len(m.probe.waiting) + len(m.probe.answered)
	if m.conv != nil && m.conv.Pending() {
		n++
	}
	if m.state.Busy() && (len(m.state.Requests) == 0 || m.probe.stopping) {
		n++
	}
	if len(m.state.Queue) > 0 && !m.held && !m.state.Busy() {
		n++
	}
	return n
}

// probeSuffix is what the window title says to the driver.
func (m *Model) probeSuffix() string {
	if !m.o.Probe {
		return ""
	}
	return fmt.Sprintf(" ⟦sync=%d busy=%d size=%dx%d⟧", m.probe.synced, m.probeBusy(), m.w, m.h)
}
