package credentials

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are what a store is made of.
type Options struct {
	// File is auth.json. Its directory must exist. Empty keeps everything in
	// memory, for this process only.
	File string
	// Root is the auth.json of the default profile, for another profile: a pool
	// that File has nothing for is the one of Root. Empty for none.
	Root string
	// Clock is time.Now when nil.
	Clock func() time.Time
	// Random is the system's randomness when nil.
	Random io.Reader
	// Report takes what a user should know and no caller is told: a file that
	// became unreadable, an operation that could not be written yet. The same
	// sentence is not reported twice in a row. It may be called from any
	// goroutine and must not call the store; nil drops it.
	Report func(error)
}

// Store is one auth.json, with the root's behind it for a profile. It is safe for
// concurrent use.
type Store struct {
	o         Options
	own, root *file

	mu    sync.Mutex
	last  documents // as last read without an error
	pools map[string]*shared
	// unreadable and reported are the sentences reported last about reading and
	// about anything else.
	unreadable, reported string
	closed               bool
}

// Open reads the files. A file that does not exist is an empty one and is made
// with the first thing there is to keep. A file that cannot be understood is a
// [*FileError]; a caller that wants to go on with borrowed keys opens a store
// without a file.
func Open(o Options) (*Store, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	s := &Store{o: o, own: newFile(o.File), pools: map[string]*shared{}}
	if o.Root != "" && o.File != "" && o.Root != o.File {
		s.root = newFile(o.Root)
	}
	docs, err := s.readStrict()
	if err != nil {
		return nil, err
	}
	s.last = docs
	return s, nil
}

// readStrict reads the files.
func (s *Store) readStrict() (documents, error) {
	own, err := s.own.read()
	if err != nil || s.root == nil {
		return documents{own: own}, err
	}
	root, err := s.root.read()
	return documents{own, root}, err
}

// read reads the files; of one that cannot be read the last good contents count.
func (s *Store) read() documents {
	own, ownErr := s.own.read()
	var root *document
	var rootErr error
	if s.root != nil {
		root, rootErr = s.root.read()
	}
	s.mu.Lock()
	if ownErr == nil {
		s.last.own = own
	}
	if rootErr == nil {
		s.last.root = root
	}
	docs := s.last
	s.mu.Unlock()
	s.tell(&s.unreadable, errors.Join(ownErr, rootErr))
	return docs
}

// report passes on what no caller is told.
func (s *Store) report(err error) { s.tell(&s.reported, err) }

// tell reports an error unless it is the last one told; no error forgets that
// one.
func (s *Store) tell(last *string, err error) {
	sentence := ""
	if err != nil {
		sentence = err.Error()
	}
	s.mu.Lock()
	again := *last == sentence
	*last = sentence
	s.mu.Unlock()
	if err != nil && !again && s.o.Report != nil {
		s.o.Report(err)
	}
}

func (s *Store) now() time.Time { return s.o.Clock() }

// Pool gives the pool of a provider, an id such as "openrouter" or what
// [CustomProvider] makes. What is not written yet is counted for the whole
// process; the options are the caller's own. The error is a [*FileError] about this
// pool alone.
func (s *Store) Pool(provider string, o PoolOptions) (*Pool, error) {
	provider = strings.ToLower(strings.TrimSpace(provider))
	docs := s.read()
	if _, err := assemble(docs, provider, nil, nil, false); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	p := s.pools[provider]
	if p == nil {
		p = &shared{store: s, provider: provider, flights: map[string]*flight{}}
		s.pools[provider] = p
	}
	pool := &Pool{shared: p, o: o.withDefaults()}
	if p.last == nil || len(o.seeds()) > 0 {
		p.last = pool
	}
	return pool, nil
}

// Providers are the pools that the files have entries of, sorted.
func (s *Store) Providers() []string {
	docs := s.read()
	names := docs.own.providers()
	if docs.root != nil {
		names = append(names, docs.root.providers()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Secrets are all secrets that the files hold, for masking. They change when a
// login is renewed.
func (s *Store) Secrets() []string {
	docs := s.read()
	var out []string
	for _, d := range []*document{docs.own, docs.root} {
		if d != nil {
			out = append(out, d.secrets()...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Close waits for renewals that are under way and writes what is not written yet,
// each until ctx ends; writing is tried then as well. What cannot be written is
// lost, and the error says so. Afterwards nothing is renewed.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	var pools []*Pool
	for _, name := range slices.Sorted(maps.Keys(s.pools)) {
		pools = append(pools, s.pools[name].last)
	}
	s.mu.Unlock()
	var errs []error
	for _, p := range pools {
		if !p.landed(ctx) {
			errs = append(errs, fmt.Errorf("wait for the renewal of a login of %s: %w", p.provider, context.Cause(ctx)))
		}
	}
	for _, p := range pools {
		if !p.unwritten() {
			continue
		}
		ctx, wait := ctx, longWait
		if ctx.Err() != nil {
			ctx, wait = context.WithoutCancel(ctx), countWait
		}
		errs = append(errs, p.flush(ctx, wait))
	}
	return errors.Join(errs...)
}
