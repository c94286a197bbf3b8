package catalog

import (
	"maps"
	"slices"
	"strings"
)

// openAIBase is the variable by which most tools are pointed at another endpoint.
const openAIBase = "OPENAI_BASE_URL"

// fromConfig is where a key written into the configuration comes from.
const fromConfig = "config.yaml"

// Endpoint is what a configuration says about an endpoint. Empty fields leave the
// catalogue's values.
type Endpoint struct {
	BaseURL string
	// Key is the key itself, KeyEnv the variable that holds it. Key wins.
	Key    string
	KeyEnv string
	Model  string
	// Login says whose login there is for the endpoint, "a login"; empty for none. It
	// counts where there is no key.
	Login string
	// Protocol is the one that the person asks for, empty to go by [Mode].
	Protocol Protocol
	// Extra are fields for requests of chat completions, as a JSON object; they win.
	Extra string
	// Window is the context window to ask a server for that loads models on demand.
	Window int
	// Headers are added to the catalogue's, and win over them.
	Headers map[string]string
	// ContextMax and OutputMax are in tokens; 0 if not configured.
	ContextMax int
	OutputMax  int
}

// Config is the part of the configuration that chooses the model service.
type Config struct {
	// Provider names a service of the catalogue, an entry of Providers, [Custom],
	// [DemoID], or is empty or [Auto].
	Provider string
	// Endpoint holds for the provider named. With Provider empty, a BaseURL makes
	// it a custom endpoint, and a Model holds for the first candidate.
	Endpoint
	// Providers are the endpoints that the person named. One with the name of a
	// service changes that service.
	Providers map[string]Endpoint
}

// Candidate is an endpoint that can be used.
type Candidate struct {
	// Provider is the id, Label the name for people.
	Provider string
	Label    string
	BaseURL  string
	// Key is the credential, "" if none is needed. KeyFrom says where it came
	// from, "env NAME" or "config.yaml"; KeyPage is where new ones are made.
	Key     string
	KeyFrom string
	KeyPage string
	// Login tells that a login takes the place of the key; KeyFrom says whose.
	Login bool
	Auth  Auth
	// Protocol is the usual one of the service; see [Candidate.Mode]. Explicit is
	// the one that the person asked for, empty for none.
	Protocol Protocol
	Explicit Protocol
	// Model is the model to use, "" if the endpoint has to be asked for its list.
	// Models are the preferences to apply to that list.
	Model   string
	Models  []string
	Headers map[string]string
	// Extra and Window are those of [Endpoint].
	Extra  string
	Window int
	// ContextMax and OutputMax are in tokens; 0 if not configured.
	ContextMax int
	OutputMax  int
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
func (c Candidate) Mode(model string) Protocol {
	if c.Protocol == Demo {
		return Demo
	}
	return Mode(c.Explicit, c.Provider, c.BaseURL, model)
}

// GoString is [Candidate.String].
func (c Candidate) GoString() string { return c.String() }

// Choose lists the endpoints that can be used, best first: the configured one,
// OPENAI_BASE_URL with OPENAI_API_KEY, every service whose key is in the
// environment in the order of the catalogue, and the demonstration. A local
// server that [Probe] finds belongs before the demonstration. Each endpoint is
// listed once.
//
// When the configuration names something that cannot be used, Choose returns an
// [*UnknownProviderError], [*MissingKeyError], [*MissingURLError] or
// [*InvalidURLError] and the list without it. Nothing of that list may be used
// without asking: the person chose another service.
//
// A key is only ever paired with the endpoint it was set for: OPENAI_API_KEY goes
// to OPENAI_BASE_URL when that is set and then not to OpenAI, and a custom
// endpoint gets no key unless its configuration names one.
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
	first, named, err := config.chosen(get)
	if named && err == nil {
		add(first)
	}
	if base := get(openAIBase); base != "" {
		c, bad := redirected(base, get)
		if bad == nil {
			add(c)
		} else if !named {
			err = bad
		}
	}
	for _, p := range Providers() {
		if p.BaseEnv == openAIBase && get(openAIBase) != "" {
			continue
		}
		if c, bad := config.entry(p.ID).of(p, get); bad == nil && (p.Auth != ByChain || c.Key != "") {
			add(c)
		}
	}
	add(Candidate{Provider: DemoID, Label: "Demonstration", Protocol: Demo, Model: DemoID})
	if !named && config.Model != "" && list[0].Protocol != Demo {
		list[0].Model = config.Model
		list[0].ContextMax, list[0].OutputMax = config.ContextMax, config.OutputMax
	}
	return list, err
}

// redirected is the endpoint of OPENAI_BASE_URL.
func redirected(base string, get func(string) string) (Candidate, error) {
	p, _ := Find("openai")
	url, err := cleanURL(base, openAIBase)
	if err != nil {
		return Candidate{}, err
	}
	if url != p.BaseURL {
		p = Provider{ID: Custom, Name: hostOf(url), KeyEnv: p.KeyEnv, Protocol: Chat}
	}
	c := p.candidate(url)
	c.Key, c.KeyFrom = keyFrom(p.KeyEnv, get)
	return c, nil
}

// chosen resolves what the configuration names. named is false if it names
// nothing.
func (c Config) chosen(get func(string) string) (first Candidate, named bool, err error) {
	name := strings.TrimSpace(c.Provider)
	lower := strings.ToLower(name)
	if lower == "" || lower == Auto {
		if c.BaseURL == "" {
			return Candidate{}, false, nil
		}
		lower = Custom
	}
	p, known := Find(lower)
	e := c.Endpoint.over(c.entry(lower))
	if known && p.ID != lower {
		e = e.over(c.entry(p.ID))
	}
	if !known && c.has(lower) {
		p, known = Provider{ID: lower, Name: name, Protocol: Chat}, true
	}
	switch {
	case known:
		first, err = e.of(p, get)
	case lower == DemoID:
		first = Candidate{Provider: DemoID, Label: "Demonstration", Protocol: Demo, Model: DemoID}
	case lower == Custom:
		first, err = e.of(Provider{ID: Custom, Name: hostOf(e.BaseURL), Protocol: Chat}, get)
	default:
		err = &UnknownProviderError{Name: name, Nearest: Nearest(name, slices.Sorted(maps.Keys(c.Providers))...)}
	}
	return first, true, err
}

// entry is what the person configured for a provider, whatever the case of its
// name.
func (c Config) entry(id string) Endpoint {
	for _, n := range slices.Sorted(maps.Keys(c.Providers)) {
		if strings.EqualFold(n, id) {
			return c.Providers[n]
		}
	}
	return Endpoint{}
}

// has tells whether there is such an entry.
func (c Config) has(id string) bool {
	for n := range c.Providers {
		if strings.EqualFold(n, id) {
			return true
		}
	}
	return false
}

// over lays the fields of e that are set over those of low.
func (e Endpoint) over(low Endpoint) Endpoint {
	set := func(to *string, v string) {
		if v != "" {
			*to = v
		}
	}
	set(&low.BaseURL, e.BaseURL)
	set(&low.Model, e.Model)
	set(&low.Login, e.Login)
	set(&low.Extra, e.Extra)
	if e.Window > 0 {
		low.Window = e.Window
	}
	if e.Protocol != "" {
		low.Protocol = e.Protocol
	}
	if e.Key != "" || e.KeyEnv != "" {
		low.Key, low.KeyEnv = e.Key, e.KeyEnv
	}
	if len(e.Headers) > 0 {
		h := maps.Clone(low.Headers)
		if h == nil {
			h = map[string]string{}
		}
		maps.Copy(h, e.Headers)
		low.Headers = h
	}
	if e.ContextMax > 0 {
		low.ContextMax = e.ContextMax
	}
	if e.OutputMax > 0 {
		low.OutputMax = e.OutputMax
	}
	return low
}

// of makes a candidate of a service with the configured changes.
func (e Endpoint) of(p Provider, get func(string) string) (Candidate, error) {
	base, where := e.BaseURL, fromConfig
	if base == "" && p.ID == ollamaID {
		base, where = ollamaURL(get(ollamaHost)), ollamaHost
	}
	if base == "" && p.BaseEnv != "" {
		base, where = get(p.BaseEnv), p.BaseEnv
	}
	if base == "" {
		base, where = p.BaseURL, ""
	}
	if base == "" {
		return Candidate{}, &MissingURLError{Provider: p.ID}
	}
	url, err := cleanURL(base, where)
	if err != nil {
		return Candidate{}, err
	}
	c := p.candidate(url)
	names := p.KeyEnv
	switch {
	case e.Key != "":
		c.Key, c.KeyFrom = strings.TrimSpace(e.Key), fromConfig
	case e.KeyEnv != "":
		names = []string{e.KeyEnv}
		fallthrough
	default:
		c.Key, c.KeyFrom = keyFrom(names, get)
	}
	if c.Key == "" && e.Login != "" {
		c.Login, c.KeyFrom = true, e.Login
	}
	nearby := e.KeyEnv == "" && isLoopback(url)
	switch {
	case c.Key != "" || c.Login || nearby:
	case p.Auth == ByLogin:
		return Candidate{}, &MissingLoginError{Provider: p.ID, Name: p.Name}
	case len(names) > 0 && (p.Auth != ByChain || e.KeyEnv != ""):
		return Candidate{}, &MissingKeyError{Provider: p.ID, Name: p.Name, KeyEnv: slices.Clone(names), KeyPage: p.KeyPage}
	}
	c.Explicit, c.Extra, c.Window = e.Protocol, e.Extra, e.Window
	if e.Model != "" {
		c.Model = e.Model
	}
	for k, v := range e.Headers {
		c.Headers[k] = v
	}
	c.ContextMax, c.OutputMax = e.ContextMax, e.OutputMax
	return c, nil
}

// candidate is a service at a URL, without its key.
func (p Provider) candidate(url string) Candidate {
	c := Candidate{
		Provider: p.ID, Label: p.Name, BaseURL: url, KeyPage: p.KeyPage, Protocol: p.Protocol, Auth: p.Auth,
		Models: slices.Clone(p.Models), Headers: maps.Clone(p.Headers),
	}
	if c.Headers == nil {
		c.Headers = map[string]string{}
	}
	if len(p.Models) > 0 && (len(p.KeyEnv) > 0 || p.Auth != ByKey) {
		c.Model = p.Models[0]
	}
	return c
}

// keyFrom takes the first of the variables that is set.
func keyFrom(names []string, get func(string) string) (key, from string) {
	for _, n := range names {
		if v := get(n); v != "" {
			return v, "env " + n
		}
	}
	return "", ""
}
