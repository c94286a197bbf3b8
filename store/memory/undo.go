package memory

import (
	"context"
	"encoding/json"
	"slices"
)

// History gives the last writes, the newest first.
func (s *Store) History() ([]Written, error) {
	lines, err := tail(s.historyFile(), maxRead)
	if err != nil {
		return nil, err
	}
	var list []Written
	undone := map[string]bool{}
	for _, line := range slices.Backward(lines) {
		var w Written
		if json.Unmarshal(line, &w) == nil && w.ID != "" {
			w.Undone = undone[w.ID]
			undone[w.Undoes] = !w.Undone // an undo that was itself undone counts for nothing
			list = append(list, w)
		}
	}
	return list, nil
}

// Undo takes back a write: what it added goes, what it took away is there again. Writes
// that came after it stay. It is refused when what it added has changed since, or when
// there is no room for what it took away. An undo is a write, and can be undone.
func (s *Store) Undo(ctx context.Context, id, by string) (p Plan, err error) {
	list, err := s.History()
	if err != nil {
		return Plan{}, err
	}
	i := slices.IndexFunc(list, func(w Written) bool { return w.ID == id })
	if i < 0 {
		return Plan{}, refuse(NotFound, "There is no write %q to undo.", id)
	}
	w := list[i]
	err = s.locked(ctx, w.Target, func() error {
		p, err = s.undo(w, by)
		return err
	})
	return p, err
}

func (s *Store) undo(w Written, by string) (Plan, error) {
	before, err := s.load(w.Target)
	if err != nil {
		return Plan{}, err
	}
	after := slices.Clone(before)
	for _, a := range w.Added {
		i := slices.IndexFunc(after, Entry{Text: a.Text, Project: a.Project}.same)
		if i < 0 && a.Project == "" && a.At.IsZero() { // of a history without projects
			i = slices.IndexFunc(after, func(e Entry) bool { return e.Text == a.Text })
		}
		if i < 0 {
			return Plan{}, refuse(Stale, "It cannot be undone: what it wrote has changed since: %s", short(a.Text))
		}
		after = slices.Delete(after, i, i+1)
	}
	p := Plan{Change: Change{Target: w.Target, By: by}, Before: before, undoes: w.ID}
	for _, r := range w.Removed {
		if e := (Entry{r.Text, r.At, r.Project}); !has(after, e) {
			after = slices.Insert(after, min(r.Index, len(after)), e)
		}
	}
	p.After, p.Usage = after, s.usage(w.Target, after)
	if p.Usage.Used > p.Usage.Limit && p.Usage.Used > size(lines(before)) {
		return Plan{}, refuse(OverLimit, "It cannot be undone: the entries would exceed the limit, %s.", p.Usage)
	}
	if p.Same() {
		return p, nil
	}
	return p, s.commit(p)
}
