package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools/shorten"
)

// maxProblems bounds what [Check] reports: a model corrects a handful of things
// at a time.
const maxProblems = 10

// Problem is one thing that does not fit a tool's schema.
type Problem struct {
	// Path names the argument: "limit", "todos[0].status"; empty for the
	// arguments as a whole.
	Path string
	// Message completes a sentence that begins with the path: "is required".
	Message string
}

// String is the problem as a sentence without full stop.
func (p Problem) String() string {
	if p.Path == "" {
		return "the arguments " + p.Message
	}
	return p.Path + " " + p.Message
}

// Explain tells the model what was wrong with the arguments of a call.
func Explain(tool string, problems []Problem) string {
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.String()
	}
	return fmt.Sprintf("%s did not run: %s. Correct the arguments and call it again.", tool, strings.Join(texts, "; "))
}

// Check compares coerced arguments with a tool's schema (its Parameters) and
// returns what does not fit, at most ten problems in a stable order, none when
// all is well. Looked at are required, type, enum, const, anyOf, oneOf, minimum,
// maximum and their exclusive forms, the lengths of strings and arrays and
// additionalProperties false, at any depth; limits of numbers are compared as
// float64. Null counts as absent for a property that is not required. A name
// that differs from a declared one only in case is a problem, because decoders
// would take one for the other.
func Check(parameters, args json.RawMessage) []Problem {
	s, err := parseSchema(parameters)
	if err != nil {
		return []Problem{{Message: "cannot be checked: " + err.Error()}}
	}
	if !isJSON(args, '{') {
		return []Problem{{Message: "must be one JSON object"}}
	}
	value, err := decodeAny(args)
	if err != nil {
		return []Problem{{Message: "could not be read: " + err.Error()}}
	}
	var c checker
	c.check("", value, s)
	return c.problems
}

// decodeAny decodes JSON with numbers as they were written.
func decodeAny(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return v, nil
}

// checker collects problems.
type checker struct{ problems []Problem }

func (c *checker) add(path, format string, args ...any) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// check compares one value with its schema.
func (c *checker) check(path string, v any, s *schema) {
	if s == nil || len(c.problems) == maxProblems || v == nil && s.allowsNull() {
		return
	}
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isType(v, t) }) {
		c.add(path, "must be %s, not %s", typeWords(s.types), valueWords(v))
		return
	}
	if len(s.enum) > 0 && !slices.ContainsFunc(s.enum, func(e any) bool { return equal(e, v) }) {
		c.add(path, "must be one of %s, not %s", listWords(s.enum), valueWords(v))
		return
	}
	switch v := v.(type) {
	case string:
		c.length(path, "characters", utf8.RuneCountInString(v), s.minLength, s.maxLength)
	case json.Number:
		c.number(path, v, s)
	case []any:
		c.length(path, "elements", len(v), s.minItems, s.maxItems)
		for i, element := range v {
			c.check(fmt.Sprintf("%s[%d]", path, i), element, s.items)
		}
	case map[string]any:
		c.object(path, v, s)
	}
	c.members(path, v, s)
}

// length checks a count against its limits.
func (c *checker) length(path, unit string, n int, least, most *int) {
	if least != nil && n < *least {
		c.add(path, "must have at least %d %s, not %d", *least, unit, n)
	}
	if most != nil && n > *most {
		c.add(path, "must have at most %d %s, not %d", *most, unit, n)
	}
}

// number checks a number against its limits.
func (c *checker) number(path string, n json.Number, s *schema) {
	f, err := n.Float64()
	if err != nil {
		c.add(path, "must be a finite number")
		return
	}
	for _, limit := range []struct {
		bound *float64
		bad   bool
		words string
	}{
		{s.min, s.min != nil && f < *s.min, "at least"},
		{s.max, s.max != nil && f > *s.max, "at most"},
		{s.above, s.above != nil && f <= *s.above, "greater than"},
		{s.below, s.below != nil && f >= *s.below, "less than"},
	} {
		if limit.bad {
			c.add(path, "must be %s %s, not %s", limit.words, strconv.FormatFloat(*limit.bound, 'g', -1, 64), clip(n.String()))
		}
	}
}

// object checks the properties of an object.
func (c *checker) object(path string, o map[string]any, s *schema) {
	for _, name := range s.required {
		if v, there := o[name]; !there || v == nil && !s.properties[name].takesNull() {
			c.add(join(path, name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		p, known := s.properties[name]
		switch {
		case known && o[name] == nil && !slices.Contains(s.required, name):
		case known:
			c.check(join(path, name), o[name], p)
		default:
			c.unknown(join(path, name), name, s)
		}
	}
}

// takesNull is allowsNull for a schema that may be missing or silent about
// types.
func (s *schema) takesNull() bool {
	return s == nil || len(s.alternatives()) == 0 || s.allowsNull()
}

// unknown looks at a property that the schema does not name.
func (c *checker) unknown(path, name string, s *schema) {
	for _, known := range slices.Sorted(maps.Keys(s.properties)) {
		if strings.EqualFold(known, name) {
			c.add(clip(path), "is not an argument, %s is", known)
			return
		}
	}
	if s.closed {
		c.add(clip(path), "is not an argument; known are %s", strings.Join(slices.Sorted(maps.Keys(s.properties)), ", "))
	}
}

// members checks anyOf and oneOf: one member has to fit. When none does, the
// problems of the member of the value's type that came closest are reported.
func (c *checker) members(path string, v any, s *schema) {
	if len(s.members) == 0 {
		return
	}
	var best []Problem
	for _, m := range s.members {
		var attempt checker
		attempt.check(path, v, m)
		if len(attempt.problems) == 0 {
			return
		}
		if m.takesType(v) && (best == nil || len(attempt.problems) < len(best)) {
			best = attempt.problems
		}
	}
	if best == nil {
		c.add(path, "must be %s, not %s", typeWords(s.alternatives()), valueWords(v))
	}
	for _, p := range best {
		c.add(p.Path, "%s", p.Message)
	}
}

// takesType reports whether a value's type is one of the schema's.
func (s *schema) takesType(v any) bool {
	kinds := s.alternatives()
	return len(kinds) == 0 || slices.ContainsFunc(kinds, func(t string) bool { return t == "" || isType(v, t) })
}

// isType reports whether a decoded value is of a JSON Schema type.
func isType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		if name == "integer" {
			_, whole := integerText(v.String())
			return whole
		}
		return name == "number"
	}
	return false
}

// equal compares decoded values; numbers are equal when their decimal values
// are.
func equal(a, b any) bool {
	x, xok := a.(json.Number)
	y, yok := b.(json.Number)
	if xok && yok {
		fx, errx := x.Float64()
		fy, erry := y.Float64()
		return errx == nil && erry == nil && fx == fy
	}
	return reflect.DeepEqual(a, b)
}

// typeWords says what a value may be: "a string or null".
func typeWords(types []string) string {
	words := make([]string, 0, len(types))
	for _, t := range types {
		switch t {
		case "integer", "array", "object":
			t = "an " + t
		case "string", "number", "boolean":
			t = "a " + t
		}
		if !slices.Contains(words, t) {
			words = append(words, t)
		}
	}
	return strings.Join(words, " or ")
}

// valueWords shows a value, shortened.
func valueWords(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the string " + strconv.Quote(clip(v))
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return clip(v.String())
	case []any:
		return "an array"
	}
	return "an object"
}

// listWords shows permitted values.
func listWords(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = clip(fmt.Sprint(v))
	}
	return strings.Join(words, ", ")
}

// clip shortens text in a message to 60 characters.
func clip(s string) string {
	return shorten.After(s, 60)
}
