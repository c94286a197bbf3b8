package ui

import (
	"runtime"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
)

// hud measures frames, for who looks into how fast the screen is.
type hud struct {
	on          bool
	took, worst time.Duration // to put the newest frame together, and the slowest since it is on
	cpu         time.Duration // the most processor time that a frame has taken, 0 where it is not known
	lag         time.Duration // from when the newest event got its number to when it was here
}

// toggleHud shows or hides what frames take.
func (m *Model) toggleHud() tea.Cmd {
	m.hud = hud{on: !m.hud.on}
	if !m.hud.on {
		return m.say("Frames are no longer measured.")
	}
	return m.say("Above: how long a frame takes, its bytes, and how far the screen is behind the journal; /hud hides it.")
}

// measure begins to measure a frame, and returns what ends it. The processor time says
// what is the program's own when the machine does other things as well.
func (h *hud) measure(now func() time.Time) (measured func()) {
	if !h.on {
		return func() {}
	}
	runtime.LockOSThread()
	began, cpu := now(), threadTime()
	return func() {
		h.took = now().Sub(began)
		h.worst, h.cpu = max(h.worst, h.took), max(h.cpu, threadTime()-cpu)
		runtime.UnlockOSThread()
	}
}

// arrived notes how old events of the journal are that have just come.
func (h *hud) arrived(events []event.Event, now time.Time) {
	for _, e := range events {
		if head := e.Head(); head.Seq > 0 {
			h.lag = max(now.Sub(head.At), 0)
		}
	}
}

// hudRow lays the figures over the right end of a row: those of the frame before, since
// its own are not known yet.
func (m *Model) hudRow(row string, w int) string {
	text := " frame " + millis(m.hud.took) + ", worst " + millis(m.hud.worst)
	if m.terminal != nil {
		last, mean := m.terminal.Written()
		text += " · " + format.Bytes(int64(last)) + ", mean " + format.Bytes(int64(mean))
	}
	text += " · journal " + millis(m.hud.lag) + " "
	if cpu := ", cpu at most " + millis(m.hud.cpu); m.hud.cpu > 0 && rows.Width(text+cpu) <= w {
		text = strings.Replace(text, " · ", cpu+" · ", 1)
	}
	if rows.Width(text) > w {
		return rows.Fit(m.styles.BadgeMuted.Render(text), w)
	}
	return rows.Splice(row, w-rows.Width(text), m.styles.BadgeMuted.Render(text), w)
}

// millis writes a duration in milliseconds.
func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}
