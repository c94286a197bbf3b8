package responses

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"hermes-tui/providers"
	"hermes-tui/providers/schemas"
)

// wireRequest is the library's request without its own way of writing itself, which
// loses digits and escapes what only HTML needs escaped.
type wireRequest openai.CreateResponseRequest

// body makes the body of a request.
func (c *Client) body(r providers.Request) ([]byte, error) {
	store, parallel := false, true
	items, err := c.input(r)
	if err != nil {
		return nil, err
	}
	w := wireRequest{
		Model: r.Model, Instructions: r.System, Input: items, Stream: !r.Whole, Store: &store,
	}
	if w.Instructions == "" {
		w.Instructions = c.rules.instructions
	}
	if c.rules.cacheKey {
		w.PromptCacheKey = r.Session
	}
	if c.rules.maxOutput {
		w.MaxOutputTokens = r.MaxOutput
	}
	var encrypted bool
	if w.Reasoning, encrypted = c.reasoning(r); encrypted {
		w.Include = []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent}
	}
	if w.Tools = c.tools(r); len(w.Tools) > 0 {
		w.ParallelToolCalls, w.ToolChoice = &parallel, "auto"
	}
	return encode(w)
}

// encode writes JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// tools converts the definitions of tools. They are not strict: our schemas have
// optional properties, which strict ones cannot.
func (c *Client) tools(r providers.Request) []openai.ResponseTool {
	var out []openai.ResponseTool
	dialect := schemas.Of(c.rules.maker, c.base.Hostname(), r.Model, schemas.None)
	for _, t := range r.Tools {
		out = append(out, openai.ResponseTool{Type: openai.ToolTypeFunction, Parameters: map[string]any{
			"name": t.Name, "description": t.Description, "parameters": dialect.For(t.Parameters), "strict": false,
		}})
	}
	return out
}

// input converts a history. It is never null, which the protocol would refuse.
func (c *Client) input(r providers.Request) ([]any, error) {
	out := make([]any, 0, len(r.Messages))
	ids := newCallIDs()
	changes := beforeUser(r.Messages, c.steer(r).Changes)
	for i, m := range r.Messages {
		out = steer(out, changes[i])
		switch m.Role {
		case providers.User:
			out = append(out, message("user", parts(m)))
		case providers.Tool:
			out = append(out, openai.ResponseFunctionCallOutput{
				Type: "function_call_output", CallID: ids.of(m), Output: result(m),
			})
		case providers.Assistant:
			items, err := c.assistant(m, r.Model, ids)
			if err != nil {
				return nil, err
			}
			out = append(out, items...)
		}
	}
	return steer(out, changes[len(r.Messages)]), nil
}

// update changes the effort from where it stands.
type update struct {
	Type      string `json:"type"`
	Reasoning struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
}

// steer adds a change of the effort, if to any. Of two in a row, which are refused, the
// second counts.
func steer(out []any, effort string) []any {
	if effort == "" {
		return out
	}
	u := update{Type: "configuration_update"}
	u.Reasoning.Effort = effort
	if n := len(out); n > 0 {
		if _, twice := out[n-1].(update); twice {
			out = out[:n-1]
		}
	}
	return append(out, u)
}

// beforeUser puts changes of the effort before what the user said right before the answers
// from which they hold.
func beforeUser(list []providers.Message, changes map[int]string) map[int]string {
	out := make(map[int]string, len(changes))
	for at, effort := range changes {
		for at > 0 && list[at-1].Role == providers.User {
			at--
		}
		out[at] = effort
	}
	return out
}

func message(role string, content any) openai.ResponseInputMessage {
	return openai.ResponseInputMessage{Type: itemMessage, Role: role, Content: content}
}

// parts is the content of a message of the user: at least one text.
func parts(m providers.Message) []any {
	var out []any
	for _, p := range m.Parts {
		switch {
		case p.Image != nil:
			out = append(out, openai.ResponseInputImage{Type: "input_image", Detail: "auto", ImageURL: dataURL(p.Image)})
		case p.Text != "":
			out = append(out, openai.ResponseInputText{Type: "input_text", Text: p.Text})
		}
	}
	if out == nil {
		out = append(out, openai.ResponseInputText{Type: "input_text"})
	}
	return out
}

// result is the content of a tool's result: its text, or parts when there are images.
func result(m providers.Message) any {
	for _, p := range m.Parts {
		if p.Image != nil {
			return parts(m)
		}
	}
	return m.Text()
}

func dataURL(i *providers.Image) string {
	return "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}
