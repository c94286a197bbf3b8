package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/slash"
	"hermes-tui/ui/transcript"
)

// submittedMsg tells how inputs were taken. draft is what comes back when one was not.
type submittedMsg struct {
	gen    int
	ids    []event.InputID // what was taken
	draft  string
	images bool // it came with some
	err    error
}

// outgoing is what was sent before its conversation was there.
type outgoing struct {
	draft, text, typed string
	images             []event.Attachment
}

// joinDrafts puts drafts together that come back to be sent again.
func joinDrafts(list []outgoing) string {
	all := make([]string, len(list))
	for i, o := range list {
		all[i] = o.draft
	}
	return strings.Join(all, "\n")
}

// unqueuedMsg brings back a text that was queued.
type unqueuedMsg struct {
	text   string
	images []event.Attachment
	ok     bool
}

// busy reports whether a turn of the root runs.
func (t *talk) busy() bool {
	root := t.state.Root()
	return root != nil && root.Turn != ""
}

// send sends the draft, runs it as a command, or sends what waits when the draft
// is empty.
func (m *Model) send() tea.Cmd {
	text := m.composer.Value()
	if strings.TrimSpace(text) == "" {
		return m.sendNext()
	}
	if m.typed() {
		return m.runTyped()
	}
	if c, behind := strings.CutPrefix(text, m.takenBack); behind && walks(c) {
		text = c // another one, typed behind the prompt that the one before brought back
	}
	if slash.IsCommand(text) {
		return m.command(text)
	}
	if m.repliesTo(text) {
		return m.unsent(text)
	}
	return m.sendNow(false)
}

// walks reports whether a text is a command that takes prompts back or brings them again.
func walks(text string) bool {
	c, _, err := slash.Parse(text)
	return err == nil && (c.Name == slash.Undo || c.Name == slash.Redo)
}

// sendNow sends the draft, as soon as the images are there that it names. steer says
// that the user wants it to steer the running turn.
func (m *Model) sendNow(steer bool) tea.Cmd {
	if strings.TrimSpace(m.composer.Value()) == "" {
		return nil
	}
	if cmd, waits := m.fills(steer); waits {
		return cmd
	}
	read := m.attachTyped()
	if m.images.under > 0 {
		m.images.sending, m.images.steering = true, steer
		return read
	}
	m.images.typed = nil
	shows := len(m.composer.Images()) > 0
	if a := m.main(); a != nil && a.Parent != "" {
		if shows {
			return m.tell("Images go to the main agent only: take them out, or go back to it.")
		}
		return m.sayTo(a)
	}
	steer = m.busy() && (steer || m.o.Settings.Busy == "steer")
	if steer && shows {
		return tea.Batch(m.submit(m.takeDraft(), false), m.say("Images cannot steer a running turn: the message waits for a turn of its own."))
	}
	return m.submit(m.takeDraft(), steer)
}

// takeDraft empties the composer and returns what was in it.
func (m *Model) takeDraft() string {
	draft := m.composer.Draft()
	m.composer.Remember(draft)
	return draft
}

// submit hands the draft over. It leaves the composer at once and comes back if
// it was not taken.
func (m *Model) submit(draft string, steer bool) tea.Cmd {
	text, typed, images := m.composer.Value(), m.composer.Typed(), m.composer.Images()
	m.composer.Set("")
	m.pace.sent()
	m.transcript.Select(transcript.MoveNone)
	m.transcript.Bottom()
	m.note, m.stopAt = "", time.Time{}
	if m.conv == nil || m.swapping {
		m.outbox = append(m.outbox, outgoing{draft, text, typed, images})
		return nil
	}
	conv, gen, a := m.conv, m.gen, m.app
	interrupt := m.busy() && m.o.Settings.Busy == "interrupt"
	m.held = false
	return m.do(func() tea.Msg {
		send := func() (event.InputID, error) { return conv.SubmitPasted(text, typed, images...) }
		if steer {
			send = func() (event.InputID, error) { return conv.SteerPasted(conv.Root(), text, typed) }
		}
		a.Remember(draft) // before it is stored: a store that refuses may outlast the program
		id, err := send()
		if err == nil && interrupt {
			conv.Interrupt(conv.Root(), app.Self)
			conv.Flush()
		}
		msg := submittedMsg{gen: gen, draft: draft, images: len(images) > 0, err: err}
		if err == nil {
			msg.ids = append(msg.ids, id)
		}
		return msg
	})
}

func (msg submittedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if msg.gen == m.gen {
		for _, id := range msg.ids {
			m.probe.sent(id)
		}
	}
	if msg.err == nil {
		return m.keepStash()
	}
	if m.composer.Empty() {
		m.composer.SetDraft(msg.draft)
	}
	if msg.images {
		return tea.Batch(m.tell(sentence(msg.err)), m.draftChanged())
	}
	return m.fail(msg.err)
}

// steer hands the draft to the running turn.
func (m *Model) steer() tea.Cmd {
	if strings.TrimSpace(m.composer.Value()) == "" {
		return m.say(joined("; ", "Write something first", m.press(keys.Steer, keys.InComposer, "hands it to the running turn")) + ".")
	}
	return m.sendNow(true)
}

// doubleEnter is how soon enter has to be pressed again, on an empty draft, to interrupt
// the turn for what waits.
const doubleEnter = 450 * time.Millisecond

// sendNext sends what waits: after an interrupt or a resume at once; while a turn runs
// enter has to be pressed twice, which interrupts that.
func (m *Model) sendNext() tea.Cmd {
	if !m.busy() || m.conv == nil || len(m.state.Queue) == 0 {
		return m.flush()
	}
	now := m.now()
	if first := m.enterAt; now.Sub(first) < doubleEnter {
		m.enterAt, m.held, m.probe.stopping = time.Time{}, false, true
		conv := m.conv
		return m.do(func() tea.Msg {
			conv.Interrupt(conv.Root(), app.Self)
			conv.Flush()
			return nil
		})
	}
	m.enterAt = now
	return m.say(m.press(keys.Send, keys.InComposer, "twice, quickly, interrupts the turn and sends what waits."))
}

// flush sends what waits after an interrupt or a resume.
func (m *Model) flush() tea.Cmd {
	if m.conv == nil || len(m.state.Queue) == 0 || !m.held {
		return nil
	}
	m.held = false
	conv := m.conv
	return m.do(func() tea.Msg { conv.Flush(); return nil })
}

// takeBack brings a queued text back into the composer.
func (m *Model) takeBack(id event.InputID) tea.Cmd {
	conv, images := m.conv, m.queuedImages(id)
	return m.do(func() tea.Msg {
		text, ok := conv.Unqueue(id)
		return unqueuedMsg{text, images, ok}
	})
}

// queuedImages are the images of a text that waits.
func (t *talk) queuedImages(id event.InputID) []event.Attachment {
	for _, q := range t.state.Queue {
		if q.ID == id {
			return q.Images
		}
	}
	return nil
}

func (msg unqueuedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if !msg.ok {
		return m.say("That message is on its way already.")
	}
	before := !m.composer.Empty()
	if before {
		m.composer.Do(composer.BufferStart)
	}
	m.composer.InsertWithImages(msg.text, msg.images)
	if before {
		m.composer.Insert("\n")
	}
	return nil
}

// interrupt stops the running turn.
func (m *Model) interrupt() tea.Cmd {
	if m.conv == nil {
		return nil
	}
	m.held, m.probe.stopping = len(m.state.Queue) > 0, m.busy()
	conv := m.conv
	return m.do(func() tea.Msg { conv.Interrupt(conv.Root(), app.Self); return nil })
}

// draftMsg is due when the draft may be stored.
type draftMsg struct{}

// savedMsg tells that a draft was stored.
type savedMsg struct {
	gen   int
	draft string
	edits uint64 // up to which of its changes
	err   error
}

// draftEvery is how old the stored draft may be while one is typed.
const draftEvery = 200 * time.Millisecond

// draftChanged has the draft stored soon, together with what is typed until then.
func (m *Model) draftChanged() tea.Cmd {
	if m.draftDue || m.conv == nil || m.swapping || m.composer.Edits() == m.savedAt {
		return nil
	}
	m.draftDue = true
	return m.after(draftEvery, func() tea.Msg { return draftMsg{} })
}

func (draftMsg) handle(m *Model) tea.Cmd {
	draft, edits := m.composer.Kept(), m.composer.Edits()
	if draft == m.saved {
		m.savedAt = edits
	}
	if m.conv == nil || m.swapping || draft == m.saved {
		m.draftDue = false
		return nil
	}
	conv, ctx, pump := m.conv, m.ctx, m.gen
	return m.do(func() tea.Msg { return savedMsg{pump, draft, edits, conv.SaveDraft(ctx, draft)} })
}

func (msg savedMsg) handle(m *Model) tea.Cmd {
	m.draftDue = false
	if msg.err != nil {
		return nil // the next change tries again
	}
	if msg.gen == m.gen {
		m.saved, m.savedAt = msg.draft, msg.edits
	}
	return m.draftChanged()
}
