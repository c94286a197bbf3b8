package term

import (
	"io"
	"strings"
	"unicode/utf8"
)

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// standIn takes the place of ESC in a paste on its way through the decoder; see
// [Pasted].
const standIn = 0x1a

// Pasted gives the text of a paste as it was: with its escape characters, which
// [CleanPastes] hides from the decoder of the input. Whoever shows the text makes
// it safe, whole sequences at once.
func Pasted(text string) string { return strings.ReplaceAll(text, string(rune(standIn)), "\x1b") }

// CleanPastes returns a reader of the keys and answers of a terminal in which
// no pasted text contains the beginning of an escape sequence. Without that, an
// unfinished sequence in a paste hides the end of the paste from whoever
// decodes the input, and everything typed later is taken for pasted text.
//
// Between the markers ESC [ 200 ~ and ESC [ 201 ~, ESC becomes another control
// character, see [Pasted], and every byte that isn't part of UTF-8 (among these
// the 8-bit controls 0x80 to 0x9f) is removed. Of a paste only what may still become its end marker or one
// character is held back, at most 5 bytes; the end marker comes in one piece if
// the buffer of the caller has room for it. Outside of a paste all bytes pass
// unchanged and at once. What is held back when the input ends is dropped.
//
// A buffer of 6 bytes or more always has room for everything that isn't held back. The
// reader belongs to one goroutine.
func CleanPastes(r io.Reader) io.Reader {
	return &pasteReader{r: r}
}

// pasteReader is the state of [CleanPastes].
type pasteReader struct {
	r      io.Reader
	inside bool
	// seen is how many bytes of the next marker were read last.
	seen int
	// part holds the first bytes of a character of the paste.
	part []byte
	// out is what is ready; it outlives a Read only if the buffer was too small.
	out []byte
}

// Read implements [io.Reader].
func (c *pasteReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(c.out) > 0 {
		return c.take(p), nil
	}
	n, err := c.r.Read(p[:max(1, len(p)-c.held())])
	for _, b := range p[:n] {
		c.add(b)
	}
	n = c.take(p)
	if len(c.out) > 0 {
		err = nil // the next read from r tells it again
	}
	return n, err
}

// held is how many bytes are held back.
func (c *pasteReader) held() int {
	if c.inside {
		return c.seen + len(c.part)
	}
	return 0
}

// take moves what is ready to p.
func (c *pasteReader) take(p []byte) int {
	n := copy(p, c.out)
	c.out = c.out[:copy(c.out, c.out[n:])]
	return n
}

func (c *pasteReader) add(b byte) {
	if c.inside {
		c.addInside(b)
		return
	}
	c.out = append(c.out, b)
	c.follow(b, pasteStart)
}

// addInside takes a byte of a paste or of its end marker.
func (c *pasteReader) addInside(b byte) {
	seen := c.seen
	if c.follow(b, pasteEnd); !c.inside {
		c.out = append(c.out, pasteEnd...)
		return
	}
	if c.seen > 0 && c.seen == seen+1 {
		if b == esc {
			c.part = c.part[:0] // a character ends before it is complete
		}
		return
	}
	if seen > 0 { // it was not the marker: all of it is text
		c.out = append(append(c.out, standIn), pasteEnd[1:seen]...)
	}
	if b != esc {
		c.addText(b)
	}
}

// follow counts how much of the marker is there and turns inside around when it
// is complete. ESC is nowhere but at the beginning of a marker.
func (c *pasteReader) follow(b byte, marker string) {
	switch {
	case b == marker[c.seen]:
		c.seen++
	case b == esc:
		c.seen = 1
	default:
		c.seen = 0
	}
	if c.seen == len(marker) {
		c.inside, c.seen = !c.inside, 0
	}
}

// addText takes a byte of pasted text.
func (c *pasteReader) addText(b byte) {
	if b < utf8.RuneSelf {
		c.part = c.part[:0]
		c.out = append(c.out, b)
		return
	}
	c.part = append(c.part, b)
	for len(c.part) > 0 && utf8.FullRune(c.part) {
		r, n := utf8.DecodeRune(c.part)
		if r != utf8.RuneError || n > 1 {
			c.out = append(c.out, c.part[:n]...)
		}
		c.part = c.part[:copy(c.part, c.part[n:])]
	}
}
