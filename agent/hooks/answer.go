package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"hermes-tui/tools/shorten"
	"hermes-tui/tools/unseen"
)

// Answer is what the hooks of an event say, together.
type Answer struct {
	// Refused is why what the event is about may not be, for the model or the user to
	// read; empty: it may.
	Refused string
	// Args are the arguments that a call is to have, nil for its own.
	Args json.RawMessage
	// Ask is why the user is to be asked, empty: only if the gate asks.
	Ask string
	// Context is for the model, each with the name of who added it.
	Context []Text
	// Text stands in the place of the text that the event is about, nil for that itself.
	Text *string
	// GoOn is what the turn is to go on with, empty for nothing.
	GoOn string
}

// Text is what a hook adds.
type Text struct{ From, Text string }

// The bounds of what hooks say, in characters.
const (
	maxContext = 10_000
	maxReason  = 2_000
	maxErrors  = 400 // of standard error
)

// said is what a hook writes to its standard output: its own form and that of Claude Code.
type said struct {
	Action            string          `json:"action"`
	Decision          string          `json:"decision"`
	Message           string          `json:"message"`
	Reason            string          `json:"reason"`
	Args              json.RawMessage `json:"args"`
	Input             json.RawMessage `json:"tool_input"`
	Context           string          `json:"context"`
	AdditionalContext string          `json:"additionalContext"`
	Result            *string         `json:"result"`
	Output            *string         `json:"output"`
	Text              *string         `json:"text"`
	Continue          *bool           `json:"continue"`
	StopReason        string          `json:"stopReason"`
	SystemMessage     string          `json:"systemMessage"`
	Specific          *struct {
		Decision string          `json:"permissionDecision"`
		Reason   string          `json:"permissionDecisionReason"`
		Input    json.RawMessage `json:"updatedInput"`
		Context  string          `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// read makes of what a hook wrote, which ended with code 0, what it says. The error says
// why that cannot be read. note is for the user.
func read(h Hook, in Input, out []byte) (a Answer, note string, err error) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return a, "", nil
	}
	if out[0] != '{' {
		if h.Claude {
			if h.Event == UserPromptSubmit || h.Event == SessionStart {
				a.Context = []Text{{h.Command, string(out)}}
			}
			return a, "", nil
		}
		return a, "", fmt.Errorf("it wrote what is no JSON object (%s)", short(string(out), 100))
	}
	var s said
	if err := json.Unmarshal(out, &s); err != nil {
		return a, "", fmt.Errorf("it wrote what cannot be read as an answer (%s)", short(err.Error(), 200))
	}
	err = s.decide(h, in, &a)
	for _, c := range []string{s.Context, s.AdditionalContext} {
		if c != "" {
			a.Context = append(a.Context, Text{h.Command, c})
		}
	}
	if p := s.Specific; p != nil && p.Context != "" {
		a.Context = append(a.Context, Text{h.Command, p.Context})
	}
	for _, t := range []*string{s.Result, s.Output, s.Text} {
		if t != nil && a.Text == nil {
			a.Text = t
		}
	}
	return a, s.SystemMessage, err
}

// decide reads what is decided. The words that mean that nothing is to be done are those
// of Claude Code as well; of an approving one that is all that is left, since the gate
// decides.
func (s *said) decide(h Hook, in Input, a *Answer) error {
	reason := first(s.Reason, s.Message, s.StopReason)
	words := []string{s.Action, s.Decision}
	if p := s.Specific; p != nil {
		words = append(words, p.Decision)
		reason = first(p.Reason, reason)
		s.Input = firstRaw(p.Input, s.Input)
	}
	change := firstRaw(s.Args, s.Input)
	for i, w := range words {
		switch strings.ToLower(w) {
		case "", "allow", "defer", "none":
		case "block", "deny":
			a.Refused = first(reason, "a hook refused it")
		case "modify":
			if change == nil {
				return errors.New("it wants to change the arguments and gives none")
			}
		case "ask":
			a.Ask = first(reason, "a hook wants you to be asked")
		case "approve":
			if i == 0 || !h.Claude { // there it is an older word for allow
				a.Ask = first(reason, "a hook wants you to be asked")
			}
		case "continue":
			a.GoOn = first(reason, "A hook says that this is not finished.")
		default:
			return fmt.Errorf("it decided %s, which means nothing", short(fmt.Sprintf("%q", w), 60))
		}
	}
	if s.Continue != nil {
		switch {
		case !*s.Continue && h.Event.can(refuses) && a.Refused == "":
			a.Refused = first(s.StopReason, reason, "a hook stopped it")
		case *s.Continue && !h.Claude && h.Event.can(goesOn):
			a.GoOn = first(reason, "A hook says that this is not finished.")
		}
	}
	if h.Event.can(goesOn) && a.Refused != "" { // the end of the turn is what is refused
		a.GoOn, a.Refused = a.Refused, ""
	}
	if change == nil || !h.Event.can(changes) {
		return nil
	}
	if h.Claude {
		change = claudeArgs(in.Tool, change, true)
	}
	if t := bytes.TrimSpace(change); len(t) == 0 || t[0] != '{' {
		return errors.New("the arguments it gives are no JSON object")
	}
	a.Args = change
	return nil
}

func first(list ...string) string {
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

func firstRaw(list ...json.RawMessage) json.RawMessage {
	for _, r := range list {
		if len(r) > 0 && string(r) != "null" {
			return r
		}
	}
	return nil
}

// short is what a program says in one line that is not long.
func short(text string, chars int) string {
	return shorten.After(strings.Join(strings.Fields(clean(text)), " "), chars)
}

// clean takes away what is no text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, unseen.Strip(text))
}
