// Package rewind holds the windows in which the user goes back: to before an earlier prompt, with the
// session, files or both, and forward again.
package rewind

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
	"hermes-tui/ui/host"
	"hermes-tui/ui/overlay"
)

// The ways to go back, as entries of a picker: Doubtful also restores files that may be someone
// else's work, Overwrite all that can be.
const (
	Both         = "both"
	Conversation = "conversation"
	Files        = "files"
	Doubtful     = "doubtful"
	Overwrite    = "overwrite"
)

// planMsg brings what going back would do to files.
type planMsg struct {
	picker *overlay.Picker
	gen    uint64
	plan   api.RewindPlan
	err    error
}

// BackTo asks how to go back to a turn, rewindMsg to go back.
type (
	BackTo    struct{ Turn event.TurnID }
	rewindMsg struct {
		turn event.TurnID
		way  string
	}
)

// rewoundMsg tells what came of going back.
type rewoundMsg struct {
	conv api.Conversation
	done api.Rewound
	text bool // the prompt comes back to be edited
	err  error
}

// Command opens the list of prompts, or undoes the newest rewind.
func Command(h host.Host, args string) tea.Cmd {
	switch strings.ToLower(args) {
	case "":
		return Open(h)
	case "undo":
		return Redo(h, "")
	}
	return h.Say("/rewind opens the list of prompts, /rewind undo takes the newest rewind back.")
}

// steps reads how many prompts a command is about.
func steps(args string) (n int, ok bool) {
	if args == "" {
		return 1, true
	}
	n, err := strconv.Atoi(args)
	return n, err == nil && n > 0
}

// Undo goes back to before the newest prompt, or so many: the session, and the
// files as far as no one else has changed them.
func Undo(h host.Host, args string) tea.Cmd {
	n, ok := steps(args)
	if !ok {
		return h.Say("/undo takes your newest prompt back, /undo 3 the newest three.")
	}
	list := Prompts(h.State())
	if len(list) == 0 {
		return h.Say("There is no prompt to take back.")
	}
	return h.Dispatch(rewindMsg{list[min(n, len(list))-1].Turn, Both})
}

// Redo brings back what was taken back last, or so often.
func Redo(h host.Host, args string) tea.Cmd {
	n, ok := steps(args)
	if !ok {
		return h.Say("/redo brings back what was taken back last, /redo 3 does so three times.")
	}
	conv, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg {
		for done := range n {
			err := conv.UndoRewind(ctx)
			if errors.Is(err, api.ErrNothingToUndo) && done > 0 {
				break
			}
			if err != nil {
				return host.Outcome(err, "")
			}
		}
		return nil
	})
}

// Prompts returns the user's prompts, the newest first.
func Prompts(s *event.State) []*event.Block {
	root := s.Root()
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

// Open lists the prompts to go back to.
func Open(h host.Host) tea.Cmd {
	p := overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: "Go back to before", Empty: "Nothing was sent yet.", Hints: h.WindowHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request { return BackTo{event.TurnID(it.ID)} },
	})
	now := h.Now()
	var items []overlay.Item
	for _, b := range Prompts(h.State()) {
		items = append(items, overlay.Item{ID: string(b.Turn), Label: host.StartOf(b), Right: format.Ago(now.Sub(b.At))})
	}
	p.SetItems(p.Load(), items)
	h.Show(p)
	return h.Dispatch(p.Search())
}

// Handle asks what is to go back, once it is known what that would do.
func (msg BackTo) Handle(h host.Host) tea.Cmd {
	turn := msg.Turn
	p := overlay.NewPicker(h.Styles(), overlay.PickerOptions{
		Title: "What goes back", Hints: h.WindowHints("choose"),
		Chosen: func(it overlay.Item) overlay.Request { return rewindMsg{turn, it.ID} },
	})
	gen := p.Load()
	h.Show(p)
	conv, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg {
		plan, err := conv.PlanRewind(ctx, turn)
		return planMsg{p, gen, plan, err}
	})
}

func (msg planMsg) Handle(h host.Host) tea.Cmd {
	if h.Box() != msg.picker {
		return nil
	}
	h.Redraw()
	msg.picker.SetItems(msg.gen, Ways(msg.plan, msg.err))
	return h.Dispatch(msg.picker.Search())
}

// Ways returns the entries to choose from for a plan.
func Ways(plan api.RewindPlan, err error) []overlay.Item {
	files, none := FileWords(plan), ""
	switch {
	case err != nil:
		files, none = "", err.Error()
	case len(plan.Restored)+len(plan.Doubtful)+len(plan.Conflicts) == 0:
		none = "no watched file was changed since"
	}
	items := []overlay.Item{
		{ID: Both, Label: "Session and files", Detail: files, Disabled: none},
		{ID: Conversation, Label: "Session only", Detail: "files stay as they are"},
		{ID: Files, Label: "Files only", Detail: files, Disabled: none},
	}
	if none != "" { // what can be chosen comes first
		items[0], items[1] = items[1], items[0]
	}
	return append(items, Planned(plan, "Both")...)
}

// Planned returns the entries for what is in doubt or was changed by others, which what names,
// and what a plan does to each file.
func Planned(plan api.RewindPlan, what string) (items []overlay.Item) {
	if len(plan.Doubtful) > 0 {
		items = append(items, overlay.Item{ID: Doubtful, Label: what + ", with what may be someone else's", Detail: fileNames(plan.Doubtful)})
	}
	if len(plan.Conflicts) > 0 {
		items = append(items, overlay.Item{ID: Overwrite, Label: what + ", replacing changes of others", Detail: fileNames(slices.Concat(plan.Doubtful, plan.Conflicts))})
	}
	for _, group := range []struct {
		title string
		list  []api.RewoundFile
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

// FileWords counts the files of a plan.
func FileWords(plan api.RewindPlan) string {
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

func fileNames(list []api.RewoundFile) string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Path
	}
	return strings.Join(names, ", ")
}

// Handle goes back.
func (msg rewindMsg) Handle(h host.Host) tea.Cmd {
	h.Show(nil)
	way := msg.way
	o := api.RewindOptions{
		To: msg.turn, Conversation: way != Files, Files: way != Conversation,
		Doubtful: way == Doubtful, Overwrite: way == Overwrite,
	}
	conv, ctx := h.Conv(), h.Context()
	return h.Do(func() tea.Msg {
		done, err := conv.Rewind(ctx, o)
		return rewoundMsg{conv, done, o.Conversation, err}
	})
}

// Handle brings the prompt back to be edited.
func (msg rewoundMsg) Handle(h host.Host) tea.Cmd {
	h.Hold() // what a rewind has stopped must not go on by itself
	if msg.err != nil {
		return h.Complain(msg.err)
	}
	if msg.text && msg.conv == h.Conv() {
		return h.PutBack(msg.done.Text, msg.done.Images)
	}
	return nil
}
