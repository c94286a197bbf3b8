package anthropic

import (
	"encoding/json"

	"hermes-tui/providers"
)

// The types of a request, as far as this client uses them. Members are written in the
// order in which they stand here, which is kept: another order is another prefix for the
// prompt cache.

// params are the body of a request.
type params struct {
	MaxTokens    int             `json:"max_tokens"`
	Messages     []messageParam  `json:"messages"`
	Model        string          `json:"model"`
	OutputConfig *outputConfig   `json:"output_config,omitempty"`
	System       []*blockParam   `json:"system,omitempty"`
	Thinking     *thinkingConfig `json:"thinking,omitempty"`
	Tools        []*toolParam    `json:"tools,omitempty"`
	Stream       bool            `json:"stream"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type thinkingConfig struct {
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
	Type    string `json:"type"`
}

type toolParam struct {
	InputSchema  json.RawMessage `json:"input_schema"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

// messageParam has blocks that are a *[blockParam], or the JSON of one that the service wrote,
// which goes back as it is. One with an effort has none, and changes that.
type messageParam struct {
	Content      []any         `json:"content"`
	Role         string        `json:"role"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

// blockParam is one of the types below; each has members of its own.
type blockParam struct {
	ID           string          `json:"id,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	Name         string          `json:"name,omitempty"`
	Text         string          `json:"text,omitempty"`
	Source       *source         `json:"source,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
	Content      []*blockParam   `json:"content,omitempty"`
	Type         string          `json:"type"`
}

// source is an image.
type source struct {
	Data      []byte `json:"data"` // written in base64
	MediaType string `json:"media_type"`
	Type      string `json:"type"`
}

type cacheControl struct {
	TTL  string `json:"ttl,omitempty"`
	Type string `json:"type"`
}

func textBlock(s string) *blockParam { return &blockParam{Text: s, Type: "text"} }

func imageBlock(i *providers.Image) *blockParam {
	return &blockParam{Source: &source{Data: i.Data, MediaType: i.MediaType, Type: "base64"}, Type: "image"}
}
