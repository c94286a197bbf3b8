package auxiliary

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// ErrNoEmbedding says that the settings name no model that makes vectors.
var ErrNoEmbedding = errors.New("no model for vectors is set (auxiliary.embedding.model)")

// Embeds reports whether the settings name a model that makes vectors.
func (c *Client) Embeds() bool { return c.o.Tasks[Embedding].Model != "" }

// Embed turns texts into vectors. model is the one that made them: vectors of
// different models cannot be compared. Without a model for it the error is
// [ErrNoEmbedding], otherwise as of [Client.Complete].
func (c *Client) Embed(ctx context.Context, texts []string) (vectors [][]float32, model string, err error) {
	if !c.Embeds() {
		return nil, "", ErrNoEmbedding
	}
	chain := c.chainWithout(Embedding) // which answers, and makes no vectors
	masked := make([]string, len(texts))
	for i, t := range texts {
		masked[i] = c.o.Mask(t)
	}
	err = c.walk(ctx, Embedding, chain, func(s Service) (err error) {
		vectors, err = c.embed(ctx, s, masked)
		model = s.Model
		return err
	})
	return vectors, model, err
}

// embed asks one service once.
func (c *Client) embed(parent context.Context, s Service, texts []string) ([][]float32, error) {
	late := &lateError{}
	ctx, cancel := context.WithTimeoutCause(parent, c.timeout(Embedding), late)
	defer cancel()
	rt, err := c.o.Open(ctx, s)
	if err != nil {
		return nil, outOfTime(ctx, parent, late, err)
	}
	e, ok := providers.As[providers.Embedder](rt.Client)
	if !ok {
		return nil, fmt.Errorf("%s makes no vectors", s)
	}
	if s.ExtraBody != "" {
		var call transport.Call
		if err := json.Unmarshal([]byte(s.ExtraBody), &call.Extra); err != nil {
			return nil, fmt.Errorf("extra_body of %s is no JSON object: %w", s, err)
		}
		ctx = transport.WithCall(ctx, call)
	}
	vectors, usage, err := e.Embed(ctx, s.Model, texts)
	if err != nil {
		return nil, outOfTime(ctx, parent, late, err)
	}
	spent := s
	spent.APIKey, spent.KeyEnv = Service{}.APIKey, ""
	c.o.Spend(Embedding, spent, usage)
	return vectors, nil
}
