package uitest

import (
	"encoding/json"
	"fmt"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/store/sessions"
)

// shapes are the forms of a turn: for each step before the answer, how many
// calls it makes.
var shapes = [][]int{{}, {}, {1}, {1}, {2}, {1, 1}, {3}, {1, 2}, {1, 1, 1}, {2, 1, 1}}

// size is how many messages a turn of a shape has.
func size(shape []int) int {
	n := 2
	for _, calls := range shape {
		n += 1 + calls
	}
	return n
}

// writeTurn adds a turn of at most left messages, so that the rest can be made
// of whole turns.
func (g *generator) writeTurn(left int) {
	g.turn = g.ids.Turn()
	g.made.Turns++
	started := g.clock
	g.emit(&event.TurnStarted{Budget: 90})
	g.ask()
	shape, whole := g.shape(left)
	for _, calls := range shape {
		g.step(calls)
	}
	end := &event.TurnFinished{Outcome: event.TurnCompleted, Calls: len(shape) + 1}
	if whole {
		g.answer()
	} else {
		end.Outcome, end.Reason, end.Calls = event.TurnInterrupted, "interrupted", len(shape)
		end.Explain, end.Block = "Interrupted; send a message to go on from here.", g.ids.Block()
		g.made.Last = ""
	}
	end.Took = g.clock.Sub(started)
	g.emit(end)
	g.turn = ""
	g.pass(time.Duration(g.prose.between(5, 90)) * time.Second)
}

// shape chooses what a turn looks like; false means that there is no room for an
// answer.
func (g *generator) shape(left int) ([]int, bool) {
	switch left {
	case 1:
		return nil, false
	case 3:
		return []int{1}, false
	}
	for {
		s := shapes[g.prose.IntN(len(shapes))]
		if rest := left - size(s); rest == 0 || rest == 2 || rest > 3 {
			return s, true
		}
	}
}

// ask adds the user's question.
func (g *generator) ask() {
	id := g.ids.Message()
	head := fmt.Sprintf("Question %d:", g.made.Turns)
	text := head + " " + g.prose.question()
	if g.made.Turns == 1 {
		g.made.First = head
	}
	g.say(sessions.Message{ID: string(id), Role: "user", Content: text})
	g.emit(&event.MessageCommitted{Message: id, Role: event.RoleUser, Block: g.ids.Block(), Text: text, Input: g.ids.Input()})
	g.pass(time.Second)
}

// answer adds the answer that ends a turn.
func (g *generator) answer() {
	g.made.Last = fmt.Sprintf("End of answer %d.", g.made.Turns)
	g.assistant(g.prose.document()+"\n\n"+g.made.Last, "stop", nil)
}

// assistant adds a message of the model with its usage.
func (g *generator) assistant(text, finish string, calls []*call) {
	id := g.ids.Message()
	g.pass(time.Duration(g.prose.between(800, 9000)) * time.Millisecond)
	row := sessions.Message{ID: string(id), Role: "assistant", Content: text, FinishReason: finish}
	e := &event.MessageCommitted{Message: id, Role: event.RoleAssistant, Text: text, Finish: finish}
	if text != "" {
		e.Block = g.ids.Block()
	}
	if g.prose.IntN(3) > 0 {
		row.Reasoning = g.prose.reasoning()
		took := time.Duration(g.prose.between(500, 6000)) * time.Millisecond
		e.Reasoning = &event.Reasoning{Block: g.ids.Block(), Text: row.Reasoning, Took: took}
	}
	if len(calls) > 0 {
		row.ToolCalls = g.json(calls)
	}
	for i, c := range calls {
		row.CallIDs = append(row.CallIDs, c.own)
		e.Calls = append(e.Calls, event.CallHead{Call: event.CallID(c.own), View: c.view})
		g.effect(sessions.CallPlanned{
			ID: c.own, Agent: string(g.root), Turn: string(g.turn), Message: string(id), Ordinal: i,
			WireID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments, At: g.clock,
		})
	}
	g.say(row)
	g.emit(e)
	g.count(int64(len(text)+len(row.Reasoning)) / 4)
}

// count adds the usage of one model call.
func (g *generator) count(output int64) {
	u := event.Usage{Input: 900, CacheRead: int64(g.prose.between(4000, 60_000)), Output: output, Calls: 1}
	g.usage = g.usage.Plus(u)
	g.emit(&event.UsageUpdated{
		Usage: g.usage, Context: event.Context{Used: int(u.Prompt() + u.Output), Max: 200_000}, Final: true,
	})
	g.effect(sessions.AddUsage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, APICalls: 1})
}

// call is a tool call as the store keeps it, with what is known of its result.
type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`

	own     string
	view    event.CallView // before it runs
	done    event.CallView
	outcome event.Outcome
	result  string
	todos   []event.Todo
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// step adds a message with calls, and their results.
func (g *generator) step(n int) {
	calls := make([]*call, n)
	for i := range calls {
		c := g.invent()
		c.own, c.Type = string(g.ids.Call()), "function"
		c.ID = "fixture_" + c.own
		calls[i] = c
	}
	text := ""
	if g.prose.IntN(2) == 0 {
		text = g.prose.sentence()
	}
	g.assistant(text, "tool_calls", calls)
	for _, c := range calls {
		started := g.clock
		g.emit(&event.ToolStarted{Call: event.CallID(c.own), View: c.view})
		g.effect(sessions.CallStarted{ID: c.own, At: started})
		g.pass(time.Duration(g.prose.between(5, 4000)) * time.Millisecond)
		g.emit(&event.ToolFinished{Call: event.CallID(c.own), Outcome: c.outcome, Took: g.clock.Sub(started), View: c.done})
		if c.todos != nil {
			state, err := json.Marshal(c.todos)
			if err != nil {
				panic(err) // they are text
			}
			g.emit(&event.ToolStateChanged{Name: event.TodoState, State: state})
		}
		g.effect(sessions.CallEnded{ID: c.own, Outcome: string(c.outcome), Result: c.result, At: g.clock})
		g.made.Calls++
	}
	for _, c := range calls {
		g.say(sessions.Message{
			ID: string(g.ids.Message()), Role: "tool", Content: c.result, ToolCallID: c.ID, ToolName: c.Function.Name,
		})
	}
}

// json encodes plain data.
func (g *generator) json(v any) string {
	b, err := json.Marshal(v)
	if err != nil && g.err == nil {
		g.err = err
	}
	return string(b)
}
