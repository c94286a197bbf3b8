package models

import (
	"context"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers"
	"hermes-tui/providers/catalog"
	"hermes-tui/providers/pricing"
	"hermes-tui/store/config"
)

// TestOldPrices marks prices of a list of this program once it is older than 60 days, and
// none of the settings.
func TestOldPrices(t *testing.T) {
	table, err := pricing.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	day := table.Lookup(pricing.Query{Provider: "openai", Model: "gpt-6-sol"}).Checked
	a := priced(t)
	for days, old := range map[int]bool{0: false, 60: false, 61: true} {
		a.o.IDs.Clock = func() time.Time { return day.AddDate(0, 0, days) }
		got, known := a.rates(catalog.Candidate{Endpoint: providers.Endpoint{Provider: "openai"}}, providers.Model{ID: "gpt-6-sol"})
		if !known || got.Old.Equal(day) != old || !old && !got.Old.IsZero() {
			t.Errorf("%d days: %+v", days, got)
		}
	}
}

// TestWritesForAnHour costs the price of an hour where that is asked for, which is a matter
// of marks: OpenAI takes none, and keeps prompts as long as it does.
func TestWritesForAnHour(t *testing.T) {
	a := priced(t)
	for _, c := range []struct {
		provider, url, model string
		want                 event.Money
	}{
		{"openai", "https://api.openai.com/v1", "gpt-6.2-sol", event.Dollar / 4},
		{"anthropic", "https://api.anthropic.com", "claude-haiku-4-5", event.Dollar / 5},
	} {
		bill := a.price(catalog.Candidate{Endpoint: providers.Endpoint{Provider: c.provider, BaseURL: c.url}}, providers.Model{ID: c.model})
		if got := bill(providers.Usage{CacheWrite: 100_000}); got.Cost != c.want {
			t.Errorf("%s: %+v", c.model, got)
		}
	}
}

// priced is an access that asks for prompts to be kept an hour.
func priced(t *testing.T) *Access {
	t.Helper()
	b := newLoginBox(t)
	if err := b.home.Ensure(); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.PromptCaching.TTL = config.CacheHour
	a, err := Open(Options{Version: "test", Home: b.home, Config: c, Env: func(string) (string, bool) { return "", false }, IDs: event.SystemSource()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return a
}
