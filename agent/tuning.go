package agent

import (
	"hermes-tui/agent/compress"
	"hermes-tui/agent/guard"
	"hermes-tui/agent/recovery"
)

// Tuning is what of the configuration of a conversation may change while it runs. A turn
// keeps what it began with.
type Tuning struct {
	// Budget is how many model calls a turn of the root may make.
	Budget int
	// Policy is how hard failed model calls are tried again.
	Policy recovery.Policy
	// Guard says when repeated calls are warned about or stopped.
	Guard guard.Config
	// Compression says when and how far a history that fills the model's context
	// is shortened. Its marks are set by the conversation.
	Compression compress.Config
	// VerifyEdits reports at the end of a turn what could not be written.
	VerifyEdits bool
	// Quiet leaves out the sentence about a turn that ended early without a failure.
	Quiet bool
	// AskAfterUntrusted asks about what sends data out after a turn has read what
	// strangers may have written, see [approval.Request].
	AskAfterUntrusted bool
}

// tuned is a tuning in use.
type tuned struct {
	Tuning
	// engine compresses histories.
	engine ContextEngine
}

// Retune changes the tuning from the next turn of each agent on.
func (c *Conversation) Retune(t Tuning) {
	c.tuning.Store(&tuned{t, engine(t.Compression, c.root.tools)})
}
