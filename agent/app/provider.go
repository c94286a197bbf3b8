package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/agent/remember"
	"hermes-tui/store/config"
	"hermes-tui/tools"
)

// notes are what this program remembers itself, as a [remember.Provider] of one
// conversation. What is said needs no telling: it is in the store that they look through.
type notes struct{ c *conversation }

var _ remember.Provider = notes{}

// Name implements [remember.Provider].
func (notes) Name() string { return "memory" }

// Block implements [remember.Provider].
func (n notes) Block(context.Context, remember.Session) (string, error) {
	if n.c.memory == nil {
		return "", nil
	}
	return n.c.memory.Block(), nil
}

// Prefetch implements [remember.Provider].
func (n notes) Prefetch(ctx context.Context, s remember.Session, q remember.Query) (string, error) {
	return n.c.app.recall.Show(ctx, n.c.recollected(ctx, s, q.Text), q.Chars, q.Sent), nil
}

// Available implements [remember.Provider].
func (notes) Available(context.Context) error { return nil }

// Begin implements [remember.Provider]. The tools are those of this program.
func (notes) Begin(context.Context, remember.Session) ([]remember.Tool, error) { return nil, nil }

// Compressing implements [remember.Provider]. What is left out stays in the store.
func (notes) Compressing(context.Context, remember.Session, []remember.Message) (string, error) {
	return "", nil
}

// Call implements [remember.Provider].
func (notes) Call(context.Context, remember.Session, string, json.RawMessage) (string, error) {
	return "", errors.New("there is no such tool")
}

// Tell implements [remember.Provider].
func (notes) Tell(remember.Session, remember.Event, func(error)) {}

// Close implements [remember.Provider].
func (notes) Close(context.Context) {}

// The names of providers in the settings; empty is the first.
const (
	providerBuiltin = "builtin"
	providerCommand = "command"
	providerMCP     = "mcp"
)

// unknownProvider says that the settings name a provider that there is not, empty for none.
func (a *App) unknownProvider() string {
	switch name := a.config().Memory.Provider; name {
	case "", providerBuiltin, providerCommand:
		return ""
	case providerMCP:
		if server := a.config().Memory.Server; !a.config().MCPServers[server].Enabled {
			return "The memory provider is mcp, but memory.provider_server names no server of mcp_servers that is switched on: the notes of this program remember alone."
		}
		return ""
	default:
		return "The memory provider " + name + " of memory.provider is not known: the notes of this program remember alone."
	}
}

// memoryProviders are the programs and servers that remember: that of the settings, last, and
// those of settings before.
type memoryProviders struct {
	mu   sync.Mutex
	from config.Memory // that the last one was made of
	list []remember.Provider
}

// now gives the provider that the settings name, nil for none but the notes.
func (m *memoryProviders) now(a *App) remember.Provider {
	o := a.config().Memory
	if o.Provider != providerCommand && o.Provider != providerMCP || a.unknownProvider() != "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.from.Provider == o.Provider && slices.Equal(m.from.Command, o.Command) && m.from.Server == o.Server && m.from.Tools == o.Tools
	if len(m.list) > 0 && same {
		return m.list[len(m.list)-1]
	}
	m.from = o
	p := remember.Provider(remember.NewCommand(remember.CommandOptions{
		Start: bind.ProviderCommand(a.place, a.ownEnviron, o.Command, a.o.Home.Dir()), Scan: scanMemory,
	}))
	if o.Provider == providerMCP {
		p = remember.NewServer(remember.ServerOptions{
			Scan: scanMemory, Tools: map[string]string{
				remember.VerbAvailable: o.Tools.Available, remember.VerbInitialize: o.Tools.Initialize, remember.VerbBlock: o.Tools.Block, remember.VerbPrefetch: o.Tools.Prefetch,
				remember.VerbQueue: o.Tools.Queue, remember.VerbTurn: o.Tools.Turn, remember.VerbSync: o.Tools.Sync, remember.VerbWrote: o.Tools.Write, remember.VerbSwitch: o.Tools.Switch,
				remember.VerbCompress: o.Tools.Compress, remember.VerbDelegation: o.Tools.Delegation, remember.VerbEnd: o.Tools.End,
			},
			Call: func(ctx context.Context, tool string, args map[string]any) (string, error) {
				a.syncMCP()
				return a.mcp.servers.Ask(ctx, o.Server, tool, args)
			},
		})
	}
	m.list = append(m.list, p)
	return p
}

// close ends them all, together.
func (m *memoryProviders) close(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range m.list {
		all.Go(func() { p.Close(ctx) })
	}
	all.Wait()
}

// remembering are the providers of a conversation: its own notes first.
func (a *App) remembering(c *conversation) []remember.Provider {
	list := []remember.Provider{notes{c}}
	if p := a.providers.now(a); p != nil {
		list = append(list, p)
	}
	return list
}

// remembered says which conversation it is, to providers.
func (c *conversation) remembered() remember.Session {
	return remember.Session{ID: string(c.Session()), Project: c.Project(), Context: remember.Primary}
}

// Project implements [Conversation].
func (c *conversation) Project() string {
	if c.remote != nil {
		return c.about
	}
	return c.app.rootOf(c.dir)
}

// tellMemory says what went wrong with a provider. What is no problem for the user is not
// said.
func (c *conversation) tellMemory(err error) {
	if p, ok := errors.AsType[*remember.Problem](err); ok {
		c.app.log.Warn("memory", "err", err)
		c.later(func() { c.Notify(event.LevelWarn, p.Error()) })
	}
}

// layerOf is what a provider has in the system prompt. What comes from outside is fenced.
func (c *conversation) layerOf(p remember.Provider) prompt.Layer {
	_, own := p.(notes)
	return prompt.Layer{Name: p.Name(), Subagents: true, Text: func(ctx context.Context, subagent bool, _ event.Model) (string, error) {
		of := c.remembered()
		if subagent {
			of.Context = remember.Subagent
		}
		if !own {
			c.memoryBegun(ctx)
		}
		text, err := p.Block(ctx, of)
		if err != nil {
			c.tellMemory(err)
			return "", nil
		}
		if text == "" || own {
			return text, nil
		}
		return tools.Fence(text, "the memory provider", c.app.o.IDs.Mark()), nil
	}}
}

// prefetch gives what providers have that fits a message. They share the budget, and are
// asked at the same time.
func (c *conversation) prefetch(ctx context.Context, message string, sent func(string) bool) []tools.Attached {
	chars := c.cfg.Memory.PrefetchChars
	asked := slices.Clone(c.providers)
	if !c.side.Embeds() && (len(asked) > 1 || c.app.o.Unattended) {
		asked = asked[1:] // the notes find by words only: the user has something better, or says the same again and again
	}
	if chars == 0 || len(asked) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, prefetchTime)
	defer cancel()
	c.memoryBegun(ctx)
	texts, errs := make([]string, len(asked)), make([]error, len(asked))
	var all sync.WaitGroup
	for i, p := range asked {
		all.Go(func() {
			texts[i], errs[i] = p.Prefetch(ctx, c.remembered(), remember.Query{Text: message, Chars: chars / len(asked), Sent: sent})
		})
	}
	all.Wait()
	var list []tools.Attached
	for i, text := range texts {
		c.tellMemory(errs[i])
		if strings.TrimSpace(text) == "" {
			continue
		}
		name, source := "recall", "earlier sessions"
		if _, own := asked[i].(notes); !own {
			name, source = asked[i].Name(), "the memory provider"
		}
		list = append(list, tools.Attached{Name: name, Text: tools.Fence(text, source, c.app.o.IDs.Mark())})
	}
	return list
}

// syncMemory tells providers of a turn that is over.
func (c *conversation) syncMemory(said, answer string) {
	c.tellProviders(remember.Event{Verb: remember.VerbSync, User: said, Answer: answer})
	c.tellProviders(remember.Event{Verb: remember.VerbQueue, Query: said})
}

// wroteMemory tells providers of a write.
func (c *conversation) wroteMemory(target, diff string) {
	c.tellProviders(remember.Event{Verb: remember.VerbWrote, Target: target, Diff: diff})
}

// delegated tells providers of a subagent that has ended.
func (c *conversation) delegated(task, result string) {
	c.tellProviders(remember.Event{Verb: remember.VerbDelegation, Task: task, Result: result})
}

// endMemory tells providers that the conversation ends.
func (c *conversation) endMemory() error {
	c.tellProviders(remember.Event{Verb: remember.VerbEnd})
	return nil
}
