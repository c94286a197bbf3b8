package code

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hermes-tui/tools"
)

// offered are the agent's tools that scripts may call, in the order of the agent's.
func (c *Code) offered() []tools.Tool {
	return slices.DeleteFunc(slices.Clone(c.o.Tools()), func(t tools.Tool) bool { return t.Scripts == nil })
}

// function is a tool as a Python function.
type function struct {
	name, doc string
	params    []param
}

// param is an argument of a function. Text without default is required.
type param struct {
	name, value string // value is a Python expression, empty for required
	doc         string
}

// functionOf reads a tool's schema.
func functionOf(t tools.Tool) (function, error) {
	f := function{name: t.Name, doc: t.Description}
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(t.Parameters, &schema); err != nil {
		return f, fmt.Errorf("read the schema of %s: %w", t.Name, err)
	}
	names, err := keys(schema.Properties)
	if err != nil {
		return f, fmt.Errorf("read the schema of %s: %w", t.Name, err)
	}
	var properties map[string]struct {
		Description string          `json:"description"`
		Default     json.RawMessage `json:"default"`
	}
	if len(schema.Properties) > 0 {
		if err := json.Unmarshal(schema.Properties, &properties); err != nil {
			return f, fmt.Errorf("read the schema of %s: %w", t.Name, err)
		}
	}
	var optional []param
	for _, name := range names {
		if !identifier(name) || slices.Contains(t.Scripts.Without, name) {
			continue
		}
		p := param{name: name, doc: properties[name].Description}
		if slices.Contains(schema.Required, name) {
			f.params = append(f.params, p)
			continue
		}
		p.value = literal(properties[name].Default)
		optional = append(optional, p)
	}
	f.params = append(f.params, optional...)
	return f, nil
}

// keys lists the keys of a JSON object in the order in which they stand there.
func keys(object json.RawMessage) ([]string, error) {
	if len(object) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var names []string
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("%v is no key", t)
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// identifier reports whether a name can be a parameter in Python.
func identifier(name string) bool {
	reserved := []string{
		"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
		"except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
		"return", "try", "while", "with", "yield",
	}
	ok, err := regexp.MatchString(`^[A-Za-z][A-Za-z0-9_]*$`, name)
	return ok && err == nil && !slices.Contains(reserved, name)
}

// literal writes a JSON scalar in Python; anything else is None, which is not
// sent.
func literal(value json.RawMessage) string {
	text := strings.TrimSpace(string(value))
	switch {
	case text == "true":
		return "True"
	case text == "false":
		return "False"
	case text == "", text == "null", text[0] == '[', text[0] == '{':
		return "None"
	}
	return text // strings and numbers are written alike in both
}

// signature shows a function as it is called.
func (f function) signature() string {
	parts := make([]string, len(f.params))
	for i, p := range f.params {
		parts[i] = p.name
		if p.value != "" {
			parts[i] += "=" + p.value
		}
	}
	return f.name + "(" + strings.Join(parts, ", ") + ")"
}

// source is the function in Python.
func (f function) source() string {
	doc := f.doc
	var args []string
	for _, p := range f.params {
		if p.doc != "" {
			doc += "\n" + p.name + ": " + p.doc
		}
		args = append(args, fmt.Sprintf("%q: %s", p.name, p.name))
	}
	return fmt.Sprintf("\ndef %s:\n    %s\n    return _call(%q, {%s})\n", f.signature(), tools.JSON(doc), f.name, strings.Join(args, ", "))
}

// functions gives the functions for a list of tools.
func functions(list []tools.Tool) ([]function, error) {
	var out []function
	for _, t := range list {
		f, err := functionOf(t)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// module is the source of hermes_tools for a list of tools.
func module(list []tools.Tool) (string, error) {
	fs, err := functions(list)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(library)
	for _, f := range fs {
		b.WriteString(f.source())
	}
	return b.String(), nil
}
