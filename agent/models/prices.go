package models

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/pricing"
	"hermes-tui/providers/transport"
	"hermes-tui/store/config"
)

// priceTable is the built-in prices with those of the settings in front.
func priceTable(c config.Config) (*pricing.Table, error) {
	var own []pricing.Override
	for i, p := range c.Pricing {
		if known, ok := catalog.Find(p.Provider); ok {
			p.Provider = known.ID
		}
		own = append(own, pricing.Override{
			Key: fmt.Sprintf("pricing.%d", i+1), Provider: p.Provider, Model: p.Model,
			Input: string(p.Input), Output: string(p.Output), CacheRead: string(p.CacheRead), CacheWrite: string(p.CacheWrite),
		})
	}
	return pricing.New(own)
}

// CheckPrices finds what cannot be used in the prices of the settings.
func CheckPrices(c config.Config) (key, problem string) {
	_, err := priceTable(c)
	var wrong *pricing.Error
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &wrong):
		return wrong.Key, wrong.Problem
	}
	return "pricing", err.Error()
}

// priceQuery asks for the price of a model of an endpoint.
func (a *Access) priceQuery(c catalog.Candidate, m providers.Model) pricing.Query {
	q := pricing.Query{
		Provider: c.Provider, Model: m.ID, BaseURL: c.BaseURL, Listed: m.Price, Subscription: c.Login != "" || c.Auth == catalog.ByLogin,
		LongCache: a.settings().PromptCaching.TTL == config.CacheHour && c.Mode(m.ID) != catalog.Responses, // which has no marks
	}
	if u, err := url.Parse(c.BaseURL); err == nil {
		q.Local = transport.IsLocal(u.Hostname())
	}
	return q
}

// pricesAge is how long a list of prices is taken to be about right.
const pricesAge = 60 * 24 * time.Hour

// rates are what a million tokens of a model cost now; false if no one knows.
func (a *Access) rates(c catalog.Candidate, m providers.Model) (api.ModelPrice, bool) {
	const million = 1_000_000
	q := a.priceQuery(c, m)
	q.At = a.o.IDs.Now()
	price := a.settings().prices.Lookup(q)
	r := price.Rates(0)
	if price.Status == pricing.Unknown || r.Input == pricing.Missing || r.Output == pricing.Missing {
		return api.ModelPrice{}, false
	}
	read := r.CacheRead
	if read == pricing.Missing {
		read = r.Input
	}
	out := api.ModelPrice{Input: event.Money(r.Input * million), Output: event.Money(r.Output * million), CacheRead: event.Money(read * million)}
	if !price.Checked.IsZero() && q.At.Sub(price.Checked) > pricesAge {
		out.Old = price.Checked
	}
	return out, true
}

// price says what calls to a model of an endpoint cost.
func (a *Access) price(c catalog.Candidate, m providers.Model) func(providers.Usage) event.Bill {
	q := a.priceQuery(c, m)
	return func(u providers.Usage) event.Bill {
		at := q
		at.At = a.o.IDs.Now()
		price := a.settings().prices.Lookup(at)
		var b event.Bill
		if saved, known := price.Saved(u); known {
			b.Saved = event.Money(saved)
		}
		if charged, err := pricing.ParseDollars(u.Charged); err == nil {
			b.Cost, b.Status = event.Money(charged), event.CostActual
			return b
		}
		cost, status := price.Cost(u)
		b.Cost, b.Status = event.Money(cost), event.CostStatus(status)
		return b
	}
}

// dearer says beyond which size prompts to a model of an endpoint cost more.
func (a *Access) dearer(c catalog.Candidate, m providers.Model) func(tokens int) int {
	q := a.priceQuery(c, m)
	return func(tokens int) int {
		at := q
		at.At = a.o.IDs.Now()
		return int(a.settings().prices.Lookup(at).Dearer(int64(tokens)))
	}
}

// free is the price of a model that costs nothing.
func free(providers.Usage) event.Bill { return event.Bill{Status: event.CostIncluded} }
