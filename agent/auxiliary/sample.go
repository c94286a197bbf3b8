package auxiliary

import "context"

// leastSample is how many tokens an answer may have at least: some models reason first.
const leastSample = 1_000

// Sample answers a prompt of an MCP server, with at most about so many tokens. by names the
// model that has answered. An error is one of [Client.Complete].
func (c *Client) Sample(ctx context.Context, system, prompt string, tokens int) (text, by string, err error) {
	r := request(MCP, c.o.Mask(system), c.o.Mask(prompt), nil)
	r.MaxOutput = min(r.MaxOutput, max(tokens, leastSample))
	var a answer
	err = c.walk(ctx, MCP, c.chain(MCP), func(s Service) (err error) {
		a, err = c.attempt(ctx, MCP, s, r, nil)
		return err
	})
	return a.text, a.from.String(), err
}
