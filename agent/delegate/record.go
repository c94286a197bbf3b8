package delegate

import (
	"errors"

	"hermes-tui/agent/event"
)

// entry is what is recorded at once.
type entry struct {
	m      *Member
	events []event.Event
	// then is called when the events were handed over.
	then func()
	// sent is closed at that time.
	sent chan struct{}
	// stored is set before it.
	stored func() error
}

// errShut is what waits for a registry that records nothing any more.
var errShut = errors.New("the session is closed")

// wait blocks until the events are stored.
func (e *entry) wait() error {
	<-e.sent
	return e.stored()
}

// emit puts events of an agent into the list of what is recorded. The mutex is
// held, so the list has the order in which things happened.
func (r *Registry) emit(m *Member, then func(), events ...event.Event) *entry {
	for _, e := range events {
		e.Head().Agent, e.Head().Session = m.id, m.session
		event.Stamp(e)
	}
	e := &entry{m: m, events: events, then: then, sent: make(chan struct{})}
	if r.shut {
		e.stored = func() error { return errShut }
		e.over()
		return e
	}
	r.out = append(r.out, e)
	if !r.pumping {
		r.pumping = true
		r.running++
		go r.pump()
	}
	return e
}

// pump hands the list over until it is empty. It alone calls Record, without the
// mutex.
func (r *Registry) pump() {
	for {
		r.mu.Lock()
		if len(r.out) == 0 {
			r.out, r.pumping = nil, false
			r.left()
			r.mu.Unlock()
			return
		}
		e := r.out[0]
		r.out[0] = nil
		r.out = r.out[1:]
		r.mu.Unlock()
		e.stored = r.o.Record(e.m, e.events...)
		e.over()
	}
}

func (e *entry) over() {
	if e.then != nil {
		e.then()
	}
	close(e.sent)
}

// change puts an agent into another state and says so.
func (r *Registry) change(m *Member, s event.AgentState, on string) *entry {
	m.state = s
	e := r.emit(m, nil, &event.AgentStateChanged{State: s, On: on})
	r.countTime(m)
	return e
}
