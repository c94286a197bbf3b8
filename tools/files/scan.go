package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"unicode/utf8"
)

// window is the part of a file that is read: limit lines from the offset-th on, and
// of each as many characters.
type window struct{ offset, limit, chars int }

// keepBytes is how many bytes of a line are kept: enough for the characters
// shown and for one more, which tells that the line goes on.
func (w window) keepBytes() int { return utf8.UTFMax * (w.chars + 1) }

// rawLine is a line of a page before decoding, without its newline.
type rawLine struct {
	text []byte
	cut  bool // more than window.keepBytes
}

// page is a part of a file, and what is known about the whole of it.
type page struct {
	lines []rawLine
	chars int // of a line that are shown
	total int // lines of the file
	size  int64
	sum   [sha256.Size]byte
	// wide and broken count characters of several bytes and bytes that are not
	// UTF-8.
	wide, broken int
	// open says that the last line has no newline.
	open bool
}

// scanner goes through a file once and keeps only the lines of a page.
type scanner struct {
	page
	first, last int // of the lines to keep, counted from 1
	room        int // bytes of a line to keep
	hash        hash.Hash
	inLine      bool // bytes of the current line were seen
}

// scan reads to the end, keeping the lines of a window. It holds one page in memory,
// whatever the size of the file.
func scan(ctx context.Context, r io.Reader, w window) (*page, error) {
	s := scanner{page: page{chars: w.chars}, first: w.offset, last: w.offset + w.limit - 1, room: w.keepBytes(), hash: sha256.New()}
	buf := make([]byte, 256<<10)
	held := 0 // bytes at the start of buf that begin a character
	for {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read file: %w", context.Cause(ctx))
		}
		n, err := r.Read(buf[held:])
		data := buf[:held+n]
		whole := len(data)
		if err == nil {
			whole -= partialRune(data)
		}
		s.take(data[:whole])
		held = copy(buf, data[whole:])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read file: %w", err)
		}
	}
	if s.inLine {
		s.total++
		s.open = true
	}
	s.hash.Sum(s.sum[:0])
	return &s.page, nil
}

// partialRune is the length of an incomplete character at the end of data.
func partialRune(data []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		tail := data[len(data)-i:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return i
		}
	}
	return 0
}

// take consumes a piece of the file.
func (s *scanner) take(p []byte) {
	s.size += int64(len(p))
	s.hash.Write(p)
	s.countRunes(p)
	p = s.skip(p)
	for len(p) > 0 && s.total < s.last {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			s.keep(p)
			s.inLine = true
			return
		}
		s.keep(p[:end])
		s.total++
		s.inLine = false
		p = p[end+1:]
	}
	if len(p) > 0 {
		s.total += bytes.Count(p, []byte{'\n'})
		s.inLine = p[len(p)-1] != '\n'
	}
}

// skip passes over lines before the page and returns what is left.
func (s *scanner) skip(p []byte) []byte {
	if s.total+1 >= s.first || len(p) == 0 {
		return p
	}
	if n := bytes.Count(p, []byte{'\n'}); s.total+n+1 < s.first {
		s.total += n
		s.inLine = p[len(p)-1] != '\n'
		return nil
	}
	for s.total+1 < s.first {
		p = p[bytes.IndexByte(p, '\n')+1:]
		s.total++
	}
	s.inLine = false
	return p
}

// keep adds to the current line of the page.
func (s *scanner) keep(piece []byte) {
	if !s.inLine {
		s.lines = append(s.lines, rawLine{})
	}
	l := &s.lines[len(s.lines)-1]
	room := s.room - len(l.text)
	if len(piece) > room {
		piece, l.cut = piece[:room], true
	}
	l.text = append(l.text, piece...)
}

// countRunes counts characters of several bytes and damaged bytes.
func (s *scanner) countRunes(p []byte) {
	if utf8.Valid(p) {
		if utf8.RuneCount(p) != len(p) {
			s.wide++
		}
		return
	}
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && size == 1:
			s.broken++
		case size > 1:
			s.wide++
		}
		p = p[size:]
	}
}
