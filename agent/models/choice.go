package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-tui/agent"
	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers/catalog"
)

// A model that the user picks, with [Access.Pick] or a flag, holds for the
// conversation: its journal says so, and it is taken again on resume. What
// answers otherwise comes from the settings, which are never rewritten.

// givenByFlags reports whether the command line says what answers.
func (a *Access) givenByFlags() bool {
	if a.o.Scenario != "" {
		return false // a scenario is played, not picked
	}
	for _, s := range a.settings().Settings() {
		switch s.Key.Name {
		case "model.provider", "model.default", "model.base_url":
			if strings.HasPrefix(s.Source, "flag ") {
				return true
			}
		}
	}
	return false
}

// ForNew finds what answers in a new conversation.
func (a *Access) ForNew(ctx context.Context) (agent.Runtime, []string, error) {
	rt, notices, err := a.connect(ctx)
	rt.Model.Chosen = a.givenByFlags()
	return rt, notices, err
}

// ForResumed finds what answers in a conversation that goes on: what the command line
// says, else the model that was picked for it, else what the settings say.
func (a *Access) ForResumed(ctx context.Context, was event.Model) (agent.Runtime, []string, error) {
	rt, notices, err := a.answering(ctx, was)
	if was.EffortChosen {
		rt.Model.Effort, rt.Model.EffortChosen = was.Effort, true
	}
	return rt, notices, err
}

// answering is [Access.ForResumed] but for how much the model is to reason.
func (a *Access) answering(ctx context.Context, was event.Model) (agent.Runtime, []string, error) {
	if !was.Chosen || a.givenByFlags() || a.o.Scenario != "" {
		return a.ForNew(ctx)
	}
	rt, err := a.named(ctx, endpoint{was.Provider, was.Host}, was.Name)
	if err == nil {
		rt.Model.Chosen = true
		return rt, nil, nil
	}
	if ctx.Err() != nil {
		return agent.Runtime{}, nil, context.Cause(ctx)
	}
	rt, notices, cerr := a.ForNew(ctx)
	if cerr != nil {
		return agent.Runtime{}, nil, cerr
	}
	why := err.Error()
	if _, none := errors.AsType[*noProviderError](err); none {
		why = "there is no key and no server for it now"
	}
	return rt, append(notices, fmt.Sprintf("%s of %s was picked for this session, but %s. %s answers instead; /model picks another.",
		was.Name, was.Provider, why, rt.Model.Name)), nil
}

// Pick connects to what the user picks, from now on: how much the model is to reason
// stays as it is. known is what the endpoint has said of the model, the zero value if
// no one asked.
func (a *Access) Pick(ctx context.Context, now event.Model, to api.Choice, known api.ModelInfo) (agent.Runtime, error) {
	at := endpoint{to.Provider, to.Host}
	if to.Provider == "" {
		at = endpoint{now.Provider, now.Host}
	}
	rt, err := a.named(ctx, at, to.Name)
	if err != nil {
		return rt, err
	}
	rt.Model.Chosen, rt.Model.Effort, rt.Model.EffortChosen = true, now.Effort, now.EffortChosen
	own := a.settings().Model
	if known.Name == to.Name && known.ContextMax > 0 && (own.ContextLength == 0 || own.Default != to.Name) {
		rt.Model.ContextMax = known.ContextMax
	}
	if rt.Model.Vision == "" && known.Name == to.Name {
		rt.Model.Vision = known.Sees
	}
	return rt, nil
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
