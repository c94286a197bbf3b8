package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"hermes-tui/providers"
	"hermes-tui/providers/models"
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
	p := params{Model: wireModel(r.Model), MaxTokens: c.maxTokens(a, r), Messages: c.messages(r, steering.Changes), Tools: tools(r.Tools), Stream: !r.Whole}
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
func tools(defs []providers.ToolDef) []*toolParam {
	var out []*toolParam
	seen := make(map[string]bool, len(defs))
	for _, d := range defs {
		if seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		out = append(out, &toolParam{Name: d.Name, InputSchema: schema(d.Parameters), Description: d.Description})
	}
	return out
}

// schema makes a schema that the protocol takes: an object, without choices at
// its top and without null as a choice anywhere. One that is so already stays
// as it is.
func schema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var top map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&top); err != nil || top == nil {
		return raw // said with the request, which cannot be written
	}
	changed := top["type"] != "object"
	top["type"] = "object"
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if _, ok := top[key]; ok {
			delete(top, key)
			changed = true
		}
	}
	if !plain(top) && !changed {
		return raw
	}
	out, err := json.Marshal(top)
	if err != nil {
		return raw
	}
	return out
}

// plain takes null out of the choices of a schema and of all below it, in place,
// and reports whether there was any.
func plain(s map[string]any) bool {
	changed := plainType(s)
	for _, key := range []string{"anyOf", "oneOf"} {
		changed = plainChoice(s, key) || changed
	}
	for key, v := range s {
		switch key {
		case "properties", "patternProperties", "$defs", "definitions":
			named, _ := v.(map[string]any)
			for _, inner := range named {
				changed = plainAny(inner) || changed
			}
		case "items", "additionalProperties", "not", "prefixItems", "anyOf", "oneOf", "allOf":
			changed = plainAny(v) || changed
		}
	}
	return changed
}

// plainAny is plain for a schema or a list of them.
func plainAny(v any) bool {
	changed := false
	switch v := v.(type) {
	case map[string]any:
		changed = plain(v)
	case []any:
		for _, inner := range v {
			changed = plainAny(inner) || changed
		}
	}
	return changed
}

// plainType makes one type of ["x", "null"].
func plainType(s map[string]any) bool {
	list, ok := s["type"].([]any)
	if !ok || len(list) != 2 {
		return false
	}
	for i, t := range list {
		if t == "null" {
			s["type"] = list[1-i]
			return true
		}
	}
	return false
}

// plainChoice takes null out of a choice; what is left alone takes the place of
// the choice, unless both say something of the same.
func plainChoice(s map[string]any, key string) bool {
	list, ok := s[key].([]any)
	if !ok {
		return false
	}
	var rest []any
	for _, v := range list {
		if m, ok := v.(map[string]any); ok && m["type"] == "null" {
			continue
		}
		rest = append(rest, v)
	}
	if len(rest) == len(list) || len(rest) == 0 {
		return false
	}
	s[key] = rest
	only, ok := rest[0].(map[string]any)
	if !ok || len(rest) > 1 {
		return true
	}
	delete(s, key)
	for k, v := range only {
		if _, taken := s[k]; !taken {
			s[k] = v
		}
	}
	return true
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
