package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

// openFence is a code fence at the end of a stream that has not closed yet. Its
// lines are drawn as they complete.
type openFence struct {
	fenceMark
	active bool
	next   int // the first line of the source that is not drawn yet
	lines  int // drawn
}

// fenceMark is what opens a fence.
type fenceMark struct {
	char   byte
	length int // 0 for no fence
}

// fenceAt takes a block that ends a source as an open fence. Fences that are
// set in are left to the parser.
func fenceAt(n ast.Node, src []byte) (openFence, bool) {
	if n.Kind() != ast.KindFencedCodeBlock || n.NextSibling() != nil {
		return openFence{}, false
	}
	at := start(n, src)
	if at < 0 || n.Pos() != at {
		return openFence{}, false
	}
	line := bytes.IndexByte(src[at:], '\n')
	if line < 0 {
		return openFence{}, false
	}
	char := src[at]
	return openFence{fenceMark{char, run0(src[at:], char)}, true, at + line + 1, 0}, true
}

// run0 counts how often a byte stands at the start of a line.
func run0(line []byte, c byte) int {
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	return n
}

// closes reports whether a line, without its line feed, closes the fence.
func (f fenceMark) closes(line []byte) bool {
	body := bytes.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return false
	}
	n := run0(body, f.char)
	return n >= f.length && len(bytes.TrimSpace(body[n:])) == 0
}

// beginFence takes the last block of a part, drawn up to there, as an open
// fence. It reports false when it is none.
func (s *Stream) beginFence(n ast.Node, part []byte) bool {
	f, ok := fenceAt(n, part)
	if !ok {
		return false
	}
	// The part ends where the source does.
	f.next += len(s.src) - len(part)
	s.fence = f
	before := len(s.rows)
	if info := n.(*ast.FencedCodeBlock).Info; info != nil {
		s.rows = s.m.renderer(part, s.st, &s.lexer).label(s.rows, string(info.Segment.Value(part)), s.w)
	}
	s.ready = len(s.rows)
	if s.drawFence() {
		return true
	}
	s.rows, s.ready = s.rows[:before], s.kept
	return false
}

// drawFence draws the lines of the open fence that are new. It reports false
// when the fence closes: then the whole of it is to be drawn, in colour.
func (s *Stream) drawFence() bool {
	f := &s.fence
	rest := s.src[f.next:]
	s.rows = s.rows[:s.ready]
	r := s.m.renderer(nil, s.st, &s.lexer)
	for {
		end := bytes.IndexByte(rest, '\n')
		line := rest
		if end >= 0 {
			line = rest[:end]
		}
		if f.closes(line) {
			if s.seam.code.length > 0 {
				return true // what follows is another part
			}
			*f = openFence{}
			return false
		}
		if end < 0 {
			break
		}
		s.rows = r.plainCode(s.rows, line, s.w)
		s.ready = len(s.rows)
		f.lines++
		f.next += end + 1
		rest = rest[end+1:]
	}
	if len(rest) > 0 || f.lines == 0 {
		s.rows = r.plainCode(s.rows, rest, s.w)
	}
	return true
}

// unclosed finds a fence inside other blocks that has not closed when the
// source ends.
func unclosed(doc ast.Node, src []byte) ast.Node {
	n := doc
	for n.LastChild() != nil && n.LastChild().Type() == ast.TypeBlock {
		n = n.LastChild()
	}
	if n.Kind() != ast.KindFencedCodeBlock {
		return nil
	}
	at := start(n, src)
	if at < 0 {
		return nil
	}
	if l := n.Lines(); l.Len() > 0 {
		at = l.At(l.Len() - 1).Stop
	} else if end := bytes.IndexByte(src[at:], '\n'); end >= 0 {
		at += end + 1
	} else {
		return n
	}
	rest := bytes.TrimLeft(src[at:], "> \t\n")
	if run0(rest, '`') >= 3 || run0(rest, '~') >= 3 {
		return nil
	}
	return n
}
