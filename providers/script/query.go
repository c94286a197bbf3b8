package script

import (
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
)

// query is what a rule looks at in a request.
type query struct {
	system  string
	user    string       // newest user message
	results []toolResult // after it
	tools   bool
}

type toolResult struct{ tool, text string }

func newQuery(r providers.Request) *query {
	q := &query{system: r.System, tools: len(r.Tools) > 0}
	start := lastUser(r.Messages)
	if start >= 0 {
		q.user = r.Messages[start].Text()
	}
	for _, m := range r.Messages[start+1:] {
		if m.Role == providers.Tool {
			q.results = append(q.results, toolResult{tool: m.CallName, text: m.Text()})
		}
	}
	return q
}

// lastUser finds the newest user message, -1 if there is none.
func lastUser(messages []providers.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == providers.User {
			return i
		}
	}
	return -1
}

// last is the newest tool result.
func (q *query) last() (toolResult, bool) {
	if len(q.results) == 0 {
		return toolResult{}, false
	}
	return q.results[len(q.results)-1], true
}

// fill puts the texts of the request into a template.
func (q *query) fill(text string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	last, _ := q.last()
	return strings.NewReplacer("{{last_user}}", q.user, "{{last_tool}}", last.text).Replace(text)
}

// charsPerToken is the rule of thumb by which usage is counted.
const charsPerToken = 4

// tokens is the number of tokens of so many characters.
func tokens(chars int) int64 { return int64((chars + charsPerToken - 1) / charsPerToken) }

// promptChars counts the characters of a request that are sent to a model:
// everything but earlier reasoning.
func promptChars(r providers.Request) int {
	n := utf8.RuneCountInString(r.System)
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			n += utf8.RuneCountInString(p.Text)
		}
		for _, c := range m.Calls {
			n += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += utf8.RuneCountInString(t.Name) + utf8.RuneCountInString(t.Description) + utf8.RuneCount(t.Parameters)
	}
	return n
}
