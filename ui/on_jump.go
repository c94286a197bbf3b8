package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/host"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/slash"
	"hermes-tui/ui/transcript"
)

// jumpMsg asks to go to a block.
type jumpMsg struct{ block event.BlockID }

// openJumps lists what the user has written in the conversation that is shown, the newest
// first, to go to one of them.
func (m *Model) openJumps() tea.Cmd {
	now := m.now()
	var items []overlay.Item
	for _, b := range m.transcript.Prompts() {
		right := format.Ago(now.Sub(b.At))
		if b.Kind == event.BlockSteer {
			right = "while it worked · " + right
		}
		items = append(items, overlay.Item{ID: string(b.ID), Label: host.StartOf(b), Right: right})
	}
	return m.jumpTo("Go to one of your messages", "You have written nothing here yet.", items)
}

// jumpTo lists blocks to go to.
func (m *Model) jumpTo(title, empty string, items []overlay.Item) tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Empty: empty, Hints: m.windowHints("go there", nil),
		Chosen: func(it overlay.Item) overlay.Request { return jumpMsg{event.BlockID(it.ID)} },
	})
	p.SetItems(p.Load(), items)
	m.show(p)
	return m.dispatch(p.Search())
}

// handle goes to a block, and marks it.
func (msg jumpMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	m.setFocus(focusTranscript)
	if !m.transcript.Show(msg.block) {
		return m.say("That is no longer in the transcript.")
	}
	return m.animate()
}

// sectionWords are what kinds of blocks are called, in /details and in notes.
var sectionWords = []struct {
	name, plural string
	section      transcript.Section
}{
	{"reasoning", "All reasoning is ", transcript.Thoughts}, {"tools", "All calls are ", transcript.Calls},
	{"diffs", "All changes of files are ", transcript.Diffs}, {"texts", "All long texts are ", transcript.Texts},
}

// foldAlike folds or unfolds all blocks of the marked one's kind.
func (m *Model) foldAlike() tea.Cmd {
	section, fold, ok := m.transcript.FoldAlike()
	if !ok {
		return m.say("There is nothing to fold here.")
	}
	return m.sayFolded(section, fold)
}

func (m *Model) sayFolded(section transcript.Section, fold bool) tea.Cmd {
	how := "unfolded."
	if fold {
		how = "folded."
	}
	for _, w := range sectionWords {
		if w.section == section {
			return m.say(w.plural + how)
		}
	}
	return nil
}

// commandDetails folds or unfolds all blocks of a kind, or says how they are.
func (m *Model) commandDetails(args string) tea.Cmd {
	words := strings.Fields(strings.ToLower(args))
	if len(words) == 0 {
		return m.sayDetails()
	}
	how := ""
	if len(words) > 1 {
		how = words[1]
	}
	fold, known := map[string]bool{"fold": true, "collapsed": true, "unfold": false, "expanded": false}[how]
	for _, w := range sectionWords {
		switch {
		case w.name != words[0]:
		case w.section == transcript.Thoughts && how == "hidden":
			m.showReasoning(false)
			return nil
		case !known && how != "":
			return m.unknownDetails()
		default:
			if !known {
				fold = !m.transcript.SectionFolded(w.section)
			}
			if w.section == transcript.Thoughts && !m.reasoning {
				m.showReasoning(true)
			}
			m.transcript.FoldSection(w.section, fold)
			return m.sayFolded(w.section, fold)
		}
	}
	if words[0] == "all" && (known || how == "") {
		if !known {
			fold = m.clock.folded
		}
		m.clock.folded = !fold
		m.transcript.FoldAll(fold)
		return nil
	}
	return m.unknownDetails()
}

func (m *Model) unknownDetails() tea.Cmd {
	return m.say("/details reasoning, tools, diffs, texts or all, then fold or unfold; reasoning can be hidden, too.")
}

// sayDetails says how each kind of blocks is shown.
func (m *Model) sayDetails() tea.Cmd {
	var list []string
	for _, w := range sectionWords {
		how := "unfolded"
		switch {
		case w.section == transcript.Thoughts && !m.reasoning:
			how = "hidden"
		case m.transcript.SectionFolded(w.section):
			how = "folded"
		}
		list = append(list, w.name+" "+how)
	}
	return m.say(strings.Join(list, ", ") + ": /" + string(slash.Details) + " " + sectionWords[1].name + " unfold changes one.")
}
