package compress

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"hermes-tui/providers"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// Limits of the line in place of a result, in characters.
const (
	longError = 100
	longValue = 40
	mostPairs = 4
)

// oneLine describes a call and its result in one line of at most 200 characters.
func (e *Engine) oneLine(call providers.Call, body string) string {
	did, came := e.describe(call, tools.ParseMembers(body))
	if came == "" {
		came = "(" + tools.Plural(utf8.RuneCountInString(body), "char", "chars") + " result)"
	}
	if did != "" {
		did += " "
	}
	return shorten.Line(tag(call)+" "+did+came, longResult)
}

// describe says what a call did and what came of it, if the result tells.
func (e *Engine) describe(call providers.Call, result tools.Members) (did, came string) {
	if tool := e.tool(call.Name); tool.Summarise != nil {
		did, came = tool.Summarise(tools.ParseMembers(call.Arguments), result)
	} else {
		did = pairs(call.Arguments)
	}
	if result == nil {
		came = ""
	}
	if e := result.Text("error"); e != "" {
		came = "-> error: " + shorten.Line(e, longError)
	}
	return did, came
}

// tool is a tool of the agent, the zero value if there is none of that name.
func (e *Engine) tool(name string) tools.Tool {
	t, _ := e.find(name)
	return t
}

// sameAgain is the line in place of a result that comes again later.
func sameAgain(call providers.Call) string {
	return shorten.Line(tag(call)+" the same output as a later call", longResult)
}

func tag(call providers.Call) string {
	if call.Name == "" {
		return "[tool]"
	}
	return "[" + shorten.Line(call.Name, longValue) + "]"
}

// pairs lists the first members of an object as key=value, in the order in which
// they are written.
func pairs(raw string) string {
	f := tools.ParseMembers(raw)
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
		if s := f.Text(name); s != "" {
			shown = s
		}
		all = append(all, shorten.Line(name, longValue)+"="+shorten.Line(shown, longValue))
	}
	return strings.Join(all, " ")
}
