package term

import (
	"strconv"
	"unicode/utf8"

	"hermes-tui/tools/unseen"
)

// Sanitize makes text from outside safe to print.
//
// Printable text, tabs, line feeds and colour sequences (ESC [ digits m) stay.
// Every other control character and escape sequence is removed, string controls
// such as window titles with their content. CR LF and a lone CR become a line
// feed. Concealed text is shown, and characters that would reorder or hide text
// appear as marks such as ⟨U+202E⟩. Bytes that are not UTF-8 become U+FFFD. What one
// character has beyond 128 code points, such as marks on a letter, is removed. No
// reset is added: a colour may still be on at the end.
func Sanitize(s string) string {
	return sanitizeWhole(s, false)
}

// Plain is [Sanitize] without colour: what is left is text, tabs and line
// feeds.
func Plain(s string) string {
	return sanitizeWhole(s, true)
}

func sanitizeWhole(s string, plain bool) string {
	z := Sanitizer{NoColor: plain}
	n := z.clean(s, 0)
	if n == len(s) {
		return s
	}
	dst := append(make([]byte, 0, len(s)+16), s[:n]...)
	dst = z.append(dst, s[n:])
	return string(z.end(dst))
}

// maxParams bounds the parameters of a colour sequence in bytes. Longer ones
// are dropped.
const maxParams = 1024

// A Sanitizer does what [Sanitize] does to text that arrives in pieces, however
// it was cut. The zero value is ready.
type Sanitizer struct {
	// NoColor removes colour sequences too.
	NoColor bool

	state state
	// keep is set while a control sequence may turn out to be a colour.
	keep   bool
	params []byte
	// cr is set after a CR became a line feed: a line feed right behind it
	// belongs to it.
	cr bool
	// part holds the first bytes of a character that is not complete yet.
	part []byte
	// shown is the character that was let through last.
	shown cluster
}

// state is where in an escape sequence a Sanitizer stands.
type state uint8

const (
	ground    state = iota
	escape          // after ESC
	escapeMid       // after ESC and an intermediate byte
	control         // in a control sequence, after ESC [
	text            // in a string control
	textEsc         // in a string control, after ESC
)

// Push takes the next piece and returns what of it can be shown. What can't be
// judged yet is held back: the start of a character or of a sequence.
func (z *Sanitizer) Push(piece string) string {
	if z.state != ground || z.cr || len(z.part) > 0 {
		return string(z.append(make([]byte, 0, len(piece)+8), piece))
	}
	n := z.clean(piece, 0)
	if n == len(piece) {
		return piece
	}
	dst := append(make([]byte, 0, len(piece)+8), piece[:n]...)
	return string(z.append(dst, piece[n:]))
}

// Flush ends the text and returns what was held back of it. The Sanitizer is
// then as new.
func (z *Sanitizer) Flush() string {
	return string(z.end(nil))
}

// end appends what an unfinished character gives and starts afresh.
func (z *Sanitizer) end(dst []byte) []byte {
	rest := string(z.part)
	z.part = z.part[:0]
	for i := 0; i < len(rest); {
		dst, i = z.step(dst, rest, i)
	}
	*z = Sanitizer{NoColor: z.NoColor, params: z.params[:0], part: z.part[:0]}
	return dst
}

func (z *Sanitizer) append(dst []byte, s string) []byte {
	if len(z.part) > 0 {
		s = string(z.part) + s
		z.part = z.part[:0]
	}
	for i := 0; i < len(s); {
		if s[i] >= utf8.RuneSelf && !utf8.FullRuneInString(s[i:]) {
			z.part = append(z.part, s[i:]...)
			return dst
		}
		if z.state == ground && !z.cr {
			if n := z.clean(s, i); n > i {
				dst, i = append(dst, s[i:n]...), n
				continue
			}
		}
		dst, i = z.step(dst, s, i)
	}
	return dst
}

// step takes the character at s[i] and returns the index of the next one to
// take. The same one is returned when it ended a sequence that it is no part
// of.
func (z *Sanitizer) step(dst []byte, s string, i int) ([]byte, int) {
	switch z.state {
	case escape, escapeMid:
		return dst, z.inEscape(s[i], i)
	case control:
		return z.inControl(dst, s[i], i)
	case text:
		return dst, z.inText(s, i)
	case textEsc:
		if z.state = escape; s[i] == '\\' {
			z.state = ground
			return dst, i + 1
		}
		return dst, i
	}
	return z.inGround(dst, s, i)
}

func (z *Sanitizer) inGround(dst []byte, s string, i int) ([]byte, int) {
	c, cr := s[i], z.cr
	z.cr = false
	if c < utf8.RuneSelf && c != esc {
		z.shown = cluster{}
	}
	switch {
	case c == '\n' && cr:
		return dst, i + 1
	case c == '\n' || c == '\t' || c >= 0x20 && c < 0x7f:
		return append(dst, c), i + 1
	case c == '\r':
		z.cr = true
		return append(dst, '\n'), i + 1
	case c == esc:
		z.state = escape
		return dst, i + 1
	case c < utf8.RuneSelf:
		return dst, i + 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if b, ok := c1(r, n, c); ok {
		z.introduce(b)
		return dst, i + n
	}
	switch {
	case r == utf8.RuneError && n == 1:
		dst = utf8.AppendRune(dst, utf8.RuneError)
	case z.hidden(r):
		z.shown, dst = cluster{selected: z.shown.selected}, appendMark(dst, r)
	default:
		var fits bool
		if z.shown, fits = z.shown.next(r); fits {
			dst = append(dst, s[i:i+n]...)
		}
	}
	return dst, i + n
}

// introduce begins what an 8-bit control begins. Colours in 8-bit form are not
// kept.
func (z *Sanitizer) introduce(c byte) {
	switch c {
	case 0x9b:
		z.state, z.keep = control, false
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f:
		z.state = text
	}
}

// inEscape takes a byte after ESC.
func (z *Sanitizer) inEscape(c byte, i int) int {
	first := z.state == escape
	switch {
	case first && c == '[':
		z.state, z.keep, z.params = control, !z.NoColor, z.params[:0]
	case first && (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'):
		z.state = text
	case c >= 0x20 && c < 0x30:
		z.state = escapeMid
	case c >= 0x30 && c < 0x7f:
		z.state = ground
	default:
		return z.interrupt(c, i)
	}
	return i + 1
}

// inControl takes a byte of a control sequence.
func (z *Sanitizer) inControl(dst []byte, c byte, i int) ([]byte, int) {
	switch {
	case c >= '0' && c <= ';':
		if z.keep = z.keep && len(z.params) < maxParams; z.keep {
			z.params = append(z.params, c)
		}
	case c >= 0x20 && c < 0x40:
		z.keep = false
	case c >= 0x40 && c < 0x7f:
		z.state = ground
		if c == 'm' && z.keep {
			dst = appendColor(dst, z.params)
		}
	default:
		return dst, z.interrupt(c, i)
	}
	return dst, i + 1
}

// interrupt deals with a byte that can't be a part of a sequence. What stays in
// the text ends the sequence and is taken again; other controls are ignored, as
// terminals do.
func (z *Sanitizer) interrupt(c byte, i int) int {
	switch {
	case c == esc:
		z.state = escape
	case c == can || c == sub:
		z.state = ground
	case c == '\n' || c == '\r' || c == '\t' || c >= utf8.RuneSelf:
		z.state = ground
		return i
	}
	return i + 1
}

// inText takes a character of a string control. A line break ends it, so that
// one that is never closed hides no later line.
func (z *Sanitizer) inText(s string, i int) int {
	switch c := s[i]; {
	case c == '\n' || c == '\r':
		z.state = ground
		return i
	case c == bel || c == can || c == sub:
		z.state = ground
	case c == esc:
		z.state = textEsc
	case c >= utf8.RuneSelf:
		r, n := utf8.DecodeRuneInString(s[i:])
		if b, ok := c1(r, n, c); ok && b == 0x9c {
			z.state = ground
		} else if ok && (b == 0x90 || b == 0x98 || b >= 0x9b) {
			z.state = ground
			return i
		}
		return i + n
	}
	return i + 1
}

// The control characters with a meaning of their own.
const (
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// c1 reports whether a decoded character is an 8-bit control, as a lone byte or
// as a character of its own.
func c1(r rune, n int, first byte) (byte, bool) {
	if r == utf8.RuneError && n == 1 {
		return first, first < 0xa0
	}
	return byte(r), r >= 0x80 && r < 0xa0
}

// hidden reports whether a character reorders what stands around it or can't be seen
// itself. What scripts and emoji need, such as joiners, is shown as it is, and so is one
// selector behind a character; those that follow it hide bytes.
func (z *Sanitizer) hidden(r rune) bool {
	return unseen.Hides(r) && (!unseen.Part(r) || z.shown.selected && unseen.Selects(r))
}

func appendMark(dst []byte, r rune) []byte {
	dst = append(dst, "⟨U+"...)
	hex := strconv.AppendUint(make([]byte, 0, 8), uint64(r), 16)
	for range 4 - len(hex) {
		dst = append(dst, '0')
	}
	for _, c := range hex {
		if c >= 'a' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return append(dst, "⟩"...)
}

// clean returns the end of the text from i on that needs no change.
func (z *Sanitizer) clean(s string, i int) int {
	for i < len(s) {
		for i+8 <= len(s) && printable8(s[i:i+8]) {
			i, z.shown = i+8, cluster{}
		}
		if i == len(s) {
			return i
		}
		c := s[i]
		switch {
		case c >= 0x20 && c < 0x7f, c == '\n', c == '\t':
			i, z.shown = i+1, cluster{}
		case c < utf8.RuneSelf:
			return i
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r < 0xa0 || r == utf8.RuneError && n == 1 || z.hidden(r) {
				return i
			}
			shown, fits := z.shown.next(r)
			if !fits {
				return i
			}
			i, z.shown = i+n, shown
		}
	}
	return i
}

// printable8 reports whether all of the first eight bytes are printable ASCII.
func printable8(s string) bool {
	_ = s[7]
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	const ones, high = 0x0101010101010101, 0x8080808080808080
	below := (v - 0x20*ones) &^ v // high bit: below 0x20
	above := v + ones             // high bit: 0x7f
	return (v|below|above)&high == 0
}
