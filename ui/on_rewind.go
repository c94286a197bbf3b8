package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// The ways to go back, as entries of a picker.
const (
	backBoth         = "both"
	backConversation = "conversation"
	backFiles        = "files"
	backDoubtful     = "doubtful"
	backOverwrite    = "overwrite"
)

// planMsg brings what going back would do to files.
type planMsg struct {
	picker *overlay.Picker
	gen    uint64
	plan   app.RewindPlan
	err    error
}

// backToMsg asks how to go back to a turn, rewindMsg to go back.
type (
	backToMsg struct{ turn event.TurnID }
	rewindMsg struct {
		turn event.TurnID
		way  string
	}
)

// rewoundMsg tells what came of going back.
type rewoundMsg struct {
	gen  int
	done app.Rewound
	text bool // the prompt comes back to be edited
	err  error
}

// commandRewind opens the list of prompts, or undoes the newest rewind.
func (m *Model) commandRewind(args string) tea.Cmd {
	switch strings.ToLower(args) {
	case "":
		return m.openPrompts()
	case "undo":
		return m.commandRedo("")
	}
	return m.say("/rewind opens the list of prompts, /rewind undo takes the newest rewind back.")
}

// steps reads how many prompts a command is about.
func steps(args string) (n int, ok bool) {
	if args == "" {
		return 1, true
	}
	n, err := strconv.Atoi(args)
	return n, err == nil && n > 0
}

// commandUndo goes back to before the newest prompt, or so many: the session, and the
// files as far as no one else has changed them.
func (m *Model) commandUndo(args string) tea.Cmd {
	n, ok := steps(args)
	if !ok {
		return m.say("/undo takes your newest prompt back, /undo 3 the newest three.")
	}
	list := m.prompts()
	if len(list) == 0 {
		return m.say("There is no prompt to take back.")
	}
	return m.dispatch(rewindMsg{list[min(n, len(list))-1].Turn, backBoth})
}

// commandRedo brings back what was taken back last, or so often.
func (m *Model) commandRedo(args string) tea.Cmd {
	n, ok := steps(args)
	if !ok {
		return m.say("/redo brings back what was taken back last, /redo 3 does so three times.")
	}
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		for done := range n {
			err := conv.UndoRewind(ctx)
			if errors.Is(err, app.ErrNothingToUndo) && done > 0 {
				break
			}
			if err != nil {
				return failedMsg{err}
			}
		}
		return nil
	})
}

// prompts are the user's prompts, the newest first.
func (t *talk) prompts() []*event.Block {
	root := t.state.Root()
	if root == nil {
		return nil
	}
	var list []*event.Block
	for _, b := range slices.Backward(root.Blocks) {
		if b.Kind == event.BlockUser && b.Origin == "" && b.Message != "" {
			list = append(list, b)
		}
	}
	return list
}

// openPrompts lists the prompts to go back to.
func (m *Model) openPrompts() tea.Cmd {
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Go back to before", Empty: "Nothing was sent yet.", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return backToMsg{event.TurnID(it.ID)} },
	})
	now := m.now()
	var items []overlay.Item
	for _, b := range m.prompts() {
		text := b.Text.Bytes()
		items = append(items, overlay.Item{ID: string(b.Turn), Label: string(text[:min(len(text), titleBytes)]), Right: format.Ago(now.Sub(b.At))})
	}
	p.SetItems(p.Load(), items)
	m.show(p)
	return m.dispatch(p.Search())
}

// handle asks what is to go back, once it is known what that would do.
func (msg backToMsg) handle(m *Model) tea.Cmd {
	turn := msg.turn
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "What goes back", Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return rewindMsg{turn, it.ID} },
	})
	gen := p.Load()
	m.show(p)
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		plan, err := conv.PlanRewind(ctx, turn)
		return planMsg{p, gen, plan, err}
	})
}

func (msg planMsg) handle(m *Model) tea.Cmd {
	if m.box != msg.picker {
		return nil
	}
	m.dirty = true
	msg.picker.SetItems(msg.gen, ways(msg.plan, msg.err))
	return m.dispatch(msg.picker.Search())
}

// ways are the entries to choose from for a plan.
func ways(plan app.RewindPlan, err error) []overlay.Item {
	files, none := fileWords(plan), ""
	switch {
	case err != nil:
		files, none = "", err.Error()
	case len(plan.Restored)+len(plan.Doubtful)+len(plan.Conflicts) == 0:
		none = "no watched file was changed since"
	}
	items := []overlay.Item{
		{ID: backBoth, Label: "Session and files", Detail: files, Disabled: none},
		{ID: backConversation, Label: "Session only", Detail: "files stay as they are"},
		{ID: backFiles, Label: "Files only", Detail: files, Disabled: none},
	}
	if none != "" { // what can be chosen comes first
		items[0], items[1] = items[1], items[0]
	}
	return append(items, planned(plan, "Both")...)
}

// planned are the entries for what is in doubt or was changed by others, which what names,
// and what a plan does to each file.
func planned(plan app.RewindPlan, what string) (items []overlay.Item) {
	if len(plan.Doubtful) > 0 {
		items = append(items, overlay.Item{ID: backDoubtful, Label: what + ", with what may be someone else's", Detail: fileNames(plan.Doubtful)})
	}
	if len(plan.Conflicts) > 0 {
		items = append(items, overlay.Item{ID: backOverwrite, Label: what + ", replacing changes of others", Detail: fileNames(slices.Concat(plan.Doubtful, plan.Conflicts))})
	}
	for _, group := range []struct {
		title string
		list  []app.RewoundFile
	}{{"What is done to files", plan.Restored}, {"May be someone else's work, left alone", plan.Doubtful}, {"Changed by someone else, left alone", plan.Conflicts}, {"Cannot be put back", plan.Impossible}} {
		for _, f := range group.list[:min(len(group.list), maxListed)] {
			note := f.Note
			if note == "" {
				note = "changed" // an entry without a reason could be chosen
			}
			items = append(items, overlay.Item{ID: "file\x00" + f.Path, Label: f.Path, Group: group.title, Disabled: note})
		}
	}
	for _, what := range plan.Unwatched {
		items = append(items, overlay.Item{ID: "unwatched\x00" + what, Label: what, Group: "Not watched, left as they are", Disabled: "unknown"})
	}
	return items
}

// maxListed is how many files of each kind a plan lists.
const maxListed = 200

// fileWords counts the files of a plan.
func fileWords(plan app.RewindPlan) string {
	var parts []string
	for _, n := range []struct {
		n    int
		what string
	}{{len(plan.Restored), "put back"}, {len(plan.Doubtful), "in doubt"}, {len(plan.Conflicts), "changed by others"}, {len(plan.Impossible), "cannot be put back"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.n, n.what))
		}
	}
	return strings.Join(parts, ", ")
}

func fileNames(list []app.RewoundFile) string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Path
	}
	return strings.Join(names, ", ")
}

// handle goes back.
func (msg rewindMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	way := msg.way
	o := app.RewindOptions{
		To: msg.turn, Conversation: way != backFiles, Files: way != backConversation,
		Doubtful: way == backDoubtful, Overwrite: way == backOverwrite,
	}
	conv, ctx, pump := m.conv, m.ctx, m.gen
	return m.do(func() tea.Msg {
		done, err := conv.Rewind(ctx, o)
		return rewoundMsg{pump, done, o.Conversation, err}
	})
}

// handle brings the prompt back to be edited.
func (msg rewoundMsg) handle(m *Model) tea.Cmd {
	m.held = true // what a rewind has stopped must not go on by itself
	m.dirty = true
	if msg.err != nil {
		return m.complain(msg.err)
	}
	if msg.text && msg.gen == m.gen {
		if !m.composer.Empty() {
			m.composer.Remember(m.composer.Draft())
		}
		m.composer.Set("")
		m.composer.InsertWithImages(msg.done.Text, msg.done.Images)
		m.takenBack = m.composer.Value()
		m.setFocus(focusComposer)
	}
	return m.draftChanged()
}

// escapeIdle opens the list of prompts when escape is pressed twice with nothing
// to close, to stop or to write.
func (m *Model) escapeIdle() tea.Cmd {
	if m.conv == nil || !m.composer.Empty() || len(m.prompts()) == 0 {
		return nil
	}
	cmd, second := m.twice("rewind", "Press "+m.keyName(keys.Escape)+" again to go back to an earlier prompt.")
	if second {
		return m.openPrompts()
	}
	return cmd
}
