package anthropic

import (
	"encoding/json"
	"slices"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
	"hermes-tui/providers/schemas"
	"hermes-tui/providers/transport"
)

// notes are what a request leaves to be kept with its answer.
type notes struct {
	prefix  string          // what the thoughts of the answer will be bound to, empty where they are not
	effort  *providers.Item // what it was asked for, nil where that cannot change within a conversation
	changes bool            // the effort changed within the conversation
}

// body writes the body of a request.
func (c *Client) body(r providers.Request) (body []byte, n notes, err error) {
	a := askOf(r.Model)
	if a.Bound {
		n.prefix = transport.Unbind(&r, c.config.Provider)
	}
	steering := c.steer(a, r)
	n.effort, n.changes = steering.Note, len(steering.Changes) > 0
	p := params{Model: wireModel(r.Model), MaxTokens: c.maxTokens(a, r), Messages: c.messages(r, steering.Changes), Tools: c.tools(r), Stream: !r.Whole}
	if r.System != "" {
		p.System = []*blockParam{textBlock(r.System)}
	}
	if r.CacheFor > 0 && (c.host.native || takesMarks(a)) {
		mark(&p, r.CacheFor)
	}
	think(&p, a, r, c.config.Provider)
	if n.changes {
		p.OutputConfig = configOf(steering.Base)
	}
	body, err = json.Marshal(p)
	return body, n, err
}

// maxTokens is the cap of an answer: what is asked for, within what the model can
// write and its context can hold.
func (c *Client) maxTokens(a models.Ask, r providers.Request) int {
	most := a.Output
	if c.config.ContextMax > 1 {
		most = min(most, c.config.ContextMax-1)
	}
	if r.MaxOutput > 0 {
		most = min(most, r.MaxOutput)
	}
	return most
}

// tools converts the tools. Names are unique on the wire: the first of equal ones
// counts.
func (c *Client) tools(r providers.Request) []*toolParam {
	var out []*toolParam
	seen := make(map[string]bool, len(r.Tools))
	dialect := schemas.Of(c.config.Provider, c.base.Hostname(), r.Model, schemas.Claude)
	for _, d := range r.Tools {
		if seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		out = append(out, &toolParam{Name: d.Name, InputSchema: dialect.For(d.Parameters), Description: d.Description})
	}
	return out
}

// mark sets the cache marks: on the system prompt, or on the tools where there is
// none, and on the last three messages.
func mark(p *params, keep time.Duration) {
	control := &cacheControl{Type: "ephemeral"}
	if keep >= time.Hour {
		control.TTL = "1h"
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = control
	} else if n := len(p.Tools); n > 0 {
		p.Tools[n-1].CacheControl = control
	}
	left := 3
	for _, m := range slices.Backward(p.Messages) {
		if m.OutputConfig == nil && left > 0 {
			markLast(m.Content, control)
			left--
		}
	}
}

// markLast marks the last block that can be. Native blocks stay as they are.
func markLast(blocks []any, control *cacheControl) {
	for i := len(blocks) - 1; i >= 0; i-- {
		if b, own := blocks[i].(*blockParam); own {
			b.CacheControl = control
			return
		}
	}
}
