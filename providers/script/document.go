package script

import "hermes-tui/providers"

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

func (d *document) add(b beat) {
	switch b.kind {
	case beatText:
		d.text = append(d.text, b.text...)
	case beatReasoning:
		d.reasoning = append(d.reasoning, b.text...)
	case beatCall:
		d.calls = append(d.calls, documentCall{id: b.id, name: b.name})
	case beatArguments:
		d.calls[b.index].args = append(d.calls[b.index].args, b.text...)
	case beatFinish:
		d.finish = b.text
	case beatUsage:
		d.usage = b.usage
	}
}

func (d *document) encode(w *wire) []byte {
	message := map[string]any{"role": "assistant", "content": string(d.text)}
	if len(d.reasoning) > 0 {
		message[w.reasoning] = string(d.reasoning)
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
	out := map[string]any{
		"id": w.id, "object": "chat.completion", "created": w.created, "model": w.model, "choices": []any{choice},
	}
	if d.usage != nil {
		out["usage"] = wireUsage(*d.usage)
	}
	body := encode(out)
	if d.broken {
		body = body[:len(body)/2]
	}
	return append(d.before, body...)
}
