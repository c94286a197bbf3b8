package composer

import (
	"strings"
	"unicode/utf8"
)

// Kind says what is completed.
type Kind int

// The kinds of words that are completed.
const (
	// SlashQuery is the name of a slash command or its argument: the draft
	// begins with a slash and the cursor is on its first line. A first word with
	// a second slash in it is a path, not a command.
	SlashQuery Kind = iota
	// FileQuery is a word that begins with @. A name with blanks stands in
	// double quotes behind it.
	FileQuery
	// PathQuery is a word of a command of the user, which is completed once
	// [Composer.AskPath] was called for it.
	PathQuery
)

// Query is the word at the cursor that can be completed.
type Query struct {
	Kind Kind
	// Command is the command whose argument is completed, with its slash; empty
	// while the name of the command is.
	Command string
	// Text is the word up to the cursor: a command with its slash, an argument,
	// or a file name without @ and quotes.
	Text string
	// Gen names this state of the word. An offer for an older one is ignored.
	Gen uint64
}

// maxWord is how far before the cursor a word is looked for, in bytes.
const maxWord = 1024

// span is a word in the buffer that can be completed, with the range that an
// accepted entry replaces.
type span struct {
	kind          Kind
	command, text string
	at, end       pos
	exists        bool
}

// word finds the word at the cursor.
func (c *Composer) word() span {
	text, off := c.buf.text(c.cur), c.cur.off
	if c.TypedFirst("!") {
		return c.pathWord(text, off)
	}
	if c.cur.line == 0 && strings.HasPrefix(text, "/") {
		name, _, _ := strings.Cut(text[:min(len(text), maxWord)], " ")
		if !strings.Contains(name[1:], "/") && strings.IndexByte(name, refOpen) < 0 {
			return c.slashWord(text, off, len(name))
		}
	}
	return c.fileWord(text, off)
}

// shellEdges end a word of a command.
const shellEdges = " \t;|&()<>`'\"=\x02"

// AskPath has the word at the cursor completed as the name of a file, in a command of the
// user: its menu opens with the next offer. It reports false in another draft.
func (c *Composer) AskPath() bool {
	if !c.TypedFirst("!") {
		return false
	}
	text, at := c.buf.text(c.cur), c.cur.off
	least := 0
	if c.cur.line == 0 {
		least = len(text) - len(strings.TrimLeft(text, "!"))
	}
	for at > least && (strings.IndexByte(shellEdges, text[at-1]) < 0 || at > 1 && text[at-2] == '\\') {
		at--
	}
	c.menu.asked, c.menu.isAsked, c.menu.isClosed = pos{c.cur.line, at}, true, false
	return true
}

// pathWord is the word that a path was asked for.
func (c *Composer) pathWord(text string, off int) span {
	from := c.menu.asked
	if !c.menu.isAsked || from.line != c.cur.line || from.off > off {
		return span{}
	}
	word := text[from.off:off]
	plain := strings.ReplaceAll(word, "\\ ", "_")
	if strings.ContainsAny(plain, shellEdges) || strings.IndexByte(word, refOpen) >= 0 {
		return span{}
	}
	return span{kind: PathQuery, text: unescape(word), at: from, end: c.cur, exists: true}
}

// unescape takes the backslashes out of a word of a command, escape puts them before what
// a shell would not take as it is.
func unescape(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); i++ {
		if word[i] == '\\' && i+1 < len(word) {
			i++
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

func escape(name string) string {
	var b strings.Builder
	for i, r := range name {
		if strings.ContainsRune(" \t'\"\\$`&|;<>(){}[]*?!#", r) || r == '~' && i == 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// slashWord is the command or the argument at off. The name of the command ends
// at name.
func (c *Composer) slashWord(text string, off, name int) span {
	s := span{kind: SlashQuery, exists: off > 0 && off <= maxWord}
	if !s.exists || name == maxWord {
		return span{}
	}
	from := 0
	s.end = pos{0, name}
	if off > name {
		s.command, s.end = text[:name], pos{0, len(text)}
		for from = name; from < off && text[from] == ' '; from++ {
		}
	}
	s.at, s.text = pos{0, from}, text[from:off]
	if strings.IndexByte(text[from:s.end.off], refOpen) >= 0 {
		return span{}
	}
	return s
}

// fileWord is the word behind an @ at off.
func (c *Composer) fileWord(text string, off int) span {
	for at := off - 1; at >= 0 && at >= off-maxWord; at-- {
		if text[at] == refClose {
			break
		}
		if text[at] != '@' || !beginsWord(text, at) {
			continue
		}
		s := span{kind: FileQuery, at: pos{c.cur.line, at}, exists: true}
		word := text[at+1 : off]
		if name, ok := strings.CutPrefix(word, `"`); ok {
			if s.text, ok = unquote(name); !ok {
				continue
			}
			s.end = pos{c.cur.line, off + restOf(text[off:], `"`)}
			return s
		}
		if !strings.Contains(word, " ") {
			s.text, s.end = word, pos{c.cur.line, off + restOf(text[off:], "")}
			return s
		}
	}
	return span{}
}

// beginsWord reports whether a word can begin at an offset: at the start of the
// line, behind a blank, a bracket or a paste, and behind scripts that are
// written without blanks. An @ inside an address begins none.
func beginsWord(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	return at == 0 || before == refClose || before >= 0x2e80 || strings.ContainsRune(" ([{,", before)
}

// restOf is how much of a text still belongs to the word before it: up to a
// blank or a paste, and with the quote if that comes first.
func restOf(text, quote string) int {
	n := strings.IndexAny(text, " "+string(refOpen)+quote)
	switch {
	case n < 0:
		n = len(text)
	case quote != "" && text[n] == quote[0]:
		return n + 1
	}
	if quote != "" {
		return 0 // the quote is not closed in this word
	}
	return n
}

// unquote reads a name from behind its opening quote. It reports false when the
// name ends before the end of the text.
func unquote(s string) (name string, open bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return "", false
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// quote writes a file name as the word that [Composer] completes: as it is, or
// in double quotes when it holds a blank or a quote. Quotes and backslashes in
// quotes have a backslash before them. A folder's quotes stay open, so that the
// name can go on.
func quote(name string) string {
	if !strings.ContainsAny(name, ` "`) {
		return "@" + name
	}
	s := `@"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
	if strings.HasSuffix(name, "/") {
		return s
	}
	return s + `"`
}
