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
	b := newLoginBox(t)
	if err := b.home.Ensure(); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ids := event.SystemSource()
	a, err := Open(Options{Version: "test", Home: b.home, Config: c, Env: func(string) (string, bool) { return "", false }, IDs: event.Source{Random: ids.Random, Clock: func() time.Time { return day }}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for days, old := range map[int]bool{0: false, 60: false, 61: true} {
		a.o.IDs.Clock = func() time.Time { return day.AddDate(0, 0, days) }
		got, known := a.rates(catalog.Candidate{Endpoint: providers.Endpoint{Provider: "openai"}}, providers.Model{ID: "gpt-6-sol"})
		if !known || got.Old.Equal(day) != old || !old && !got.Old.IsZero() {
			t.Errorf("%d days: %+v", days, got)
		}
	}
}
