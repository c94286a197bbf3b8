package recovery

import (
	"encoding/json"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// Written counts answers with calls that were written as text. Go back to the zero value
// after any other answer.
type Written struct{ told int }

// mostWritten is how often a model is told that its call was text.
const mostWritten = 2

// Decide says what to do about an answer whose calls are text; before is the text before
// them.
func (w Written) Decide(before string) (Step, Written) {
	if w.told >= mostWritten {
		return Step{Kind: StepStop, Reason: "calls_as_text", Sentence: sentenceWritten}, w
	}
	w.told++
	if strings.TrimSpace(before) == "" {
		before = SaidNothing
	}
	return Step{
		Kind: StepAgain, Reason: "calls_as_text", Attempt: w.told, Max: mostWritten,
		Extra: []providers.Message{{Role: providers.Assistant, Parts: providers.TextParts(before)}, note(NoteWritten)},
	}, w
}

// Special tokens and the like with which models write calls. In an answer they stand for
// nothing else.
var (
	callToken = lazyregexp.New(`<\|python_tag\|>|\[TOOL_CALLS\]\s*[\[{\w]|<\|tool_call_start\|>|<\|action_start\|>|\bfunctools\[\s*\{|✿FUNCTION✿` +
		`|(?:<\|channel\|>|<\|start\|>assistant|(?m:^))\s*(?:commentary|analysis)?\s*to=[\w.-]+\s*(?:<\||\{|json|code)`)
	actionLine = lazyregexp.New(`(?m)^Action:\s*([\w.-]+)\s*\n+Action Input:`)
	namedCall  = lazyregexp.New(`^(?:functions\.)?([\w.-]+)(?::\d+)?\s*(?:\[ARGS\]|\s+json)?\s*(\{[\s\S]*\})$`)
	pythonCall = lazyregexp.New(`^\[?\s*([\w.-]+)\((?:\s*\w+\s*=[\s\S]*)?\)\s*\]?$`)
	explains   = lazyregexp.New(`(?i)\b(?:example|syntax|format|looks? like|e\.g\.|such as|would|could|instance|shape|schema|beispiel|template|sample|output|result)\b`)
)

// Bounds of what is looked through.
const (
	longestCall  = 256 << 10 // bytes
	longestIntro = 300
)

// WrittenCall finds a call that a model has written as text: by its tokens wherever they stand
// outside of code, and otherwise at the end of a text, as an object of JSON, in a fence, or
// behind the name of a tool. It returns what stands before it. JSON is looked for unless the
// user has asked for some.
func WrittenCall(text string, asked bool, isTool func(string) bool) (before string, found bool) {
	if len(text) > longestCall {
		return "", false
	}
	for _, at := range callToken.FindAllStringIndex(text, -1) {
		if !inCode(text[:at[0]]) {
			return text[:at[0]], true
		}
	}
	if m := actionLine.FindStringSubmatch(text); m != nil && isTool(m[1]) {
		if before, _, _ := strings.Cut(text, m[0]); !inCode(before) {
			return before, true
		}
	}
	if asked {
		return "", false
	}
	end := strings.TrimSpace(text)
	for at := 0; at <= min(len(end), longestIntro); {
		intro := end[:at]
		if !inCode(intro) && !explains.MatchString(intro) && isCall(end[at:], isTool) {
			return intro, true
		}
		next := strings.IndexByte(end[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return "", false
}

// inCode reports whether what follows a text is in a fenced block or between backticks.
func inCode(before string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Count(before, "```")%2 == 1 || strings.Count(line, "`")%2 == 1
}

// isCall reports whether all of a text is a call.
func isCall(s string, isTool func(string) bool) bool {
	s = strings.TrimSpace(s)
	if rest, fenced := strings.CutPrefix(s, "```"); fenced {
		_, s, _ = strings.Cut(rest, "\n")
		if s, fenced = strings.CutSuffix(strings.TrimSpace(s), "```"); !fenced {
			return false
		}
		s = strings.TrimSpace(s)
	}
	for _, r := range []*lazyregexp.Regexp{namedCall, pythonCall} {
		if m := r.FindStringSubmatch(s); m != nil && isTool(m[1]) && (len(m) < 3 || json.Valid([]byte(m[2]))) {
			return true
		}
	}
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return false
	}
	dec := json.NewDecoder(strings.NewReader(s))
	found := false
	for dec.More() { // one call a line, as some write several
		var v any
		if dec.Decode(&v) != nil || !isCallValue(v, isTool) {
			return false
		}
		found = true
	}
	return found
}

// isCallValue reports whether a value has the form of a call, or of a list of calls.
func isCallValue(v any, isTool func(string) bool) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0 && !slices.ContainsFunc(v, func(one any) bool { return !isCallValue(one, isTool) })
	case map[string]any:
		for key, inner := range v {
			wrapper := key == "function" || strings.HasSuffix(key, "_call") || strings.HasSuffix(key, "_calls")
			if wrapper && isCallValue(inner, isTool) {
				return true
			}
		}
		name, args := "", false
		for key, one := range v {
			switch key {
			case "name", "tool", "tool_name", "function", "function_name":
				name, _ = one.(string)
			case "arguments", "parameters", "args", "input", "tool_input", "params":
				_, object := one.(map[string]any)
				text, _ := one.(string)
				args = object || strings.HasPrefix(strings.TrimSpace(text), "{")
			case "id", "type", "thought", "reason":
			default:
				return false
			}
		}
		return args && isTool(strings.TrimPrefix(name, "functions."))
	}
	return false
}
