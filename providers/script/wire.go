package script

import (
	"fmt"
	"unicode/utf8"

	"hermes-tui/providers"
)

// wire writes the beats of one answer as server-sent events in the Chat
// Completions format.
type wire struct {
	id, model string
	created   int64
	reasoning string // key of reasoning text

	head     []byte // of every event, up to the choices
	opened   bool   // the event with the role was written
	finished bool   // so was the reason
}

func newWire(s *Scenario, nth int, model string, created int64) *wire {
	w := &wire{id: fmt.Sprintf("chatcmpl-%d", nth), model: model, created: created, reasoning: s.ReasoningField}
	if w.reasoning == "" {
		w.reasoning = "reasoning_content"
	}
	w.head = fmt.Appendf(nil, `data: {"id":%s,"object":"chat.completion.chunk","created":%d,"model":%s`,
		appendString(nil, w.id), created, appendString(nil, model))
	return w
}

// append adds what a beat puts on the wire. Beats that are no bytes (pauses,
// headers, cuts) add nothing.
func (w *wire) append(dst []byte, b Beat) []byte {
	switch b.Kind {
	case BeatText:
		dst = appendString(append(w.delta(dst), `"content":`...), b.Text)
		return append(dst, deltaEnd...)
	case BeatReasoning:
		dst = append(append(append(w.delta(dst), '"'), w.reasoning...), `":`...)
		return append(appendString(dst, b.Text), deltaEnd...)
	case BeatCall:
		dst = fmt.Appendf(w.delta(dst), `"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]`,
			b.Index, appendString(nil, b.ID), appendString(nil, b.Name))
		return append(dst, deltaEnd...)
	case BeatArguments:
		dst = fmt.Appendf(w.delta(dst), `"tool_calls":[{"index":%d,"function":{"arguments":`, b.Index)
		return append(append(appendString(dst, b.Text), `}}]`...), deltaEnd...)
	case BeatFinish:
		w.finished = true
		dst = append(w.delta(dst), `},"finish_reason":`...)
		return append(appendString(dst, b.Text), "}]}\n\n"...)
	case BeatUsage:
		dst = append(append(dst, w.head...), `,"choices":[],"usage":`...)
		return append(append(dst, encode(UsageFields(*b.Usage))...), "}\n\n"...)
	case BeatComment:
		for range b.Count {
			dst = append(dst, ": keep-alive\n\n"...)
		}
	case BeatMalformed:
		return append(append(dst, w.head...), ",\"choices\":[{\"delta\":{\"content\":\n\n"...)
	case BeatRaw:
		return append(dst, b.Raw...)
	case BeatFail:
		return append(append(append(dst, "data: "...), b.Fail.event(w)...), "\n\n"...)
	case BeatCut:
		if b.Cut == CutHalf {
			return append(append(dst, w.head...), `,"choices":[{"ind`...)
		}
	case BeatEnd:
		if !w.finished { // the mark of the end would say that the answer is whole
			return dst
		}
		return append(dst, "data: [DONE]\n\n"...)
	}
	return dst
}

// deltaEnd ends an event that has a delta.
const deltaEnd = `},"finish_reason":null}]}` + "\n\n"

// delta begins an event that has a delta, the first of which gives the role.
func (w *wire) delta(dst []byte) []byte {
	const begin = `,"choices":[{"index":0,"delta":{`
	if !w.opened {
		w.opened = true
		dst = append(append(dst, w.head...), begin+`"role":"assistant","content":""`+deltaEnd...)
	}
	return append(append(dst, w.head...), begin...)
}

// UsageFields is usage in the protocol's terms: the prompt includes what a cache
// gave.
func UsageFields(u providers.Usage) map[string]any {
	return map[string]any{
		"prompt_tokens": u.Prompt(), "completion_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

// appendString writes a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
		i++
	}
	return append(dst, '"')
}
