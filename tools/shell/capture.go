package shell

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools"
	"hermes-tui/tools/charset"
)

// capture takes the output of a command. It passes it on as it comes, and keeps
// the beginning and the end of it without control sequences. It belongs to one
// goroutine at a time.
type capture struct {
	live io.Writer
	max  int // characters

	strip  tools.Stripper
	screen *tools.Lines // instead of strip, for the output of a terminal
	valid  validText
	head   []byte // the first max characters
	tail   []byte // the last ones, with some more before them
	chars  int    // all of them
	lines  int    // line breaks
	last   byte
}

func newCapture(live io.Writer, max int) *capture {
	if live == nil {
		live = io.Discard
	}
	return &capture{live: live, max: max}
}

// Write implements [io.Writer]. It never fails.
func (c *capture) Write(b []byte) (int, error) {
	_, _ = c.live.Write(b) // by contract it does not fail
	if c.screen != nil {
		c.keep(c.valid.text(c.screen.Text(b)))
	} else {
		c.keep(c.valid.text(c.strip.Text(b)))
	}
	return len(b), nil
}

// finish takes the last line when no line break ends it.
func (c *capture) finish() {
	if c.screen != nil {
		c.keep(c.valid.text([]byte(c.screen.Rest())))
		c.screen = nil
	}
}

// longest is the room that the kept end needs, in bytes.
func (c *capture) longest() int { return (c.max - c.headMax()) * utf8.UTFMax }

// headMax is how many characters of the beginning stay when some must go.
func (c *capture) headMax() int { return c.max * 2 / 5 }

func (c *capture) keep(b []byte) {
	if len(b) == 0 {
		return
	}
	c.last = b[len(b)-1]
	full := c.chars >= c.max
	for i, ch := range b {
		if ch&0xc0 != 0x80 { // the first byte of a character
			if c.chars == c.max && !full {
				c.head, full = append(c.head, b[:i]...), true
			}
			c.chars++
		}
		if ch == '\n' {
			c.lines++
		}
	}
	if !full {
		c.head = append(c.head, b...)
	}
	room := c.longest()
	if len(b) >= 2*room {
		b = b[len(b)-2*room:]
	}
	if len(c.tail)+len(b) > 4*room {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-min(len(c.tail), room):]...)
	}
	c.tail = append(c.tail, b...)
}

// lineCount is the number of lines a user would count.
func (c *capture) lineCount() int {
	if c.last != 0 && c.last != '\n' {
		return c.lines + 1
	}
	return c.lines
}

// text is what the model gets: everything, or beginning and end with a mark
// between them.
func (c *capture) text() string {
	c.keep(c.valid.rest())
	note := ""
	if c.valid.enc != "" {
		note = fmt.Sprintf("\n[What is not UTF-8 was read as %s.]", c.valid.enc)
	}
	if c.chars <= c.max {
		return trim(string(c.head)) + note
	}
	head := firstChars(c.head, c.headMax())
	tail := lastChars(c.tail, c.max-c.headMax())
	return trim(fmt.Sprintf("%s\n\n[… %d of %d characters left out …]\n\n%s",
		head, c.chars-c.max, c.chars, tail)) + note
}

// validText makes text of bytes that come in pieces; how they are cut makes no difference.
// Bytes that are no text become one replacement character, however many bytes it has.
type validText struct {
	begun []byte // of a character, or of a line that is not UTF-8, whose others are to come
	ascii []byte // what of the line came last, and tells which encoding follows it
	bad   bool   // what came last was no text
	buf   []byte
	// enc is the encoding in which lines were read that are not UTF-8, empty for none. The
	// first such line decides.
	enc charset.Encoding
}

// The bounds, in bytes, of what of a line in another encoding waits for its end, and of what
// before it tells which one that is.
const (
	maxHeld  = 8 << 10
	maxAscii = 200
)

// text returns what has come to be text; it is good until the next call.
func (v *validText) text(b []byte) []byte {
	if len(v.begun) == 0 && utf8.Valid(b) {
		v.follow(b)
		return b
	}
	b = append(v.begun, b...)
	v.begun, v.buf = nil, v.buf[:0]
	for {
		n := validPrefix(b)
		v.buf = append(v.buf, b[:n]...)
		v.follow(b[:n])
		b = b[n:]
		if !utf8.FullRune(b) {
			break // nothing, or a character to come
		}
		held := b[:min(len(b), maxHeld)]
		end := bytes.IndexByte(held, '\n') + 1
		if end == 0 && len(held) < maxHeld {
			break // a line that goes on
		}
		if end == 0 {
			end = maxHeld
		}
		v.buf = v.other(v.buf, b[:end])
		b = b[end:]
	}
	v.begun = slices.Clone(b)
	return v.buf
}

// rest returns the end of a text: a line without an end, or what stands for a character that
// was not finished.
func (v *validText) rest() []byte {
	b := v.begun
	if v.begun = nil; len(b) == 0 {
		return nil
	}
	return v.other(nil, b)
}

// validPrefix is the length of the characters that bytes begin with.
func validPrefix(b []byte) int {
	n := 0
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// follow notes what came last.
func (v *validText) follow(b []byte) {
	if len(b) == 0 {
		return
	}
	v.bad = false
	from := max(len(b)-maxAscii, 0)
	at := bytes.LastIndexFunc(b[from:], func(r rune) bool { return r == '\n' || r >= utf8.RuneSelf })
	switch {
	case at >= 0:
		_, size := utf8.DecodeRune(b[from+at:])
		v.ascii = append(v.ascii[:0], b[from+at+size:]...)
	default:
		v.ascii = append(v.ascii, b[from:]...)
		v.ascii = v.ascii[max(len(v.ascii)-maxAscii, 0):]
	}
}

// other appends the text of the rest of a line, which begins with a byte that is not UTF-8.
func (v *validText) other(to, b []byte) []byte {
	before := len(v.ascii)
	line := append(v.ascii, b...)
	v.ascii = nil
	stray := len(bytes.TrimFunc(b, func(r rune) bool { return r < utf8.RuneSelf })) < 2
	if !stray && !charset.Wide(line) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b\b", r) }) {
		text, enc, intact := charset.Decode(line)
		if known := v.enc; known != "" && enc != charset.UTF8 {
			text, enc, intact = charset.As(line, known), known, true
		}
		if intact && enc != charset.UTF8 && enc != charset.Latin1 {
			v.enc, v.bad = enc, false
			return append(to, text[before:]...)
		}
	}
	for _, r := range string(b) {
		if bad := r == utf8.RuneError; !bad || !v.bad {
			to = utf8.AppendRune(to, r)
		}
		v.bad = r == utf8.RuneError
	}
	return to
}

// trim drops blank lines at both ends; the indentation of the first line stays.
func trim(s string) string {
	s = strings.TrimRight(s, " \t\r\n")
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

func firstChars(b []byte, n int) []byte {
	for i, ch := range b {
		if ch&0xc0 != 0x80 {
			if n == 0 {
				return b[:i]
			}
			n--
		}
	}
	return b
}

func lastChars(b []byte, n int) []byte {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]&0xc0 != 0x80 {
			if n--; n == 0 {
				return b[i:]
			}
		}
	}
	return b
}
