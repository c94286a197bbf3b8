package api

import (
	"context"

	"hermes-tui/agent/event"
)

// Attach is the topic of images.
type Attach interface {
	// AttachFile makes an image of a file of the workspace, as [Files] names it, AttachLocal of
	// a file of this machine, AttachData of bytes with a name. It is kept and can be submitted.
	AttachFile(ctx context.Context, name string) (event.Attachment, error)
	AttachLocal(ctx context.Context, name string) (event.Attachment, error)
	AttachData(ctx context.Context, name string, data []byte) (event.Attachment, error)
	// Described reports whether images for a model that sees none are put into words by another
	// one.
	Described() bool
}

// Commands is the topic of commands that the user runs.
type Commands interface {
	// RunTyped runs a command beside whatever goes on, in the agent's folder and with the
	// user's rights, and returns when it is recorded as begun. With tell the agent gets its
	// output with the next message. StopTyped stops the newest, and returns false when none
	// runs.
	RunTyped(command string, tell bool) (event.CallID, error)
	StopTyped() bool
	// Interpolate runs a command and returns its output.
	Interpolate(ctx context.Context, command string) (string, error)
}

// Files is the topic of files of the workspace.
type Files interface {
	// Files returns the folders of the workspace, with a slash behind them, and its files, at
	// most a few ten thousand, and behind them the resources of MCP servers.
	Files(ctx context.Context) []string
	// Peek returns the beginning of a file as it may be shown; the error is why it may not, to
	// follow "it".
	Peek(ctx context.Context, name string, bytes int64) (string, error)
}
