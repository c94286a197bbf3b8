package bedrock

import (
	"encoding/json"
	"fmt"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// The events that are used.
const (
	eventStart   = "contentBlockStart"
	eventDelta   = "contentBlockDelta"
	eventClose   = "contentBlockStop"
	eventStop    = "messageStop"
	eventFigures = "metadata"
)

// decoder turns the events of one answer into deltas. Its errors lack the endpoint.
type decoder struct {
	issuer, model string
	prefix        string // of the answer, empty once it is handed out and where nothing is bound

	blocks  map[int]*block
	calls   int
	thought bool // whether reasoning was shown
	layout  layout
	items   int
	stop    string // the reason given, empty before the end marker
	counted bool   // whether what follows the end marker was there
}

// block is a block of the answer that is being streamed.
type block struct {
	kind      slotKind
	call      int
	begun     bool // whether some of its reasoning was shown
	text      strings.Builder
	signature strings.Builder
	redacted  []byte
}

// slotForeign is a block that is in no message.
const slotForeign slotKind = "foreign"

// event is what is used of the payload of any event.
type event struct {
	Index int `json:"contentBlockIndex"`
	Start struct {
		ToolUse *toolStart `json:"toolUse"`
	} `json:"start"`
	Delta      deltaPayload    `json:"delta"`
	StopReason string          `json:"stopReason"`
	Usage      json.RawMessage `json:"usage"`
}

type toolStart struct {
	ID   string `json:"toolUseId"`
	Name string `json:"name"`
	Type string `json:"type"`
}

type deltaPayload struct {
	Text      string          `json:"text"`
	ToolUse   *toolPiece      `json:"toolUse"`
	Reasoning *reasoningPiece `json:"reasoningContent"`
}

type toolPiece struct {
	Input string `json:"input"`
}

type reasoningPiece struct {
	Text      string `json:"text"`
	Signature string `json:"signature"`
	Redacted  []byte `json:"redactedContent"`
}

// Event implements [transport.Decoder].
func (d *decoder) Event(name string, payload []byte, out []providers.Delta) ([]providers.Delta, error) {
	switch name {
	case eventStart, eventDelta, eventClose, eventStop, eventFigures:
	default:
		return out, nil
	}
	var e event
	if err := json.Unmarshal(payload, &e); err != nil {
		return out, transport.Malformed(payload, err)
	}
	switch name {
	case eventStart:
		return d.start(&e, out), nil
	case eventDelta:
		return d.delta(&e, out), nil
	case eventClose:
		return d.close(e.Index, out)
	case eventStop:
		return out, d.ended(e.StopReason)
	}
	d.counted = true
	return count(e.Usage, out), nil
}

// start opens a block of which the protocol says what it is before its content.
func (d *decoder) start(e *event, out []providers.Delta) []providers.Delta {
	use := e.Start.ToolUse
	if use == nil {
		return out
	}
	if use.Type != "" && use.Type != "tool_use" { // the service runs it itself
		d.put(e.Index, &block{kind: slotForeign})
		return out
	}
	b := &block{kind: slotCall, call: d.calls}
	d.calls++
	d.put(e.Index, b)
	d.layout.add(slotCall, "")
	return append(out, providers.Delta{Kind: providers.DeltaCall, Index: b.call, CallID: use.ID, Name: use.Name})
}

func (d *decoder) put(index int, b *block) {
	if d.blocks == nil {
		d.blocks = map[int]*block{}
	}
	d.blocks[index] = b
}

// delta continues a block.
func (d *decoder) delta(e *event, out []providers.Delta) []providers.Delta {
	if text := e.Delta.Text; text != "" {
		d.layout.add(slotText, text)
		out = append(out, providers.Delta{Kind: providers.DeltaText, Text: text})
	}
	if use := e.Delta.ToolUse; use != nil && use.Input != "" {
		if b := d.blocks[e.Index]; b != nil && b.kind == slotCall {
			out = append(out, providers.Delta{Kind: providers.DeltaArguments, Index: b.call, Text: use.Input})
		}
	}
	if e.Delta.Reasoning != nil {
		out = d.reason(e, out)
	}
	return out
}

// reason continues a block of reasoning. A blank line parts it from the one before.
func (d *decoder) reason(e *event, out []providers.Delta) []providers.Delta {
	b := d.blocks[e.Index]
	if b == nil || b.kind != slotReasoning {
		b = &block{kind: slotReasoning}
		d.put(e.Index, b)
		d.layout.add(slotReasoning, "")
	}
	piece := e.Delta.Reasoning
	b.signature.WriteString(piece.Signature)
	b.redacted = append(b.redacted, piece.Redacted...)
	if piece.Text == "" {
		return out
	}
	b.text.WriteString(piece.Text)
	shown := piece.Text
	if !b.begun && d.thought {
		shown = "\n\n" + shown
	}
	b.begun, d.thought = true, true
	return append(out, providers.Delta{Kind: providers.DeltaReasoning, Text: shown})
}

// close ends a block. Reasoning is kept as it came.
func (d *decoder) close(index int, out []providers.Delta) ([]providers.Delta, error) {
	b := d.blocks[index]
	if b == nil || b.kind != slotReasoning {
		return out, nil // the arguments of a call may go on
	}
	delete(d.blocks, index)
	if d.prefix != "" {
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: transport.Own(transport.ItemPrefix, d.issuer, d.model, d.prefix, d.items)})
		d.prefix = ""
	}
	raw := reasoningBlock{Redacted: b.redacted}
	if len(b.redacted) == 0 {
		raw.Text = &reasoningText{Text: b.text.String(), Signature: b.signature.String()}
	}
	return d.item(itemReasoning, raw, out)
}

// item hands out a native item.
func (d *decoder) item(kind string, value any, out []providers.Delta) ([]providers.Delta, error) {
	text, err := transport.Encode(value)
	if err != nil {
		return out, fmt.Errorf("keep the %s: %w", kind, err)
	}
	item := &providers.Item{Issuer: d.issuer, Model: d.model, Kind: kind, At: d.items, Raw: text}
	d.items++
	return append(out, providers.Delta{Kind: providers.DeltaItem, Item: item}), nil
}

// ended takes the end marker.
func (d *decoder) ended(reason string) error {
	if _, ok := finishOf(reason); !ok {
		return providerFailed(reason)
	}
	if reason == "" {
		reason = "end_turn"
	}
	d.stop = reason
	return nil
}

// Progress implements [transport.Decoder].
func (d *decoder) Progress() transport.Progress {
	switch {
	case d.stop == "":
		return transport.Begun
	case d.counted:
		return transport.Complete
	}
	return transport.Finished
}

// count takes usage figures. Those that are all 0 say nothing.
func count(raw json.RawMessage, out []providers.Delta) []providers.Delta {
	u := providers.NormaliseUsage(providers.UsageBedrock, raw)
	if u == (providers.Usage{}) {
		return out
	}
	return append(out, providers.Delta{Kind: providers.DeltaUsage, Usage: &u})
}

// End implements [transport.Decoder]. A stop with calls is a stop for calls, which some
// models do not say.
func (d *decoder) End(out []providers.Delta) ([]providers.Delta, error) {
	var err error
	for _, index := range open(d.blocks) {
		if out, err = d.close(index, out); err != nil {
			return out, err
		}
	}
	if slots := d.layout.slots(); slots != nil {
		if out, err = d.item(itemLayout, slots, out); err != nil {
			return out, err
		}
	}
	finish, _ := finishOf(d.stop)
	if finish == providers.FinishStop && d.calls > 0 {
		finish = providers.FinishToolCalls
	}
	return append(out, providers.Delta{Kind: providers.DeltaFinish, Finish: finish}), nil
}

// finishOf maps a reason to stop, and reports whether it is one of an answer. The
// others say that what the model wrote could not be used. A reason that is not known
// is an ordinary end.
func finishOf(reason string) (f providers.Finish, ok bool) {
	switch reason {
	case "tool_use":
		return providers.FinishToolCalls, true
	case "max_tokens", "model_context_window_exceeded":
		return providers.FinishLength, true
	case "guardrail_intervened", "content_filtered", "refusal":
		return providers.FinishFilter, true
	case "malformed_model_output", "malformed_tool_use":
		return providers.FinishNone, false
	}
	return providers.FinishStop, true
}
