package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/prompt"
	"hermes-tui/agent/remember"
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
func (n notes) Prefetch(ctx context.Context, s remember.Session, message string, chars int) (string, error) {
	if !n.c.side.Embeds() {
		return "", nil
	}
	if n.c.told == nil {
		n.c.told = map[string]bool{}
	}
	return n.c.app.recall.Recollect(ctx, message, s.ID, chars, n.c.told, n.c.side.Embed), nil
}

// Sync implements [remember.Provider].
func (notes) Sync(remember.Session, remember.Turn, func(error)) {}

// Wrote implements [remember.Provider].
func (notes) Wrote(remember.Session, remember.Write, func(error)) {}

// End implements [remember.Provider].
func (notes) End(remember.Session) {}

// Close implements [remember.Provider].
func (notes) Close(context.Context) {}

// The names of providers in the settings; empty is the first.
const (
	providerBuiltin = "builtin"
	providerCommand = "command"
)

// unknownProvider says that the settings name a provider that there is not, empty for none.
func (a *App) unknownProvider() string {
	switch name := a.o.Config.Memory.Provider; name {
	case "", providerBuiltin, providerCommand:
		return ""
	default:
		return "The memory provider " + name + " of memory.provider is not known: the notes of this program remember alone."
	}
}

// memoryCommands are the programs that remember: that of the settings, last, and those of
// settings before.
type memoryCommands struct {
	mu   sync.Mutex
	argv []string
	list []remember.Provider
}

// now gives the program that the settings name, nil for none.
func (m *memoryCommands) now(a *App) remember.Provider {
	o := a.o.Config.Memory
	if o.Provider != providerCommand {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == 0 || !slices.Equal(m.argv, o.Command) {
		m.argv = slices.Clone(o.Command)
		m.list = append(m.list, remember.NewCommand(remember.CommandOptions{
			Start: bind.ProviderCommand(a.place, a.o.Environ, m.argv, a.o.Home.Dir()), Scan: scanMemory,
		}))
	}
	return m.list[len(m.list)-1]
}

// close ends them all, together.
func (m *memoryCommands) close(ctx context.Context) {
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
	if p := a.commands.now(a); p != nil {
		list = append(list, p)
	}
	return list
}

// remembered says which conversation it is, to providers.
func (c *conversation) remembered() remember.Session {
	return remember.Session{ID: string(c.Session()), Project: c.project()}
}

// project names what the conversation is about, as entries of memory do.
func (c *conversation) project() string {
	if c.remote != nil {
		return c.place.Info().Target + ":" + c.dir
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
	return prompt.Layer{Name: p.Name(), Subagents: true, Text: func(ctx context.Context, _ bool, _ event.Model) (string, error) {
		text, err := p.Block(ctx, c.remembered())
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
func (c *conversation) prefetch(ctx context.Context, message string) []tools.Attached {
	chars := c.app.o.Config.Memory.PrefetchChars
	asked := slices.Clone(c.providers)
	if !c.side.Embeds() {
		asked = asked[1:] // the notes find by meaning only
	}
	if chars == 0 || len(asked) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, prefetchTime)
	defer cancel()
	texts, errs := make([]string, len(asked)), make([]error, len(asked))
	var all sync.WaitGroup
	for i, p := range asked {
		all.Go(func() { texts[i], errs[i] = p.Prefetch(ctx, c.remembered(), message, chars/len(asked)) })
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
	for _, p := range c.providers {
		p.Sync(c.remembered(), remember.Turn{User: said, Answer: answer}, c.tellMemory)
	}
}

// wroteMemory tells providers of a write.
func (c *conversation) wroteMemory(target, diff string) {
	for _, p := range c.providers {
		p.Wrote(c.remembered(), remember.Write{Target: target, Diff: diff}, c.tellMemory)
	}
}

// endMemory tells providers that the conversation ends.
func (c *conversation) endMemory() error {
	for _, p := range c.providers {
		p.End(c.remembered())
	}
	return nil
}
