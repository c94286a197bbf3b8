package search

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"hermes-tui/tools"
)

const (
	// batchSize is how many files a worker takes at a time.
	batchSize = 32
	// ahead bounds the batches in work or waiting for their turn, per worker.
	ahead = 4
)

// batch is a piece of the walk; batches are numbered in its order.
type batch struct {
	index int
	files []file
	bytes int // of their names
}

// answered is what a batch gave, in the order of its files. Files of which there
// is nothing to say are left out.
type answered struct {
	index int
	found []found
}

// contents searches what files hold.
func (s *Search) contents(ctx context.Context, q query) (*answer, error) {
	p, err := newPattern(q.pattern)
	if err != nil {
		return nil, err
	}
	w, alone, err := s.walker(ctx, q.path, q.glob, nil)
	if err != nil {
		return nil, err
	}
	var help *narrower
	size := batchSize
	if !alone {
		if help = s.narrower(p); help != nil {
			size = narrowFiles
		}
	}
	col := newCollector(q, s.display())
	jobs := make(chan batch)
	results := make(chan answered)
	tokens := make(chan struct{}, s.workers*ahead)

	var workers sync.WaitGroup
	for range s.workers {
		workers.Go(func() {
			g := grep{fs: s.fs, pattern: p, context: q.context, first: q.mode == modeFiles, narrower: help}
			for job := range jobs {
				results <- g.batch(ctx, job, &col.wanted)
			}
		})
	}
	keys := s.secrets
	if q.secret != "" { // the user has permitted to search there
		keys = nil
	}
	go func() { // w is read again when results is closed
		defer close(results)
		s.feed(ctx, w, keys, alone, size, jobs, tokens)
		close(jobs)
		workers.Wait()
	}()
	for r := range results {
		for range col.add(r) {
			<-tokens
		}
	}
	a := col.finish()
	a.passed(w)
	if alone && col.binary > 0 {
		a.Hint = "The file is not text, so it was not searched."
	}
	return a, nil
}

// feed walks the tree and hands out the files in batches of a size. It takes a token for
// each, so that it does not run far ahead of the results. Files that are in keys are
// left out and counted.
func (s *Search) feed(ctx context.Context, w *walker, keys *tools.Secrets, alone bool, size int, jobs chan<- batch, tokens chan<- struct{}) {
	next := batch{}
	flush := func() bool {
		if len(next.files) == 0 {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case tokens <- struct{}{}:
		}
		jobs <- next
		next = batch{index: next.index + 1}
		return true
	}
	if alone {
		next.files = []file{{path: w.start}}
		flush()
		return
	}
	w.emit = func(f file) bool {
		if !w.selects(f.path) || tools.SpecialFile(f.path) {
			return true
		}
		if keys != nil && keys.Holds(f.path) != "" {
			w.secret++
			return true
		}
		next.files = append(next.files, f)
		next.bytes += len(f.path) + 1
		return len(next.files) < size && next.bytes < narrowBytes || flush()
	}
	if w.walk(ctx, w.start, outerScope(s.fs, w.start, s.home)) {
		flush()
	}
}

// walker prepares a walk of the files that a glob selects; with name, the glob is
// that of a search for names, and it has to let the files pass as well. alone says
// that the start is a file, which needs no walk.
func (s *Search) walker(ctx context.Context, start, pattern string, name *filter) (w *walker, alone bool, err error) {
	w = &walker{start: start, also: name}
	if pattern != "" {
		if w.filter, err = newFilter(pattern, start, false); err != nil {
			return nil, false, err
		}
		w.hidden = w.filter.hidden
	}
	w.hidden = w.hidden || name != nil && name.hidden
	st, err := s.fs.Stat(start)
	if alone = err == nil && !st.IsDir(); alone {
		w.fs = s.fs
		return w, true, nil
	}
	w.fs, w.unreadable = s.list(ctx, start, w.hidden)
	return w, false, nil
}

// display gives a function that shortens paths below the directory that relative
// paths stand below, so that they can be given to other tools as they are.
func (s *Search) display() func(string) string {
	dir, err := s.fs.Resolve(filepath.Clean(s.dir()))
	return func(path string) string {
		if err != nil || path == dir || !tools.Within(path, dir) {
			return path
		}
		return strings.TrimPrefix(path[len(dir):], string(filepath.Separator))
	}
}

// batch searches the files of a batch. wanted is how many matches the page still
// needs; it only ever shrinks.
func (g *grep) batch(ctx context.Context, b batch, wanted *atomic.Int64) answered {
	r := answered{index: b.index}
	kept := 0
	for _, file := range g.narrower.narrow(ctx, b.files) {
		if ctx.Err() != nil {
			break
		}
		f := g.search(ctx, file.path, max(int(wanted.Load())-kept, 0))
		kept += len(f.matches)
		if f.count > 0 || f.failed || f.binary {
			r.found = append(r.found, f)
		}
	}
	return r
}
