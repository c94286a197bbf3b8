package script

import (
	"fmt"
	"regexp"
)

// Scenario says how requests are answered.
type Scenario struct {
	// Name is shown in errors.
	Name string
	// Rate is the speed of text in tokens per second, 0 sends it at once.
	Rate float64
	// Split is the size of a delta in characters, 0 splits by words.
	Split int
	// ReasoningField is the key of reasoning on the wire: "reasoning_content"
	// (also when empty) or "reasoning".
	ReasoningField string
	// Models are listed by a server; none is one model named "script".
	Models []Model
	// Rules are tried in order.
	Rules []Rule
}

// Model is an entry of a server's list of models.
type Model struct {
	ID string
	// ContextLength is the size of the context window in tokens, 0 leaves it
	// out.
	ContextLength int
}

// Rule answers the requests that Match describes with Steps.
type Rule struct {
	Match Match
	// Times is how often the rule may fire, 0 has no limit.
	Times int
	Steps []Step
}

// Match describes requests. All conditions that are set must hold; the zero
// value matches every request.
type Match struct {
	// User is a regular expression on the text of the newest user message.
	User string `json:"user"`
	// ToolResult is a regular expression on the newest tool result after that
	// message; without one it does not match.
	ToolResult string `json:"tool_result"`
	// Tool is the name of the tool that gave that result.
	Tool string `json:"tool"`
	// Results is the number of tool results since the newest user message; nil
	// for any.
	Results *int `json:"results"`
	// System is a regular expression on the system prompt.
	System string `json:"system"`
	// Tools asks whether the request offers tools; nil for either.
	Tools *bool `json:"tools"`
	// Nth is the number of the request since the start, counted from 1; 0 for
	// any.
	Nth int `json:"nth"`
}

// Validate finds the first thing that would keep the scenario from being
// played. Loaded scenarios are valid.
func (s *Scenario) Validate() error {
	switch s.ReasoningField {
	case "", "reasoning_content", "reasoning":
	default:
		return s.invalid("reasoning_field", fmt.Errorf("%q is neither reasoning_content nor reasoning", s.ReasoningField))
	}
	if err := (Pace{Rate: s.Rate, Split: s.Split}).check(); err != nil {
		return s.invalid("rate and split", err)
	}
	for i, r := range s.Rules {
		if _, err := r.Match.compile(); err != nil {
			return s.invalid(fmt.Sprintf("rules[%d].match", i), err)
		}
		if r.Times < 0 || r.Match.Nth < 0 {
			return s.invalid(fmt.Sprintf("rules[%d]", i), fmt.Errorf("times and nth are at least 0"))
		}
		for j, step := range r.Steps {
			if step == nil {
				return s.invalid(fmt.Sprintf("rules[%d].steps[%d]", i, j), fmt.Errorf("there is no step"))
			}
			if err := step.check(); err != nil {
				return s.invalid(fmt.Sprintf("rules[%d].steps[%d]", i, j), err)
			}
		}
	}
	return nil
}

func (s *Scenario) invalid(where string, err error) error {
	return fmt.Errorf("scenario %s: %s: %w", s.name(), where, err)
}

func (s *Scenario) name() string {
	if s.Name == "" {
		return "unnamed"
	}
	return s.Name
}

func (s *Scenario) models() []Model {
	if len(s.Models) == 0 {
		return []Model{{ID: "script"}}
	}
	return s.Models
}

// matcher is a Match ready for use. Expressions that are not set are nil.
type matcher struct {
	Match
	user, result, system *regexp.Regexp
}

func (m Match) compile() (*matcher, error) {
	out := &matcher{Match: m}
	for _, e := range []struct {
		key, text string
		re        **regexp.Regexp
	}{{"user", m.User, &out.user}, {"tool_result", m.ToolResult, &out.result}, {"system", m.System, &out.system}} {
		if e.text == "" {
			continue
		}
		re, err := regexp.Compile(e.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.key, err)
		}
		*e.re = re
	}
	return out, nil
}

// holds reports whether a request, the nth, is described.
func (m *matcher) holds(q *query, nth int) bool {
	switch {
	case m.Nth != 0 && m.Nth != nth,
		m.Results != nil && *m.Results != len(q.results),
		m.Tools != nil && *m.Tools != q.tools,
		m.user != nil && !m.user.MatchString(q.user),
		m.system != nil && !m.system.MatchString(q.system):
		return false
	}
	if m.Tool == "" && m.result == nil {
		return true
	}
	last, ok := q.last()
	return ok && (m.Tool == "" || m.Tool == last.tool) && (m.result == nil || m.result.MatchString(last.text))
}
