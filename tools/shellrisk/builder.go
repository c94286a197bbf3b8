package shellrisk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builder puts the words together that one typed word turns into.
type builder struct {
	judge *judge
	st    *state
	// values gives the value of an expansion.
	values func(*state, syntax.WordPart) variable
	splits bool // unquoted expansions are split into words
	colons bool // as in an assignment, a tilde expands after a colon, too
	// subscript is a word that begins like name[ and has quotes before its =.
	subscript bool

	out     []arg
	text    strings.Builder
	pat     strings.Builder
	glob    bool
	started bool // the present word exists, though it may be empty
	from    origin
}

// part adds a part of a word outside quotes.
func (b *builder) part(p syntax.WordPart, first, last bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.lit(p.Value, first, last)
	case *syntax.SglQuoted:
		if p.Dollar {
			b.quoted(ansiC(p.Value))
		} else {
			b.quoted(p.Value)
		}
	case *syntax.DblQuoted:
		// "$@" of nothing is no word at all.
		b.started = b.started || len(p.Parts) == 0
		for _, inner := range p.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				b.quoted(unescape(lit.Value, "$`\"\\\n"))
			} else {
				b.quotedPart(inner)
			}
		}
	case *syntax.ExtGlob:
		b.judge.patternText(b.st, p.Pattern.Value)
		b.unknownPattern()
	default:
		b.expansion(b.values(b.st, p), false)
	}
}

// quotedPart adds an expansion inside double quotes.
func (b *builder) quotedPart(p syntax.WordPart) {
	b.expansion(b.values(b.st, p), true)
}

// quoted adds text that means itself.
func (b *builder) quoted(s string) {
	b.started = true
	b.text.WriteString(s)
	b.pat.WriteString(escapePattern(s))
}

// plain adds unquoted text, in which pattern characters are active.
func (b *builder) plain(s string) {
	if s == "" {
		return
	}
	b.started = true
	b.text.WriteString(s)
	b.pat.WriteString(s)
	b.glob = b.glob || strings.ContainsAny(s, "*?[")
}

// unknownPattern adds a pattern that is not analysed further.
func (b *builder) unknownPattern() {
	b.started, b.glob = true, true
	b.text.WriteString(hole)
	b.pat.WriteString("*")
}

// lit adds unquoted text as typed, with its backslashes and tildes.
func (b *builder) lit(s string, first, last bool) {
	if first {
		name := assignmentName(s)
		b.plain(s[:name])
		b.colons = !b.splits || name > 0
		end := identifier(s)
		b.subscript = name == 0 && end > 0 && strings.HasPrefix(s[end:], "[")
		if s = s[name:]; strings.HasPrefix(s, "~") {
			s = b.tilde(s, last)
		}
	} else if b.subscript && strings.Contains(s, "=~") {
		b.text.WriteString(hole) // whether the tilde expands depends on the quotes before it
		b.from |= fromVariable | opaque
	}
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if k := strings.Index(s, ":~"); b.colons && k >= 0 && (i < 0 || k < i) {
			b.plain(s[:k+1])
			s = b.tilde(s[k+1:], last)
			continue
		}
		if i < 0 || i == len(s)-1 {
			b.plain(s)
			return
		}
		b.plain(s[:i])
		if s[i+1] != '\n' {
			b.quoted(s[i+1 : i+2])
		}
		s = s[i+2:]
	}
}

// assignmentName is the length of "name=", "name+=" or the same with a subscript
// at the start of a word, zero without.
func assignmentName(s string) int {
	i := strings.IndexByte(s, '=')
	if i < 0 {
		return 0
	}
	name := strings.TrimSuffix(s[:i], "+")
	end := identifier(name)
	if end == 0 || !isSubscript(name[end:]) {
		return 0
	}
	return i + 1
}

// identifier is the length of the variable name at the start of a word.
func identifier(s string) int {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return 0
	}
	for i := range len(s) {
		if !isWordByte(s[i]) || s[i] >= 0x80 {
			return i
		}
	}
	return len(s)
}

// isSubscript reports whether s is nothing or [text] with its brackets in pairs.
func isSubscript(s string) bool {
	if s != "" && s[0] != '[' {
		return false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return false
		}
	}
	return depth == 0
}

// tilde expands a tilde at the start and returns what follows it.
func (b *builder) tilde(s string, last bool) string {
	end := strings.IndexAny(s, "/:")
	if end < 0 {
		end = len(s)
	}
	name := s[1:end]
	goesOn := end == len(s) || !b.colons && !strings.Contains(s, "/")
	if goesOn && !last || strings.Contains(name, "\\") {
		b.plain("~") // part of the name is quoted: no tilde
		return s[1:]
	}
	dir, ok := b.st.tilde(name)
	if !ok {
		dir = hole
		b.from |= fromVariable | opaque
	}
	b.quoted(dir)
	return s[end:]
}

// tilde gives the directory of ~name.
func (st *state) tilde(name string) (string, bool) {
	switch name {
	case "":
		return st.home()
	case "+":
		return st.cwd, st.cwd != ""
	case "-":
		return st.prev, st.prev != ""
	case "root":
		return "/root", true
	}
	if strings.Trim(name, "+-0123456789") == "" {
		return "", false // an entry of the directory stack
	}
	if parent := parentPath(st.set.Home); st.set.Home != "" && parent != "/" {
		return joinPath(parent, name), true
	}
	return "/home/" + name, true
}

// expansion adds the value of a variable or of a command.
func (b *builder) expansion(v variable, quotes bool) {
	whole := quotes || !b.splits
	seps, known := b.st.separators()
	for i, s := range v.list {
		switch {
		case i > 0 && whole && !(v.array && b.splits):
			b.quoted(" ")
		case i > 0:
			b.flush()
		}
		b.from |= v.from
		switch {
		case whole:
			b.quoted(s)
		case known:
			b.split(s, seps)
			if hasHole(s) {
				b.from |= scattered
			}
		default:
			b.plain(hole)
			b.from |= opaque
		}
	}
	b.from |= v.from
	if quotes && !v.array {
		b.started = true
	}
}

// split adds text that separators cut into words.
func (b *builder) split(s, seps string) {
	for s != "" {
		i := strings.IndexAny(s, seps)
		if seps == "" || i < 0 {
			b.plain(s)
			return
		}
		b.plain(s[:i])
		if b.started {
			from := b.from
			b.flush()
			b.from = from // the words share their origin
		}
		s = s[i+1:]
	}
}

// flush ends the present word.
func (b *builder) flush() {
	if b.started {
		b.out = append(b.out, b.take())
	}
}

// maxText bounds words, values and predicted output, in bytes: doubling a
// variable again and again must not fill the memory. What is longer counts as
// unknown.
const maxText = 64 << 10

func (b *builder) take() arg {
	a := arg{text: b.text.String(), from: b.from}
	if len(a.text) > maxText {
		a.text, a.from, b.glob = hole, a.from|fromVariable|opaque, false
	}
	if b.glob && hasPattern(b.pat.String()) {
		a.pat = b.pat.String()
	}
	b.text.Reset()
	b.pat.Reset()
	b.glob, b.started, b.from = false, false, 0
	return a
}

func (b *builder) finish() []arg {
	b.flush()
	return b.out
}

// single gives everything as one word.
func (b *builder) single() arg {
	from := b.from
	a := b.take()
	a.from |= from
	return a
}
