package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// named is a file that was found by its name.
type named struct {
	path    string
	changed time.Time
}

// names finds files by a glob, those changed last first.
func (s *Search) names(ctx context.Context, q query) (*answer, error) {
	if strings.TrimSpace(q.pattern) == "" {
		return nil, errors.New("pattern is required; use * for all files")
	}
	name, err := newFilter(q.pattern, q.path, true)
	if err != nil {
		return nil, err
	}
	w, alone, err := s.walker(ctx, q.path, q.glob, name)
	if err != nil {
		return nil, err
	}
	var list []named
	w.emit = func(f file) bool {
		if w.selects(f.path) {
			n := named{path: f.path}
			if info, err := f.entry.Info(); err == nil {
				n.changed = info.ModTime()
			}
			list = append(list, n)
		}
		return true
	}
	if alone {
		if w.selects(q.path) {
			list = append(list, named{path: q.path})
		}
	} else {
		w.walk(ctx, w.start, outerScope(s.fs, w.start, s.home))
	}
	slices.SortFunc(list, func(a, b named) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.path, b.path))
	})
	a := s.named(q, list)
	a.passed(w)
	return a, nil
}

// named makes the answer of one page.
func (s *Search) named(q query, list []named) *answer {
	q.mode = modeFiles
	c := newCollector(q, s.display())
	for _, n := range list {
		c.file(found{path: n.path, count: 1})
	}
	return c.finish()
}
