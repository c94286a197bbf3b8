package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// wireCopy is the history as it is sent: valid for any provider, whatever was
// interrupted or crashed. The history itself is not touched. extra messages are
// added to the copy only.
//
// Neighbouring user messages become one, results that answer no call are left
// out, calls without a result get one that says so, messages that say nothing are
// left out, a user's is the first, and calls are put into the form that strict
// providers ask for.
func wireCopy(history []providers.Message, extra ...providers.Message) []providers.Message {
	said := make([]providers.Message, 0, len(history)+len(extra))
	used := map[string]bool{}
	for _, list := range [][]providers.Message{history, extra} {
		for _, m := range list {
			if m.Role != providers.Tool && strings.TrimSpace(m.Text()) == "" && !hasImage(m) {
				if len(m.Calls) == 0 {
					continue
				}
				m.Parts = nil // an empty text is refused, none is not
			}
			said = append(said, withStrictCalls(m, used))
		}
	}
	out := answerAll(ordered(said))
	if len(out) > 0 && out[0].Role == providers.Assistant { // another program has cut off what was before
		first := providers.Message{Role: providers.User, Parts: providers.TextParts(cutOff), At: out[0].At}
		out = slices.Insert(out, 0, first)
	}
	return out
}

// cutOff stands before a history that begins with an answer, which strict providers
// refuse.
const cutOff = "[The beginning of this conversation is not there any more.]"

// withStrictCalls replaces what strict providers refuse in calls: arguments that
// are no JSON object, names that no tool can have (such calls did not run, and
// their results say why), and ids that were used before. used are the ids so far.
func withStrictCalls(m providers.Message, used map[string]bool) providers.Message {
	bad := func(c providers.Call) bool {
		return !isObject(c.Arguments) || toolName(c.Name) != c.Name || used[c.WireID]
	}
	if slices.ContainsFunc(m.Calls, bad) {
		m.Calls = slices.Clone(m.Calls)
		for i, c := range m.Calls {
			m.Calls[i].Name = toolName(c.Name)
			if !isObject(c.Arguments) {
				m.Calls[i].Arguments = "{}"
			}
			if used[c.WireID] {
				m.Calls[i].WireID = "" // our own is sent
			}
		}
	}
	for _, c := range m.Calls {
		if c.WireID != "" {
			used[c.WireID] = true
		}
	}
	return m
}

func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{") && json.Valid([]byte(s))
}

// toolName makes a name that providers take of what a model wrote: letters,
// digits, - and _, at most 64 of them and at least one.
func toolName(s string) string {
	const most = 64
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "unnamed"
	}
	return s[:min(len(s), most)]
}

// lostResult answers a call whose result is not there.
const lostResult = `{"error":"The result of this call was lost."}`

// answerAll adds a result to every call that has none, behind the others of its
// message.
func answerAll(history []providers.Message) []providers.Message {
	out := make([]providers.Message, 0, len(history))
	var open []providers.Call
	settle := func() {
		for _, c := range open {
			out = append(out, providers.Message{
				Role: providers.Tool, CallID: c.ID, CallName: c.Name, Parts: providers.TextParts(lostResult),
			})
		}
		open = nil
	}
	for _, m := range history {
		if m.Role == providers.Tool {
			open = slices.DeleteFunc(open, func(c providers.Call) bool { return c.ID == m.CallID })
		} else {
			settle()
			open = slices.Clone(m.Calls)
		}
		out = append(out, m)
	}
	settle()
	return out
}

// openCalls lists the calls of the newest assistant message that no tool
// message answers.
func openCalls(history []providers.Message) []providers.Call {
	answered := map[string]bool{}
	for i := len(history) - 1; i >= 0; i-- {
		switch m := history[i]; m.Role {
		case providers.Tool:
			answered[m.CallID] = true
		case providers.Assistant:
			var open []providers.Call
			for _, c := range m.Calls {
				if !answered[c.ID] {
					open = append(open, c)
				}
			}
			return open
		case providers.User:
			return nil
		}
	}
	return nil
}

// storedCall is a call in the tool_calls column, in the shape that other programs on
// the same database read and send on.
type storedCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function storedFunction  `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
	// Own is our id, as early versions wrote it. It is read only.
	Own string `json:"tui_id,omitempty"`
}

type storedFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// rows turns messages of this turn into rows of the store.
func (t *turn) rows(messages ...providers.Message) []sessions.Message {
	w := turnWriter{agent: t.Agent.id, turn: t.id, history: t.history}
	return w.rows(messages...)
}

// turnWriter turns messages into rows. history is what stands before them.
type turnWriter struct {
	agent   event.AgentID
	turn    event.TurnID
	history []providers.Message
}

func (t *turnWriter) rows(messages ...providers.Message) []sessions.Message {
	out := make([]sessions.Message, len(messages))
	for i, m := range messages {
		row := sessions.Message{
			ID: m.ID, Agent: string(t.agent), Turn: string(t.turn), Role: string(m.Role), Content: m.Text(), At: m.At,
			FinishReason: string(m.Finish), Reasoning: m.Reasoning, ToolName: m.CallName, Parts: storedParts(m),
		}
		if m.CallID != "" {
			row.ToolCallID = t.wireOf(m.CallID)
		}
		if len(m.Calls) > 0 {
			row.ToolCalls = encode(storedCalls(m.Calls))
			for _, c := range m.Calls {
				row.CallIDs = append(row.CallIDs, c.ID)
			}
		}
		if len(m.Native) > 0 {
			row.Native = encode(m.Native)
			shareNative(&row, m.Native)
		}
		out[i] = row
	}
	return out
}

// wireOf is the provider's id of a call of the newest assistant message.
func (t *turnWriter) wireOf(call string) string {
	for i := len(t.history) - 1; i >= 0; i-- {
		for _, c := range t.history[i].Calls {
			if c.ID == call {
				return c.WireID
			}
		}
	}
	return call
}

func storedCalls(calls []providers.Call) []storedCall {
	out := make([]storedCall, len(calls))
	for i, c := range calls {
		out[i] = storedCall{
			ID: c.WireID, Type: "function", Function: storedFunction{c.Name, c.Arguments}, Extra: c.Extra,
		}
	}
	return out
}

// encode gives the JSON text of plain data, which always has one.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("agent: encode %T: %v", v, err))
	}
	return string(b)
}

// foreignCall is our id of a call that another program wrote, the same whenever it
// is read.
func foreignCall(message string, ordinal int) string {
	return fmt.Sprintf("call_%s_%d", strings.TrimPrefix(message, "m_"), ordinal)
}

// restore turns rows of the store into the history.
func restore(rows []sessions.Message) ([]providers.Message, error) {
	out := make([]providers.Message, 0, len(rows))
	own := map[string]string{} // wire id to our id, of the newest assistant message
	for _, row := range rows {
		m := providers.Message{
			ID: row.ID, Role: providers.Role(row.Role), Parts: restoredParts(row), Reasoning: row.Reasoning,
			Finish: providers.Finish(row.FinishReason), CallName: row.ToolName, At: row.At, Pinned: row.Pinned,
		}
		if row.Native != "" {
			if err := json.Unmarshal([]byte(row.Native), &m.Native); err != nil {
				return nil, fmt.Errorf("read message %s: %w", m.ID, err)
			}
		}
		switch m.Role {
		case providers.Assistant:
			clear(own)
			var stored []storedCall
			if row.ToolCalls != "" {
				if err := json.Unmarshal([]byte(row.ToolCalls), &stored); err != nil {
					return nil, fmt.Errorf("read the calls of message %s: %w", m.ID, err)
				}
			}
			for i, s := range stored {
				switch {
				case s.Own != "":
				case i < len(row.CallIDs):
					s.Own = row.CallIDs[i]
				default:
					s.Own = foreignCall(row.ID, i)
				}
				own[s.ID] = s.Own
				m.Calls = append(m.Calls, providers.Call{
					ID: s.Own, WireID: s.ID, Name: s.Function.Name, Arguments: s.Function.Arguments, Extra: s.Extra,
				})
			}
		case providers.Tool:
			m.CallID = own[row.ToolCallID]
		case providers.User:
		default:
			continue // system rows and the like are not part of the history
		}
		out = append(out, m)
	}
	return out, nil
}
