package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/sessions"
)

// seed stores a conversation of n messages, four a turn, and reads it back.
func (r *rig) seed(n int) *agent.Past {
	r.t.Helper()
	conv, session, root, now := r.ids.Conv(), r.ids.Session(), r.ids.Agent(), r.ids.Now()
	spawned := &event.AgentSpawned{Role: "root", Model: "model"}
	*spawned.Head() = event.Meta{Seq: 1, At: now, Conv: conv, Session: session, Agent: root}
	event.Stamp(spawned)
	body, err := event.Marshal(spawned)
	if err != nil {
		r.t.Fatal(err)
	}
	b := sessions.Batch{
		Conv: string(conv), Session: string(session),
		Create: &sessions.NewSession{Source: "cli", Agent: string(root), Workspace: r.work, At: now, Model: "model", Provider: "test"},
		Events: []sessions.Event{{Seq: 1, Type: string(event.TypeOf(spawned)), At: now, Agent: string(root), Body: body}},
	}
	text := strings.Repeat("Some words that a user or a model wrote. ", 12)
	for i := range n {
		m := sessions.Message{ID: string(r.ids.Message()), Agent: string(root), Content: text, At: now}
		switch i % 4 {
		case 0:
			m.Role = "user"
		case 1:
			m.Role, m.FinishReason = "assistant", "tool_calls"
			m.ToolCalls = fmt.Sprintf(`[{"id":"w%d","type":"function","function":{"name":"read_file","arguments":"{\"path\": \"a.txt\"}"},"tui_id":%q}]`, i, r.ids.Call())
		case 2:
			m.Role, m.ToolCallID, m.ToolName, m.Content = "tool", fmt.Sprint("w", i-1), "read_file", `{"content": "`+text+`"}`
		default:
			m.Role, m.FinishReason = "assistant", "stop"
		}
		b.Messages = append(b.Messages, m)
	}
	if err := r.db.Commit(r.t.Context(), b); err != nil {
		r.t.Fatal(err)
	}
	past, err := agent.Revive(r.t.Context(), r.db, r.ids, conv, session)
	if err != nil {
		r.t.Fatal(err)
	}
	r.seeded = past.State.Root().Turns
	return past
}

// BenchmarkToolRound measures what the loop adds to a round: from one model call
// over the call of a cheap tool to the next model call, with 1,000 messages of
// history and everything stored. The model takes no time: it is played in this
// process, or served over loopback HTTP, which adds sending the history and, most
// of all, the server's reading it.
func BenchmarkToolRound(b *testing.B) {
	const history, rounds = 1000, 50 // per turn, so that the history stays about as long
	for _, c := range []struct {
		wire   string
		target float64 // ms
	}{{"in process", 4}, {"http", 20}} {
		b.Run(c.wire, func(b *testing.B) {
			b.ReportAllocs()
			for done := 0; done < b.N; {
				b.StopTimer()
				n := min(rounds, b.N-done)
				s := &script.Scenario{Name: "rounds", Rules: []script.Rule{
					{Match: script.Match{Results: &n}, Steps: steps(script.Text{Text: "Done."})},
					{Steps: steps(call("todo", map[string]any{}))},
				}}
				r := &rig{t: b, dir: b.TempDir(), work: b.TempDir(), ids: event.SystemSource()}
				r.serve(s)
				r.openStore()
				r.start(r.seed(history), withBudget(n+1), func(cfg *agent.Config) {
					if c.wire == "http" {
						return
					}
					client, err := script.New(s, script.Options{})
					if err != nil {
						b.Fatal(err)
					}
					cfg.Runtime.Client = client
				})
				b.StartTimer()
				r.submit("go")
				r.idle(1)
				b.StopTimer()
				if got := r.state.Root(); got.Tools != n || r.last().Outcome != event.TurnCompleted {
					b.Fatalf("%d of %d rounds, and the turn ended as %+v", got.Tools, n, r.last())
				}
				done += n
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/round")
			b.ReportMetric(c.target, "target-ms/round")
			b.ReportMetric(0, "ns/op")
		})
	}
}
