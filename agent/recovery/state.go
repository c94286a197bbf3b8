package recovery

import (
	"time"

	"hermes-tui/providers/failure"
)

// Means is what a turn can fall back on.
type Means struct {
	// Spare counts the other usable credentials of the service.
	Spare int
	// Refresh says that the credential can be renewed.
	Refresh bool
	// Fallbacks counts the services left in the chain.
	Fallbacks int
	// Compression says that the history may be compressed without being asked.
	Compression bool
}

// State is how far recovery has gone in a turn. It is a plain value: an action
// that cannot be carried out is taken back by going on from the state before it,
// see [State.Without].
type State struct {
	means Means
	shape Shape

	// Of the turn.
	cleaned     int // passes over text that could not be sent
	filterMoved bool

	// Of the request, on this service.
	waits      int // in this round of attempts
	rounds     int // earlier rounds
	resends    int
	compressed int  // shortenings since the last answer
	told       int  // how often the model was told of a call that could not be read
	limited    bool // a rate limit was waited out with this credential
	refreshed  bool
	rebuilt    bool
	impossible slot
}

// Start is the state at the beginning of a turn. known is what [Shape.Lasting] kept of
// earlier requests to the same service, the zero Shape for none.
func Start(m Means, known Shape) State { return State{means: m, shape: known.Lasting()} }

// Begin is the state for the next request of the turn, after an answer arrived.
func (s State) Begin() State {
	return State{
		means: s.means, shape: s.shape.forNextRequest(),
		cleaned: s.cleaned, filterMoved: s.filterMoved,
	}
}

// Without is the state in which an action counts as impossible for the rest of
// the request. Call it on the state from which the action came, not on the one
// that came with it, and ask again. An [Abort] is always possible.
func (s State) Without(a Action) State {
	s.impossible |= a.slot() &^ slotAbort
	return s
}

// Adopt sets what the service that was fallen back to offers.
func (s State) Adopt(spare int, refresh bool) State {
	s.means.Spare, s.means.Refresh = spare, refresh
	return s
}

// Shape is the form in which the request is to be sent.
func (s State) Shape() Shape { return s.shape }

// Knowing is the state with what is known of the service that was fallen back to.
func (s State) Knowing(known Shape) State {
	s.shape = s.shape.And(known.Lasting())
	return s
}

// Fallbacks counts the services left in the chain.
func (s State) Fallbacks() int { return max(s.means.Fallbacks, 0) }

// can reports whether a kind of action is still possible.
func (s State) can(k slot) bool { return s.impossible&k == 0 }

// primaryRest is how long a service that ran into a limit stays unused.
const primaryRest = 60 * time.Second

// MoveOn falls back for a reason that is no failed call, such as an empty
// answer. It returns false when there is no other service.
func (s State) MoveOn(r failure.Reason) (FallBack, State, bool) {
	if s.means.Fallbacks <= 0 || !s.can(slotFallBack) {
		return FallBack{}, s, false
	}
	next := State{
		means: Means{Fallbacks: s.means.Fallbacks - 1, Compression: s.means.Compression},
		// What was wrong with the text is wrong everywhere; the rest is up to the
		// service.
		shape:   s.shape.only(CleanText, ASCIIOnly),
		cleaned: s.cleaned, filterMoved: s.filterMoved,
		impossible: s.impossible & slotCompress,
	}
	a := FallBack{Reason: r}
	if r == failure.RateLimit || r == failure.Billing {
		a.Rest = primaryRest
	}
	return a, next, true
}

// Refused decides about an answer that a content filter ended: another service
// once a turn, and otherwise the end.
func (s State) Refused() (Action, State) {
	if !s.filterMoved {
		if a, next, ok := s.MoveOn(failure.ContentPolicyBlocked); ok {
			next.filterMoved = true
			return a, next
		}
	}
	return Abort{Reason: failure.ContentPolicyBlocked, Cause: CauseRefused, Sentence: sentenceFiltered, Attempts: 1}, s
}
