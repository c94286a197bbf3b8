package credentials

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/providers"
)

// issuer renews logins with single-use refresh tokens rt-0, rt-1 and so on.
type issuer struct {
	mu      sync.Mutex
	next    int
	calls   int
	reused  int
	clock   *clock
	begun   chan struct{} // receives when a renewal has begun, nil for none
	release chan struct{} // a renewal waits for it, nil for none
	err     error
}

func (i *issuer) refresh(ctx context.Context, c Credential) (Refreshed, error) {
	if i.begun != nil {
		i.begun <- struct{}{}
	}
	if i.release != nil {
		select {
		case <-i.release:
		case <-ctx.Done():
			return Refreshed{}, ctx.Err()
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls++
	if i.err != nil {
		return Refreshed{}, i.err
	}
	if c.RefreshToken() != fmt.Sprintf("rt-%d", i.next) {
		i.reused++
		return Refreshed{}, &providers.Error{Status: 400, Code: "refresh_token_reused"}
	}
	i.next++
	return Refreshed{
		AccessToken: fmt.Sprintf("at-%d", i.next), RefreshToken: fmt.Sprintf("rt-%d", i.next), Expires: i.clock.now().Add(time.Hour),
		Extra: map[string]json.RawMessage{"scope": json.RawMessage(`"all"`), "id": json.RawMessage(`"x"`), "bad": json.RawMessage(`{`)},
	}, nil
}

func (i *issuer) counts() (calls, reused int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.calls, i.reused
}

// loginFile has one login that ends at a time.
func loginFile(ends time.Time) string {
	return `{"version":1,"providers":{},"credential_pool":{"svc":[{"id":"aaaaaa","label":"me","auth_type":"oauth","priority":0,"source":"manual:device_code",
		"access_token":"at-0","refresh_token":"rt-0","expires_at":` + string(stamp(ends)) + `,"request_count":2,"token_type":"Bearer"}]}}`
}

func loginRig(t *testing.T, ends time.Duration) (*rig, *Pool, *issuer) {
	t.Helper()
	r := newRig(t, loginFile(noon.Add(ends)))
	i := &issuer{clock: r.clock}
	return r, r.pool("svc", PoolOptions{Refresh: i.refresh}), i
}

func TestRenewAhead(t *testing.T) {
	for ends, renewed := range map[time.Duration]bool{3 * time.Minute: false, 2 * time.Minute: true, time.Minute: true, -time.Hour: true} {
		r, p, i := loginRig(t, ends)
		l := pick(t, p, Want{})
		calls, _ := i.counts()
		if want := map[bool]string{false: "at-0", true: "at-1"}[renewed]; l.Key() != want || calls != map[bool]int{true: 1}[renewed] {
			t.Errorf("%v before the end: %s after %d renewals", ends, l.Key(), calls)
		}
		row := r.row("svc", "aaaaaa")
		if !renewed {
			continue
		}
		want := map[string]any{
			"access_token": "at-1", "refresh_token": "rt-1", "expires_at": "2026-06-17T13:00:00.000000+00:00", "last_refresh": "2026-06-17T12:00:00.000000+00:00",
			"last_status": "ok", "token_type": "Bearer", "scope": "all", "id": "aaaaaa", "request_count": json.Number("2"), "bad": nil,
		}
		for name, value := range want {
			if row[name] != value {
				t.Errorf("%s is %v, want %v", name, row[name], value)
			}
		}
		if got := p.List()[0]; !got.Expires.Equal(noon.Add(time.Hour)) || got.Status != OK {
			t.Errorf("renewed to %+v", got)
		}
	}
	if renewAhead("xai-oauth") != time.Hour || renewAhead("anthropic") != 2*time.Minute || renewAhead("openai-codex") != 2*time.Minute {
		t.Error("ahead")
	}
}

func TestExpiryForms(t *testing.T) {
	const jwt = "eyJhbGciOiJub25lIn0.eyJleHAiOjE3ODE3MDEyMDB9.c2ln" // ends at 13:00
	for row, want := range map[string]time.Time{
		`"expires_at_ms":1781701200000`:                                noon.Add(time.Hour),
		`"expires_at":"2026-06-17T13:00:00Z"`:                          noon.Add(time.Hour),
		`"expires_at":1781701200`:                                      noon.Add(time.Hour),
		`"expires_at_ms":null`:                                         {},
		`"access_token":"` + jwt + `"`:                                 noon.Add(time.Hour),
		`"agent_key":"k","agent_key_expires_at":"2026-06-17T14:00:00"`: noon.Add(2 * time.Hour),
	} {
		r := newRig(t, `{"version":1,"credential_pool":{"anthropic":[{"id":"aaaaaa","auth_type":"oauth","access_token":"at","refresh_token":"rt",`+row+`}]}}`)
		if got := r.pool("anthropic", PoolOptions{}).List()[0].Expires; !got.Equal(want) {
			t.Errorf("%s: %v, want %v", row, got, want)
		}
	}
	r := newRig(t, `{"version":1,"credential_pool":{"anthropic":[{"id":"aaaaaa","auth_type":"oauth","access_token":"at","refresh_token":"rt"}]}}`)
	c, err := r.pool("anthropic", PoolOptions{}).Replace(t.Context(), "1", Refreshed{AccessToken: "at2", Expires: noon.Add(time.Hour)})
	if row := r.row("anthropic", "aaaaaa"); err != nil || row["expires_at_ms"] != json.Number("1781701200000") || row["expires_at"] != nil || !c.Expires.Equal(noon.Add(time.Hour)) {
		t.Errorf("row %v, %v", row, err)
	}
}

// Agents that need the same login share one renewal.
func TestOneRenewalForAll(t *testing.T) {
	_, p, i := loginRig(t, 0)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			l, err := p.Pick(t.Context(), Want{})
			if err != nil {
				t.Error(err)
				return
			}
			if l.Key() != "at-1" {
				t.Errorf("key %s", l.Key())
			}
		})
	}
	wg.Wait()
	if calls, reused := i.counts(); calls != 1 || reused != 0 {
		t.Errorf("%d renewals, %d reused", calls, reused)
	}
}

// A token that another process has renewed since is taken, not renewed again.
func TestTakesWhatOthersRenewed(t *testing.T) {
	r, p, i := loginRig(t, time.Hour)
	mine := pick(t, p, Want{})
	other := poolOf(t, r.open(Options{File: r.file}), "svc", PoolOptions{Refresh: i.refresh})
	if l := pick(t, other, Want{}); l.Renew(t.Context()) != nil || l.Key() != "at-1" {
		t.Fatalf("key %s", l.Key())
	}
	if err := mine.Renew(t.Context()); err != nil || mine.Key() != "at-1" {
		t.Errorf("key %s, %v", mine.Key(), err)
	}
	if calls, reused := i.counts(); calls != 1 || reused != 0 {
		t.Errorf("%d renewals, %d reused", calls, reused)
	}
	if err := mine.Renew(t.Context()); err != nil || mine.Key() != "at-2" {
		t.Errorf("refused once more: %s, %v", mine.Key(), err)
	}
}

// An interrupted request leaves the renewal alone: what it brings is kept.
func TestRenewalOutlivesTheRequest(t *testing.T) {
	r, p, i := loginRig(t, 0)
	i.begun, i.release = make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("the user pressed esc")
	done := make(chan error)
	go func() {
		_, err := p.Pick(ctx, Want{})
		done <- err
	}()
	<-i.begun
	cancel(stopped)
	if err := <-done; !errors.Is(err, stopped) {
		t.Errorf("pick: %v", err)
	}
	close(i.release)
	if err := r.Close(t.Context()); err != nil { // waits for the renewal
		t.Error(err)
	}
	if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-1" {
		t.Errorf("row %v", row)
	}
	if l, err := p.Pick(t.Context(), Want{}); err != nil || l.Key() != "at-1" {
		t.Errorf("after close: %v", err)
	}
}

// What is under way when the time to close is up is named.
func TestCloseDuringARenewal(t *testing.T) {
	r, p, i := loginRig(t, 0)
	i.begun, i.release = make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := p.Pick(t.Context(), Want{})
		done <- err
	}()
	<-i.begun
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("too late")
	cancel(late)
	if err := r.Close(ctx); !errors.Is(err, late) || !strings.Contains(err.Error(), "renewal of a login of svc") {
		t.Errorf("close: %v", err)
	}
	close(i.release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRefusedRenewals(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status Status
		back   time.Duration
		says   string
	}{
		"ended":       {&providers.Error{Status: 400, Body: []byte(`{"error":"invalid_grant"}`)}, Dead, 0, "has ended: log in again"},
		"refused":     {&providers.Error{Status: 403, Message: "no; your token is rt-0 and at-0"}, Exhausted, 5 * time.Minute, "could not be renewed"},
		"limited":     {&providers.Error{Status: 429, Message: "try again in 20 minutes"}, Exhausted, 20 * time.Minute, "could not be renewed"},
		"server":      {&providers.Error{Status: 502}, OK, 0, "could not be renewed"},
		"unreachable": {errors.New("dial tcp: no route; refresh_token=rt-0"), OK, 0, "could not be renewed: dial tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			r, p, i := loginRig(t, -time.Second)
			i.err = c.err
			_, err := p.Pick(t.Context(), Want{})
			u := unavailable(t, err)
			if e, ok := errors.AsType[*RenewError](u); !ok || !strings.Contains(u.Error(), c.says) || e.Dead != (c.status == Dead) || !errors.Is(e, c.err) {
				t.Errorf("error %v", err)
			}
			if strings.Contains(err.Error(), "rt-0") || strings.Contains(err.Error(), "at-0") {
				t.Errorf("a secret shows: %v", err)
			}
			got := p.List()[0]
			if got.Status != c.status || c.back != 0 && !got.Until.Equal(noon.Add(c.back)) || strings.Contains(got.Cause.Message, "rt-0") {
				t.Errorf("left as %+v", got)
			}
			if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-0" {
				t.Errorf("row %v", row)
			}
		})
	}
}

// As long as the old token is good, a failed renewal is no reason not to use it;
// once it has ended, another credential is used.
func TestUsableThoughNotRenewed(t *testing.T) {
	r, p, i := loginRig(t, time.Minute)
	i.err = errors.New("no route")
	if l := pick(t, p, Want{}); l.Key() != "at-0" {
		t.Errorf("key %s", l.Key())
	}
	if got := r.reports.all(); len(got) != 1 || !strings.Contains(got[0], "no route") {
		t.Errorf("reports %q", got)
	}
	if _, err := p.Add(t.Context(), New{Label: "spare", Key: "spare-key"}); err != nil {
		t.Fatal(err)
	}
	r.clock.move(time.Minute)
	if l := pick(t, p, Want{}); l.Label != "spare" {
		t.Errorf("picked %v", l)
	}
	i.err = nil
	if l := pick(t, p, Want{}); l.Key() != "at-1" {
		t.Errorf("key %s", l.Key())
	}
}

func TestNotRenewable(t *testing.T) {
	r, p, _ := loginRig(t, time.Hour)
	bare := poolOf(t, r.open(Options{File: r.file}), "svc", PoolOptions{})
	if l := pick(t, bare, Want{}); l.Renewable() || !errors.Is(l.Renew(t.Context()), ErrNotRenewable) {
		t.Error("renewed without a function")
	}
	if l := pick(t, p, Want{}); !l.Renewable() {
		t.Error("a login is not renewable")
	}
	borrowed := Seed{Source: "claude_code", Label: "claude", Type: OAuth, Key: "at", Refresh: "rt", Expires: noon.Add(time.Minute)}
	o := PoolOptions{Seeds: seeds(borrowed), Refresh: func(context.Context, Credential) (Refreshed, error) {
		t.Error("a borrowed refresh token was spent")
		return Refreshed{}, errors.New("no")
	}}
	lent := poolOf(t, r.open(Options{}), "anthropic", o)
	l := pick(t, lent, Want{})
	if err := l.Renew(t.Context()); !errors.Is(err, ErrNotRenewable) || l.Key() != "at" || l.Renewable() {
		t.Errorf("borrowed: %v", err)
	}
	r.clock.move(time.Minute)
	if u := unavailable(t, lent.Unavailable(r.now())); u.Expired != 1 || u.Error() != "the only key of anthropic has expired: log in again" {
		t.Errorf("expired: %v", u)
	}
	key := pick(t, r.pool("other", PoolOptions{Seeds: seeds(Seed{Source: "env:K", Key: "k"}), Refresh: o.Refresh}), Want{})
	if err := key.Renew(t.Context()); !errors.Is(err, ErrNotRenewable) {
		t.Errorf("a key: %v", err)
	}
	mine := pick(t, p, Want{})
	if _, err := p.Remove(t.Context(), "me"); err != nil {
		t.Fatal(err)
	}
	if err := mine.Renew(t.Context()); !errors.Is(err, ErrNotRenewable) {
		t.Errorf("removed: %v", err)
	}
}

// A failing function ends its renewal, not the program.
func TestRenewalPanics(t *testing.T) {
	r := newRig(t, loginFile(noon))
	p := r.pool("svc", PoolOptions{Refresh: func(context.Context, Credential) (Refreshed, error) { panic("oops") }})
	if _, err := p.Pick(t.Context(), Want{}); err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("error %v", err)
	}
	empty := r.pool("svc", PoolOptions{Refresh: func(context.Context, Credential) (Refreshed, error) { return Refreshed{}, nil }})
	if _, err := empty.Pick(t.Context(), Want{}); err == nil || !strings.Contains(err.Error(), "no access token") {
		t.Errorf("error %v", err)
	}
}
