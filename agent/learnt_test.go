package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hermes-tui/agent/delegate"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// TestRefusalsAreLearntByAll refuses a stream, which each answer would need, and a tool. Neither
// subagents nor side calls are refused again what their service has refused
// once.
func TestRefusalsAreLearntByAll(t *testing.T) {
	refused := map[string]int{}
	c := cast{
		"": {
			calls(wire{"delegate_task", map[string]any{"goal": "count the files", "context": "all are here"}}),
			says("Fine."),
		},
		"count the files": {says("Three.")},
	}
	u := serveUnruly(t, nil)
	u.answer = func(a *ask) {
		var w chatWire
		_ = json.Unmarshal(a.raw, &w) // ServeHTTP has read it
		switch who := a.goal(); {
		case w.tool("write_file") >= 0:
			refused[who]++
			a.fail(400, "Invalid schema for function 'write_file': JSON schema is invalid.")
		case a.Stream && strings.Contains(string(a.raw), "go 2"):
			refused[who]++
			a.fail(400, "streaming is not supported")
		default:
			c.answer(a)
		}
	}
	r := newFamily(t, delegate.Limits{}, say(), withMode(event.ModeOff), at(t, u.url))
	for n := 1; n <= 2; n++ {
		r.submit(fmt.Sprint("go ", n))
		r.idle(n)
		if end := r.last(); end.Outcome != event.TurnCompleted {
			t.Fatalf("%+v", end)
		}
	}
	if refused[""] != 2 || refused["count the files"] != 0 {
		t.Errorf("refused: %v", refused)
	}
	m := r.conv.Runtime().Model
	s, err := r.conv.Knowing(m, clientOf(t, u.url, transport.Options{})).Stream(t.Context(), providers.Request{Model: m.Name, Messages: []providers.Message{{ID: "1", Role: providers.User, Parts: providers.TextParts("sum up: go 2")}}})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
}
