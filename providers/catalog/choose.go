package catalog

import (
	"maps"
	"slices"
	"strings"

	"hermes-tui/providers"
)

// openAIBase is the variable by which most tools are pointed at another endpoint.
const openAIBase = "OPENAI_BASE_URL"

// fromConfig is where a key written into the configuration comes from.
const fromConfig = "config.yaml"

// Candidate is an endpoint that can be used.
type Candidate struct {
	// Endpoint is where requests go. Model is empty if the endpoint has to be asked for
	// its list, Key if none is needed or a login takes its place, and Protocol unless
	// the user asked for one.
	providers.Endpoint
	// Label is the name for people.
	Label string
	// KeyFrom says where the credential comes from, "env NAME", "config.yaml", as in
	// [StoredKey], or whose login it is.
	KeyFrom string
	// KeyPage is where new keys are made.
	KeyPage string
	Auth    Auth
	// Models are the preferences to apply to the endpoint's list.
	Models []string

	// away: the endpoint is not where Providers has it.
	away bool
}

// String describes a candidate without its key and headers, also where it is
// printed in full.
func (c Candidate) String() string {
	s := c.Label + " " + c.BaseURL
	if c.Model != "" {
		s += " " + c.Model
	}
	if c.KeyFrom != "" {
		s += " (key from " + c.KeyFrom + ")"
	}
	return s
}

// Mode is the protocol in which a model of the endpoint is spoken to.
func (c Candidate) Mode(model string) providers.Protocol {
	return Mode(c.Protocol, c.Provider, c.BaseURL, model)
}

// GoString is [Candidate.String].
func (c Candidate) GoString() string { return c.String() }

// Choose lists the endpoints that can be used, best first: the configured one,
// OPENAI_BASE_URL with OPENAI_API_KEY, every service whose key is in the
// environment in the order of the catalogue, the other endpoints that the user named,
// and the demonstration. A local server that [Probe] finds belongs before the
// demonstration. Each endpoint is listed once.
//
// When the configuration names something that cannot be used, Choose returns an
// [*UnknownProviderError], [*MissingKeyError], [*MissingURLError] or
// [*InvalidURLError] and the list without it. Nothing of that list may be used
// without asking: the user chose another service.
//
// A key goes only to the endpoint it was given for, see
// [providers.Endpoint] and [Candidate.Takes]: OPENAI_API_KEY goes to OPENAI_BASE_URL when that is set and then
// not to OpenAI, and so with the other services. An address alone stands for the
// service that is there; an unknown one gets no key unless its configuration
// names one.
func Choose(config Config, env func(string) string) ([]Candidate, error) {
	get := func(name string) string { return strings.TrimSpace(env(name)) }
	var list []Candidate
	add := func(c Candidate) {
		same := func(o Candidate) bool {
			return o.BaseURL == c.BaseURL || o.Provider == c.Provider && c.Provider != Custom
		}
		if !slices.ContainsFunc(list, same) {
			list = append(list, c)
		}
	}
	said := config.settled(get)
	named := !said.empty()
	var err error
	if named {
		var first Candidate
		if first, err = config.chosen(said, get); err == nil {
			add(first)
		}
	}
	if base := get(openAIBase); base != "" {
		c, bad := config.chosen(Layer{Endpoint: providers.Endpoint{BaseURL: base, Where: openAIBase}}, get)
		if bad == nil {
			add(c)
		} else if !named {
			err = bad
		}
	}
	for _, p := range services() {
		if p.BaseEnv == openAIBase && get(openAIBase) != "" {
			continue
		}
		if c, bad := config.of(p, providers.Endpoint{}, get); bad == nil && (p.Auth != ByChain || c.Key != "") {
			add(c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(config.Providers)) {
		if _, known := find(name); known {
			continue
		}
		c, bad := config.chosen(Layer{Endpoint: providers.Endpoint{Provider: name}}, get)
		same := func(o Candidate) bool { return o.Provider == c.Provider || o.BaseURL == c.BaseURL && o.Key == c.Key }
		if bad == nil && !slices.ContainsFunc(list, same) {
			list = append(list, c)
		}
	}
	add(demo())
	if !named && said.Model != "" && list[0].Protocol != Demo {
		list[0].Model = said.Model
		list[0].ContextMax, list[0].OutputMax = said.ContextMax, said.OutputMax
	}
	return list, err
}

// chosen is the endpoint that a layer names.
func (c Config) chosen(l Layer, get func(string) string) (Candidate, error) {
	id, p := c.meant(l, get)
	switch {
	case p.ID != "":
		return c.of(p, l.Endpoint, get)
	case id == DemoID:
		return demo(), nil
	}
	name := strings.TrimSpace(l.Provider)
	return Candidate{}, &UnknownProviderError{Name: name, Nearest: Nearest(name, slices.Sorted(maps.Keys(c.Providers))...)}
}

// of makes a candidate of a service with what is said of it, e over what Providers
// has of it. A key that was given for another address is left out.
func (c Config) of(p Provider, e providers.Endpoint, get func(string) string) (Candidate, error) {
	entry := c.entry(p.ID)
	url, own, err := c.address(p, e, get)
	if err != nil {
		return Candidate{}, err
	}
	if p.ID == Custom {
		p.Name = hostOf(url)
	}
	stored, away := entry, entry.BaseURL != "" && !SameOrigin(entry.BaseURL, url)
	if away {
		stored = entry.Public()
	}
	e = e.Over(stored)
	out := p.candidate(url)
	out.away = away
	k, names := key(e, p, url, get)
	if e.KeyEnv == "" && c.Stored != nil && (k.value == "" || c.retired(p.ID, k)) {
		if kept := out.keep(c.Stored(p.ID), own); kept.value != "" {
			k = kept
		}
	}
	nearby, keyed := e.KeyEnv == "" && isLoopback(url), e.KeyEnv != ""
	e.Provider, e.BaseURL, e.Where, e.Key, e.KeyEnv = out.Provider, out.BaseURL, "", "", ""
	out.Endpoint = e.Over(out.Endpoint)
	out.Key, out.KeyFrom = k.value, k.from
	if out.Key != "" {
		out.Login = ""
	} else if out.Login != "" {
		out.KeyFrom = out.Login
	}
	switch {
	case out.Key != "" || out.Login != "" || nearby:
	case p.Auth == ByLogin:
		return Candidate{}, &MissingLoginError{Provider: p.ID, Name: p.Name}
	case len(names) > 0 && (p.ID != Custom && p.Auth != ByChain || keyed):
		return Candidate{}, &MissingKeyError{Provider: p.ID, Name: p.Name, KeyEnv: slices.Clone(names), KeyPage: p.KeyPage, URL: url, GivenFor: k.elsewhere}
	}
	return out, nil
}

// retired reports whether a key is of the environment and another has taken its place.
func (c Config) retired(provider string, k given) bool {
	variable, env := strings.CutPrefix(k.from, "env ")
	return env && c.Retired != nil && c.Retired(provider, variable, k.value)
}

// address is where a service is: where e says, else where Providers does, else the
// environment, else the catalogue; own means the last.
func (c Config) address(p Provider, e providers.Endpoint, get func(string) string) (url string, own bool, err error) {
	base, where := e.BaseURL, e.Where
	if base == "" {
		base, where = c.entry(p.ID).BaseURL, ""
	}
	if where == "" {
		where = fromConfig
	}
	if base == "" {
		base, where = p.moved(get)
	}
	if base == "" {
		base, own = p.BaseURL, true
	}
	if base == "" {
		return "", false, &MissingURLError{Provider: p.ID}
	}
	url, err = cleanURL(base, where)
	return url, own, err
}

// demo is the demonstration.
func demo() Candidate {
	return Candidate{Endpoint: providers.Endpoint{Provider: DemoID, Protocol: Demo, Model: DemoID}, Label: "Demonstration"}
}

// candidate is a service at a URL, without its key.
func (p Provider) candidate(url string) Candidate {
	c := Candidate{
		Endpoint: providers.Endpoint{Provider: p.ID, BaseURL: url, Headers: maps.Clone(p.Headers)},
		Label:    p.Name, KeyPage: p.KeyPage, Auth: p.Auth, Models: slices.Clone(p.Models),
	}
	if c.Headers == nil {
		c.Headers = map[string]string{}
	}
	if len(p.Models) > 0 && (len(p.KeyEnv) > 0 || p.Auth != ByKey) {
		c.Model = p.Models[0]
	}
	return c
}
