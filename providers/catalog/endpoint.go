package catalog

import (
	"maps"
	"slices"
	"strings"
)

// Endpoint is what a configuration says about an endpoint. Empty fields leave the
// catalogue's values.
type Endpoint struct {
	BaseURL string
	// Where says which setting holds BaseURL, for errors; empty is config.yaml.
	Where string
	// Key is the key itself, KeyEnv the variable that holds it. Key wins. With a
	// BaseURL they are given for that address and go to no other; without one they
	// are given for the provider, wherever it is said to be.
	Key    string
	KeyEnv string
	Model  string
	// Login says whose login there is for the endpoint, "a login"; empty for none. It
	// counts where there is no key.
	Login string
	// Protocol is the one that the user asks for, empty to go by [Mode].
	Protocol Protocol
	// Extra are fields for requests of chat completions, as a JSON object; they win.
	Extra string
	// Window is the context window to ask a server for that loads models on demand.
	Window int
	// Headers are added to the catalogue's, and win over them. They may hold secrets
	// and are given for the same address as the key.
	Headers map[string]string
	// ContextMax and OutputMax are in tokens; 0 if not configured.
	ContextMax int
	OutputMax  int
}

// Layer is what one source, such as the command line, says about the model service.
type Layer struct {
	// Provider names a service of the catalogue, an entry of Providers, [Custom],
	// [DemoID], or is empty or [Auto]. With one of the last two, a BaseURL makes it the
	// service at that address, and a Model alone holds for whatever answers.
	Provider string
	Endpoint
	// Yields says that BaseURL gives way to the one that Providers has.
	Yields bool
}

// Config is the part of the configuration that chooses the model service.
type Config struct {
	// Provider and Endpoint are a [Layer], the one that counts most. Below is what
	// sources that count less say, in falling order: it adds to a layer above about the
	// same endpoint, and is left out where one above names another.
	Provider string
	Endpoint
	Below []Layer
	// Providers are the endpoints that the user named. One with the name of a
	// service changes that service.
	Providers map[string]Endpoint
	// Stored gives the keys that are kept elsewhere for a service of the catalogue.
	// nil gives none.
	Stored func(provider string) []StoredKey
}

// silent reports whether a layer names no endpoint.
func (l Layer) silent() bool {
	name := strings.TrimSpace(l.Provider)
	return l.BaseURL == "" && (name == "" || strings.EqualFold(name, Auto))
}

// settled is what all layers say together.
func (c Config) settled(get func(string) string) Layer {
	top := Layer{Provider: c.Provider, Endpoint: c.Endpoint}
	for _, low := range c.Below {
		low = c.yield(low, get)
		if top.silent() {
			top = Layer{Provider: low.Provider, Endpoint: top.over(low.Endpoint)}
		} else if c.same(top, low, get) {
			top.Endpoint = top.over(low.Endpoint)
		}
	}
	return top
}

// yield takes the address from a layer that gives way to the one in Providers, with
// what is secret and was given for it.
func (c Config) yield(l Layer, get func(string) string) Layer {
	id, _ := c.meant(l, get)
	entry := c.entry(id)
	if !l.Yields || l.BaseURL == "" || entry.BaseURL == "" {
		return l
	}
	if !SameOrigin(l.BaseURL, entry.BaseURL) {
		l.Endpoint = l.public()
	}
	l.BaseURL, l.Where = "", ""
	return l
}

// same reports whether a lower layer is about the endpoint of an upper one.
func (c Config) same(top, low Layer, get func(string) string) bool {
	a, _ := c.meant(top, get)
	b, _ := c.meant(low, get)
	return !low.silent() && a == b && (top.BaseURL == "" || SameOrigin(top.BaseURL, low.BaseURL))
}

// meant is the service that a layer names, by its name or else by its address. A
// name that means nothing comes with no service.
func (c Config) meant(l Layer, get func(string) string) (id string, p Provider) {
	name := strings.TrimSpace(l.Provider)
	id = strings.ToLower(name)
	if own, ok := strings.CutPrefix(id, Custom+":"); ok { // as Hermes Agent names an entry
		id, name = own, name[len(Custom)+1:]
	}
	if id == "" || id == Auto || id == Custom {
		if p, ok := c.at(l.BaseURL, get); ok {
			return p.ID, p
		}
		return Custom, Provider{ID: Custom, Protocol: Chat}
	}
	if p, ok := find(id); ok {
		return p.ID, p
	}
	for n := range c.Providers {
		if strings.EqualFold(n, id) {
			return id, Provider{ID: id, Name: name, Protocol: Chat}
		}
	}
	return id, Provider{}
}

// at is the service at an address.
func (c Config) at(url string, get func(string) string) (Provider, bool) {
	for _, p := range services() {
		base, _ := p.moved(get)
		if k, _ := (Endpoint{}).key(p, url, get); base == "" || !SameOrigin(base, url) || k.value == "" {
			continue
		}
		if p.BaseEnv == openAIBase && !SameOrigin(p.BaseURL, url) {
			p = Provider{ID: Custom, KeyEnv: p.KeyEnv, Protocol: Chat}
		}
		return p, true
	}
	for _, p := range services() {
		if SameOrigin(p.BaseURL, url) {
			return p, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if clean, err := cleanURL(c.Providers[name].BaseURL, ""); err == nil && clean == strings.TrimRight(strings.TrimSpace(url), "/") {
			return Provider{ID: strings.ToLower(name), Name: name, Protocol: Chat}, true
		}
	}
	return Provider{}, false
}

// entry is what the user configured for a provider, by its id or an alias, whatever
// the case.
func (c Config) entry(id string) Endpoint {
	p, _ := find(id)
	var out Endpoint
	for _, n := range slices.Sorted(maps.Keys(c.Providers)) {
		lower := strings.ToLower(n)
		if lower == id {
			return c.Providers[n]
		}
		if slices.Contains(p.Aliases, lower) {
			out = c.Providers[n]
		}
	}
	return out
}

// public is the endpoint without what is secret.
func (e Endpoint) public() Endpoint {
	e.Key, e.KeyEnv, e.Login, e.Headers = "", "", "", nil
	return e
}

// over lays the fields of e that are set over those of low.
func (e Endpoint) over(low Endpoint) Endpoint {
	set := func(to *string, v string) {
		if v != "" {
			*to = v
		}
	}
	if e.BaseURL != "" {
		low.BaseURL, low.Where = e.BaseURL, e.Where
	}
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
