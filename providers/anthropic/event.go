package anthropic

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// event is one event of an answer. Only what is used is in it.
type event struct {
	Type    text            `json:"type"`
	Index   int             `json:"index"`
	Message *message        `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   piece           `json:"delta"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// message is an answer: its beginning in a stream, or a whole one.
type message struct {
	Type    text              `json:"type"`
	Content []json.RawMessage `json:"content"`
	Reason  text              `json:"stop_reason"`
	Details details           `json:"stop_details"`
	Usage   json.RawMessage   `json:"usage"`
}

// details say more about a refusal.
type details struct {
	Explanation text `json:"explanation"`
}

// piece is what an event adds to a block, or to the message.
type piece struct {
	Type      text    `json:"type"`
	Text      text    `json:"text"`
	Thinking  text    `json:"thinking"`
	Signature text    `json:"signature"`
	JSON      text    `json:"partial_json"`
	Reason    text    `json:"stop_reason"`
	Details   details `json:"stop_details"`
}

// text is a string; anything else is none.
type text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(data []byte) error {
	*t = ""
	if len(data) < 2 || data[0] != '"' {
		return nil
	}
	s, err := unquote(data)
	*t = text(s)
	return err
}

// unquote gives the text of a JSON string. Most strings in a stream stand for
// themselves.
func unquote(literal []byte) (string, error) {
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	var s string
	err := json.Unmarshal(literal, &s)
	return s, err
}

// growth is an event that adds a piece of one kind to a block and says nothing
// else. Nearly all events of an answer do.
type growth struct {
	index int
	kind  string // the name of the field that grows
	text  string
}

// The beginnings of such events, as Anthropic and most others write them.
const (
	growthHead = `{"type":"content_block_delta","index":`
	growthMid  = `,"delta":{"type":"`
)

// grown reads an event of the usual form without decoding it as a whole, which
// takes six times as long. It is false for every other event, valid or not.
func grown(raw []byte) (g growth, ok bool) {
	rest, ok := after(raw, growthHead)
	if !ok {
		return g, false
	}
	digits := 0
	for ; digits < len(rest) && digits < 6 && isDigit(rest[digits]); digits++ {
		g.index = 10*g.index + int(rest[digits]-'0')
	}
	if digits == 0 || digits > 1 && rest[0] == '0' {
		return g, false
	}
	if rest, ok = after(rest[digits:], growthMid); !ok {
		return g, false
	}
	for _, form := range [...]struct{ kind, field string }{
		{"text", `text_delta","text":`}, {"thinking", `thinking_delta","thinking":`}, {"partial_json", `input_json_delta","partial_json":`},
	} {
		literal, ok := after(rest, form.field)
		if !ok {
			continue
		}
		g.kind = form.kind
		if literal, ok = closed(literal); !ok {
			return g, false
		}
		g.text, ok = plainString(literal)
		return g, ok
	}
	return g, false
}

// after is bytes.CutPrefix without a copy of the prefix.
func after(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || string(b[:len(prefix)]) != prefix {
		return nil, false
	}
	return b[len(prefix):], true
}

// closed takes the two braces off that end an event. Servers put blanks between
// and behind them.
func closed(b []byte) ([]byte, bool) {
	for range 2 {
		b = bytes.TrimRight(b, blanks)
		if len(b) == 0 || b[len(b)-1] != '}' {
			return nil, false
		}
		b = b[:len(b)-1]
	}
	return bytes.TrimRight(b, blanks), true
}

// plainString reads a JSON string; it is false for anything else.
func plainString(b []byte) (string, bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return "", false
	}
	special := false
	for _, c := range b[1 : len(b)-1] {
		if c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			special = true
			break
		}
	}
	if !special {
		return string(b[1 : len(b)-1]), true
	}
	var s string
	err := json.Unmarshal(b, &s)
	return s, err == nil
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
