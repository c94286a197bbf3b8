package scripttest

import (
	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

// document collects an answer that is sent as a whole.
type document struct {
	before          []byte
	text, reasoning []byte
	calls           []documentCall
	finish          string
	usage           *providers.Usage
	broken          bool // cut in the middle
}

type documentCall struct {
	id, name string
	args     []byte
}

func (d *document) add(b script.Beat) {
	switch b.Kind {
	case script.BeatText:
		d.text = append(d.text, b.Text...)
	case script.BeatReasoning:
		d.reasoning = append(d.reasoning, b.Text...)
	case script.BeatCall:
		d.calls = append(d.calls, documentCall{id: b.ID, name: b.Name})
	case script.BeatArguments:
		d.calls[b.Index].args = append(d.calls[b.Index].args, b.Text...)
	case script.BeatFinish:
		d.finish = b.Text
	case script.BeatUsage:
		d.usage = b.Usage
	}
}

func (d *document) encode(a *script.Answer) []byte {
	message := map[string]any{"role": "assistant", "content": string(d.text)}
	if len(d.reasoning) > 0 {
		message[a.ReasoningField()] = string(d.reasoning)
	}
	var calls []any
	for _, c := range d.calls {
		calls = append(calls, map[string]any{
			"id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": string(c.args)},
		})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	choice := map[string]any{"index": 0, "message": message, "finish_reason": nil}
	if d.finish != "" {
		choice["finish_reason"] = d.finish
	}
	id, model, created := a.Head()
	out := map[string]any{
		"id": id, "object": "chat.completion", "created": created, "model": model, "choices": []any{choice},
	}
	if d.usage != nil {
		out["usage"] = script.UsageFields(*d.usage)
	}
	body := encode(out)
	if d.broken {
		body = body[:len(body)/2]
	}
	return append(d.before, body...)
}
