package credentials

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
)

func TestKeepAvoidSelect(t *testing.T) {
	r := newRig(t, nKeys(3))
	p := r.pool("openrouter", PoolOptions{})
	if got := pick(t, p, Want{Keep: "000002"}); got.Label != "k2" {
		t.Errorf("kept %v", got)
	}
	if got := pick(t, p, Want{Keep: "gone"}); got.Label != "k0" {
		t.Errorf("kept %v", got)
	}
	if got := pick(t, p, Want{Avoid: []string{"000000"}}); got.Label != "k1" {
		t.Errorf("avoided %v", got)
	}
	for target, want := range map[string]string{"k1": "k1", "000002": "k2", "1": "k0", " K2 ": "k2"} {
		if c, err := p.Select(target); err != nil || c.Label != want {
			t.Errorf("select %q: %v %v", target, c, err)
		}
		if got := pick(t, p, Want{Keep: "000000"}); got.Label != want {
			t.Errorf("selected %q, picked %v", target, got)
		}
	}
	if _, err := p.Select("k1"); err != nil || p.Selected() != "000001" {
		t.Errorf("selected %q, %v", p.Selected(), err)
	}
	fail(t, p, "k1", Failure{Code: 429})
	if got := pick(t, p, Want{}); got.Label != "k0" {
		t.Errorf("the selected one is cooling down: %v", got)
	}
	if _, err := p.Select(""); err != nil || p.Selected() != "" {
		t.Errorf("selected %q, %v", p.Selected(), err)
	}
	for _, target := range []string{"nobody", "0", "4", ""} {
		if _, err := p.Find(target); !isTarget(err, false) {
			t.Errorf("find %q: %v", target, err)
		}
	}
	if _, err := p.Add(t.Context(), New{Label: "K0", Key: "another-key"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Find("k0"); !isTarget(err, true) {
		t.Errorf("two of a name: %v", err)
	}
}

func isTarget(err error, ambiguous bool) bool {
	e, ok := errors.AsType[*TargetError](err)
	return ok && e.Ambiguous == ambiguous && strings.Contains(e.Error(), "openrouter")
}

func TestLeases(t *testing.T) {
	r := newRig(t, nKeys(3))
	p := r.pool("openrouter", PoolOptions{Limit: 2})
	var held []*Lease
	var got []string
	for range 8 {
		l := pick(t, p, Want{Spread: true})
		held = append(held, l)
		got = append(got, l.Label)
	}
	if want := "k0 k1 k2 k0 k1 k2 k0 k1"; strings.Join(got, " ") != want {
		t.Errorf("spread over %v, want %s", got, want)
	}
	held[2].Release()
	held[2].Release()
	if n := p.Leases()["000002"]; n != 1 {
		t.Errorf("%d leases after a double release", n)
	}
	if l := pick(t, p, Want{Spread: true}); l.Label != "k2" {
		t.Errorf("least leased: %v", l)
	}
	for _, l := range held {
		l.Release()
	}
	if n := len(p.Leases()); n != 1 {
		t.Errorf("leases left: %v", p.Leases())
	}
	if again := r.pool("openrouter", PoolOptions{Limit: 1}); len(again.Leases()) != 1 {
		t.Error("leases are not counted for all")
	}
}

// The limit is preferred to few leases, and soft.
func TestLeaseLimit(t *testing.T) {
	r := newRig(t, nKeys(2))
	p := r.pool("openrouter", PoolOptions{})
	if l := pick(t, p, Want{}); l.Label != "k0" {
		t.Fatal(l)
	}
	if l := pick(t, p, Want{Spread: true}); l.Label != "k1" {
		t.Errorf("k0 is full: %v", l)
	}
	if l := pick(t, p, Want{Spread: true}); l.Label != "k0" {
		t.Errorf("all are full: %v", l)
	}
	fail(t, p, "k1", Failure{Code: 429})
	if l := pick(t, p, Want{Spread: true}); l.Label != "k0" {
		t.Errorf("only k0 is there: %v", l)
	}
}

func TestConcurrentPicks(t *testing.T) {
	r := newRig(t, nKeys(4))
	p := r.pool("openrouter", PoolOptions{Strategy: RoundRobin})
	var mu sync.Mutex
	count := map[string]int{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				l, err := p.Pick(t.Context(), Want{})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				count[l.Label]++
				mu.Unlock()
				l.Release()
			}
		})
	}
	wg.Wait()
	for name, n := range count {
		if n != 10 {
			t.Errorf("%s came %d of 40 times", name, n)
		}
	}
	if len(p.Leases()) != 0 {
		t.Errorf("leases left: %v", p.Leases())
	}
}

func TestStrategies(t *testing.T) {
	for _, c := range []struct {
		strategy Strategy
		want     string
		written  bool
	}{
		{FillFirst, "k0 k0 k0 k0 k0 k0", false},
		{RoundRobin, "k0 k1 k2 k0 k1 k2", true},
		{LeastUsed, "k0 k1 k2 k0 k1 k2", true},
		{"", "k0 k0 k0 k0 k0 k0", false},
	} {
		t.Run(string(c.strategy), func(t *testing.T) {
			r := newRig(t, nKeys(3))
			p := r.pool("openrouter", PoolOptions{Strategy: c.strategy})
			if got := picks(t, p, 6); got != c.want {
				t.Errorf("picked %s, want %s", got, c.want)
			}
			if written := r.text() != nKeys(3); written != c.written {
				t.Errorf("written: %v", written)
			}
		})
	}
}

// What a strategy has to remember is in the file: another process goes on there.
func TestStrategiesGoOnElsewhere(t *testing.T) {
	for strategy, want := range map[Strategy]string{RoundRobin: "k1 k2 k0", LeastUsed: "k1 k2 k0"} {
		r := newRig(t, nKeys(3))
		picks(t, r.pool("openrouter", PoolOptions{Strategy: strategy}), 1)
		other := poolOf(t, r.open(Options{File: r.file}), "openrouter", PoolOptions{Strategy: strategy})
		if got := picks(t, other, 3); got != want {
			t.Errorf("%s: %s, want %s", strategy, got, want)
		}
	}
}

func TestRandomStrategy(t *testing.T) {
	draw := func() map[string]int {
		r := newRig(t, nKeys(3))
		p := r.pool("openrouter", PoolOptions{Strategy: Random})
		count := map[string]int{}
		for name := range strings.FieldsSeq(picks(t, p, 300)) {
			count[name]++
		}
		return count
	}
	count := draw()
	for _, name := range []string{"k0", "k1", "k2"} {
		if n := count[name]; n < 60 || n > 140 {
			t.Errorf("%s came %d of 300 times", name, n)
		}
	}
	if again := draw(); !maps.Equal(count, again) {
		t.Errorf("the same randomness gives %v and %v", count, again)
	}
	s, err := Open(Options{Random: strings.NewReader("")})
	if err != nil {
		t.Fatal(err)
	}
	p := poolOf(t, s, "x", PoolOptions{Strategy: Random, Seeds: seeds(Seed{Source: "env:A", Key: "a"}, Seed{Source: "env:B", Key: "b"})})
	if _, err := p.Pick(t.Context(), Want{}); err == nil {
		t.Error("no error without randomness")
	}
}

func picks(t *testing.T, p *Pool, n int) string {
	t.Helper()
	var names []string
	for range n {
		l := pick(t, p, Want{})
		names = append(names, l.Label)
		l.Release()
	}
	return strings.Join(names, " ")
}
