package uitest

// scanner takes the operating system commands (ESC ] … BEL) out of a program's
// output. The emulator ends them at the byte 0x9C, which is a part of many
// letters in UTF-8, and cuts titles and addresses at a semicolon.
type scanner struct {
	// text gets everything else, in pieces.
	text func([]byte)
	// command gets what stands between ESC ] and its end.
	command func(payload string)

	state   scanState
	payload []byte
}

type scanState int

const (
	inGround  scanState = iota
	inEscape            // after ESC, which was not passed on
	inCommand           // after ESC ]
	inString            // in another string control, whose content is passed on
)

// maxCommand bounds one command in bytes; a longer one is passed on cut.
const maxCommand = 8 << 20

// feed reads output. Sequences may be spread over any number of calls.
func (s *scanner) feed(p []byte) {
	start := 0 // of what is to be passed on
	for i, b := range p {
		switch s.state {
		case inGround, inString:
			if b == 0x1b {
				s.pass(p[start:i])
				s.state = inEscape
			} else if s.state == inString && (b == 0x18 || b == 0x1a) {
				s.state = inGround
			}
		case inEscape:
			start = s.escape(b, i)
		case inCommand:
			s.collect(b)
			start = i + 1
		}
	}
	if s.state == inGround || s.state == inString {
		s.pass(p[start:])
	}
}

func (s *scanner) pass(p []byte) {
	if len(p) > 0 {
		s.text(p)
	}
}

// escape looks at the byte after ESC, at index i, and returns where passing on
// continues.
func (s *scanner) escape(b byte, i int) int {
	if b == ']' {
		s.state, s.payload = inCommand, s.payload[:0]
		return i + 1
	}
	s.text([]byte{0x1b})
	switch b {
	case 'P', 'X', '^', '_':
		s.state = inString
	case 0x1b: // the next one counts
		return i + 1
	default:
		s.state = inGround
	}
	return i
}

// collect adds a byte to a command or ends it.
func (s *scanner) collect(b byte) {
	switch b {
	case 0x07:
		s.state = inGround
		s.command(string(s.payload))
	case 0x1b: // of the string terminator, or of what cuts it off
		s.state = inEscape
		s.command(string(s.payload))
	case 0x18, 0x1a:
		s.state = inGround
	default:
		if len(s.payload) < maxCommand {
			s.payload = append(s.payload, b)
		}
	}
}

// open reports whether a sequence was begun and not ended.
func (s *scanner) open() bool { return s.state != inGround }
