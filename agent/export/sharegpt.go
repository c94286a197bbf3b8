package export

import (
	"encoding/json"
	"io"
	"strings"

	"hermes-tui/tools"
)

// turn is a turn of the ShareGPT form.
type turn struct {
	From  string `json:"from"`
	Value string `json:"value"`
}

// shareGPT writes one line, as the reference does: the agent's reasoning, calls and
// results of tools in tags, neighbouring results in one turn, pictures as a word.
func (s Session) shareGPT(w io.Writer) error {
	line := struct {
		Conversations []turn `json:"conversations"`
		Timestamp     string `json:"timestamp"`
		Model         string `json:"model"`
		Completed     bool   `json:"completed"`
	}{Timestamp: s.Started.Format("2006-01-02T15:04:05"), Model: s.Model}
	add := func(from, value string) {
		if n := len(line.Conversations); from == "tool" && n > 0 && line.Conversations[n-1].From == "tool" {
			line.Conversations[n-1].Value += "\n" + value
			return
		}
		line.Conversations = append(line.Conversations, turn{from, value})
	}
	for _, m := range s.Messages {
		line.Completed = m.Role == "assistant" && len(m.Calls) == 0
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
