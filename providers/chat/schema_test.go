package chat

import (
	"encoding/json"
	"testing"
)

func TestSchemas(t *testing.T) {
	for _, c := range []struct{ name, in, gemini, moonshot string }{
		{"empty", `{}`, `{"type":"object"}`, `{"properties":{},"required":[],"type":"object"}`},
		{"no object", `{"type":"string"}`, `{"type":"string"}`, `{"properties":{},"required":[],"type":"object"}`},
		{"no JSON", `{`, `{`, `{`},
		{"a list", `[1]`, `[1]`, `[1]`},
		{"deep", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"const":1,"$comment":"x"}},"required":["b","c"]}}}}`,
			`{"properties":{"a":{"items":{"properties":{"b":{"enum":["1"],"type":"string"}},"required":["b"],"type":"object"},"type":"array"}},"type":"object"}`,
			`{"properties":{"a":{"items":{"properties":{"b":{"$comment":"x","const":1,"type":"string"}},"required":["b"],"type":"object"},"type":"array"}},"required":[],"type":"object"}`},
		{"choices", `{"type":"object","properties":{"a":{"type":"string","anyOf":[{"minLength":1},{"type":"integer"},{"type":"null"}]},"b":{"oneOf":[{"type":"boolean"},{"type":"null"}]}}}`,
			`{"properties":{"a":{"anyOf":[{"minLength":1,"type":"string"},{"type":"integer"}],"nullable":true},"b":{"nullable":true,"type":"boolean"}},"type":"object"}`,
			`{"properties":{"a":{"anyOf":[{"minLength":1,"type":"string"},{"type":"integer"}]},"b":{"oneOf":[{"type":"boolean"},{"type":"null"}],"type":"string"}},"required":[],"type":"object"}`},
		{"true is a schema", `{"type":"object","properties":{"a":true}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`, `{"properties":{"a":{"type":"string"}},"required":[],"type":"object"}`},
		{"big numbers and <signs>", `{"type":"object","properties":{"a":{"type":"integer","maximum":12345678901234567890,"description":"<b>"}}}`,
			`{"properties":{"a":{"description":"<b>","maximum":12345678901234567890,"type":"integer"}},"type":"object"}`,
			`{"properties":{"a":{"description":"<b>","maximum":12345678901234567890,"type":"integer"}},"required":[],"type":"object"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			same(t, []string{string(geminiSchema(json.RawMessage(c.in)))}, c.gemini)
			same(t, []string{string(moonshotSchema(json.RawMessage(c.in)))}, c.moonshot)
		})
	}
}

// Whatever goes in, something that can be sent comes out, and cleaning it again
// changes nothing.
func FuzzSchemas(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"enum":[1,"x",null]}]},"b":{"type":["null"]}},"required":["a",3]}`)
	f.Add(`{"type":7,"properties":[],"anyOf":{},"items":[{"$ref":"#"}],"enum":{}}`)
	f.Fuzz(func(t *testing.T, in string) {
		for name, clean := range map[string]func(json.RawMessage) json.RawMessage{"gemini": geminiSchema, "moonshot": moonshotSchema} {
			out := clean(json.RawMessage(in))
			if json.Valid([]byte(in)) && !json.Valid(out) {
				t.Fatalf("%s: no JSON: %s", name, out)
			}
			if again := clean(out); string(again) != string(out) {
				t.Fatalf("%s: %s, then %s", name, out, again)
			}
		}
	})
}
