package recovery

import (
	"time"

	"hermes-tui/providers/failure"
)

// Action is what to do about a failed call. The set is closed; a type switch
// carries it out. After every action but [Abort] the request is built again, in
// the form that [State.Shape] says, and sent again. What was streamed is taken
// back, or kept and gone on from, as [Fault.GoOn] says.
type Action interface {
	// slot tells kinds of actions apart, for [State.Without].
	slot() slot
}

// Resend sends the request again at once over another connection.
type Resend struct {
	Reason failure.Reason
	// Attempt counts these from 1.
	Attempt int
	// Max is how many there can be.
	Max int
}

// Wait sends the request again after a delay.
type Wait struct {
	Reason failure.Reason
	Delay  time.Duration
	// Attempt is the number of the attempt that follows, from 2.
	Attempt int
	// Max is how many are made in all unless something else helps.
	Max int
	// Asked says that the server asked for the delay.
	Asked bool
	// Hint is a guess at the cause, as a sentence, or empty.
	Hint string
}

// Refresh renews the credential in use.
type Refresh struct{}

// Rotate takes another credential of the same service. How long the one that
// failed rests is for the pool to know.
type Rotate struct{ Reason failure.Reason }

// Reshape changes the form of the request. The change is part of [State.Shape]
// already.
type Reshape struct {
	Change Change
	// Tokens is the new longest answer when the change is [SmallerAnswer].
	Tokens int
	// Tool is the one that is left out when the change is [SetAside], Most what is sent at
	// most when it is [FewerTools] or [FewerImages].
	Tool string
	Most int
}

// Tell sends the request again with a word to the model behind it: the service could not
// read the call that the model has written.
type Tell struct {
	Note string
	// Attempt counts these from 1.
	Attempt, Max int
}

// Compress shortens the history.
type Compress struct {
	Reason failure.Reason
	// Window is the context to assume from now on, in tokens; 0 leaves it.
	Window int
	// Persist says that it is the model's own and worth remembering.
	Persist bool
	// Pause passes between the compression and the request.
	Pause time.Duration
	// Attempt counts compressions of the turn from 1.
	Attempt, Max int
}

// Rebuild makes a new transport to the same service and sends the request again
// after a delay.
type Rebuild struct {
	Reason       failure.Reason
	Delay        time.Duration
	Attempt, Max int // as in [Wait]
}

// FallBack goes to the next service of the chain, for the rest of the turn.
type FallBack struct {
	Reason failure.Reason
	// Rest is how long the service that is left stays unused in later turns, 0 for
	// not at all.
	Rest time.Duration
}

// Abort ends the turn.
type Abort struct {
	Reason failure.Reason
	Cause  Cause
	// Sentence tells the user what happened and what to do next.
	Sentence string
	// Attempts is how often this service was asked.
	Attempts int
}

// Cause says why recovery came to its end.
type Cause string

// The causes.
const (
	// CauseCancelled: the call was stopped on purpose.
	CauseCancelled Cause = "cancelled"
	// CauseRefused: sending it again is of no use.
	CauseRefused Cause = "refused"
	// CauseBadCalls: the service cannot read the calls that the model writes.
	CauseBadCalls Cause = "unreadable_calls"
	// CauseExhausted: all attempts failed.
	CauseExhausted Cause = "all_retries_exhausted"
	// CauseCompressionOff: only a shorter history helps, and automatic compression
	// is switched off.
	CauseCompressionOff Cause = "compression_disabled"
	// CauseTooLong: the history was compressed as often as allowed, or could not
	// be.
	CauseTooLong Cause = "context_too_long"
)

// slot is a kind of action, as a bit.
type slot uint32

const (
	slotResend slot = 1 << iota
	slotWait
	slotRefresh
	slotRotate
	slotCompress
	slotRebuild
	slotFallBack
	slotAbort
	slotTell
	slotReshape // and upwards, by Change
)

func (Resend) slot() slot    { return slotResend }
func (Wait) slot() slot      { return slotWait }
func (Refresh) slot() slot   { return slotRefresh }
func (Rotate) slot() slot    { return slotRotate }
func (r Reshape) slot() slot { return slotReshape << r.Change }
func (Compress) slot() slot  { return slotCompress }
func (Rebuild) slot() slot   { return slotRebuild }
func (FallBack) slot() slot  { return slotFallBack }
func (Abort) slot() slot     { return slotAbort }
func (Tell) slot() slot      { return slotTell }
