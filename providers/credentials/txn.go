package credentials

import (
	"context"
	"errors"
	"slices"
	"time"

	"hermes-tui/store/atomicfile"
)

// How long the lock of a file is waited for.
const (
	longWait  = 15 * time.Second       // for what a user asked for
	markWait  = 2 * time.Second        // for statuses; until then they hold in memory
	countWait = 200 * time.Millisecond // for bookkeeping between two requests
)

// txn is a change to a pool under the lock of its file. A pool has one at a time.
type txn struct {
	p     *Pool
	locks locks
	docs  documents
	v     *view
	taken int // operations at the beginning of p.ops that v holds
}

// begin locks the file of the pool, reads it, and puts the pool together with all
// operations that are not written yet. With own the pool is taken to the own file.
func (p *Pool) begin(ctx context.Context, wait time.Duration, own bool) (*txn, error) {
	s := p.store
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	t := &txn{p: p}
	err := t.locks.lock(ctx, s.own)
	if err == nil {
		t.docs, err = s.readStrict()
	}
	if err == nil && s.root != nil {
		var root bool
		if _, root, err = t.docs.owner(p.provider); err == nil && root {
			if err = t.locks.lock(ctx, s.root); err == nil {
				t.docs, err = s.readStrict()
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, t.locks.unlock())
	}
	p.mu.Lock()
	ops, o := slices.Concat(p.kept, p.ops), p.o
	t.taken = len(p.ops)
	p.mu.Unlock()
	if t.v, err = assemble(t.docs, p.provider, o.seeds(), ops, own); err != nil {
		return nil, errors.Join(err, t.locks.unlock())
	}
	return t, nil
}

// apply makes one more change.
func (t *txn) apply(o op) {
	t.p.mu.Lock()
	t.p.ops = slices.Insert(slices.Clone(t.p.ops), t.taken, o)
	t.taken++
	t.p.mu.Unlock()
	o.apply(t.v)
}

// write stores the pool. Nothing is written when nothing changed, unless the file
// has to prove that it can be written.
func (t *txn) write(prove bool) error {
	if err := t.v.store(); err != nil {
		return err
	}
	s := t.p.store
	for _, f := range []struct {
		file *file
		doc  *document
	}{{s.own, t.docs.own}, {s.root, t.docs.root}} {
		if f.doc == nil || !f.doc.changed() && (!prove || f.doc != t.v.doc) {
			continue
		}
		if err := f.file.write(f.doc, s.now()); err != nil {
			return err
		}
		f.doc.before = f.doc.top.encode()
		s.report(nil)
	}
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	// Operations on rows that stay out of the root's file hold in memory.
	held := slices.DeleteFunc(slices.Concat(t.p.kept, t.p.ops[:t.taken]), func(o op) bool {
		r := t.v.find(o.target())
		return !t.v.root || r == nil || !r.fresh
	})
	t.p.kept, t.p.ops, t.taken = held[max(len(held)-mostOps, 0):], t.p.ops[t.taken:], 0
	for _, r := range t.v.entries() {
		r.fresh = r.fresh && t.v.root
	}
	return nil
}

// end releases the lock. What was not written stays with the pool.
func (t *txn) end() error { return t.locks.unlock() }

// flush writes what is not written yet.
func (p *Pool) flush(ctx context.Context, wait time.Duration) error {
	t, err := p.begin(ctx, wait, false)
	if err != nil {
		return err
	}
	return errors.Join(t.write(false), t.end())
}

// keep makes an operation hold, and writes it if that is possible within the
// wait. An interrupted request does not interrupt it.
func (p *Pool) keep(ctx context.Context, wait time.Duration, o op) error {
	p.mu.Lock()
	p.ops = queued(p.ops, o)
	p.mu.Unlock()
	return p.catchUp(ctx, wait)
}

// catchUp is [Pool.flush] where a lock that another process holds is no error: the next
// operation writes what waits, at the latest Close.
func (p *Pool) catchUp(ctx context.Context, wait time.Duration) error {
	err := p.flush(context.WithoutCancel(ctx), wait)
	if _, held := errors.AsType[*atomicfile.HeldError](err); held {
		return nil
	}
	return err
}

// unwritten reports whether there is something to write.
func (p *Pool) unwritten() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ops) > 0
}
