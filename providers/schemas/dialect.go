package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/tools/lazyregexp"
)

// Dialect is the part of JSON Schema that a service takes.
type Dialect struct {
	known   []string // the keywords, nil for all
	without []string // keywords that are refused
	// noNull: null is neither a type nor a choice.
	noNull bool
	// typed: every schema has one type, or choices that each have one.
	typed bool
	// alone: nothing stands beside choices, and that a value may be null is said by nullable.
	alone bool
	// required: every object says what is required.
	required bool
	// top are the keywords at the top, nil for all.
	top []string
	// value returns a value of an enum as it is to be, false for one that is refused.
	value func(any) (any, bool)
	// textEnums: only texts may be enumerated.
	textEnums bool
}

// The dialects. None is that of services that take all that is plain.
var (
	None *Dialect
	// Claude is that of models of Anthropic, and of services that check as it does.
	Claude = &Dialect{noNull: true}
	// Grammar is for servers that make a grammar of a schema.
	Grammar = &Dialect{without: []string{"pattern", "format"}}
	nova    = &Dialect{noNull: true, top: []string{"type", "properties", "required"}}
	xai     = &Dialect{without: []string{"pattern", "format"}, value: withoutSlash}
	// moonshot insists on a type for every property.
	moonshot = &Dialect{noNull: true, typed: true, required: true, without: []string{"nullable"}, value: said}
	gemini   = &Dialect{noNull: true, typed: true, alone: true, textEnums: true, value: text, known: []string{
		"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
		"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
		"default", "items", "minimum", "maximum",
	}}
)

// makers is the table of dialects by who made a model: names of providers, servers, models of
// gateways that name the maker, and of models.
var makers = []struct {
	dialect *Dialect
	says    *lazyregexp.Regexp // of "provider host model"
}{
	{gemini, lazyregexp.New(`^gemini |^\S* \S*googleapis\.com |[ /.]gemini[^ /]*$`)},
	{moonshot, lazyregexp.New(`^(?:moonshot|kimi)\S* |^\S* (?:\S+\.)?(?:moonshot\.ai|moonshot\.cn|kimi\.com) | moonshotai/|[ /.](?:kimi|moonshot)[^ /]*$|[ /]k3(?:[.-][^ /]*)?$`)},
	{xai, lazyregexp.New(`^xai\S* |^\S* (?:\S+\.)?x\.ai | x-ai/|[ /.]grok[^ /]*$`)},
	{nova, lazyregexp.New(`amazon\.nova[^ /]*$`)},
}

// Of returns the dialect of a model of a service, known by its name behind gateways as well.
// others is that of all others.
func Of(provider, host, model string, others *Dialect) *Dialect {
	at := strings.ToLower(provider + " " + host + " " + model)
	for _, m := range makers {
		if m.says.MatchString(at) {
			return m.dialect
		}
	}
	return others
}

// For returns parameters as the dialect has them, those of a tool without any as an empty
// object. What cannot be read stays, so that the request fails with the reason.
func (d *Dialect) For(parameters json.RawMessage) json.RawMessage {
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if d == None {
		return parameters
	}
	return rewrite(parameters, d)
}

// fit brings one schema into the dialect; those inside it are so already.
func (d *Dialect) fit(s map[string]any) {
	for _, k := range d.without {
		delete(s, k)
	}
	null := d.noNull && withoutNull(s)
	if d.typed {
		d.settle(s)
	}
	if values, ok := s["enum"].([]any); ok && d.value != nil {
		d.enum(s, values)
	}
	if d.known != nil {
		for k := range s {
			if !slices.Contains(d.known, k) {
				delete(s, k)
			}
		}
		knownFormat(s)
	}
	if names := knownRequired(s); d.required && s["type"] == "object" || d.typed && len(names) > 0 {
		s["required"] = names
	} else if d.typed {
		delete(s, "required")
	}
	if d.alone {
		apart(s, null)
	}
}

// settle leaves one type in a schema, or choices that each have one, and types its parts.
func (d *Dialect) settle(s map[string]any) {
	if v, ok := s["const"]; ok && s["enum"] == nil {
		s["enum"] = []any{v}
	}
	delete(s, "const")
	if s["anyOf"] == nil && s["oneOf"] != nil {
		s["anyOf"] = s["oneOf"]
	}
	delete(s, "oneOf")
	if s["properties"] != nil && s["anyOf"] != nil {
		foldChoices(s)
	}
	kind := firstType(s)
	choices, _ := s["anyOf"].([]any)
	if delete(s, "anyOf"); len(choices) > 0 {
		for _, one := range choices {
			d.giveType(one, kind)
		}
		s["anyOf"] = choices
		delete(s, "type")
	} else if kind != "" {
		s["type"] = kind
	}
	for _, k := range []string{"properties", "patternProperties"} {
		named, ok := s[k].(map[string]any)
		if !ok {
			delete(s, k)
		}
		for _, one := range named {
			d.giveType(one, "")
		}
	}
	for _, k := range []string{"items", "additionalProperties"} {
		if one, ok := s[k].(map[string]any); ok {
			d.giveType(one, "")
		} else if k == "items" {
			delete(s, k)
		}
	}
	if s["type"] == "array" && s["items"] == nil {
		s["items"] = map[string]any{"type": "string"}
	}
}

// giveType sets the type that a schema must have, if it says none: kind, or what it looks like.
func (d *Dialect) giveType(schema any, kind string) {
	s, ok := schema.(map[string]any)
	if !ok || s["type"] != nil || s["anyOf"] != nil {
		return
	}
	if s["type"] = kind; kind == "" {
		s["type"] = typeOf(s)
	}
	if d.required && s["type"] == "object" {
		s["required"] = knownRequired(s)
	}
}

// enum brings the values of an enum into the dialect.
func (d *Dialect) enum(s map[string]any, values []any) {
	kind := firstType(s)
	kept := []any{}
	for _, v := range values {
		if v, ok := d.value(v); ok && !slices.Contains(kept, v) {
			kept = append(kept, v)
		}
	}
	if s["enum"] = kept; len(kept) == 0 || d.textEnums && kind != "" && kind != "string" {
		delete(s, "enum")
	}
}

// text writes a value as a text, which nothing can be that is empty or no single value.
func text(v any) (any, bool) {
	switch v.(type) {
	case string, bool, json.Number:
		s := fmt.Sprint(v)
		return s, s != ""
	}
	return nil, false
}

// said passes values that are not empty.
func said(v any) (any, bool) { return v, v != nil && v != "" && isPlain(v) }

func withoutSlash(v any) (any, bool) {
	s, ok := v.(string)
	return v, (!ok || !strings.Contains(s, "/")) && isPlain(v)
}

// isPlain reports whether a value is neither a list nor an object.
func isPlain(v any) bool { t := valueType(v); return t != "array" && t != "object" }

// withoutNull takes null out of the types and choices of a schema, and reports whether it was
// there. A choice that is left alone becomes part of the schema.
func withoutNull(s map[string]any) bool {
	types, _ := s["type"].([]any)
	rest := slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t == "null" })
	found := len(rest) < len(types)
	if len(rest) == 1 {
		s["type"] = rest[0]
	} else if found && len(rest) > 1 {
		s["type"] = rest
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		choices, _ := s[key].([]any)
		left := slices.DeleteFunc(slices.Clone(choices), func(c any) bool {
			m, ok := c.(map[string]any)
			return ok && m["type"] == "null"
		})
		if len(left) == len(choices) || len(left) == 0 {
			continue
		}
		found, s[key] = true, left
		if only, ok := left[0].(map[string]any); ok && len(left) == 1 {
			delete(s, key)
			merge(s, only)
		}
	}
	return found
}

// knownFormat leaves out a format that Gemini refuses.
func knownFormat(s map[string]any) {
	if f, ok := s["format"].(string); ok && !slices.Contains([]string{"enum", "date-time", "float", "double", "int32", "int64"}, f) {
		delete(s, "format")
	}
}

// apart puts all that stands beside choices into them, and says of a schema that may be null that
// it may.
func apart(s map[string]any, null bool) {
	if null {
		s["nullable"] = true
	}
	choices, ok := s["anyOf"].([]any)
	if !ok {
		return
	}
	beside := map[string]any{}
	for _, k := range []string{"title", "description", "nullable"} {
		if v, ok := s[k]; ok {
			beside[k] = v
		}
	}
	for _, one := range choices {
		if m, ok := one.(map[string]any); ok {
			merge(m, beside)
		}
	}
	clear(s)
	s["anyOf"] = choices
}

// firstType is the type of a schema, of several the first that is not null.
func firstType(s map[string]any) string {
	types := typesOf(s)
	for _, t := range types {
		if t != "null" {
			return t
		}
	}
	return ""
}

// knownRequired are the names of required properties that there are.
func knownRequired(s map[string]any) []any {
	out := []any{}
	names, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for _, n := range names {
		if name, ok := n.(string); ok && properties[name] != nil {
			out = append(out, n)
		}
	}
	return out
}

// typeOf is what the type of a schema must be.
func typeOf(s map[string]any) string {
	if kind := firstType(s); kind != "" {
		return kind
	}
	for _, k := range []string{"properties", "required", "additionalProperties"} {
		if s[k] != nil {
			return "object"
		}
	}
	if s["items"] != nil || s["prefixItems"] != nil {
		return "array"
	}
	if enum, _ := s["enum"].([]any); len(enum) > 0 && valueType(enum[0]) != "" {
		return valueType(enum[0])
	}
	return "string"
}
