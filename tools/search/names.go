package search

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
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
	w, alone, err := s.walker(q.path, q.pattern, true)
	if err != nil {
		return nil, err
	}
	var also *filter
	if q.glob != "" {
		if also, err = newFilter(q.glob, q.path, false); err != nil {
			return nil, err
		}
		w.hidden = w.hidden || also.hidden
	}
	var list []named
	w.emit = func(f file) bool {
		if w.selects(f.path) && also.match(w.relative(f.path)) {
			n := named{path: f.path}
			if info, err := f.entry.Info(); err == nil {
				n.changed = info.ModTime()
			}
			list = append(list, n)
		}
		return true
	}
	if alone {
		if w.selects(q.path) && also.match(filepath.Base(q.path)) {
			list = append(list, named{path: q.path})
		}
	} else {
		w.walk(ctx, w.start, outerScope(s.fs, w.start, s.home))
	}
	slices.SortFunc(list, func(a, b named) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.path, b.path))
	})
	return s.list(q, list, w.unreadable), nil
}

// list makes the answer of one page.
func (s *Search) list(q query, list []named, unreadable int) *answer {
	q.mode = modeFiles
	c := newCollector(q, s.display())
	for _, n := range list {
		c.file(found{path: n.path, count: 1})
	}
	c.answer.Unreadable = unreadable
	return c.finish()
}
