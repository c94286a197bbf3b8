package tools_test

import (
	"encoding/json"
	"testing"

	"hermes-tui/providers/schemas"
	"hermes-tui/tools"
)

// TestCoercesByThePlainSchema takes texts for the objects that a reference asks for, and gives
// what is required its default.
func TestCoercesByThePlainSchema(t *testing.T) {
	plain := schemas.Plain(json.RawMessage(`{"$defs":{"Q":{"type":"object","properties":{"limit":{"type":"integer"}}}},"type":"object","properties":{"q":{"$ref":"#/$defs/Q"},"scale":{"type":"string","default":"css"}},"required":["q","scale"]}`))
	for in, want := range map[string]string{
		`{"q":{"limit":5}}`:                      `{"q":{"limit":5},"scale":"css"}`,
		`{"q":"{\"limit\":5}","scale":"device"}`: `{"q":{"limit":5},"scale":"device"}`,
	} {
		got, err := tools.Coerce(plain, json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		if p := tools.Check(plain, got); len(p) > 0 {
			t.Errorf("%s: %v", got, p)
		}
	}
}
