package sessions

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// order puts hits in the order of a search.
//
// What fits best holds more and rarer of the alternatives of a query, and is shorter.
// How often it holds them does not count, and the index is not asked to rank: for that
// it looks at all messages with each word.
func (d *DB) order(ctx context.Context, s Search, m matcher, hits []Hit) error {
	newest := func(a, b Hit) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Row, a.Row)) }
	switch s.Sort {
	case Newest:
		slices.SortFunc(hits, newest)
		return nil
	case Oldest:
		slices.SortFunc(hits, func(a, b Hit) int { return newest(b, a) })
		return nil
	}
	worth, err := d.worth(ctx, m, hits)
	if err != nil {
		return err
	}
	sum := 0
	for _, h := range hits {
		sum += h.size
	}
	average := max(float64(sum)/float64(len(hits)), 1)
	for i := range hits {
		h := &hits[i]
		h.score = worth[h.Row] / (0.5 + float64(h.size)/average)
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.score, a.score), newest(a, b)) })
	return nil
}

// worth is what the alternatives are worth that each hit holds.
func (d *DB) worth(ctx context.Context, m matcher, hits []Hit) (map[int64]float64, error) {
	worth := make(map[int64]float64, len(hits))
	low, high := hits[0].Row, hits[0].Row
	for _, h := range hits {
		low, high = min(low, h.Row), max(high, h.Row)
		worth[h.Row] = 1
	}
	if len(m.alternatives) < 2 {
		return worth, nil
	}
	for _, a := range m.alternatives {
		one := gathering{d: d, m: m}
		one.m.args = []any{a}
		rows, err := one.matches(ctx, low, high, 2*mostRanked)
		if err != nil {
			return nil, err
		}
		in := rows[:0]
		for _, r := range rows {
			if _, ok := worth[r]; ok {
				in = append(in, r)
			}
		}
		for _, r := range in {
			worth[r] += math.Log(1 + float64(len(hits))/float64(len(in)))
		}
	}
	return worth, nil
}
