package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// sent is a request as it went over the wire, with everything that strict
// servers look at.
type sent struct {
	Messages []sentMessage
	Stream   bool
}

type sentMessage struct {
	Role       string
	Content    *string
	ToolCallID string     `json:"tool_call_id"`
	ToolCalls  []sentCall `json:"tool_calls"`
}

type sentCall struct {
	ID       string
	Type     string
	Function struct{ Name, Arguments string }
}

func (m sentMessage) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// toolName is what strict servers take for the name of a tool.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkRequest holds a request against the rules of both kinds of servers.
func checkRequest(raw []byte) error {
	var loose body
	var s sent
	if err := errors.Join(json.Unmarshal(raw, &loose), json.Unmarshal(raw, &s)); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return errors.Join(loose.valid(), strictOpenAI(s.Messages), strictAnthropic(s.Messages))
}

// strictOpenAI holds messages against the rules of the Chat Completions API: the
// calls of a message are answered by the messages behind it, each once.
func strictOpenAI(messages []sentMessage) error {
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d: calls without a result: %v", i, open)
		}
		switch m.Role {
		case "system", "user":
			if m.text() == "" {
				return fmt.Errorf("message %d: %s says nothing", i, m.Role)
			}
		case "assistant":
			if m.text() == "" && len(m.ToolCalls) == 0 {
				return fmt.Errorf("message %d: the assistant says nothing", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || open[c.ID] || c.Type != "function" || !toolName.MatchString(c.Function.Name) {
					return fmt.Errorf("message %d: bad call %+v", i, c)
				}
				open[c.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] || m.Content == nil {
				return fmt.Errorf("message %d: a result of %q, which is not due", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		default:
			return fmt.Errorf("message %d: role %q", i, m.Role)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("at the end: calls without a result: %v", open)
	}
	return nil
}

// strictAnthropic holds messages against the rules of the Messages API, into
// which they are put first: the results of calls are parts of the user's message
// that follows them.
func strictAnthropic(messages []sentMessage) error {
	var prev string         // the role of the message before, tool results being the user's
	var due map[string]bool // calls of the message before
	ids := map[string]bool{}
	for i, m := range messages {
		if m.Role == "system" {
			continue
		}
		role := "user"
		switch m.Role {
		case "tool":
			if !due[m.ToolCallID] {
				return fmt.Errorf("message %d: a result of %q, which is not due", i, m.ToolCallID)
			}
			delete(due, m.ToolCallID)
		case "user":
			if len(due) > 0 {
				return fmt.Errorf("message %d: the user speaks before the results of %v", i, due)
			}
			due = nil
		case "assistant":
			role = "assistant"
			if prev != "user" || len(due) > 0 {
				return fmt.Errorf("message %d: the assistant after %q, results due: %v", i, prev, due)
			}
			due = map[string]bool{}
			for _, c := range m.ToolCalls {
				var input map[string]any
				if ids[c.ID] || json.Unmarshal([]byte(c.Function.Arguments), &input) != nil {
					return fmt.Errorf("message %d: call %+v: its id was used before, or its input is no object", i, c)
				}
				ids[c.ID], due[c.ID] = true, true
			}
		}
		if blank := strings.TrimSpace(m.text()) == ""; blank && (m.Content != nil && m.Role == "assistant" || len(m.ToolCalls) == 0) {
			return fmt.Errorf("message %d: empty content of %s", i, m.Role)
		}
		prev = role
	}
	if prev != "user" || len(due) > 0 {
		return fmt.Errorf("the last message is of %q, results due: %v", prev, due)
	}
	return nil
}

// checkRows holds a stored history against the same rules, as it would be sent
// with one more message of the user. Neighbouring messages of the user are
// one then, and what a model wrote in the place of a name or of arguments counts
// as if it were in order: both are put right in what is sent.
func checkRows(rows []sessions.Message) error {
	var all []sentMessage
	say := "next"
	for _, row := range append(rows[:len(rows):len(rows)], sessions.Message{Role: "user", Content: say}) {
		m := sentMessage{Role: row.Role, ToolCallID: row.ToolCallID}
		if row.Content != "" || row.Role != "assistant" {
			m.Content = &row.Content
		}
		if row.ToolCalls != "" {
			if err := json.Unmarshal([]byte(row.ToolCalls), &m.ToolCalls); err != nil {
				return fmt.Errorf("row %s: %w", row.ID, err)
			}
			for i := range m.ToolCalls {
				m.ToolCalls[i].Function.Name, m.ToolCalls[i].Function.Arguments = "name", "{}"
			}
		}
		if n := len(all); n > 0 && m.Role == "user" && all[n-1].Role == "user" {
			joined := all[n-1].text() + "\n\n" + m.text()
			all[n-1].Content = &joined
			continue
		}
		all = append(all, m)
	}
	return errors.Join(strictOpenAI(all), strictAnthropic(all))
}

// messagesOf shows the messages of a request without the system prompt.
func messagesOf(raw []byte) string {
	var s struct{ Messages []json.RawMessage }
	if json.Unmarshal(raw, &s) != nil || len(s.Messages) == 0 {
		return string(raw)
	}
	var b strings.Builder
	for _, m := range s.Messages[1:] {
		var text any
		_ = json.Unmarshal(m, &text)
		fmt.Fprintf(&b, "%v\n", text)
	}
	return b.String()
}

// normalState writes a state without what depends on how it was reached:
// revisions count changes, activity counts live events, and an agent starts
// again when the first input stores it.
func normalState(s *event.State) string {
	c := s.Clone()
	for _, a := range c.Agents {
		a.Active, a.Started = time.Time{}, time.Time{}
		for i, b := range a.Blocks {
			d := *b
			d.Rev = 0
			a.Blocks[i] = &d
		}
	}
	out, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

// differ gives the first lines in which two texts differ, empty if they do not.
func differ(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			from, to := max(0, i-3), min(i+4, len(x), len(y))
			return fmt.Sprintf("line %d:\n%s\n--- and\n%s", i, strings.Join(x[from:to], "\n"), strings.Join(y[from:to], "\n"))
		}
	}
	if len(x) != len(y) {
		return fmt.Sprintf("%d and %d lines", len(x), len(y))
	}
	return ""
}

// nextStep matches what tells a user what to do.
var nextStep = regexp.MustCompile(`\b(try again|check|choose|set|send|put|shorten|raise|lower|look at|top up|switch|start|attach|ask)\b`)

// checkSentence holds what a user is told against what it has to be: one line
// that ends as sentences do, and says what to do next.
func checkSentence(s string) error {
	switch {
	case s == "":
		return errors.New("nothing is said")
	case strings.ContainsAny(s, "\n\r\t"):
		return fmt.Errorf("more than a line: %q", s)
	case !strings.HasSuffix(s, "."):
		return fmt.Errorf("no sentence: %q", s)
	case !nextStep.MatchString(s):
		return fmt.Errorf("no next step: %q", s)
	case len(s) > 600:
		return fmt.Errorf("too long: %q", s)
	}
	return nil
}
