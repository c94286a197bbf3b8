package api

import (
	"context"

	"hermes-tui/agent/event"
)

// Record is the topic of what is kept of a conversation besides its messages.
type Record interface {
	SetTitle(title string) error
	// SetBookmark marks a block of the transcript to come back to, or no longer.
	SetBookmark(block event.BlockID, on bool) error
	// Notify shows a notice that concerns this run of the program.
	Notify(level event.Level, text string)
	// Output returns the whole readable output of a call, of which the transcript may hold only
	// a part; false when there is none. It reads from the disk.
	Output(id event.CallID) (string, bool)
	// Draft returns what was typed and not sent when the program ended, with what was put aside
	// behind [event.StashMark]; SaveDraft keeps it up to date.
	Draft(ctx context.Context) (string, error)
	SaveDraft(ctx context.Context, text string) error
}
