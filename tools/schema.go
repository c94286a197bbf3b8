package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// schema is the part of JSON Schema that arguments are coerced and checked by:
// type, nullable, enum, const, anyOf, oneOf, properties, required,
// additionalProperties false, items, and the limits of numbers, strings and
// arrays. Keywords beyond these are passed over, as are malformed values of
// known ones, since a schema may come from elsewhere.
type schema struct {
	types      []string // empty: any
	nullable   bool
	enum       []any
	members    []*schema // of anyOf or oneOf
	properties map[string]*schema
	required   []string
	closed     bool // no properties but the listed ones
	items      *schema
	byDefault  json.RawMessage // nil for none

	min, max, above, below *float64
	minItems, maxItems     *int
	minLength, maxLength   *int
}

// UnmarshalJSON reads a schema. The schemas true and false are read as one that
// says nothing.
func (s *schema) UnmarshalJSON(raw []byte) error {
	*s = schema{}
	if !isJSON(raw, '{') {
		if isJSON(raw, 't') || isJSON(raw, 'f') {
			return nil
		}
		return errors.New("a schema must be a JSON object")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	s.types = readTypes(fields["type"])
	read(fields, "nullable", &s.nullable)
	s.readEnum(fields)
	s.byDefault = fields["default"]
	read(fields, "required", &s.required)
	read(fields, "minimum", &s.min)
	read(fields, "maximum", &s.max)
	read(fields, "exclusiveMinimum", &s.above)
	read(fields, "exclusiveMaximum", &s.below)
	read(fields, "minItems", &s.minItems)
	read(fields, "maxItems", &s.maxItems)
	read(fields, "minLength", &s.minLength)
	read(fields, "maxLength", &s.maxLength)
	open := true
	read(fields, "additionalProperties", &open)
	s.closed = !open
	read(fields, "properties", &s.properties)
	read(fields, "items", &s.items)
	read(fields, "anyOf", &s.members)
	if s.members == nil {
		read(fields, "oneOf", &s.members)
	}
	return nil
}

// read decodes a keyword when it is there and has the right form.
func read[T any](fields map[string]json.RawMessage, key string, into *T) {
	raw, ok := fields[key]
	if !ok {
		return
	}
	var v T
	if json.Unmarshal(raw, &v) == nil {
		*into = v
	}
}

// readTypes reads a type name or a list of them.
func readTypes(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	return nil
}

// readEnum reads the permitted values, of which const is a single one.
func (s *schema) readEnum(fields map[string]json.RawMessage) {
	if raw, ok := fields["const"]; ok {
		if v, err := decodeAny(raw); err == nil {
			s.enum = []any{v}
		}
		return
	}
	var list []json.RawMessage
	read(fields, "enum", &list)
	for _, raw := range list {
		if v, err := decodeAny(raw); err == nil {
			s.enum = append(s.enum, v)
		}
	}
}

// allowsNull reports whether null is a value of the schema.
func (s *schema) allowsNull() bool {
	return s.nullable || slices.Contains(s.types, "null") ||
		slices.ContainsFunc(s.members, func(m *schema) bool { return m != nil && m.allowsNull() })
}

// alternatives lists the types a value may have, in the order given. An empty
// name is a member that takes anything; an empty list is a schema that says
// nothing about types.
func (s *schema) alternatives() []string {
	if len(s.types) > 0 {
		return s.types
	}
	var names []string
	for _, m := range s.members {
		if m == nil {
			continue
		}
		inner := m.alternatives()
		if len(inner) == 0 {
			inner = []string{""}
		}
		names = append(names, inner...)
	}
	return names
}

// parseSchema reads a schema.
func parseSchema(raw json.RawMessage) (*schema, error) {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return &s, nil
}

// validParameters checks that a tool's schema is an object schema that holds
// together: each required property is described, no type is misspelt.
func validParameters(raw json.RawMessage) error {
	if !isJSON(raw, '{') {
		return errors.New("the schema must be a JSON object")
	}
	s, err := parseSchema(raw)
	if err != nil {
		return err
	}
	if !slices.Equal(s.types, []string{"object"}) {
		return errors.New(`the schema must be of type "object"`)
	}
	return s.consistent("")
}

// consistent checks a schema and all below it; path is where it stands.
func (s *schema) consistent(path string) error {
	for _, name := range s.types {
		if !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean", "null"}, name) {
			return fmt.Errorf("schema of %q: unknown type %q", path, name)
		}
	}
	for _, name := range s.required {
		if s.properties[name] == nil {
			return fmt.Errorf("schema of %q: required property %q is not described", path, name)
		}
	}
	for name, p := range s.properties {
		if p == nil {
			continue
		}
		if err := p.consistent(join(path, name)); err != nil {
			return err
		}
	}
	for _, m := range append([]*schema{s.items}, s.members...) {
		if m == nil {
			continue
		}
		if err := m.consistent(path + "[]"); err != nil {
			return err
		}
	}
	return nil
}

// join names a property of an argument.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
