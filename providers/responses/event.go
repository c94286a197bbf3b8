package responses

import (
	"encoding/json"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// event is one event of an answer. Only what is used is in it.
type event struct {
	Type     text            `json:"type"`
	Output   *number         `json:"output_index"`
	Content  number          `json:"content_index"`
	Summary  number          `json:"summary_index"`
	ItemID   text            `json:"item_id"`
	Delta    text            `json:"delta"`
	Text     text            `json:"text"`
	Refusal  text            `json:"refusal"`
	Args     arguments       `json:"arguments"`
	Item     json.RawMessage `json:"item"`
	Response json.RawMessage `json:"response"`
	Error    json.RawMessage `json:"error"`
}

// response is the state of an answer as a whole.
type response struct {
	Status     text              `json:"status"`
	Error      json.RawMessage   `json:"error"`
	Incomplete *incomplete       `json:"incomplete_details"`
	Usage      json.RawMessage   `json:"usage"`
	Output     []json.RawMessage `json:"output"`
}

type incomplete struct {
	Reason text `json:"reason"`
}

// wireItem is an item of an answer.
type wireItem struct {
	ID        text         `json:"id"`
	Type      text         `json:"type"`
	Content   contentParts `json:"content"`
	Summary   contentParts `json:"summary"`
	Encrypted text         `json:"encrypted_content"`
	CallID    text         `json:"call_id"`
	Name      text         `json:"name"`
	Phase     text         `json:"phase"`
	Args      arguments    `json:"arguments"`
}

// contentPart is a part of a message or of reasoning.
type contentPart struct {
	Text    text `json:"text"`
	Refusal text `json:"refusal"`
}

// contentParts are the parts of an item. A text instead of a list is one part.
type contentParts []contentPart

// UnmarshalJSON implements json.Unmarshaler.
func (c *contentParts) UnmarshalJSON(data []byte) error {
	*c = nil
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]contentPart)(c))
	}
	s, err := transport.Unquote(data)
	if s != "" {
		*c = contentParts{{Text: text(s)}}
	}
	return err
}

// said is what the part says, or refuses to.
func (p contentPart) said() string { return string(p.Text) + string(p.Refusal) }

// What servers write in several forms.
type (
	text      = transport.Text
	arguments = transport.Arguments
)

// number is a small whole number that is not negative; anything else is 0.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	*n = 0
	if len(data) > 9 {
		return nil
	}
	v := 0
	for _, c := range data {
		if c < '0' || c > '9' {
			return nil
		}
		v = 10*v + int(c-'0')
	}
	*n = number(v)
	return nil
}

// usageOf reads a usage object, nil if it says nothing.
func usageOf(raw json.RawMessage) *providers.Usage {
	if !transport.Given(raw) {
		return nil
	}
	u := providers.NormaliseUsage(providers.UsageResponses, raw)
	if u == (providers.Usage{}) {
		return nil
	}
	return &u
}
