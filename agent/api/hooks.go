package api

import (
	"context"
	"time"
)

// Hook is a command that runs at an event.
type Hook struct {
	ID      string `json:"id"`
	Event   string `json:"event"`
	About   string `json:"about"` // when the event comes
	Command string `json:"command"`
	Matcher string `json:"matcher,omitempty"` // empty for all
	// Seconds is how long it may take.
	Seconds    int  `json:"timeout"`
	FailClosed bool `json:"fail_closed,omitempty"`
	Background bool `json:"async,omitempty"`
	// Outside reports whether it runs with all rights of the user, since its entry wants that
	// or nothing can be confined.
	Outside bool `json:"outside,omitempty"`
	// File is where it is written; Folder reports whether it comes with a folder.
	File   string `json:"file"`
	Folder bool   `json:"folder,omitempty"`
	// State is approved, changed, new, off or broken; Why explains all but the first.
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	// Files are those that it consists of.
	Files []string `json:"files,omitempty"`
	// Runs are its last ones in this program, the newest first.
	Runs []HookRun `json:"runs,omitempty"`
	// Seen is what was looked at, for the implementation alone.
	Seen any `json:"-"`
}

// HookRun is a run of a hook.
type HookRun struct {
	At      time.Time     `json:"at"`
	Took    time.Duration `json:"took"`
	Tool    string        `json:"tool,omitempty"`
	Outcome string        `json:"outcome"`
	Said    string        `json:"said,omitempty"`
	Failed  bool          `json:"failed,omitempty"`
}

// Hooks is the topic of hooks.
type Hooks interface {
	// Hooks returns the hooks of a folder, and what of them could not be read.
	Hooks(ctx context.Context) (list []Hook, problems []string)
	// ReadHook returns the files that a hook consists of, each below its name, masked.
	ReadHook(h Hook) string
	// ApproveHook lets a hook run as it was seen, or no more.
	ApproveHook(ctx context.Context, h Hook, yes bool) error
	// TestHook runs a hook that is approved with a sample of its event and returns a text on
	// what came of it.
	TestHook(ctx context.Context, h Hook) (string, error)
}
