package ui

import (
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/status"
)

// keyName is the key of an action, as the user has set it: in the first of the contexts
// that has one, then anywhere. It is empty when the action has none.
func (m *Model) keyName(a keys.Action, contexts ...keys.Context) string {
	if b, ok := m.keys.Binding(a, append(contexts, keys.Anywhere)...); ok {
		return b.Keys[0]
	}
	return ""
}

// press is a part of a sentence about a key: "esc goes back"; empty when the action has
// no key.
func (m *Model) press(a keys.Action, c keys.Context, does string) string {
	if key := m.keyName(a, c); key != "" {
		return key + " " + does
	}
	return ""
}

// hint is a reminder of one key with words of its own, none when the action has no key.
func (m *Model) hint(a keys.Action, c keys.Context, text string) []status.Hint {
	if key := m.keyName(a, c); key != "" {
		return []status.Hint{{Key: key, Text: text}}
	}
	return nil
}

// windowHints say what enter and other keys do with the marked entry of a window, and what
// more of its keys do. How it closes stands in the last row of the screen.
func (m *Model) windowHints(verb string, entry []status.Hint, more ...status.Hint) []status.Hint {
	entry = append(m.hint(keys.Accept, keys.InOverlay, verb), entry...)
	for i := range entry {
		entry[i].Entry = true
	}
	return append(entry, more...)
}

// readHints are the keys worth knowing in a window with a text.
func (m *Model) readHints(more ...keys.Action) []status.Hint {
	return append(m.hints(keys.InText, append([]keys.Action{keys.Find}, more...)...), m.hints(keys.InOverlay, keys.Copy)...)
}

// questionHints say what the two answers to a question in a window do.
func (m *Model) questionHints(yes, no string) []status.Hint {
	return append(m.hint(keys.Accept, keys.InOverlay, yes), m.hint(keys.Escape, keys.Anywhere, no)...)
}

// joined joins the parts of a sentence that are not empty.
func joined(sep string, parts ...string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, sep)
}

// busyWords say what sending does while a turn runs.
var busyWords = map[string]string{"": "queues", "queue": "queues", "steer": "steers", "interrupt": "interrupts"}

// placeholder is what an empty composer says: to whom the user speaks, and how.
func (m *Model) placeholder() string {
	back := m.press(keys.Escape, keys.Anywhere, "goes back")
	switch {
	case m.panelTakes() && m.panel.Doing() >= prompt.Editing:
		return "the keys go to the question above"
	case m.focus == focusSide && m.agents.Steering():
		return joined("; ", "write to “"+clipTitle(m.nameOf(m.agents.Selected()))+"” in the agents pane", m.press(keys.Escape, keys.Anywhere, "comes back"))
	case m.panel.Active() && !m.panel.Armed():
		if m.focus != focusComposer {
			return joined("; ", m.press(keys.Complete, keys.InComposer, "answers the question above"), m.press(keys.Escape, keys.Anywhere, "comes back to the draft"))
		}
		return joined("; ", m.press(keys.Complete, keys.InComposer, "answers the question above"), "or type on")
	case m.transcript.SelectsByKeys():
		return m.press(keys.Escape, keys.Anywhere, "ends the selection")
	case m.finds():
		return m.press(keys.Escape, keys.Anywhere, "ends the search")
	case m.focus != focusComposer:
		return m.press(keys.Escape, keys.Anywhere, "comes back to the draft")
	case m.view.agent != "":
		return m.placeholderOf(m.main(), back)
	case m.panelTakes():
		return "type to write a message; other keys answer the question above"
	case m.busy():
		sends := busyWords[m.o.Settings.Busy]
		steers := ""
		if sends != "steers" {
			steers = m.press(keys.Steer, keys.InComposer, "steers")
		}
		return joined(" — ", "type while it works", joined(", ", m.press(keys.Send, keys.InComposer, sends), steers))
	case m.held && len(m.state.Queue) > 0:
		return joined(" — ", "What do you want to do?", m.press(keys.Send, keys.InComposer, "sends "+format.Count(len(m.state.Queue), "message that waits", "messages that wait")))
	}
	if untold := m.untold(); untold != "" {
		return joined(" — ", "What do you want to do?", untold)
	}
	if aside := m.aside(); aside != "" {
		return joined(" — ", "What do you want to do?", aside)
	}
	return joined(", ", "What do you want to do? @ names a file", "/ a command", m.press(keys.Help, keys.InComposer, "shows the keys"))
}

// placeholderOf is it while an agent is in the main view, which what is sent then steers.
func (m *Model) placeholderOf(a *event.Agent, back string) string {
	switch {
	case m.panelTakes():
		return "type to steer " + m.quoted(a) + "; other keys answer the question above"
	case a != nil && a.State.Ended():
		return joined("; ", "this agent has ended", back)
	}
	return joined("; ", m.press(keys.Send, keys.InComposer, "steers "+m.quoted(a)), back)
}

// quoted is the name of an agent in a sentence.
func (m *Model) quoted(a *event.Agent) string {
	if a == nil {
		return "this agent"
	}
	return "“" + clipTitle(m.nameOf(a.ID)) + "”"
}

// statusHints are the keys worth knowing just now.
func (m *Model) statusHints() []status.Hint {
	if m.released && m.o.Settings.Mouse {
		return append(m.hint(keys.Mouse, keys.Anywhere, "take the mouse back"), m.focusHints()...)
	}
	if mode := m.composer.VimMode(); mode != "" && m.focus == focusComposer && m.box == nil && !m.panelTakes() {
		does := "i inserts"
		if mode != "NORMAL" {
			does = "esc ends it"
		}
		return append([]status.Hint{{Key: mode, Text: does}}, m.focusHints()...)
	}
	return m.focusHints()
}

// focusHints are the keys worth knowing where the keys go.
func (m *Model) focusHints() []status.Hint {
	switch {
	case m.box != nil:
		return m.boxHints()
	case m.numbering:
		return m.numberHints()
	case m.transcript.HasSelection():
		return m.selectionHints()
	case m.panelTakes():
		return m.promptHints()
	case m.finds():
		return m.findHints()
	case m.recall.IsOpen():
		return m.recallHints()
	case m.focus != focusComposer:
		return append(m.focused().hints(), m.hint(keys.Escape, keys.Anywhere, "back")...)
	case m.view.agent != "":
		return append(m.hint(keys.Escape, keys.Anywhere, "back"), m.hints(keys.InComposer, keys.FocusNext, keys.Help)...)
	case m.closesDrawer():
		return append(m.hint(keys.Escape, keys.Anywhere, "close the panes"), m.hints(keys.InComposer, keys.FocusNext, keys.Help)...)
	case m.retrying():
		return slices.Concat(m.hint(keys.Escape, keys.Anywhere, "try now"), m.hint(keys.Cancel, keys.Anywhere, "interrupt"), m.hints(keys.InComposer, keys.Help))
	case m.replies() != "":
		return append(m.hint(keys.Send, keys.InComposer, strings.ToLower(m.replies())), m.hints(keys.InComposer, keys.Escape, keys.Help)...)
	case m.typed():
		return m.typedHints()
	case m.typing():
		return append(m.hint(keys.Escape, keys.Anywhere, "end your command"), m.hints(keys.InComposer, keys.FocusNext, keys.Help)...)
	case m.busy() && len(m.others) > 0:
		return m.hints(keys.InComposer, keys.Escape, keys.Sessions, keys.FocusNext, keys.Help)
	case m.busy(), m.compressing():
		return m.hints(keys.InComposer, keys.Escape, keys.FocusNext, keys.Help)
	case len(m.others) > 0:
		return m.hints(keys.InComposer, keys.Sessions, keys.FocusNext, keys.Mode, keys.Help)
	}
	return m.hints(keys.InComposer, keys.FocusNext, keys.Mode, keys.Help)
}

func (m *Model) transcriptHints() []status.Hint {
	var hints []status.Hint
	if m.transcript.Folds() {
		hints = m.hints(keys.InTranscript, keys.Fold)
	}
	hints = append(hints, m.hints(keys.InTranscript, keys.Open, keys.Copy)...)
	switch b := m.transcript.Selected(); {
	case b != nil && b.Call != nil:
		hints = append(hints, m.hint(keys.CopyCode, keys.InTranscript, inputWord(b.Call))...)
		hints = append(hints, m.hints(keys.InTranscript, keys.CopyOutput)...)
	case m.transcript.HasCode():
		hints = append(hints, m.hints(keys.InTranscript, keys.CopyCode)...)
	}
	return append(hints, m.hints(keys.InTranscript, keys.SelectText)...)
}

// inputWord names the key that copies the input of a call.
func inputWord(c *event.Call) string {
	switch c.View.Kind {
	case event.ViewCommand:
		return "copy command"
	case event.ViewCode:
		return "copy script"
	}
	return "copy input"
}

func (m *Model) queueHints() []status.Hint {
	return m.hints(keys.InQueue, keys.TakeBack, keys.MoveUp, keys.SteerNow, keys.Remove)
}

func (m *Model) gridHints() []status.Hint {
	return m.controls(keys.InGrid, m.state.Agent(m.grid.Focused()), keys.Promote, keys.Kill, keys.Pause)
}

// promptHints are the keys worth knowing for the question on the screen.
func (m *Model) promptHints() []status.Hint {
	w := m.panel.Words()
	var hints []status.Hint
	add := func(p keys.Context, a keys.Action, text string, key func(keys []string) string) {
		if b, ok := m.keys.Binding(a, p, keys.Anywhere); ok && text != "" {
			hints = append(hints, status.Hint{Key: key(b.Keys), Text: text})
		}
	}
	first := func(keys []string) string { return keys[0] }
	add(keys.InPrompt, keys.Accept, w.Enter, first)
	add(keys.InPrompt, keys.Escape, w.Escape, first)
	if w.Space != "" {
		hints = append(hints, status.Hint{Key: "space", Text: w.Space})
	}
	if w.Sides != "" {
		hints = append(hints, status.Hint{Key: "←→", Text: w.Sides})
	}
	// The last of the keys reaches the program on every terminal.
	add(keys.InComposer, keys.Newline, w.Newline, func(keys []string) string { return keys[len(keys)-1] })
	add(keys.InPrompt, keys.Later, w.Later, first)
	return hints
}
