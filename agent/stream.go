package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/store/sessions"
)

// reply is an answer being put together. The agent's goroutine writes it, the
// committer reads checkpoints of it.
type reply struct {
	mu        sync.Mutex
	reasoning strings.Builder
	text      strings.Builder
	saved     int // bytes of both at the last checkpoint

	agent, turn, id           string
	reasoningBlock, textBlock event.BlockID
	thinkStart, thinkEnd      time.Time
	calls                     []*draft
	usage                     *providers.Usage
	finish                    providers.Finish
	items                     []providers.Item
}

// draft is a call whose arguments are arriving.
type draft struct {
	id         event.CallID
	wire, name string
	arguments  strings.Builder
	extra      json.RawMessage
	announced  int // bytes of arguments when last announced
}

// announceEvery is how many bytes of arguments pass between two announcements
// of a call being drafted.
const announceEvery = 512

// stream makes one model call. When it fails, what had arrived is returned with
// the error.
func (t *turn) stream(ctx context.Context, req providers.Request) (*reply, error) {
	ids := t.conv.ids
	r := &reply{
		agent: string(t.Agent.id), turn: string(t.id), id: string(ids.Message()),
		reasoningBlock: ids.Block(), textBlock: ids.Block(),
	}
	t.enter(event.PhaseConnecting, t.rt.Model.Host)
	s, err := t.rt.Client.Stream(ctx, req)
	if err != nil {
		return r, err
	}
	defer s.Close()
	t.conv.com.watch(t.Agent.id, r)
	defer t.conv.com.unwatch(t.Agent.id)
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		t.take(r, d)
	}
}

// take adds a delta to the reply and shows it.
func (t *turn) take(r *reply, d providers.Delta) {
	switch d.Kind {
	case providers.DeltaOpen:
		t.enter(event.PhaseConnecting, "")
	case providers.DeltaReasoning:
		t.enter(event.PhaseReasoning, "")
		r.think(d.Text, t.conv.ids.Now())
		t.live(&event.ReasoningDelta{Block: r.reasoningBlock, Text: d.Text})
	case providers.DeltaText:
		if text := r.say(d.Text, t.conv.ids.Now()); text != "" {
			t.enter(event.PhaseAnswering, "")
			t.live(&event.TextDelta{Block: r.textBlock, Text: text})
		}
	case providers.DeltaCall:
		r.endThinking(t.conv.ids.Now())
		t.enter(event.PhaseDrafting, d.Name)
		c := &draft{id: t.conv.ids.Call(), wire: d.CallID, name: d.Name, extra: d.Extra}
		r.calls = append(r.calls, c)
		t.live(&event.ToolDrafting{Call: c.id, Name: c.name})
	case providers.DeltaArguments:
		if d.Index < 0 || d.Index >= len(r.calls) {
			return
		}
		c := r.calls[d.Index]
		c.arguments.WriteString(d.Text)
		if n := c.arguments.Len(); n-c.announced >= announceEvery {
			c.announced = n
			t.live(&event.ToolDrafting{Call: c.id, Name: c.name, Bytes: n})
		}
	case providers.DeltaUsage:
		r.usage = d.Usage
	case providers.DeltaItem:
		if d.Item != nil {
			r.items = append(r.items, *d.Item)
		}
	case providers.DeltaFinish:
		r.endThinking(t.conv.ids.Now())
		r.finish = d.Finish
	}
}

func (r *reply) think(text string, now time.Time) {
	if r.thinkStart.IsZero() {
		r.thinkStart = now
	}
	r.mu.Lock()
	r.reasoning.WriteString(text)
	r.mu.Unlock()
}

func (r *reply) endThinking(now time.Time) {
	if !r.thinkStart.IsZero() && r.thinkEnd.IsZero() {
		r.thinkEnd = now
	}
}

// say adds text and returns what is to be shown of it. White space at the start
// of an answer is dropped.
func (r *reply) say(text string, now time.Time) string {
	r.endThinking(now)
	if r.text.Len() == 0 {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	if text == "" {
		return ""
	}
	r.mu.Lock()
	r.text.WriteString(text)
	r.mu.Unlock()
	return text
}

// checkpoint implements [partial].
func (r *reply) checkpoint() (sessions.SavePartial, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.reasoning.Len() + r.text.Len()
	if n == r.saved {
		return sessions.SavePartial{}, false
	}
	r.saved = n
	return sessions.SavePartial{
		Agent: r.agent, Turn: r.turn, Message: r.id, Reasoning: r.reasoning.String(), Text: r.text.String(),
	}, true
}

// message is the canonical message of the reply.
func (r *reply) message(t *turn, calls []*callRun) providers.Message {
	m := providers.Message{
		ID: r.id, Role: providers.Assistant, Parts: providers.TextParts(strings.TrimRight(r.text.String(), " \t\r\n")),
		Reasoning: strings.TrimSpace(r.reasoning.String()), Finish: r.finish, Native: r.items, At: t.conv.ids.Now(),
	}
	for _, c := range calls {
		m.Calls = append(m.Calls, c.call)
	}
	return m
}

// committed is the event that makes the reply final on the screen.
func (r *reply) committed(m providers.Message, calls []*callRun) *event.MessageCommitted {
	e := &event.MessageCommitted{
		Message: event.MessageID(m.ID), Role: event.RoleAssistant, Text: m.Text(), Finish: string(m.Finish),
	}
	if e.Text != "" {
		e.Block = r.textBlock
	}
	if m.Reasoning != "" {
		e.Reasoning = &event.Reasoning{Block: r.reasoningBlock, Text: m.Reasoning, Took: r.thinkEnd.Sub(r.thinkStart)}
	}
	for _, c := range calls {
		e.Calls = append(e.Calls, event.CallHead{Call: c.id, View: c.view})
	}
	return e
}

// wireID gives a call an id that is unique in its message, as providers demand
// of the results that refer to it.
func wireID(wanted string, used map[string]bool, fallback event.CallID) string {
	if wanted == "" || used[wanted] {
		wanted = string(fallback)
	}
	for n := 2; used[wanted]; n++ {
		wanted = fmt.Sprintf("%s_%d", fallback, n)
	}
	used[wanted] = true
	return wanted
}
