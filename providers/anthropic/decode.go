package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// decoder turns the events of one answer into deltas. Its errors lack the
// endpoint.
type decoder struct {
	issuer, model string
	notes         notes // the prefix is empty once it is handed out

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

// Event implements [transport.Decoder]. The name is what the event's frame says, which
// may be nothing.
func (d *decoder) Event(name string, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	raw = bytes.TrimSpace(raw)
	if g, ok := grown(raw); ok {
		return d.grow(g, out)
	}
	if name == "error" {
		return out, streamError(raw)
	}
	if string(raw) == "[DONE]" { // of gateways
		d.finished = d.finished || d.said || d.calls > 0
		return out, nil
	}
	if len(raw) == 0 || raw[0] != '{' && json.Valid(raw) {
		return out, nil // an event that is none of the protocol
	}
	var e event
	if err := json.Unmarshal(raw, &e); err != nil {
		return out, transport.Malformed(raw, err)
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
		d.finished = true
	case "error":
		return out, streamError(raw)
	case "":
		if transport.Given(e.Error) {
			return out, streamError(raw)
		}
	}
	return out, nil
}

// Document implements [transport.Decoder]: a whole message, or an error.
func (d *decoder) Document(raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	var m struct {
		message
		Error json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(raw, &m)
	switch {
	case err != nil:
		return out, transport.ErrForeign
	case m.Type == "error" || transport.Given(m.Error):
		return out, streamError(raw)
	case m.Type != "message" || m.Reason == "":
		return out, transport.ErrForeign
	}
	for i, b := range m.Content {
		if out, err = d.open(i, b, raw, out); err != nil {
			return out, err
		}
		if out, err = d.stop(i, out); err != nil {
			return out, err
		}
	}
	d.reason, d.explain = string(m.Reason), string(m.Details.Explanation)
	return d.count(m.Usage, out), nil
}

// count takes a usage object. Later ones may leave out what earlier ones said,
// or say 0.
func (d *decoder) count(raw json.RawMessage, out []providers.Delta) []providers.Delta {
	var add map[string]json.RawMessage
	if !transport.Given(raw) || json.Unmarshal(raw, &add) != nil {
		return out
	}
	maps.DeleteFunc(add, func(_ string, v json.RawMessage) bool { return !transport.Given(v) || string(v) == "0" })
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

// Progress implements [transport.Decoder].
func (d *decoder) Progress() transport.Progress {
	switch {
	case d.finished:
		return transport.Complete
	case d.reason != "":
		return transport.Finished
	}
	return transport.Begun
}

// End implements [transport.Decoder]. Blocks that were not closed are closed. A stop
// with calls is a stop for calls, which some servers do not say.
func (d *decoder) End(out []providers.Delta) ([]providers.Delta, error) {
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
	if d.notes.effort != nil {
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: d.notes.effort})
	}
	return append(out, providers.Delta{Kind: providers.DeltaFinish, Finish: finish}), nil
}

// streamError makes the error that an event states. Its status is the one that
// the error has before an answer.
func streamError(raw []byte) error {
	details := transport.DecodeError(raw)
	e := &providers.Error{
		Kind: providers.ErrorStream, Code: details.Code, Type: details.Type, Message: details.Message,
		Body: transport.Clip(raw), Status: statusOf(details.Type),
	}
	if e.Message == "" {
		e.Message = "the provider reported an error without saying which"
	}
	return e
}
