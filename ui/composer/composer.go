package composer

import (
	"strings"

	"hermes-tui/ui/rows"
)

// Options say how a composer behaves.
type Options struct {
	// Styles must be set before rows are drawn, here or with SetStyles.
	Styles *rows.Styles
	// HistoryLimit is how many texts the history holds; 0 means
	// [DefaultHistoryLimit].
	HistoryLimit int
	// PasteLines and PasteChars are the most lines and characters of a paste
	// that is inserted as text. A larger one becomes a chip. A bound of 0 makes
	// no paste a chip, however large.
	PasteLines, PasteChars int
}

// DefaultHistoryLimit is how many texts the history holds when nothing else is
// asked for.
const DefaultHistoryLimit = 1000

// Composer is an editor with one draft, its history and its completion menu.
type Composer struct {
	buf  buffer
	cur  pos
	goal int // cell that moving up and down aims at, -1 for none
	log  undoLog

	killed  string
	killing bool // the newest action killed too

	history history
	stash   []string // drafts that were put aside, the oldest first
	menu    menu
	vim     vim

	styles      *rows.Styles
	placeholder string
	pasteLines  int
	pasteChars  int
	screen      screen
}

// New makes an empty composer.
func New(o Options) *Composer {
	if o.HistoryLimit <= 0 {
		o.HistoryLimit = DefaultHistoryLimit
	}
	c := &Composer{
		buf: newBuffer(), goal: -1, history: history{limit: o.HistoryLimit},
		styles: o.Styles, pasteLines: o.PasteLines, pasteChars: o.PasteChars,
	}
	c.screen.cache = map[string]string{}
	return c
}

// SetStyles changes the theme.
func (c *Composer) SetStyles(s *rows.Styles) {
	c.styles = s
	clear(c.screen.cache)
}

// SetPastes changes from how many lines and characters on pastes become chips; see
// [Options].
func (c *Composer) SetPastes(lines, chars int) { c.pasteLines, c.pasteChars = lines, chars }

// SetPlaceholder sets what an empty composer shows: one line, cut at the width.
func (c *Composer) SetPlaceholder(text string) { c.placeholder = text }

// Empty reports whether there is no draft. A draft of blanks is one.
func (c *Composer) Empty() bool { return c.buf.empty() }

// Edits counts changes of the draft: while it stays the same, so does [Composer.Draft].
func (c *Composer) Edits() uint64 { return c.buf.edits }

// TypedFirst reports whether the draft begins with a text that was typed: no paste stands
// there.
func (c *Composer) TypedFirst(text string) bool { return strings.HasPrefix(c.buf.lines[0].text, text) }

// Value is the text to send: the draft with its pastes in full, tabs in
// collapsed ones included, and with marks for images. Lines end with a line feed.
func (c *Composer) Value() string {
	return c.join(func(b *strings.Builder, p *chip) { b.WriteString(p.text) })
}

// Typed is the text of the draft with a mark in place of each collapsed paste, empty
// when there is none.
func (c *Composer) Typed() string {
	pasted := false
	typed := c.join(func(b *strings.Builder, p *chip) {
		if p.image != nil {
			b.WriteString(p.text)
			return
		}
		pasted = true
		b.WriteString(PasteMark(p.number))
	})
	if !pasted {
		return ""
	}
	return typed
}

// Draft is the draft in a text form that [Composer.SetDraft] reads back without
// loss. A draft without collapsed pastes is its own text form; a collapsed paste
// is framed by the control characters U+001D to U+001F.
func (c *Composer) Draft() string {
	return c.join(func(b *strings.Builder, p *chip) {
		if p.image != nil {
			writeImage(b, p.image)
			return
		}
		writePaste(b, p.number, p.text)
	})
}

func (c *Composer) join(form func(*strings.Builder, *chip)) string {
	var b strings.Builder
	for i, l := range c.buf.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		c.buf.expand(&b, l.text, form)
	}
	return b.String()
}

// SetDraft begins again with a draft in the form of [Composer.Draft], the cursor
// at its end. What can't be read as a paste is taken as text. There is nothing
// to undo afterwards.
func (c *Composer) SetDraft(draft string) {
	c.vim.begin()
	c.load(draft)
	c.history.leave()
	c.log.clear()
	c.sweep()
}

// Set replaces the draft by a text, cleaned as by [Composer.Insert], the cursor
// at its end. It can be undone.
func (c *Composer) Set(text string) {
	c.vim.begin()
	c.replaceAll(clean(text))
	c.history.leave()
}

// Clear empties the draft and keeps it in the history. It can be undone.
func (c *Composer) Clear() {
	if c.Empty() {
		return
	}
	c.Remember(c.Draft())
	c.vim.begin()
	c.replaceAll("")
}

// load replaces the draft by one in text form.
func (c *Composer) load(draft string) {
	c.replaceAll(c.buf.decode(draft))
	c.sweep()
}

func (c *Composer) replaceAll(text string) {
	c.log.seal()
	c.apply(pos{}, c.buf.end(), text, single)
	c.killing = false
}

// Insert puts typed text at the cursor. Line breaks in it are kept, tabs become
// blanks, other control characters are left out.
func (c *Composer) Insert(text string) {
	if text = clean(text); text == "" {
		return
	}
	kind := typing
	if strings.Contains(text, "\n") {
		kind = single
	}
	c.apply(c.cur, c.cur, text, kind)
	c.note(text)
	c.killing = false
}

// Paste puts pasted text at the cursor as one step that can be undone. A paste
// beyond the bounds of [Options] becomes a chip: one unit for the cursor and for
// deletion, which stands for its whole text, tabs included; [ExpandChip] turns
// it into text. A smaller paste is inserted as by [Composer.Insert], unless it names
// something with an @, or would have a command run: only what is typed does. The bounds
// count a tab as one character.
func (c *Composer) Paste(text string) {
	if text = cleanPaste(text); text == "" {
		return
	}
	if c.collapses(text) {
		c.sweep()
		text = c.buf.addChip(newChip(c.buf.nextNumber(append(c.texts(), c.killed)...), text))
	} else {
		text = untab(text)
	}
	c.apply(c.cur, c.cur, text, single)
	c.killing = false
}

// apply replaces text, puts the cursor behind it and records the step.
func (c *Composer) apply(from, to pos, text string, kind editKind) {
	before := c.cur
	removed, end := c.buf.replace(from, to, text)
	c.cur, c.goal = end, -1
	if removed != "" || text != "" {
		c.log.add(edit{kind, from, removed, text, before, end})
	}
}

// undo takes the newest step back.
func (c *Composer) undo() bool {
	e, ok := c.log.back()
	if ok {
		c.buf.replace(e.at, e.at.after(e.inserted), e.removed)
		c.cur, c.goal = e.before, -1
	}
	return ok
}

// redo does again what was undone last.
func (c *Composer) redo() bool {
	e, ok := c.log.forth()
	if ok {
		c.buf.replace(e.at, e.at.after(e.removed), e.inserted)
		c.cur, c.goal = e.after, -1
	}
	return ok
}

// texts are the lines of the buffer.
func (c *Composer) texts() []string {
	list := make([]string, len(c.buf.lines))
	for i, l := range c.buf.lines {
		list[i] = l.text
	}
	return list
}

// sweep forgets chips that nothing can bring back any more.
func (c *Composer) sweep() {
	if len(c.buf.chips) == 0 {
		return
	}
	used := map[int]bool{}
	mark := func(text string) { c.buf.refs(text, func(id, _, _ int) { used[id] = true }) }
	for _, l := range c.buf.lines {
		mark(l.text)
	}
	mark(c.killed)
	c.log.each(mark)
	for id := range c.buf.chips {
		if !used[id] {
			delete(c.buf.chips, id)
		}
	}
}
