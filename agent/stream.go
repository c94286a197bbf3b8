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

	"hermes-tui/agent/cachediff"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/scrub"
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
	scrub                     *scrub.Stream // takes out of the text what is not answer
	calls                     []*draft
	drafted, native           int // bytes of the arguments of calls, and of items
	usage                     *providers.Usage
	finish                    providers.Finish
	items                     []providers.Item

	// base is what an earlier call brought of this reply, in bytes.
	base struct{ reasoning, text int }
	// goesOn says that the call under way failed, and that the next one goes on from
	// the text it brought.
	goesOn bool
	// closed is where the text stood when a tag closed reasoning that was not opened, 0 for
	// nowhere: once more follows, everything before it was reasoning.
	closed int
}

// grown reports whether the call under way brought anything.
func (r *reply) grown() bool {
	return r.text.Len() > r.base.text || r.reasoning.Len() > r.base.reasoning || len(r.calls) > 0
}

// callNames names the tools of the calls that began to arrive.
func (r *reply) callNames() []string {
	var names []string
	for _, c := range r.calls {
		names = append(names, c.name)
	}
	return names
}

// resume prepares an unfinished reply for the call that goes on with it.
func (r *reply) resume() {
	r.base.reasoning, r.base.text = r.reasoning.Len(), r.text.Len()
	r.clear()
}

// restart drops what the call under way brought.
func (r *reply) restart() {
	r.mu.Lock()
	defer r.mu.Unlock()
	reasoning, text := r.reasoning.String()[:r.base.reasoning], r.text.String()[:r.base.text]
	r.reasoning.Reset()
	r.reasoning.WriteString(reasoning)
	r.text.Reset()
	r.text.WriteString(text)
	r.saved = -1
	if reasoning == "" {
		r.thinkStart, r.thinkEnd = time.Time{}, time.Time{}
	}
	r.clear()
}

// clear drops what belongs to one call only.
func (r *reply) clear() {
	r.calls, r.usage, r.finish, r.items, r.goesOn = nil, nil, "", nil, false
	r.drafted, r.native, r.closed = 0, 0, 0
	r.scrub = scrub.New(scrub.Answer)
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

// newReply begins a reply, or goes on with an unfinished one.
func (t *turn) newReply(next nextRequest) *reply {
	if next.into != nil {
		next.into.resume()
		return next.into
	}
	ids := t.conv.ids
	return &reply{
		agent: string(t.Agent.id), turn: string(t.id), id: string(ids.Message()),
		reasoningBlock: ids.Block(), textBlock: ids.Block(), scrub: scrub.New(scrub.Answer),
	}
}

// stream makes one model call. When it fails, what had arrived is in the reply.
func (t *turn) stream(parent context.Context, r *reply, req providers.Request, tokens int) error {
	if t.rt.Local {
		defer t.conv.look.Locals.call()()
	}
	limit := t.rt.stale(tokens)
	ctx, alive, done := watchdog(parent, limit)
	defer done()
	if t.rt.Longest > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeoutCause(ctx, t.rt.Longest, errLong)
		defer end()
	}
	t.enter(event.PhaseConnecting, t.rt.Model.Host)
	m := t.rt.Model
	t.cacheDiff.Steers = nil
	if s, can := providers.As[providers.Steerer](t.rt.Client); can {
		t.cacheDiff.Steers = func(from, to string) bool { return s.Steers(m.Name, from, to) }
	}
	t.cacheDiff.Sent(cachediff.Endpoint{Provider: m.Provider, Host: m.Host, Model: m.Name}, time.Duration(m.CacheSeconds)*time.Second, &req, t.conv.ids.Now())
	s, err := t.rt.Client.Stream(ctx, req)
	if err != nil {
		return t.timeoutError(ctx, parent, limit, err)
	}
	defer s.Close()
	t.conv.com.Watch(t.Agent.id, r)
	defer t.conv.com.Unwatch(t.Agent.id)
	for {
		d, err := s.Next()
		if err != nil {
			t.show(r, r.scrub.Flush())
			r.endThinking(t.conv.ids.Now())
		}
		if errors.Is(err, io.EOF) {
			if len(r.calls) > 0 {
				t.rethink(r)
			}
			return nil
		}
		if err != nil {
			return t.timeoutError(ctx, parent, limit, err)
		}
		alive()
		if t.take(r, d); r.endless() {
			return t.giveUpEndless(r)
		}
	}
}

// The causes of calls that were given up: nothing new came, or the call as a whole
// took too long. Their texts tell that time ran out, and not that a connection was
// lost.
var (
	errStale = errors.New("timed out: nothing new came")
	errLong  = errors.New("timed out: the call took too long")
)

// watchdog gives a context that ends when alive is not called for that long; 0
// is never. done must be called.
func watchdog(parent context.Context, limit time.Duration) (ctx context.Context, alive, done func()) {
	ctx, cancel := context.WithCancelCause(parent)
	if limit <= 0 {
		return ctx, func() {}, func() { cancel(nil) }
	}
	timer := time.AfterFunc(limit, func() { cancel(errStale) })
	return ctx, func() { timer.Reset(limit) }, func() { timer.Stop(); cancel(nil) }
}

// timeoutError says so when a call failed because its time was over.
func (t *turn) timeoutError(ctx, parent context.Context, limit time.Duration, err error) error {
	cause := context.Cause(ctx)
	e := &providers.Error{Endpoint: t.rt.Model.Host, Cause: cause}
	switch {
	case parent.Err() != nil:
		return err
	case errors.Is(cause, errStale):
		e.Kind, e.Message = providers.ErrorBroken, "nothing new came for "+limit.String()+"; the server or the way to it is stuck"
	case errors.Is(cause, errLong):
		e.Kind, e.Message = providers.ErrorStream, "the call took longer than "+t.rt.Longest.String()
	default:
		return err
	}
	return e
}

// take adds a delta to the reply and shows it.
func (t *turn) take(r *reply, d providers.Delta) {
	t.member.Beat()
	switch d.Kind {
	case providers.DeltaOpen:
		t.enter(event.PhaseWaiting, "")
	case providers.DeltaReasoning:
		t.think(r, d.Text)
	case providers.DeltaText:
		t.show(r, r.scrub.Feed(d.Text))
	case providers.DeltaCall:
		t.rethink(r)
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
		r.drafted += len(d.Text)
		if n := c.arguments.Len(); n-c.announced >= announceEvery {
			c.announced = n
			t.live(&event.ToolDrafting{Call: c.id, Name: c.name, Bytes: n})
		}
	case providers.DeltaExtra:
		if d.Index >= 0 && d.Index < len(r.calls) {
			r.calls[d.Index].extra = d.Extra
		}
	case providers.DeltaUsage:
		r.usage = d.Usage
	case providers.DeltaItem:
		if d.Item != nil {
			r.items = append(r.items, *d.Item)
			r.native += len(d.Item.Raw)
		}
	case providers.DeltaFinish:
		r.endThinking(t.conv.ids.Now())
		r.finish = d.Finish
	}
}

// show adds the pieces of a text to the reply. A call that was written as text
// is not shown.
func (t *turn) show(r *reply, pieces []scrub.Piece) {
	for _, p := range pieces {
		switch p.Kind {
		case scrub.Text:
			if strings.TrimSpace(p.Text) != "" {
				t.rethink(r)
			}
			if text := r.say(p.Text, t.conv.ids.Now()); text != "" {
				t.enter(event.PhaseAnswering, "")
				t.live(&event.TextDelta{Block: r.textBlock, Text: text})
			}
		case scrub.Reasoning:
			if p.Begin && r.reasoning.Len() > 0 {
				p.Text = "\n\n" + p.Text
			}
			t.think(r, p.Text)
		case scrub.Closing:
			r.closed = r.text.Len()
		case scrub.Call:
			t.rethink(r)
			t.enter(event.PhaseDrafting, "")
		}
	}
}

// rethink makes reasoning of the text before a tag that closed some.
func (t *turn) rethink(r *reply) {
	if r.closed <= r.base.text {
		return
	}
	r.mu.Lock()
	text := r.text.String()
	r.text.Reset()
	r.text.WriteString(text[:r.base.text])
	if r.reasoning.Len() > 0 {
		r.reasoning.WriteString("\n\n")
	}
	r.reasoning.WriteString(strings.TrimSpace(text[r.base.text:]))
	r.saved, r.closed = -1, 0
	r.mu.Unlock()
	if r.thinkStart.IsZero() {
		r.thinkStart, r.thinkEnd = t.conv.ids.Now(), t.conv.ids.Now()
	}
	t.redraw(r)
}

// think adds reasoning to the reply.
func (t *turn) think(r *reply, text string) {
	t.enter(event.PhaseReasoning, "")
	r.think(text, t.conv.ids.Now())
	t.live(&event.ReasoningDelta{Block: r.reasoningBlock, Text: text})
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

// Checkpoint implements [journal.Partial].
func (r *reply) Checkpoint() (sessions.SavePartial, bool) {
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

// wireID gives a call an id that no other one of the conversation has, as
// providers demand of the results that refer to it.
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
