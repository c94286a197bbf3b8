package app

import (
	"errors"
	"fmt"
	"net/url"

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

// checkPrices finds what cannot be used in the prices of the settings.
func checkPrices(c config.Config) (key, problem string) {
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

// price says what calls to a model of an endpoint cost.
func (a *App) price(c catalog.Candidate, name string) func(providers.Usage) event.Bill {
	q := pricing.Query{Provider: c.Provider, Model: name, BaseURL: c.BaseURL}
	if u, err := url.Parse(c.BaseURL); err == nil {
		q.Local = transport.IsLocal(u.Hostname())
	}
	return func(u providers.Usage) event.Bill {
		at := q
		at.At = a.o.IDs.Now()
		price := a.prices.Lookup(at)
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

// free is the price of a model that costs nothing.
func free(providers.Usage) event.Bill { return event.Bill{Status: event.CostIncluded} }
