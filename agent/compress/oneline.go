package compress

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
)

// Limits of the line in place of a result, in characters.
const (
	longCommand = 80
	longError   = 100
	longValue   = 40
	longPath    = 100
	mostPairs   = 4
)

// sentence says what a kind of call did and what came of it. The second part is
// empty when the result is not in the form the tool gives.
type sentence struct {
	tool string
	did  func(a fields) string
	came func(a, result fields) string
}

// sentences are the tools whose results have their own line.
func sentences() []sentence {
	return []sentence{
		{"terminal", didRun, cameOfRun},
		{"read_file", didRead, cameOfRead},
		{"write_file", func(a fields) string { return "wrote to " + a.path() }, cameOfWrite},
		{"search_files", didSearch, cameOfSearch},
		{"patch", didPatch, nil},
		{"todo", didTodo, cameOfTodo},
	}
}

func didRun(a fields) string { return "ran `" + clip(a.text("command"), longCommand) + "`" }

func cameOfRun(_, result fields) string {
	code, known := result.number("exit_code")
	if !known {
		return ""
	}
	return fmt.Sprintf("-> exit %d, %s output", code, plural(lines(result.text("output")), "line", "lines"))
}

func didRead(a fields) string {
	from := 1
	if n, ok := a.number("offset"); ok {
		from = n
	}
	return fmt.Sprintf("read %s from line %d", a.path(), from)
}

func cameOfRead(_, result fields) string {
	if !result.has("content") {
		return ""
	}
	return characters(result.text("content"))
}

func cameOfWrite(a, _ fields) string {
	return "(" + plural(lines(a.text("content")), "line", "lines") + ")"
}

func didSearch(a fields) string {
	what := "content search"
	if t := a.text("target"); t == "files" || t == "find" {
		what = "file search"
	}
	what += " for '" + clip(a.text("pattern"), longValue) + "'"
	if p := a.text("path"); p != "" {
		what += " in " + a.path()
	}
	return what
}

func cameOfSearch(_, result fields) string {
	n, known := result.number("total_count")
	switch {
	case !known:
		return ""
	case result.has("matches"):
		return "-> " + plural(n, "match", "matches")
	}
	return "-> " + plural(n, "file", "files")
}

func didPatch(a fields) string {
	mode := a.text("mode")
	if mode == "" {
		mode = "replace"
	}
	if p := a.text("path"); p != "" {
		return clip(mode, longValue) + " in " + a.path()
	}
	return clip(mode, longValue)
}

func didTodo(a fields) string {
	var items []json.RawMessage
	if json.Unmarshal(a["todos"], &items) != nil {
		return "read the task list"
	}
	return "wrote " + plural(len(items), "task", "tasks")
}

func cameOfTodo(_, result fields) string {
	n := parseFields(string(result["summary"]))
	total, known := n.number("total")
	done, _ := n.number("completed")
	if !known {
		return ""
	}
	return fmt.Sprintf("-> %d of %d done then", done, total)
}

// oneLine describes a call and its result in one line of at most 200 characters.
func oneLine(call providers.Call, body string) string {
	did, came := describe(call, parseFields(body))
	if came == "" {
		came = "(" + plural(utf8.RuneCountInString(body), "char", "chars") + " result)"
	}
	if did != "" {
		did += " "
	}
	return clip(tag(call)+" "+did+came, longResult)
}

// describe says what a call did and what came of it, if the result tells.
func describe(call providers.Call, result fields) (did, came string) {
	all := sentences()
	i := slices.IndexFunc(all, func(s sentence) bool { return s.tool == call.Name })
	if i < 0 {
		did = pairs(call.Arguments)
	} else {
		args := parseFields(call.Arguments)
		did = all[i].did(args)
		if all[i].came != nil && result != nil {
			came = all[i].came(args, result)
		}
	}
	if e := result.text("error"); e != "" {
		came = "-> error: " + clip(e, longError)
	}
	return did, came
}

// sameAgain is the line in place of a result that comes again later.
func sameAgain(call providers.Call) string {
	return clip(tag(call)+" the same output as a later call", longResult)
}

func tag(call providers.Call) string {
	if call.Name == "" {
		return "[tool]"
	}
	return "[" + clip(call.Name, longValue) + "]"
}

func characters(s string) string {
	return "(" + plural(utf8.RuneCountInString(s), "char", "chars") + ")"
}

// lines counts the lines of a text; one without an end counts.
func lines(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}

// clip makes one line of a text and cuts it to n characters, the mark included.
func clip(s string, n int) string {
	// A line of n characters is made of few words: what is far behind cannot
	// matter, and a result may have megabytes.
	s = strings.Join(strings.Fields(first(s, 16*n)), " ")
	if !longer(s, n) {
		return s
	}
	return first(s, n-1) + "…"
}

// fields are the members of a JSON object; nil is no object.
type fields map[string]json.RawMessage

// parseFields reads a JSON object; anything else has no fields.
func parseFields(raw string) fields {
	var f fields
	if !strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") || json.Unmarshal([]byte(raw), &f) != nil {
		return nil
	}
	return f
}

func (f fields) has(key string) bool { return f[key] != nil }

// text is a member that is a string, empty otherwise.
func (f fields) text(key string) string {
	var s string
	if f.has(key) && json.Unmarshal(f[key], &s) != nil {
		return ""
	}
	return s
}

// number is a member that is a whole number.
func (f fields) number(key string) (int, bool) {
	var n *float64
	if !f.has(key) || json.Unmarshal(f[key], &n) != nil || n == nil || *n != float64(int(*n)) {
		return 0, false
	}
	return int(*n), true
}

func (f fields) path() string { return clip(f.text("path"), longPath) }

// pairs lists the first members of an object as key=value, in the order in which
// they are written.
func pairs(raw string) string {
	f := parseFields(raw)
	if f == nil {
		return ""
	}
	var all []string
	d := json.NewDecoder(strings.NewReader(raw))
	_, err := d.Token() // the opening brace
	for err == nil && d.More() {
		if len(all) == mostPairs {
			all = append(all, "…")
			break
		}
		var key json.Token
		var value json.RawMessage
		if key, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		name, _ := key.(string)
		shown := string(value)
		if s := f.text(name); s != "" {
			shown = s
		}
		all = append(all, clip(name, longValue)+"="+clip(shown, longValue))
	}
	return strings.Join(all, " ")
}
