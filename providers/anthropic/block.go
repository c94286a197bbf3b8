package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// block is a part of an answer: a text, a call, or something native.
type block struct {
	kind   string
	number int // of a call
	fields map[string]json.RawMessage

	grown     strings.Builder // text, thinking or arguments
	signature strings.Builder
}

// start is the part of a block's beginning that is handed out.
type start struct {
	Type     text            `json:"type"`
	ID       text            `json:"id"`
	Name     text            `json:"name"`
	Text     text            `json:"text"`
	Thinking text            `json:"thinking"`
	Input    json.RawMessage `json:"input"`
}

// open begins a block.
func (d *decoder) open(index int, raw json.RawMessage, event []byte, out []providers.Delta) ([]providers.Delta, error) {
	var s start
	if err := json.Unmarshal(raw, &s); err != nil {
		return out, transport.Malformed(event, err)
	}
	if d.blocks[index] != nil {
		return out, transport.Malformed(event, fmt.Errorf("block %d is open already", index))
	}
	b := &block{kind: string(s.Type)}
	switch b.kind {
	case "text":
		out = d.say(b, string(s.Text), out)
	case "tool_use":
		b.number = d.calls
		d.calls++
		out = append(out, providers.Delta{Kind: providers.DeltaCall, Index: b.number, CallID: string(s.ID), Name: string(s.Name)})
		b.fields = map[string]json.RawMessage{"input": s.Input}
	default:
		if err := json.Unmarshal(raw, &b.fields); err != nil {
			return out, transport.Malformed(event, err)
		}
		if b.kind == "thinking" {
			out = b.think(string(s.Thinking), out)
		}
	}
	if d.blocks == nil {
		d.blocks = map[int]*block{}
	}
	d.blocks[index] = b
	return out, nil
}

// grow adds a piece that came in the usual form.
func (d *decoder) grow(g growth, out []providers.Delta) ([]providers.Delta, error) {
	b := d.blocks[g.index]
	switch {
	case b == nil || g.text == "":
		return d.add(g.index, g.piece(), nil, out)
	case g.kind == "text":
		return d.say(b, g.text, out), nil
	case g.kind == "thinking":
		return b.think(g.text, out), nil
	}
	return b.argue(g.text, out), nil
}

// piece gives the piece in the form that all others have.
func (g growth) piece() *piece {
	p := &piece{}
	switch g.kind {
	case "text":
		p.Text = text(g.text)
	case "thinking":
		p.Thinking = text(g.text)
	default:
		p.JSON = text(g.text)
	}
	return p
}

// add adds a piece to a block. Text needs no beginning.
func (d *decoder) add(index int, p *piece, event []byte, out []providers.Delta) ([]providers.Delta, error) {
	b := d.blocks[index]
	if b == nil {
		if p.Text == "" {
			if p.JSON == "" && p.Thinking == "" && p.Signature == "" {
				return out, nil // of a kind that is not known
			}
			return out, transport.Malformed(event, fmt.Errorf("block %d was not begun", index))
		}
		var err error
		if out, err = d.open(index, json.RawMessage(`{"type":"text"}`), event, out); err != nil {
			return out, err
		}
		b = d.blocks[index]
	}
	switch {
	case p.Text != "":
		out = d.say(b, string(p.Text), out)
	case p.Thinking != "":
		out = b.think(string(p.Thinking), out)
	case p.Signature != "":
		b.signature.WriteString(string(p.Signature))
	case p.JSON != "":
		out = b.argue(string(p.JSON), out)
	}
	return out, nil
}

// say hands out text.
func (d *decoder) say(b *block, text string, out []providers.Delta) []providers.Delta {
	if text == "" || b.kind != "text" {
		return out
	}
	b.grown.WriteString(text)
	d.said = true
	return append(out, providers.Delta{Kind: providers.DeltaText, Text: text})
}

// think hands out reasoning.
func (b *block) think(text string, out []providers.Delta) []providers.Delta {
	if text == "" || b.kind != "thinking" {
		return out
	}
	b.grown.WriteString(text)
	return append(out, providers.Delta{Kind: providers.DeltaReasoning, Text: text})
}

// argue hands out arguments; those of calls that the server runs itself are kept.
func (b *block) argue(text string, out []providers.Delta) []providers.Delta {
	if b.kind == "text" || b.kind == "thinking" {
		return out
	}
	b.grown.WriteString(text)
	if b.kind != "tool_use" {
		return out
	}
	return append(out, providers.Delta{Kind: providers.DeltaArguments, Index: b.number, Text: text})
}

// stop ends a block. One that is not open ends nothing.
func (d *decoder) stop(index int, out []providers.Delta) ([]providers.Delta, error) {
	b := d.blocks[index]
	if b == nil {
		return out, nil
	}
	delete(d.blocks, index)
	switch b.kind {
	case "text":
		d.layout.say(b.grown.String())
		return out, nil
	case "tool_use":
		d.layout.call()
		if input := b.fields["input"]; b.grown.Len() == 0 && transport.Given(input) {
			out = append(out, providers.Delta{Kind: providers.DeltaArguments, Index: b.number, Text: string(input)})
		}
		return out, nil
	}
	item, err := b.item()
	if err != nil {
		return out, fmt.Errorf("keep a block of the provider: %w", err)
	}
	item.Issuer, item.Model, item.At = d.issuer, d.model, d.layout.blocks
	d.layout.blocks++
	if d.notes.prefix != "" {
		out = append(out, providers.Delta{Kind: providers.DeltaItem, Item: transport.Own(transport.ItemPrefix, d.issuer, d.model, d.notes.prefix, item.At)})
		d.notes.prefix = ""
	}
	return append(out, providers.Delta{Kind: providers.DeltaItem, Item: item}), nil
}

// item makes the native item of a block: its beginning with what it grew by.
func (b *block) item() (*providers.Item, error) {
	set := func(key, value string) error {
		raw, err := json.Marshal(value)
		b.fields[key] = raw
		return err
	}
	var err error
	switch {
	case b.kind == "thinking":
		err = set("thinking", b.grown.String())
		if b.signature.Len() > 0 {
			err = errors.Join(err, set("signature", b.signature.String()))
		}
	case b.grown.Len() > 0:
		if input := json.RawMessage(b.grown.String()); json.Valid(input) {
			b.fields["input"] = input
		}
	}
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(b.fields)
	if err != nil {
		return nil, err
	}
	return &providers.Item{Kind: b.kind, Raw: raw}, nil
}

// sorted lists the numbers of blocks in order.
func sorted(blocks map[int]*block) []int { return slices.Sorted(maps.Keys(blocks)) }
