package models

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/failure"
	"hermes-tui/providers/script"
	"hermes-tui/store/config"
)

// providerScript plays a scenario file, or the demonstration without one.
const providerScript = "script"

// offlineBadge says that a service was not heard yet, until it answers.
const offlineBadge = "offline — tried when you send"

// demoBadge says what the demonstration is, for as long as it answers.
const demoBadge = "demo model — scripted, offline"

// Scripted reports whether a provider is a scenario or the demonstration.
func Scripted(provider string) bool { return provider == catalog.DemoID || provider == providerScript }

// IsDemo reports whether a model is the built-in demonstration.
func IsDemo(m event.Model) bool { return m.Provider == catalog.DemoID }

// askBudget is how long an endpoint may take to list its models.
const askBudget = 3 * time.Second

// errSlow is why an endpoint that takes longer is given up.
var errSlow = fmt.Errorf("it did not answer within %v", askBudget)

// connect finds what answers: what is configured, else the first that works of
// a key in the environment, a local server, a key whose service could not be heard, the
// demonstration. notices are sentences about what was passed over.
func (a *Access) connect(ctx context.Context) (rt agent.Runtime, notices []string, err error) {
	if a.o.Scenario != "" || a.settings().Model.Provider == providerScript {
		rt, err := a.scripted()
		return rt, nil, err
	}
	list, err := a.Candidates()
	if err != nil {
		return a.instead(ctx, err)
	}
	if list[0].Protocol == catalog.Demo && configured(a.settings().Config) {
		rt, err := a.scripted()
		return rt, nil, err
	}
	if configured(a.settings().Config) {
		rt, err := a.runtime(ctx, list[0], true)
		return rt, notes(rt), err
	}
	var unheard []catalog.Candidate
	for _, c := range list {
		if c.Protocol == catalog.Demo {
			break
		}
		if a.borrowed(c) {
			continue
		}
		rt, err := a.runtime(ctx, c, false)
		if err == nil {
			return rt, notices, nil
		}
		if ctx.Err() != nil {
			return agent.Runtime{}, nil, context.Cause(ctx)
		}
		if f := failure.Classify(err, failure.Context{}); c.Key != "" && (f.Retryable || errors.Is(err, errSlow)) {
			unheard = append(unheard, c)
		}
		notices = append(notices, fmt.Sprintf("%s was passed over: %s", c.Label, a.sentence(c, err)))
	}
	if found := a.probe(ctx, false); len(found) > 0 {
		rt, err := a.runtime(ctx, found[0].Candidate(), false)
		return rt, append(notices, notes(rt)...), err
	}
	for _, c := range unheard {
		if rt, err := a.unheard(ctx, c); err == nil {
			return rt, []string{fmt.Sprintf("%s could not be reached just now: it is tried when you send.", c.Label)}, nil
		}
	}
	if a.o.Unattended { // whose answer would be taken for a model's
		return agent.Runtime{}, nil, &NoModelError{Config: a.o.Home.Config(), Passed: notices}
	}
	rt, err = a.scripted()
	return rt, notices, err
}

// instead connects to the first of the user's fallbacks that can be used where the service of
// the settings cannot. On the screen the demonstration stands in for a service that no
// table has, or whose key is missing, until the user has chosen.
func (a *Access) instead(ctx context.Context, why error) (agent.Runtime, []string, error) {
	if a.givenByFlags() || ctx.Err() != nil {
		return agent.Runtime{}, nil, why
	}
	why = fmt.Errorf("%w%s", why, a.settings().Place("model.provider"))
	notices := []string{why.Error()}
	for i, f := range a.settings().Fallbacks {
		rt, err := a.fallback(ctx, f)
		if err == nil {
			return rt, append(notices, fmt.Sprintf("%s of fallback_providers answers in its place.", rt.Model.Name)), nil
		}
		notices = append(notices, err.Error()+a.settings().Place(fmt.Sprintf("fallback_providers.%d.provider", i+1)))
	}
	_, keyless := errors.AsType[*catalog.MissingKeyError](why)
	if a.o.Unattended || !keyless && !Nowhere(why) {
		return agent.Runtime{}, notices, why
	}
	rt, err := a.scripted()
	return rt, append(notices, "The demonstration stands in for it: choose a model with /model, or with /setup where a key is missing."), err
}

// unheard connects to a service that did not say which models it has.
func (a *Access) unheard(ctx context.Context, c catalog.Candidate) (agent.Runtime, error) {
	if c.Model == "" {
		list, _, _ := a.facts.Get(listKey(c))
		if len(list) == 0 {
			list = named(c)
		}
		if c.Model = preferred(c, list); c.Model == "" {
			return agent.Runtime{}, errSlow
		}
	}
	rt, err := a.runtime(ctx, c, true)
	rt.Offline, rt.Model.Badge = true, offlineBadge
	return rt, err
}

// NoModelError says that nothing is there that could answer.
type NoModelError struct {
	// Config is the file of the settings.
	Config string
	// Passed are sentences about services that were tried.
	Passed []string
}

// Error is one sentence with the next step, after those about what was tried.
func (e *NoModelError) Error() string {
	return strings.Join(append(slices.Clone(e.Passed), fmt.Sprintf("no model is configured: set a key such as OPENROUTER_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY, "+
		"start a model server on this machine, or name a model in %s (--provider demo plays the demonstration)", e.Config)), "\n")
}

// configured reports whether the user chose where the model is.
func configured(c config.Config) bool {
	return c.Model.Provider != "" && c.Model.Provider != catalog.Auto || c.Model.BaseURL != ""
}

// Candidates lists the endpoints that can be used.
func (a *Access) Candidates() ([]catalog.Candidate, error) {
	layers := a.settings().ModelLayers()
	c := catalog.Config{}
	for i, m := range layers {
		l := a.layer(m)
		if l.Yields = i == len(layers)-1; !l.Yields {
			l.Where = "--base-url" // no variable names an address
		}
		c.Layers = append(c.Layers, l)
	}
	list, err := a.choose(c)
	return a.resolved(list, err, "model.api_key")
}

// candidatesFor lists the endpoints that can be used when f is what is configured; the
// one it names is the first.
func (a *Access) candidatesFor(f config.Fallback) ([]catalog.Candidate, error) {
	list, err := a.choose(catalog.Config{Layers: []catalog.Layer{{Endpoint: providers.Endpoint{
		Provider: f.Provider, Model: f.Model, BaseURL: f.BaseURL, Key: f.APIKey.Reveal(), KeyEnv: f.KeyEnv, Extra: f.ExtraBody,
	}}}})
	return a.resolved(list, err, "api_key")
}

// layer is what settings say about the model service.
func (a *Access) layer(m config.Model) catalog.Layer {
	return catalog.Layer{Endpoint: providers.Endpoint{
		Provider: m.Provider, BaseURL: m.BaseURL, Key: m.APIKey.Reveal(), KeyEnv: m.KeyEnv, Model: m.Default, Protocol: providers.Protocol(m.Protocol),
		Extra: m.ExtraBody, Window: m.OllamaNumCtx, Headers: reveal(m.DefaultHeaders), ContextMax: m.ContextLength, OutputMax: m.MaxTokens,
	}}
}

// resolved is a list of endpoints, or what is missing of the key of the first when it
// refers to a variable.
func (a *Access) resolved(list []catalog.Candidate, err error, setting string) ([]catalog.Candidate, error) {
	if err != nil {
		return list, err
	}
	name, missing := config.Unresolved(list[0].Key)
	if !missing {
		return list, nil
	}
	return nil, &config.Error{
		Kind: config.KindValue, File: a.o.Home.Config(), Key: setting,
		Problem: fmt.Sprintf("refers to ${%s}, which is not set: set it in the environment or in %s", name, a.o.Home.Env()),
	}
}

// choose lists the endpoints that can be used, with those of the settings and the
// keys and logins that are kept elsewhere.
func (a *Access) choose(c catalog.Config) ([]catalog.Candidate, error) {
	c.Providers, c.Stored, c.Retired = map[string]providers.Endpoint{}, a.stored, a.retired
	for name, p := range a.settings().Providers {
		e := providers.Endpoint{BaseURL: p.BaseURL, KeyEnv: p.KeyEnv, Model: p.Default, Headers: reveal(p.Headers), Protocol: providers.Protocol(p.Protocol), Extra: p.ExtraBody}
		if _, missing := config.Unresolved(p.APIKey.Reveal()); !missing {
			e.Key = p.APIKey.Reveal()
		}
		c.Providers[name] = e
	}
	a.loggedIn(context.Background(), &c)
	return catalog.Choose(c, a.env)
}

func reveal(headers map[string]config.Secret) map[string]string {
	out := make(map[string]string, len(headers))
	for k, v := range headers {
		out[k] = v.Reveal()
	}
	return out
}

// probe looks for model servers on this machine, for all or the first that answers.
func (a *Access) probe(ctx context.Context, all bool) []catalog.Found {
	if !a.settings().Probe.LocalServers {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.settings().Probe.Timeout.Duration())
	defer cancel()
	return catalog.Probe(ctx, all, a.fetch, a.env)
}

// maxModelList bounds the answer of a local server, in bytes.
const maxModelList = 4 << 20

func (a *Access) fetch(ctx context.Context, url string) ([]byte, error) {
	return a.transport.Get(ctx, url, maxModelList)
}

// runtime connects to an endpoint. An endpoint that the user did not choose
// must answer before it is taken; for one they chose, a missing answer only
// leaves the model's name to the catalogue.
func (a *Access) runtime(ctx context.Context, c catalog.Candidate, chosen bool) (agent.Runtime, error) {
	var models []providers.Model
	if !chosen || c.Model == "" {
		var err error
		models, err = a.list(ctx, c)
		if err != nil && (!chosen || len(c.Models) == 0) {
			return agent.Runtime{}, err
		}
	}
	name := c.Model
	if name == "" {
		name = preferred(c, models)
	}
	if name == "" {
		return agent.Runtime{}, fmt.Errorf("%s offers no model: name one with model.default in %s or with --model", c.Label, a.o.Home.Config())
	}
	client, err := a.client(c, name)
	if err != nil {
		return agent.Runtime{}, err
	}
	if models == nil {
		models = a.listed(ctx, c, name)
	}
	if m, ok := a.asked(ctx, client, name); ok {
		models = []providers.Model{m}
	}
	facts := a.describe(c, name, models)
	keys := a.keyringOf(c, name)
	if keys != nil && c.KeyFrom == "" {
		c.KeyFrom = keys.from()
	}
	marks, kept := a.cacheFor(c, client, name)
	rt := agent.Runtime{
		Client: client, Account: accountOf(c), KeyFrom: c.KeyFrom, KeyPage: c.KeyPage, Login: loginFor(c), CacheFor: marks, MaxOutput: c.OutputMax, Ceiling: facts.OutputMax, Model: a.model(c, facts), Stale: a.stale(c.BaseURL), Local: local(c.BaseURL), Longest: a.settings().Network.RequestTimeout.Duration(), Reset: a.transport.CloseIdle,
		Price: a.price(c, facts), Dearer: a.dearer(c, facts),
		Learnt: func(tokens int) { a.learn(c, name, tokens) }, Worked: func(prompt int) { a.worked(c, name, prompt) },
	}
	rt.Model.CacheSeconds = int(kept / time.Second)
	if keys != nil {
		rt.Keys = keys
	}
	return rt, nil
}

// preferred is the model to take of those an endpoint offers.
func preferred(c catalog.Candidate, models []providers.Model) string {
	ids := make([]string, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	if name := catalog.Match(c.Models, ids); name != "" {
		return name
	}
	if len(ids) > 0 {
		return ids[0]
	}
	if len(c.Models) > 0 {
		return c.Models[0]
	}
	return ""
}

// model describes a model of an endpoint.
func (a *Access) model(c catalog.Candidate, m providers.Model) event.Model {
	return event.Model{
		Provider: c.Provider, Name: m.ID, Host: hostOf(c.BaseURL), BaseURL: c.BaseURL, ContextMax: m.ContextMax, Effort: a.settings().Agent.ReasoningEffort,
		Vision: ability(m.Vision),
	}
}

// accountOf stands for the credential and the address of an endpoint.
func accountOf(c catalog.Candidate) string {
	sum := sha256.Sum256([]byte(c.BaseURL + "\x00" + cmp.Or(c.Key, c.KeyFrom)))
	return string(sum[:])
}

// hostOf is where a base URL leads.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}

// scripted plays a scenario or the demonstration.
func (a *Access) scripted() (agent.Runtime, error) {
	if a.o.Scenario == "" {
		speed := 1.0
		if a.o.Unattended { // no one sees the words come
			speed = 0
		}
		return agent.Runtime{
			Client: script.Demo(script.DemoOptions{Speed: speed}), Price: free,
			Model: event.Model{Provider: catalog.DemoID, Name: "demo", Badge: demoBadge},
		}, nil
	}
	s, err := script.Load(a.o.Scenario)
	if err != nil {
		return agent.Runtime{}, err
	}
	client, err := script.New(s, script.Options{})
	if err != nil {
		return agent.Runtime{}, err
	}
	return agent.Runtime{
		Client: client, Price: free,
		Model: event.Model{Provider: providerScript, Name: s.Name, Badge: "scenario — scripted, offline"},
	}, nil
}

// sentence says why an endpoint cannot be used.
func (a *Access) sentence(c catalog.Candidate, err error) string {
	if _, ok := errors.AsType[*providers.Error](err); !ok {
		return err.Error()
	}
	f := failure.Classify(err, failure.Context{Provider: c.Label, Model: c.Model, KeyFrom: c.KeyFrom, KeyPage: c.KeyPage, Login: loginFor(c)})
	return f.Sentence()
}

// named connects to a model of an endpoint.
func (a *Access) named(ctx context.Context, at endpoint, name string) (agent.Runtime, error) {
	return a.namedWith(ctx, at, name, "")
}

// namedWith is [Access.named] with fields of its own in every request, if there are any.
func (a *Access) namedWith(ctx context.Context, at endpoint, name, extra string) (agent.Runtime, error) {
	if at.provider == catalog.DemoID {
		return a.scripted()
	}
	// That another endpoint is configured and cannot be used does not matter here.
	list, _ := a.Candidates()
	c, ok := at.in(list)
	if !ok {
		found := a.probe(ctx, true)
		i := slices.IndexFunc(found, func(f catalog.Found) bool { return f.Server.ID == at.provider })
		if i < 0 {
			return agent.Runtime{}, &noProviderError{at.provider}
		}
		c = found[i].Candidate()
	}
	c.Model, c.Extra = name, cmp.Or(extra, c.Extra)
	if c.Model != a.settings().Model.Default {
		c.ContextMax = 0 // it was configured for another model
	}
	return a.runtime(ctx, c, true)
}

// noProviderError is an endpoint that cannot be used.
type noProviderError struct{ name string }

func (e *noProviderError) Error() string {
	return fmt.Sprintf("there is no provider %q with a key or a running server: see /model for those there are", e.name)
}

// loginFor is the command that logs in where a service knows accounts, empty where it
// knows keys only.
func loginFor(c catalog.Candidate) string {
	if c.Auth == catalog.ByLogin {
		return "hermes-tui login " + c.Provider
	}
	return ""
}
