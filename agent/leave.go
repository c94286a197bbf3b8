package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/agent/compress"
	"hermes-tui/agent/event"
	"hermes-tui/agent/journal"
	"hermes-tui/providers"
	"hermes-tui/tools"
)

// ErrNoLayer says that what was named cannot be left out, or is not left out.
var ErrNoLayer = errors.New("that cannot be left out: look at /context again")

// kindServer begins the ids of servers, whose tools are left out together.
const kindServer = "server"

// keeps says why a part of the prompt cannot be left out, by its name.
var keeps = map[string]string{
	"identity":     "It says who the agent is: SOUL.md in the home changes it.",
	"rules":        "The program relies on what it says.",
	"guidance":     "It is about the tools, and goes with them.",
	"environment":  "It says where the agent works.",
	"instructions": "They are those of the folder: /trust no leaves them out.",
	"date":         "It says the day and which model answers, by which the prompt is known again.",
	"prompt":       "Its parts are not known: another program has written it.",
}

// fixed returns why a layer cannot be left out, empty if it can.
func fixed(l *api.Layer) string {
	switch l.Kind {
	case api.LayerSystem:
		return keeps[l.Name]
	case api.LayerHistory:
		return "Parts of the history are dropped one by one, below."
	case api.LayerReserve:
		return "It is the room for the reply: model.max_tokens."
	}
	return ""
}

// LeftOut reports whether a tool is left out by some ids of layers.
func LeftOut(ids []string, t tools.Tool) bool {
	return slices.Contains(ids, layerID(api.LayerTool, t.Name)) || t.Deferred != "" && slices.Contains(ids, layerID(kindServer, t.Deferred))
}

// PartLeftOut reports whether a part of the prompt is.
func PartLeftOut(ids []string, name string) bool {
	return slices.Contains(ids, layerID(api.LayerSystem, name))
}

func layerID(kind api.LayerKind, name string) string { return string(kind) + ":" + name }

// Leave leaves layers out of what the model gets, from the next request on and for the rest
// of the session, or brings them back. They are named by the ids of [Layers]. It waits while
// a turn runs. The error is [ErrNoLayer], or of the store.
func (c *Conversation) Leave(ctx context.Context, out bool, ids ...string) error {
	return c.chore(ctx, func(t *turn) error {
		now := c.leaves()
		var changed, names []string
		for _, id := range ids {
			_, name, ok := strings.Cut(id, ":")
			if ok && slices.Contains(now, id) != out && (!out || c.leavable(ctx, id)) {
				changed, names = append(changed, id), append(names, name)
			}
		}
		if len(changed) == 0 {
			return ErrNoLayer
		}
		text := "Left out for the rest of the session: %s. /context brings it back."
		if !out {
			text = "Back in what the model gets: %s."
		}
		next := slices.DeleteFunc(append(slices.Clone(now), changed...), func(id string) bool { return !out && slices.Contains(changed, id) })
		err := c.com.Commit(&journal.Batch{Agent: t.Agent.id, Session: t.session, Events: []event.Event{
			&event.LayersLeft{Left: next},
			&event.NoticeRaised{Block: c.ids.Block(), Level: event.LevelInfo, Text: fmt.Sprintf(text, strings.Join(names, ", "))},
		}})
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.left = next
		c.mu.Unlock()
		if c.leaving != nil {
			c.leaving(next)
		}
		t.measure(ctx)
		return nil
	})
}

// leaves are the ids of what is left out.
func (c *Conversation) leaves() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left
}

// leavable reports whether an id is that of something that can be left out.
func (c *Conversation) leavable(ctx context.Context, id string) bool {
	l := c.Layers(ctx)
	return slices.ContainsFunc(l.List, func(l api.Layer) bool { return l.ID == id && l.Fixed == "" }) ||
		slices.ContainsFunc(l.Servers, func(s api.Server) bool { return s.ID == id })
}

// complete adds to a map: the ids of layers and why they stay, what tools of servers come to,
// and what is left out, which is in the prompt until the next turn.
func (c *Conversation) complete(l *api.Layers) {
	left := c.leaves()
	for _, id := range left {
		kind, name, _ := strings.Cut(id, ":")
		out := api.Layer{Kind: api.LayerKind(kind), ID: id, Name: name, Left: true}
		if t, ok := c.root.tools.Registered(name); ok && out.Kind == api.LayerTool {
			out.Tokens = compress.ToolSize(providers.ToolDef{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
		}
		l.Left = append(l.Left, out)
	}
	l.List = slices.DeleteFunc(l.List, func(layer api.Layer) bool { return slices.Contains(left, layerID(layer.Kind, layer.Name)) })
	for i := range l.List {
		layer := &l.List[i]
		layer.ID, layer.Fixed = layerID(layer.Kind, layer.Name), fixed(layer)
		t, ok := c.root.tools.Registered(layer.Name)
		if layer.Kind != api.LayerTool || !ok || t.Deferred == "" {
			continue
		}
		layer.Server = t.Deferred
		at := slices.IndexFunc(l.Servers, func(s api.Server) bool { return s.Name == t.Deferred })
		if at < 0 {
			at, l.Servers = len(l.Servers), append(l.Servers, api.Server{ID: layerID(kindServer, t.Deferred), Name: t.Deferred})
		}
		s := &l.Servers[at]
		s.Tools, s.Tokens = s.Tools+1, s.Tokens+layer.Tokens
	}
	slices.SortStableFunc(l.List, func(a, b api.Layer) int { // the tools of a server stand together
		if a.Kind != api.LayerTool || b.Kind != api.LayerTool {
			return 0
		}
		return cmp.Compare(a.Server, b.Server)
	})
}

// LeavePrice says what [Conversation.Leave] would do to the next requests. Tools and prompt
// stand before all else, so that nothing of the cache is left.
func (c *Conversation) LeavePrice(ctx context.Context, ids ...string) api.Change {
	l := c.Layers(ctx)
	less := 0
	for _, layer := range l.List {
		if slices.Contains(ids, layer.ID) || layer.Server != "" && slices.Contains(ids, layerID(kindServer, layer.Server)) {
			less += layer.Tokens
		}
	}
	for _, layer := range l.Left {
		if slices.Contains(ids, layer.ID) {
			less -= layer.Tokens
		}
	}
	return change(&l, c.Runtime(), less, 0)
}

// change returns what it does to the next requests when the model gets less tokens fewer;
// ahead stand before the change.
func change(l *api.Layers, rt Runtime, less, ahead int) api.Change {
	ch := api.Change{Tokens: less, Now: l.Cost, Priced: l.Priced}
	after := max(l.Tokens-less, 0)
	warm := min(l.Warm, max(ahead, 0))
	ch.Cold = max(min(l.Warm, after)-warm, 0)
	ch.Next = rt.bill(&providers.Usage{Input: int64(after - warm), CacheRead: int64(warm)}).Cost
	if ch.Later = rt.bill(&providers.Usage{CacheRead: int64(max(less, -less))}).Cost; less < 0 {
		ch.Later = -ch.Later
	}
	return ch
}
