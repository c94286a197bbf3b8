package chat

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// shape is what the events of a running text have in common. Nearly all events
// of an answer are equal but for one string; once that string's place is known,
// the next event can be read by comparing the bytes around it, which is much
// cheaper than decoding it. The zero value matches nothing.
type shape struct {
	before, after []byte // without the quotes of the string
	field         string // the field of the message that the string is

	tried bool // whether learn was ever at work
	used  bool // whether an event has matched
	pause int  // how many events learn lets pass after an attempt in vain
	left  int  // how many of them are left
}

// maxPause keeps the price of learning low where every event differs in more
// than its text.
const maxPause = 255

const fieldContent = "content"

// match gives the text of an event of this shape.
func (s *shape) match(raw []byte) (string, bool) {
	if s.before == nil || len(raw) < len(s.before)+len(s.after)+2 || !bytes.HasPrefix(raw, s.before) || !bytes.HasSuffix(raw, s.after) {
		return "", false
	}
	literal := raw[len(s.before) : len(raw)-len(s.after)]
	if middle := literal[1 : len(literal)-1]; literal[0] == '"' && literal[len(literal)-1] == '"' && isPlain(middle) {
		return string(middle), true
	}
	var text string
	if literal[0] != '"' || json.Unmarshal(literal, &text) != nil {
		return "", false
	}
	return text, true
}

// isPlain reports whether the inside of a JSON string stands for itself.
func isPlain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.Valid(b)
}

// learn takes the shape of an event that added one text and nothing else.
func (s *shape) learn(c *chunk, raw []byte) {
	field, text := onlyText(c)
	if text == "" {
		return
	}
	if s.left > 0 {
		s.left--
		return
	}
	if s.used {
		s.pause = 0
	} else if s.tried {
		s.pause = min(2*s.pause+1, maxPause)
	}
	s.tried, s.used, s.left = true, false, s.pause
	if before, after, ok := find(raw, field, text); ok {
		s.before, s.after, s.field = before, after, field
	}
}

// find takes an event apart around its text. That the string found is the one
// that counts is tried out with another text.
func find(raw []byte, field, text string) (before, after []byte, ok bool) {
	literal, err := json.Marshal(text)
	if err != nil || string(literal[1:len(literal)-1]) != text {
		return nil, nil, false
	}
	key := []byte(`"` + field + `":`)
	at := bytes.Index(raw, key)
	if at < 0 {
		return nil, nil, false
	}
	at += len(key)
	at += len(raw[at:]) - len(bytes.TrimLeft(raw[at:], " "))
	if !bytes.HasPrefix(raw[at:], literal) {
		return nil, nil, false
	}
	before, after = bytes.Clone(raw[:at]), bytes.Clone(raw[at+len(literal):])
	probe := append(append(bytes.Clone(before), `"`+text+`!"`...), after...)
	var again chunk
	if json.Unmarshal(probe, &again) != nil {
		return nil, nil, false
	}
	f, t := onlyText(&again)
	return before, after, f == field && t == text+"!"
}

// onlyText gives the text of a chunk that holds nothing else, and its field.
func onlyText(c *chunk) (field, text string) {
	if len(c.Choices) != 1 || transport.Given(c.Usage) || c.failed() {
		return "", ""
	}
	choice := &c.Choices[0]
	p := &choice.Delta
	if choice.other() || choice.Message != nil || choice.Finish != "" || transport.Given(choice.Usage) ||
		p.Extra.Thought || p.Content.thinking != "" || p.Refusal != "" || len(p.Details) > 0 || len(p.Calls) > 0 {
		return "", ""
	}
	for _, f := range []struct{ name, text string }{
		{fieldContent, p.Content.text}, {itemReasoningContent, string(p.ReasoningContent)}, {itemReasoning, string(p.Reasoning)},
	} {
		if f.text == "" {
			continue
		}
		if text != "" {
			return "", ""
		}
		field, text = f.name, f.text
	}
	return field, text
}

// piece makes the piece that an event of this shape with a text holds.
func (s *shape) piece(content string) (p piece) {
	switch s.field {
	case fieldContent:
		p.Content.text = content
	case itemReasoningContent:
		p.ReasoningContent = text(content)
	case itemReasoning:
		p.Reasoning = text(content)
	}
	return p
}

// known decodes an event of the known shape.
func (d *decoder) known(raw []byte, out []providers.Delta) ([]providers.Delta, bool) {
	content, ok := d.shape.match(raw)
	if !ok {
		return out, false
	}
	d.shape.used = true
	p := d.shape.piece(content)
	return d.piece(&p, out), true
}
