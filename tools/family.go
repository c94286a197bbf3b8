package tools

import "encoding/json"

// Family is the tools of one agent that belong together, with what they share. What
// is nil is not needed.
type Family struct {
	Tools []Tool
	// State is what the conversation keeps of the family.
	State *State
	// Begin is called when a turn of the agent begins.
	Begin func()
	// Forget is called when earlier results are no longer before the model: no tool
	// may refer to what it returned.
	Forget func()
	// Ran is called when a tool that does not only read has run: reading something
	// again after that is no repetition.
	Ran func()
	// Seen gives those of some files, named by absolute paths, whose content the
	// agent has seen.
	Seen func(paths []string) []string
	// News gives what has changed around the agent since it was asked last.
	News func() []News
	// Acts is called before a call of the agent that may change anything, and when it
	// is over: what changes meanwhile is the agent's own doing.
	Acts func(over bool)
	// Close deletes what the family has put aside. No call may be running.
	Close func() error
}

// State is what a conversation keeps of a family over its end and over a rewind. A
// call hands it over in [Result.State].
type State struct {
	// Name is its name in the journal, which never changes.
	Name string
	// Restore takes what was handed over last, nil for nothing.
	Restore func(json.RawMessage)
	// Open lists what is still to be done, in one line each, for a conversation
	// whose beginning no longer travels to the model.
	Open func() []string
}

// Saved is the state of a family as a call has left it.
type Saved struct {
	Name string // as in [State]
	Data json.RawMessage
}
