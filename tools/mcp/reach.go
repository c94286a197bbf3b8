package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hermes-tui/store/atomicfile"
)

// Reach remembers over runs of the program how servers were reached, so that no turn waits
// for one again and again that is not there.
type Reach struct {
	// File keeps it. What it holds is a hint: it is written without a lock.
	File string
	Now  func() time.Time

	mu  sync.Mutex
	met map[string]met // nil before it was read
}

// met says how a server was reached last.
type met struct {
	Failed time.Time     `json:"failed,omitzero"`
	Took   time.Duration `json:"took,omitempty"`
}

// waitAgain is after how long a server that was not reached is waited for again.
const waitAgain = 10 * time.Minute

// mostMet is how many servers are remembered.
const mostMet = 500

// of gives what is known of a server.
func (r *Reach) of(c Config) met {
	if r == nil {
		return met{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.load()
	return r.met[key(c)]
}

// load reads the file once. The caller holds the lock.
func (r *Reach) load() {
	if r.met != nil {
		return
	}
	r.met = map[string]met{}
	if data, err := os.ReadFile(r.File); err == nil {
		_ = json.Unmarshal(data, &r.met) // what is damaged is not known
	}
}

// note keeps how a server was reached: it took so long, or it was not.
func (r *Reach) note(c Config, took time.Duration, reached bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.load()
	now := met{Took: took}
	if was := r.met[key(c)]; !reached {
		now = met{Failed: r.Now().UTC(), Took: was.Took}
	} else if was.Failed.IsZero() && was.Took > 0 && took < 2*was.Took && was.Took < 2*took {
		return // as it is known
	}
	if len(r.met) >= mostMet {
		clear(r.met)
	}
	r.met[key(c)] = now
	data, err := json.Marshal(r.met)
	if err == nil && atomicfile.MkdirPrivate(filepath.Dir(r.File)) == nil {
		_ = atomicfile.Write(r.File, data, 0o600) // a hint
	}
}

// Patience is how long a turn waits for servers on their way: for those of which nothing is
// known, and at most for those that were reached before, by what they took then. One that was
// not reached lately is not waited for.
type Patience struct{ New, Known time.Duration }

// of is how long a server is waited for.
func (p Patience) of(m met, now time.Time) time.Duration {
	switch {
	case !m.Failed.IsZero() && now.Sub(m.Failed) < waitAgain:
		return 0
	case m.Took > 0:
		return min(p.Known, max(2*m.Took, time.Second))
	}
	return p.New
}

// WaitABit waits for servers that were not tried yet, each as long as is worth it.
func (s *Servers) WaitABit(ctx context.Context, p Patience) {
	var waiting sync.WaitGroup
	for _, one := range s.all() {
		waiting.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, p.of(s.o.Reach.of(one.c), s.o.Now()))
			defer cancel()
			one.tried(ctx)
		})
	}
	waiting.Wait()
}
