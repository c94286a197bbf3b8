package recovery

import (
	"cmp"
	"time"

	"hermes-tui/providers/failure"
)

// cancelled ends a call that was stopped on purpose.
func cancelled(_ Policy, f Fault, s *State) Action {
	if f.Reason != failure.Cancelled {
		return nil
	}
	return s.abort(f, CauseCancelled)
}

// change adds a change to the shape, nil when it is part of it already.
func (s *State) change(c Change) Action {
	if s.shape.Has(c) {
		return nil
	}
	s.shape = s.shape.with(c)
	return Reshape{Change: c}
}

// once makes the step for a failure that one change of the request cures.
func once(r failure.Reason, c Change) func(Policy, Fault, *State) Action {
	return func(_ Policy, f Fault, s *State) Action {
		if f.Reason != r {
			return nil
		}
		return s.change(c)
	}
}

func streamRefused(_ Policy, f Fault, s *State) Action {
	if !f.StreamRefused {
		return nil
	}
	return s.change(WholeAnswer)
}

// resend replaces a lost connection. What the service itself says about the call
// is waited out like any failure, also in the middle of an answer.
func resend(p Policy, f Fault, s *State) Action {
	if s.resends >= p.Resends {
		return nil
	}
	switch {
	case f.Lost && (f.Began || f.Reason == failure.Timeout):
	case len(f.Calls) > 0 && f.Reason == failure.Timeout && f.Status == 0:
	default:
		return nil
	}
	s.resends++
	return Resend{Reason: f.Reason, Attempt: s.resends, Max: p.Resends}
}

// encoding cleans the text, and at the second time leaves nothing but ASCII.
func encoding(_ Policy, f Fault, s *State) Action {
	const passes = 2
	if !f.Encoding || s.cleaned >= passes {
		return nil
	}
	s.cleaned++
	if s.cleaned < passes {
		return s.change(CleanText)
	}
	return s.change(ASCIIOnly)
}

func imagesRefused(_ Policy, f Fault, s *State) Action {
	if !f.ImagesRefused {
		return nil
	}
	return s.change(DropImages)
}

// mostTold is how often a model is told in one request that its call could not be read.
const mostTold = 2

// unreadableCall tells the model that the service could not read its call. Asked again in
// silence it would most likely write the same.
func unreadableCall(_ Policy, f Fault, s *State) Action {
	if f.Named.Part != failure.PartCall || s.told >= mostTold {
		return nil
	}
	s.told++
	return Tell{Note: unreadable(f.Message), Attempt: s.told, Max: mostTold}
}

// partChanges are the changes that mend a part by themselves.
func partChanges() map[failure.Part]Change {
	return map[failure.Part]Change{
		failure.PartIDs: ShortIDs, failure.PartRoles: Alternate, failure.PartSignature: SignCalls,
		failure.PartReasoning: EchoReasoning, failure.PartForeign: StopReplay, failure.PartMessage: PlainMessages,
	}
}

// namedPart sends the request again without the part that was refused, or with it in another
// form. Everything else stays.
func namedPart(_ Policy, f Fault, s *State) Action {
	n := f.Named
	switch n.Part {
	case failure.PartTool:
		if s.shape.Aside(n.Tool) {
			return nil
		}
		s.shape = s.shape.with(SetAside)
		s.shape.aside += "\n" + n.Tool
		return Reshape{Change: SetAside, Tool: n.Tool}
	case failure.PartTools:
		return s.fewer(FewerTools, &s.shape.Tools, n.Most, 1)
	case failure.PartImages:
		return s.fewer(FewerImages, &s.shape.Images, n.Most, 0)
	}
	if c, ok := partChanges()[n.Part]; ok && f.Reason != failure.ThinkingSignature { // which costs less
		return s.change(c)
	}
	return nil
}

// fewer lowers a number to the one that is stated, nil when it is not lower or too low.
func (s *State) fewer(c Change, now *int, most, least int) Action {
	if most < least || s.shape.Has(c) && most >= *now {
		return nil
	}
	*now = most
	s.shape = s.shape.with(c)
	return Reshape{Change: c, Most: most}
}

// renewPooled renews a refused credential before another one is taken.
func renewPooled(p Policy, f Fault, s *State) Action {
	if s.means.Spare <= 0 {
		return nil
	}
	return refresh(p, f, s)
}

// refresh renews a refused credential, once.
func refresh(_ Policy, f Fault, s *State) Action {
	if f.Reason != failure.Auth || !f.Rotate || !s.means.Refresh || s.refreshed {
		return nil
	}
	s.refreshed = true
	return Refresh{}
}

// rotate takes another credential: at once when this one is refused or used up,
// and for a rate limit after it was waited out once.
func rotate(p Policy, f Fault, s *State) Action {
	if !f.Rotate || s.means.Spare <= 0 {
		return nil
	}
	tooLong := f.Asked > failure.MostWait
	if f.Reason == failure.RateLimit && !s.limited && !f.UsageUp && !tooLong && !p.spent(s) {
		return nil
	}
	s.means.Spare--
	s.limited = false
	return Rotate{Reason: f.Reason}
}

// imageBytes is the size that images are shrunk to. Services take 5 MB after
// base64, which adds a third.
const imageBytes = 4_000_000

func shrinkImages(_ Policy, f Fault, s *State) Action {
	if f.Reason != failure.ImageTooLarge {
		return nil
	}
	a := s.change(ShrinkImages)
	if a != nil {
		s.shape.ImageBytes, s.shape.ImagePixels = imageBytes, usualPixels
		if f.Pixels > 0 {
			s.shape.ImagePixels = min(f.Pixels, usualPixels)
		}
	}
	return a
}

// smallerAnswer lowers the cap of the answer when the prompt fits and only the
// answer asked for does not. An answer that would be too small to be of use is
// not asked for.
func smallerAnswer(_ Policy, f Fault, s *State) Action {
	const slack, least = 64, 256
	fits := f.Output - slack
	if f.Reason == failure.FormatError && f.Output >= least {
		if s.shape.Cap > 0 && f.Output >= s.shape.Cap {
			return nil
		}
		s.shape.Cap = f.Output // it is that of the model
		return Reshape{Change: SmallerAnswer, Tokens: f.Output}
	}
	if f.Reason != failure.ContextOverflow || fits < least || s.compressed >= mostCompressions {
		return nil
	}
	if s.shape.MaxOutput > 0 && fits >= s.shape.MaxOutput {
		return nil // it was asked for no more than that already
	}
	s.compressed++
	s.shape = s.shape.with(SmallerAnswer)
	s.shape.MaxOutput, s.shape.Total = fits, cmp.Or(f.Window, f.Tokens+f.Output)
	return Reshape{Change: SmallerAnswer, Tokens: fits}
}

// compressionOff ends what only compression cures when no one wants it.
func compressionOff(_ Policy, f Fault, s *State) Action {
	if !f.Compress || s.means.Compression {
		return nil
	}
	return s.abort(f, CauseCompressionOff)
}

// compress makes the action, nil when it was done often enough.
func (s *State) compress(f Fault) *Compress {
	if s.compressed >= mostCompressions {
		return nil
	}
	s.compressed++
	return &Compress{Reason: f.Reason, Attempt: s.compressed, Max: mostCompressions}
}

// longContextTier goes on with the context that every account has.
func longContextTier(_ Policy, f Fault, s *State) Action {
	const everyone = 200_000
	if f.Reason != failure.LongContextTier {
		return nil
	}
	a := s.compress(f)
	if a == nil {
		return nil
	}
	if f.ContextMax == 0 || f.ContextMax > everyone {
		a.Window = everyone
	}
	return *a
}

// eagerFallback leaves a service that is at its limit, or whose answers are none,
// without waiting for it. A rate limit that another credential may cure is not
// one.
func eagerFallback(_ Policy, f Fault, s *State) Action {
	limit := f.Reason == failure.Billing || f.Reason == failure.RateLimit && (s.means.Spare <= 0 || !s.can(slotRotate))
	if !limit && !(f.Invalid && f.Retryable) {
		return nil
	}
	return s.fallBack(f)
}

// compressFor makes the step for a history that is too long. A window is believed
// only when it is stated and smaller than the one assumed.
func compressFor(r failure.Reason) func(Policy, Fault, *State) Action {
	return func(_ Policy, f Fault, s *State) Action {
		if f.Reason != r {
			return nil
		}
		a := s.compress(f)
		if a == nil {
			return nil
		}
		if r == failure.ContextOverflow {
			a.Pause = 2 * time.Second
			if f.Window > 0 && (f.ContextMax == 0 || f.Window < f.ContextMax) {
				a.Window, a.Persist = f.Window, true
			}
		}
		return *a
	}
}

// tooLong ends what compressing did not cure.
func tooLong(_ Policy, f Fault, s *State) Action {
	if !f.Compress {
		return nil
	}
	return s.giveUp(f, CauseTooLong)
}
