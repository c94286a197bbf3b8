package scrub

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Stream takes an answer apart as it arrives. It belongs to one goroutine. Text
// that cannot be part of a tag passes without an allocation.
type Stream struct {
	rules           Rules
	line            line
	in              *form // the block that is being taken out
	begin           bool  // its next piece is its first
	skip            bool  // white space that comes next is dropped
	leaked, written int
	thought         bool // a block of reasoning was opened, or closed

	// held is what may become a tag. With wait it begins with an opening tag that
	// counts if it is closed: on its line if oneLine. The bytes before looked hold
	// no beginning of its closing tag.
	held    []byte
	wait    *form
	oneLine bool
	looked  int

	out []Piece
}

// New returns a Stream at the beginning of an answer.
func New(r Rules) *Stream {
	return &Stream{rules: r, line: line{code: r&KeepCode != 0}}
}

// Feed takes the next part of the answer and returns what is decided by it. The
// slice is valid until the next call; the texts in it stay.
func (s *Stream) Feed(chunk string) []Piece {
	s.out = s.out[:0]
	if len(s.held) > 0 {
		s.held = append(s.held, chunk...)
		if s.undecided() {
			return nil
		}
		chunk = string(s.held)
	}
	done := s.advance(chunk, false)
	s.held = append(s.held[:0], chunk[done:]...)
	return s.out
}

// Flush ends the answer, complete or not, and returns what was held back: a tag
// without its end is text, what a block without its end holds remains what it is.
// The next Feed begins another answer. The slice is valid until then.
func (s *Stream) Flush() []Piece {
	s.out = s.out[:0]
	s.advance(string(s.held), true)
	*s = Stream{rules: s.rules, line: line{code: s.line.code}, leaked: s.leaked, written: s.written, held: s.held[:0], out: s.out}
	return s.out
}

// Written is how many of the blocks of [Stream.Leaked] are no results.
func (s *Stream) Written() int { return s.written }

// Leaked is how many blocks were given back as [Call] since New.
func (s *Stream) Leaked() int { return s.leaked }

// undecided reports whether the tag that is waited for may still be closed, or not.
func (s *Stream) undecided() bool {
	if s.wait == nil || len(s.held) >= LongestHeld {
		return false
	}
	for i := s.looked; i < len(s.held); i++ {
		switch s.held[i] {
		case '\n':
			if s.oneLine {
				return false
			}
		case '<':
			n := min(len(s.wait.close), len(s.held)-i)
			switch prefix(string(s.held[i:i+n]), s.wait.close) {
			case -1:
				s.looked = i
				return true
			case n:
				return false
			}
		}
	}
	s.looked = len(s.held)
	return true
}

// scan is the work on one piece of text.
type scan struct {
	*Stream
	buf   string
	at    int  // everything before is done with
	final bool // nothing follows buf

	// lineEnd is the first line break from some place on, len(buf) if there is
	// none; it holds for places up to it. A closing tag of forms[i] begins nowhere
	// between the place it was looked for and none[i].
	lineEnd int
	none    *[len(forms)]int
}

// advance works through buf and returns how many bytes of it are done with.
func (s *Stream) advance(buf string, final bool) int {
	s.wait = nil
	sc := scan{Stream: s, buf: buf, final: final, lineEnd: -1}
	for more := true; more && sc.at < len(buf); {
		switch {
		case s.skip:
			more = sc.blank()
		case s.in != nil:
			more = sc.inside()
		default:
			more = sc.outside()
		}
	}
	return sc.at
}

// blank drops white space. Like its siblings it returns false when nothing more
// can be done.
func (sc *scan) blank() bool {
	rest := strings.TrimLeftFunc(sc.buf[sc.at:], unicode.IsSpace)
	sc.at = len(sc.buf) - len(rest)
	if rest == "" || !sc.final && !utf8.FullRuneInString(rest) {
		return false
	}
	sc.skip = false
	return true
}

// inside takes out the block that is open.
func (sc *scan) inside() bool {
	tag := sc.in.close
	if end := index(sc.buf, tag, sc.at, len(sc.buf)); end >= 0 {
		next := end + len(tag)
		if sc.in.rule == HideCalls {
			end = next
		}
		sc.take(sc.buf[sc.at:end])
		sc.at, sc.in = next, nil
		return true
	}
	end := len(sc.buf)
	tail := max(sc.at, end-len(tag)+1)
	if i := strings.LastIndexByte(sc.buf[tail:], '<'); i >= 0 && !sc.final && prefix(sc.buf[tail+i:], tag) < 0 {
		end = tail + i
	}
	sc.take(sc.buf[sc.at:end])
	sc.at = end
	return false
}

// outside shows text up to the next tag that counts.
func (sc *scan) outside() bool {
	seen := sc.at // what is shown up to here is known to line
	for i := sc.at; ; i++ {
		n := strings.IndexByte(sc.buf[i:], '<')
		if n < 0 {
			break
		}
		i += n
		sc.line.see(sc.buf[seen:i])
		sc.line.settle()
		seen = i
		what, f, n := sc.judge(i)
		if what == mention {
			continue
		}
		sc.show(i)
		switch what {
		case opens:
			sc.enter(f, n)
		case ending:
			sc.thought = true
			sc.out = append(sc.out, Piece{Kind: Closing, Begin: true, Text: sc.buf[i : i+n]})
			sc.at, sc.skip = i+n, true
		case stray:
			sc.at, sc.skip = i+n, true
		case waits:
			sc.wait, sc.oneLine, sc.looked = f, f.manner != closed, n
			return false
		case unsure:
			return false
		}
		return true
	}
	end := len(sc.buf)
	if !sc.final {
		end -= unfinished(sc.buf[seen:])
	}
	sc.line.see(sc.buf[seen:end])
	sc.show(end)
	return false
}

// show gives out the text up to a place.
func (sc *scan) show(end int) {
	if sc.at < end {
		sc.out = append(sc.out, Piece{Kind: Text, Text: sc.buf[sc.at:end]})
		sc.at = end
	}
}

// enter begins a block whose opening tag has n bytes.
func (sc *scan) enter(f *form, n int) {
	sc.in, sc.begin = f, true
	switch f.rule {
	case HideReasoning:
		sc.skip, sc.thought = true, true
	case HideCalls:
		if sc.leaked++; !f.result() {
			sc.written++
		}
		sc.take(sc.buf[sc.at : sc.at+n])
	}
	sc.at += n
}

// take gives out text of the block that is open.
func (sc *scan) take(text string) {
	kind := Reasoning
	switch sc.in.rule {
	case HideMemory:
		return
	case HideCalls:
		kind = Call
	}
	if text != "" {
		sc.out = append(sc.out, Piece{Kind: kind, Begin: sc.begin, Text: text})
		sc.begin = false
	}
}
