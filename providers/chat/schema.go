package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// rewriteSchema applies a change to a schema. What cannot be read stays as it is, so
// that the request fails with the reason.
func rewriteSchema(raw json.RawMessage, change func(map[string]any) map[string]any) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var schema map[string]any
	if dec.Decode(&schema) != nil || schema == nil || dec.More() {
		return raw
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(change(schema)) != nil {
		return raw
	}
	return bytes.TrimSpace(b.Bytes())
}

// typeString and the like are the types of schemas.
const (
	typeNull    = "null"
	typeObject  = "object"
	typeArray   = "array"
	typeString  = "string"
	typeInteger = "integer"
	typeNumber  = "number"
	typeBoolean = "boolean"
)

// firstType is the type of a schema, of several the first that is one, and whether
// null is allowed as well.
func firstType(schema map[string]any) (kind string, nullable bool) {
	switch t := schema["type"].(type) {
	case string:
		return t, false
	case []any:
		nullable = slices.Contains(t, any(typeNull))
		for _, one := range t {
			if s, ok := one.(string); ok && s != "" && s != typeNull {
				return s, nullable
			}
		}
	}
	return "", nullable
}

// isNull tells a schema that allows nothing but null.
func isNull(schema any) bool {
	s, ok := schema.(map[string]any)
	return ok && s["type"] == typeNull
}

// knownRequired keeps the names of required properties that there are.
func knownRequired(schema map[string]any) []any {
	out := []any{}
	names, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	for _, n := range names {
		if s, ok := n.(string); ok && properties[s] != nil {
			out = append(out, n)
		}
	}
	return out
}

// geminiFields are what Gemini knows of schemas, as of June 2026. It refuses requests
// with anything else.
func geminiFields() []string {
	return []string{
		"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
		"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
		"default", "items", "minimum", "maximum",
	}
}

// geminiSchema brings the parameters of a tool into the part of JSON Schema that
// Gemini knows: one type for each schema, values of enums as texts, arrays with
// items, and nothing required that there is not.
func geminiSchema(raw json.RawMessage) json.RawMessage {
	return rewriteSchema(raw, func(s map[string]any) map[string]any {
		s = geminiNode(s)
		if s["type"] == nil && s["anyOf"] == nil {
			s["type"] = typeObject
		}
		return s
	})
}

func geminiNode(in map[string]any) map[string]any {
	if in == nil {
		in = map[string]any{}
	}
	if in["anyOf"] == nil && in["oneOf"] != nil {
		in["anyOf"] = in["oneOf"]
	}
	if in["enum"] == nil && in["const"] != nil {
		in["enum"] = []any{in["const"]}
	}
	out := map[string]any{}
	for _, k := range geminiFields() {
		if v, ok := in[k]; ok {
			out[k] = v
		}
	}
	if kind, nullable := firstType(in); kind != "" {
		out["type"] = kind
		if nullable {
			out["nullable"] = true
		}
	} else {
		delete(out, "type")
	}
	if out = geminiParts(out); out["type"] == typeArray && out["items"] == nil {
		out["items"] = map[string]any{}
	}
	if v, ok := out["enum"].([]any); ok {
		if out["enum"] = texts(v); len(texts(v)) == 0 {
			delete(out, "enum")
		}
	}
	if required := knownRequired(out); len(required) > 0 {
		out["required"] = required
	} else {
		delete(out, "required")
	}
	return out
}

// geminiParts rewrites the schemas inside one.
func geminiParts(out map[string]any) map[string]any {
	if properties, ok := out["properties"].(map[string]any); ok {
		for name, p := range properties {
			inner, _ := p.(map[string]any) // true and false are schemas, too
			if inner = geminiNode(inner); inner["type"] == nil && inner["anyOf"] == nil {
				inner["type"] = typeOf(inner)
			}
			properties[name] = inner
		}
	} else {
		delete(out, "properties")
	}
	if items, ok := out["items"].(map[string]any); ok {
		out["items"] = geminiNode(items)
	} else {
		delete(out, "items")
	}
	choices, ok := out["anyOf"].([]any)
	if !ok {
		delete(out, "anyOf")
		return out
	}
	var kept []any
	for _, choice := range choices {
		inner, ok := choice.(map[string]any)
		if !ok || isNull(inner) {
			continue
		}
		inner = geminiNode(inner)
		if inner["type"] == nil && inner["anyOf"] == nil {
			if inner["type"] = out["type"]; inner["type"] == nil {
				inner["type"] = typeOf(inner)
			}
		}
		kept = append(kept, inner)
	}
	if slices.ContainsFunc(choices, isNull) {
		out["nullable"] = true
	}
	return choose(out, kept)
}

// texts writes the values of an enum as texts. Values that are none are left out.
func texts(values []any) []any {
	var out []any
	for _, v := range values {
		switch v.(type) {
		case string, bool, json.Number:
			if s := any(fmt.Sprint(v)); s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// moonshotSchema brings the parameters of a tool into the form that Moonshot insists
// on: every property has one type, which stands on the choices where there are some;
// null is no choice; every object says what is required.
func moonshotSchema(raw json.RawMessage) json.RawMessage {
	return rewriteSchema(raw, func(s map[string]any) map[string]any {
		s = moonshotNode(s)
		s["type"] = typeObject
		delete(s, "anyOf")
		if s["properties"] == nil {
			s["properties"] = map[string]any{}
		}
		s["required"] = knownRequired(s)
		return s
	})
}

func moonshotNode(s map[string]any) map[string]any {
	moonshotParts(s)
	delete(s, "nullable")
	if choices, ok := s["anyOf"].([]any); ok {
		if s = choose(s, slices.DeleteFunc(choices, isNull)); s["anyOf"] != nil {
			return s
		}
	}
	if s["$ref"] != nil {
		return s
	}
	s["type"] = typeOf(s)
	if enum, ok := s["enum"].([]any); ok && s["type"] != typeObject && s["type"] != typeArray {
		enum = slices.DeleteFunc(enum, func(v any) bool { return v == nil || v == "" })
		if s["enum"] = enum; len(enum) == 0 {
			delete(s, "enum")
		}
	}
	if s["type"] == typeObject {
		s["required"] = knownRequired(s)
	}
	return s
}

// moonshotParts rewrites the schemas inside one.
func moonshotParts(s map[string]any) {
	for _, k := range []string{"properties", "patternProperties", "$defs", "definitions"} {
		named, _ := s[k].(map[string]any)
		for name, p := range named {
			if inner, ok := p.(map[string]any); ok {
				named[name] = moonshotNode(inner)
			} else if k == "properties" {
				named[name] = map[string]any{"type": typeString}
			}
		}
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := s[k].([]any)
		for i, p := range list {
			inner, ok := p.(map[string]any)
			if !ok || isNull(inner) {
				continue
			}
			if kind, _ := firstType(s); kind != "" && inner["type"] == nil && inner["$ref"] == nil && k == "anyOf" {
				inner["type"] = kind
			}
			list[i] = moonshotNode(inner)
		}
	}
	for _, k := range []string{"items", "additionalProperties"} {
		if inner, ok := s[k].(map[string]any); ok {
			s[k] = moonshotNode(inner)
		}
	}
}

// choose gives a schema its choices, whose types then stand on them. A single one
// takes the place of the schema.
func choose(s map[string]any, choices []any) map[string]any {
	switch len(choices) {
	case 0:
		delete(s, "anyOf")
	case 1:
		only, _ := choices[0].(map[string]any)
		delete(s, "anyOf")
		for k, v := range only {
			s[k] = v
		}
	default:
		s["anyOf"] = choices
		delete(s, "type")
	}
	return s
}

// typeOf is the type of a schema, or what it must be.
func typeOf(s map[string]any) string {
	if kind, _ := firstType(s); kind != "" {
		return kind
	}
	for _, k := range []string{"properties", "required", "additionalProperties"} {
		if s[k] != nil {
			return typeObject
		}
	}
	if s["items"] != nil || s["prefixItems"] != nil {
		return typeArray
	}
	if enum, _ := s["enum"].([]any); len(enum) > 0 {
		switch v := enum[0].(type) {
		case bool:
			return typeBoolean
		case json.Number:
			if _, err := v.Int64(); err == nil {
				return typeInteger
			}
			return typeNumber
		}
	}
	return typeString
}
