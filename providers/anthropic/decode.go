package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// decoder turns the events of one answer into deltas. Its errors lack the
// endpoint.
type decoder struct {
	issuer, model string

	blocks   map[int]*block // those that are open
	calls    int
	layout   layout
	reason   string
	explain  string // what is said about a refusal
	said     bool   // any text
	finished bool   // the end marker was there
	counts   map[string]json.RawMessage
	usage    providers.Usage
}

// event decodes one event and appends its deltas. The name is what the event's
// frame says, which may be nothing.
func (d *decoder) event(name string, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	raw = bytes.TrimSpace(raw)
	if g, ok := grown(raw); ok {
		return d.grow(g, out)
	}
	if name == "error" {
		return out, streamError(raw)
	}
	if len(raw) == 0 || raw[0] != '{' && json.Valid(raw) {
		return out, nil // an event that is none of the protocol
	}
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return out, malformed(raw, err)
	}
	if e.Type == "" {
		e.Type = text(name)
	}
	return d.take(&e, raw, out)
}

// take judges a decoded event.
func (d *decoder) take(e *event, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			out = d.count(e.Message.Usage, out)
		}
	case "content_block_start":
		return d.open(e.Index, e.Block, raw, out)
	case "content_block_delta":
		return d.add(e.Index, &e.Delta, raw, out)
	case "content_block_stop":
		return d.stop(e.Index, out)
	case "message_delta":
		if e.Delta.Reason != "" {
			d.reason = string(e.Delta.Reason)
		}
		if e.Delta.Details.Explanation != "" {
			d.explain = string(e.Delta.Details.Explanation)
		}
		out = d.count(e.Usage, out)
	case "message_stop":
		return d.end(out)
	case "error":
		return out, streamError(raw)
	case "":
		if given(e.Error) {
			return out, streamError(raw)
		}
	}
	return out, nil
}

// document decodes a whole answer.
func (d *decoder) document(m *message, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	var err error
	for i, b := range m.Content {
		if out, err = d.open(i, b, raw, out); err != nil {
			return out, err
		}
		if out, err = d.stop(i, out); err != nil {
			return out, err
		}
	}
	d.reason, d.explain = string(m.Reason), string(m.Details.Explanation)
	return d.end(d.count(m.Usage, out))
}

// count takes a usage object. Later ones may leave out what earlier ones said,
// or say 0.
func (d *decoder) count(raw json.RawMessage, out []providers.Delta) []providers.Delta {
	var add map[string]json.RawMessage
	if !given(raw) || json.Unmarshal(raw, &add) != nil {
		return out
	}
	maps.DeleteFunc(add, func(_ string, v json.RawMessage) bool { return !given(v) || string(v) == "0" })
	if d.counts == nil {
		d.counts = map[string]json.RawMessage{}
	}
	maps.Copy(d.counts, add)
	all, err := json.Marshal(d.counts)
	if err != nil {
		return out
	}
	u := providers.NormaliseUsage(providers.UsageAnthropic, all)
	if u.Reasoning == 0 {
		u.Reasoning = thoughts(d.counts["output_tokens_details"])
	}
	if u == (providers.Usage{}) || u == d.usage {
		return out
	}
	d.usage = u
	return append(out, providers.Delta{Kind: providers.DeltaUsage, Usage: &u})
}

// thoughts reads the tokens of thinking, which are part of the output.
func thoughts(raw json.RawMessage) int64 {
	var o struct {
		Tokens json.Number `json:"thinking_tokens"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return 0
	}
	n, err := o.Tokens.Int64()
	if err != nil {
		return 0
	}
	return max(0, n)
}

// end appends what an answer ends with. Blocks that were not closed are closed. A
// stop with calls is a stop for calls, which some servers do not say.
func (d *decoder) end(out []providers.Delta) ([]providers.Delta, error) {
	var err error
	for _, i := range sorted(d.blocks) {
		if out, err = d.stop(i, out); err != nil {
			return out, err
		}
	}
	finish := finishOf(d.reason)
	switch {
	case finish == providers.FinishStop && d.calls > 0:
		finish = providers.FinishToolCalls
	case finish == providers.FinishFilter && d.explain != "":
		if d.said {
			d.explain = "\n\n" + d.explain
		}
		out = append(out, providers.Delta{Kind: providers.DeltaText, Text: d.explain})
		d.layout.say(d.explain)
	}
	item, err := d.layout.item(d.issuer, d.model)
	if err != nil {
		return out, fmt.Errorf("keep the order of an answer: %w", err)
	}
	if item != nil {
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: item})
	}
	d.finished = true
	return append(out, providers.Delta{Kind: providers.DeltaFinish, Finish: finish}), nil
}

// streamError makes the error that an event states. Its status is the one that
// the error has before an answer.
func streamError(raw []byte) error {
	details := transport.DecodeError(raw)
	e := &providers.Error{
		Kind: providers.ErrorStream, Code: details.Code, Type: details.Type, Message: details.Message,
		Body: clip(raw), Status: statusOf(details.Type),
	}
	if e.Message == "" {
		e.Message = "the provider reported an error without saying which"
	}
	return e
}

// malformed makes the error of an event that is not what the protocol says.
func malformed(raw []byte, cause error) error {
	return &providers.Error{
		Kind: providers.ErrorProtocol, Body: clip(raw), Cause: cause,
		Message: fmt.Sprintf("the provider sent an event that cannot be read: %s", firstWords(raw)),
	}
}

// clip copies the beginning of a body for an error.
func clip(raw []byte) []byte { return bytes.Clone(raw[:min(len(raw), 64<<10)]) }

// firstWords quotes the beginning of what came.
func firstWords(raw []byte) string {
	const most = 120
	raw = bytes.TrimSpace(raw)
	if len(raw) <= most {
		return strconv.Quote(string(raw))
	}
	return strconv.Quote(string(raw[:most])) + "…"
}
