package bind

import (
	"context"

	"hermes-tui/store/learnings"
	"hermes-tui/tools/recall"
)

// Learnings lets agents keep what they learn.
func Learnings(s *learnings.Store) recall.Learnings { return learnt{s} }

type learnt struct{ store *learnings.Store }

// Save implements [recall.Learnings].
func (l learnt) Save(ctx context.Context, e recall.Learning) (bool, error) {
	_, known, err := l.store.Add(ctx, learnings.Entry{Pattern: e.Failed, Fix: e.Fix, Tags: e.Tags})
	return known, err
}

// Search implements [recall.Learnings].
func (l learnt) Search(query string, limit int) []recall.Learning {
	var list []recall.Learning
	for _, e := range l.store.Search(query, limit) {
		list = append(list, recall.Learning{Failed: e.Pattern, Fix: e.Fix, Tags: e.Tags})
	}
	return list
}
