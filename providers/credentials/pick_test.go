package credentials

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
)

func TestKeepAvoidFind(t *testing.T) {
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
		if c, err := p.Find(target); err != nil || c.Label != want {
			t.Errorf("find %q: %v %v", target, c, err)
		}
	}
	fail(t, p, "k1", Failure{Code: 429})
	if got := pick(t, p, Want{Keep: "000001"}); got.Label != "k0" {
		t.Errorf("the one to keep is cooling down: %v", got)
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
			}
		})
	}
	wg.Wait()
	for name, n := range count {
		if n != 10 {
			t.Errorf("%s came %d of 40 times", name, n)
		}
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
		names = append(names, pick(t, p, Want{}).Label)
	}
	return strings.Join(names, " ")
}
