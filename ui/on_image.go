package ui

import (
	"net/url"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/clipboard"
)

// attachedMsg brings an image. word is the text of the draft in whose place it goes,
// empty for the place of the cursor.
type attachedMsg struct {
	gen   int
	word  string
	image event.Attachment
	from  source
	err   error
}

// source says what an image was asked for by.
type source int

// The sources of images.
const (
	fromClipboard source = iota
	fromMention          // an @ with a name behind it
	fromPaste            // a path, as terminals write one when a file is dropped on them
)

// attaching is what is known of the images on their way into the draft.
type attaching struct {
	// under counts images that are being read; sending says that the draft is sent
	// when the last of them is there, steering that it steers then.
	under             int
	sending, steering bool
	// typed are names of images that were written or chosen, and not pasted: only
	// these are read without a further question.
	typed map[string]bool
}

// maxTyped bounds how many names are remembered; a draft with more is a text.
const maxTyped = 100

// imageName reports whether a name is that of an image by its end.
func imageName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// noteTyped remembers the image that is named at the cursor.
func (t *talk) noteTyped(name string) {
	if !imageName(name) || len(t.images.typed) >= maxTyped {
		return
	}
	if t.images.typed == nil {
		t.images.typed = map[string]bool{}
	}
	t.images.typed[name] = true
}

// attachTyped reads the images that the draft names and the user wrote.
func (m *Model) attachTyped() tea.Cmd {
	if m.conv == nil || m.swapping || len(m.images.typed) == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for _, w := range m.composer.Mentions() {
		if !m.images.typed[w.Name] {
			continue
		}
		delete(m.images.typed, w.Name)
		conv, ctx := m.conv, m.ctx
		cmds = append(cmds, m.attachBy(fromMention, w.Word, func() (event.Attachment, error) { return conv.AttachFile(ctx, w.Name) }))
	}
	return tea.Batch(cmds...)
}

// attachBy reads an image off this goroutine.
func (m *Model) attachBy(from source, word string, read func() (event.Attachment, error)) tea.Cmd {
	m.images.under++
	gen := m.gen
	return m.do(func() tea.Msg {
		a, err := read()
		return attachedMsg{gen, word, a, from, err}
	})
}

// attachClipboard puts the image on the clipboard into the draft.
func (m *Model) attachClipboard() tea.Cmd {
	if m.conv == nil || m.swapping {
		return m.say("One moment: the session is being opened.")
	}
	conv, ctx, env := m.conv, m.ctx, m.o.Term
	return m.attachBy(fromClipboard, "", func() (event.Attachment, error) {
		data, err := clipboard.Read(ctx, env)
		if err != nil {
			return event.Attachment{}, err
		}
		return conv.AttachData(ctx, "clipboard.png", data)
	})
}

// attachDropped takes a paste that is nothing but the path of an image, as terminals
// write one when a file is dropped on them. The path stands in the draft until it is
// known that it leads to one. It returns false for any other paste.
func (m *Model) attachDropped(text string) (tea.Cmd, bool) {
	files := droppedFiles(text)
	if len(files) == 0 || m.conv == nil || m.swapping {
		return nil, false
	}
	var cmds []tea.Cmd
	conv, ctx := m.conv, m.ctx
	for _, f := range files {
		m.composer.Insert(f.word + " ")
		cmds = append(cmds, m.attachBy(fromPaste, f.word, func() (event.Attachment, error) { return conv.AttachLocal(ctx, f.path) }))
	}
	return tea.Batch(cmds...), true
}

// handle puts an image into the draft.
func (msg attachedMsg) handle(m *Model) tea.Cmd {
	m.images.under--
	m.dirty = true
	var said tea.Cmd
	switch {
	case msg.gen != m.gen: // it was for a conversation that is not on the screen any more
	case msg.err != nil:
		said = m.notAttached(msg)
	case msg.word == "":
		m.setFocus(focusComposer)
		m.composer.InsertImage(msg.image)
		said = m.warnBlind()
	case m.composer.ReplaceByImage(msg.word, msg.image):
		said = m.warnBlind()
	}
	cmds := []tea.Cmd{said, m.draftChanged(), m.completing()}
	if m.images.under == 0 && m.images.sending {
		m.images.sending = false
		cmds = append(cmds, m.sendNow(m.images.steering))
	}
	return tea.Batch(cmds...)
}

// notAttached says why there is no image, unless a text may have been meant. A draft
// that waited for it stays, to be corrected.
func (m *Model) notAttached(msg attachedMsg) tea.Cmd {
	if msg.from == fromPaste && app.NoImage(msg.err) || msg.from == fromMention && app.Missing(msg.err) {
		return nil
	}
	waited := m.images.sending
	m.images.sending = false
	text := sentence(msg.err)
	if msg.from == fromMention && waited {
		text += " The message was not sent; without the @ its name is sent as a text."
	}
	return m.tell(text)
}

// warnBlind says beforehand what sending would say.
func (m *Model) warnBlind() tea.Cmd {
	if m.state.Model.Vision != event.No {
		return nil
	}
	if m.conv != nil && m.conv.Described() {
		return m.say(m.state.Model.Name + " cannot see images; another model will describe it (auxiliary.vision).")
	}
	return m.say(m.state.Model.Name + " cannot see images; /model shows which models can.")
}

// tell says something that is too long for the status row: in the transcript, where
// there is one.
func (m *Model) tell(text string) tea.Cmd {
	if m.conv == nil {
		return m.say(text)
	}
	conv := m.conv
	return m.do(func() tea.Msg {
		conv.Notify(event.LevelWarn, text)
		return nil
	})
}

// dropped is a file that was dropped on the terminal: how it stands in the draft and
// where it lies.
type dropped struct{ word, path string }

// The most that is looked at of a paste, in bytes and files.
const (
	maxDropped      = 8 << 10
	maxDroppedFiles = 20
)

// droppedFiles takes a paste apart that is nothing but absolute paths or file
// addresses of images by their names: in quotes, with backslashes before blanks, or
// plain when there is one only.
func droppedFiles(text string) []dropped {
	text = strings.TrimSpace(text)
	if len(text) > maxDropped || text == "" {
		return nil
	}
	if !strings.ContainsAny(text, "\r\n'\"\\") { // a path with blanks in it may come plain
		if p, ok := droppedPath(text); ok {
			return []dropped{{text, p}}
		}
	}
	var list []dropped
	for _, word := range droppedWords(text) {
		p, ok := droppedPath(word)
		if !ok || len(list) == maxDroppedFiles {
			return nil
		}
		list = append(list, dropped{strings.ReplaceAll(word, "\t", " "), p})
	}
	return list
}

// droppedWords divides a text at blanks that stand neither in quotes nor behind a
// backslash.
func droppedWords(text string) []string {
	var words []string
	var word strings.Builder
	quote, begun := rune(0), false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", r):
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words
}

// droppedPath is the path of an image that a word names.
func droppedPath(word string) (string, bool) {
	if rest, ok := strings.CutPrefix(word, "file://"); ok {
		u, err := url.Parse("file://" + rest)
		if err != nil || u.Host != "" && u.Host != "localhost" || strings.ContainsRune(u.Path, 0) {
			return "", false
		}
		word = u.Path
	}
	if !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "~/") {
		return "", false
	}
	if slices.ContainsFunc([]string{"\n", "\r", "\x00"}, func(c string) bool { return strings.Contains(word, c) }) {
		return "", false
	}
	return word, imageName(word)
}
