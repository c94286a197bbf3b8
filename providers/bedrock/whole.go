package bedrock

import (
	"encoding/json"
	"io"

	"hermes-tui/providers"
)

// wholeLimit bounds an answer in one piece, in bytes.
const wholeLimit = 32 << 20

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

// document reads an answer in one piece, and gives io.EOF for one.
func (s *stream) document() error {
	body, err := io.ReadAll(io.LimitReader(s.frames.src, wholeLimit))
	if len(body) == 0 && err != nil {
		return err
	}
	var a wholeAnswer
	if json.Unmarshal(body, &a) != nil || a.StopReason == "" {
		return stranger(body)
	}
	for i, b := range a.Output.Message.Content {
		if s.queue, err = s.decoder.block(i, b, s.queue); err != nil {
			return err
		}
	}
	if err := s.decoder.ended(a.StopReason); err != nil {
		return err
	}
	s.queue = count(a.Usage, s.queue)
	return s.complete()
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
