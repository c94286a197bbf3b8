package api

import (
	"context"
	"errors"

	"hermes-tui/agent/event"
	"hermes-tui/tools/hunks"
)

// Changes is the topic of what agents change in files.
type Changes interface {
	// Diff returns a unified diff of what agents have changed in files since a turn began, or in
	// the whole conversation when it is empty. notes say what it leaves out.
	Diff(ctx context.Context, since event.TurnID) (diff string, notes []string, err error)
	// Edits returns what agents have changed in files since a turn began, for a review
	// afterwards. Revise does what the review decides to the files, as far as they are what the
	// agents left, and tells the agent: the running turn, or one that begins with it. It returns
	// a sentence on what it did, empty where there was nothing to do.
	Edits(ctx context.Context, since event.TurnID) (Edits, error)
	Revise(ctx context.Context, e Edits, r hunks.Review) (said string, err error)
	// PlanRewind returns what going back to before a turn would do to files, Rewind does it to
	// conversation, files or both, UndoRewind takes it back.
	PlanRewind(ctx context.Context, to event.TurnID) (RewindPlan, error)
	Rewind(ctx context.Context, o RewindOptions) (Rewound, error)
	UndoRewind(ctx context.Context) error
}

// RewindPlan says what becomes of files, one line each: path and why.
type RewindPlan struct {
	// Restored are files that are put back.
	Restored []RewoundFile
	// Doubtful were changed while an agent's command ran, but perhaps by someone
	// else.
	Doubtful []RewoundFile
	// Conflicts have been changed by someone else since.
	Conflicts []RewoundFile
	// Impossible cannot be put back.
	Impossible []RewoundFile
	// Unwatched says in a phrase each of what no change is known, and why.
	Unwatched []string
}

// RewoundFile is a file of a plan.
type RewoundFile struct{ Path, Note string }

// RewindOptions say how far to go back, and what goes back.
type RewindOptions struct {
	// To is the turn whose prompt is taken back, with everything after it.
	To event.TurnID
	// Conversation takes messages back.
	Conversation bool
	// Files takes back what agents have done to files.
	Files bool
	// Doubtful restores files that perhaps someone else has changed as well.
	Doubtful bool
	// Overwrite restores all that can be.
	Overwrite bool
}

// Rewound says what came of a rewind.
type Rewound struct {
	// Text is the prompt that was taken back, to be edited and sent again.
	Text string
	// Images are those of the prompt.
	Images []event.Attachment
	Files  RewindPlan
}

// ErrNothingToUndo means that no rewind can be undone: there was none, or the
// conversation has gone on since.
var ErrNothingToUndo = errors.New("there is no rewind to undo: it can be undone until the next message is sent")

// Edits are what agents have changed in files since a turn began, to be decided about
// afterwards.
type Edits struct {
	Edit *event.Edit // nil for none
	// Notes say what is not shown.
	Notes []string
	// Since is the turn, Sum identifies what is shown.
	Since event.TurnID
	Sum   string
}
