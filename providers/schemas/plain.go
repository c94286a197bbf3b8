// Package schemas brings the parameters of tools into the part of JSON Schema that services
// take: [Plain] into one that all of them do, and a [Dialect] into that of one.
package schemas

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Bounds of what references of a schema become.
const (
	deepestRef = 3      // how often a reference stands within itself
	mostNodes  = 10_000 // schemas in all
)

// Plain makes a schema of parameters, which may come from elsewhere, one that every service
// takes and the program understands: references are replaced by what they name, to some
// depth where they name themselves; members of allOf are merged; choices at the top
// become optional properties, of which those are required that every choice requires; types
// have the names that JSON Schema knows and fit the values of their enum, and arrays have
// items. What cannot be read stays, and what needs no change stays byte for byte.
func Plain(parameters json.RawMessage) json.RawMessage { return rewrite(parameters, &Dialect{}) }

// rewrite makes a schema plain and brings it into a dialect.
func rewrite(parameters json.RawMessage, d *Dialect) json.RawMessage {
	root, err := decode(parameters)
	top, ok := root.(map[string]any)
	if err != nil || !ok {
		return parameters
	}
	p := plainer{root: top, dialect: d}
	out := p.open(top, nil)
	foldChoices(out)
	d.fit(out)
	for k := range out {
		if d.top != nil && !slices.Contains(d.top, k) {
			delete(out, k)
		}
	}
	if reflect.DeepEqual(root, any(out)) {
		return parameters
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(out) != nil {
		return parameters
	}
	return bytes.TrimSpace(b.Bytes())
}

// decode reads one value whose numbers keep their digits.
func decode(raw json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// plainer makes schemas plain that stand in one document.
type plainer struct {
	root    map[string]any
	nodes   int
	dialect *Dialect
}

// node makes a copy of a schema that is plain and in the dialect; within are the references it
// stands in.
func (p *plainer) node(in any, within []string) map[string]any {
	out := p.open(in, within)
	p.dialect.fit(out)
	return out
}

// open is node for a schema that is not yet in the dialect itself.
func (p *plainer) open(in any, within []string) map[string]any {
	s, ok := in.(map[string]any)
	if p.nodes++; !ok || p.nodes > mostNodes {
		return map[string]any{}
	}
	out := map[string]any{}
	for key, v := range s {
		switch key {
		case "$ref", "$defs", "definitions", "$schema", "$id", "id", "$anchor", "$comment", "$dynamicRef", "$recursiveRef", "allOf":
			if _, text := v.(string); key == "id" && !text {
				out[key] = v
			}
		case "properties", "patternProperties", "dependentSchemas":
			named, _ := v.(map[string]any)
			inner := map[string]any{}
			for name, one := range named {
				inner[name] = p.node(one, within)
			}
			out[key] = inner
		case "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else":
			if _, schema := v.(map[string]any); schema {
				v = p.node(v, within)
			} else if list, ok := v.([]any); ok && key == "items" {
				v = p.list(list, within)
			}
			out[key] = v
		case "anyOf", "oneOf", "prefixItems":
			if list, ok := v.([]any); ok {
				v = p.list(list, within)
			}
			out[key] = v
		default:
			out[key] = v
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		merge(out, p.named(ref, within))
	}
	list, _ := s["allOf"].([]any)
	for _, member := range list {
		merge(out, p.node(member, within))
	}
	fitTypes(out)
	return out
}

func (p *plainer) list(in []any, within []string) []any {
	out := make([]any, len(in))
	for i, one := range in {
		out[i] = p.node(one, within)
	}
	return out
}

// named is what a reference names. One that names nothing here, or stands within itself too
// often, is any object.
func (p *plainer) named(ref string, within []string) map[string]any {
	anything := map[string]any{"type": "object"}
	path, here := strings.CutPrefix(ref, "#")
	again := 0
	for _, r := range within {
		if r == ref {
			again++
		}
	}
	if !here || again >= deepestRef {
		return anything
	}
	var at any = p.root
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		m, ok := at.(map[string]any)
		if at = m[strings.NewReplacer("~1", "/", "~0", "~", "%24", "$").Replace(part)]; !ok || at == nil {
			return anything
		}
	}
	return p.node(at, append(slices.Clip(within), ref))
}

// merge adds to a schema what another one says as well. What both say stays as the first has
// it, but for properties and what is required.
func merge(into, from map[string]any) {
	for key, v := range from {
		old, there := into[key]
		switch {
		case !there:
			into[key] = v
		case key == "properties":
			mine, _ := old.(map[string]any)
			more, _ := v.(map[string]any)
			for name, one := range more {
				if _, taken := mine[name]; !taken && mine != nil {
					mine[name] = one
				}
			}
		case key == "required":
			mine, _ := old.([]any)
			more, _ := v.([]any)
			for _, name := range more {
				if !slices.Contains(mine, name) {
					mine = append(slices.Clip(mine), name)
				}
			}
			into[key] = mine
		}
	}
}

// foldChoices makes properties of the choices at the top of a schema. Conditions there say nothing
// that a service understands.
func foldChoices(s map[string]any) {
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := s[key].([]any)
		delete(s, key)
		var common []any
		for i, one := range list {
			m, _ := one.(map[string]any)
			required, _ := m["required"].([]any)
			if i == 0 {
				common = slices.Clone(required)
			}
			common = slices.DeleteFunc(common, func(name any) bool { return !slices.Contains(required, name) })
			if properties, ok := m["properties"].(map[string]any); ok {
				if _, there := s["properties"].(map[string]any); !there {
					s["properties"] = map[string]any{}
				}
				merge(s, map[string]any{"properties": properties})
			}
		}
		if len(common) > 0 {
			merge(s, map[string]any{"required": common})
		}
	}
	for _, key := range []string{"not", "enum", "const", "if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies"} {
		delete(s, key)
	}
	properties, _ := s["properties"].(map[string]any)
	if names, ok := s["required"].([]any); ok {
		kept := slices.DeleteFunc(slices.Clone(names), func(name any) bool {
			text, _ := name.(string)
			return properties[text] == nil
		})
		if s["required"] = kept; len(kept) == 0 && len(names) > 0 {
			delete(s, "required")
		}
	}
	s["type"] = "object"
}

// typeNames are names of types that other languages have, as JSON Schema has them.
func typeNames(name string) string {
	switch low := strings.ToLower(name); low {
	case "int", "int32", "int64", "long":
		return "integer"
	case "float", "double", "decimal":
		return "number"
	case "bool":
		return "boolean"
	case "str", "text", "date", "datetime", "uuid":
		return "string"
	case "dict", "map", "struct":
		return "object"
	case "list", "tuple", "set":
		return "array"
	case "none", "undefined":
		return "null"
	case "string", "number", "integer", "boolean", "object", "array", "null":
		return low
	}
	return ""
}

// fitTypes mends the type of a schema: its name, values of an enum that are of another type,
// arrays without items.
func fitTypes(s map[string]any) {
	switch t := s["type"].(type) {
	case string:
		if s["type"] = typeNames(t); s["type"] == "" {
			delete(s, "type")
		}
	case []any:
		list := make([]any, 0, len(t))
		for _, one := range t {
			name, _ := one.(string)
			if name = typeNames(name); name != "" && !slices.Contains(list, any(name)) {
				list = append(list, name)
			}
		}
		if s["type"] = list; len(list) == 0 {
			delete(s, "type")
		}
	}
	types := typesOf(s)
	values, _ := s["enum"].([]any)
	fits := func(v any) bool { return slices.ContainsFunc(types, func(t string) bool { return isType(v, t) }) }
	if len(types) > 0 && len(values) > 0 && !slices.ContainsFunc(values, fits) {
		if s["type"] = valueType(values[0]); s["type"] == "" {
			delete(s, "type")
		}
	}
	if s["items"] == nil && s["prefixItems"] == nil && slices.Contains(types, "array") {
		s["items"] = map[string]any{}
	}
}

// typesOf lists the types of a schema.
func typesOf(s map[string]any) []string {
	list, ok := s["type"].([]any)
	if !ok {
		list = []any{s["type"]}
	}
	var types []string
	for _, one := range list {
		if t, _ := one.(string); t != "" {
			types = append(types, t)
		}
	}
	return types
}

// valueType is the type of a value, empty for null.
func valueType(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return ""
}

// isType reports whether a value is of a type.
func isType(v any, t string) bool {
	of := valueType(v)
	return of == t || t == "null" && v == nil || t == "number" && of == "integer"
}
