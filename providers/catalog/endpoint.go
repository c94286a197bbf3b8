package catalog

import (
	"maps"
	"slices"
	"strings"

	"hermes-tui/providers"
)

// Layer is what one source, such as the command line, says about the model service.
type Layer struct {
	// Endpoint has as Provider the name of a service of the catalogue, an entry of
	// Providers, [Custom], [DemoID], or nothing or [Auto]. With one of the last two, a
	// BaseURL makes it the service at that address, and a Model alone holds for whatever
	// answers.
	providers.Endpoint
	// Yields says that BaseURL gives way to the one that Providers has.
	Yields bool
}

// Config is the part of the configuration that chooses the model service.
type Config struct {
	// Layers are what the sources say, the one that counts most first: each adds to
	// those above about the same endpoint, and is left out where one names another.
	Layers []Layer
	// Providers are the endpoints that the user named. One with the name of a
	// service changes that service.
	Providers map[string]providers.Endpoint
	// Stored gives the keys that are kept elsewhere for a service of the catalogue.
	// nil gives none.
	Stored func(provider string) []StoredKey
	// Retired reports whether one of those has taken the place of a key of the
	// environment. nil takes none for that.
	Retired func(provider, variable, key string) bool
}

// empty reports whether a layer names no endpoint.
func (l Layer) empty() bool {
	name := strings.TrimSpace(l.Provider)
	return l.BaseURL == "" && (name == "" || strings.EqualFold(name, Auto))
}

// settled is what all layers say together.
func (c Config) settled(get func(string) string) Layer {
	var top Layer
	for _, low := range c.Layers {
		low, name := c.yield(low, get), top.Provider
		if top.empty() {
			name = low.Provider
		} else if !c.same(top, low, get) {
			continue
		}
		top.Endpoint = top.Over(low.Endpoint)
		top.Provider = name
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
		l.Endpoint = l.Public()
	}
	l.BaseURL, l.Where = "", ""
	return l
}

// same reports whether a lower layer is about the endpoint of an upper one.
func (c Config) same(top, low Layer, get func(string) string) bool {
	a, _ := c.meant(top, get)
	b, _ := c.meant(low, get)
	return !low.empty() && a == b && (top.BaseURL == "" || SameOrigin(top.BaseURL, low.BaseURL))
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
	if _, at, named := strings.Cut(strings.TrimSuffix(id, ")"), "("); named { // so it names a server of this machine
		if url := "http://" + at + "/v1"; isLoopback(url) {
			return id, Provider{ID: id, Name: name, Protocol: Chat, BaseURL: url}
		}
	}
	return id, Provider{}
}

// at is the service at an address.
func (c Config) at(url string, get func(string) string) (Provider, bool) {
	for _, p := range services() {
		base, _ := p.moved(get)
		if k, _ := key(providers.Endpoint{}, p, url, get); base == "" || !SameOrigin(base, url) || k.value == "" {
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
func (c Config) entry(id string) providers.Endpoint {
	p, _ := find(id)
	var out providers.Endpoint
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
