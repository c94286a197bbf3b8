package tools

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// Lines turns what a program writes to a terminal into the text that a user
// would read there in the end, line by line: carriage return, backspace and the
// sequences that move within a line or erase in it are carried out, all other
// control sequences and characters dropped. Lines above the present one cannot
// be changed again; a program that draws on the whole screen gives a heap of its
// drawings. A character counts as one column.
//
// Memory is bounded: of a line longer than [MaxLine] the beginning is given out
// and stays as it is. The zero value is ready; it belongs to one goroutine at a
// time.
type Lines struct {
	strip Stripper
	cells []rune
	at    int    // the cursor
	part  []byte // the beginning of a character
	out   []byte
	set   bool
}

// MaxLine is how many characters of a line can still be changed.
const MaxLine = 16 << 10

// Text takes a chunk of output and gives the lines, with their ends, that are
// finished now. It is valid until the next call.
func (l *Lines) Text(b []byte) []byte {
	if !l.set {
		l.strip.moves, l.set = l.move, true
	}
	l.out = l.out[:0]
	for _, ch := range b {
		if l.strip.state == stripText && ch != 0x1b && ch != 0xc2 {
			l.next(ch)
			continue
		}
		l.strip.buf = l.strip.buf[:0]
		l.strip.next(ch)
		for _, kept := range l.strip.buf {
			l.next(kept)
		}
	}
	return l.out
}

// Rest gives the line that is not finished, without trailing blanks.
func (l *Lines) Rest() string {
	return string(appendLine(nil, l.cells))
}

// PlainText is the text of a whole output, see [Lines].
func PlainText(output []byte) string {
	var l Lines
	text := bytes.Clone(l.Text(output))
	return string(text) + l.Rest()
}

// widest is the column up to which a sequence moves over nothing.
const widest = 200

func (l *Lines) next(ch byte) {
	if ch < utf8.RuneSelf {
		if len(l.part) > 0 {
			l.part = l.part[:0]
			l.put(utf8.RuneError)
		}
		l.control(ch)
		return
	}
	l.part = append(l.part, ch)
	if !utf8.FullRune(l.part) {
		return
	}
	r, n := utf8.DecodeRune(l.part)
	rest := bytes.Clone(l.part[n:])
	l.part = l.part[:0]
	l.put(r)
	for _, again := range rest { // bytes that did not belong to it
		l.next(again)
	}
}

func (l *Lines) control(ch byte) {
	switch {
	case ch == '\n':
		l.out = append(appendLine(l.out, l.cells), '\n')
		l.cells, l.at = l.cells[:0], 0
	case ch == '\r':
		l.at = 0
	case ch == '\b':
		l.at = max(0, l.at-1)
	case ch == '\t' || ch >= ' ' && ch != 0x7f:
		l.put(rune(ch))
	}
}

// put writes a character at the cursor.
func (l *Lines) put(r rune) {
	if l.at >= MaxLine {
		l.out = appendCells(l.out, l.cells)
		l.cells, l.at = l.cells[:0], 0
	}
	for len(l.cells) < l.at {
		l.cells = append(l.cells, ' ')
	}
	if l.at < len(l.cells) {
		l.cells[l.at] = r
	} else {
		l.cells = append(l.cells, r)
	}
	l.at++
}

// move carries out a sequence that stays within the line.
func (l *Lines) move(params []byte, final byte) {
	n, err := strconv.Atoi(string(params))
	if err != nil {
		n = 0
	}
	step := min(max(n, 1), MaxLine)
	switch final {
	case 'C':
		l.at = min(l.at+step, max(l.at, widest))
	case 'D':
		l.at = max(0, l.at-step)
	case 'G':
		l.at = min(step-1, max(len(l.cells), widest))
	case 'K':
		l.erase(n)
	case 'J':
		if n == 0 { // what is below is not there yet
			l.erase(0)
		}
	}
}

// erase erases to the end of the line (0), from its beginning (1) or all (2).
func (l *Lines) erase(what int) {
	switch what {
	case 0:
		l.cells = l.cells[:min(l.at, len(l.cells))]
	case 1:
		for i := range min(l.at+1, len(l.cells)) {
			l.cells[i] = ' '
		}
	case 2:
		l.cells = l.cells[:0]
	}
}

// appendLine appends a line without trailing blanks.
func appendLine(to []byte, cells []rune) []byte {
	for len(cells) > 0 && cells[len(cells)-1] == ' ' {
		cells = cells[:len(cells)-1]
	}
	return appendCells(to, cells)
}

func appendCells(to []byte, cells []rune) []byte {
	for _, r := range cells {
		to = utf8.AppendRune(to, r)
	}
	return to
}
