package timeline

import (
	"slices"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// foot draws n rows below the bars: the selected agent in words, and what the
// signs mean.
func (t *Timeline) foot(f *overlay.Frame, n int) {
	for f.Left() > n {
		f.Add(rows.Blank(f.Inner() + 2))
	}
	b := &t.bars[t.at]
	if n > 1 {
		f.Divide()
		t.who(f, b)
	}
	if n > 3 {
		figures, problem, summary := t.figures(b), b.problem, b.summary
		if t.past.on && (b.end == 0 || t.moment() < b.end) {
			figures, problem, summary = nil, "", "" // nothing of it was known then
		}
		f.Say(t.st.Muted, join(figures...))
		if problem != "" {
			f.Say(t.st.Bad, problem)
		} else {
			f.Say(t.st.Text, t.md.Line(summary, t.st))
		}
	}
	if n > 0 {
		f.Put(t.legend(f.Inner()))
	}
}

// who names the selected agent and says how it stands.
func (t *Timeline) who(f *overlay.Frame, b *bar) {
	state, on := b.sp.State, b.sp.On
	if t.past.on {
		state, on = b.at(t.moment())
	}
	word, _ := Word(state, on)
	sign, style := agents.Glyph(t.st, state, t.frame)
	if state == "" {
		sign, word, style = "·", "not started yet", t.st.Faint
	}
	row := cells.NewRow(f.Inner())
	row.Put(style, sign).Skip(1)
	row.PutMax(t.st.Strong, b.name, row.Left()-rows.Width(word)-2).Skip(2)
	f.Put(row.Put(style, word).String())
}

// figures are what is known of an agent.
func (t *Timeline) figures(b *bar) []string {
	var list []string
	if b.start > 0 {
		list = append(list, "from "+format.Elapsed(time.Duration(b.start-t.begin())))
	}
	if worked := b.sp.Elapsed(t.now); worked > 0 {
		list = append(list, "worked "+format.Elapsed(worked))
	}
	if held := b.held(t.now); held >= time.Second {
		list = append(list, t.heldWords(b, held))
	}
	if b.sp.Tools > 0 {
		list = append(list, format.Count(b.sp.Tools, "tool call", "tool calls"))
	}
	if n := tokens(b.usage); n > 0 {
		list = append(list, format.Tokens(n)+" tokens")
	}
	return append(list, format.Cost(b.usage), term.Line(shorten.Bytes(b.model, nameBytes)))
}

// heldWords says for how long an agent was held, and how much of that no bar
// shows because no one knows when it was.
func (t *Timeline) heldWords(b *bar, held time.Duration) string {
	text := "held " + format.Elapsed(held)
	known := b.placed
	if b.began == 0 {
		known = held
	} else if !b.sp.HeldFrom.IsZero() {
		known += max(t.now.Round(0).Sub(b.sp.HeldFrom.Round(0)), 0)
	}
	if rest := held - known; rest >= time.Second {
		text += " (" + format.Elapsed(rest) + " of it within the bar)"
	}
	return text
}

// legend says what the cells of a bar mean, as far as there is room. In a replay
// it says first that the past stays as it is.
func (t *Timeline) legend(w int) string {
	row := cells.NewRow(w)
	if t.past.on {
		text := "Replay: nothing can be ended or steered."
		if len(text) > w {
			text = "Replay: no controls."
		}
		row.Put(t.st.Warn, text).Skip(2)
	}
	for k := model; k < kinds; k++ {
		look := t.look(k)
		if row.Left() < 3+len(look.name) {
			break
		}
		row.Put(look.style, look.cell).Skip(1).Put(t.st.Faint, look.name).Skip(2)
	}
	if row.Left() >= len("x refused") {
		row.Put(t.st.Warn, "⊘").Put(t.st.Faint, " "+string(event.AgentRefused))
	}
	return row.String()
}

// keys are the reminders of keys: the caller's and those of this window.
func (t *Timeline) keys() []status.Hint {
	if t.past.on {
		play := "play"
		if t.past.playing {
			play = "pause"
		}
		list := hint(nil, t.bound, keys.InTimeline, play, keys.Play)
		list = hint(list, t.bound, keys.InTimeline, "step", keys.Left, keys.Right)
		list = hint(list, t.bound, keys.InTimeline, "next, previous", keys.NextEvent, keys.PrevEvent)
		list = hint(list, t.bound, keys.InTimeline, "speed", keys.Slower, keys.Faster)
		return append(list, t.hints...)
	}
	return hint(slices.Clone(t.hints), t.bound, keys.InTimeline, "replay", keys.Replay)
}

// hint adds what some actions do, if they have keys.
func hint(list []status.Hint, table *keys.Map, c keys.Context, text string, actions ...keys.Action) []status.Hint {
	if key := table.Short(c, actions...); key != "" {
		list = append(list, status.Hint{Key: key, Text: text})
	}
	return list
}
