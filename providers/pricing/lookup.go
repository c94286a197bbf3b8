package pricing

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"hermes-tui/providers"
)

// Query asks what calls of a model cost.
type Query struct {
	// Provider is the id of the service, or the name that the user gave it.
	Provider string
	// Model is the name that is sent.
	Model string
	// BaseURL is the endpoint. It tells who the provider is when its name does not.
	BaseURL string
	// Local says that the endpoint is on this machine or nearby.
	Local bool
	// Subscription says that the call is paid for by a subscription.
	Subscription bool
	// LongCache says that cache entries are written for the longer one of the times
	// that the service offers.
	LongCache bool
	// Listed is what the endpoint's own list of models says, nil if it says nothing.
	Listed *providers.ListPrice
	// At is when the call is made. Without it, prices hold that neither begin at a
	// date nor belong to some hours of the day.
	At time.Time
}

// Lookup finds the price of a model: the user's own; nothing, where calls are
// paid for or the server is the user's; the one that the endpoint itself lists; or
// the one of the provider's list. A
// model fits an entry of the same name, or of the name without a date, number or
// "latest" behind it; the longest entry counts.
func (t *Table) Lookup(q Query) Price {
	q.Provider = plain(q.Provider)
	model := canonical(q.Model)
	if model == "" {
		return Price{Status: Unknown}
	}
	if p, ok := t.own(q, model); ok {
		return p
	}
	if q.Subscription || q.Local && ownServer(q.Provider, model) {
		return Price{Status: Included}
	}
	if p, ok := listed(q); ok {
		return p
	}
	s := t.section(q)
	if s == nil {
		return Price{Status: Unknown}
	}
	if len(s.vendors) == 0 {
		return s.price(model, q)
	}
	return t.routed(s, model, q)
}

// routed finds the price of a model at a router: its own one, or that of the
// model's maker.
func (t *Table) routed(s *section, model string, q Query) Price {
	if strings.HasSuffix(model, ":free") {
		return Price{Status: Included, Model: model, Source: s.address, Checked: s.checked}
	}
	if p := s.price(model, q); p.Status != Unknown {
		return p
	}
	vendor, rest, _ := strings.Cut(model, "/")
	for i := range t.sections {
		if id, ok := s.vendors[vendor]; ok && t.sections[i].names[0] == id {
			return t.sections[i].price(rest, q)
		}
	}
	return Price{Status: Unknown}
}

// listed reads the price that an endpoint lists. One that cannot be read, such as the
// -1 of a router that picks the model itself, is none.
func listed(q Query) (Price, bool) {
	if q.Listed == nil {
		return Price{}, false
	}
	input, err := ParseDollars(q.Listed.Input)
	output, err2 := ParseDollars(q.Listed.Output)
	if err != nil || err2 != nil {
		return Price{}, false
	}
	p := Price{Status: Estimated, Model: q.Model, Source: q.BaseURL}
	if input == 0 && output == 0 {
		p.Status = Included
	}
	optional := func(s string) int64 {
		if n, err := ParseDollars(s); err == nil && s != "" {
			return n
		}
		return Missing
	}
	write := optional(q.Listed.CacheWrite)
	p.tiers = []tier{{above: -1, rates: rates{input: input, output: output, read: optional(q.Listed.CacheRead), write: write, long: write}}}
	return p, true
}

// own finds the user's own price: for the model before all models of a provider,
// the longer name before the shorter, for the provider before any provider.
func (t *Table) own(q Query, model string) (Price, bool) {
	var best *override
	rank := func(o *override) int {
		n := 2 * len(o.model)
		if o.model == "*" {
			n = 0
		}
		if o.provider != "" {
			n++
		}
		return n
	}
	for i := range t.overrides {
		o := &t.overrides[i]
		if o.provider != "" && o.provider != q.Provider || o.model != "*" && !fits(o.model, model) {
			continue
		}
		if best == nil || rank(o) > rank(best) {
			best = o
		}
	}
	if best == nil {
		return Price{}, false
	}
	p := Price{Status: Estimated, Model: best.model, Source: best.key, tiers: []tier{{above: -1, rates: best.rates}}, long: q.LongCache}
	if best.input == 0 && best.output == 0 {
		p.Status = Included
	}
	return p, true
}

// section finds the list of the provider, by its name or by where it is.
func (t *Table) section(q Query) *section {
	for i := range t.sections {
		if slices.Contains(t.sections[i].names, q.Provider) {
			return &t.sections[i]
		}
	}
	u, err := url.Parse(q.BaseURL)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	for i := range t.sections {
		if slices.Contains(t.sections[i].hosts, host) {
			return &t.sections[i]
		}
	}
	return nil
}

// price finds a model in the list.
func (s *section) price(model string, q Query) Price {
	var found *row
	longest := 0
	for i := range s.rows {
		for _, name := range s.rows[i].models {
			if len(name) > longest && fits(name, model) {
				found, longest = &s.rows[i], len(name)
			}
		}
	}
	if found == nil {
		return Price{Status: Unknown}
	}
	p := Price{Status: Estimated, Model: found.models[0], Source: s.address, Checked: s.checked, long: q.LongCache}
	for _, v := range found.versions {
		if v.from.IsZero() || !q.At.IsZero() && !q.At.Before(v.from) {
			p.tiers = v.usual
			if len(v.peak) > 0 && s.peak.contains(q.At) {
				p.tiers = v.peak
			}
		}
	}
	return p
}

// fits reports whether a model is the one of an entry, both canonical.
func fits(entry, model string) bool {
	rest, ok := strings.CutPrefix(model, entry)
	return ok && (rest == "" || (rest[0] == '-' || rest[0] == '@') && dated(rest[1:]))
}

// dated reports whether what stands behind a name says only which issue of the model
// it is: a date in one of the forms that are in use, a number of an issue, or the
// newest. One or two digits are a version, and that is another model.
func dated(s string) bool {
	switch s {
	case "latest", "default":
		return true
	}
	if len(s) == len("2025-04-14") && s[4] == '-' && s[7] == '-' {
		s = s[:4] + s[5:7] + s[8:]
	}
	switch len(s) {
	case 3, 4, 6, 8:
		return strings.Trim(s, "0123456789") == ""
	}
	return false
}

// ownServer reports whether a model runs in a server on the user's own machine.
// Ollama there also offers models that run elsewhere and say so in their name.
func ownServer(provider, model string) bool {
	switch provider {
	case "ollama":
		return !strings.HasSuffix(model, ":cloud") && !strings.HasSuffix(model, "-cloud")
	case "lmstudio", "lm-studio", "llamacpp", "llama.cpp", "llama-cpp", "vllm":
		return true
	}
	return false
}
