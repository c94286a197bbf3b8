package chat

import (
	"context"
	"encoding/json"
	"net/http"

	"hermes-tui/providers"
)

// Embed implements [providers.Embedder].
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, *providers.Usage, error) {
	body, err := json.Marshal(map[string]any{"model": model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, nil, &providers.Error{Kind: providers.ErrorRequest, Message: err.Error(), Cause: err}
	}
	req, data, err := c.fetch(ctx, http.MethodPost, c.base.String()+"/embeddings", body)
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		Data []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage *struct {
			Prompt int64 `json:"prompt_tokens"`
		} `json:"usage"`
	}
	vectors := make([][]float32, len(texts))
	sound := json.Unmarshal(data, &answer) == nil && len(answer.Data) == len(texts)
	for i, d := range answer.Data {
		if d.Index != nil { // they may come in another order
			i = *d.Index
		}
		if sound = sound && i >= 0 && i < len(vectors) && vectors[i] == nil && len(d.Embedding) > 0 && len(d.Embedding) == len(answer.Data[0].Embedding); !sound {
			break
		}
		vectors[i] = d.Embedding
	}
	if !sound {
		return nil, nil, notExpected(req, data, "the endpoint gives no vectors for the texts")
	}
	if answer.Usage == nil {
		return vectors, nil, nil
	}
	return vectors, &providers.Usage{Input: answer.Usage.Prompt}, nil
}
