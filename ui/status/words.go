package status

import (
	"strconv"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/term"
)

// Spinner is the sign of something that runs, at a frame of the animation.
func Spinner(frame int) string {
	switch frame & 3 {
	case 1:
		return "◓"
	case 2:
		return "◑"
	case 3:
		return "◒"
	}
	return "◐"
}

// Phase says in a few words what a turn is doing, for a user to whom its
// agent is known. It is empty between turns. Detail is that of the phase, from
// outside.
func Phase(p event.Phase, detail string) string {
	detail = term.Line(detail)
	switch p {
	case event.PhasePreparing:
		return "preparing"
	case event.PhaseConnecting:
		if detail != "" { // a server may read the whole prompt before it sends a byte
			return "waiting for " + detail
		}
		return "connecting"
	case event.PhaseCompressing:
		return "shortening the context"
	case event.PhaseWaiting:
		return "waiting for the model"
	case event.PhaseReasoning:
		return "thinking"
	case event.PhaseAnswering:
		return "answering"
	case event.PhaseDrafting:
		if detail != "" {
			return "preparing " + detail
		}
		return "preparing a call"
	case event.PhaseTools:
		return "running tools"
	case event.PhaseRetrying:
		if detail != "" {
			return "retrying: " + detail
		}
		return "retrying"
	case event.PhaseStopping:
		return "stopping"
	case event.PhaseBlocked:
		return "blocked"
	}
	return ""
}

// words is what the status row says: a sign, words, and the style of both.
type words struct {
	glyph, text string
	style       rows.Style
	rate        bool // the token rate may follow
}

// words chooses what the status row says. What needs the user comes first.
func (d *Status) words(st *rows.Styles) words {
	running := func(text string) words {
		if d.Phase != event.PhaseCompressing || d.Elapsed > 0 { // outside a turn there is no clock
			text += " " + format.Elapsed(d.Elapsed)
		}
		if d.Quiet > 0 {
			text += " · nothing new for " + format.Elapsed(d.Quiet)
		}
		if d.Budget > 0 {
			text += " · " + strconv.Itoa(d.Calls) + " of " + strconv.Itoa(d.Budget) + " model calls used"
		}
		return words{glyph: Spinner(d.Frame), text: text, style: st.Accent}
	}
	switch {
	case d.Note != "" && d.Warns:
		return words{glyph: "!", text: term.Line(d.Note), style: st.Warn}
	case d.Note != "":
		return words{glyph: "·", text: term.Line(d.Note), style: st.Text}
	case d.Phase == event.PhaseBlocked:
		text := term.Line(d.Detail)
		if text == "" {
			text = "storage is full: nothing runs until there is space"
		}
		return words{glyph: "✗", text: text, style: st.Bad}
	case d.Waiting:
		return words{glyph: "◆", text: "needs your answer", style: st.Warn}
	case d.State == event.AgentPaused:
		return words{glyph: "⏸", text: "paused", style: st.Info}
	case d.State == event.AgentPausing:
		return running("pausing")
	}
	switch d.Phase {
	case "", event.PhaseIdle:
		return words{glyph: "○", text: "ready", style: st.Muted}
	case event.PhaseRetrying:
		return words{glyph: "↻", text: d.retry(), style: st.Warn}
	case event.PhaseConnecting:
		host := d.Detail
		if host == "" {
			host = d.Host
		}
		return running(Phase(d.Phase, host))
	case event.PhasePreparing, event.PhaseCompressing, event.PhaseWaiting, event.PhaseReasoning, event.PhaseStopping:
		return running(Phase(d.Phase, ""))
	}
	w := running(Phase(d.Phase, d.Detail))
	w.rate = true
	return w
}

// retry writes "retrying in 4s: rate limited (2 of 3)".
func (d *Status) retry() string {
	text := "retrying now"
	if d.RetryIn > 0 {
		text = "retrying in " + format.Elapsed(d.RetryIn+time.Second-1)
	}
	if reason := term.Line(d.Detail); reason != "" {
		text += ": " + reason
	}
	switch {
	case d.Attempt > 0 && d.Attempts > 0:
		text += " (" + strconv.Itoa(d.Attempt) + " of " + strconv.Itoa(d.Attempts) + ")"
	case d.Attempt > 0:
		text += " (" + strconv.Itoa(d.Attempt) + ")"
	}
	return text
}
