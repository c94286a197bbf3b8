package credentials

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// nKeys is a file with keys k0, k1 and so on.
func nKeys(n int) string {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf(`{"id":"00000%d","label":"k%d","auth_type":"api_key","priority":%d,"source":"manual","access_token":"key-number-%d-0123456789"}`, i, i, i, i))
	}
	return `{"version":1,"credential_pool":{"openrouter":[` + strings.Join(rows, ",") + `]}}`
}

// The cool-down is what the service says, else what is usual for the status.
func TestCoolDowns(t *testing.T) {
	for name, c := range map[string]struct {
		keys    int
		failure Failure
		want    time.Duration
	}{
		"401":              {2, Failure{Code: 401}, 5 * time.Minute},
		"402":              {2, Failure{Code: 402}, time.Hour},
		"403":              {2, Failure{Code: 403}, time.Hour},
		"429":              {2, Failure{Code: 429}, time.Hour},
		"no status":        {2, Failure{}, time.Hour},
		"reset":            {2, Failure{Code: 429, ResetAt: noon.Add(150 * time.Minute)}, 150 * time.Minute},
		"401 with a reset": {2, Failure{Code: 401, ResetAt: noon.Add(time.Minute)}, time.Minute},
		"sole 429":         {1, Failure{Code: 429}, time.Minute},
		"sole 503":         {1, Failure{Code: 503}, time.Minute},
		"sole 401":         {1, Failure{Code: 401}, 5 * time.Minute},
		"sole 402":         {1, Failure{Code: 402}, time.Hour},
		"sole billing":     {1, Failure{Code: 403, Billing: true}, time.Hour},
		"sole reset":       {1, Failure{Code: 429, ResetAt: noon.Add(time.Hour)}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nKeys(c.keys))
			p := r.pool("openrouter", PoolOptions{})
			fail(t, p, "k0", c.failure)
			list := p.List()
			if got := list[0]; got.Status != Exhausted || !got.Until.Equal(noon.Add(c.want)) || !got.Since.Equal(noon) || got.Cause.Code != c.failure.Code || got.Cause.Billing != c.failure.Billing {
				t.Errorf("got %+v, want until %v", got, noon.Add(c.want))
			}
			if next, ok := p.Next(r.now()); !ok || !next.Equal(noon.Add(c.want)) {
				t.Errorf("next %v %v", next, ok)
			}
			r.clock.move(c.want - time.Millisecond)
			if got := len(p.Available(r.now())); got != c.keys-1 {
				t.Errorf("%d available before the end", got)
			}
			r.clock.move(time.Millisecond)
			if got := len(p.Available(r.now())); got != c.keys {
				t.Errorf("%d available after the end", got)
			}
			l := pick(t, p, Want{})
			if l.Label != "k0" || r.row("openrouter", "000000")["last_status"] != "exhausted" {
				t.Errorf("picked %v; choosing alone does not clear", l)
			}
			if err := l.Succeeded(t.Context()); err != nil {
				t.Fatal(err)
			}
			if row := r.row("openrouter", "000000"); row["last_status"] != "ok" || row["last_error_code"] != nil || row["last_error_reset_at"] != nil || row["failure_reason"] != nil {
				t.Errorf("after success: %v", row)
			}
		})
	}
}

// Statuses as the reference writes them.
func TestStatusesOfTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		row    string
		status Status
		until  time.Time
	}{
		"none":           {`"x":1`, OK, time.Time{}},
		"null":           {`"last_status":null`, OK, time.Time{}},
		"other":          {`"last_status":"fine"`, OK, time.Time{}},
		"number":         {`"last_status":7`, OK, time.Time{}},
		"dead":           {`"last_status":"dead","last_error_reset_at":1781697000`, Dead, time.Time{}},
		"seconds":        {`"last_status":"exhausted","last_error_reset_at":1781701200.0`, Exhausted, noon.Add(time.Hour)},
		"milliseconds":   {`"last_status":"exhausted","last_error_reset_at":1781701200000`, Exhausted, noon.Add(time.Hour)},
		"iso":            {`"last_status":"exhausted","last_error_reset_at":"2026-06-17T13:00:00Z"`, Exhausted, noon.Add(time.Hour)},
		"over":           {`"last_status":"exhausted","last_error_reset_at":1781697600`, OK, time.Time{}},
		"code":           {`"last_status":"exhausted","last_status_at":1781697540.5,"last_error_code":401`, Exhausted, noon.Add(4*time.Minute + 500*time.Millisecond)},
		"iso since":      {`"last_status":"exhausted","last_status_at":"2026-06-17T11:59:00+00:00","last_error_code":429`, Exhausted, noon.Add(59 * time.Minute)},
		"since when not": {`"last_status":"exhausted"`, OK, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, `{"version":1,"credential_pool":{"p":[{"id":"aaaaaa","access_token":"key-a",`+c.row+`},{"id":"bbbbbb","access_token":"key-b","priority":1}]}}`)
			got := r.pool("p", PoolOptions{}).List()[0]
			if got.Status != c.status || !got.Until.Equal(c.until) {
				t.Errorf("%s until %v, want %s until %v", got.Status, got.Until, c.status, c.until)
			}
		})
	}
}

func TestDeadUntilChanged(t *testing.T) {
	for reason, dead := range map[string]bool{
		"token_invalidated": true, "token_revoked": true, "invalid_token": true, "invalid_grant": true, "unauthorized_client": true, "refresh_token_reused": true,
		"token_expired": false, "": false,
	} {
		r := newRig(t, twoKeys)
		p := r.pool("openrouter", PoolOptions{})
		fail(t, p, "one", Failure{Code: 401, Reason: reason})
		if got := p.List()[0].Status == Dead; got != dead {
			t.Errorf("%q: dead is %v", reason, got)
		}
		fail(t, p, "two", Failure{Code: 403, Reason: reason})
		if p.List()[1].Status != Exhausted {
			t.Errorf("403 %q is %s", reason, p.List()[1].Status)
		}
	}
	r := newRig(t, twoKeys)
	p := r.pool("openrouter", PoolOptions{})
	fail(t, p, "one", Failure{Code: 401, Reason: "token_revoked", ResetAt: noon.Add(time.Minute)})
	r.clock.move(1000 * time.Hour)
	if got := labels(p.Available(r.now())); got != "two" {
		t.Errorf("available %s", got)
	}
	fail(t, p, "one", Failure{Code: 429})
	if p.List()[0].Status != Dead {
		t.Error("a rate limit revived it")
	}
	if _, err := p.Replace(t.Context(), "one", Refreshed{AccessToken: "another-key-1111"}); err != nil {
		t.Fatal(err)
	}
	if got := pick(t, p, Want{}); got.Label != "one" || got.Key() != "another-key-1111" {
		t.Errorf("after a new key: %v", got)
	}
	// changed by hand in the file
	fail(t, p, "one", Failure{Code: 401, Reason: "token_revoked"})
	r.write(strings.ReplaceAll(r.text(), "another-key-1111", "edited-by-hand-22"))
	if got := pick(t, p, Want{}); got.Label != "one" || got.Key() != "edited-by-hand-22" {
		t.Errorf("after an edit: %v", got)
	}
	// reset by a user
	fail(t, p, "one", Failure{Code: 401, Reason: "token_revoked"})
	if n, err := p.Reset(t.Context(), "one"); n != 1 || err != nil {
		t.Errorf("reset %d, %v", n, err)
	}
	if got := pick(t, p, Want{}); got.Label != "one" {
		t.Errorf("after a reset: %v", got)
	}
}

// A mark is about a secret: the same secret elsewhere in the pool is marked with
// it, and another one in its place is not.
func TestMarksGoWithTheSecret(t *testing.T) {
	r := newRig(t, twoKeys)
	o := PoolOptions{Seeds: seeds(Seed{Source: "env:OPENROUTER_API_KEY", Key: "key-of-one-1111111111"})}
	p := r.pool("openrouter", o)
	if got := labels(p.Available(noon)); got != "one two" {
		t.Errorf("the same key twice: %s", got)
	}
	fail(t, p, "one", Failure{Code: 429})
	if got := labels(p.Available(noon)); got != "two" {
		t.Errorf("after the mark: %s", got)
	}
	l := pick(t, p, Want{})
	r.write(strings.ReplaceAll(r.text(), "key-of-two-2222222222", "key-of-two-3333333333"))
	if err := l.Failed(t.Context(), Failure{Code: 429}); err != nil {
		t.Fatal(err)
	}
	if got := pick(t, p, Want{}); got.Key() != "key-of-two-3333333333" || r.row("openrouter", "bbbbbb")["last_status"] != nil {
		t.Errorf("the new key was marked: %v", got)
	}
}

// A success after the cool-down does not clear what another request met since.
func TestLateSuccess(t *testing.T) {
	r := newRig(t, twoKeys)
	p := r.pool("openrouter", PoolOptions{})
	fail(t, p, "one", Failure{Code: 429})
	r.clock.move(time.Hour)
	slow := pick(t, p, Want{})
	r.clock.move(time.Second)
	fail(t, p, "one", Failure{Code: 429})
	r.clock.move(time.Second)
	if err := slow.Succeeded(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := labels(p.Available(r.now())); got != "two" {
		t.Errorf("available %s", got)
	}
}

func TestSentences(t *testing.T) {
	at := func(h, m int) time.Time { return time.Date(2026, 6, 17, h, m, 0, 0, time.UTC) }
	for want, failures := range map[string][]Failure{
		"all 2 keys of openrouter are cooling down; the first is back at 14:32":                                        {{Code: 429, ResetAt: at(15, 0)}, {Code: 429, ResetAt: at(14, 32)}},
		"the only key of openrouter is cooling down; it is back at 14:32":                                              {{Code: 429, ResetAt: at(14, 32)}},
		"the only key of openrouter is cooling down; it is back at 12:01:00":                                           {{Code: 429, ResetAt: at(12, 1)}},
		"the only key of openrouter is cooling down; it is back at 10:00 on 20 Jun":                                    {{Code: 429, ResetAt: at(82, 0)}},
		"all 2 keys of openrouter were refused for good: replace them":                                                 {{Dead: true}, {Dead: true}},
		"the only key of openrouter was refused for good: replace it":                                                  {{Dead: true}},
		"none of the 3 keys of openrouter can be used: 2 cooling down, the first is back at 14:00; 1 refused for good": {{Code: 429, ResetAt: at(14, 0)}, {Code: 402, ResetAt: at(16, 0)}, {Dead: true}},
	} {
		r := newRig(t, nKeys(len(failures)))
		p := r.pool("openrouter", PoolOptions{})
		if err := p.Unavailable(r.now()); err != nil {
			t.Errorf("before: %v", err)
		}
		for i, f := range failures {
			fail(t, p, fmt.Sprintf("k%d", i), f)
		}
		_, err := p.Pick(t.Context(), Want{})
		if u := unavailable(t, err); u.Error() != want {
			t.Errorf("%q, want %q", u.Error(), want)
		}
		if err := p.Unavailable(r.now()); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r := newRig(t, fixture(t))
	for provider, want := range map[string]string{
		"nobody":        "there is no key for nobody: add one",
		"vault-service": "the key of vault-service came from vault:team, where there is none now: set it there again",
	} {
		_, err := r.pool(provider, PoolOptions{}).Pick(t.Context(), Want{})
		if u := unavailable(t, err); u.Error() != want {
			t.Errorf("%q, want %q", u.Error(), want)
		}
	}
	r = newRig(t, `{"version":1,"credential_pool":{"x":[{"id":"aaaaaa","source":"env:X_API_KEY","secret_fingerprint":"sha256:00"}]}}`)
	if err := r.pool("x", PoolOptions{}).Unavailable(noon); err == nil || err.Error() != "the key of x came from X_API_KEY, where there is none now: set it there again" {
		t.Error(err)
	}
}

func TestMemoryOnly(t *testing.T) {
	c := &clock{at: noon}
	s, err := Open(Options{Clock: c.now, Random: rand.NewChaCha8([32]byte{})})
	if err != nil {
		t.Fatal(err)
	}
	p := poolOf(t, s, "openrouter", PoolOptions{Strategy: RoundRobin, Seeds: seeds(Seed{Source: "env:A", Label: "A", Key: "key-a"}, Seed{Source: "env:B", Label: "B", Key: "key-b"})})
	if got := picks(t, p, 3); got != "A B A" {
		t.Errorf("picked %s", got)
	}
	if _, err := p.Add(t.Context(), New{Label: "C", Key: "key-c"}); err != nil {
		t.Fatal(err)
	}
	fail(t, p, "A", Failure{Code: 429})
	if got := labels(p.Available(noon)); got != "B C" {
		t.Errorf("available %s", got)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := s.Pool("openrouter", PoolOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

func TestProviders(t *testing.T) {
	r := newRig(t, fixture(t))
	if got := r.Providers(); !slices.Equal(got, []string{"openai-codex", "openrouter", "vault-service"}) {
		t.Errorf("providers %v", got)
	}
	want := []string{
		"codex-access-1", "codex-refresh-1", "id.tok.en", "kept-by-a-later-version", "nous-access-1", "nous-refresh-1",
		"sk-or-v1-homehomehomehome", "sk-or-v1-workworkworkwork",
	}
	if got := r.Secrets(); !slices.Equal(got, want) {
		t.Errorf("secrets %v", got)
	}
	if got := CustomProvider(" My Box "); got != "custom:my-box" {
		t.Errorf("custom %q", got)
	}
}
