package api

import (
	"context"
	"time"
)

// Memory is an entry of what is remembered, or one that had to make room.
type Memory struct {
	// ID names it as long as its text stays. Target is memory, for notes, or user.
	ID      string    `json:"id"`
	Target  string    `json:"target"`
	Text    string    `json:"text"`
	Project string    `json:"project,omitempty"` // empty for all
	At      time.Time `json:"at,omitzero"`       // when it was written, or made room
	// Reason is why it made room, empty for one that did not.
	Reason string `json:"reason,omitempty"`
	// Seen is the entry as it was read, for the implementation alone.
	Seen any `json:"-"`
}

// MemoryUse is how full what is remembered is, in percent.
type MemoryUse struct{ Notes, User int }

// MemoryWrite is a write of what is remembered.
type MemoryWrite struct {
	ID      string       `json:"id"`
	At      time.Time    `json:"at"`
	By      string       `json:"by,omitempty"`
	Target  string       `json:"target"`
	Removed []MemoryText `json:"removed,omitempty"`
	Added   []MemoryText `json:"added,omitempty"`
	// Undoes is the write that it takes back, empty for none; Undone reports whether a later
	// write took it back.
	Undoes string `json:"undoes,omitempty"`
	Undone bool   `json:"-"`
}

// MemoryText is an entry that a write added or removed, with its place.
type MemoryText struct {
	Index   int       `json:"index"`
	Text    string    `json:"content"`
	At      time.Time `json:"created_at,omitzero"`
	Project string    `json:"project,omitempty"`
}

// MemoryChange is a change that waits for the user.
type MemoryChange struct {
	ID     string    `json:"id"`
	At     time.Time `json:"created_at"`
	Change any       `json:"change"`
	Diff   string    `json:"diff"`
	Target string    `json:"-"`
	// Removed and Added are the texts of the change.
	Removed []string `json:"-"`
	Added   []string `json:"-"`
}

// MemoryFound is a text that a search has found.
type MemoryFound struct {
	From    string `json:"from"`
	Text    string `json:"text"`
	Project string `json:"project,omitempty"`
	When    string `json:"when,omitempty"`
	Session string `json:"session,omitempty"`
	Message string `json:"-"`
	// At most one is set; all are nil for a message.
	Memory   *Memory   `json:"-"`
	Archived *Memory   `json:"-"`
	Learning *Learning `json:"-"`
}

// Memories is the topic of what is remembered over sessions. The texts that its methods
// return say what came of a change.
type Memories interface {
	Memory() (list []Memory, use MemoryUse, err error)
	// AddMemory remembers a text among the notes or about the user, about a project or,
	// where that is empty, about none.
	AddMemory(ctx context.Context, ofUser bool, project, text string) (string, error)
	// EditMemory puts a text into the place of an entry; an empty one forgets it.
	EditMemory(ctx context.Context, id, text string) (string, error)
	// ScopeMemory makes an entry one about a project, or about none.
	ScopeMemory(ctx context.Context, id, project string) (string, error)
	// MemoryHistory returns the last writes, the newest first; UndoMemory takes one back, the
	// newest that was not where id is empty.
	MemoryHistory() ([]MemoryWrite, error)
	UndoMemory(ctx context.Context, id string) error
	// MemoryArchive returns the entries that made room, the newest first; PutBackMemory
	// remembers one again.
	MemoryArchive() ([]Memory, error)
	PutBackMemory(ctx context.Context, e Memory) (string, error)
	// MemoryPending returns the changes that wait, the oldest first; DecideMemory makes or
	// drops one. One that can no longer be made as it was seen goes on waiting.
	MemoryPending() ([]MemoryChange, error)
	DecideMemory(ctx context.Context, id string, take bool) (string, error)
}

// Recollection is what a session knows of memory.
type Recollection interface {
	// Project is what the session is about, as entries name it: the root of the repository
	// around its folder, or the folder, behind the name of a remote place.
	Project() string
	// SearchMemory finds what was remembered, archived, learnt and said in other sessions, the
	// best first: by meaning where a model makes vectors, by words. Meaningful reports whether
	// it goes by meaning, or says why not.
	SearchMemory(ctx context.Context, words string) ([]MemoryFound, error)
	Meaningful() (yes bool, why string)
	// RenewPrompt lets the next turn begin with a system prompt of what is remembered then.
	RenewPrompt()
}
