package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// plainSchema leaves out of a schema what xAI refuses: patterns, formats, and the
// values of an enumeration that hold a slash. Properties may have any name. Keys
// come out sorted, and numbers keep their digits.
func plainSchema(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var schema any
	if err := dec.Decode(&schema); err != nil {
		return nil, fmt.Errorf("read the schema of a tool: %w", err)
	}
	simplify(schema)
	return encode(schema)
}

// simplify works on a schema, or on a list of schemas.
func simplify(v any) {
	switch v := v.(type) {
	case []any:
		for _, s := range v {
			simplify(s)
		}
	case map[string]any:
		delete(v, "pattern")
		delete(v, "format")
		withoutSlashes(v)
		for key, child := range v {
			switch key {
			case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
				named, _ := child.(map[string]any)
				for _, s := range named {
					simplify(s)
				}
			case "enum", "const", "default", "examples", "required":
			default:
				simplify(child)
			}
		}
	}
}

// withoutSlashes shortens the enumeration of a schema. One of which nothing would
// remain is left out.
func withoutSlashes(schema map[string]any) {
	list, ok := schema["enum"].([]any)
	if !ok {
		return
	}
	kept := make([]any, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); !ok || !strings.Contains(s, "/") {
			kept = append(kept, v)
		}
	}
	schema["enum"] = kept
	if len(kept) == 0 {
		delete(schema, "enum")
	}
}
