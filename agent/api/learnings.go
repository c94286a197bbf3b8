package api

import (
	"context"
	"time"
)

// Learning is what was learnt from a call that failed.
type Learning struct {
	ID string `json:"id"`
	// Failed is the call, or a description; Error the class of the failure and Output the
	// text of it.
	Failed string `json:"failed"`
	Error  string `json:"error,omitempty"`
	Output string `json:"output,omitempty"`
	// Fix is the call that worked instead, or advice.
	Fix     string   `json:"fix"`
	Project string   `json:"project,omitempty"` // empty for all
	Tags    []string `json:"tags,omitempty"`
	// Used is how often it was shown to an agent.
	Used   int       `json:"used"`
	UsedAt time.Time `json:"used_at,omitzero"`
	At     time.Time `json:"learnt,omitzero"`
	// Seen is the entry as it was read, for the implementation alone.
	Seen any `json:"-"`
}

// Learnings is the topic of learnings.
type Learnings interface {
	// Learnings returns all, the newest first, and the number of lines of the file that
	// cannot be read.
	Learnings() (list []Learning, unread int, err error)
	// EditLearning changes the texts of a learning to those of l.
	EditLearning(ctx context.Context, l Learning) error
	// ForgetLearning deletes a learning, RestoreLearning puts it back as it was.
	ForgetLearning(ctx context.Context, id string) error
	RestoreLearning(ctx context.Context, l Learning) error
}
