package scripttest

import (
	"testing"

	"hermes-tui/providers/script"
)

func FuzzDecodeRequest(f *testing.F) {
	f.Add([]byte(hi))
	f.Add([]byte(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"r"}]}`))
	p, err := script.NewPlayer(&script.Scenario{}, script.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, r, err := decodeRequest(body)
		if err == nil {
			p.Answer(r)
		}
	})
}
