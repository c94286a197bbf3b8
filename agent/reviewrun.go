package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/repair"
	"hermes-tui/providers/scrub"
	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// notNow is the result of a call that a look back may not make.
const notNow = "This tool does not work while you look back: only those for memory, learnings and skills do."

// run asks the model until it calls nothing more.
func (r *review) run(ctx context.Context) error {
	for range reviewSteps {
		m, err := r.ask(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		if len(m.Calls) == 0 {
			return nil
		}
		r.req.Messages = append(r.req.Messages, m)
		for _, c := range m.Calls {
			content, err := r.call(ctx, c)
			if err != nil {
				return err
			}
			r.req.Messages = append(r.req.Messages, providers.Message{
				ID: string(r.conv.ids.Message()), Role: providers.Tool, CallID: c.ID, CallName: c.Name, Parts: providers.TextParts(content), At: r.conv.ids.Now(),
			})
		}
	}
	return errors.New("it took too many steps")
}

// ask makes one model call.
func (r *review) ask(parent context.Context) (providers.Message, error) {
	size := r.gauge.Request(r.req)
	if r.used+size > r.bound {
		return providers.Message{}, errSpent
	}
	ctx, alive, done := watchdog(parent, r.rt.stale(size))
	defer done()
	s, err := r.rt.Client.Stream(ctx, r.req)
	if err != nil {
		return providers.Message{}, err
	}
	defer s.Close()
	a := &reply{id: string(r.conv.ids.Message()), scrub: scrub.New(scrub.Answer)}
	defer func() { r.spend(a, size) }()
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			a.answered(a.scrub.Flush())
			return r.message(a), nil
		}
		if err != nil {
			return providers.Message{}, err
		}
		alive()
		r.began = r.began || d.Kind != providers.DeltaOpen
		r.take(a, d)
		if a.text.Len()+a.reasoning.Len()+a.drafted+a.native > reviewBytes || len(a.calls) > reviewCalls {
			return providers.Message{}, errors.New("the model went on without end")
		}
	}
}

// take adds a delta to an answer.
func (r *review) take(a *reply, d providers.Delta) {
	switch d.Kind {
	case providers.DeltaReasoning:
		a.reasoning.WriteString(d.Text)
	case providers.DeltaText:
		a.answered(a.scrub.Feed(d.Text))
	case providers.DeltaCall:
		a.calls = append(a.calls, &draft{id: r.conv.ids.Call(), wire: d.CallID, name: d.Name, extra: d.Extra})
	case providers.DeltaArguments:
		if d.Index >= 0 && d.Index < len(a.calls) {
			a.calls[d.Index].arguments.WriteString(d.Text)
			a.drafted += len(d.Text)
		}
	case providers.DeltaExtra:
		if d.Index >= 0 && d.Index < len(a.calls) {
			a.calls[d.Index].extra = d.Extra
		}
	case providers.DeltaUsage:
		a.usage = d.Usage
	case providers.DeltaItem:
		if d.Item != nil {
			a.items = append(a.items, *d.Item)
			a.native += len(d.Item.Raw)
		}
	case providers.DeltaFinish:
		a.finish = d.Finish
	}
}

// answered adds what of a text is answer.
func (r *reply) answered(pieces []scrub.Piece) {
	for _, p := range pieces {
		if p.Kind == scrub.Text {
			r.text.WriteString(p.Text)
		}
	}
}

// message is the canonical message of an answer.
func (r *review) message(a *reply) providers.Message {
	m := providers.Message{
		ID: a.id, Role: providers.Assistant, Parts: providers.TextParts(strings.TrimSpace(a.text.String())),
		Reasoning: strings.TrimSpace(a.reasoning.String()), Finish: a.finish, Native: a.items, At: r.conv.ids.Now(),
	}
	used := map[string]bool{}
	for _, earlier := range r.req.Messages {
		for _, c := range earlier.Calls {
			used[c.WireID] = true
		}
	}
	for _, d := range a.calls {
		args, _ := repair.Arguments(d.arguments.String())
		m.Calls = append(m.Calls, providers.Call{ID: string(d.id), WireID: wireID(d.wire, used, d.id), Name: toolName(d.name), Arguments: args, Extra: d.extra})
	}
	return m
}

// call runs a call that is allowed, and says why one is not. An error is the cause of ctx.
func (r *review) call(ctx context.Context, c providers.Call) (content string, err error) {
	tool, ok := r.tools[c.Name]
	if !ok {
		return tools.Failure(tools.View{}, notNow).Content, nil
	}
	args, err := tools.Coerce(tool.Parameters, json.RawMessage(c.Arguments))
	if err != nil {
		return tools.Failure(tools.View{}, err.Error()).Content, nil
	}
	defer func() {
		if p := recover(); p != nil {
			content, err = "", fmt.Errorf("%s failed: %v", c.Name, p)
		}
	}()
	res, err := tool.Run(ctx, tools.Call{ID: c.ID, Name: c.Name, Args: args}, alone{}, io.Discard)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return tools.Failure(tools.View{}, err.Error()).Content, nil
	}
	if v := res.View; v.Lang == "diff" && v.Body != "" && res.Status == tools.StatusOK {
		r.kept.Changes = append(r.kept.Changes, r.mask.Text(strings.TrimSuffix(shorten.Line(v.Subject, 80)+": "+v.Summary, ".")))
	}
	return r.mask.Text(res.Content), nil
}

// spend counts what a call of an estimated size has used, as one beside the conversation.
func (r *review) spend(a *reply, size int) {
	u := a.used(size)
	if u.Uncounted == 0 {
		r.gauge.Counted(int(u.Prompt()))
	}
	r.used += max(int(u.Prompt()+u.Output), size)
	u.Charge(r.rt.bill(a.usage))
	r.kept.Usage = r.kept.Usage.Plus(u)
	r.conv.Spend(u)
	if spent := r.conv.look.Spent; spent != nil {
		spent(u)
	}
	r.show(false)
}

// alone is a host on which no one answers.
type alone struct{}

var _ tools.Host = alone{}

// Ask implements [tools.Host].
func (alone) Ask(context.Context, tools.Question) (tools.Answer, error) {
	return tools.Answer{Choice: tools.ChoiceNone}, nil
}

// Invoke implements [tools.Host].
func (alone) Invoke(context.Context, tools.Call) tools.Result {
	return tools.Failure(tools.View{}, notNow)
}
