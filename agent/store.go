package agent

import (
	"context"
	"errors"

	"hermes-tui/agent/journal"
	"hermes-tui/store/sessions"
)

// Store is where a conversation is kept; *sessions.DB is one.
type Store interface {
	journal.Store
	// Context is what the model gets of a session.
	Context(ctx context.Context, session string) ([]sessions.Message, error)
	// Shortened reports whether a session has a compression that can be taken back.
	Shortened(ctx context.Context, session string) (bool, error)
	// LockCompression takes the lock under which a session is compressed, and reports
	// false while another program has it.
	LockCompression(ctx context.Context, session, holder string) (bool, error)
	UnlockCompression(ctx context.Context, session, holder string) error
	// Chosen is what a user has dropped of a session, see [sessions.DB.Chosen].
	Chosen(ctx context.Context, session string) (dropped, replaced []sessions.Message, err error)
	// FindEvent is the newest event of a type whose body holds a text.
	FindEvent(ctx context.Context, conv, kind, part string) (sessions.Event, error)
	// TitleFree says whether a session can have a title, see [sessions.DB.TitleFree].
	TitleFree(ctx context.Context, title, session string) error
	// Image is one that is kept until its message holds it; a
	// [*sessions.NotFoundError] says that it is not.
	Image(ctx context.Context, id string) (sessions.Part, error)
}

// ErrFolderGone says that the workspace is no longer where it was.
var ErrFolderGone = errors.New("the folder of this session is gone")
