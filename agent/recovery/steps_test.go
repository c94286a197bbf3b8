package recovery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers/failure"
)

// show writes an action in a line.
func show(a Action) string {
	switch a := a.(type) {
	case Resend:
		return fmt.Sprintf("resend %d/%d", a.Attempt, a.Max)
	case Wait:
		s := fmt.Sprintf("wait %v %d/%d", a.Delay, a.Attempt, a.Max)
		if a.Asked {
			s += " asked"
		}
		return s
	case Refresh:
		return "refresh"
	case Rotate:
		return "rotate"
	case Reshape:
		if a.Tokens != 0 {
			return fmt.Sprintf("reshape %v %d", a.Change, a.Tokens)
		}
		return fmt.Sprintf("reshape %v", a.Change)
	case Compress:
		s := fmt.Sprintf("compress %d/%d", a.Attempt, a.Max)
		if a.Window != 0 {
			s += fmt.Sprintf(" window %d", a.Window)
		}
		if a.Persist {
			s += " persist"
		}
		if a.Pause != 0 {
			s += fmt.Sprintf(" pause %v", a.Pause)
		}
		return s
	case Rebuild:
		return fmt.Sprintf("rebuild %v %d/%d", a.Delay, a.Attempt, a.Max)
	case FallBack:
		return fmt.Sprintf("fall back %v %v", a.Reason, a.Rest)
	case Abort:
		return fmt.Sprintf("abort %v %v", a.Reason, a.Cause)
	}
	return fmt.Sprintf("unknown action %T", a)
}

// Faults as the classifier makes them.

func fault(r failure.Reason, retryable bool) Fault {
	return Fault{Failure: failure.Failure{Reason: r, Retryable: retryable}}
}

func rateLimit() Fault {
	f := fault(failure.RateLimit, true)
	f.Status, f.Rotate, f.Fallback = 429, true, true
	return f
}

func billing() Fault {
	f := fault(failure.Billing, false)
	f.Status, f.Rotate, f.Fallback = 402, true, true
	return f
}

func badKey() Fault {
	f := fault(failure.Auth, false)
	f.Status, f.Rotate, f.Fallback = 401, true, true
	return f
}

func forbidden() Fault {
	f := fault(failure.Auth, false)
	f.Status, f.Fallback = 403, true
	return f
}

func overloaded() Fault {
	f := fault(failure.Overloaded, true)
	f.Status = 503
	return f
}

func format() Fault {
	f := fault(failure.FormatError, false)
	f.Status, f.Fallback = 400, true
	return f
}

func unreachable() Fault {
	f := fault(failure.Timeout, true)
	f.Transport = true
	return f
}

func lost() Fault {
	f := unreachable()
	f.Lost = true
	return f
}

func invalid() Fault {
	f := fault(failure.Unknown, true)
	f.Invalid = true
	return f
}

func overflow() Fault {
	f := fault(failure.ContextOverflow, true)
	f.Status, f.Compress, f.ContextMax = 400, true, 200_000
	return f
}

func tooLarge() Fault {
	f := fault(failure.PayloadTooLarge, true)
	f.Status, f.Compress = 413, true
	return f
}

func tier() Fault {
	f := fault(failure.LongContextTier, true)
	f.Status, f.Compress, f.ContextMax = 429, true, 1_000_000
	return f
}

// with changes a fault.
func with(f Fault, change func(*Fault)) Fault {
	change(&f)
	return f
}

// repeated is the same fault n times.
func repeated(n int, f Fault) []Fault {
	var out []Fault
	for range n {
		out = append(out, f)
	}
	return out
}

// play sends faults one after the other and writes down the actions, up to the
// end of the turn.
func play(p Policy, s State, faults ...Fault) ([]string, State) {
	var out []string
	for _, f := range faults {
		var a Action
		a, s = p.Next(f, s)
		out = append(out, show(a))
	}
	return out, s
}

func plainPolicy() Policy { return Defaults(nil) }

func TestSteps(t *testing.T) {
	compressing := Means{Compression: true}
	for _, c := range []struct {
		name   string
		means  Means
		faults []Fault
		want   string
	}{
		{"cancelled", Means{Fallbacks: 1}, repeated(1, fault(failure.Cancelled, false)), "abort cancelled cancelled"},
		{"streaming refused, once", Means{},
			repeated(2, with(format(), func(f *Fault) { f.StreamRefused = true })),
			"reshape whole answer · abort format_error refused"},

		{"lost connection: two at once, then back-off, rebuild, back-off", Means{}, repeated(8, lost()),
			"resend 1/2 · resend 2/2 · wait 2s 2/3 · wait 4s 3/3 · rebuild 6s 4/6 · wait 2s 5/6 · wait 4s 6/6 · abort timeout all_retries_exhausted"},
		{"not reached: no resend", Means{}, repeated(3, unreachable()), "wait 2s 2/3 · wait 4s 3/3 · rebuild 6s 4/6"},
		{"lost while thinking of a long prompt is no overflow", compressing,
			repeated(1, with(overflow(), func(f *Fault) { f.Status, f.Lost, f.Began = 0, true, true })), "resend 1/2"},
		{"lost before anything came with a long prompt", compressing,
			repeated(1, with(overflow(), func(f *Fault) { f.Status, f.Lost = 0, true })), "compress 1/3 pause 2s"},
		{"lost behind text", Means{}, repeated(3, with(lost(), func(f *Fault) { f.Text = true })), "resend 1/2 · resend 2/2 · wait 2s 2/3"},
		{"lost behind text, in a call", Means{},
			repeated(3, with(lost(), func(f *Fault) { f.Text, f.Calls = true, []string{"a", "b", "c", "d"} })),
			"resend 1/2 · resend 2/2 · wait 2s 2/3"},
		{"overload behind text", Means{}, repeated(3, with(overloaded(), func(f *Fault) { f.Status, f.Text = 0, true })),
			"wait 2s 2/3 · wait 4s 3/3 · abort overloaded all_retries_exhausted"},
		{"overload in a call", Means{}, repeated(1, with(overloaded(), func(f *Fault) { f.Status, f.Calls = 0, []string{"a"} })), "wait 2s 2/3"},
		{"a delay asked for behind text", Means{},
			repeated(1, with(rateLimit(), func(f *Fault) { f.Status, f.Text, f.Asked = 0, true, 7*time.Second })), "wait 7s 2/3 asked"},
		{"error behind text that a filter caused", Means{},
			repeated(1, with(fault(failure.ContentPolicyBlocked, false), func(f *Fault) { f.Text, f.Fallback = true, true })),
			"abort content_policy_blocked refused"},
		{"rate limit behind text, with another service", Means{Fallbacks: 1},
			repeated(1, with(rateLimit(), func(f *Fault) { f.Status, f.Text = 0, true })), "fall back rate_limit 1m0s"},

		{"encoding: two passes", Means{}, repeated(3, with(format(), func(f *Fault) { f.Encoding = true })),
			"reshape clean text · reshape ASCII only · abort format_error refused"},
		{"images refused, once", Means{}, repeated(2, with(format(), func(f *Fault) { f.ImagesRefused = true })),
			"reshape drop images · abort format_error refused"},

		{"billing rotates at once", Means{Spare: 2, Fallbacks: 1}, repeated(4, billing()),
			"rotate · rotate · fall back billing 1m0s · abort billing refused"},
		{"rate limit: once more, then rotate", Means{Spare: 1}, repeated(4, rateLimit()),
			"wait 2s 2/3 · rotate · wait 4s 3/3 · abort rate_limit all_retries_exhausted"},
		{"rate limit: no credential is left untried", Means{Spare: 4}, repeated(8, rateLimit()),
			"wait 2s 2/3 · rotate · wait 4s 3/3 · rotate · rotate · rotate · abort rate_limit all_retries_exhausted · abort rate_limit all_retries_exhausted"},
		{"usage limit rotates at once", Means{Spare: 1}, repeated(1, with(rateLimit(), func(f *Fault) { f.UsageUp = true })), "rotate"},
		{"a long demand rotates at once", Means{Spare: 1},
			repeated(1, with(rateLimit(), func(f *Fault) { f.Asked = 3 * time.Hour })), "rotate"},
		{"401: renew, rotate, no more", Means{Spare: 1, Refresh: true}, repeated(3, badKey()), "refresh · rotate · abort auth refused"},
		{"401 without a pool: renew once", Means{Refresh: true}, repeated(2, badKey()), "refresh · abort auth refused"},
		{"403 never rotates or renews", Means{Spare: 1, Refresh: true}, repeated(1, forbidden()), "abort auth refused"},

		{"image shrinks once", Means{}, repeated(2, fault(failure.ImageTooLarge, true)), "reshape shrink images · abort image_too_large refused"},
		{"tool content, once", Means{}, repeated(2, fault(failure.MultimodalToolContentUnsupported, true)),
			"reshape plain messages · abort multimodal_tool_content_unsupported refused"},
		{"long context beta, once", Means{}, repeated(2, fault(failure.LongContextBetaForbidden, true)),
			"reshape drop long context · abort oauth_long_context_beta_forbidden refused"},
		{"thinking signature, once", Means{}, repeated(2, fault(failure.ThinkingSignature, true)),
			"reshape drop reasoning · abort thinking_signature refused"},
		{"encrypted reasoning, once", Means{}, repeated(2, fault(failure.InvalidEncryptedContent, true)),
			"reshape stop replay · abort invalid_encrypted_content refused"},
		{"grammar, once", Means{}, repeated(2, fault(failure.GrammarPattern, true)),
			"reshape plain schemas · abort llama_cpp_grammar_pattern refused"},
		{"a cure that failed, with another service", Means{Fallbacks: 1}, repeated(2, fault(failure.GrammarPattern, true)),
			"reshape plain schemas · fall back llama_cpp_grammar_pattern 0s"},

		{"compression off", Means{Fallbacks: 1}, repeated(1, overflow()), "abort context_overflow compression_disabled"},
		{"compression off, payload", Means{}, repeated(1, tooLarge()), "abort payload_too_large compression_disabled"},
		{"compression off, but only the answer is too long", Means{},
			repeated(1, with(overflow(), func(f *Fault) { f.Window, f.Output = 200_000, 10_000 })), "reshape smaller answer 9936"},
		{"answer too long: smaller each time, at most three times", compressing, []Fault{
			with(overflow(), func(f *Fault) { f.Output = 10_000 }), with(overflow(), func(f *Fault) { f.Output = 5000 }),
			with(overflow(), func(f *Fault) { f.Output = 3000 }), with(overflow(), func(f *Fault) { f.Output = 1000 }),
		}, "reshape smaller answer 9936 · reshape smaller answer 4936 · reshape smaller answer 2936 · abort context_overflow context_too_long"},
		{"answer too long, and again with the same figure: compress", compressing,
			repeated(2, with(overflow(), func(f *Fault) { f.Output = 10_000 })), "reshape smaller answer 9936 · compress 2/3 pause 2s"},
		{"an answer too small to be of use: compress", compressing,
			repeated(1, with(overflow(), func(f *Fault) { f.Output = 300 })), "compress 1/3 pause 2s"},
		{"long context tier", compressing, repeated(4, tier()),
			"compress 1/3 window 200000 · compress 2/3 window 200000 · compress 3/3 window 200000 · abort long_context_tier context_too_long"},
		{"long context tier of a small window", compressing, repeated(1, with(tier(), func(f *Fault) { f.ContextMax = 128_000 })), "compress 1/3"},
		{"413, at most three times", compressing, repeated(4, tooLarge()),
			"compress 1/3 · compress 2/3 · compress 3/3 · abort payload_too_large context_too_long"},
		{"overflow, stated limit", compressing, repeated(1, with(overflow(), func(f *Fault) { f.Window = 131_072 })),
			"compress 1/3 window 131072 persist pause 2s"},
		{"overflow, stated limit is not lower", compressing, repeated(1, with(overflow(), func(f *Fault) { f.Window = 400_000 })), "compress 1/3 pause 2s"},
		{"overflow, window unknown", compressing, repeated(1, with(overflow(), func(f *Fault) { f.Window, f.ContextMax = 8192, 0 })),
			"compress 1/3 window 8192 persist pause 2s"},
		{"overflow without a number, at most three times, then elsewhere", Means{Compression: true, Fallbacks: 1}, repeated(8, overflow()),
			"compress 1/3 pause 2s · compress 2/3 pause 2s · compress 3/3 pause 2s · fall back context_overflow 0s · " +
				"compress 1/3 pause 2s · compress 2/3 pause 2s · compress 3/3 pause 2s · abort context_overflow context_too_long"},
		{"all compressions of a turn count together", compressing, []Fault{overflow(), tooLarge(), tier(), overflow()},
			"compress 1/3 pause 2s · compress 2/3 · compress 3/3 window 200000 · abort context_overflow context_too_long"},

		{"rate limit falls back without waiting", Means{Fallbacks: 1}, repeated(3, rateLimit()),
			"fall back rate_limit 1m0s · wait 2s 2/3 · wait 4s 3/3"},
		{"the rest is as long as asked for, an hour at most", Means{Fallbacks: 2}, []Fault{
			with(rateLimit(), func(f *Fault) { f.Asked = 5 * time.Minute }), with(rateLimit(), func(f *Fault) { f.Asked = 5 * time.Hour }),
		}, "fall back rate_limit 5m0s · fall back rate_limit 1h0m0s"},
		{"overload waits before it falls back", Means{Fallbacks: 1}, repeated(3, overloaded()), "wait 2s 2/3 · wait 4s 3/3 · fall back overloaded 0s"},
		{"invalid answer falls back at once, then waits longer", Means{Fallbacks: 1}, repeated(4, invalid()),
			"fall back unknown 0s · wait 5s 2/3 · wait 10s 3/3 · abort unknown all_retries_exhausted"},
		{"an invalid answer that is final", Means{Fallbacks: 1},
			repeated(1, with(fault(failure.ProviderPolicyBlocked, false), func(f *Fault) { f.Invalid = true })), "abort provider_policy_blocked refused"},
		{"final failures fall back along the chain", Means{Fallbacks: 2}, repeated(3, format()),
			"fall back format_error 0s · fall back format_error 0s · abort format_error refused"},
		{"settings of the account are no reason to fall back", Means{Fallbacks: 1}, repeated(1, fault(failure.ProviderPolicyBlocked, false)),
			"abort provider_policy_blocked refused"},
		{"everything anew on the next service", Means{Fallbacks: 1}, append(repeated(6, lost()), lost(), lost(), lost()),
			"resend 1/2 · resend 2/2 · wait 2s 2/3 · wait 4s 3/3 · rebuild 6s 4/6 · wait 2s 5/6 · wait 4s 6/6 · fall back timeout 0s · resend 1/2"},
		{"the server says how long", Means{}, []Fault{
			with(rateLimit(), func(f *Fault) { f.Asked = 7 * time.Second }), with(overloaded(), func(f *Fault) { f.Asked = time.Hour }), overloaded(),
		}, "wait 7s 2/3 asked · wait 2m0s 3/3 asked · abort overloaded all_retries_exhausted"},
		{"the count goes on over different failures", Means{}, []Fault{overloaded(), fault(failure.ServerError, true), fault(failure.Unknown, true)},
			"wait 2s 2/3 · wait 4s 3/3 · abort unknown all_retries_exhausted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := play(plainPolicy(), Start(c.means, Shape{}), c.faults...)
			if s := strings.Join(got, " · "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}
