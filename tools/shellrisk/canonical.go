package shellrisk

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds within which blanks are shown as they are.
const (
	maxBlanks     = 32 // spaces and tabs side by side
	maxEmptyLines = 2  // lines of nothing but blanks, one after the other
	maxMarks      = 4  // combining marks on one character
)

// Canonical writes a command so that nothing in it hides. What leaves no mark
// of its own, changes the direction of the text, imitates a quote or a blank,
// or is no character at all is spelled as ⟨U+202E⟩ or ⟨0xFF⟩; long runs of
// blanks and empty lines are counted, as ⟨412 spaces⟩. The sign ⟨ itself is
// spelled, so no command can imitate this. Line breaks stay. Nothing is cut:
// two commands with the same canonical form differ in the kinds of blanks of a
// counted run at most.
func Canonical(command string) string {
	if plainText(command) {
		return command
	}
	c := canonicaliser{s: command}
	c.b.Grow(len(command) + 64)
	for c.i < len(c.s) {
		c.next()
	}
	return c.b.String()
}

// plainText tells that a text needs no work: it is short of blanks to count and
// holds printable ASCII only.
func plainText(s string) bool {
	run := 0
	for i := range len(s) {
		switch ch := s[i]; {
		case ch == ' ' || ch == '\n':
			if run++; run > maxEmptyLines {
				return false
			}
		case ch > ' ' && ch < 0x7f:
			run = 0
		default:
			return false
		}
	}
	return true
}

type canonicaliser struct {
	s      string
	i      int
	b      strings.Builder
	before rune
	marks  int
}

// next writes one character, or one run of blanks.
func (c *canonicaliser) next() {
	if strings.IndexByte(" \t\n", c.s[c.i]) >= 0 {
		c.blanks()
		return
	}
	r, size := utf8.DecodeRuneInString(c.s[c.i:])
	if r == utf8.RuneError && size == 1 {
		c.b.WriteString(spellByte(c.s[c.i]))
		c.i++
		c.before = r
		return
	}
	after, _ := utf8.DecodeRuneInString(c.s[c.i+size:])
	if unicode.Is(unicode.M, r) {
		c.marks++
	} else {
		c.marks = 0
	}
	if c.marks > maxMarks || deceives(r) && !joins(c.before, r, after) {
		c.b.WriteString(SpellRune(r))
	} else {
		c.b.WriteRune(r)
	}
	c.before = r
	c.i += size
}

// deceives reports whether a character hides, or passes for another one.
func deceives(r rune) bool {
	if r < 0x7f && r > ' ' {
		return false
	}
	if hides(r) || r != ' ' && isBlank(r) || !unicode.IsGraphic(r) {
		return true
	}
	switch r {
	case '⟨', '⟩':
		return true
	case '\u02b9', '\u02ba', '\u02bb', '\u02bc', '\u02bd', '\u02ca', '\u02cb', '\u02c8', '\u02ee', '\u055a', '\u05f3', '\u05f4',
		'\u07f4', '\u07f5', '\u1fbd', '\u1fbf', '\u1fef', '\u1ffd', '\u1ffe',
		'\u2018', '\u2019', '\u201a', '\u201b', '\u201c', '\u201d', '\u201e', '\u201f',
		'\u2032', '\u2033', '\u2034', '\u2035', '\u2036', '\u275b', '\u275c', '\u275d', '\u275e',
		'\u301d', '\u301e', '\u301f', '\ua78b', '\ua78c', '\uff02', '\uff07', '\uff40':
		return true // look like quotes
	case '\u037e', '\u2024', '\u2044', '\u2215', '\u29f8', '\u2223', '\u01c0', '\uff04', '\uff06', '\uff0f', '\uff1b',
		'\uff5c', '\uff1c', '\uff1e', '\u2039', '\u203a', '\uff3c', '\u2216', '\u29f5', '\u2010', '\u2011', '\u2012', '\u2212', '\uff0d':
		return true // look like signs of the shell, slashes and dashes
	}
	return false
}

// blanks writes a run of blanks and line breaks.
func (c *canonicaliser) blanks() {
	start := c.i
	for c.i < len(c.s) && strings.IndexByte(" \t\n", c.s[c.i]) >= 0 {
		c.i++
	}
	lines := strings.Split(c.s[start:c.i], "\n")
	c.before = ' '
	c.marks = 0
	if empty := len(lines) - 2; empty > maxEmptyLines {
		c.line(lines[0])
		c.b.WriteByte('\n')
		fmt.Fprintf(&c.b, "⟨%d empty lines⟩\n", empty)
		c.line(lines[len(lines)-1])
		return
	}
	for i, line := range lines {
		if i > 0 {
			c.b.WriteByte('\n')
		}
		c.line(line)
	}
}

// line writes blanks of one line.
func (c *canonicaliser) line(blanks string) {
	tabs := strings.Count(blanks, "\t")
	switch n := len(blanks); {
	case n <= maxBlanks && tabs <= maxBlanks/8:
		c.b.WriteString(blanks)
	case tabs == 0:
		fmt.Fprintf(&c.b, "⟨%d spaces⟩", n)
	case tabs == n:
		fmt.Fprintf(&c.b, "⟨%d tabs⟩", n)
	default:
		fmt.Fprintf(&c.b, "⟨%d spaces and tabs⟩", n)
	}
}
