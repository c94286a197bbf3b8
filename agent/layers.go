package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
)

// sight is what the model of an agent got last.
type sight struct {
	system  string
	tools   []providers.ToolDef
	history []providers.Message
	// scale is what the service counts per estimated token.
	scale float64
	// parts are those of system, cache is what the cache gave last, nil if unknown.
	parts []event.PromptPart
	cache *event.CacheReport
}

// seen is what the model got last.
func (a *Agent) seen() sight {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sight
}

// see notes what the model gets of a history.
func (a *Agent) see(req providers.Request, history []providers.Message, scale float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sight.system, a.sight.tools, a.sight.history, a.sight.scale = req.System, req.Tools, slices.Clone(history), scale
}

// note takes over what is known of the prompt and of the cache, where it is given.
func (a *Agent) note(parts []event.PromptPart, cache *event.CacheReport) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if parts != nil {
		a.sight.parts = parts
	}
	if cache != nil {
		a.sight.cache = cache
	}
}

// Layers maps what the root's next request holds, by the newest one and what came
// since. It can be called while a turn runs.
func (c *Conversation) Layers(ctx context.Context) api.Layers {
	s := c.sight(ctx)
	l := c.layersOf(&s)
	l.Pieces = s.scaled(c.tuning.Load().engine.Pieces(s.history))
	ch, err := c.chosen(ctx)
	if err != nil {
		c.report(err)
	}
	l.Pieces = append(l.Pieces, s.scaled(ch.pieces(c.tuning.Load().engine))...)
	return l
}

// sight is what the root's model got last.
func (c *Conversation) sight(ctx context.Context) sight {
	if c.past != nil {
		select {
		case <-c.past.done:
		case <-ctx.Done():
		}
	}
	s := c.root.seen()
	if s.tools == nil {
		s.tools = c.root.tools.Definitions(ctx)
	}
	return s
}

func (c *Conversation) layersOf(s *sight) api.Layers {
	c.mu.Lock()
	rt := c.runtime
	c.mu.Unlock()
	l := api.Layers{Model: rt.Model.Name, Window: rt.Model.ContextMax, List: s.layers()}
	c.complete(&l)
	for _, layer := range l.List {
		l.Tokens += layer.Tokens
	}
	if r := s.cache; r != nil && c.ids.Now().Before(r.Until()) && r.Model == rt.Model.Name {
		l.Warm = min(l.Tokens, int(r.Read+r.Written))
	}
	charge(&l, rt)
	for i := range l.Servers {
		if l.Tokens > 0 {
			l.Servers[i].Cost = event.Money(float64(l.Cost) * float64(l.Servers[i].Tokens) / float64(l.Tokens))
		}
	}
	l.Room = c.tuning.Load().engine.Begins(compress.Window{Max: l.Window, Reserve: rt.MaxOutput})
	if rt.MaxOutput > 0 {
		reply := api.Layer{Kind: api.LayerReserve, Name: "reply", Tokens: rt.MaxOutput}
		reply.Fixed = fixed(&reply)
		l.List = append(l.List, reply)
	}
	return l
}

// charge sets the cost of the request and the share of each layer.
func charge(l *api.Layers, rt Runtime) {
	bill := rt.bill(&providers.Usage{Input: int64(l.Tokens - l.Warm), CacheRead: int64(l.Warm)})
	l.Cost, l.Priced = bill.Cost, bill.Status != event.CostUnknown
	for i := range l.List {
		if l.Tokens > 0 {
			l.List[i].Cost = event.Money(float64(l.Cost) * float64(l.List[i].Tokens) / float64(l.Tokens))
		}
	}
}

// layers lists the parts of the prompt, the tools, the largest first, and the kinds of
// messages in the order in which they first appear.
func (s *sight) layers() []api.Layer {
	list := promptLayers(s.system, s.parts)
	tools := make([]api.Layer, len(s.tools))
	for i, d := range s.tools {
		tools[i] = api.Layer{Kind: api.LayerTool, Name: d.Name, Tokens: compress.ToolSize(d), Text: d.Description + "\n\n" + string(d.Parameters)}
	}
	slices.SortStableFunc(tools, func(a, b api.Layer) int { return cmp.Compare(b.Tokens, a.Tokens) })
	list = append(append(list, tools...), historyLayers(wireCopy(s.history))...)
	for i := range list {
		list[i].Tokens = s.tokens(list[i].Tokens)
	}
	return list
}

// ToolTokens is about how many tokens telling a model of a tool takes.
func ToolTokens(d providers.ToolDef) int { return compress.ToolSize(d) }

// TextTokens is about how many tokens a text takes.
func TextTokens(text string) int { return compress.TextSize(text) }

// promptLayers cuts a prompt into its parts. One whose parts are not known, such as
// another program's, is one.
func promptLayers(system string, parts []event.PromptPart) []api.Layer {
	var list []api.Layer
	rest := system
	for i, p := range parts {
		if i > 0 {
			rest = strings.TrimPrefix(rest, "\n\n")
		}
		if p.Bytes < 0 || p.Bytes > len(rest) {
			rest = "?" // they are those of another prompt
			break
		}
		list = append(list, api.Layer{Kind: api.LayerSystem, Name: p.Name, Tokens: compress.TextSize(rest[:p.Bytes]), Text: rest[:p.Bytes]})
		rest = rest[p.Bytes:]
	}
	switch {
	case system == "":
		return nil
	case rest != "":
		return []api.Layer{{Kind: api.LayerSystem, Name: "prompt", Tokens: compress.TextSize(system), Text: system}}
	}
	return list
}

// historyLayers sums messages up by kind, the results of tools by tool.
func historyLayers(messages []providers.Message) []api.Layer {
	var list []api.Layer
	texts := map[int]*strings.Builder{}
	for i := range messages {
		m := &messages[i]
		name := historyKind(m)
		at := slices.IndexFunc(list, func(l api.Layer) bool { return l.Name == name })
		if at < 0 {
			at = len(list)
			list, texts[at] = append(list, api.Layer{Kind: api.LayerHistory, Name: name}), &strings.Builder{}
		}
		list[at].Items++
		list[at].Tokens += compress.Size(m)
		b := texts[at]
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(m.Text())
		for _, c := range m.Calls {
			b.WriteString("\n" + c.Name + " " + c.Arguments)
		}
	}
	for i := range list {
		list[i].Text = texts[i].String()
	}
	return list
}

func historyKind(m *providers.Message) string {
	switch m.Role {
	case providers.User:
		return "user"
	case providers.Assistant:
		return "answers"
	case providers.Tool:
		return "results of " + cmp.Or(m.CallName, "tools")
	}
	return string(m.Role)
}
