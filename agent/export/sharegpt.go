package export

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"time"

	"hermes-tui/providers"
	"hermes-tui/tools"
)

// turn is a turn of the ShareGPT form.
type turn struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

// Trajectory is what a model was asked and said, for training: a line of ShareGPT turns.
type Trajectory struct {
	At        time.Time
	Model     string
	Completed bool
	// Tools are what could be called; without any nothing is said of them.
	Tools    []providers.ToolDef
	Messages []Message
}

// shareGPT writes one line. Which tools there were is not stored with a session.
func (s Session) shareGPT(w io.Writer) error {
	t := Trajectory{At: s.Started, Model: s.Model, Messages: s.Messages}
	for _, m := range s.Messages {
		t.Completed = m.Role == "assistant" && len(m.Calls) == 0
	}
	return t.Write(w)
}

// Masked is the trajectory with all its texts masked.
func (t Trajectory) Masked(mask func(string) string) Trajectory {
	t.Messages = masked(t.Messages, mask)
	return t
}

// Write writes one line, as the reference does: the tools as the system's turn, the agent's
// reasoning, calls and results of tools in tags, neighbouring results in one turn, pictures
// as a word.
func (t Trajectory) Write(w io.Writer) error {
	line := struct {
		Conversations []turn `json:"conversations"`
		Timestamp     string `json:"timestamp"`
		Model         string `json:"model"`
		Completed     bool   `json:"completed"`
	}{Timestamp: t.At.Format("2006-01-02T15:04:05"), Model: t.Model, Completed: t.Completed}
	add := func(from, value string) {
		if n := len(line.Conversations); from == "tool" && n > 0 && line.Conversations[n-1].From == "tool" {
			line.Conversations[n-1].Value += "\n" + value
			return
		}
		line.Conversations = append(line.Conversations, turn{from, value})
	}
	if len(t.Tools) > 0 {
		add("system", offered(t.Tools))
	}
	for _, m := range t.Messages {
		switch m.Role {
		case "user":
			text, _ := said(m)
			add("human", text+strings.Repeat("\n[screenshot]", len(m.Images)))
		case "assistant":
			value := "<think>\n" + m.Reasoning + "\n</think>\n" + m.Text
			for _, c := range m.Calls {
				arguments := json.RawMessage(c.Arguments)
				if !json.Valid(arguments) {
					arguments = json.RawMessage("{}")
				}
				value += "\n<tool_call>\n" + tools.JSON(map[string]any{"name": c.Name, "arguments": arguments}) + "\n</tool_call>"
			}
			add("gpt", strings.TrimRight(value, "\n"))
		case "tool":
			var content any = m.Text
			if json.Valid([]byte(m.Text)) {
				content = json.RawMessage(m.Text)
			}
			add("tool", "<tool_response>\n"+tools.JSON(map[string]any{"tool_call_id": m.CallID, "name": m.Tool, "content": content})+"\n</tool_response>")
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(line)
}

// offered says which tools there were.
func offered(list []providers.ToolDef) string {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	all := make([]tool, len(list))
	for i, d := range list {
		all[i] = tool(d)
	}
	return "These tools can be called. A call is JSON in <tool_call> tags, with the tool's name and the arguments; its result comes in <tool_response> tags.\n<tools>\n" + tools.JSON(all) + "\n</tools>"
}

// Sent makes messages of what a model gets.
func Sent(messages []providers.Message) []Message {
	out, ids := make([]Message, 0, len(messages)), map[string]string{} // the wire's ids by ours
	for _, m := range messages {
		e := Message{Role: string(m.Role), At: m.At, Text: m.Text(), Reasoning: m.Reasoning, Tool: m.CallName, CallID: m.CallID}
		if id := ids[m.CallID]; id != "" {
			e.CallID = id
		}
		for _, p := range m.Parts {
			if p.Image != nil {
				e.Images = append(e.Images, Image{p.Image.MediaType, base64.StdEncoding.EncodeToString(p.Image.Data)})
			}
		}
		for _, c := range m.Calls {
			ids[c.ID] = c.WireID
			e.Calls = append(e.Calls, Call{c.WireID, c.Name, c.Arguments})
		}
		out = append(out, e)
	}
	return out
}
