package agent_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// TestAnyHistory goes on with sessions that other programs left behind: with
// results that are lost, come twice or belong to nothing, with calls that no
// strict service takes, and with messages that say nothing. What is sent is valid.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	on := newRig(t, say(script.Text{Text: "Fine."}))
	seeds := uint64(200)
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 13))
		conv, session := on.ids.Conv(), on.ids.Session()
		b := sessions.Batch{Conv: string(conv), Session: string(session), Create: &sessions.NewSession{Source: "cli", Model: "old"}}
		for range 1 + rng.IntN(4) {
			b.Messages = append(b.Messages, anyRound(rng)...)
		}
		for i := range b.Messages {
			b.Messages[i].ID = fmt.Sprintf("row%d-%d", seed, i)
		}
		if err := on.db.Commit(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		past, err := agent.Revive(t.Context(), on.db, on.ids, conv, session)
		if err != nil {
			t.Fatal(err)
		}
		on.start(past)
		turns := on.state.Root().Turns
		on.submit("go on")
		on.idle(turns + 1)
		all := on.server.Requests()
		if err := checkRequest(all[len(all)-1].Body); err != nil || on.last().Outcome != event.TurnCompleted {
			t.Errorf("seed %d: %v\n%s", seed, err, messagesOf(all[len(all)-1].Body))
		}
	}
}

// anyRound is what another program stored of a question and its answer.
func anyRound(rng *rand.Rand) []sessions.Message {
	blank := func() string { return []string{"", "words", " \n"}[rng.IntN(3)] }
	rows := []sessions.Message{{Role: "user", Content: "words"}}
	if rng.IntN(3) == 0 {
		rows = append(rows, sessions.Message{Role: []string{"user", "system"}[rng.IntN(2)], Content: blank()})
	}
	for range rng.IntN(3) {
		var calls []string
		var results []sessions.Message
		for range 1 + rng.IntN(3) {
			id := fmt.Sprint("w", rng.IntN(4))
			calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, id,
				[]string{"terminal", "", "no such", "todo"}[rng.IntN(4)], []string{"{}", "", "{", "[1]", "null"}[rng.IntN(5)]))
			for range []int{0, 1, 1, 2}[rng.IntN(4)] {
				results = append(results, sessions.Message{Role: "tool", Content: "words", ToolCallID: id, ToolName: "terminal"})
			}
		}
		if rng.IntN(4) == 0 {
			results = append(results, sessions.Message{Role: "tool", Content: "words", ToolCallID: "nobody", ToolName: "terminal"})
		}
		rows = append(append(rows, sessions.Message{Role: "assistant", Content: blank(), ToolCalls: "[" + strings.Join(calls, ",") + "]"}), results...)
	}
	return append(rows, sessions.Message{Role: "assistant", Content: blank()})
}
