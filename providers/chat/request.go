package chat

import (
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
)

// request makes the part of a request that go-openai can express. The model's
// name is not in it, because the library judges requests by names it knows.
func (c *Client) request(r providers.Request) openai.ChatCompletionRequest {
	req := openai.ChatCompletionRequest{
		Stream:          true,
		StreamOptions:   &openai.StreamOptions{IncludeUsage: true},
		ReasoningEffort: r.Effort,
	}
	for _, t := range r.Tools {
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		req.Tools = append(req.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: parameters},
		})
	}
	return req
}

// extra makes the part of a request that go-openai cannot express.
func (c *Client) extra(r providers.Request) map[string]any {
	extra := map[string]any{"model": r.Model, "messages": c.messages(r)}
	if r.MaxOutput > 0 {
		key := c.config.MaxTokensKey
		if key == "" {
			key = tokensKey(c.base.Hostname(), r.Model)
		}
		extra[key] = r.MaxOutput
	}
	return extra
}

// message is a message on the wire. Content is a pointer because the protocol
// tells an empty text from none.
type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Calls   []call  `json:"tool_calls,omitempty"`
	CallID  string  `json:"tool_call_id,omitempty"`

	ReasoningContent json.RawMessage `json:"reasoning_content,omitempty"`
	Reasoning        json.RawMessage `json:"reasoning,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

// call is a tool call on the wire.
type call struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function function        `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// messages converts a history.
func (c *Client) messages(r providers.Request) []message {
	out := make([]message, 0, len(r.Messages)+1)
	if r.System != "" {
		out = append(out, message{Role: systemRole(c.base.Hostname(), r.Model), Content: &r.System})
	}
	wire := map[string]string{} // our call ids to those on the wire
	for _, m := range r.Messages {
		text := m.Text()
		switch m.Role {
		case providers.User:
			out = append(out, message{Role: "user", Content: &text})
		case providers.Assistant:
			out = append(out, c.assistant(m, r.Model, wire))
		case providers.Tool:
			id, ok := wire[m.CallID]
			if !ok {
				id = m.CallID
			}
			out = append(out, message{Role: "tool", Content: &text, CallID: id})
		}
	}
	return out
}

// assistant converts a message of the model and notes its call ids.
func (c *Client) assistant(m providers.Message, model string, wire map[string]string) message {
	out := message{Role: "assistant"}
	if text := m.Text(); text != "" || len(m.Calls) == 0 {
		out.Content = &text
	}
	taken := map[string]bool{}
	for _, k := range m.Calls {
		id := k.WireID
		if id == "" || taken[id] {
			id = k.ID
		}
		taken[id], wire[k.ID] = true, id
		w := call{ID: id, Type: "function", Function: function{Name: k.Name, Arguments: k.Arguments}}
		if w.Function.Arguments == "" {
			w.Function.Arguments = "{}"
		}
		if wantsExtra(model) {
			w.Extra = k.Extra
		}
		out.Calls = append(out.Calls, w)
	}
	c.replay(&out, m.Native, model)
	return out
}

// replay sends native items back to where they came from. Signed details are
// valid for the model that made them only.
func (c *Client) replay(out *message, items []providers.Item, model string) {
	for _, item := range items {
		if item.Issuer != c.config.Provider {
			continue
		}
		switch item.Kind {
		case itemReasoningContent:
			out.ReasoningContent = item.Raw
		case itemReasoning:
			out.Reasoning = item.Raw
		case itemDetails:
			if item.Model == model {
				out.ReasoningDetails = item.Raw
			}
		}
	}
}
