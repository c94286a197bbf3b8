package event

import "testing"

func TestUsageStatus(t *testing.T) {
	for _, c := range []struct {
		name  string
		bills []CostStatus
		want  CostStatus
	}{
		{"no call", nil, CostIncluded},
		{"all told by the provider", []CostStatus{CostActual, CostActual}, CostActual},
		{"told, and free", []CostStatus{CostActual, CostIncluded}, CostActual},
		{"free", []CostStatus{CostIncluded}, CostIncluded},
		{"one by the list", []CostStatus{CostActual, CostEstimated}, CostEstimated},
		{"free, and by the list", []CostStatus{CostIncluded, CostEstimated}, CostEstimated},
		{"one not known", []CostStatus{CostActual, CostUnknown, CostIncluded}, CostUnknown},
		{"a status of a later version", []CostStatus{"haggled"}, CostUnknown},
	} {
		var sum Usage
		for _, s := range c.bills {
			u := Usage{Calls: 1}
			u.Charge(Bill{Cost: 3, Status: s, Saved: 2})
			sum = sum.Plus(u)
		}
		n := Money(len(c.bills))
		if sum.Status() != c.want || sum.Cost != 3*n || sum.Saved != 2*n {
			t.Errorf("%s: %s, cost %d, saved %d", c.name, sum.Status(), sum.Cost, sum.Saved)
		}
	}
}

func TestHitRate(t *testing.T) {
	if got := (Usage{}).HitRate(); got != 0 {
		t.Errorf("nothing sent: %v", got)
	}
	if got := (Usage{Input: 5, CacheRead: 75, CacheWrite: 20}).HitRate(); got != 0.75 {
		t.Errorf("got %v", got)
	}
}
