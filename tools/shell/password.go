package shell

import "sync"

// password is what sudo was last given. It is kept in memory only. It is safe for
// concurrent use.
type password struct {
	mu    sync.Mutex
	value []byte
}

// get gives a copy, which the caller wipes; nil when nothing is kept.
func (p *password) get() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.value == nil {
		return nil
	}
	return append(make([]byte, 0, len(p.value)), p.value...)
}

func (p *password) keep(value []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.value)
	p.value = append(make([]byte, 0, len(value)), value...)
}

func (p *password) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.value)
	p.value = nil
}
