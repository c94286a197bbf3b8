package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/status"
)

// openedMsg brings the app and the first conversation.
type openedMsg struct {
	app     *app.App
	conv    app.Conversation
	draft   string
	history []string
	err     error
}

// switchedMsg brings another conversation.
type switchedMsg struct {
	conv  app.Conversation
	draft string
	title string // to give it
	// kept says that the one before goes on; left is what was typed in it.
	kept bool
	left string
	// beside says that it stays open whether or not anything goes on in it.
	beside bool
	err    error
}

// handle takes over the first conversation and what was typed before it was
// there.
func (msg openedMsg) handle(m *Model) tea.Cmd {
	m.app = msg.app
	if msg.err != nil {
		m.fatal = msg.err
		return m.leave()
	}
	for _, h := range msg.history {
		m.composer.Remember(h)
	}
	cmds := []tea.Cmd{m.attach(msg.conv, msg.draft), m.followSettings(), m.commandsDue(), m.offerSetup()}
	if m.recall.IsOpen() {
		cmds = append(cmds, m.readPrompts(0, firstPrompts))
	}
	conv, notices := m.conv, m.o.Notices
	if len(notices) > 0 {
		cmds = append(cmds, m.do(func() tea.Msg {
			for _, n := range notices {
				conv.Notify(event.LevelWarn, n)
			}
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// flushOutbox hands over what was sent before the conversation was there.
func (m *Model) flushOutbox() tea.Cmd {
	outbox, conv, gen := m.outbox, m.conv, m.gen
	if len(outbox) == 0 {
		return nil
	}
	m.outbox = nil
	return m.do(func() tea.Msg {
		msg := submittedMsg{gen: gen}
		for i, o := range outbox {
			id, err := conv.SubmitPasted(o.text, o.typed, o.images...)
			if err != nil {
				msg.draft, msg.images, msg.err = joinDrafts(outbox[i:]), true, err
				break
			}
			msg.ids = append(msg.ids, id)
		}
		return msg
	})
}

// attach shows a conversation.
func (m *Model) attach(c app.Conversation, draft string) tea.Cmd {
	if m.convDone != nil {
		m.convDone()
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.clock.conv, m.convDone = ctx, cancel
	m.gens++
	m.gen = m.gens
	m.conv, m.state, m.dirty = c, c.State(), true
	m.held = len(m.state.Queue) > 0
	m.saved = draft
	kept := draft
	draft = m.composer.Keep(kept)
	if m.gens > 1 {
		m.recall.Close()
	}
	m.swapping, m.images = false, attaching{under: m.images.under}
	switch {
	case draft == "":
	case m.composer.Empty():
		m.composer.SetDraft(draft)
	default: // the user was faster
		m.composer.Remember(draft)
	}
	if m.composer.Kept() == kept {
		m.savedAt = m.composer.Edits()
	}
	m.files = fileList{}
	if root := m.state.Root(); m.glimpsed && root != nil {
		m.transcript.Complete(root.Blocks)
	} else {
		m.endFind()
		m.transcript = m.newTranscript()
	}
	m.detailTranscript, m.rootTranscript, m.glimpsed = m.newTranscript(), nil, false
	m.change(change{step: exchanged})
	m.stopAt, m.tasks = time.Time{}, taskClock{}
	m.sync(m.now())
	m.turnPanel()
	m.setFocus(focusComposer)
	if root := m.state.Root(); root != nil {
		for _, b := range root.Blocks {
			if b.Kind == event.BlockUser && b.Origin == "" {
				m.composer.RememberSent(b.Text.String())
			}
		}
	}
	return tea.Batch(m.pump(ctx), m.observe(false), m.animate(), m.completing(), m.flushOutbox(), m.draftChanged(), m.loadSkills(""), m.aimed(), m.segmentDue())
}

// closeTime is how long a conversation may take to end when another one takes
// its place.
const closeTime = 5 * time.Second

// swap shows another conversation. The one on the screen is ended, unless it has
// something under way: then it goes on unseen. What is typed and sent from now on
// is for the other one.
func (m *Model) swap(title string, begin func(ctx context.Context) (app.Conversation, error)) tea.Cmd {
	return m.exchange(title, false, begin)
}

// exchange is swap; beside keeps the conversation on the screen open in any case.
func (m *Model) exchange(title string, beside bool, begin func(ctx context.Context) (app.Conversation, error)) tea.Cmd {
	if m.conv == nil {
		return nil
	}
	if m.swapping {
		return m.say("One moment: another session is being opened.")
	}
	old, ctx, draft := m.conv, m.ctx, m.composer.Kept()
	m.swapping = true
	m.composer.TakeStash()
	m.composer.Set("")
	return m.do(func() tea.Msg {
		stop, cancel := context.WithTimeout(ctx, closeTime)
		defer cancel()
		if err := old.SaveDraft(stop, draft); err != nil {
			return switchedMsg{left: draft, err: fmt.Errorf("the draft could not be saved: %w", err)}
		}
		next, err := begin(ctx)
		if err != nil {
			return switchedMsg{left: draft, err: err}
		}
		keep := beside || old.Working() // the screen may not have heard of it yet
		if !keep {
			if err := old.Close(stop); err != nil {
				return switchedMsg{conv: next, title: title, err: err}
			}
		}
		saved, _ := next.Draft(ctx)
		return switchedMsg{conv: next, draft: saved, title: title, kept: keep, beside: beside, left: draft}
	})
}

func (msg switchedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if msg.conv == nil {
		return m.stayed(msg)
	}
	m.wanted = ""
	if titleOf(m.state) != "" { // something was said in it
		m.before = string(m.conv.Session())
	}
	if msg.kept {
		m.putAside(msg.left, msg.beside)
	}
	if m.comeBack(msg.conv.ID()) {
		if msg.err != nil {
			return m.fail(msg.err)
		}
		return nil
	}
	cmds := []tea.Cmd{m.attach(msg.conv, msg.draft)}
	if msg.err != nil {
		cmds = append(cmds, m.complain(msg.err))
	}
	if msg.title != "" {
		cmds = append(cmds, m.setTitle(msg.title))
	}
	return tea.Batch(cmds...)
}

// stayed goes on in the conversation that was to be left. What was sent meanwhile
// was for another one: it comes back to be sent again.
func (m *Model) stayed(msg switchedMsg) tea.Cmd {
	m.swapping, m.aim = false, aim{}
	typed := m.composer.Draft()
	msg.left = m.composer.Keep(msg.left)
	if msg.left == "" {
		msg.left, typed = typed, ""
	}
	for _, o := range append(m.outbox, outgoing{draft: typed}) {
		if o.draft != "" {
			m.composer.Remember(o.draft)
		}
	}
	m.outbox = nil
	m.composer.SetDraft(msg.left)
	cmds := []tea.Cmd{m.draftChanged()}
	if held, ok := errors.AsType[*app.HeldError](msg.err); ok {
		m.openHeld(held)
	} else {
		cmds = append(cmds, m.complain(msg.err))
	}
	if o := m.otherOf(m.wanted); o != nil {
		m.wanted = ""
		cmds = append(cmds, m.settle(o))
	}
	m.wanted = ""
	return tea.Batch(cmds...)
}

// complain tells of a failure in the transcript, where its next step has room.
func (m *Model) complain(err error) tea.Cmd { return m.tell(sentence(err)) }

// setTitle names the conversation.
func (m *Model) setTitle(title string) tea.Cmd {
	conv := m.conv
	return m.do(func() tea.Msg {
		if err := conv.SetTitle(title); err != nil {
			return failedMsg{err}
		}
		return nil
	})
}

// titleBytes is how much of a text is looked at for a title, more than any screen
// is wide.
const titleBytes = 4 << 10

// title names the conversation for people: its title, else how it begins.
func (t *talk) title() string { return titleOf(t.state) }

func titleOf(s *event.State) string {
	if s.Title != "" {
		return s.Title
	}
	if root := s.Root(); root != nil {
		for _, b := range root.Blocks {
			if b.Kind == event.BlockUser && b.Origin == "" {
				text := b.Text.Bytes()
				return string(text[:min(len(text), titleBytes)])
			}
		}
	}
	return ""
}

// statusData is what the status row shows now.
func (m *Model) statusData(now time.Time) status.Status {
	d := status.Read(m.state, now)
	d.Others = len(m.others)
	d.Waiting = d.Waiting || m.panel.Active() && !m.busy()
	d.Rate, d.Frame, d.Segment = m.meter.Rate(now), m.clock.frame, m.segment.text
	d.Back = m.panel.Doing() == prompt.Considering
	d.Note, d.Warns = m.note, m.noteWarns
	if m.conv == nil && m.fatal == nil && m.note == "" {
		d.Note = "starting"
	}
	if !m.busy() && !m.held {
		d.Queue = len(m.outbox)
	}
	if l := m.lay; l.panes() || l.summary > 0 && m.agentsHold() {
		d.Full, d.Agents = 0, 0 // they stand there
	}
	if m.w < mediumColumns && m.panelTakes() {
		d.Input, d.Output = 0, 0 // the room is for the keys
	}
	return d
}
