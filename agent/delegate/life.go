package delegate

import (
	"context"
	"fmt"
	"slices"

	"hermes-tui/agent/event"
	"hermes-tui/tools/shorten"
)

// summaryLimit bounds what the event of an end carries of a summary, and of an
// error, in characters. The report has them whole.
const summaryLimit = 2000

// run takes a subagent from the queue to its end, on a goroutine of its own.
func (r *Registry) run(m *Member) {
	var rep Report
	defer r.leave()
	noticed := make(chan struct{})
	unwatch := context.AfterFunc(m.dep, func() {
		defer close(noticed)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.endDependent(m)
	})
	defer func() {
		if !unwatch() {
			<-noticed
		}
	}()
	defer func() { r.finish(m, rep) }() // whatever its function does
	select {
	case <-m.granted:
	case <-m.ctx.Done():
		return
	}
	if err := m.begun.wait(); err != nil {
		rep = Report{State: event.AgentFailed, Error: "its start could not be recorded: " + err.Error()}
		return
	}
	if m.ctx.Err() == nil {
		rep = r.call(m)
	}
}

// call runs a subagent's function. A panic in it is a report.
func (r *Registry) call(m *Member) (rep Report) {
	defer func() {
		if p := recover(); p != nil {
			rep = Report{State: event.AgentFailed, Error: fmt.Sprintf("internal error: %v", p)}
		}
	}()
	return r.o.Run(m.ctx, m)
}

// finish ends a subagent after everything below it, and gives its slot back.
func (r *Registry) finish(m *Member, rep Report) {
	r.mu.Lock()
	m.closing = true
	below := slices.Clone(m.below)
	for _, c := range below {
		r.end(c, event.AgentInterrupted, TopEnded, string(TopEnded))
	}
	r.mu.Unlock()
	for _, c := range below {
		<-c.done
	}
	r.mu.Lock()
	r.endDependent(m)
	m.report = m.final(rep)
	m.report.Took = m.own.read(r.o.IDs.Now())
	m.cancel(context.Canceled)
	r.release(m)
	e := r.emit(m, nil, &event.AgentFinished{
		State: m.report.State, Summary: cut(m.report.Summary), Error: cut(m.report.Error),
	})
	m.state = m.report.State
	r.remove(m)
	r.retire(m)
	r.mu.Unlock()
	_ = e.wait() // it has ended, stored or not
	close(m.done)
}

// final is a report as it counts: what an agent was asked wins over what it says.
func (m *Member) final(rep Report) Report {
	if rep.Model == "" {
		rep.Model = m.spec.Model
	}
	switch {
	case m.asked.state != "":
		rep.State, rep.Error = m.asked.state, m.asked.text
	case !rep.State.Ended():
		rep.State = event.AgentFailed
		if rep.Error == "" {
			rep.Error = "internal error: it ended without saying how"
		}
	}
	return rep
}

// endDependent asks an agent to end if what it depends on has ended.
func (r *Registry) endDependent(m *Member) {
	if m.dep.Err() == nil {
		return
	}
	text := context.Cause(m.dep).Error()
	if m.parent.asked.state != "" {
		text = string(TopEnded)
	}
	r.ask(m, ending{event.AgentInterrupted, text}, context.Cause(m.dep))
}

// end asks an agent to end, unless what it depends on has ended before.
func (r *Registry) end(m *Member, s event.AgentState, why Why, text string) {
	r.endDependent(m)
	r.ask(m, ending{s, text}, r.cause(why))
}

// ask asks an agent to end, once, and says so if it has begun.
func (r *Registry) ask(m *Member, e ending, cause error) {
	if m.asked.state != "" || m.state.Ended() {
		return
	}
	m.asked = e
	m.cancel(cause)
	if m.hasSlot {
		r.change(m, event.AgentStopping, e.text)
	}
	r.release(m)
}

// release lets a paused agent go on to its end.
func (r *Registry) release(m *Member) {
	if !m.paused {
		return
	}
	m.paused, m.spread = false, false
	m.gated.Store(false)
	close(m.gate)
}

// cut shortens a text for an event.
func cut(s string) string {
	return shorten.To(s, summaryLimit)
}
