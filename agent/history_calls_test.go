package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
)

// TestStoredCallsHoldNothingOfOurs looks at what other programs send on: the calls of
// a message have the fields that providers know. Our ids are beside it and come
// back, also from databases in which they stand within.
func TestStoredCallsHoldNothingOfOurs(t *testing.T) {
	r := newRig(t, rounds(
		steps(call("read_file", map[string]any{"path": "a"}), call("read_file", map[string]any{"path": "b"})),
		steps(script.Text{Text: "done"}),
	))
	r.submit("go")
	r.idle(1)
	c := other(t, r)
	var stored string
	if err := c.QueryRowContext(t.Context(), "SELECT tool_calls FROM messages WHERE role = 'assistant' AND tool_calls IS NOT NULL").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	var calls []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stored), &calls); err != nil || len(calls) != 2 {
		t.Fatalf("%s, %v", stored, err)
	}
	for _, call := range calls {
		for field := range call {
			if field != "id" && field != "type" && field != "function" {
				t.Errorf("a call has the field %q: %s", field, stored)
			}
		}
	}
	blocks := func() (ids []string) {
		for _, b := range r.state.Root().Blocks {
			if b.Call != nil {
				ids = append(ids, string(b.Call.ID))
			}
		}
		return ids
	}()
	same := func(how string) {
		t.Helper()
		for _, m := range recall(t, r.revive()) {
			for i, c := range m.Calls {
				if c.ID != blocks[i] {
					t.Errorf("%s: call %d is %s, want %s", how, i, c.ID, blocks[i])
				}
			}
		}
	}
	same("beside")
	old := strings.Replace(strings.Replace(stored, `{"id"`, `{"tui_id":"`+blocks[0]+`","id"`, 1), `},{"id"`, `},{"tui_id":"`+blocks[1]+`","id"`, 1)
	run(t, c, "UPDATE messages SET tool_calls = ? WHERE tool_calls IS NOT NULL", old)
	run(t, c, "UPDATE tui_messages SET calls = NULL")
	same("within")
}

// TestIDsOfForeignCalls reads a session of the reference twice.
func TestIDsOfForeignCalls(t *testing.T) {
	r := newRig(t, say(script.Text{Text: "x"}))
	c := other(t, r)
	run(t, c, "INSERT INTO sessions (id, source, started_at) VALUES ('theirs', 'cli', 1)")
	run(t, c, `INSERT INTO messages (session_id, role, content, tool_calls, tool_call_id, timestamp) VALUES ('theirs', 'user', 'look', NULL, NULL, 1),
		('theirs', 'assistant', NULL, '[{"id":"w","type":"function","function":{"name":"read_file","arguments":"{}"}}]', NULL, 2),
		('theirs', 'tool', '{}', NULL, 'w', 3)`)
	if err := r.db.Adopt(t.Context(), "theirs", "c_1"); err != nil {
		t.Fatal(err)
	}
	first, again := reviveSession(r, "c_1", "theirs"), reviveSession(r, "c_1", "theirs")
	id := recall(t, first)[1].Calls[0].ID
	if id == "" || recall(t, again)[1].Calls[0].ID != id || recall(t, again)[2].CallID != id || again.State.Root().Call(event.CallID(id)) == nil {
		t.Errorf("read as %q, then as %+v\n%s", id, recall(t, again)[1:], transcript(again.State))
	}
}
