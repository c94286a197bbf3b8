package tools

// Stripper removes control sequences of terminals from a stream. Sequences may
// be split over chunks. One that does not end is given up after a bounded
// length, so that it cannot hide the rest. The zero value is ready; it belongs to
// one goroutine at a time.
type Stripper struct {
	state  stripState
	length int // of the present sequence
	buf    []byte
	// moves, when set, hears the sequences "ESC [ params final" as they end.
	moves  func(params []byte, final byte)
	params []byte
}

type stripState int

const (
	stripText      stripState = iota
	stripEscape               // ESC was seen
	stripControl              // ESC [ …
	stripString               // ESC ] … and other strings
	stripStringEnd            // ESC inside a string
	stripHigh                 // C2, which begins the 8-bit forms in UTF-8
)

// Longest sequences, in bytes.
const (
	maxControl = 256
	maxString  = 4096
	maxParams  = 16 // as far as they are looked at
)

// Text gives what is left of a chunk. It is valid until the next call.
func (s *Stripper) Text(b []byte) []byte {
	if s.state == stripText && plain(b) {
		return b
	}
	s.buf = s.buf[:0]
	for _, ch := range b {
		s.next(ch)
	}
	return s.buf
}

// plain tells that a chunk holds nothing to remove.
func plain(b []byte) bool {
	for _, ch := range b {
		if ch == 0x1b || ch == 0xc2 {
			return false
		}
	}
	return true
}

func (s *Stripper) enter(state stripState) { s.state, s.length, s.params = state, 0, s.params[:0] }

func (s *Stripper) next(ch byte) {
	s.length++
	switch s.state {
	case stripText:
		s.plain(ch)
	case stripEscape:
		s.escape(ch)
	case stripControl:
		switch {
		case ch >= 0x40 && ch <= 0x7e:
			if s.moves != nil {
				s.moves(s.params, ch)
			}
			s.enter(stripText)
		case ch < 0x20 || ch > 0x7e || s.length > maxControl:
			s.enter(stripText)
			s.plain(ch)
		case s.moves != nil && len(s.params) < maxParams:
			s.params = append(s.params, ch)
		}
	case stripString:
		switch {
		case ch == 0x07:
			s.enter(stripText)
		case ch == 0x1b:
			s.state = stripStringEnd
		case ch == '\n' || s.length > maxString:
			s.enter(stripText)
			s.plain(ch)
		}
	case stripStringEnd:
		if ch == '\\' {
			s.enter(stripText)
			return
		}
		s.enter(stripEscape)
		s.escape(ch)
	case stripHigh:
		s.high(ch)
	}
}

func (s *Stripper) plain(ch byte) {
	switch ch {
	case 0x1b:
		s.enter(stripEscape)
	case 0xc2:
		s.enter(stripHigh)
	default:
		s.buf = append(s.buf, ch)
	}
}

func (s *Stripper) escape(ch byte) {
	switch {
	case ch == '[':
		s.enter(stripControl)
	case ch == ']' || ch == 'P' || ch == 'X' || ch == '^' || ch == '_':
		s.enter(stripString)
	case ch >= 0x20 && ch <= 0x2f: // one more byte follows
	case ch >= 0x30 && ch <= 0x7e:
		s.enter(stripText)
	default:
		s.enter(stripText)
		s.plain(ch)
	}
}

// high handles what follows C2: the control characters from U+0080 to U+009F,
// or ordinary ones.
func (s *Stripper) high(ch byte) {
	s.enter(stripText)
	switch {
	case ch == 0x9b:
		s.enter(stripControl)
	case ch == 0x90 || ch == 0x98 || ch == 0x9d || ch == 0x9e || ch == 0x9f:
		s.enter(stripString)
	case ch >= 0x80 && ch <= 0x9f:
	case ch >= 0xa0 && ch <= 0xbf:
		s.buf = append(s.buf, 0xc2, ch)
	default:
		s.buf = append(s.buf, 0xc2)
		s.plain(ch)
	}
}
