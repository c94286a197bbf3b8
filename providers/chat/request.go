package chat

import (
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// request makes the part of a request that go-openai can express. The model's
// name is not in it, because the library judges requests by names it knows.
func (c *Client) request(r providers.Request, n needs) openai.ChatCompletionRequest {
	req := openai.ChatCompletionRequest{
		Stream:        true,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	for _, t := range r.Tools {
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if n.schema != nil {
			parameters = n.schema(parameters)
		}
		req.Tools = append(req.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: parameters},
		})
	}
	return req
}

// extra makes the part of a request that go-openai cannot express. What is more
// particular wins: what the rows say over the protocol, what the user sets over
// everything.
func (c *Client) extra(r providers.Request, n needs) map[string]any {
	q := query{config: &c.config, model: r.Model, session: r.Session}
	extra := map[string]any{"model": r.Model, "messages": c.messages(r, n)}
	put := func(fields map[string]any) {
		for k, v := range fields {
			extra[k] = v
		}
	}
	if most := c.limit(r, n); most > 0 {
		extra[tokensKey(c.base.Hostname(), r.Model)] = most
	}
	put(c.thinking(r, n))
	put(n.fields(q))
	put(c.overrides)
	if r.Whole {
		extra["stream"], extra["stream_options"] = false, nil
	}
	return extra
}

// limit is the most tokens of the answer, 0 for whatever the provider takes.
func (c *Client) limit(r providers.Request, n needs) int {
	if r.MaxOutput <= 0 && n.wants.limit != nil {
		return n.wants.limit(r.Model)
	}
	return r.MaxOutput
}

// thinking gives the fields that ask for reasoning.
func (c *Client) thinking(r providers.Request, n needs) map[string]any {
	w := wish{effort: n.effort(r), listed: c.listed(r.Model)}
	switch {
	case w.effort == "":
		return nil
	case n.think == nil:
		return thinkPlain(w)
	}
	return n.think(w)
}

// message is a message on the wire. Content is a text, a list of parts, or nothing,
// which the protocol tells from an empty text.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`

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

// messages converts a history. What becomes of a message depends on nothing behind
// it, so that requests which continue one another begin with the same bytes; only
// marks for the cache move.
func (c *Client) messages(r providers.Request, n needs) []message {
	out := make([]message, 0, len(r.Messages)+1)
	if r.System != "" {
		out = append(out, message{Role: systemRole(c.base.Hostname(), r.Model), Content: r.System})
	}
	wire := map[string]string{} // our call ids to those on the wire
	var images gallery
	for _, m := range r.Messages {
		if m.Role != providers.Tool {
			out = images.flush(out)
		}
		switch m.Role {
		case providers.User:
			out = append(out, message{Role: "user", Content: userContent(m)})
		case providers.Assistant:
			out = append(out, c.assistant(m, r.Model, n, wire))
		case providers.Tool:
			out = append(out, result(m, n, wire, &images))
		}
	}
	out = images.flush(out)
	if n.lists {
		listContents(out, n.flatTools)
	}
	if last := n.marked(r.CacheFor); last > 0 {
		setMarks(out, last, n.markSystem)
	}
	return out
}

// listContents makes lists of all contents.
func listContents(out []message, flatTools bool) {
	for i := range out {
		if out[i].Role != "tool" || !flatTools {
			out[i].Content = asList(out[i].Content)
		}
	}
}

// result converts the result of a call. Images follow behind the results, where a
// message may.
func result(m providers.Message, n needs, wire map[string]string, images *gallery) message {
	id, ok := wire[m.CallID]
	if !ok {
		id = m.CallID
	}
	note := shownBelow
	if n.noUserBehindTool {
		note = notSent
	} else {
		images.add(m, id)
	}
	return message{Role: "tool", Content: wordsOnly(m, note), CallID: id}
}

// assistant converts a message of the model and notes its call ids.
func (c *Client) assistant(m providers.Message, model string, n needs, wire map[string]string) message {
	out := message{Role: "assistant"}
	if text := wordsOnly(m, notSent); text != "" || len(m.Calls) == 0 {
		out.Content = text
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
		if n.extras {
			w.Extra = k.Extra
		}
		out.Calls = append(out.Calls, w)
	}
	c.replay(&out, m.Native, model)
	if n.echo && len(out.Calls) > 0 {
		echo(&out)
	}
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

// echo makes sure that a message with calls has reasoning_content where requests are
// refused without. Reasoning under another name is reasoning; where there is none, or
// only that of another provider, a blank will do.
func echo(out *message) {
	if !transport.Given(out.ReasoningContent) && out.Reasoning == nil && out.ReasoningDetails == nil {
		out.ReasoningContent = json.RawMessage(`" "`)
	}
}
