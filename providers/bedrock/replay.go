package bedrock

import (
	"encoding/json"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hermes-tui/providers"
)

// The kinds of native items.
const (
	// itemReasoning is a block of reasoning as it stands in a message.
	itemReasoning = "reasoningContent"
	// itemLayout says how the blocks of a message followed each other, a list of
	// [slot]. It is kept where the order is not reasoning, text, calls.
	itemLayout = "layout"
)

// reasoningBlock is a block of reasoning on the wire.
type reasoningBlock struct {
	Text     *reasoningText `json:"reasoningText,omitempty"`
	Redacted []byte         `json:"redactedContent,omitempty"`
}

type reasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitempty"`
}

// wire is the block as the SDK has it, nil for one that cannot be sent back.
func (b reasoningBlock) wire(can traits) types.ContentBlock {
	switch {
	case can.forgetful:
		return nil
	case len(b.Redacted) > 0:
		return &types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberRedactedContent{Value: b.Redacted}}
	case b.Text == nil, b.Text.Signature == "" && (b.Text.Text == "" || !can.unsigned):
		return nil
	}
	text := types.ReasoningTextBlock{Text: aws.String(b.Text.Text)}
	if b.Text.Signature != "" {
		text.Signature = aws.String(b.Text.Signature)
	}
	return &types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberReasoningText{Value: text}}
}

// blanks are what may be cut off around the text of a message that is kept.
const blanks = " \t\r\n"

// slot is the place of a block in a message: reasoning, a call, or the text up to a
// byte, counted without blanks around the whole text.
type slot struct {
	Kind slotKind `json:"kind"`
	End  int      `json:"end,omitempty"`
}

type slotKind string

const (
	slotReasoning slotKind = "reasoning"
	slotText      slotKind = "text"
	slotCall      slotKind = "call"
)

// arrange puts the blocks of a message into their order.
func (h *history) arrange(m providers.Message, calls []types.ContentBlock) []types.ContentBlock {
	thoughts, layout := h.native(m.Native)
	text := m.Text()
	if blocks, ok := follow(layout, thoughts, strings.Trim(text, blanks), calls); ok {
		return blocks
	}
	var blocks []types.ContentBlock
	for _, b := range thoughts {
		if b != nil {
			blocks = append(blocks, b)
		}
	}
	if !isBlank(text) {
		blocks = append(blocks, says(text)...)
	}
	return append(blocks, calls...)
}

// native gives the blocks of reasoning of our own items, nil where one cannot be
// sent back, and the layout.
func (h *history) native(items []providers.Item) (thoughts []types.ContentBlock, layout []slot) {
	for _, item := range items {
		if item.Issuer != h.client.config.Provider || item.Model != h.model {
			continue
		}
		switch item.Kind {
		case itemReasoning:
			var b reasoningBlock
			if json.Unmarshal(item.Raw, &b) != nil {
				b = reasoningBlock{}
			}
			thoughts = append(thoughts, b.wire(h.can))
		case itemLayout:
			if json.Unmarshal(item.Raw, &layout) != nil {
				layout = nil
			}
		}
	}
	return thoughts, layout
}

// follow puts blocks into the places of a layout. It is false where that does not
// fit the message, whose text may have been changed since.
func follow(layout []slot, thoughts []types.ContentBlock, text string, calls []types.ContentBlock) ([]types.ContentBlock, bool) {
	var blocks []types.ContentBlock
	at := 0
	for _, s := range layout {
		switch s.Kind {
		case slotReasoning:
			if len(thoughts) == 0 {
				return nil, false
			}
			if thoughts[0] != nil {
				blocks = append(blocks, thoughts[0])
			}
			thoughts = thoughts[1:]
		case slotCall:
			if len(calls) == 0 {
				return nil, false
			}
			blocks, calls = append(blocks, calls[0]), calls[1:]
		case slotText:
			if s.End < at || s.End > len(text) {
				return nil, false
			}
			if piece := text[at:s.End]; !isBlank(piece) {
				blocks = append(blocks, says(piece)...)
			}
			at = s.End
		}
	}
	return blocks, len(layout) > 0 && len(thoughts) == 0 && len(calls) == 0 && at == len(text)
}
