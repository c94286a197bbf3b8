package app

import (
	"context"
	"slices"
	"sync"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
)

// ModelGroup is what one endpoint offers.
type ModelGroup struct {
	// At is its place among the others, the one to begin with first.
	At int
	// Provider and Host name the endpoint, for [Choice]; Label is for people, Aliases
	// are other names that people know the provider by.
	Provider, Host, Label string
	Aliases               []string
	// Key says where the credential comes from, as in [ModelInfo].
	Key string
	// Asking says that the endpoint has not answered yet.
	Asking bool
	// Problem says in a sentence why its models could not be listed. There may be
	// models all the same: those of the settings.
	Problem string
	Models  []ModelInfo
}

// AskModels asks every endpoint that can be used for its models, all at once. take
// is called on the caller's goroutine: first once for each endpoint, in their
// order, with Asking set, and again for each when its answer is there. A server on
// this machine that nobody has configured appears when it is found. AskModels
// returns when everybody has answered or has run out of time, or soon after ctx
// has ended.
func (a *App) AskModels(ctx context.Context, take func(ModelGroup)) error {
	list, err := a.candidates()
	if len(list) == 0 {
		return err
	}
	played := a.o.Scenario != "" || a.o.Config.Model.Provider == providerScript // which is no endpoint
	if err != nil && !played {                                                  // what is configured cannot be used: that, and what else there is
		take(ModelGroup{At: -1, Provider: a.o.Config.Model.Provider, Label: "Settings", Problem: err.Error()})
	}
	groups := make([]ModelGroup, len(list))
	for i, c := range list {
		groups[i] = groupOf(c)
		groups[i].At = 2 * i
		take(groups[i])
	}
	answers := make(chan ModelGroup)
	var asking sync.WaitGroup
	answer := func(g ModelGroup, c catalog.Candidate) {
		g = g.answered(a.modelsOf(ctx, c))
		select {
		case answers <- g:
		case <-ctx.Done():
		}
	}
	for i, c := range list {
		asking.Go(func() { answer(groups[i], c) })
	}
	asking.Go(func() {
		found, ok := a.probe(ctx)
		if !ok || slices.ContainsFunc(list, func(c catalog.Candidate) bool { return c.BaseURL == found.Candidate().BaseURL }) {
			return
		}
		g := groupOf(found.Candidate())
		g.At = 2*len(list) - 3 // before the last, the demonstration
		answer(g, found.Candidate())
	})
	go func() {
		asking.Wait()
		close(answers)
	}()
	for g := range answers {
		if ctx.Err() == nil { // else it was cut short, and its problem is none
			take(g)
		}
	}
	return context.Cause(ctx)
}

// groupOf is an endpoint that has not answered yet.
func groupOf(c catalog.Candidate) ModelGroup {
	g := ModelGroup{Provider: c.Provider, Host: hostOf(c.BaseURL), Label: c.Label, Key: c.KeyFrom, Asking: true}
	if p, known := catalog.Find(c.Provider); known {
		g.Aliases = p.Aliases
	}
	return g
}

// answered is the endpoint with its answer.
func (g ModelGroup) answered(list []ModelInfo) ModelGroup {
	g.Asking = false
	for _, m := range list {
		if g.Key == "" {
			g.Key = m.Key
		}
		if m.Label != "" {
			g.Label = m.Label
		}
		if m.Name == "" {
			g.Problem = m.Problem
			continue
		}
		g.Models = append(g.Models, m)
	}
	return g
}

// About is what is known of a model without asking anybody.
func (a *App) About(m event.Model) ModelInfo {
	info := a.info(catalog.Candidate{Endpoint: providers.Endpoint{Provider: m.Provider, ContextMax: m.ContextMax}}, providers.Model{ID: m.Name})
	info.Sees = first(m.Vision, info.Sees)
	return info
}

// Choice names a model of an endpoint. An empty provider is the endpoint that
// answers now; an empty host is any of that provider.
type Choice struct{ Provider, Host, Name string }

// Pick changes what answers in a conversation, from its next turn on and whenever
// it is resumed. How much the model is to reason stays as it is. known is what the
// endpoint has said of the model, the zero value if nobody asked.
func (a *App) Pick(ctx context.Context, id event.ConvID, to Choice, known ModelInfo) error {
	a.mu.Lock()
	c := a.open[id]
	a.mu.Unlock()
	if c == nil {
		return agent.ErrClosed
	}
	now := c.Runtime().Model
	at := endpoint{to.Provider, to.Host}
	if to.Provider == "" {
		at = endpoint{now.Provider, now.Host}
	}
	rt, err := a.named(ctx, at, to.Name)
	if err != nil {
		return err
	}
	rt.Model.Chosen, rt.Model.Effort, rt.Model.EffortChosen = true, now.Effort, now.EffortChosen
	own := a.o.Config.Model
	if known.Name == to.Name && known.ContextMax > 0 && (own.ContextLength == 0 || own.Default != to.Name) {
		rt.Model.ContextMax = known.ContextMax
	}
	if rt.Model.Vision == "" && known.Name == to.Name {
		rt.Model.Vision = known.Sees
	}
	return c.SetRuntime(rt)
}
