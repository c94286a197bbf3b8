package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// view is what the demo knows: the request, read from its newest user message.
type view struct {
	request providers.Request
	prompt  string // newest user message
	turn    int    // number of user messages
	offers  map[string]bool
	uses    []*use // calls since the prompt, in order
}

// use is a call and what came of it.
type use struct {
	call   providers.Call
	result result
	taken  bool // see take
}

func look(r providers.Request) *view {
	v := &view{request: r, offers: map[string]bool{}}
	for _, t := range r.Tools {
		v.offers[t.Name] = true
	}
	for _, m := range r.Messages {
		if m.Role == providers.User {
			v.turn++
		}
	}
	start := lastUser(r.Messages)
	if start >= 0 {
		v.prompt = r.Messages[start].Text()
	}
	for _, m := range r.Messages[start+1:] {
		for _, c := range m.Calls {
			v.uses = append(v.uses, &use{call: c})
		}
		if m.Role == providers.Tool {
			v.answered(m)
		}
	}
	return v
}

// answered gives a tool message to the call it answers.
func (v *view) answered(m providers.Message) {
	for _, u := range slices.Backward(v.uses) {
		if !u.result.there && (m.CallID == u.call.ID || m.CallID == u.call.WireID) {
			u.result = parseResult(m.Text())
			return
		}
	}
}

// take gives the next call of a tool that was not taken before, nil if there is
// none.
func (v *view) take(tool string) *use {
	for _, u := range v.uses {
		if !u.taken && u.call.Name == tool {
			u.taken = true
			return u
		}
	}
	return nil
}

// callID names the next call, differently for each call of a conversation.
func (v *view) callID() string { return fmt.Sprintf("demo_%d_%d", v.turn, len(v.uses)+1) }

// steered is what the user wrote while the demo worked: all of it, and
// whether the newest result brought some.
func (v *view) steered() (notes []string, fresh bool) {
	for i, u := range v.uses {
		if u.result.note != "" {
			notes = append(notes, u.result.note)
			fresh = i == len(v.uses)-1
		}
	}
	return notes, fresh
}

// result is a tool result. Its fields are those of its JSON object, if it has
// one.
type result struct {
	there  bool
	text   string
	fields map[string]any
	note   string // what the user wrote into it
}

// parseResult reads a tool result. Results are JSON objects, perhaps wrapped in
// a fence and perhaps followed by notes.
func parseResult(text string) result {
	r := result{there: true, text: text}
	rest := text
	if begin := strings.IndexByte(text, '{'); begin >= 0 && wrapsOnly(text[:begin]) {
		dec := json.NewDecoder(strings.NewReader(text[begin:]))
		if dec.Decode(&r.fields) == nil {
			rest = text[begin+int(dec.InputOffset()):]
		}
	}
	r.note = outOfBand(rest)
	return r
}

// wrapsOnly reports whether what stands before an object is nothing or a fence.
func wrapsOnly(lead string) bool {
	lead = strings.TrimSpace(lead)
	return lead == "" || len(lead) < 400 && strings.ContainsRune("<[", rune(lead[0]))
}

// A note from the user stands between two lines of its own, the first of
// which says what it is, or in one such line.
var (
	noteRE = lazyregexp.New(`(?i)^\s*[\[<(*=#-].*\b(out[-_ ]of[-_ ]band|steer(ed|ing)?|(note|message|text|word|guidance) (from|by|of) (the )?(person|user|human|operator)|(user|person)[-_ ](note|message|guidance))([^a-z]|$)`)
	tagRE  = lazyregexp.New(`^\s*<[^>]+>(.+)</[^>]+>\s*$`)
	lineRE = lazyregexp.New(`^\s*\[[^:\]]*:\s*(.+)\]\s*$`)
	endRE  = lazyregexp.New(`(?i)^\s*([\[<(*=#-]+\s*(/|end\b).*|[=*#-]{3,})\s*$`)
)

// outOfBand finds the user's note in what follows a result.
func outOfBand(text string) string {
	lines := strings.Split(text, "\n")
	start := slices.IndexFunc(lines, noteRE.MatchString)
	if start < 0 {
		return ""
	}
	for _, re := range []*lazyregexp.Regexp{tagRE, lineRE} {
		if m := re.FindStringSubmatch(lines[start]); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	body := lines[start+1:]
	if end := slices.IndexFunc(body, endRE.MatchString); end >= 0 {
		body = body[:end]
	}
	return strings.TrimSpace(strings.Join(body, "\n"))
}

// str is a text field, empty if there is none.
func (r result) str(key string) string {
	s, _ := r.fields[key].(string)
	return s
}

// num is a number field, and whether there is one.
func (r result) num(key string) (int, bool) {
	f, ok := r.fields[key].(float64)
	if !ok || f < -maxInt || f > maxInt {
		return 0, false
	}
	return int(f), true
}

// list is an array field.
func (r result) list(key string) []any {
	l, _ := r.fields[key].([]any)
	return l
}

// deniedRE knows a refusal in the words of an error.
var deniedRE = lazyregexp.New(`(?i)\b(den(y|ied|ial)|refus|declin|reject|forb[ia]d|blocked|disallow|plan mode|not (been )?(allowed|approved|permitted|granted)|no(body| one|t) (was there to )?(approve|answer|allow))`)

// trouble says why a call has no proper result, empty if it has one. denied
// reports whether someone or something did not allow it.
func (u *use) trouble() (why string, denied bool) {
	r := u.result
	switch status := strings.ToLower(r.str("status")); {
	case !r.there:
		return "there is no result of it", false
	case r.str("error") != "":
		why = r.str("error")
	case status == "blocked" || status == "denied" || status == "pending_approval":
		why = firstOf(r.str("message"), r.str("description"), "it was "+status)
	case status == "error" || status == "failed" || status == "cancelled":
		why = firstOf(r.str("message"), "it "+status)
	case r.fields["success"] == false || r.fields["approved"] == false:
		why = firstOf(r.str("message"), "it did not succeed")
	case r.fields == nil && failedRE.MatchString(r.text):
		why = firstLine(r.text)
	default:
		return "", false
	}
	status := strings.ToLower(r.str("status"))
	said := strings.ReplaceAll(strings.ToLower(why), "permission denied", "") // by the system, not by a user
	denied = status == "blocked" || status == "denied" || status == "pending_approval" ||
		r.fields["approved"] == false || deniedRE.MatchString(said)
	return why, denied
}

// problem says why a call gave nothing to report, in a form for prose: it
// failed, or its result has none of the fields that hold something. It is empty
// if there is something to report, or if there was no call.
func (u *use) problem(fields ...string) string {
	if u == nil {
		return ""
	}
	if why, _ := u.trouble(); why != "" {
		return plain(strings.TrimRight(why, "."), 160)
	}
	if u.result.str("status") == "unchanged" {
		return "it has not changed since it was read before"
	}
	for _, f := range fields {
		if _, ok := u.result.fields[f]; ok {
			return ""
		}
	}
	return "the result cannot be understood"
}

var failedRE = lazyregexp.New(`(?i)^\s*(\[?tool_error|error|failed|exception|traceback)`)

// firstOf is the first text that is not empty.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// firstLine is the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); t != "" {
			return t
		}
	}
	return ""
}
