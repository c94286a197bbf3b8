package recovery

import (
	"strings"
	"testing"

	"hermes-tui/providers/failure"
)

// TestOrder holds the steps to their order: each fault fits all steps from its
// own on.
func TestOrder(t *testing.T) {
	means := Means{Spare: 1, Refresh: true, Fallbacks: 1, Compression: true}
	all := func(r failure.Reason) Fault {
		f := fault(r, true)
		f.Status, f.Compress, f.Rotate, f.Fallback, f.UsageUp = 400, true, true, true, true
		f.Window, f.Output, f.ContextMax, f.Invalid, f.Transport = 100_000, 5000, 200_000, true, true
		return f
	}
	f := all(failure.ContextOverflow)
	f.Status, f.StreamRefused, f.Lost, f.Began, f.Text, f.Calls, f.Encoding, f.ImagesRefused = 0, true, true, true, true, []string{"a"}, true, true
	s := Start(means, Shape{})
	var got []string
	ask := func(f Fault, n int) {
		for range n {
			a, _ := plainPolicy().Next(f, s)
			got = append(got, show(a))
			s = s.Without(a)
		}
	}
	ask(f, 2) // streaming, resend
	f.Text, f.Calls, f.Lost, f.Began = false, nil, false, false
	ask(f, 2)                 // encoding, images
	ask(all(failure.Auth), 2) // renew, rotate
	ask(all(failure.ImageTooLarge), 1)
	ask(all(failure.LongContextBetaForbidden), 1)
	ask(all(failure.ThinkingSignature), 1)
	ask(all(failure.InvalidEncryptedContent), 1)
	ask(all(failure.GrammarPattern), 1)
	ask(all(failure.ContextOverflow), 1) // smaller answer
	ask(all(failure.LongContextTier), 1)
	s.impossible &^= slotCompress
	eager := all(failure.RateLimit)
	eager.Compress = false
	ask(eager, 3) // fall back, rebuild is not its turn, so wait
	want := "reshape whole answer · resend 1/2 · reshape clean text · reshape drop images · " +
		"refresh · rotate · reshape shrink images · reshape drop long context · " +
		"reshape drop reasoning · reshape stop replay · reshape plain schemas · reshape smaller answer 4936 · " +
		"compress 1/3 · fall back rate_limit 1m0s · wait 5s 2/3 · rebuild 4s 2/4"
	if g := strings.Join(got, " · "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
}

func TestWithoutGoesToTheNextStep(t *testing.T) {
	p := plainPolicy()
	s := Start(Means{Spare: 3, Fallbacks: 2}, Shape{})
	a, _ := p.Next(billing(), s)
	s = s.Without(a)
	if a, _ = p.Next(billing(), s); show(a) != "fall back billing 1m0s" {
		t.Fatalf("got %s", show(a))
	}
	s = s.Without(a)
	if a, _ = p.Next(billing(), s); show(a) != "abort billing refused" {
		t.Fatalf("got %s", show(a))
	}
	s = s.Without(a)
	if a, _ = p.Next(billing(), s); show(a) != "abort billing refused" {
		t.Fatalf("an abort is always possible, got %s", show(a))
	}
	if a, _ = p.Next(billing(), s.Begin()); show(a) != "rotate" {
		t.Fatalf("the next request tries again, got %s", show(a))
	}
	w, _ := p.Next(overloaded(), s)
	if a, _ = p.Next(overloaded(), s.Without(w)); show(a) != "abort overloaded all_retries_exhausted" {
		t.Fatalf("who cannot wait is done, got %s", show(a))
	}
}

// TestMoveOnIsNew holds what a new service takes over from the one before: what
// is wrong with the text and the history, nothing else.
func TestMoveOnIsNew(t *testing.T) {
	p := plainPolicy()
	s := Start(Means{Spare: 1, Fallbacks: 2, Compression: true}, Shape{})
	unsendable := with(format(), func(f *Fault) { f.Encoding = true })
	_, s = play(p, s, unsendable)
	s = s.Without(Rotate{}).Without(Resend{}).Without(Compress{})
	got, s := play(p, s, rateLimit(), overloaded(), lost(), unsendable, unsendable, overflow())
	want := "fall back rate_limit 1m0s · wait 2s 2/3 · resend 1/2 · reshape ASCII only · fall back format_error 0s · " +
		"abort context_overflow context_too_long"
	if g := strings.Join(got, " · "); g != want {
		t.Errorf("got  %s\nwant %s", g, want)
	}
	if !s.Shape().Has(ASCIIOnly) {
		t.Error("the text is not clean any more")
	}
}

func TestShape(t *testing.T) {
	p := plainPolicy()
	s := Start(Means{Compression: true, Fallbacks: 1}, Shape{})
	for _, f := range []Fault{
		with(format(), func(f *Fault) { f.Encoding = true }), with(format(), func(f *Fault) { f.ImagesRefused = true }),
		with(fault(failure.ImageTooLarge, true), func(f *Fault) { f.Pixels = 2000 }),
		fault(failure.ThinkingSignature, true), fault(failure.GrammarPattern, true),
		with(overflow(), func(f *Fault) { f.Output = 5064 }),
	} {
		_, s = p.Next(f, s)
	}
	check := func(when string, s Shape, want string, maxOutput, pixels int) {
		t.Helper()
		var on []string
		for c := CleanText; c <= PlainMessages; c++ {
			if s.Has(c) {
				on = append(on, c.String())
			}
		}
		if g := strings.Join(on, ", "); g != want || s.MaxOutput != maxOutput || s.ImagePixels != pixels {
			t.Errorf("%s: got %s, %d, %d", when, g, s.MaxOutput, s.ImagePixels)
		}
	}
	check("now", s.Shape(), "clean text, drop images, shrink images, drop reasoning, plain schemas, smaller answer", 5000, 2000)
	check("next request", s.Begin().Shape(), "clean text, drop images, shrink images, plain schemas", 0, 2000)
	check("next turn", Start(Means{}, s.Shape()).Shape(), "plain schemas", 0, 0)
	if s.Shape().ImageBytes != 4_000_000 {
		t.Errorf("image bytes %d", s.Shape().ImageBytes)
	}
	_, s = p.Next(format(), s)
	check("next service", s.Shape(), "clean text", 0, 0)
	_, s = p.Next(fault(failure.InvalidEncryptedContent, true), s)
	check("next service, mended", s.Shape(), "clean text, stop replay", 0, 0)
	if (OtherEffort+1).String() != "unknown change" || Change(-1).String() != "unknown change" {
		t.Error("a change without a name")
	}
}

func TestNewRequestNewAttempts(t *testing.T) {
	p := plainPolicy()
	_, s := play(p, Start(Means{Refresh: true}, Shape{}), lost(), lost(), overloaded(), badKey())
	got, _ := play(p, s.Begin(), lost(), overloaded(), badKey())
	if g := strings.Join(got, " · "); g != "resend 1/2 · wait 2s 2/3 · refresh" {
		t.Errorf("got %s", g)
	}
	_, s = play(p, Start(Means{Compression: true}, Shape{}), repeated(3, overflow())...)
	if got, _ := play(p, s.Begin(), overflow()); got[0] != "compress 1/3 pause 2s" {
		t.Errorf("compressions that helped still count, got %s", got[0])
	}
	_, s = play(p, Start(Means{}, Shape{}), repeated(2, with(format(), func(f *Fault) { f.Encoding = true }))...)
	if got, _ := play(p, s.Begin(), with(format(), func(f *Fault) { f.Encoding = true })); got[0] != "abort format_error refused" {
		t.Errorf("passes over the text count for the turn, got %s", got[0])
	}
}

func TestAdoptAndMoveOn(t *testing.T) {
	p := plainPolicy()
	s := Start(Means{Spare: 2, Refresh: true, Fallbacks: 1}, Shape{})
	a, s, ok := s.MoveOn("empty")
	if !ok || show(a) != "fall back empty 0s" || s.Fallbacks() != 0 {
		t.Fatalf("got %s, %v, %d left", show(a), ok, s.Fallbacks())
	}
	if _, _, ok := s.MoveOn("empty"); ok {
		t.Fatal("there is no other service")
	}
	if got, _ := play(p, s, badKey()); got[0] != "abort auth refused" {
		t.Errorf("credentials of the first service are used for the second: %s", got[0])
	}
	if got, _ := play(p, s.Adopt(1, true), badKey(), badKey(), badKey()); strings.Join(got, " · ") != "refresh · rotate · abort auth refused" {
		t.Errorf("got %v", got)
	}
}

func TestRefusedAnswer(t *testing.T) {
	s := Start(Means{Fallbacks: 3}, Shape{})
	a, s := s.Refused()
	if show(a) != "fall back content_policy_blocked 0s" {
		t.Fatalf("got %s", show(a))
	}
	a, _ = s.Begin().Refused()
	end, ok := a.(Abort)
	if !ok || end.Cause != CauseRefused || !strings.Contains(end.Sentence, "fallback_providers") {
		t.Fatalf("once a turn only, got %+v", a)
	}
	if a, _ := Start(Means{}, Shape{}).Refused(); show(a) != "abort content_policy_blocked refused" {
		t.Fatalf("got %s", show(a))
	}
}

func TestAbort(t *testing.T) {
	p := plainPolicy()
	end := func(m Means, faults ...Fault) Abort {
		t.Helper()
		s := Start(m, Shape{})
		for {
			a, next := p.Next(faults[0], s)
			if end, ok := a.(Abort); ok {
				return end
			}
			if s = next; len(faults) > 1 {
				faults = faults[1:]
			}
		}
	}
	for _, c := range []struct {
		name     string
		got      Abort
		attempts int
		says     string
	}{
		{"format", end(Means{}, format()), 1, "does not accept the request"},
		{"key", end(Means{}, badKey()), 1, "does not accept"},
		{"billing", end(Means{}, billing()), 1, "credit or quota"},
		{"overload", end(Means{}, overloaded()), 3, "overloaded"},
		{"unreachable", end(Means{}, unreachable()), 6, "broke off"},
		{"invalid", end(Means{}, with(invalid(), func(f *Fault) { f.Hint = hintRate })), 3, hintRate},
		{"compression off", end(Means{}, overflow()), 1, "compression.enabled"},
		{"too long", end(Means{Compression: true}, overflow()), 1, "too long for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.Attempts != c.attempts || !strings.Contains(c.got.Sentence, c.says) {
				t.Errorf("got %+v", c.got)
			}
			if !strings.HasSuffix(c.got.Sentence, ".") || strings.ContainsAny(c.got.Sentence, "\n\x1b") {
				t.Errorf("no clean sentence: %q", c.got.Sentence)
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	once, _ := play(Policy{}, Start(Means{}, Shape{}), lost(), lost())
	if g := strings.Join(once, " · "); g != "rebuild 4s 2/2 · abort timeout all_retries_exhausted" {
		t.Errorf("the zero policy tries once: %s", g)
	}
	many, _ := play(Policy{Retries: 12, Resends: 0, Random: func() float64 { return 1 }}, Start(Means{}, Shape{}), repeated(12, unreachable())...)
	if g := strings.Join(many, " · "); !strings.HasPrefix(g, "wait 3s 2/12 · wait 6s 3/12") ||
		!strings.HasSuffix(g, "wait 1m30s 11/12 · wait 1m30s 12/12 · rebuild 8s 13/24") {
		t.Errorf("got %s", g)
	}
}
