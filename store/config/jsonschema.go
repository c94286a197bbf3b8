package config

import (
	"encoding/json"
	"slices"
	"strconv"
)

// node is a part of a JSON Schema.
type node = map[string]any

// What stands for a value of any other type: a text with a reference in it.
const refPattern = `\$\{[A-Za-z_][A-Za-z0-9_]*\}`

// JSONSchema is the form of the file as a JSON Schema (draft 2020-12), for editors and
// other checks. What it accepts is less than what is read: keys of other programs are
// listed without their form, and words have to be in lower case.
func JSONSchema() ([]byte, error) {
	root := sectionSchema(schema(), nil, knownKeys())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "config.yaml of hermes-tui"
	return json.MarshalIndent(root, "", "  ")
}

// sectionSchema describes a mapping with settings. others are the keys of other
// programs, path is the way to it.
func sectionSchema(fields []*field, path []string, others *known) node {
	properties := node{}
	for name := range others.at(path).below {
		if name != "*" {
			properties[name] = node{"description": "Of other programs; not read."}
		}
	}
	for _, f := range fields {
		one := f.schema(append(path[:len(path):len(path)], f.name), others)
		properties[f.name] = one
		if f.formerly == "" {
			continue
		}
		former := node{"deprecated": true, "description": "Read when " + f.name + " has nothing in it."}
		switch f.shape {
		case shapeByName, shapeEntries: // in the form of another program
			former["type"] = []string{"array", "object", "null"}
		default:
			former["anyOf"] = []node{one}
		}
		properties[f.formerly] = former
	}
	return node{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
}

// schema describes the value of a setting or section.
func (f *field) schema(path []string, others *known) node {
	switch f.shape {
	case shapeSection:
		s := sectionSchema(f.children, path, others)
		if f.scalar != "" {
			return node{"anyOf": []node{s, find(f.children, f.scalar).schema(append(path, f.scalar), others)}}
		}
		return s
	case shapeByName:
		return node{"type": []string{"object", "null"}, "additionalProperties": sectionSchema(f.children, append(path, "*"), others)}
	case shapeEntries:
		s := sectionSchema(f.children, append(path, "*"), others)
		s["type"] = "object"
		var all []node
		for _, names := range f.need {
			var one []node
			for _, name := range names {
				one = append(one, node{"required": []string{name}})
			}
			all = append(all, node{"anyOf": one})
		}
		if all != nil {
			s["allOf"] = all
		}
		return node{"type": []string{"array", "null"}, "items": s}
	}
	s := f.valueSchema()
	if f.Doc != "" {
		s["description"] = f.Doc
	}
	if value := f.defaultValue(); value != nil {
		s["default"] = value
	}
	return s
}

// valueSchema describes a value without sections in it.
func (f *field) valueSchema() node {
	text := node{"type": []string{"string", "number", "null"}}
	ref := node{"type": "string", "pattern": refPattern}
	switch f.shape {
	case shapeNumber, shapeFraction:
		kind := "integer"
		if f.shape == shapeFraction {
			kind = "number"
		}
		return node{"anyOf": []node{{"type": kind, "minimum": f.Min, "maximum": f.Max}, {"type": "null"}, ref}}
	case shapeOnOff:
		return node{"anyOf": []node{{"enum": []any{true, false, "on", "off", "yes", "no", nil}}, ref}}
	case shapeList:
		types := []string{"array", "null"}
		if f.lone {
			types = append(types, "string")
		}
		return node{"type": types, "items": node{"type": []string{"string", "number"}}}
	case shapeHeaders:
		return node{"type": []string{"object", "null"}, "additionalProperties": text}
	case shapeLists:
		return node{"type": []string{"object", "null"}, "additionalProperties": node{
			"type": []string{"array", "string", "number", "null"}, "items": node{"type": []string{"string", "number"}},
		}}
	case shapeWords:
		words := text
		if f.Allowed != nil {
			words = f.wordSchema(ref)
		}
		return node{"type": []string{"object", "null"}, "additionalProperties": words}
	}
	switch {
	case f.Allowed != nil:
		return f.wordSchema(ref)
	case f.check == "url":
		return node{"anyOf": []node{{"type": "string", "pattern": "^(https?://.+)?$"}, {"type": "null"}, ref}}
	case f.check == "trusts":
		return node{"type": []string{"boolean", "string", "null"}}
	case f.check == "envname":
		return node{"anyOf": []node{{"type": "string", "pattern": "^([A-Za-z_][A-Za-z0-9_]*)?$"}, {"type": "null"}, ref}}
	case f.check == "price":
		return node{"anyOf": []node{{"type": "number", "minimum": 0, "maximum": maxPrice}, {"type": "string", "pattern": `^[0-9]*\.?[0-9]{0,6}$`}, {"type": "null"}, ref}}
	case f.check == "object":
		return node{"type": []string{"object", "string", "null"}}
	}
	return text
}

// wordSchema describes one of the words allowed, with their other spellings.
func (f *field) wordSchema(ref node) node {
	words := []any{nil}
	for _, w := range f.Allowed {
		words = append(words, w)
	}
	for w := range f.alias {
		words = append(words, w)
		if on, err := strconv.ParseBool(w); err == nil { // YAML takes the word for one
			words = append(words, on)
		}
	}
	slices.SortStableFunc(words[1+len(f.Allowed):], func(a, b any) int {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return slices.Compare(x, y)
	})
	return node{"anyOf": []node{{"enum": words}, ref}}
}

// defaultValue is the default as JSON has it, nil for none.
func (f *field) defaultValue() any {
	if f.Default == "" || !f.shape.oneText() {
		return nil
	}
	return f.parsed(f.Default)
}
