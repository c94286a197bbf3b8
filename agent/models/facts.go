package models

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/models"
	"hermes-tui/store/modelcache"
)

// fresh is how old a remembered list of models may be before it is asked for again.
const fresh = 24 * time.Hour

// factsBudget is how long a conversation waits for the list of an endpoint whose model
// no one else knows. Then it begins without, and the list is there the next time.
const factsBudget = 300 * time.Millisecond

// openFacts makes what remembers facts about models.
func (a *Access) openFacts() {
	a.facts = modelcache.New(modelcache.Options{
		Lists:  filepath.Join(a.o.Home.Cache(), "models.json"),
		Limits: filepath.Join(a.o.Home.Dir(), "context_length_cache.yaml"), Now: a.o.IDs.Now,
	})
}

// listKey names the list of an endpoint as one account sees it.
func listKey(c catalog.Candidate) modelcache.Key {
	account := c.Key
	if c.Login != "" {
		account = c.KeyFrom // its token changes
	}
	return modelcache.NewKey(c.BaseURL, account)
}

// remember keeps a list for the next time. That it cannot be kept costs time only.
func (a *Access) remember(ctx context.Context, c catalog.Candidate, list []providers.Model) {
	if len(list) == 0 {
		return
	}
	if err := a.facts.Put(ctx, listKey(c), list); err != nil && ctx.Err() == nil {
		a.log.Warn("list of models", "err", err)
	}
}

// listed is what an endpoint lists, for a model that is named already: what is
// remembered, and asked for again in the background when it is old. Only what is known
// of nothing else is waited for, a moment.
func (a *Access) listed(ctx context.Context, c catalog.Candidate, name string) []providers.Model {
	list, age, ok := a.facts.Get(listKey(c))
	_, elsewhere := models.DescribeAt(c.Provider, name)
	switch {
	case ok && age < fresh:
	case ok || elsewhere:
		a.o.Background(func(ctx context.Context) { _, _ = a.list(ctx, c) }) // an endpoint that gives none is as good as before
	default:
		return a.askBriefly(ctx, c)
	}
	return list
}

// askBriefly asks an endpoint for its list and gives it if it comes at once. Otherwise it is
// waited for in the background.
func (a *Access) askBriefly(ctx context.Context, c catalog.Candidate) []providers.Model {
	answer := make(chan []providers.Model, 1)
	a.o.Background(func(ctx context.Context) {
		list, _ := a.list(ctx, c) // an endpoint that gives none tells nothing
		answer <- list
	})
	patience := time.NewTimer(factsBudget)
	defer patience.Stop()
	select {
	case list := <-answer:
		return list
	case <-patience.C:
	case <-ctx.Done():
	}
	return nil
}

// asked is what a server that loads models on demand says of one, if it does so in a
// moment.
func (a *Access) asked(ctx context.Context, client providers.Client, name string) (providers.Model, bool) {
	server, ok := client.(providers.Describer)
	if !ok || !server.LoadsModels() {
		return providers.Model{}, false
	}
	answer := make(chan providers.Model, 1)
	a.o.Background(func(ctx context.Context) {
		if m, err := server.Describe(ctx, name); err == nil { // one that says nothing is as good as before
			answer <- m
		}
	})
	patience := time.NewTimer(factsBudget)
	defer patience.Stop()
	select {
	case m := <-answer:
		return m, true
	case <-patience.C:
	case <-ctx.Done():
	}
	return providers.Model{}, false
}

// leastWindow is the context window in tokens below which work with tools soon fails.
const leastWindow = 64_000

// notes are sentences about a model that answers from now on, each with what mends it.
func notes(rt agent.Runtime) []string {
	list := narrow(rt)
	if but := rt.OtherEffort(); but != "" {
		list = append(list, but)
	}
	return list
}

// narrow is a sentence about a model that a server loads with too little context, which
// a setting mends.
func narrow(rt agent.Runtime) []string {
	server, ok := providers.As[providers.Describer](rt.Client)
	if m := rt.Model; ok && server.TakesWindow() && m.ContextMax > 0 && m.ContextMax < leastWindow {
		return []string{fmt.Sprintf("%s is served with a context window of %d tokens, which work with tools soon fills: set ollama_num_ctx: 65536 below model: in config.yaml", m.Name, m.ContextMax)}
	}
	return nil
}

// describe says what is known of a model: by what the settings say, by what errors
// have taught, by what the endpoint lists, and by what is known of its family.
func (a *Access) describe(c catalog.Candidate, name string, listed []providers.Model) providers.Model {
	family, certain := models.DescribeAt(c.Provider, name)
	m := providers.Model{ID: name}
	if i := slices.IndexFunc(listed, func(o providers.Model) bool { return o.ID == name }); i >= 0 {
		m = listed[i]
	}
	window := 0
	if learnt, ok := a.facts.Limit(name, c.BaseURL); ok {
		window = learnt
	}
	m.ContextMax = first(c.ContextMax, window, m.ContextMax)
	if certain {
		m.ContextMax = first(m.ContextMax, family.ContextMax)
		m.OutputMax = first(m.OutputMax, family.OutputMax)
		m.Vision, m.Tools, m.Reasoning = first(m.Vision, family.Vision), first(m.Tools, family.Tools), first(m.Reasoning, family.Reasoning)
	}
	return m
}

// first is the first of some values that is not the zero value.
func first[T comparable](values ...T) T {
	var none T
	for _, v := range values {
		if v != none {
			return v
		}
	}
	return none
}

// ability tells the front end what is known of an ability.
func ability(a providers.Ability) event.Ability {
	switch a {
	case providers.Yes:
		return event.Yes
	case providers.No:
		return event.No
	}
	return ""
}

// learn takes note of a context window that an error of an endpoint stated.
func (a *Access) learn(c catalog.Candidate, name string, tokens int) {
	a.o.Background(func(ctx context.Context) {
		if err := a.facts.Learn(ctx, name, c.BaseURL, tokens, false); err != nil && ctx.Err() == nil {
			a.log.Warn("context window", "model", name, "err", err)
		}
	})
}

// worked tells that a model answered a prompt of so many tokens, which is what
// confirms a window.
func (a *Access) worked(c catalog.Candidate, name string, prompt int) {
	a.o.Background(func(ctx context.Context) {
		if err := a.facts.Succeeded(ctx, name, c.BaseURL, prompt); err != nil && ctx.Err() == nil {
			a.log.Warn("context window", "model", name, "err", err)
		}
	})
}

// info describes a model for a list.
func (a *Access) info(c catalog.Candidate, m providers.Model) api.ModelInfo {
	m = a.describe(c, m.ID, []providers.Model{m})
	out := api.ModelInfo{
		Provider: c.Provider, Label: c.Label, Name: m.ID, ContextMax: m.ContextMax, OutputMax: m.OutputMax,
		Sees: ability(m.Vision), Reasons: ability(m.Reasoning), Calls: ability(m.Tools), Key: c.KeyFrom,
	}
	if rates, ok := a.rates(c, m); ok {
		out.Price = &rates
	}
	return out
}
