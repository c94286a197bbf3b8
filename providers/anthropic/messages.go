package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"hermes-tui/providers"
)

// What stands where the protocol wants text and there is none.
const (
	emptyMessage = "(empty message)"
	emptyResult  = "(no output)"
)

// Who speaks.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system" // which here only changes the effort
)

// history converts messages. The protocol wants speakers to alternate, beginning
// with the user, and results of calls to come from the user.
type history struct {
	issuer, model string
	out           []messageParam
	wire          map[string]string // our call ids to those on the wire
	taken         map[string]bool   // the ids on the wire
}

// messages converts the history of a request. changes are those of the effort, which stand
// right before the answers from which they hold.
func (c *Client) messages(r providers.Request, changes map[int]string) []messageParam {
	h := &history{issuer: c.config.Provider, model: r.Model, wire: map[string]string{}, taken: map[string]bool{}}
	for i, m := range r.Messages {
		h.steer(changes[i])
		switch m.Role {
		case providers.User:
			h.add(roleUser, h.user(m)...)
		case providers.Assistant:
			h.add(roleAssistant, h.assistant(m)...)
		case providers.Tool:
			h.add(roleUser, h.result(m))
		}
	}
	h.steer(changes[len(r.Messages)])
	return h.out
}

// steer changes the effort, if to any.
func (h *history) steer(effort string) {
	if effort != "" {
		h.out = append(h.out, messageParam{Role: roleSystem, Content: []any{}, OutputConfig: configOf(effort)})
	}
}

// add adds blocks, to the last message if it is by the same speaker.
func (h *history) add(role string, blocks ...any) {
	if len(h.out) == 0 && role == roleAssistant {
		h.out = append(h.out, messageParam{Role: roleUser, Content: []any{textBlock(emptyMessage)}})
	}
	if n := len(h.out); n > 0 && h.out[n-1].Role == role {
		h.out[n-1].Content = append(h.out[n-1].Content, blocks...)
		return
	}
	h.out = append(h.out, messageParam{Role: role, Content: blocks})
}

// isBlank reports whether a text is none for the protocol.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// user converts a message of the user.
func (h *history) user(m providers.Message) []any {
	var out []any
	for _, p := range m.Parts {
		switch {
		case p.Image != nil:
			out = append(out, imageBlock(p.Image))
		case !isBlank(p.Text):
			out = append(out, textBlock(p.Text))
		}
	}
	if len(out) == 0 {
		out = append(out, textBlock(emptyMessage))
	}
	return out
}

// result converts the result of a call.
func (h *history) result(m providers.Message) *blockParam {
	id, ok := h.wire[m.CallID]
	if !ok {
		id = wireID(m.CallID)
	}
	out := &blockParam{ToolUseID: id, Type: "tool_result"}
	for _, p := range m.Parts {
		switch {
		case p.Image != nil:
			out.Content = append(out.Content, imageBlock(p.Image))
		case !isBlank(p.Text):
			out.Content = append(out.Content, textBlock(p.Text))
		}
	}
	if len(out.Content) == 0 {
		out.Content = []*blockParam{textBlock(emptyResult)}
	}
	return out
}

// assistant converts a message of the model: its own blocks, texts and calls at
// their places. A message cannot end in thinking.
func (h *history) assistant(m providers.Message) []any {
	native, order := h.native(m)
	out := make([]any, 0, len(native)+len(m.Calls)+1)
	ends := false // in something else than thinking
	others := h.others(m, order)
	for len(native)+len(others) > 0 {
		if len(native) > 0 && (native[0].At <= len(out) || len(others) == 0) {
			out = append(out, native[0].Raw)
			ends = !isThinking(native[0].Kind)
			native = native[1:]
			continue
		}
		out, others, ends = append(out, others[0]), others[1:], true
	}
	if !ends {
		out = append(out, textBlock(emptyMessage))
	}
	return out
}

// others are the texts and calls of a message in their order.
func (h *history) others(m providers.Message, order []slot) []any {
	texts, calls := splitText(m, order), m.Calls
	if texts == nil { // the usual order: a text, then the calls
		order = make([]slot, len(calls)+1)
		order[0].Text, texts = 1, []string{m.Text()}
	}
	var out []any
	for _, s := range order {
		switch {
		case s.Text > 0:
			if !isBlank(texts[0]) {
				out = append(out, textBlock(texts[0]))
			}
			texts = texts[1:]
		case len(calls) > 0:
			out = append(out, h.call(calls[0]))
			calls = calls[1:]
		}
	}
	return out
}

// call converts a call and notes its id.
func (h *history) call(k providers.Call) *blockParam {
	id := wireID(k.WireID)
	if k.WireID == "" || h.taken[id] {
		id = wireID(k.ID)
	}
	for n, first := 2, id; h.taken[id]; n++ {
		id = fmt.Sprintf("%s_%d", first, n)
	}
	h.taken[id], h.wire[k.ID] = true, id
	return &blockParam{ID: id, Name: k.Name, Input: input(k.Arguments), Type: "tool_use"}
}

// wireID makes an id of the letters that the protocol allows.
func wireID(id string) string {
	clean := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
	if clean == "" {
		return "call"
	}
	return clean
}

// input makes the object that the protocol wants arguments to be. What is none is
// kept in one.
func input(arguments string) json.RawMessage {
	raw := bytes.TrimSpace([]byte(arguments))
	switch {
	case len(raw) == 0:
		return json.RawMessage(`{}`)
	case raw[0] == '{' && json.Valid(raw):
		return raw
	}
	wrapped, err := json.Marshal(map[string]string{"arguments": arguments})
	if err != nil {
		return json.RawMessage(`{}`) // a text always has a form
	}
	return wrapped
}
