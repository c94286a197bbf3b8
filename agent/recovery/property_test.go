package recovery

import (
	"math/rand/v2"
	"testing"
	"time"

	"hermes-tui/providers/failure"
)

func reasons() []failure.Reason {
	return []failure.Reason{
		failure.Auth, failure.Billing, failure.RateLimit, failure.Overloaded, failure.ServerError, failure.Timeout,
		failure.ContextOverflow, failure.PayloadTooLarge, failure.ImageTooLarge, failure.ModelNotFound,
		failure.ProviderPolicyBlocked, failure.ContentPolicyBlocked, failure.FormatError, failure.InvalidEncryptedContent,
		failure.MultimodalToolContentUnsupported, failure.ThinkingSignature, failure.LongContextTier,
		failure.LongContextBetaForbidden, failure.GrammarPattern, failure.Cancelled, failure.Unknown, "something new",
	}
}

func parts() []failure.Part {
	return []failure.Part{
		failure.PartCall, failure.PartSignature, failure.PartReasoning, failure.PartForeign, failure.PartIDs, failure.PartRoles,
		failure.PartImages, failure.PartTools, failure.PartTool, failure.PartMessage,
	}
}

// anyFault is a fault in which nothing need fit anything else.
func anyFault(r *rand.Rand) Fault {
	coin := func() bool { return r.IntN(2) == 0 }
	rare := func() bool { return r.IntN(6) == 0 }
	f := Fault{
		Failure: failure.Failure{
			Reason: reasons()[r.IntN(len(reasons()))], Retryable: r.IntN(4) > 0, Compress: coin(), Rotate: coin(), Fallback: coin(),
			Status: []int{0, 200, 400, 401, 429, 503}[r.IntN(6)],
		},
		Asked:  time.Duration(r.Int64N(int64(24*time.Hour))) * time.Duration(r.IntN(2)),
		Window: r.IntN(3) * 50_000, Output: r.IntN(20_000), Pixels: r.IntN(9000),
		Encoding: rare(), ImagesRefused: rare(), StreamRefused: rare(), UsageUp: coin(), Invalid: coin(), Lost: coin(), Transport: coin(),
		ContextMax: r.IntN(3) * 100_000,
	}
	if rare() {
		f.Named = failure.Named{Part: parts()[r.IntN(len(parts()))], Tool: []string{"a", "b"}[r.IntN(2)], Most: r.IntN(3) - 1}
	}
	if rare() {
		f.Text = true
	}
	if rare() {
		f.Calls = []string{"read_file"}
	}
	return f
}

// TestEnds holds that no sequence of failures goes on for ever and no wait is
// long, whatever the failures, with some actions impossible.
func TestEnds(t *testing.T) {
	longest, kinds := 0, map[slot]int{}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		p := Policy{Retries: r.IntN(6), Resends: r.IntN(4), Random: r.Float64}
		m := Means{Spare: r.IntN(4), Fallbacks: r.IntN(4), Refresh: r.IntN(2) == 0, Compression: r.IntN(2) == 0}
		s := Start(m, Shape{})
		fixed, f := r.IntN(2) == 0, anyFault(r)
		// For each service: every attempt twice, lost connections, one of each
		// change but the smaller answer, credentials, compressions.
		bound := (m.Fallbacks + 1) * (2*max(p.Retries, 1) + p.Resends + 12 + 12 + mostTold + 3 + mostCompressions)
		bound += m.Spare
		n := 0
		for ; ; n++ {
			if n > bound+12 { // each of the kinds may be impossible once more
				t.Fatalf("seed %d: no end after %d actions: %+v", seed, n, f)
			}
			if !fixed {
				f = anyFault(r)
			}
			a, next := p.Next(f, s)
			again, _ := p.Next(f, s)
			if _, isWait := a.(Wait); !isWait && show(a) != show(again) {
				t.Fatalf("seed %d: not pure: %s and %s", seed, show(a), show(again))
			}
			kinds[a.slot()]++
			checkAction(t, a)
			if a.slot() == slotAbort {
				break
			}
			if s = next; r.IntN(20) == 0 {
				s = s.Without(a)
			}
		}
		longest = max(longest, n)
	}
	for k := slotResend; k <= slotReshape<<PlainMessages; k <<= 1 {
		if kinds[k] == 0 {
			t.Errorf("action %b never came up", k)
		}
	}
	t.Logf("at most %d actions", longest)
}

// checkAction holds what is true of every action.
func checkAction(t *testing.T, a Action) {
	t.Helper()
	const longestWait = 180 * time.Second
	switch a := a.(type) {
	case Wait:
		if a.Delay <= 0 || a.Delay > longestWait || a.Attempt < 2 || a.Attempt > a.Max {
			t.Fatalf("%+v", a)
		}
	case Rebuild:
		if a.Delay <= 0 || a.Delay > 8*time.Second || a.Attempt > a.Max {
			t.Fatalf("%+v", a)
		}
	case Resend:
		if a.Attempt < 1 || a.Attempt > a.Max {
			t.Fatalf("%+v", a)
		}
	case Compress:
		if a.Attempt < 1 || a.Attempt > a.Max || a.Pause > 2*time.Second {
			t.Fatalf("%+v", a)
		}
	case FallBack:
		if a.Rest < 0 || a.Rest > time.Hour {
			t.Fatalf("%+v", a)
		}
	case Abort:
		if a.Sentence == "" && a.Reason != "" || a.Cause == "" || a.Attempts < 1 {
			t.Fatalf("%+v", a)
		}
	}
}

// TestTurnEnds plays whole turns in which nothing ever succeeds: calls fail or
// bring an answer that is of no use.
func TestTurnEnds(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 8))
		p := Policy{Retries: 1 + r.IntN(4), Resends: r.IntN(3), Random: r.Float64}
		l := driver{state: Start(Means{Spare: r.IntN(3), Fallbacks: r.IntN(3), Compression: true}, Shape{})}
		answers := r.IntN(3) // how often an answer arrives at all
		n := 0
		for !l.over {
			if n++; n > 2000 {
				t.Fatalf("seed %d: no end", seed)
			}
			if r.IntN(3) < answers {
				l.answer(r)
			} else {
				l.fail(p, anyFault(r))
			}
		}
	}
}

// driver is a turn that uses everything in this package.
type driver struct {
	state State
	cut   Truncation
	empty Empty
	bad   Malformed
	open  Unclosed
	over  bool
}

// fail takes a failed call.
func (l *driver) fail(p Policy, f Fault) {
	a, next := p.Next(f, l.state)
	switch a.(type) {
	case Abort:
		l.over = true
	default:
		l.state = next
	}
}

// answer takes an answer that is of no use.
func (l *driver) answer(r *rand.Rand) {
	switch r.IntN(5) {
	case 0:
		l.step(l.truncated(Cut{Text: r.IntN(9) > 0}))
	case 1:
		l.step(l.truncated(Cut{Calls: []string{"a"}}))
	case 2:
		var s Step
		s, l.empty = l.empty.Decide(Silence{AfterTools: r.IntN(2) == 0, Reasoning: []string{"", "hm"}[r.IntN(2)], Fallbacks: l.state.Fallbacks()})
		l.step(s)
	case 3:
		var s Step
		b := []Batch{{Unknown: []string{"x"}}, {CutOff: []string{"x"}}, {Garbled: []string{"x"}}}[r.IntN(3)]
		if s, l.bad = l.bad.Decide(b); s.Kind == StepCut {
			s = l.truncated(Cut{Calls: b.CutOff})
		}
		l.step(s)
	case 4:
		var s Step
		s, l.open = l.open.Decide("<REASONING_SCRATCHPAD> hm")
		l.step(s)
	}
}

func (l *driver) truncated(c Cut) Step {
	var s Step
	s, l.cut = l.cut.Decide(c)
	return s
}

// step goes on to the next request.
func (l *driver) step(s Step) {
	switch s.Kind {
	case StepStop:
		l.over = true
	case StepFallBack:
		_, next, ok := l.state.MoveOn("empty")
		l.state, l.over = next, !ok
	default:
		l.state = l.state.Begin()
	}
}
