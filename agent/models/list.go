package models

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
)

// Ask asks every endpoint that can be used for its models, all at once. take
// is called on the caller's goroutine: first once for each endpoint, in their
// order, with Asking set, and again for each when its answer is there. Servers on
// this machine that no one has configured appear when they are found. Ask
// returns when everyone has answered or has run out of time, or soon after ctx
// has ended.
func (a *Access) Ask(ctx context.Context, take func(api.ModelGroup)) error {
	return a.ask(ctx, take, a.modelsOf)
}

// Prove is [Access.Ask] that has every endpoint show that it takes its key, too.
func (a *Access) Prove(ctx context.Context, take func(api.ModelGroup)) error {
	return a.ask(ctx, take, a.proved)
}

// Known is [Access.Ask] that asks only those whose list is not known or is old.
func (a *Access) Known(ctx context.Context, take func(api.ModelGroup)) error {
	return a.ask(ctx, take, func(ctx context.Context, c catalog.Candidate) []api.ModelInfo {
		if list, age, ok := a.facts.Get(listKey(c)); ok && age < fresh && !a.borrowed(c) {
			return a.infos(c, list)
		}
		return a.modelsOf(ctx, c)
	})
}

// Remembered lists the models that endpoints have offered before, however long ago, without
// asking any.
func (a *Access) Remembered() (list []api.ModelInfo) {
	all, _ := a.Candidates() // those that can be used
	for _, c := range all {
		if models, _, ok := a.facts.Get(listKey(c)); ok && !a.borrowed(c) {
			list = append(list, a.infos(c, models)...)
		}
	}
	return list
}

// ask is [Access.Ask] with what gives the models of an endpoint.
func (a *Access) ask(ctx context.Context, take func(api.ModelGroup), offers func(context.Context, catalog.Candidate) []api.ModelInfo) error {
	list, err := a.Candidates()
	if len(list) == 0 {
		return err
	}
	played := a.o.Scenario != "" || a.settings().Model.Provider == providerScript // which is no endpoint
	if err != nil && !played {                                                    // what is configured cannot be used: that, and what else there is
		take(api.ModelGroup{At: -1, Provider: a.settings().Model.Provider, Label: "Settings", Problem: err.Error()})
	}
	groups := make([]api.ModelGroup, len(list))
	for i, c := range list {
		c.KeyFrom = a.keyFrom(c)
		list[i], groups[i] = c, groupOf(c)
		groups[i].At = 2 * i
		take(groups[i])
	}
	answers := make(chan api.ModelGroup)
	var asking sync.WaitGroup
	answer := func(g api.ModelGroup, c catalog.Candidate) {
		began := a.o.IDs.Now()
		g = answered(g, c, offers(ctx, c))
		g.Took = a.o.IDs.Now().Sub(began)
		select {
		case answers <- g:
		case <-ctx.Done():
		}
	}
	for i, c := range list {
		asking.Go(func() { answer(groups[i], c) })
	}
	asking.Go(func() {
		for _, f := range a.probe(ctx, true) {
			found := f.Candidate()
			if slices.ContainsFunc(list, func(c catalog.Candidate) bool { return c.BaseURL == found.BaseURL }) {
				continue
			}
			g := groupOf(found)
			g.At = 2*len(list) - 3 // before the last, the demonstration
			asking.Go(func() { answer(g, found) })
		}
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
func groupOf(c catalog.Candidate) api.ModelGroup {
	g := api.ModelGroup{Provider: c.Provider, Host: hostOf(c.BaseURL), Label: c.Label, Key: c.KeyFrom, Asking: true}
	if p, known := catalog.Find(c.Provider); known {
		g.Aliases = p.Aliases
	}
	return g
}

// answered returns the endpoint g with its answer.
func answered(g api.ModelGroup, c catalog.Candidate, list []api.ModelInfo) api.ModelGroup {
	g.Asking = false
	var models []providers.Model
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
		g.Models, models = append(g.Models, m), append(models, providers.Model{ID: m.Name})
	}
	if g.Usual = preferred(c, models); c.Model != "" && slices.ContainsFunc(models, func(m providers.Model) bool { return m.ID == c.Model }) {
		g.Usual = c.Model
	}
	return g
}

// About is what is known of a model without asking anyone.
func (a *Access) About(m event.Model) api.ModelInfo {
	info := a.info(catalog.Candidate{Endpoint: providers.Endpoint{Provider: m.Provider, ContextMax: m.ContextMax}}, providers.Model{ID: m.Name})
	info.Sees = first(m.Vision, info.Sees)
	return info
}

// modelsOf lists what an endpoint offers.
func (a *Access) modelsOf(ctx context.Context, c catalog.Candidate) []api.ModelInfo {
	if c.Protocol == catalog.Demo {
		return []api.ModelInfo{{Provider: c.Provider, Label: "Offline", Name: "demo"}}
	}
	models, err := a.list(ctx, c)
	if err != nil {
		return a.unlisted(ctx, c, err)
	}
	return a.infos(c, models)
}

// proved is [Access.modelsOf] for an endpoint that shows that it takes its key.
func (a *Access) proved(ctx context.Context, c catalog.Candidate) []api.ModelInfo {
	list := a.modelsOf(ctx, c)
	if len(list) > 0 && list[0].Problem != "" {
		return list
	}
	if c.Key == "" {
		c.Key = a.storedKey(c)
	}
	ask, cancel := context.WithTimeoutCause(ctx, askBudget, errSlow)
	defer cancel()
	if err := a.prove(ask, c); err != nil {
		return append([]api.ModelInfo{{Provider: c.Provider, Label: c.Label, Key: c.KeyFrom, Problem: a.sentence(c, err)}}, list...)
	}
	return list
}

// prove has an endpoint show that it takes its key, where the list of its models is there
// for everyone.
func (a *Access) prove(ctx context.Context, c catalog.Candidate) error {
	p, _ := catalog.Find(c.Provider)
	if p.Proof == "" {
		return nil
	}
	_, err := a.transport.GetAs(ctx, c.BaseURL+p.Proof, c.Key, maxModelList)
	return err
}

// infos describes models by name, each once.
func (a *Access) infos(c catalog.Candidate, models []providers.Model) []api.ModelInfo {
	var out []api.ModelInfo
	seen := map[string]bool{}
	for _, m := range models {
		if !seen[m.ID] {
			seen[m.ID] = true
			out = append(out, a.info(c, m))
		}
	}
	slices.SortFunc(out, func(a, b api.ModelInfo) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// unlisted says why an endpoint gives no list, with what it listed the last time, or
// at least the model that is set.
func (a *Access) unlisted(ctx context.Context, c catalog.Candidate, err error) []api.ModelInfo {
	why := a.sentence(c, err)
	models, age, ok := a.facts.Get(listKey(c))
	switch {
	case ok && ctx.Err() == nil:
		why += " What it offered " + ago(age) + " is shown."
	case c.Model != "":
		models = []providers.Model{{ID: c.Model}}
	}
	out := []api.ModelInfo{{Provider: c.Provider, Label: c.Label, Key: c.KeyFrom, Problem: why}}
	return append(out, a.infos(c, models)...)
}

// ago says how long ago something was.
func ago(d time.Duration) string {
	switch n := int(d / (24 * time.Hour)); {
	case d < time.Hour:
		return "within the last hour"
	case d < 2*time.Hour:
		return "an hour ago"
	case n < 1:
		return fmt.Sprintf("%d hours ago", int(d/time.Hour))
	case n == 1:
		return "a day ago"
	default:
		return fmt.Sprintf("%d days ago", n)
	}
}
