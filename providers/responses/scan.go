package responses

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai"
)

// scan reads the events of which an answer has thousands: pieces of text, reasoning
// and arguments. It is much cheaper than decoding, because it looks at each byte
// once and builds nothing. It gives up, and e is void, where it meets anything
// that such events do not have, or that a decoder would have to judge.
func (d *decoder) scan(raw []byte, e *event) bool {
	if len(raw) < 2 || raw[0] != '{' {
		return false
	}
	s := scanner{raw: raw, at: 1}
	for {
		key, ok := s.text()
		if !ok || !s.byte(':') || !d.member(&s, key, e) {
			return false
		}
		switch {
		case s.byte(','):
		case s.byte('}'):
			s.space()
			return s.at == len(raw) && e.Type != ""
		default:
			return false
		}
	}
}

// member reads the value of a key.
func (d *decoder) member(s *scanner, key []byte, e *event) bool {
	switch string(key) {
	case "type":
		v, ok := s.text()
		e.Type = pieceType(v)
		return ok && e.Type != ""
	case "delta":
		return s.string(&e.Delta)
	case "item_id":
		v, ok := s.text()
		if string(v) != d.id {
			d.id = string(v)
		}
		e.ItemID = text(d.id)
		return ok
	case "output_index":
		e.Output = new(number)
		return s.number(e.Output)
	case "content_index":
		return s.number(&e.Content)
	case "summary_index":
		return s.number(&e.Summary)
	case "text", "refusal", "arguments", "item", "response", "error":
		return false
	}
	return plainKey(key) && s.skip()
}

// pieceType knows the types that are read here.
func pieceType(v []byte) text {
	switch t := openai.ResponseStreamEventType(v); t {
	case openai.ResponseStreamEventOutputTextDelta:
		return text(openai.ResponseStreamEventOutputTextDelta)
	case openai.ResponseStreamEventFunctionArgumentsDelta:
		return text(openai.ResponseStreamEventFunctionArgumentsDelta)
	case openai.ResponseStreamEventReasoningSummaryTextDelta:
		return text(openai.ResponseStreamEventReasoningSummaryTextDelta)
	case openai.ResponseStreamEventReasoningTextDelta:
		return text(openai.ResponseStreamEventReasoningTextDelta)
	}
	return ""
}

// plainKey tells keys that a decoder cannot take for one of those above, as it does
// not look at the case of letters.
func plainKey(key []byte) bool {
	for _, c := range key {
		if (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// scanner goes through a JSON object. Its methods are false where it has to give up.
type scanner struct {
	raw []byte
	at  int
}

// space passes over white space.
func (s *scanner) space() {
	for s.at < len(s.raw) {
		switch s.raw[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// byte passes over one byte and the white space before it.
func (s *scanner) byte(c byte) bool {
	s.space()
	if s.at >= len(s.raw) || s.raw[s.at] != c {
		return false
	}
	s.at++
	return true
}

// text reads a string that stands for itself.
func (s *scanner) text() ([]byte, bool) {
	v, plain, ok := s.quoted()
	return v, ok && plain
}

// string reads a string.
func (s *scanner) string(to *text) bool {
	v, plain, ok := s.quoted()
	if !ok {
		return false
	}
	if plain {
		*to = text(v)
		return true
	}
	var decoded string
	if json.Unmarshal(s.raw[s.at-len(v)-2:s.at], &decoded) != nil {
		return false
	}
	*to = text(decoded)
	return true
}

// quoted finds the inside of a string, and reports whether it stands for itself.
func (s *scanner) quoted() (v []byte, plain, ok bool) {
	if !s.byte('"') {
		return nil, false, false
	}
	from, ascii := s.at, true
	plain = true
	for ; s.at < len(s.raw); s.at++ {
		switch c := s.raw[s.at]; {
		case c == '"':
			v = s.raw[from:s.at]
			s.at++
			return v, plain && (ascii || utf8.Valid(v)), true
		case c == '\\':
			plain = false
			s.at++
		case c < ' ':
			return nil, false, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false, false
}

// number reads a small whole number.
func (s *scanner) number(to *number) bool {
	s.space()
	from, n := s.at, 0
	for ; s.at < len(s.raw) && '0' <= s.raw[s.at] && s.raw[s.at] <= '9'; s.at++ {
		if s.at-from >= 9 {
			return false
		}
		n = 10*n + int(s.raw[s.at]-'0')
	}
	if s.at == from || s.raw[from] == '0' && s.at-from > 1 {
		return false
	}
	*to = number(n)
	return true
}

// skip passes over a value that has no inside.
func (s *scanner) skip() bool {
	s.space()
	if s.at >= len(s.raw) {
		return false
	}
	var n number
	switch s.raw[s.at] {
	case '"':
		_, plain, ok := s.quoted()
		return ok && plain
	case '[':
		s.at++
		return s.byte(']')
	case 'n':
		return s.word("null")
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	}
	return s.number(&n)
}

func (s *scanner) word(w string) bool {
	if len(s.raw)-s.at < len(w) || string(s.raw[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}
