package agentgrid

import (
	"fmt"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// streaming has 100 agents at work with some history each.
func streaming() *talk {
	s := many(100, 100)
	for i := range 100 {
		id := event.AgentID(fmt.Sprint("a", i))
		for j := range 40 {
			call := event.CallID(fmt.Sprint("c", i, "-", j))
			s.start(id, call, "terminal", "go test ./store -run Append -count=20")
			s.finish(id, call, "terminal", "go test ./store -run Append -count=20", 0, event.OutcomeOK)
		}
		for range 60 {
			s.say(id, "some words of an answer that goes on for a while, ")
		}
	}
	return s
}

// BenchmarkFrame100 lets 100 agents say something and draws the 20 that are in
// sight.
func BenchmarkFrame100(b *testing.B) {
	s := streaming()
	w := gridOf(s)
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		for k := range 100 {
			text := "some more words "
			if i%9 == k%9 {
				text = "and an end of it.\n\n"
			}
			s.say(event.AgentID(fmt.Sprint("a", k)), text)
		}
		b.StartTimer()
		w.Sync(&s.s, "t1")
		w.Tick(s.now.Add(time.Duration(i)*33*time.Millisecond), i)
		dst = w.Rows(dst[:0], 200, 60)
	}
	b.ReportMetric(float64(w.shown.per()), "tiles")
}

// BenchmarkSync100 takes in 100 agents.
func BenchmarkSync100(b *testing.B) {
	s := streaming()
	w := gridOf(s)
	w.Rows(nil, 200, 60)
	b.ReportAllocs()
	for b.Loop() {
		w.Sync(&s.s, "t1")
	}
}

// BenchmarkRowsStill draws a frame in which only spinners turn.
func BenchmarkRowsStill(b *testing.B) {
	w := gridOf(streaming())
	var dst []string
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.Tick(w.now, i)
		dst = w.Rows(dst[:0], 200, 60)
	}
}
