package bedrock

import (
	"encoding/json"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// wholeAnswer is an answer in one piece.
type wholeAnswer struct {
	Output struct {
		Message struct {
			Content []wholeBlock `json:"content"`
		} `json:"message"`
	} `json:"output"`
	StopReason string          `json:"stopReason"`
	Usage      json.RawMessage `json:"usage"`
}

// wholeBlock is a block of it.
type wholeBlock struct {
	Text    string `json:"text"`
	ToolUse *struct {
		toolStart
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
	Reasoning *reasoningBlock `json:"reasoningContent"`
}

// Document implements [transport.Decoder]: an answer in one piece.
func (d *decoder) Document(body []byte, out []providers.Delta) ([]providers.Delta, error) {
	var a wholeAnswer
	if json.Unmarshal(body, &a) != nil || a.StopReason == "" {
		return out, transport.ErrForeign
	}
	var err error
	for i, b := range a.Output.Message.Content {
		if out, err = d.block(i, b, out); err != nil {
			return out, err
		}
	}
	if err := d.ended(a.StopReason); err != nil {
		return out, err
	}
	return count(a.Usage, out), nil
}

// block decodes a block as if it had come in one piece of a stream.
func (d *decoder) block(index int, b wholeBlock, out []providers.Delta) ([]providers.Delta, error) {
	e := event{Index: index, Delta: deltaPayload{Text: b.Text}}
	if use := b.ToolUse; use != nil {
		e.Start.ToolUse = &use.toolStart
		out = d.start(&e, out)
		e.Delta.ToolUse = &toolPiece{Input: string(use.Input)}
	}
	if r := b.Reasoning; r != nil {
		e.Delta.Reasoning = &reasoningPiece{Redacted: r.Redacted}
		if r.Text != nil {
			e.Delta.Reasoning.Text, e.Delta.Reasoning.Signature = r.Text.Text, r.Text.Signature
		}
	}
	return d.close(index, d.delta(&e, out))
}
