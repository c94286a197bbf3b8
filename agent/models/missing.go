package models

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"hermes-tui/providers/catalog"
	"hermes-tui/store/config"
)

// Missing is a service that the settings name and that cannot be asked.
type Missing struct {
	Key string // of the settings
	Why string // a sentence, with where the setting stands
	// Beside: it is for subagents or side calls, and no table has its name or
	// it has no address.
	Beside bool
}

// Missing lists the services of the settings that cannot be asked, without asking any.
func (a *Access) Missing() (list []Missing) {
	c := a.settings()
	say := func(key string, err error, beside bool) {
		if err != nil {
			list = append(list, Missing{key, err.Error() + c.Place(key), beside && Nowhere(err)})
		}
	}
	look := func(key string, f config.Fallback, beside bool) {
		if !a.elsewhere(f) {
			return
		}
		_, err := a.candidatesFor(custom(f))
		say(key, err, beside)
	}
	if a.o.Scenario == "" && !Scripted(c.Model.Provider) {
		_, err := a.Candidates()
		say("model.provider", err, false)
	}
	for i, f := range c.Fallbacks {
		look(fmt.Sprintf("fallback_providers.%d.provider", i+1), f, false)
	}
	look("delegation.provider", delegated(c.Delegation), true)
	tasks := c.Auxiliary.Tasks()
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		t := tasks[name]
		look("auxiliary."+name+".provider", config.Fallback{Provider: t.Provider, Model: t.Model, BaseURL: t.BaseURL, APIKey: t.APIKey, KeyEnv: t.KeyEnv}, true)
		for i, f := range t.Fallbacks {
			look(fmt.Sprintf("auxiliary.%s.fallback_chain.%d.provider", name, i+1), f, true)
		}
	}
	return list
}

// StandsIn reports whether the settings name a service, so that the demonstration only
// stands in for it.
func (a *Access) StandsIn() bool {
	c := a.settings().Config
	return configured(c) && !Scripted(c.Model.Provider)
}

// elsewhere reports whether an entry names a service that is not that of the model.
func (a *Access) elsewhere(f config.Fallback) bool {
	p := f.Provider
	return f.BaseURL != "" || p != "" && p != catalog.Auto && !Scripted(p) && p != a.settings().Model.Provider
}

// Nowhere reports whether a service has a name that no table has, or no address.
func Nowhere(err error) bool {
	_, unknown := errors.AsType[*catalog.UnknownProviderError](err)
	_, nowhere := errors.AsType[*catalog.MissingURLError](err)
	return unknown || nowhere
}
