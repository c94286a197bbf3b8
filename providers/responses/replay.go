package responses

import (
	"encoding/json"
	"fmt"
	"strings"

	"hermes-tui/providers"
)

// The kinds of native items. Reasoning and messages are kept as they came; of a call
// only its place and ids are, since the canonical call holds the rest.
const (
	itemReasoning = "reasoning"
	itemMessage   = "message"
	itemCall      = "function_call"
)

// between separates what an answer says in several messages, and what it thinks in
// several parts.
const between = "\n\n"

// wireCall is a call in the input.
type wireCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// callMark is what is kept of a call's item.
type callMark struct {
	ID     text `json:"id,omitempty"`
	CallID text `json:"call_id"`
}

// replay puts the items of an assistant message into order.
type replay struct {
	out  []any
	held []any // reasoning that waits for what it led to
	text string
	said bool // the text has been sent
	// calls are those that have not been sent.
	calls []pendingCall
}

type pendingCall struct {
	wireID string // as the provider named it
	item   wireCall
}

// assistant converts a message of the model: its native items at their places, and
// between them what only the canonical message has.
func (c *Client) assistant(m providers.Message, model string, ids *callIDs) ([]any, error) {
	r := replay{text: m.Text()}
	for _, k := range m.Calls {
		w := wireCall{Type: itemCall, CallID: ids.assign(k), Name: k.Name, Arguments: k.Arguments}
		if w.Arguments == "" {
			w.Arguments = "{}"
		}
		r.calls = append(r.calls, pendingCall{k.WireID, w})
	}
	var native []providers.Item
	for _, item := range m.Native {
		if item.Issuer == c.config.Provider && item.Model == model {
			native = append(native, item)
		}
	}
	verbatim := spoken(native) == strings.TrimSpace(r.text)
	for _, item := range native {
		switch item.Kind {
		case itemReasoning:
			raw, err := c.thought(item.Raw)
			if err != nil {
				return nil, err
			}
			r.held = append(r.held, raw)
		case itemMessage:
			if !verbatim {
				r.say()
			} else if textOf(item.Raw) != "" {
				r.add(item.Raw)
				r.said = true
			}
		case itemCall:
			r.call(item.Raw)
		}
	}
	r.say()
	for _, k := range r.calls {
		r.add(k.item)
	}
	return r.out, nil
}

// add sends an item, and before it the reasoning that led to it. Reasoning that led
// to nothing is never sent: servers refuse it.
func (r *replay) add(item any) {
	r.out = append(append(r.out, r.held...), item)
	r.held = nil
}

// say sends the text of the message as one of our own, once. It is a plain string: a
// list of parts would have to be an output item, with an id that it does not have.
func (r *replay) say() {
	if r.said || strings.TrimSpace(r.text) == "" {
		return
	}
	r.said = true
	r.add(message("assistant", r.text))
}

// call sends the call whose place a mark holds, if it is still part of the message.
func (r *replay) call(raw json.RawMessage) {
	var mark callMark
	if json.Unmarshal(raw, &mark) != nil {
		return
	}
	for i, k := range r.calls {
		if k.wireID == string(mark.CallID) {
			r.add(k.item)
			r.calls = append(r.calls[:i:i], r.calls[i+1:]...)
			return
		}
	}
}

// thought is reasoning as it is sent back.
func (c *Client) thought(raw json.RawMessage) (json.RawMessage, error) {
	if !c.rules.nameless {
		return raw, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read stored reasoning: %w", err)
	}
	delete(fields, "id")
	return encode(fields)
}

// spoken is the text of the messages among some items, as it was streamed.
func spoken(items []providers.Item) string {
	var texts []string
	for _, item := range items {
		if item.Kind != itemMessage {
			continue
		}
		if s := textOf(item.Raw); s != "" {
			texts = append(texts, s)
		}
	}
	return strings.TrimSpace(strings.Join(texts, between))
}

// textOf is the text of a message item.
func textOf(raw json.RawMessage) string {
	var item wireItem
	if json.Unmarshal(raw, &item) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range item.Content {
		b.WriteString(p.said())
	}
	return b.String()
}
