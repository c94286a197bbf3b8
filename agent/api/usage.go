package api

import (
	"context"
	"time"

	"hermes-tui/agent/event"
)

// Usage is the topic of what model calls have used.
type Usage interface {
	// Spent returns the use of the turns, the oldest first, and that of the sessions of the last
	// fourteen days, all of them, by the day on which they began.
	Spent(ctx context.Context) ([]TurnUse, []DayUse, error)
	// SideCalls returns the calls beside the conversation by task, with their use and the link
	// of the chain that answered, since the program began.
	SideCalls() []SideUse
}

// TurnUse is what a turn of the root has used, with all subagents that it asked for, and
// calls beside the conversation.
type TurnUse struct {
	Turn   event.TurnID
	At     time.Time // of its first model call
	Agents int       // subagents that made calls
	Usage  event.Usage
}

// DayUse is what the sessions have used that began on a day.
type DayUse struct {
	Day             time.Time
	Sessions, Calls int64
	Input, Output   int64
	Cost            event.Money // as far as it is known
}

// SideUse is what a task beside the conversation has used since the program began.
type SideUse struct {
	Task string
	// Calls counts those that were answered, Failed those that no service answered.
	Calls, Failed int
	// By names the service that answered last, and Link its place in the chain, from 1.
	By   string
	Link int
	// Err is why a service failed last, masked; empty when none has.
	Err   string
	Usage event.Usage
}
