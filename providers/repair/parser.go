package repair

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// errBroken is text that is not JSON whatever might follow.
	errBroken = errors.New("not JSON")
	// errCut is text that ended where nothing can be closed without a guess.
	errCut = errors.New("cut inside a value")
)

// want is what the parser may read next.
type want int

const (
	wantValue  want = iota // at the beginning, behind a colon or a comma
	wantFirst              // behind an opening bracket: its first value or key, or its closer
	wantKey                // behind a comma in an object
	wantColon              // behind a key
	wantFollow             // behind a value: a comma or a closer
)

// parser reads JSON strictly, except for what [Arguments] mends. It notes the
// edits as it goes, so that text which needs none is never copied.
type parser struct {
	src    string
	at     int
	want   want
	stack  []byte // the closers still due, innermost last
	out    []byte // the edited text so far
	kept   int    // src[kept:] is not in out yet
	edited bool
}

// run reads the whole source. Without an error the text is complete when the
// stack is empty, and otherwise was cut where it can be closed.
func (p *parser) run() error {
	for {
		p.blanks()
		if p.want == wantFollow && len(p.stack) == 0 {
			return p.surplus()
		}
		if p.at == len(p.src) {
			if p.want == wantFollow || p.want == wantFirst {
				return nil
			}
			return errCut
		}
		if err := p.token(p.src[p.at]); err != nil {
			return err
		}
	}
}

// token reads the token that begins with c.
func (p *parser) token(c byte) error {
	switch p.want {
	case wantColon:
		if c != ':' {
			return errBroken
		}
		p.at++
		p.want = wantValue
		return nil
	case wantFollow, wantFirst:
		if c == ',' {
			return p.commas()
		}
		if c == ']' || c == '}' {
			return p.close(c)
		}
		if p.want == wantFollow {
			return errBroken
		}
	}
	if p.want == wantKey || p.want == wantFirst && p.inObject() {
		p.want = wantColon
		return p.quoted()
	}
	return p.value(c)
}

func (p *parser) inObject() bool { return p.stack[len(p.stack)-1] == '}' }

// value reads a value, or the bracket that opens one.
func (p *parser) value(c byte) error {
	p.want = wantFollow
	switch c {
	case '"':
		return p.quoted()
	case '{':
		return p.open('}')
	case '[':
		return p.open(']')
	case 't':
		return p.word("true")
	case 'f':
		return p.word("false")
	case 'n':
		return p.word("null")
	}
	return p.number()
}

func (p *parser) open(closer byte) error {
	if len(p.stack) == deepest {
		return errBroken
	}
	p.stack = append(p.stack, closer)
	p.at++
	p.want = wantFirst
	return nil
}

func (p *parser) close(c byte) error {
	if p.stack[len(p.stack)-1] != c {
		return errBroken
	}
	p.stack = p.stack[:len(p.stack)-1]
	p.at++
	p.want = wantFollow
	return nil
}

// commas reads a comma. Before a closer and at the end of the text any number of
// them is dropped.
func (p *parser) commas() error {
	from, n := p.at, 0
	for p.at < len(p.src) && p.src[p.at] == ',' {
		p.at++
		n++
		p.blanks()
	}
	if p.at == len(p.src) || p.src[p.at] == ']' || p.src[p.at] == '}' {
		p.replace(from, p.at, "")
		p.want = wantFollow
		return nil
	}
	if n > 1 || p.want == wantFirst {
		return errBroken
	}
	p.want = wantValue
	if p.inObject() {
		p.want = wantKey
	}
	return nil
}

// surplus drops the closers behind the value, and refuses anything else there.
func (p *parser) surplus() error {
	from := p.at
	for from > 0 && isBlank(p.src[from-1]) {
		from--
	}
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == ']' || c == '}':
		case c == ',' || isBlank(c):
			if p.at == len(p.src)-1 {
				return errBroken // the text was trimmed, so this is a comma
			}
		default:
			return errBroken
		}
		p.at++
	}
	if from < p.at {
		p.replace(from, p.at, "")
	}
	return nil
}

// quoted reads a string and escapes the raw control characters in it.
func (p *parser) quoted() error {
	if p.src[p.at] != '"' {
		return errBroken
	}
	for p.at++; p.at < len(p.src); p.at++ {
		switch c := p.src[p.at]; {
		case c == '"':
			p.at++
			return nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return err
			}
		case c < ' ':
			p.replace(p.at, p.at+1, control(c))
		}
	}
	return errCut
}

// escape reads an escape sequence up to its last character.
func (p *parser) escape() error {
	p.at++
	if p.at == len(p.src) {
		return errCut
	}
	if p.src[p.at] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, p.src[p.at]) < 0 {
			return errBroken
		}
		return nil
	}
	for range 4 {
		p.at++
		if p.at == len(p.src) {
			return errCut
		}
		if strings.IndexByte("0123456789abcdefABCDEF", p.src[p.at]) < 0 {
			return errBroken
		}
	}
	return nil
}

// control writes a control character as an escape.
func control(c byte) string {
	switch c {
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u%04x`, c)
}

// word reads one of the literals.
func (p *parser) word(w string) error {
	rest := p.src[p.at:]
	if strings.HasPrefix(rest, w) {
		p.at += len(w)
		return nil
	}
	if strings.HasPrefix(w, rest) {
		return errCut
	}
	return errBroken
}

// number reads a number. One that ends with the text counts as complete.
func (p *parser) number() error {
	if p.src[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.src) && p.src[p.at] == '0' {
		p.at++
	} else if err := p.digits(); err != nil {
		return err
	}
	if p.at < len(p.src) && p.src[p.at] == '.' {
		p.at++
		if err := p.digits(); err != nil {
			return err
		}
	}
	if p.at == len(p.src) || p.src[p.at] != 'e' && p.src[p.at] != 'E' {
		return nil
	}
	p.at++
	if p.at < len(p.src) && (p.src[p.at] == '+' || p.src[p.at] == '-') {
		p.at++
	}
	return p.digits()
}

// digits reads at least one digit.
func (p *parser) digits() error {
	from := p.at
	for p.at < len(p.src) && '0' <= p.src[p.at] && p.src[p.at] <= '9' {
		p.at++
	}
	switch {
	case p.at > from:
		return nil
	case p.at == len(p.src):
		return errCut
	}
	return errBroken
}

func (p *parser) blanks() {
	for p.at < len(p.src) && isBlank(p.src[p.at]) {
		p.at++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// replace notes that src[from:to] becomes text.
func (p *parser) replace(from, to int, text string) {
	p.out = append(p.out, p.src[p.kept:from]...)
	p.out = append(p.out, text...)
	p.kept = to
	p.edited = true
}

// text is the source with all edits.
func (p *parser) text() string { return string(append(p.out, p.src[p.kept:]...)) }

// closed is the text with the closers that are due.
func (p *parser) closed() string {
	b := append(p.out, p.src[p.kept:]...)
	for i := len(p.stack) - 1; i >= 0; i-- {
		b = append(b, p.stack[i])
	}
	return string(b)
}
