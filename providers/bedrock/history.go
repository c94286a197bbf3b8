package bedrock

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// What stands in for content where the protocol insists on some: it refuses text
// that is empty or blank, and conversations that do not begin and end with the
// user.
const (
	nothingSaid    = "(empty)"
	nothingPrinted = "(no output)"
	earlier        = "(earlier messages are left out)"
	goOn           = "(continue)"
)

// history converts the messages of one request.
type history struct {
	client *Client
	model  string
	can    traits
	// tools reports whether the request describes tools. Without that, for models that
	// take none, calls and their results are told as text.
	tools bool

	wire  map[string]string // our call ids to those on the wire
	taken map[string]bool
	out   []types.Message
}

// messages converts a history. Neighbours of one role become one message.
func (h *history) messages(list []providers.Message) ([]types.Message, error) {
	h.wire, h.taken = map[string]string{}, map[string]bool{}
	for _, m := range list {
		switch m.Role {
		case providers.User:
			blocks, err := parts(m.Parts)
			if err != nil {
				return nil, err
			}
			h.add(types.ConversationRoleUser, blocks)
		case providers.Assistant:
			h.add(types.ConversationRoleAssistant, h.assistant(m))
		case providers.Tool:
			block, err := h.result(m)
			if err != nil {
				return nil, err
			}
			h.add(types.ConversationRoleUser, []types.ContentBlock{block})
		}
	}
	return h.closed(), nil
}

// add appends content to the conversation.
func (h *history) add(role types.ConversationRole, blocks []types.ContentBlock) {
	if last := len(h.out) - 1; last >= 0 && h.out[last].Role == role {
		h.out[last].Content = append(h.out[last].Content, blocks...)
		return
	}
	h.out = append(h.out, types.Message{Role: role, Content: blocks})
}

// closed gives the conversation the beginning, the end and the content that it must
// have.
func (h *history) closed() []types.Message {
	for i := range h.out {
		if len(h.out[i].Content) == 0 {
			h.out[i].Content = says(nothingSaid)
		}
	}
	switch {
	case len(h.out) == 0:
		return []types.Message{{Role: types.ConversationRoleUser, Content: says(nothingSaid)}}
	case h.out[0].Role != types.ConversationRoleUser:
		h.out = append([]types.Message{{Role: types.ConversationRoleUser, Content: says(earlier)}}, h.out...)
	}
	if h.out[len(h.out)-1].Role != types.ConversationRoleUser {
		h.add(types.ConversationRoleUser, says(goOn))
	}
	return h.out
}

// says is content that is one text.
func says(text string) []types.ContentBlock {
	return []types.ContentBlock{&types.ContentBlockMemberText{Value: text}}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// parts converts texts and images.
func parts(list []providers.Part) ([]types.ContentBlock, error) {
	var blocks []types.ContentBlock
	for _, p := range list {
		switch {
		case p.Image != nil:
			image, err := imageOf(p.Image)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, &types.ContentBlockMemberImage{Value: image})
		case !isBlank(p.Text):
			blocks = append(blocks, says(p.Text)...)
		}
	}
	return blocks, nil
}

// imageOf converts an image.
func imageOf(i *providers.Image) (types.ImageBlock, error) {
	format := types.ImageFormat(strings.TrimPrefix(i.MediaType, "image/"))
	switch format {
	case types.ImageFormatPng, types.ImageFormatJpeg, types.ImageFormatGif, types.ImageFormatWebp:
	default:
		return types.ImageBlock{}, fmt.Errorf("images of the type %q cannot be sent to Amazon Bedrock; use PNG, JPEG, GIF or WebP", i.MediaType)
	}
	if len(i.Data) == 0 {
		return types.ImageBlock{}, errors.New("an image in the session is empty; attach it again")
	}
	return types.ImageBlock{Format: format, Source: &types.ImageSourceMemberBytes{Value: i.Data}}, nil
}

// assistant converts a message of the model.
func (h *history) assistant(m providers.Message) []types.ContentBlock {
	var calls []types.ContentBlock
	for _, k := range m.Calls {
		calls = append(calls, h.call(k))
	}
	blocks := h.arrange(m, calls)
	for _, b := range blocks {
		if _, thought := b.(*types.ContentBlockMemberReasoningContent); !thought {
			return blocks
		}
	}
	// Reasoning alone counts as an answer to be continued, which not all models do.
	return append(blocks, says(nothingSaid)...)
}

// call converts a call and notes its id.
func (h *history) call(k providers.Call) types.ContentBlock {
	if !h.tools {
		return &types.ContentBlockMemberText{Value: fmt.Sprintf("[called the tool %s with %s]", k.Name, orEmpty(k.Arguments, "{}"))}
	}
	id := h.id(k)
	h.wire[k.ID] = id
	return &types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{
		ToolUseId: aws.String(id), Name: aws.String(valid(k.Name, unnamed)), Input: verbatim(arguments(k.Arguments)),
	}}
}

// result converts the result of a call.
func (h *history) result(m providers.Message) (types.ContentBlock, error) {
	blocks, err := parts(m.Parts)
	if err != nil {
		return nil, err
	}
	if !h.tools {
		text := orEmpty(m.Text(), nothingPrinted)
		return &types.ContentBlockMemberText{Value: fmt.Sprintf("[result of the tool %s]\n%s", m.CallName, text)}, nil
	}
	id, ok := h.wire[m.CallID]
	if !ok {
		id = valid(m.CallID, "call")
	}
	result := types.ToolResultBlock{ToolUseId: aws.String(id)}
	for _, b := range blocks {
		switch b := b.(type) {
		case *types.ContentBlockMemberText:
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberText{Value: b.Value})
		case *types.ContentBlockMemberImage:
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberImage{Value: b.Value})
		}
	}
	if len(result.Content) == 0 {
		result.Content = []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: nothingPrinted}}
	}
	return &types.ContentBlockMemberToolResult{Value: result}, nil
}

func orEmpty(text, otherwise string) string {
	if isBlank(text) {
		return otherwise
	}
	return text
}

// id gives a call an id that no other call of the request has.
func (h *history) id(k providers.Call) string {
	id := valid(k.WireID, "")
	if id == "" || h.taken[id] {
		id = valid(k.ID, "call")
	}
	for n := 2; h.taken[id]; n++ {
		suffix := "_" + strconv.Itoa(n)
		id = id[:min(len(id), longestName-len(suffix))] + suffix
	}
	h.taken[id] = true
	return id
}

// unnamed stands in for the name of a tool where a model gave none.
const unnamed = "unnamed"

// longestName is how long ids and names of tools may be.
const longestName = 64

// valid makes an id or a name of what the protocol allows in one.
func valid(s, otherwise string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return otherwise
	}
	return s[:min(len(s), longestName)]
}

// arguments gives the arguments of a call as an object. What is none is passed on
// as a text, so that the model sees what it wrote.
func arguments(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" {
		return json.RawMessage("{}")
	}
	if text[0] == '{' && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	object, err := transport.Encode(map[string]string{"invalid_arguments": text})
	if err != nil { // cannot happen with a text
		return json.RawMessage("{}")
	}
	return object
}
