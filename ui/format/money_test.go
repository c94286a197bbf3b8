package format_test

import (
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/ui/format"
)

func TestDollars(t *testing.T) {
	for m, want := range map[event.Money]string{
		-5: "$0.00", 0: "$0.00", 1: "<$0.01", event.Dollar/200 - 1: "<$0.01", event.Dollar / 200: "$0.01", event.Dollar / 100 * 8: "$0.08",
		event.Dollar*12 + event.Dollar/2: "$12.50", event.Dollar*99 + event.Dollar/1000*999: "$100", event.Dollar * 999: "$999",
		event.Dollar * 12_345: "$12k", 1<<63 - 1: "$9.22M",
	} {
		if got := format.Dollars(m); got != want {
			t.Errorf("%d: %q, want %q", m, got, want)
		}
	}
}

// TestCost writes an amount with how it is known, for every way of knowing it.
func TestCost(t *testing.T) {
	const cent = event.Dollar / 100
	for _, c := range []struct {
		name        string
		u           event.Usage
		want, brief string
	}{
		{"no call", event.Usage{}, "", ""},
		{"told by the provider", event.Usage{Calls: 2, Actual: 2, Cost: 42 * cent}, "$0.42", "$0.42"},
		{"told, and nothing to pay", event.Usage{Calls: 2, Actual: 1, Included: 1, Cost: 42 * cent}, "$0.42", "$0.42"},
		{"told to be nothing", event.Usage{Calls: 2, Actual: 2}, "$0.00", ""},
		{"by a list", event.Usage{Calls: 2, Cost: 42 * cent}, "~$0.42", "~$0.42"},
		{"by a list in part", event.Usage{Calls: 2, Actual: 1, Cost: 42 * cent}, "~$0.42", "~$0.42"},
		{"by a list, next to nothing", event.Usage{Calls: 2, Cost: 1}, "<$0.01", "<$0.01"},
		{"by a list, nothing", event.Usage{Calls: 2}, "~$0.00", ""},
		{"included", event.Usage{Calls: 2, Included: 2}, "included", ""},
		{"in part known", event.Usage{Calls: 2, Unpriced: 1, Cost: 10 * cent}, "≥$0.10", "≥$0.10"},
		{"next to nothing known", event.Usage{Calls: 2, Unpriced: 1, Cost: 1}, "≥$0.00", "≥$0.00"},
		{"not known", event.Usage{Calls: 2, Unpriced: 2}, "n/a", ""},
		{"not known but for what is included", event.Usage{Calls: 2, Unpriced: 1, Included: 1}, "n/a", ""},
		{"negative", event.Usage{Calls: 1, Cost: -5}, "~$0.00", ""},
	} {
		if got, brief := format.Cost(c.u), format.CostBrief(c.u); got != c.want || brief != c.brief {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, got, brief, c.want, c.brief)
		}
	}
}

func TestRate(t *testing.T) {
	for m, want := range map[event.Money]string{
		0: "$0", 1: "<$0.0001", event.Dollar / 10_000: "$0.0001", event.Dollar / 80: "$0.0125", event.Dollar * 15 / 100: "$0.15",
		event.Dollar / 2: "$0.50", event.Dollar * 3: "$3", event.Dollar*12 + event.Dollar/4: "$12.25",
	} {
		if got := format.Rate(m); got != want {
			t.Errorf("%d: %q, want %q", m, got, want)
		}
	}
}
