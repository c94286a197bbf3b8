package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Coerce turns arguments into the types that a tool's schema (its Parameters)
// declares for them, where that is exact: text that spells a number, a boolean,
// null, an array or an object becomes one, and a bare value for an array
// parameter becomes an array of one. Numbers keep all their digits. Everything
// else, unknown arguments included, stays as it was; [Check] tells what does not
// fit. Only the top level is touched. A required argument that is missing has its
// default, where the schema names one.
//
// Arguments that are not a JSON object are an error. Of equal keys the last
// value stays, so that no one can read the arguments in two ways.
func Coerce(parameters, args json.RawMessage) (json.RawMessage, error) {
	s, err := parseSchema(parameters)
	if err != nil {
		return nil, fmt.Errorf("coerce arguments: %w", err)
	}
	o, err := parseObject(args)
	if err != nil {
		return nil, fmt.Errorf("coerce arguments: %w", err)
	}
	for key, value := range o.values {
		if p := s.properties[key]; p != nil {
			o.values[key] = p.coerce(value)
		}
	}
	for _, key := range s.required {
		if p := s.properties[key]; p != nil && p.byDefault != nil && o.values[key] == nil {
			o.keys = append(o.keys, key)
			o.values[key] = p.byDefault
		}
	}
	return o.encode()
}

// coerce converts one value, or gives it back as it is.
func (s *schema) coerce(value json.RawMessage) json.RawMessage {
	kinds := s.alternatives()
	switch kind := kindOf(value); kind {
	case "string":
		var text string
		if json.Unmarshal(value, &text) != nil {
			return value
		}
		if converted, ok := s.fromText(text, kinds); ok {
			return converted
		}
		if takes(kinds, kind, value) {
			return value
		}
	case "null":
		return value
	default:
		if takes(kinds, kind, value) {
			return value
		}
	}
	if !slices.Contains(kinds, "array") {
		return value
	}
	return slices.Concat(json.RawMessage("["), value, json.RawMessage("]"))
}

// takes reports whether a value of a kind is one of the alternatives as it is.
func takes(kinds []string, kind string, value json.RawMessage) bool {
	for _, want := range kinds {
		if want == "" || want == kind {
			return true
		}
		if want == "integer" && kind == "number" {
			if _, whole := integerText(string(value)); whole {
				return true
			}
		}
	}
	return false
}

// fromText converts text to the first alternative that it spells. A string
// takes any text, so what comes after one is never reached.
func (s *schema) fromText(text string, kinds []string) (json.RawMessage, bool) {
	trimmed := strings.TrimSpace(text)
	if strings.EqualFold(trimmed, "null") && s.allowsNull() {
		return json.RawMessage("null"), true
	}
	for _, kind := range kinds {
		switch kind {
		case "", "string":
			return nil, false
		case "integer":
			if n, ok := integerText(trimmed); ok {
				return json.RawMessage(n), true
			}
		case "number":
			if n, ok := numberText(trimmed); ok {
				return json.RawMessage(n), true
			}
		case "boolean":
			if b := strings.ToLower(trimmed); b == "true" || b == "false" {
				return json.RawMessage(b), true
			}
		case "array":
			if isJSON([]byte(trimmed), '[') {
				return json.RawMessage(trimmed), true
			}
		case "object":
			if isJSON([]byte(trimmed), '{') {
				return json.RawMessage(trimmed), true
			}
		}
	}
	return nil, false
}

// kindOf names the JSON type of a valid value; numbers of any form are
// "number".
func kindOf(value json.RawMessage) string {
	text := strings.TrimLeft(string(value), " \t\r\n")
	if text == "" {
		return ""
	}
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
