package markdown

import (
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"hermes-tui/themes"
	"hermes-tui/ui/rows"
)

// The limits of colouring code. What is larger, or takes longer, stays plain.
const (
	maxCodeLines = 400
	maxCodeBytes = 64 << 10
	maxCodeLine  = 2000 // bytes; longer lines are data, and slow to match
	lexBudget    = 20 * time.Millisecond
	// refineBudget is how long [Stream.Refine] goes on to the next fence.
	refineBudget = 8 * time.Millisecond
	maxLanguage  = 24
)

// kind is what a piece of code is, as far as colours tell.
type kind uint8

const (
	kindPlain kind = iota
	kindKeyword
	kindName
	kindType
	kindString
	kindNumber
	kindComment
	kindOperator
	kindDeleted
	kindInserted
	kinds
)

// span is a piece of code of one kind.
type span struct {
	end  int
	kind kind
}

// lexer colours code and remembers the result by language and code: the same
// fence is drawn again with every row that follows it. It grows with the text
// it belongs to and is dropped with it.
type lexer struct {
	clock    func() time.Time
	deferred bool
	known    map[string][]span
	shared   *lexed // with other texts; nil for none
	waiting  []snippet
	chunk    int // the part of the text that is being drawn
	size     int // bytes held
}

// snippet is code in a language. chunk is the first part of the text it may
// stand in.
type snippet struct {
	lang, code string
	chunk      int
}

func (s snippet) key() string { return s.lang + "\x00" + s.code }

// spans takes code apart. It returns nil for code that stays plain, and for
// code that has to wait.
func (x *lexer) spans(lang, code string) []span {
	if lang == "" || tooLarge(code) {
		return nil
	}
	s := snippet{lang, code, x.chunk}
	if found, ok := x.known[s.key()]; ok {
		return found
	}
	if found := x.shared.get(s.key()); found != nil {
		return x.keep(s, found)
	}
	if x.deferred {
		x.waiting = append(x.waiting, s)
		x.keep(s, nil)
		return nil
	}
	return x.keep(s, lex(s, x.clock))
}

// tooLarge reports whether code stays plain for its size. No code has no colours.
func tooLarge(code string) bool {
	if code == "" || len(code) > maxCodeBytes || strings.Count(code, "\n") >= maxCodeLines {
		return true
	}
	for line := range strings.SplitSeq(code, "\n") {
		if len(line) > maxCodeLine {
			return true
		}
	}
	return false
}

func (x *lexer) keep(s snippet, spans []span) []span {
	if x.known == nil {
		x.known = map[string][]span{}
	}
	key := s.key()
	if _, ok := x.known[key]; !ok {
		x.size += len(key)
	}
	x.known[key] = spans
	x.size += 16 * len(spans)
	if len(spans) > 0 {
		x.shared.put(key, spans)
	}
	return spans
}

// lexed is the code that was coloured last, so that a text that is drawn again, or in
// other parts, has its colours at once. It holds maxLexed bytes at least, and twice as
// many at most.
type lexed struct {
	now, old map[string][]span
	size     int
}

const maxLexed = 2 << 20

func (l *lexed) get(key string) []span {
	if l == nil {
		return nil
	}
	if found, ok := l.now[key]; ok {
		return found
	}
	return l.old[key]
}

func (l *lexed) put(key string, spans []span) {
	if l == nil || l.now[key] != nil {
		return
	}
	if l.size > maxLexed || l.now == nil {
		l.now, l.old, l.size = map[string][]span{}, l.now, 0
	}
	l.now[key] = spans
	l.size += len(key) + 16*len(spans)
}

// refine colours code that waits, until the budget is used up. It reports
// whether it coloured any, and the first part of the text that has some.
func (x *lexer) refine() (from int, changed bool) {
	began := x.clock()
	for len(x.waiting) > 0 {
		s := x.waiting[0]
		x.waiting = x.waiting[1:]
		if len(x.keep(s, lex(s, x.clock))) > 0 && (!changed || s.chunk < from) {
			from, changed = s.chunk, true
		}
		if x.clock().Sub(began) >= refineBudget {
			break
		}
	}
	return from, changed
}

// lex takes code apart with the lexer of its language. It returns nil when
// there is none, when it fails or alters the text, or takes too long.
func lex(s snippet, clock func() time.Time) (spans []span) {
	defer func() {
		if recover() != nil {
			spans = nil
		}
	}()
	lx := lexers.GlobalLexerRegistry.Get(s.lang)
	if lx == nil {
		return nil
	}
	next, err := lx.Tokenise(&chroma.TokeniseOptions{State: "root"}, s.code)
	if err != nil {
		return nil
	}
	began := clock() // the first code of a language has its rules made ready above
	at := 0
	for n := 1; ; n++ {
		token := next()
		if token == chroma.EOF {
			break
		}
		if n%16 == 0 && clock().Sub(began) > lexBudget {
			return nil
		}
		value := token.Value
		if rest := s.code[at:]; value != rest && strings.TrimSuffix(value, "\n") == rest {
			value = rest // the lexer ends the last line
		}
		if !strings.HasPrefix(s.code[at:], value) {
			return nil
		}
		at += len(value)
		spans = appendSpan(spans, span{end: at, kind: kindOf(token.Type)})
	}
	if at != len(s.code) {
		return nil
	}
	return spans
}

func appendSpan(spans []span, s span) []span {
	if n := len(spans); n > 0 && spans[n-1].kind == s.kind {
		spans[n-1].end = s.end
		return spans
	}
	return append(spans, s)
}

func kindOf(t chroma.TokenType) kind {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException:
		return kindType
	case chroma.NameFunction, chroma.NameFunctionMagic, chroma.NameBuiltin, chroma.NameTag,
		chroma.NameAttribute, chroma.NameDecorator, chroma.NameLabel:
		return kindName
	case chroma.GenericDeleted:
		return kindDeleted
	case chroma.GenericInserted:
		return kindInserted
	case chroma.GenericHeading, chroma.GenericSubheading:
		return kindKeyword
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return kindKeyword
	case t.InSubCategory(chroma.LiteralString):
		return kindString
	case t.InSubCategory(chroma.LiteralNumber):
		return kindNumber
	case t.InCategory(chroma.Comment):
		return kindComment
	case t.InCategory(chroma.Operator), t.InCategory(chroma.Punctuation):
		return kindOperator
	}
	return kindPlain
}

// language is the name of a language in the info string of a fence, empty when
// there is none that a lexer could have.
func language(info string) string {
	name := strings.ToLower(strings.TrimLeft(info, " {."))
	if i := strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("+#-_.", r)
	}); i >= 0 {
		name = name[:i]
	}
	switch name {
	case "text", "txt", "plain", "plaintext", "none", "output":
		return ""
	}
	if len(name) > maxLanguage {
		return ""
	}
	return name
}

// syntax gives the kinds of code their escape sequences.
func syntax(st *rows.Styles) [kinds]string {
	t := st.Theme.Syntax
	var opens [kinds]string
	opens[kindPlain] = st.Text.Open()
	for k, c := range map[kind]themes.Color{
		kindKeyword: t.Keyword, kindName: t.Name, kindType: t.Type, kindString: t.String, kindNumber: t.Number,
		kindComment: t.Comment, kindOperator: t.Operator, kindDeleted: t.Deleted, kindInserted: t.Inserted,
	} {
		opens[k] = rows.NewStyle(rows.Fg(c)).Open()
	}
	if st.Theme.Mono {
		opens[kindKeyword], opens[kindComment] = rows.NewStyle(rows.Bold).Open(), rows.NewStyle(rows.Dim).Open()
	}
	return opens
}

// Span is a piece of code: it ends at End and its style is opened by Open.
type Span struct {
	End  int
	Open string
}

// Clock measures how long [Paint] and [Highlight] take. Tests stop it before they call them,
// since on a busy machine what is quick takes long.
var Clock = time.Now

// Paint colours code in the language of a file of that name. Code whose language
// is not known, that is too long or takes too long, has one span in the style of
// plain text.
func Paint(file, code string, st *rows.Styles) []Span {
	if code == "" {
		return nil
	}
	plain := []Span{{len(code), st.Text.Open()}}
	lang := languageOf(filepath.Base(file))
	if lang == "" || tooLarge(code) {
		return plain
	}
	spans := lex(snippet{lang: lang, code: code}, Clock)
	if len(spans) == 0 {
		return plain
	}
	opens := syntax(st)
	out := make([]Span, len(spans))
	for i, s := range spans {
		out[i] = Span{s.end, opens[s.kind]}
	}
	return out
}

// classes are what the kinds of code are called elsewhere.
var classes = [kinds]string{
	kindKeyword: "keyword", kindName: "name", kindType: "type", kindString: "string", kindNumber: "number",
	kindComment: "comment", kindOperator: "operator", kindDeleted: "deleted", kindInserted: "inserted",
}

// Highlight takes code in a language apart, named as after the marks of a fence, and gives
// its pieces in order: a class such as "keyword", empty for plain text, and the text. Code
// whose language is not known, that is too long or takes too long, is one plain piece.
func Highlight(lang, code string, piece func(class, text string)) {
	lang, from := language(lang), 0
	if lang != "" && !tooLarge(code) {
		for _, s := range lex(snippet{lang: lang, code: code}, Clock) {
			piece(classes[s.kind], code[from:s.end])
			from = s.end
		}
	}
	if from < len(code) {
		piece("", code[from:])
	}
}

// languages are those of the files asked for last, by name, since matching a name with
// the patterns of all languages takes a millisecond.
var languages struct {
	sync.Mutex
	of map[string]string
}

// languageOf is the language of a file of that name, empty if it is not known.
func languageOf(name string) string {
	languages.Lock()
	defer languages.Unlock()
	lang, known := languages.of[name]
	if known {
		return lang
	}
	if lx := lexers.GlobalLexerRegistry.Match(name); lx != nil {
		lang = lx.Config().Name
	}
	if languages.of == nil || len(languages.of) >= 64 {
		languages.of = map[string]string{}
	}
	languages.of[name] = lang
	return lang
}
