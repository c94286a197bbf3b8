package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// decoder turns the events of one answer into deltas. Its errors lack the
// endpoint.
type decoder struct {
	issuer, model string

	shape     shape
	calls     calls
	reasoning reasoning
	refused   bool
	spoke     bool   // whether anything of the answer came
	thinking  bool   // whether the last content was reasoning
	finish    string // the reason given last, empty before the finish marker
	usage     providers.Usage
	// tagged tells that the text is kept as it came where it holds reasoning; said is it.
	tagged bool
	said   strings.Builder
}

// Event implements [transport.Decoder].
func (d *decoder) Event(name string, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	switch {
	case name == "error":
		return out, streamError(named(raw))
	case string(raw) == "[DONE]":
		if d.finish == "" && d.spoke { // some servers state no reason
			d.finish = "stop"
		}
		return out, io.EOF
	}
	blank(raw)
	if out, ok := d.known(raw, out); ok {
		return out, nil
	}
	if len(raw) == 0 || raw[0] != '{' && json.Valid(raw) {
		return out, nil // an event that is none of the protocol
	}
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return out, transport.Malformed(raw, err)
	}
	d.spoke = d.spoke || len(c.Choices) > 0
	d.shape.learn(&c, raw)
	return d.chunk(&c, raw, out)
}

func (d *decoder) chunk(c *chunk, raw []byte, out []providers.Delta) ([]providers.Delta, error) {
	if c.failed() {
		return out, streamError(raw)
	}
	for i := range c.Choices {
		choice := &c.Choices[i]
		if choice.other() { // one answer was asked for
			continue
		}
		p := &choice.Delta
		if choice.Message != nil {
			p = choice.Message
		}
		out = d.piece(p, out)
		if reason := string(choice.Finish); reason != "" {
			if _, ok := finishOf(reason); !ok {
				return out, providerFailed(reason, raw)
			}
			d.finish = reason
		}
		out = d.count(choice.Usage, out)
	}
	if !transport.Given(c.Usage) {
		out = d.count(c.Groq.usage, out)
	}
	return d.count(c.Usage, out), nil
}

// thought moves content that is reasoning to where reasoning is, out of the tags
// that Gemini puts around it.
func (d *decoder) thought(c *content, isThought bool) {
	const opening, closing = "<thought>", "</thought>"
	switch {
	case isThought:
		c.thinking, c.text = c.thinking+strings.TrimPrefix(c.text, opening), ""
		d.thinking = true
	case d.thinking && c.text != "":
		c.text = strings.TrimPrefix(c.text, closing)
		d.thinking = false
	}
}

// piece takes what a chunk adds to the message.
func (d *decoder) piece(p *piece, out []providers.Delta) []providers.Delta {
	if p.Extra.Thought || d.thinking {
		d.thought(&p.Content, p.Extra.Thought)
	}
	if p.Content.thinking != "" && p.Reasoning == "" && p.ReasoningContent == "" {
		out = append(out, providers.Delta{Kind: providers.DeltaReasoning, Text: p.Content.thinking})
	}
	if shown := d.reasoning.add(p); shown != "" {
		out = append(out, providers.Delta{Kind: providers.DeltaReasoning, Text: shown})
	}
	if d.tagged {
		d.said.WriteString(p.Content.text)
	}
	if p.Content.text != "" {
		out = append(out, providers.Delta{Kind: providers.DeltaText, Text: p.Content.text})
	}
	if p.Refusal != "" {
		d.refused = true
		out = append(out, providers.Delta{Kind: providers.DeltaText, Text: string(p.Refusal)})
	}
	for i := range p.Calls {
		out = d.calls.add(&p.Calls[i], out)
	}
	if n := len(d.calls.slots); n > 0 && p.Extra.raw != nil && d.calls.slots[n-1].extra == nil {
		out = d.calls.slots[n-1].add(&callPiece{Extra: p.Extra.raw}, out)
	}
	return out
}

// count takes a usage object. Empty ones say nothing, and repeated ones nothing
// new.
func (d *decoder) count(raw json.RawMessage, out []providers.Delta) []providers.Delta {
	if !transport.Given(raw) {
		return out
	}
	u := providers.NormaliseUsage(providers.UsageChat, raw)
	if u == (providers.Usage{}) || u == d.usage {
		return out
	}
	d.usage = u
	return append(out, providers.Delta{Kind: providers.DeltaUsage, Usage: &u})
}

// named gives the content of an event that is called an error the form of other errors.
func named(raw []byte) []byte {
	if !json.Valid(raw) {
		raw, _ = json.Marshal(string(raw)) // a string always has a form
	}
	return slices.Concat([]byte(`{"error":`), raw, []byte{'}'})
}

// blank joins the lines of an event: a line break means between the tokens of JSON what
// a blank does.
func blank(raw []byte) {
	for i := bytes.IndexByte(raw, '\n'); i >= 0; i = bytes.IndexByte(raw, '\n') {
		raw[i] = ' '
	}
}

// Document implements [transport.Decoder]: a whole chat completion, or an error.
func (d *decoder) Document(body []byte, out []providers.Delta) ([]providers.Delta, error) {
	var c chunk
	if err := json.Unmarshal(body, &c); err != nil || len(c.Choices) == 0 && !c.failed() {
		return out, transport.ErrForeign
	}
	out, err := d.chunk(&c, body, out)
	if d.finish == "" {
		d.finish = "stop"
	}
	return out, err
}

// Progress implements [transport.Decoder].
func (d *decoder) Progress() transport.Progress {
	if d.finish != "" {
		return transport.Finished
	}
	return transport.Begun
}

// End implements [transport.Decoder]. A stop with calls is a stop for calls, which
// some servers do not say.
func (d *decoder) End(out []providers.Delta) ([]providers.Delta, error) {
	out = d.calls.flush(out)
	items, err := d.reasoning.items(d.issuer, d.model)
	if err != nil {
		return out, fmt.Errorf("keep reasoning: %w", err)
	}
	if strings.Contains(d.said.String(), "<think>") && len(items) == 0 {
		if items, err = item(d.issuer, d.model, itemTagged, d.said.String()); err != nil {
			return out, err
		}
	}
	if slices.ContainsFunc(d.calls.slots, func(s *slot) bool { return s.extra != nil }) {
		items = append(items, providers.Item{Issuer: d.issuer, Model: d.model, Kind: itemExtras, Raw: json.RawMessage("true")})
	}
	for i := range items {
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: &items[i]})
	}
	finish, _ := finishOf(d.finish)
	switch {
	case d.refused:
		finish = providers.FinishFilter
	case finish == providers.FinishStop && len(d.calls.slots) > 0:
		finish = providers.FinishToolCalls
	}
	return append(out, providers.Delta{Kind: providers.DeltaFinish, Finish: finish}), nil
}

// streamError makes the error that an event states. A numeric code is the HTTP
// status of whoever failed behind the server.
func streamError(raw []byte) error {
	e := fromDetails(providers.ErrorStream, raw)
	if status, err := strconv.Atoi(e.Code); err == nil && status >= 400 && status <= 599 {
		e.Status = status
	}
	if e.Message == "" {
		e.Message = "the provider reported an error without saying which"
	}
	return e
}

// providerFailed makes the error of a finish reason that is a failure.
func providerFailed(reason string, raw []byte) error {
	e := fromDetails(providers.ErrorStream, raw)
	e.Code = reason
	e.Message = fmt.Sprintf("the provider broke the answer off with the reason %q", reason)
	return e
}

func fromDetails(kind providers.ErrorKind, raw []byte) *providers.Error {
	d := transport.DecodeError(raw)
	return &providers.Error{Kind: kind, Code: d.Code, Type: d.Type, Message: d.Message, Body: transport.Clip(raw)}
}
