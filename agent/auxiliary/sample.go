package auxiliary

import (
	"context"
	"errors"
	"slices"
)

// leastSample is how many tokens an answer may have at least: some models reason first.
const leastSample = 1_000

// Sampling is a prompt of an MCP server for a model.
type Sampling struct {
	System, Prompt string
	// Tokens is about how long the server wants the answer, Most how long it may be; 0 for no
	// bound but the usual one.
	Tokens, Most int
	// Model answers first, where the service of the task is; empty is the usual one. None but
	// Models answer, if they are not empty.
	Model  string
	Models []string
}

// errNoSampler is a prompt that no model may answer.
var errNoSampler = errors.New("no model that it could go to is among those of allowed_models")

// Sample answers a prompt of an MCP server. by names the model that has answered. An error is
// one of [Client.Complete], or says that no model may answer.
func (c *Client) Sample(ctx context.Context, s Sampling) (text, by string, err error) {
	chain := c.chain(MCP)
	if s.Model != "" && len(chain) > 0 {
		first := chain[0]
		first.Model = s.Model
		chain = append([]Service{first}, chain...)
	}
	if len(s.Models) > 0 {
		chain = slices.DeleteFunc(chain, func(o Service) bool { return !slices.Contains(s.Models, o.Model) })
		if len(chain) == 0 {
			return "", "", errNoSampler
		}
	}
	r := request(MCP, c.o.Mask(s.System), c.o.Mask(s.Prompt), nil)
	r.MaxOutput = min(r.MaxOutput, max(s.Tokens, leastSample))
	if s.Most > 0 {
		r.MaxOutput = min(r.MaxOutput, s.Most)
	}
	var a answer
	err = c.walk(ctx, MCP, chain, func(s Service) (err error) {
		a, err = c.attempt(ctx, MCP, s, r, nil)
		return err
	})
	return a.text, a.from.String(), err
}
