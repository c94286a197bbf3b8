package bedrock

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"hermes-tui/providers"
	"hermes-tui/providers/schemas"
	"hermes-tui/providers/transport"
)

// betas is the request field that names what a model of Anthropic is to do before
// it is done for everyone.
const betas = "anthropic_beta"

// input makes the request of the SDK.
func (c *Client) input(r providers.Request) (*bedrockruntime.ConverseStreamInput, error) {
	if r.Model == "" {
		return nil, errors.New("no model is named; set the id of a model or of an inference profile")
	}
	can := traitsOf(r.Model)
	in := &bedrockruntime.ConverseStreamInput{ModelId: aws.String(r.Model), GuardrailConfig: c.config.Guardrail.wire()}
	if r.Whole && in.GuardrailConfig != nil {
		in.GuardrailConfig.StreamProcessingMode = "" // of streams only
	}
	tools := r.Tools
	if len(tools) == 0 {
		tools = unavailable(r.Messages)
	}
	var err error
	if !can.plain {
		if in.ToolConfig, err = toolConfig(r.Model, tools); err != nil {
			return nil, err
		}
	}
	if !isBlank(r.System) {
		in.System = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: r.System}}
	}
	h := history{client: c, model: r.Model, can: can, tools: in.ToolConfig != nil}
	if in.Messages, err = h.messages(r.Messages); err != nil {
		return nil, err
	}
	if can.marks && r.CacheFor > 0 {
		mark(in, can.point(r.CacheFor))
	}
	var t thinking
	if can.think != nil {
		t = can.think(r.Effort, r.MaxOutput > 0 && r.MaxOutput < answerRoom)
	}
	if t.budget > 0 && unthought(in.Messages) {
		t = thinking{}
	}
	in.InferenceConfig = inference(r.MaxOutput, t)
	in.AdditionalModelRequestFields, err = fieldsDocument(t.fields)
	return in, err
}

// unthought reports whether the conversation stands at the results of calls that the
// model made without reasoning, or of which the reasoning is lost. Models with a
// budget for thinking refuse to begin with it there.
func unthought(list []types.Message) bool {
	n := len(list)
	if n < 2 {
		return false
	}
	_, results := list[n-1].Content[0].(*types.ContentBlockMemberToolResult)
	_, thought := list[n-2].Content[0].(*types.ContentBlockMemberReasoningContent)
	return results && !thought
}

// wire is a guardrail as the SDK has it, nil for none.
func (g Guardrail) wire() *types.GuardrailStreamConfiguration {
	if g.ID == "" {
		return nil
	}
	return &types.GuardrailStreamConfiguration{
		GuardrailIdentifier: aws.String(g.ID), GuardrailVersion: aws.String(g.Version),
		StreamProcessingMode: types.GuardrailStreamProcessingMode(g.Mode), Trace: types.GuardrailTrace(g.Trace),
	}
}

// inference caps the answer. A budget for thinking is a part of the answer, so that
// the cap must exceed it.
func inference(most int, t thinking) *types.InferenceConfiguration {
	switch {
	case t.uncapped:
		return nil
	case t.budget > 0 && most <= 0:
		most = t.limit
	case t.budget > 0:
		most = max(most, t.budget+answerRoom)
	case most <= 0:
		return nil
	}
	return &types.InferenceConfiguration{MaxTokens: aws.Int32(int32(min(most, math.MaxInt32)))}
}

// fieldsDocument writes the fields for thinking, nil if there are none.
func fieldsDocument(fields map[string]any) (document.Interface, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	raw, err := transport.Encode(fields)
	if err != nil {
		return nil, fmt.Errorf("the additional fields for the model cannot be written as JSON: %w", err)
	}
	return verbatim(raw), nil
}

// unavailable describes the tools that a history calls where a request offers none:
// the protocol takes calls and results only along with tools.
func unavailable(list []providers.Message) []providers.ToolDef {
	var names []string
	for _, m := range list {
		for _, k := range m.Calls {
			names = append(names, valid(k.Name, unnamed))
		}
	}
	slices.Sort(names)
	var tools []providers.ToolDef
	for _, name := range slices.Compact(names) {
		tools = append(tools, providers.ToolDef{Name: name, Description: "Cannot be called now; answer in text."})
	}
	return tools
}

// toolConfig describes the tools, nil for none.
func toolConfig(model string, tools []providers.ToolDef) (*types.ToolConfiguration, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	config := &types.ToolConfiguration{}
	dialect := schemas.Of("", "", model, schemas.Claude)
	for _, t := range tools {
		schema := dialect.For(t.Parameters)
		if !json.Valid(schema) || schema[0] != '{' {
			return nil, fmt.Errorf("the parameters of the tool %s are no JSON object", t.Name)
		}
		spec := types.ToolSpecification{
			Name: aws.String(t.Name), InputSchema: &types.ToolInputSchemaMemberJson{Value: verbatim(schema)},
		}
		if t.Description != "" {
			spec.Description = aws.String(t.Description)
		}
		config.Tools = append(config.Tools, &types.ToolMemberToolSpec{Value: spec})
	}
	return config, nil
}

// raw is a document whose JSON is there already.
type raw struct {
	document.Interface // makes it a document of the SDK
	json               json.RawMessage
}

// MarshalSmithyDocument implements smithy's document.Marshaler.
func (r raw) MarshalSmithyDocument() ([]byte, error) { return r.json, nil }

// verbatim makes a document of valid JSON, which goes out as it is.
func verbatim(text json.RawMessage) document.Interface {
	return raw{document.NewLazyDocument(nil), text}
}
