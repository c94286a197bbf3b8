package app

import (
	"context"
	"testing"
	"time"

	"hermes-tui/agent/event"
)

// TestListedJobsThatAreGone resumes a conversation whose journal calls a job running
// that nothing else knows of: the list is put right, and nothing counts as working.
func TestListedJobsThatAreGone(t *testing.T) {
	b := newBox(t)
	a, conv := b.begin()
	if _, err := conv.Submit("hello"); err != nil {
		t.Fatal(err)
	}
	s := conv.State()
	until(t, conv, s, "the prompt is kept", func() bool { return s.Root() != nil && len(s.Root().Blocks) > 0 })
	job := event.Job{ID: "proc_1", Command: "sleep 600", State: event.JobRunning}
	if err := conv.(*conversation).ShowJobs([]event.Job{job}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, again := b.resume()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for s := again.State(); len(s.Jobs) > 0; {
		events, err := again.Next(ctx)
		if err != nil {
			t.Fatalf("the jobs are still %+v: %v", s.Jobs, err)
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
	if again.Working() {
		t.Error("a job that is gone counts as work")
	}
}
