package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers/catalog"
)

// A model that the user picks, with [App.Pick] or a flag, holds for the
// conversation: its journal says so, and it is taken again on resume. What
// answers otherwise comes from the settings, which are never rewritten.

// flagged tells whether the command line says what answers.
func (a *App) flagged() bool {
	if a.o.Scenario != "" {
		return false // a scenario is played, not picked
	}
	for _, s := range a.o.Config.Settings() {
		switch s.Key.Name {
		case "model.provider", "model.default", "model.base_url":
			if strings.HasPrefix(s.Source, "flag ") {
				return true
			}
		}
	}
	return false
}

// first finds what answers in a new conversation.
func (a *App) first(ctx context.Context) (agent.Runtime, []string, error) {
	rt, notices, err := a.connect(ctx)
	rt.Model.Chosen = a.flagged()
	return rt, notices, err
}

// again finds what answers in a conversation that goes on: what the command line
// says, else the model that was picked for it, else what the settings say.
func (a *App) again(ctx context.Context, was event.Model) (agent.Runtime, []string, error) {
	rt, notices, err := a.answering(ctx, was)
	if was.EffortChosen {
		rt.Model.Effort, rt.Model.EffortChosen = was.Effort, true
	}
	return rt, notices, err
}

// answering is [App.again] but for how much the model is to reason.
func (a *App) answering(ctx context.Context, was event.Model) (agent.Runtime, []string, error) {
	if !was.Chosen || a.flagged() || a.o.Scenario != "" {
		return a.first(ctx)
	}
	rt, err := a.named(ctx, endpoint{was.Provider, was.Host}, was.Name)
	if err == nil {
		rt.Model.Chosen = true
		return rt, nil, nil
	}
	if ctx.Err() != nil {
		return agent.Runtime{}, nil, context.Cause(ctx)
	}
	rt, notices, cerr := a.first(ctx)
	if cerr != nil {
		return agent.Runtime{}, nil, cerr
	}
	why := err.Error()
	if _, none := errors.AsType[*noProviderError](err); none {
		why = "there is no key and no server for it now"
	}
	return rt, append(notices, fmt.Sprintf("%s of %s was picked for this conversation, but %s. %s answers instead; /model picks another.",
		was.Name, was.Provider, why, rt.Model.Name)), nil
}

// endpoint names an endpoint. Host tells custom ones apart; empty is any.
type endpoint struct{ provider, host string }

// in finds the endpoint in a list.
func (e endpoint) in(list []catalog.Candidate) (catalog.Candidate, bool) {
	i := slices.IndexFunc(list, func(c catalog.Candidate) bool {
		return c.Provider == e.provider && (e.host == "" || c.Provider != catalog.Custom || hostOf(c.BaseURL) == e.host)
	})
	if i < 0 {
		return catalog.Candidate{}, false
	}
	return list[i], true
}
