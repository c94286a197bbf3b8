package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rewind"
)

// partMsg asks for what takes the place of the session on the screen, once it is known
// what becomes of files.
type partMsg struct {
	// to is a session; empty goes on in a branch from message, see [Model.fork].
	to, message string
	plan        app.Walk
	err         error
}

// partedMsg says how files are to be left, and then whether they were.
type partedMsg struct {
	partMsg
	way  string // as in [rewindMsg]; rewind.Conversation leaves files as they are
	done bool
}

// openTree lists what began with what this session began with.
func (m *Model) openTree() tea.Cmd {
	if m.conv == nil {
		return m.say("One moment: the session is being opened.")
	}
	return m.openSessionsOf(string(m.conv.Session()), "Branches of this session", keys.Compare)
}

// handle goes to what was chosen of the list. On the way to another branch files may go
// back, too.
func (msg resumeMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	session, block := app.PointOf(msg.session)
	if block != "" {
		m.aim = aim{block: block}
		if session == string(m.conv.Session()) {
			return m.aimed()
		}
		return m.resume(session)
	}
	if !msg.branch || m.busy() || msg.session == string(m.conv.Session()) {
		return m.resume(msg.session)
	}
	a, conv, ctx := m.app, m.conv, m.ctx
	return m.do(func() tea.Msg {
		plan, err := a.PlanWalk(ctx, conv, msg.session)
		return partMsg{msg.session, "", plan, err}
	})
}

// forkHere goes on in a branch that begins at the marked message: before a prompt, which
// comes back to be edited, or behind anything else. Files may go back, too, unless a turn
// runs.
func (m *Model) forkHere() tea.Cmd {
	b := m.transcript.Selected()
	switch {
	case m.view.agent != "":
		return m.say("A branch is made of the session itself: " + m.keyName(keys.Escape) + " goes back to it.")
	case b == nil || b.Message == "" || b.Kind == event.BlockSteer:
		return m.say("Select a prompt, an answer or a call first: the branch begins there.")
	}
	turn, session, message := m.turnBehind(b), string(m.conv.Session()), string(b.Message)
	if turn == "" || m.busy() {
		return m.fork(session, message)
	}
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		plan, err := conv.PlanRewind(ctx, turn)
		return partMsg{"", message, app.Walk{To: turn, Plan: plan}, err}
	})
}

// turnBehind is the turn that begins with a block, or the first one behind it; empty for
// none.
func (m *Model) turnBehind(b *event.Block) event.TurnID {
	blocks := m.state.Root().Blocks
	at := slices.IndexFunc(blocks, func(o *event.Block) bool { return o.ID == b.ID })
	for _, o := range blocks[max(at, 0):] {
		if o.Kind == event.BlockUser && o.Message != "" {
			return o.Turn
		}
	}
	return ""
}

// handle asks about files, if some could go back. What is not known keeps no one.
func (msg partMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil || !msg.plan.Known() {
		return partedMsg{partMsg: msg, way: rewind.Conversation, done: true}.handle(m)
	}
	title, stay, with := "Go there", "Files stay as they are", "Files go back to where the sessions part"
	if msg.to == "" {
		title, with = "Branch here", "Files go back to here"
	}
	p := overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: title, Hints: m.windowHints("choose", nil),
		Chosen: func(it overlay.Item) overlay.Request { return partedMsg{partMsg: msg, way: it.ID} },
	})
	items := []overlay.Item{{ID: rewind.Conversation, Label: stay}, {ID: rewind.Files, Label: with, Detail: rewind.FileWords(msg.plan.Plan)}}
	p.SetItems(p.Load(), append(items, rewind.Planned(msg.plan.Plan, "Files go back")...))
	m.show(p)
	return m.dispatch(p.Search())
}

// handle puts files back, and goes on.
func (msg partedMsg) handle(m *Model) tea.Cmd {
	m.show(nil)
	if !msg.done && msg.way != rewind.Conversation {
		o := app.RewindOptions{To: msg.plan.To, Files: true, Doubtful: msg.way == rewind.Doubtful, Overwrite: msg.way == rewind.Overwrite}
		conv, ctx := m.conv, m.ctx
		return m.do(func() tea.Msg {
			if _, err := conv.Rewind(ctx, o); err != nil {
				return failedMsg{err}
			}
			return partedMsg{msg.partMsg, msg.way, true}
		})
	}
	if msg.to == "" {
		return m.fork(string(m.conv.Session()), msg.message)
	}
	m.aim = aim{walked: msg.way != rewind.Conversation}
	return m.resume(msg.to)
}

// arrived says what became of files when the session that is shown now was left for
// another branch. Who has taken files along brings them back.
func (m *Model) arrived(walked bool) tea.Cmd {
	root := m.state.Root()
	if root == nil || root.Rewind == nil || root.Rewind.From != "" || root.Rewind.Snapshot == "" {
		return nil
	}
	if walked {
		return rewind.Redo(slot{m}, "")
	}
	return m.say("Files of this session were put back when it was left: /redo brings them again.")
}

// fork goes on in a branch of a session: from one of its messages, or its end.
func (m *Model) fork(session, message string) tea.Cmd {
	a := m.app
	m.aim = aim{forked: true}
	return m.swap("", func(ctx context.Context) (app.Conversation, error) {
		branch, err := a.Fork(ctx, session, message)
		if err != nil {
			return nil, err
		}
		return a.Resume(ctx, branch)
	})
}

// aim is what is to be shown of a session that is gone to: a message or a block of it.
// Without one it is its end.
type aim struct {
	message event.MessageID
	block   event.BlockID
	walked  bool // files are taken along
	forked  bool // it has just been made, as a branch
}

// aimed shows what was looked for.
func (m *Model) aimed() tea.Cmd {
	want := m.aim
	m.aim = aim{}
	if want.forked {
		return m.say("You are in a branch: the session stays as it is, and /tree shows both.")
	}
	root := m.state.Root()
	if root == nil || want.message == "" && want.block == "" {
		return m.arrived(want.walked)
	}
	m.demote()
	for _, b := range root.Blocks {
		if (b.Message == want.message && want.message != "" || b.ID == want.block && want.block != "") && m.transcript.Show(b.ID) {
			m.setFocus(focusTranscript)
			m.dirty = true
			return nil
		}
	}
	return m.say("That message is no longer part of this session: it was taken back, or shortened away.")
}
