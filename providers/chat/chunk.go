package chat

import (
	"bytes"
	"encoding/json"
	"strings"

	"hermes-tui/providers/transport"
)

// chunk is one event of an answer, or a whole answer. Only what is used is in
// it.
type chunk struct {
	Object  text            `json:"object"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Groq    groq            `json:"x_groq"`
}

// groq is what Groq adds to a chunk; its usage stands there alone.
type groq struct{ usage json.RawMessage }

// UnmarshalJSON implements json.Unmarshaler. Other forms say nothing.
func (g *groq) UnmarshalJSON(data []byte) error {
	var o struct {
		Usage json.RawMessage `json:"usage"`
	}
	_ = json.Unmarshal(data, &o)
	g.usage = o.Usage
	return nil
}

// failed reports whether the chunk is an error.
func (c *chunk) failed() bool { return transport.Given(c.Error) || c.Object == "error" }

type choice struct {
	Index   json.Number     `json:"index"`
	Delta   piece           `json:"delta"`
	Message *piece          `json:"message"` // in whole answers
	Finish  text            `json:"finish_reason"`
	Usage   json.RawMessage `json:"usage"` // some servers put it here
}

// other reports whether the choice belongs to another answer than the first.
func (c *choice) other() bool { return c.Index != "" && c.Index != "0" }

// piece is what a chunk adds to a message.
type piece struct {
	Content          content     `json:"content"`
	Refusal          text        `json:"refusal"`
	ReasoningContent text        `json:"reasoning_content"`
	Reasoning        text        `json:"reasoning"`
	Details          details     `json:"reasoning_details"`
	Calls            []callPiece `json:"tool_calls"`
	Extra            extraPiece  `json:"extra_content"`
}

// extraPiece is what Gemini attaches to a piece, below a name that differs from one service
// to the next.
type extraPiece struct {
	// Thought tells that the content is reasoning.
	Thought bool
	// raw is all of it, where it signs a thought.
	raw json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler. Other forms say nothing.
func (e *extraPiece) UnmarshalJSON(data []byte) error {
	var names map[string]json.RawMessage
	_ = json.Unmarshal(data, &names)
	*e = extraPiece{}
	for _, raw := range names {
		var o struct {
			Thought   bool   `json:"thought"`
			Signature string `json:"thought_signature"`
		}
		if json.Unmarshal(raw, &o) != nil {
			continue
		}
		e.Thought = e.Thought || o.Thought
		if o.Signature != "" {
			e.raw = bytes.Clone(data)
		}
	}
	return nil
}

// callPiece is what a chunk adds to a call.
type callPiece struct {
	Index    json.Number     `json:"index"` // empty if there is none
	ID       text            `json:"id"`
	Function functionPiece   `json:"function"`
	Extra    json.RawMessage `json:"extra_content"`
}

type functionPiece struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
}

// What servers write in several forms.
type (
	text      = transport.Text
	arguments = transport.Arguments
)

// content is text, or a list of parts of which some may be reasoning.
type content struct {
	text     string
	thinking string
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	*c = content{}
	if data[0] != '[' {
		s, err := transport.Unquote(data)
		c.text = s
		return err
	}
	var parts []contentPart
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var words, thoughts strings.Builder
	for _, p := range parts {
		words.WriteString(string(p.Text))
		thoughts.WriteString(string(p.Thinking))
	}
	c.text, c.thinking = words.String(), thoughts.String()
	return nil
}

// contentPart is a part of a content list.
type contentPart struct {
	Text     text     `json:"text"`
	Thinking thinking `json:"thinking"`
}

// thinking is text, or a list of objects with text.
type thinking string

// UnmarshalJSON implements json.Unmarshaler.
func (t *thinking) UnmarshalJSON(data []byte) error {
	*t = ""
	if data[0] != '[' {
		s, err := transport.Unquote(data)
		*t = thinking(s)
		return err
	}
	var parts []struct {
		Text text `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += thinking(p.Text)
	}
	return nil
}

// details are the structured reasoning of a piece.
type details []map[string]json.RawMessage

// UnmarshalJSON implements json.Unmarshaler. Elements that are no objects have
// nothing to keep.
func (d *details) UnmarshalJSON(data []byte) error {
	*d = nil
	var list []json.RawMessage
	if data[0] != '[' {
		return nil
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, raw := range list {
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) == nil && len(m) > 0 {
			*d = append(*d, m)
		}
	}
	return nil
}
