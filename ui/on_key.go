package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/event"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/rewind"
	"hermes-tui/ui/term"
	"hermes-tui/ui/transcript"
)

// onKey sends a key to whatever takes it: an open window, an armed question, the
// completion menu, the region with the focus, and last what works anywhere.
func (m *Model) onKey(k tea.KeyPressMsg) tea.Cmd {
	if m.lending {
		return nil
	}
	if m.doubled(k) {
		k.Mod = 0
		return tea.Batch(m.onKey(k), m.onKey(k))
	}
	m.dirty = true
	m.lastKey = m.now()
	m.pace.typed(m.pace.now())
	waits := m.repeat
	cmd := m.key(k)
	if waits == m.repeat {
		m.once() // the key was another one
	}
	return tea.Batch(cmd, m.mentioned(k.Text), m.observe(true), m.completing(), m.draftChanged())
}

// doubled reports whether a key is escape pressed twice: what arrives together reads
// like escape with alt.
func (m *Model) doubled(k tea.KeyPressMsg) bool {
	if k.Code != tea.KeyEscape || k.Mod != tea.ModAlt {
		return false
	}
	_, bound := m.keys.Find(k.String(), m.focused().context, keys.Anywhere)
	return !bound
}

func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	switch {
	case m.panel.Active() && tooSmall(m.w, m.h):
		return m.blindKey(key)
	case m.box == nil && m.swallows(key, k.Text):
		return m.warn("What you typed was dropped. " + m.late.why)
	case !m.pickedAt.IsZero() && m.confirms(key):
		return nil
	case m.reachesPanel(key):
		m.setFocus(focusComposer)
		m.panel.Arm()
		return nil
	case m.box != nil:
		cmd := m.boxKey(key, k.Text)
		m.hintTimeline()
		return cmd
	}
	if cmd, done := m.numberKey(key); done {
		return cmd
	}
	if cmd, taken := m.selectionKey(key); taken {
		return cmd
	}
	switch {
	case m.focus == focusSide && m.agents.Steering():
		return m.steerKey(key, k.Text)
	case m.panelTakes():
		return m.panelKey(key, k.Text)
	case m.typesQuery():
		return m.findKey(key, k.Text)
	case m.recall.IsOpen():
		if m.recallKey(key, k.Text) {
			return nil
		}
	case m.composer.MenuOpen() && m.focus == focusComposer:
		if a, ok := m.keys.Find(key, keys.InMenu); ok && !m.guesses(key, a) {
			return m.menuAct(a)
		}
	}
	if m.focus == focusComposer && !m.composer.MenuOpen() && m.composer.VimKey(key, k.Text) {
		return nil
	}
	if m.foldSection(key) {
		return nil
	}
	a, ok := m.keys.Find(key, m.focused().context, keys.Anywhere)
	if written := k.Text != "" && m.focus == focusComposer && !m.composer.Empty(); ok && !(a == keys.Help && written) {
		if cmd, taken := m.act(a); taken {
			return cmd
		}
	}
	if k.Text != "" {
		m.insert(k.Text)
	}
	return nil
}

// insert puts text at the cursor of the draft, which gets the keys.
func (m *Model) insert(text string) {
	if m.focus != focusComposer {
		m.setFocus(focusComposer)
	}
	m.composer.Insert(text)
}

// act carries out an action of the region with the focus, or one that works
// anywhere. It returns false when the key is text after all.
func (m *Model) act(a keys.Action) (tea.Cmd, bool) {
	switch {
	case m.focus == focusGrid && (a == keys.PageUp || a == keys.PageDown):
		return m.actGridKey(a), true
	case m.focus == focusSide && m.view.detail && m.scrollDetail(a):
		return nil, true
	}
	if cmd, ok := m.actAnywhere(a); ok {
		return cmd, true
	}
	return m.focused().act(a)
}

// actAnywhere carries out what does not depend on the focus.
func (m *Model) actAnywhere(a keys.Action) (tea.Cmd, bool) {
	switch a {
	case keys.Escape:
		return m.escape(), true
	case keys.Cancel:
		return m.cancelKey(), true
	case keys.Quit:
		if !m.composer.Empty() {
			return m.say(joined(", ", "Send or clear the draft first", m.press(a, keys.Anywhere, "quits then")) + "."), true
		}
		return m.askToLeave(), true
	case keys.Mode:
		return m.nextMode(), true
	case keys.FocusNext:
		m.focusNext()
	case keys.Side:
		m.toggleSide()
	case keys.Sessions:
		if m.conv == nil {
			return nil, true
		}
		return m.openSessions(), true
	case keys.NextSession:
		return m.nextSession(), true
	case keys.Mouse:
		return m.releaseMouse(), true
	case keys.Redraw:
		if m.terminal != nil {
			m.terminal.Redraw()
		}
	case keys.Suspend:
		if m.terminal != nil {
			m.terminal.Suspend()
		}
	case keys.PageUp:
		m.transcript.PageUp()
	case keys.PageDown:
		m.transcript.PageDown()
	case keys.TurnPrev:
		m.transcript.TurnPrev()
	case keys.TurnNext:
		m.transcript.TurnNext()
	case keys.FoldAll:
		m.clock.folded = !m.clock.folded
		m.transcript.FoldAll(!m.clock.folded)
	case keys.Help:
		m.openHelp()
	case keys.Palette:
		return m.openPalette(), true
	case keys.Find:
		m.openFind()
	case keys.Prompts:
		return m.openJumps(), true
	case keys.Top:
		if m.focus == focusSide {
			return nil, true
		}
		m.transcript.Top()
	case keys.Bottom:
		if m.focus == focusSide {
			return nil, true
		}
		m.transcript.Bottom()
	default:
		return nil, false
	}
	return nil, true
}

// edits are the actions of the composer that are the same for any text that is
// being typed.
var edits = map[keys.Action]composer.Action{
	keys.Left: composer.Left, keys.Right: composer.Right, keys.WordLeft: composer.WordLeft, keys.WordRight: composer.WordRight,
	keys.Home: composer.Home, keys.End: composer.End, keys.BufferStart: composer.BufferStart, keys.BufferEnd: composer.BufferEnd,
	keys.Backspace: composer.Backspace, keys.Delete: composer.Delete, keys.DeleteWordL: composer.DeleteWordLeft,
	keys.DeleteWordR: composer.DeleteWordRight, keys.KillEnd: composer.KillToEnd, keys.KillStart: composer.KillToStart,
	keys.Yank: composer.Yank, keys.Undo: composer.Undo, keys.Redo: composer.Redo,
}

// actComposer carries out an action of the composer.
func (m *Model) actComposer(a keys.Action) (tea.Cmd, bool) {
	if e, ok := edits[a]; ok {
		m.composer.Do(e)
		return nil, true
	}
	switch a {
	case keys.Send:
		return m.send(), true
	case keys.Steer:
		return m.steer(), true
	case keys.Newline:
		m.composer.Do(composer.Newline)
	case keys.Expand:
		m.composer.Do(composer.ExpandChip)
	case keys.PasteImage:
		return m.attachClipboard(), true
	case keys.Editor:
		return m.editDraft(), true
	case keys.Stash:
		return m.stash(), true
	case keys.Recall:
		return m.openRecall(), true
	case keys.Complete:
		switch {
		case m.panel.Active():
			m.panel.Arm()
		case m.composer.AskPath():
		}
	case keys.Up:
		return m.up(), true
	case keys.Down:
		if !m.composer.Do(composer.Down) {
			m.composer.HistoryNext()
		}
	default:
		return nil, false
	}
	return nil, true
}

// up moves up in the draft, then takes back what is queued, then recalls earlier
// drafts.
func (m *Model) up() tea.Cmd {
	if m.composer.Do(composer.Up) {
		return nil
	}
	if m.composer.Empty() {
		if cmd, taken := m.upToQueue(); taken {
			return cmd
		}
	}
	m.composer.HistoryPrev()
	return nil
}

// actTranscript carries out an action of the transcript.
func (m *Model) actTranscript(a keys.Action) tea.Cmd {
	if m.conv == nil && (a == keys.Open || a == keys.Fork || a == keys.Review) {
		return m.say("One moment: the session is being opened.")
	}
	switch a {
	case keys.Up:
		m.transcript.Select(transcript.MovePrev)
	case keys.Down:
		m.transcript.Select(transcript.MoveNext)
	case keys.Fold:
		m.transcript.ToggleFold()
	case keys.Open:
		return m.openBlock(m.transcript.Selected())
	case keys.SelectText:
		return m.selectText()
	case keys.Times:
		m.showTimes(!m.times)
	case keys.Copy:
		return m.copy(m.transcript.CopyText())
	case keys.CopyCode:
		return m.copyCode()
	case keys.CopyOutput:
		return m.copyOutput()
	case keys.Editor:
		return m.showBlock()
	case keys.FoldAlike:
		return m.foldAlike()
	case keys.Bookmark:
		return m.toggleBookmark()
	case keys.NextBookmark, keys.PrevBookmark:
		return m.nextBookmark(a == keys.PrevBookmark)
	case keys.Bookmarks:
		return m.openBookmarks()
	case keys.Fork:
		return m.forkHere()
	case keys.Review:
		return m.reviewFrom(m.transcript.Selected())
	case keys.FindNext, keys.FindPrev:
		return m.findNext(a == keys.FindPrev)
	}
	return nil
}

// scrollDetail scrolls what is shown of the marked agent. It reports false for
// another action.
func (m *Model) scrollDetail(a keys.Action) bool {
	switch a {
	case keys.PageUp:
		m.detail.PageUp()
	case keys.PageDown:
		m.detail.PageDown()
	case keys.Top:
		m.detail.Top()
	case keys.Bottom:
		m.detail.Bottom()
	default:
		return false
	}
	return true
}

func (m *Model) menuAct(a keys.Action) tea.Cmd {
	switch a {
	case keys.Up:
		m.composer.MenuUp()
	case keys.Down:
		m.composer.MenuDown()
	case keys.Accept:
		return m.accept()
	}
	return nil
}

// escape closes what is open, gives the focus back, or stops the turn.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.composer.MenuOpen():
		m.composer.MenuClose()
	case m.focus == focusSide && m.view.detail:
		m.change(change{step: undetailed})
	case m.focus == focusGrid:
		m.refocus(m.gridFrom)
	case m.finds():
		m.leaveFind()
	case m.focus != focusComposer:
		m.setFocus(focusComposer)
		m.change(change{step: left})
	case m.demote():
	case m.closesDrawer():
		m.change(change{step: shut})
	case m.retrying():
		m.conv.Hurry(m.conv.Root())
	default:
		return m.stopKey()
	}
	return nil
}

// closesDrawer reports whether escape closes the drawer: not one that opened by itself
// while someone is at work, because escape stops that.
func (m *Model) closesDrawer() bool {
	if m.lay.side == 0 || m.view.drawer == drawerShut || m.w >= wideColumns {
		return false
	}
	return m.view.drawer == drawerByHand || !m.busy() && len(m.state.Live()) == 0
}

// stopKey stops the turn, and pressed again what goes on besides it.
func (m *Model) stopKey() tea.Cmd {
	if cmd, all := m.stopAll(); all {
		return cmd
	}
	switch {
	case m.typing():
		return m.stopTyped()
	case m.busy() || m.compressing():
		return m.interrupt()
	}
	return m.escapeIdle()
}

// retrying reports whether the turn waits before another attempt at a model call.
func (m *Model) retrying() bool {
	a := m.state.Root()
	return a != nil && a.Phase == event.PhaseRetrying && a.Retry != nil && m.now().Before(a.Retry.Until)
}

// cancelKey clears the draft, stops the turn, or quits on the second press.
func (m *Model) cancelKey() tea.Cmd {
	switch {
	case !m.composer.Empty():
		m.composer.Clear()
		return m.say(joined("; ", "Draft cleared", m.press(keys.Up, keys.InComposer, "brings it back")) + ".")
	case m.busy():
		return m.interrupt()
	}
	cmd, second := m.twice("quit", "Press "+m.keyName(keys.Cancel)+" again to quit.")
	if second {
		return m.askToLeave()
	}
	return cmd
}

// onPaste puts a paste where text goes. A paste never answers a question.
func (m *Model) onPaste(p tea.PasteMsg) tea.Cmd {
	if m.lending {
		return nil
	}
	m.dirty = true
	p.Content = term.Pasted(p.Content)
	if m.box == nil && m.swallows("", p.Content) {
		return m.warn("What you pasted was dropped. " + m.late.why)
	}
	switch {
	case m.box != nil:
		return m.dispatch(m.box.Type(p.Content))
	case m.focus == focusSide && m.agents.Steering():
		m.agents.Insert(p.Content)
	case m.typesQuery():
		return m.findTyped(p.Content)
	case m.recall.IsOpen() && !m.panelTakes():
		m.recall.Type(p.Content)
	case m.panelTakes() && m.panel.Paste(p.Content):
	default:
		m.setFocus(focusComposer)
		if cmd, taken := m.attachDropped(p.Content); taken {
			return tea.Batch(cmd, m.observe(true), m.completing(), m.draftChanged())
		}
		m.composer.Paste(p.Content)
	}
	return tea.Batch(m.observe(true), m.completing(), m.draftChanged())
}

// escapeIdle opens the list of prompts when escape is pressed twice with nothing
// to close, to stop or to write.
func (m *Model) escapeIdle() tea.Cmd {
	if m.conv == nil || !m.composer.Empty() || len(rewind.Prompts(m.state)) == 0 {
		return nil
	}
	cmd, second := m.twice("rewind", "Press "+m.keyName(keys.Escape)+" again to go back to an earlier prompt.")
	if second {
		return rewind.Open(slot{m})
	}
	return cmd
}
