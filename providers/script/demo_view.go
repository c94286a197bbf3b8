package script

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/tools/lazyregexp"
)

// view is a request as the demo reads it, from its newest user message on.
type view struct {
	request providers.Request
	prompt  string // newest user message
	turn    int    // number of user messages
	offers  map[string]bool
	uses    []*use // calls since the prompt, in order
}

// use is a call and its result.
type use struct {
	call   providers.Call
	result result
	taken  bool // see [view.follow]
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

// answered hands a tool message to the call that it answers.
func (v *view) answered(m providers.Message) {
	for _, u := range slices.Backward(v.uses) {
		if !u.result.there && (m.CallID == u.call.ID || m.CallID == u.call.WireID) {
			u.result = parseResult(m.Text())
			return
		}
	}
}

// callID names the next call, differently for each call of a conversation.
func (v *view) callID() string { return fmt.Sprintf("demo_%d_%d", v.turn, len(v.uses)+1) }

// steered returns what the user wrote while the demo worked, and whether the newest result
// brought some.
func (v *view) steered() (notes []string, fresh bool) {
	for i, u := range v.uses {
		if u.result.note != "" {
			notes = append(notes, u.result.note)
			fresh = i == len(v.uses)-1
		}
	}
	return notes, fresh
}

// result is a tool result. Its fields are those of its JSON object, if it has one.
type result struct {
	there  bool
	text   string
	fields map[string]any
	note   string // what the user wrote into it
}

// parseResult reads a tool result: a JSON object, perhaps inside a fence, perhaps followed
// by a note of the user.
func parseResult(text string) result {
	r := result{there: true, text: text}
	rest := text
	if begin := strings.IndexByte(text, '{'); begin >= 0 && wrapsOnly(text[:begin]) {
		dec := json.NewDecoder(strings.NewReader(text[begin:]))
		if dec.Decode(&r.fields) == nil {
			rest = text[begin+int(dec.InputOffset()):]
		}
	}
	if _, after, ok := strings.Cut(rest, "\n[message from the user"); ok {
		_, after, _ = strings.Cut(after, "]\n")
		note, _, _ := strings.Cut(after, "\n[end of")
		r.note = strings.TrimSpace(note)
	}
	return r
}

// wrapsOnly reports whether what stands before an object is nothing or a fence.
func wrapsOnly(lead string) bool {
	lead = strings.TrimSpace(lead)
	return lead == "" || len(lead) < 400 && strings.ContainsRune("<[", rune(lead[0]))
}

// str returns a text field, empty if there is none.
func (r result) str(key string) string {
	s, _ := r.fields[key].(string)
	return s
}

// num returns a number field, and whether there is one.
func (r result) num(key string) (int, bool) {
	f, ok := r.fields[key].(float64)
	if !ok || f < -maxInt || f > maxInt {
		return 0, false
	}
	return int(f), true
}

// objects returns the elements of an array field; what is no object is an empty one.
func (r result) objects(key string) []result {
	list, _ := r.fields[key].([]any)
	out := make([]result, len(list))
	for i := range list {
		out[i].fields, _ = list[i].(map[string]any)
	}
	return out
}

// deniedRE knows a refusal in the words of an error.
var deniedRE = lazyregexp.New(`(?i)\b(den(y|ied|ial)|refus|declin|reject|blocked|disallow|plan mode|` +
	`not (been )?(allowed|approved|permitted|granted)|no(body| one|t) (was there to )?(approve|answer|allow))`)

var failedRE = lazyregexp.New(`(?i)^\s*(\[?tool_error|error|failed|exception|traceback)`)

// trouble says why a call has no proper result, empty if it has one. denied reports whether
// someone or something did not allow it.
func (u *use) trouble() (why string, denied bool) {
	r := u.result
	status := strings.ToLower(r.str("status"))
	held := status == "blocked" || status == "denied" || status == "pending_approval" || r.fields["approved"] == false
	switch {
	case !r.there:
		return "there is no result of it", false
	case r.str("error") != "":
		why = r.str("error")
	case held:
		why = cmp.Or(r.str("message"), r.str("description"), "it was "+cmp.Or(status, "denied"))
	case status == "error" || status == "failed" || status == "cancelled" || r.fields["success"] == false:
		why = cmp.Or(r.str("message"), "it did not succeed")
	case r.fields == nil && failedRE.MatchString(r.text):
		why = firstLine(r.text)
	case r.fields == nil:
		return "its result cannot be read", false
	default:
		return "", false
	}
	said := strings.ReplaceAll(strings.ToLower(why), "permission denied", "") // by the system, not by a user
	return plain(strings.TrimRight(why, "."), 160), held || deniedRE.MatchString(said)
}

// arg returns a text argument of the call.
func (u *use) arg(key string) string { return parseResult(u.call.Arguments).str(key) }

// lines returns the lines of a text field, without the numbers of read_file.
func (u *use) lines(key string) []string {
	text := strings.Trim(u.result.str(key), "\n")
	if text == "" {
		return nil
	}
	list := strings.Split(text, "\n")
	for i, line := range list {
		list[i] = strings.TrimSuffix(line[len(numberedRE.FindString(line)):], "\r")
	}
	return list
}

var numberedRE = lazyregexp.New(`^\s*\d+\|`)

// files returns the paths that a search for files returned, and how many there are in all.
func (u *use) files() (list []string, total int) {
	if u == nil {
		return nil, 0
	}
	found, _ := u.result.fields["files"].([]any)
	for _, item := range found {
		if path, ok := item.(string); ok && path != "" {
			list = append(list, strings.TrimPrefix(path, "./"))
		}
	}
	n, _ := u.result.num("total_count")
	return list, max(n, len(list))
}

// hit is a line that a search found.
type hit struct {
	path string
	line int
	text string
}

// hits returns the lines that a search returned, the file with the most of them first, and
// how many there are in all.
func (u *use) hits() (list []hit, total int) {
	if u == nil {
		return nil, 0
	}
	in := map[string]int{}
	for _, m := range u.result.objects("matches") {
		h := hit{path: strings.TrimPrefix(m.str("path"), "./"), line: 1, text: m.str("content")}
		if n, ok := m.num("line"); ok && n >= 1 {
			h.line = n
		}
		if h.path != "" {
			list = append(list, h)
			in[h.path]++
		}
	}
	slices.SortStableFunc(list, func(a, b hit) int { return cmp.Compare(in[b.path], in[a.path]) })
	n, _ := u.result.num("total_count")
	return list, max(n, len(list))
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); t != "" {
			return t
		}
	}
	return ""
}
