package recovery

import (
	"time"

	"hermes-tui/providers/failure"
)

// Policy is how hard recovery tries.
type Policy struct {
	// Retries is how often a request is sent to one service before it counts as
	// failed; below 1 counts as 1.
	Retries int
	// Resends is how often a lost connection is replaced at once, per request.
	Resends int
	// Random gives numbers from 0 to below 1 for the jitter; nil is no jitter.
	Random func() float64
}

// Defaults is the usual policy: three attempts, two of which a lost connection
// does not count as.
func Defaults(random func() float64) Policy { return Policy{Retries: 3, Resends: 2, Random: random} }

// mostCompressions is how often a turn compresses because of failures.
const mostCompressions = 3

// step is one step of recovery. It gives nil when it does not apply; only when
// it gives an action does its change of the state count.
type step struct {
	name string
	try  func(p Policy, f Fault, s *State) Action
}

// steps are the steps in their order. Several may fit a failure; the first one
// that does decides. What mends the request at once stands before what costs the
// user something: another service, part of the history, time. A smaller answer
// stands before the end of a turn without compression, since it needs none.
func steps() []step {
	return []step{
		{"cancelled", cancelled},
		{"streaming refused", streamRefused},
		{"resend", resend},
		{"encoding", encoding},
		{"images refused", imagesRefused},
		{"unreadable call", unreadableCall},
		{"effort refused", effortRefused},
		{"named part", namedPart},
		{"renew pooled credential", renewPooled},
		{"rotate credential", rotate},
		{"shrink images", shrinkImages},
		{"long context beta", once(failure.LongContextBetaForbidden, DropLongContext)},
		{"refresh credential", refresh},
		{"thinking signature", once(failure.ThinkingSignature, DropReasoning)},
		{"tool content", once(failure.MultimodalToolContentUnsupported, PlainMessages)},
		{"encrypted reasoning", once(failure.InvalidEncryptedContent, StopReplay)},
		{"grammar", once(failure.GrammarPattern, PlainSchemas)},
		{"smaller answer", smallerAnswer},
		{"compression off", compressionOff},
		{"long context tier", longContextTier},
		{"eager fallback", eagerFallback},
		{"payload too large", compressFor(failure.PayloadTooLarge)},
		{"context overflow", compressFor(failure.ContextOverflow)},
		{"too long", tooLong},
		{"refused", refused},
		{"rebuild transport", rebuild},
		{"exhausted", exhausted},
		{"back off", backOff},
	}
}

// Next gives what to do about a failed call, and the state to go on from when it
// was done. When an action cannot be carried out, ask again with
// s.Without(action).
func (p Policy) Next(f Fault, s State) (Action, State) {
	for _, st := range steps() {
		next := s
		if a := st.try(p, f, &next); a != nil && s.can(a.slot()) {
			return a, next
		}
	}
	return s.abort(f, CauseExhausted), s
}

// attempts is how many requests are made in a round, at least 1.
func (p Policy) attempts() int { return max(p.Retries, 1) }

// spent tells that the request that failed was the last of its round.
func (p Policy) spent(s *State) bool { return s.waits+1 >= p.attempts() || !s.can(slotWait) }

// abort ends the turn.
func (s State) abort(f Fault, c Cause) Action {
	a := Abort{Reason: f.Reason, Cause: c, Sentence: f.Sentence(), Attempts: s.rounds + s.waits + 1}
	switch {
	case c == CauseCompressionOff:
		a.Sentence = sentenceCompressionOff
	case c == CauseBadCalls:
		a.Sentence = badCalls(f)
	case f.Hint != "":
		a.Sentence += " " + f.Hint
	}
	return a
}

// giveUp goes to the next service, or ends the turn when there is none.
func (s *State) giveUp(f Fault, c Cause) Action {
	if a := s.fallBack(f); a != nil {
		return a
	}
	return s.abort(f, c)
}

// fallBack goes to the next service, nil when there is none.
func (s *State) fallBack(f Fault) Action {
	a, next, ok := s.MoveOn(f.Reason)
	if !ok {
		return nil
	}
	const mostRest = time.Hour
	if a.Rest > 0 {
		a.Rest = min(max(a.Rest, f.Asked), mostRest)
	}
	*s = next
	return a
}

// refused ends what sending again cannot cure: failures that are final, and those
// whose one cure was tried or is impossible.
func refused(_ Policy, f Fault, s *State) Action {
	switch f.Reason {
	case failure.ImageTooLarge, failure.MultimodalToolContentUnsupported, failure.LongContextBetaForbidden,
		failure.ThinkingSignature, failure.InvalidEncryptedContent, failure.GrammarPattern:
		return s.giveUp(f, CauseRefused)
	}
	switch {
	case f.Named.Part == failure.PartCall:
		return s.giveUp(f, CauseBadCalls)
	case f.Named.Part != failure.PartNone && f.Named.Part != failure.PartMessage:
		return s.giveUp(f, CauseRefused)
	case f.Retryable:
		return nil
	case f.Fallback:
		return s.giveUp(f, CauseRefused)
	}
	return s.abort(f, CauseRefused)
}

// rebuild makes a new transport once all attempts over the old one failed, and
// begins a new round.
func rebuild(p Policy, f Fault, s *State) Action {
	if !p.spent(s) || !f.Transport || s.rebuilt {
		return nil
	}
	const least, most = 3, 8
	made := s.waits + 1
	s.rebuilt, s.rounds, s.waits = true, s.rounds+made, 0
	return Rebuild{
		Reason: f.Reason, Delay: time.Duration(min(least+made, most)) * time.Second,
		Attempt: s.rounds + 1, Max: s.rounds + p.attempts(),
	}
}

// exhausted ends a service that all attempts failed with.
func exhausted(p Policy, f Fault, s *State) Action {
	if !p.spent(s) {
		return nil
	}
	return s.giveUp(f, CauseExhausted)
}

// backOff waits: as long as the server asks for, and otherwise longer each time.
func backOff(p Policy, f Fault, s *State) Action {
	s.waits++
	kind := APIError
	if f.Invalid {
		kind = InvalidResponse
	}
	w := Wait{
		Reason: f.Reason, Hint: f.Hint,
		Attempt: s.rounds + s.waits + 1, Max: s.rounds + p.attempts(),
	}
	w.Delay, w.Asked = failure.Wait(f.Asked)
	if !w.Asked {
		w.Delay = Backoff(kind, s.waits, p.Random)
	}
	if f.Reason == failure.RateLimit {
		s.limited = true
	}
	return w
}
