package delegate

import (
	"context"
	"testing"

	"hermes-tui/agent/event"
)

// nested are three agents, one below the other, while a benchmark runs.
func nested(b *testing.B) (low *Member) {
	found := make(chan *Member)
	var r *Registry
	r = idle(limits(), func(ctx context.Context, m *Member) Report {
		if m.Depth() == 3 {
			found <- m
			<-ctx.Done()
			return Report{}
		}
		c, err := r.Spawn(ctx, Spec{Parent: m.ID(), Role: event.RoleOrchestrator})
		if err != nil {
			return Report{State: event.AgentFailed, Error: err.Error()}
		}
		return c.Wait()
	})
	if _, err := r.Spawn(context.Background(), Spec{Parent: rootID, Role: event.RoleOrchestrator}); err != nil {
		b.Fatal(err)
	}
	low = <-found
	b.Cleanup(r.Close)
	return low
}

func BenchmarkCheckpoint(b *testing.B) {
	m := nested(b)
	ctx, stop := context.WithCancel(m.ctx)
	defer stop()
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Checkpoint(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBeat(b *testing.B) {
	m := nested(b)
	b.ReportAllocs()
	for b.Loop() {
		m.Beat()
	}
}

// BenchmarkBeats has many goroutines beat for the same agents.
func BenchmarkBeats(b *testing.B) {
	m := nested(b)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.Beat()
		}
	})
}

// BenchmarkHundred spawns a hundred subagents that end at once.
func BenchmarkHundred(b *testing.B) {
	l := limits()
	l.Concurrent = 100
	r := idle(l, func(context.Context, *Member) Report { return Report{State: event.AgentCompleted} })
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		list := make([]*Member, 100)
		for i := range list {
			m, err := r.Spawn(context.Background(), Spec{Parent: rootID, Goal: "g"})
			if err != nil {
				b.Fatal(err)
			}
			list[i] = m
		}
		for _, m := range list {
			m.Wait()
		}
	}
}
