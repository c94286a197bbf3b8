package credentials

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

func TestResetTime(t *testing.T) {
	in := func(d time.Duration) time.Time { return noon.Add(d) }
	const h, m, s, day = time.Hour, time.Minute, time.Second, 24 * time.Hour
	for text, want := range map[string]time.Time{
		// seconds and milliseconds since 1970
		"1781697600": in(0), "1781701200": in(h), "1781701200.5": in(h + 500*time.Millisecond), "1781701200000": in(h), "1781701200250": in(h + 250*time.Millisecond),
		// seconds from now
		"30": in(30 * s), "2.5": in(2500 * time.Millisecond), "604800": in(7 * day), "0": in(0),
		// ISO 8601
		"2026-06-17T14:32:00Z": in(2*h + 32*m), "2026-06-17T16:32:00+02:00": in(2*h + 32*m), "2026-06-17T14:32:00.250+00:00": in(2*h + 32*m + 250*time.Millisecond),
		"2026-06-17 14:32:00": in(2*h + 32*m), "2026-06-17T14:32": in(2*h + 32*m), "2026-06-17T16:32:00+0200": in(2*h + 32*m), "2026-06-18": in(12 * h),
		"2026-06-17T11:59:30Z": in(0), // the clock is a little off
		// durations
		"2h30m": in(2*h + 30*m), "34.07s": in(34070 * time.Millisecond), "350ms": in(350 * time.Millisecond), "1h2m3.5s": in(h + 2*m + 3500*time.Millisecond), "5 minutes.": in(5 * m),
		// prose
		"in 2h30m": in(2*h + 30*m), "After 5 minutes": in(5 * m), "resets in 2h30m": in(2*h + 30*m), "Your limit resets in 4hr 5min.": in(4*h + 5*m), "Resets in 3hr": in(3 * h), "resets in 45min": in(45 * m),
		"Rate limited. Please try again in 20s.": in(20 * s), "retry after 30 seconds": in(30 * s), "Please retry in 6m0s": in(6 * m),
		"quota exhausted, quotaResetDelay: 1h2m": in(h + 2*m), `"quotaResetDelay":"13h49m4.2s"`: in(13*h + 49*m + 4200*time.Millisecond), "quotaResetDelay 350ms": in(350 * time.Millisecond),
		"Your quota will reset after 2h15m10s.": in(2*h + 15*m + 10*s), "available again in about 2 days and 3 hours": in(2*day + 3*h),
		"You have hit your limit; it resets at 2026-06-17T14:32:00Z": in(2*h + 32*m), "resets on 2026-06-18 00:00:00 UTC": in(12 * h),
		"weekly limit reached, try again in 1 week": in(7 * day), "wait 20 minutes": in(20 * m), "cooldown: 90s": in(90 * s), "1 day, 2 hours and 5 minutes": in(26*h + 5*m),
		"the window refreshes in ~ 15 min": in(15 * m), "TRY AGAIN IN 2 HOURS": in(2 * h),
		// nothing stated, or nothing that can be believed
		"": {}, "soon": {}, "-5": {}, "NaN": {}, "Inf": {}, "2026-06-17T11:00:00Z": {}, "1781690000": {}, "9999999999": {}, "1e300": {}, "2099-01-01": {}, "99999d": {},
		"limit of 60 requests per minute": {}, "retry limit is 5": {}, "you may retry 3 times": {}, "try again later": {}, "resets at midnight": {}, "500 tokens in 1 minute": {},
		"back-off; 30 seconds": {}, "again. In 5 minutes you sent 100 requests": {}, "resets in 5 parsecs": {},
	} {
		got, ok := ResetTime(text, noon)
		if !got.Equal(want) || ok != !want.IsZero() {
			t.Errorf("%q: %v %v, want %v", text, got, ok, want)
		}
	}
}

func FuzzResetTime(f *testing.F) {
	for _, s := range []string{"1781701200", "2026-06-17T14:32:00.25+02:00", "in 2h30m", "resets in 4hr 5min", "9223372036854775807h", "quotaResetDelay\":\"1.5s", "retry after 1 week and 2 days"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := ResetTime(s, noon)
		if ok != !at.IsZero() {
			t.Errorf("%v %v", at, ok)
		}
		if ok && (at.Before(noon) || at.After(noon.Add(mostAhead))) {
			t.Errorf("%q gives %v", s, at)
		}
	})
}

func FuzzFailureOf(f *testing.F) {
	f.Add(429, []byte(`{"error":{"code":"usage_limit_reached","resets_at":1781701200,"message":"resets in 1h"}}`))
	f.Add(401, []byte(`{"error":"invalid_grant","a":[[[{"reset_at":"2026-06-17T14:32:00Z"}]]]}`))
	f.Add(503, []byte("sorry, try again in 5 minutes"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := &providers.Error{Status: status, Body: body, Message: string(body)}
		got := FailureOf(e, noon).clean("secret-secret")
		if !got.ResetAt.IsZero() && (got.ResetAt.Before(noon) || got.ResetAt.After(noon.Add(mostAhead))) {
			t.Errorf("reset at %v", got.ResetAt)
		}
		if len([]rune(got.Message)) > longestMessage || len(got.Reason) > longestReason || strings.Contains(got.Message, "secret-secret") {
			t.Errorf("failure %+v", got)
		}
	})
}

func TestFailureOf(t *testing.T) {
	for name, c := range map[string]struct {
		err    providers.Error
		reason string
		reset  time.Duration // from noon; 0 for none
	}{
		"codex":        {providers.Error{Status: 429, Body: []byte(`{"error":{"type":"usage_limit_reached","resets_at":1781708400,"resets_in_seconds":60}}`)}, "usage_limit_reached", 3 * time.Hour},
		"relative":     {providers.Error{Status: 429, Body: []byte(`{"error":{"resets_in_seconds":60}}`)}, "", time.Minute},
		"header":       {providers.Error{Status: 429, RetryAfter: 7 * time.Second, Body: []byte(`{"retry_after":60}`)}, "", 7 * time.Second},
		"body first":   {providers.Error{Status: 429, RetryAfter: 7 * time.Second, Body: []byte(`{"error":{"reset_at":"2026-06-17T13:00:00Z"}}`)}, "", time.Hour},
		"openrouter":   {providers.Error{Status: 429, Code: "429", Body: []byte(`{"error":{"code":429,"metadata":{"headers":{"X-RateLimit-Reset":"1781704800000"}}}}`)}, "", 2 * time.Hour},
		"anthropic":    {providers.Error{Status: 429, Type: "rate_limit_error", Header: http.Header{"Anthropic-Ratelimit-Unified-Reset": {"1781701200"}}}, "rate_limit_error", time.Hour},
		"google":       {providers.Error{Status: 429, Body: []byte(`{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"@type":"x.ErrorInfo","metadata":{"quotaResetDelay":"1h2m"}}]}}`)}, "RESOURCE_EXHAUSTED", 62 * time.Minute},
		"google stamp": {providers.Error{Status: 429, Body: []byte(`{"error":{"details":[{"metadata":{"quotaResetTimeStamp":"2026-06-17T15:00:00Z","quotaResetDelay":"1h"}}]}}`)}, "", 3 * time.Hour},
		"prose":        {providers.Error{Status: 429, Message: "Weekly limit. Resets in 4hr 5min."}, "", 245 * time.Minute},
		"revoked":      {providers.Error{Status: 401, Type: "invalid_request_error", Body: []byte(`{"error":{"code":"token_revoked","message":"no"}}`)}, "token_revoked", 0},
		"grant":        {providers.Error{Status: 400, Body: []byte(`{"error":"invalid_grant","error_description":"gone"}`)}, "invalid_grant", 0},
		"plain":        {providers.Error{Status: 500, Body: []byte("<html>oops</html>")}, "", 0},
		"past":         {providers.Error{Status: 429, Body: []byte(`{"error":{"reset_at":1}}`)}, "", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			f := FailureOf(&c.err, noon)
			want := time.Time{}
			if c.reset != 0 {
				want = noon.Add(c.reset)
			}
			if f.Code != c.err.Status || f.Reason != c.reason || !f.ResetAt.Equal(want) {
				t.Errorf("got %+v, want %q and %v", f, c.reason, want)
			}
		})
	}
}

func TestMoments(t *testing.T) {
	for raw, want := range map[string]time.Time{
		`1781701200`: noon.Add(time.Hour), `1781701200.25`: noon.Add(time.Hour + 250*time.Millisecond), `1781701200000`: noon.Add(time.Hour), `"1781701200"`: noon.Add(time.Hour),
		`"2026-06-17T13:00:00+00:00"`: noon.Add(time.Hour), `"2026-06-17T13:00:00.123456"`: noon.Add(time.Hour + 123456*time.Microsecond),
		`null`: {}, `""`: {}, `"x"`: {}, `-1`: {}, `0`: {}, `{}`: {}, `true`: {}, `1e30`: {}, ``: {},
	} {
		if got := moment(json.RawMessage(raw)); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", raw, got, want)
		}
	}
	for _, at := range []time.Time{noon, noon.Add(123456 * time.Microsecond), noon.Add(100 * time.Millisecond)} {
		for _, raw := range []json.RawMessage{seconds(at), stamp(at)} {
			if got := moment(raw); !got.Equal(at) {
				t.Errorf("%v written as %s is read as %v", at, raw, got)
			}
		}
	}
}

func TestTokenExpiry(t *testing.T) {
	// {"exp":1781701200} between a header and a signature.
	if got := tokenExpiry("eyJhbGciOiJub25lIn0.eyJleHAiOjE3ODE3MDEyMDB9.c2ln"); !got.Equal(noon.Add(time.Hour)) {
		t.Errorf("expiry %v", got)
	}
	for _, s := range []string{"", "sk-key", "a.b.c", "a.eyJleHAiOiJ4In0.c", "a..c", strings.Repeat(".", 3)} {
		if got := tokenExpiry(s); !got.IsZero() {
			t.Errorf("%q: %v", s, got)
		}
	}
}
