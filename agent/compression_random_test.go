package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// seedRandom stores a session with random turns: few or many calls in each, alone and
// side by side, short and long, with and without an answer.
func (r *rig) seedRandom(rnd *rand.Rand) *agent.Past {
	r.t.Helper()
	past := r.seed(0)
	conv, session, root := string(past.State.Conv), string(past.State.Session), string(past.State.Root().ID)
	b := sessions.Batch{Conv: conv, Session: session}
	add := func(m sessions.Message) {
		m.ID, m.Agent, m.At = string(r.ids.Message()), root, r.ids.Now()
		b.Messages = append(b.Messages, m)
	}
	words := func(most int) string { return strings.Repeat("some words é ", 1+rnd.IntN(most)) }
	n := 0
	for turn := range 1 + rnd.IntN(4) {
		add(sessions.Message{Role: "user", Content: fmt.Sprint("ask ", turn, " ", words(20))})
		for range rnd.IntN(45) {
			type function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			}
			var calls []any
			var ids []string
			for range 1 + rnd.IntN(3) {
				n++
				arguments, _ := json.Marshal(map[string]any{"path": fmt.Sprint(n, ".txt"), "content": words(60)})
				ids = append(ids, fmt.Sprint("w", n))
				calls = append(calls, map[string]any{"id": ids[len(ids)-1], "type": "function", "function": function{"write_file", string(arguments)}, "tui_id": r.ids.Call()})
			}
			raw, _ := json.Marshal(calls)
			m := sessions.Message{Role: "assistant", FinishReason: "tool_calls", ToolCalls: string(raw)}
			if rnd.IntN(2) == 0 {
				m.Content = words(10)
			}
			add(m)
			for _, id := range ids {
				add(sessions.Message{Role: "tool", ToolCallID: id, ToolName: "write_file", Content: fmt.Sprintf(`{"path": %q}`, words(80))})
			}
		}
		add(sessions.Message{Role: "assistant", FinishReason: "stop", Content: fmt.Sprint("answer ", turn, " ", words(40))})
	}
	if err := r.db.Commit(r.t.Context(), b); err != nil {
		r.t.Fatal(err)
	}
	past, err := agent.Revive(r.t.Context(), r.db, r.ids, event.ConvID(conv), event.SessionID(session))
	if err != nil {
		r.t.Fatal(err)
	}
	r.seeded = past.State.Root().Turns
	return past
}

// TestRandomCompressions compresses random sessions once or more. Every request is one
// that strict services take, becomes smaller, and when all of it was taken back is what it was,
// byte for byte, here and in the next program.
func TestRandomCompressions(t *testing.T) {
	t.Parallel()
	runs := uint64(40)
	if testing.Short() {
		runs = 8
	}
	late := 0
	for seed := range runs {
		opts := []option{compressing(1_000_000), func(c *agent.Config) { c.Compression.ProtectLast = 2 + int(seed%20) }}
		begin := func() *rig {
			r := &rig{t: t, dir: t.TempDir(), work: t.TempDir(), ids: event.SystemSource()}
			r.serve(say(script.Text{Text: "Yes."}))
			r.openStore()
			r.start(r.seedRandom(rand.New(rand.NewPCG(seed, 5))), opts...)
			return r
		}
		twin, r := begin(), begin()
		twin.submit("go")
		twin.idle(1)
		whole := twin.sent(-1)
		whole = whole[1 : len(whole)-1] // without the prompt, and what was said now
		rnd, before, times, turns := rand.New(rand.NewPCG(seed, 6)), weight(whole), 0, 0
		for range 1 + rnd.IntN(4) {
			changed, err := r.conv.Compress(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if !changed {
				break
			}
			if times++; rnd.IntN(2) == 0 {
				continue // once more before anything is sent
			}
			turns++
			r.submit("and now?")
			r.idle(turns)
			if n := weight(r.sent(-1)[1:]); n > before {
				t.Fatalf("seed %d: %d bytes, then %d", seed, before, n)
			} else {
				before = n + 100 // what was said and answered
			}
			for _, q := range r.server.Requests() {
				if err := checkRequest(q.Body); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			if strings.Contains(strings.Join(r.sent(-1), ""), "the user's newest then") {
				late++
			}
		}
		if seed%2 == 0 {
			r.resume(opts...)
			turns = r.state.Root().Turns - r.seeded
		}
		for range times {
			if _, err := r.conv.Uncompress(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		r.submit("again")
		r.idle(turns + 1)
		if again := r.sent(-1); !slices.Equal(again[1:1+len(whole)], whole) {
			t.Fatalf("seed %d: after %d compressions and as many taken back, it is not what it was", seed, times)
		}
	}
	if late == 0 && runs > 8 {
		t.Error("no turn was so long that its calls were left out")
	}
}

// TestUncompressedIsNotCompressedAgain takes an automatic compression back: the next
// messages are sent whole, here and in the next program, until there is a fifth more.
func TestUncompressedIsNotCompressedAgain(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		r := newSeeded(t, say(script.Text{Text: "Here I am."}), 200, compressing(tight))
		r.submit("go")
		r.idle(1)
		if n := len(r.compressions()); n != 1 {
			t.Fatalf("%d compressions", n)
		}
		if tokens, err := r.conv.Uncompress(t.Context()); err != nil || tokens < 17_000 {
			t.Fatal(tokens, err)
		}
		turns := 1
		if resumed {
			r.resume(compressing(tight))
			turns = r.state.Root().Turns - r.seeded
		}
		for i := range 3 {
			r.submit(fmt.Sprint("and on ", i))
			r.idle(turns + 1 + i)
		}
		if n := len(r.sent(-1)); n != 208 { // with the prompt
			t.Errorf("resumed %v: %d messages were sent", resumed, n)
		}
		r.submit("much more " + strings.Repeat("words ", 6_000))
		r.idle(turns + 4)
		all := r.compressions()
		if last := all[len(all)-1]; last.Restored || last.Before < 25_000 {
			t.Errorf("resumed %v: compressions %+v", resumed, all)
		}
	}
}
