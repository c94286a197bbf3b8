package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// field is one thing that a server asks for.
type field struct {
	name, title, kind, format string
	choices                   []string // as they are shown
	values                    []any    // as they are sent
	required                  bool
	otherwise                 any // what is sent when it stays open, nil for nothing
	schema                    *jsonschema.Resolved
	limits                    string // in words
	wrong                     string // what was wrong with the last answer
}

// fieldsOf reads a flat schema, what is required first.
func fieldsOf(schema any) ([]field, error) {
	m, _ := schema.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	if len(properties) > maxFields {
		return nil, fmt.Errorf("at most %d things can be asked for at once", maxFields)
	}
	required, _ := m["required"].([]any)
	var list []field
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, ok := properties[name].(map[string]any)
		if !ok {
			return nil, errors.New("the form cannot be read")
		}
		f, err := fieldOf(name, p)
		if err != nil {
			return nil, err
		}
		f.required = slices.Contains(required, any(name))
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b field) int {
		if a.required == b.required {
			return 0
		}
		if a.required {
			return -1
		}
		return 1
	})
	return list, nil
}

func fieldOf(name string, p map[string]any) (field, error) {
	f := field{name: name, title: label(first(str(p["title"]), name), 200), kind: str(p["type"]), format: str(p["format"]), otherwise: p["default"]}
	if d := label(str(p["description"]), 300); d != "" && d != f.title {
		f.title += " - " + d
	}
	switch f.kind {
	case "boolean":
		f.choices, f.values = []string{"Yes", "No"}, []any{true, false}
	case "string", "integer", "number", "array":
		from := p
		if items, ok := p["items"].(map[string]any); ok && f.kind == "array" {
			from = items
		}
		f.choices, f.values = choicesOf(from)
	default:
		return f, fmt.Errorf("a %q cannot be asked for", f.kind)
	}
	f.limits = limitsOf(p, f.kind)
	raw, err := json.Marshal(p)
	var schema jsonschema.Schema
	if err == nil {
		err = json.Unmarshal(raw, &schema)
	}
	if err == nil {
		schema.Default = nil
		f.schema, err = schema.Resolve(nil)
	}
	if err != nil {
		return f, fmt.Errorf("the form cannot be read: %w", err)
	}
	if f.otherwise != nil && f.check(f.otherwise) != "" {
		f.otherwise = nil // it is not what the server itself wants
	}
	return f, nil
}

// secret reports whether a field seems to ask for a password or a key.
func (f field) secret() bool {
	text := strings.ToLower(f.name + " " + f.title)
	return slices.ContainsFunc([]string{"password", "passphrase", "secret", "token", "api key", "apikey", "api_key", "private key", "credential", "pin code", "passwort"}, func(w string) bool { return strings.Contains(text, w) })
}

// words are how a field is asked for.
func (f field) words() string {
	text := f.title
	if f.wrong != "" {
		text = f.wrong + "\n" + text
	}
	var notes []string
	if f.limits != "" {
		notes = append(notes, f.limits)
	}
	switch {
	case f.otherwise != nil:
		notes = append(notes, "left open it is "+label(f.shown(f.otherwise), 100))
	case !f.required:
		notes = append(notes, "may stay open")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return strings.TrimSpace(text)
}

// shown is a value in the words of the form.
func (f field) shown(v any) string {
	if list, ok := v.([]any); ok {
		var words []string
		for _, one := range list {
			words = append(words, f.shown(one))
		}
		return strings.Join(words, ", ")
	}
	for i, known := range f.values {
		if fmt.Sprint(known) == fmt.Sprint(v) {
			return f.choices[i]
		}
	}
	return fmt.Sprint(v)
}

// value is an answer in the form that the server wants. there says that there is one; wrong
// what is wrong with it, in a sentence.
func (f field) value(given []string) (value any, there bool, wrong string) {
	switch {
	case len(given) == 0 && f.otherwise != nil:
		return f.otherwise, true, ""
	case len(given) == 0 && f.required:
		return nil, false, "It may not stay open."
	case len(given) == 0:
		return nil, false, ""
	}
	var list []any
	for _, g := range given {
		v, wrong := f.one(g)
		if wrong != "" {
			return nil, false, wrong
		}
		list = append(list, v)
	}
	value = list[0]
	if f.kind == "array" {
		value = list
	}
	wrong = f.check(value)
	return value, wrong == "", wrong
}

// one reads one text.
func (f field) one(text string) (v any, wrong string) {
	if k := slices.Index(f.choices, text); k >= 0 {
		return f.values[k], ""
	}
	text = strings.TrimSpace(text)
	if k := slices.IndexFunc(f.choices, func(c string) bool { return strings.EqualFold(c, text) }); k >= 0 {
		return f.values[k], ""
	}
	switch {
	case len(f.choices) > 0:
		return nil, "Only what is listed can be taken."
	case f.kind == "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, "A whole number is wanted."
		}
		return n, ""
	case f.kind == "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != n || n > 1e300 || n < -1e300 {
			return nil, "A number is wanted."
		}
		return n, ""
	}
	return text, ""
}

// check says what is wrong with a value, empty if nothing is.
func (f field) check(v any) string {
	raw, err := json.Marshal(v)
	var plain any
	if err == nil {
		err = json.Unmarshal(raw, &plain)
	}
	if err == nil {
		err = f.schema.Validate(plain)
	}
	if err != nil {
		if f.limits != "" {
			return "Wanted is: " + f.limits + "."
		}
		return "It is not in the form that the server wants."
	}
	text, ok := v.(string)
	if ok && !formatted(f.format, text) {
		return "Wanted is " + formats[f.format] + "."
	}
	return ""
}

// formats are those that texts can have, in words.
var formats = map[string]string{"email": "an address like anna@example.com", "uri": "an address like https://example.com", "date": "a date like 2026-01-31", "date-time": "a time like 2026-01-31T12:00:00Z"}

// formatted reports whether a text has a format.
func formatted(format, text string) bool {
	var err error
	switch format {
	case "email":
		var a *mail.Address
		if a, err = mail.ParseAddress(text); err == nil && a.Address != text {
			return false
		}
	case "uri":
		var u *url.URL
		if u, err = url.Parse(text); err == nil && u.Scheme == "" {
			return false
		}
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	}
	return err == nil
}

// limitsOf says in words what an answer may be.
func limitsOf(p map[string]any, kind string) string {
	var parts []string
	add := func(format string, keys ...string) {
		for _, key := range keys {
			if v, ok := p[key]; ok {
				parts = append(parts, fmt.Sprintf(format, v))
			}
		}
	}
	switch kind {
	case "integer":
		parts = append(parts, "a whole number")
	case "number":
		parts = append(parts, "a number")
	case "string":
		if words := formats[str(p["format"])]; words != "" {
			parts = append(parts, words)
		}
	}
	add("at least %v", "minimum")
	add("more than %v", "exclusiveMinimum")
	add("at most %v", "maximum")
	add("less than %v", "exclusiveMaximum")
	add("at least %v characters", "minLength")
	add("at most %v characters", "maxLength")
	add("at least %v of them", "minItems")
	add("at most %v of them", "maxItems")
	return label(strings.Join(parts, ", "), 200)
}

// choicesOf are the values that a schema allows, as they are shown and sent.
func choicesOf(p map[string]any) (shown []string, values []any) {
	add := func(value any, title string) {
		if title = label(title, 100); title == "" || slices.Contains(shown, title) {
			title = label(fmt.Sprint(value), 100)
		}
		shown, values = append(shown, title), append(values, value)
	}
	names, _ := p["enumNames"].([]any)
	if enum, ok := p["enum"].([]any); ok {
		for i, v := range enum {
			title := ""
			if i < len(names) {
				title = str(names[i])
			}
			add(v, title)
		}
	}
	for _, k := range []string{"oneOf", "anyOf"} {
		list, _ := p[k].([]any)
		for _, one := range list {
			if m, ok := one.(map[string]any); ok && m["const"] != nil {
				add(m["const"], str(m["title"]))
			}
		}
	}
	return shown, values
}

func str(v any) string { s, _ := v.(string); return s }

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
