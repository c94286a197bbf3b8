package scripttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hermes-tui/providers"
)

// asked is a request body in the Chat Completions format.
type asked struct {
	Model         string        `json:"model"`
	Messages      []askedMsg    `json:"messages"`
	Tools         []askedTool   `json:"tools"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
	MaxTokens     int           `json:"max_tokens"`
	MaxNew        int           `json:"max_completion_tokens"`
	Effort        string        `json:"reasoning_effort"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type askedMsg struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []askedCall     `json:"tool_calls"`
	CallID    string          `json:"tool_call_id"`
	Name      string          `json:"name"`
}

type askedCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type askedTool struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// decodeRequest reads a request body.
func decodeRequest(body []byte) (asked, providers.Request, error) {
	var in asked
	if err := json.Unmarshal(body, &in); err != nil {
		return in, providers.Request{}, fmt.Errorf("read the request: %w", err)
	}
	if len(in.Messages) == 0 {
		return in, providers.Request{}, errors.New("the request has no messages")
	}
	r := providers.Request{Model: in.Model, MaxOutput: max(in.MaxTokens, in.MaxNew), Effort: in.Effort}
	names := map[string]string{} // of calls, by id
	var system []string
	for i, m := range in.Messages {
		text := contentText(m.Content)
		out := providers.Message{ID: fmt.Sprintf("message %d", i+1), Parts: providers.TextParts(text)}
		switch m.Role {
		case "system", "developer":
			system = append(system, text)
			continue
		case "user":
			out.Role = providers.User
		case "assistant":
			out.Role = providers.Assistant
			for _, c := range m.ToolCalls {
				names[c.ID] = c.Function.Name
				out.Calls = append(out.Calls, providers.Call{
					ID: c.ID, WireID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments,
				})
			}
		case "tool":
			out.Role, out.CallID, out.CallName = providers.Tool, m.CallID, m.Name
			if name := names[m.CallID]; name != "" {
				out.CallName = name
			}
		default:
			return in, r, fmt.Errorf("message %d has the unknown role %.60q", i+1, m.Role)
		}
		r.Messages = append(r.Messages, out)
	}
	r.System = strings.Join(system, "\n")
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, providers.ToolDef{
			Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters,
		})
	}
	return in, r, nil
}

// contentText is the text of a content value: a text, or a list of parts.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
