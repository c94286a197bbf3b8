package api

import (
	"context"
	"time"
)

// Job is a command that runs in the background of a session, or ran there.
type Job struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	// Dir is its folder, empty for that of the session.
	Dir string `json:"dir,omitempty"`
	// State is running, still running (since an earlier run of the program), ended, closed
	// (with the program), lost, or exit and a number.
	State string `json:"state"`
	// Exit is how it ended, nil while it runs and where it was ended.
	Exit    *int      `json:"exit,omitempty"`
	Running bool      `json:"running,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
}

// Jobs is the topic of background jobs.
type Jobs interface {
	// Jobs returns those of the session, the newest first.
	Jobs() []Job
	// JobsChanged returns a channel that is closed when one begins or ends.
	JobsChanged() <-chan struct{}
	// JobTail returns the end of what a job has put out, at most so many bytes.
	JobTail(id string, bytes int) string
	// KillJob ends a job with everything that it has started.
	KillJob(ctx context.Context, id string) error
}
