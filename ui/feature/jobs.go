package feature

import (
	"context"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
)

// How much of what a job has put out is read, and shown below the list, in bytes; jobEvery is
// how often that is looked at while one runs.
const (
	jobPage  = 200_000
	jobTail  = 16 << 10
	jobEvery = 250 * time.Millisecond
)

func jobs() Feature {
	return Feature{
		Name: "jobs", Title: "Background jobs", One: "job", Many: "jobs", Named: "id",
		Short: "Look after what runs in the background",
		Empty: "Nothing runs in the background.",
		Load: func(_ context.Context, h Host, _ string) (List, error) {
			l := List{Changed: h.Jobs.JobsChanged()}
			for _, j := range h.Jobs.Jobs() {
				l.Entries = append(l.Entries, jobEntry(j, h.Now()))
				if j.Running {
					l.Again = jobEvery
				}
			}
			return l, nil
		},
		Show: "Show what a job has put out", Open: keys.Open,
		Read: func(_ context.Context, h Host, e Entry) (string, error) { return h.Jobs.JobTail(e.ID, jobPage), nil },
		Tail: func(_ context.Context, h Host, e Entry) string {
			text := h.Jobs.JobTail(e.ID, jobTail)
			switch blank := strings.TrimSpace(text) == ""; {
			case blank && e.Live:
				return "No output yet."
			case blank:
				return "No output."
			}
			return text
		},
		Actions: []Action{{
			Verb: "end", Also: []string{"kill", "stop"}, Key: keys.Kill, Twice: "end the job",
			Help: "End a job with everything that it has started",
			Not: func(e Entry) string {
				if !e.Live {
					return "It has ended already."
				}
				return ""
			},
			Do: func(ctx context.Context, h Host, e Entry, _ string) (Outcome, error) {
				return said("Ended: "+e.Label, h.Jobs.KillJob(ctx, e.ID))
			},
		}},
	}
}

func jobEntry(j api.Job, now time.Time) Entry {
	e := Entry{ID: j.ID, Label: j.Command, Detail: j.Dir, State: j.State, Right: j.State, Live: j.Running, Value: j}
	end := j.Ended
	if j.Running {
		end = now
	}
	if !end.IsZero() {
		e.Right += " " + format.Elapsed(max(end.Sub(j.Started), 0))
	}
	return e
}
