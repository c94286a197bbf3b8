package ui

import (
	"io"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/review"
	"hermes-tui/ui/rewind"
	"hermes-tui/ui/status"
	"hermes-tui/ui/status/cells"
	"hermes-tui/ui/term"
)

// reviewing is what the open review is about: a question, or edits that were made.
type reviewing struct {
	window  *review.Window
	request event.RequestID
	made    app.Edits
	conv    app.Conversation
}

// openReview opens a review. One that was closed without being sent goes on.
func (m *Model) openReview(r reviewing, o review.Options) {
	if was := m.reviewed; was.window != nil && was.request == r.request && was.conv == r.conv && was.made.Sum == r.made.Sum && was.made.Since == r.made.Since {
		was.window.SetStyles(m.styles)
		m.show(was.window)
		return
	}
	o.Styles, o.Edits, o.Hints = m.styles, edits, m.reviewHints
	r.window = review.New(o)
	m.reviewed = r
	m.show(r.window)
}

// reviewHints are the reminders of keys in a review.
func (m *Model) reviewHints(list ...keys.Hint) []status.Hint {
	var hints []status.Hint
	for _, h := range list {
		b, ok := m.keys.Binding(h.Action, keys.InReview, keys.InOverlay, keys.InComposer)
		if !ok {
			continue
		}
		if h.Text == "" {
			h.Text = b.Hint
		}
		hints = append(hints, status.Hint{Key: b.Keys[0], Text: h.Text})
	}
	return hints
}

// lookAtEdit opens the review of the edit that a question is about.
func (m *Model) lookAtEdit(q event.Request) tea.Cmd {
	if q.Approval == nil || q.Approval.Edit == nil {
		return nil
	}
	who := "The agent"
	if n := len(q.Path); n > 1 {
		who = "“" + strings.Join(q.Path[1:], " › ") + "”"
	}
	m.openReview(reviewing{request: q.ID}, review.Options{Title: term.Line(who) + " wants to change", Edit: q.Approval.Edit})
	return m.observe(false)
}

// commandReview opens the review of what the newest turn, or the whole session, has changed.
func (m *Model) commandReview(args string) tea.Cmd {
	var since event.TurnID
	switch prompts := rewind.Prompts(m.state); strings.ToLower(args) {
	case "", "turn":
	case "session":
		if len(prompts) > 0 {
			since = prompts[len(prompts)-1].Turn
		}
	default:
		return m.say("/review shows what the newest turn has changed, /review session what the whole session has.")
	}
	return m.openEdits(since)
}

// openEdits opens the review of what a turn, and those after it, have changed; without a
// turn that is the newest.
func (m *Model) openEdits(since event.TurnID) tea.Cmd {
	if since == "" {
		prompts := rewind.Prompts(m.state)
		if len(prompts) == 0 {
			return m.say("Nothing was sent yet.")
		}
		since = prompts[0].Turn
	}
	conv, ctx := m.conv, m.ctx
	return m.do(func() tea.Msg {
		e, err := conv.Edits(ctx, since)
		if err != nil {
			return said(err, "")
		}
		return editsMsg{conv, e}
	})
}

// reviewFrom opens the review of what was changed since the turn of a block.
func (m *Model) reviewFrom(b *event.Block) tea.Cmd {
	if b == nil || b.Turn == "" {
		return m.say("Select a block of a turn first, with up and down.")
	}
	return m.openEdits(b.Turn)
}

// editsMsg brings what agents have changed.
type editsMsg struct {
	conv app.Conversation
	made app.Edits
}

func (msg editsMsg) handle(m *Model) tea.Cmd {
	switch {
	case msg.conv != m.conv:
		return nil
	case msg.made.Edit == nil && len(msg.made.Notes) > 0:
		return m.say(msg.made.Notes[0])
	case msg.made.Edit == nil:
		if p := rewind.Prompts(m.state); len(p) > 0 && p[0].Turn == msg.made.Since {
			return m.say("This turn has changed no file. /review session looks at all of them.")
		}
		return m.say("No file was changed since then.")
	}
	m.openReview(reviewing{made: msg.made, conv: msg.conv}, review.Options{
		Title: m.changedSince(msg.made.Since), Edit: msg.made.Edit, Made: true, Notes: msg.made.Notes,
	})
	return m.observe(false)
}

// sinceCells is how much of a prompt the title of a review shows.
const sinceCells = 30

// changedSince names what a turn, and those after it, have changed.
func (m *Model) changedSince(turn event.TurnID) string {
	for _, b := range rewind.Prompts(m.state) {
		if b.Turn == turn {
			return "Changed since “" + cells.Cut(term.Line(b.Text.String()), sinceCells) + "”"
		}
	}
	return "Changed since then"
}

// onReviewed sends what was decided.
func (m *Model) onReviewed(msg review.Send) tea.Cmd {
	r := m.reviewed
	if msg.Of != r.window {
		return nil
	}
	if r.conv == nil {
		m.show(nil)
		m.reviewed = reviewing{}
		id, a, waits := m.panel.Decide(r.request, event.Answer{Choice: event.ChoiceReview, Review: &msg.Review})
		if !waits {
			return m.say("That question was answered or withdrawn meanwhile.")
		}
		return tea.Batch(m.resolved(id, a, true), m.observe(false))
	}
	ctx := m.ctx
	return m.do(func() tea.Msg {
		text, err := r.conv.Revise(ctx, r.made, msg.Review)
		return revisedMsg{r.window, text, err}
	})
}

// revisedMsg tells what came of a review of edits that were made.
type revisedMsg struct {
	of   *review.Window
	text string
	err  error
}

func (msg revisedMsg) handle(m *Model) tea.Cmd {
	m.dirty = true
	if msg.err != nil {
		if msg.of == m.box {
			msg.of.Say(msg.err.Error())
			return nil
		}
		return m.complain(msg.err)
	}
	if msg.of == m.box {
		m.show(nil)
	}
	m.reviewed = reviewing{}
	return tea.Batch(m.say(msg.text), m.observe(false))
}

// editHunk lets the user write a hunk otherwise in their editor, which has the terminal
// meanwhile. The agents go on.
func (m *Model) editHunk(msg review.Editor) tea.Cmd {
	a, ctx, terminal := m.app, m.ctx, m.terminal
	if terminal == nil || a == nil {
		msg.Of.Say("There is no terminal for an editor.")
		return nil
	}
	return m.lend(func() tea.Msg {
		file, err := a.DraftHunk(filepath.Ext(msg.Name), msg.Text)
		if err != nil {
			return hunkMsg{msg.Of, "", err}
		}
		err = terminal.Lend(func(in io.Reader, out io.Writer, environ []string) error {
			return term.Edit(ctx, in, out, environ, file)
		})
		text, err := a.EditedHunk(file, err)
		return hunkMsg{msg.Of, text, err}
	})
}

// hunkMsg brings what an editor made of a hunk.
type hunkMsg struct {
	of   *review.Window
	text string
	err  error
}

func (msg hunkMsg) handle(m *Model) tea.Cmd { //nolint:unparam // as all messages
	m.dirty = true
	switch {
	case msg.of != m.box:
		return nil
	case msg.err != nil:
		msg.of.Say(msg.err.Error())
	default:
		msg.of.Written(msg.text)
	}
	return nil
}
