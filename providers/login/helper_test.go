package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/internal/logintest"
)

// noon is when the tests begin.
var noon = time.Date(2026, 6, 17, 12, 0, 0, 0, time.UTC)

// patience bounds every wait of these tests.
const patience = 20 * time.Second

// clock is a clock that moves when something waits on it.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	waits []time.Duration
	tick  func(n int) // before the nth wait ends
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.at = c.at.Add(d)
	c.waits = append(c.waits, d)
	n, tick := len(c.waits), c.tick
	c.mu.Unlock()
	if tick != nil {
		tick(n)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// rig is a flow at an issuer of its own.
type rig struct {
	*Flow
	t      *testing.T
	issuer *logintest.Issuer
	clock  *clock
}

func newRig(t *testing.T) *rig {
	t.Helper()
	i, c := logintest.New(t), &clock{at: noon}
	i.Clock = c.now
	service, err := OpenAI{Issuer: i.URL, ClientID: logintest.Client, Redirects: []string{"http://127.0.0.1:0/auth/callback"}}.Service()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &rig{t: t, issuer: i, clock: c, Flow: &Flow{Issuer: service, HTTP: client, Clock: c.now, Sleep: c.sleep, Patience: patience}}
}

// standard makes the flow one of RFC 8628.
func (r *rig) standard() *rig {
	r.Issuer.Device = Device{Form: DeviceStandard, Start: r.issuer.URL + "/oauth/device"}
	return r
}

// visit is a browser: it follows redirects and gives what it ends at.
func visit(t *testing.T, address string) (status int, page string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	resp, err := client.Get(address)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(data)
}

// browse logs in with a browser that does something with the address.
func (r *rig) browse(do func(address string)) (Tokens, error) {
	r.t.Helper()
	var wg sync.WaitGroup
	defer wg.Wait()
	return r.Browser(r.t.Context(), func(address string) { wg.Go(func() { do(address) }) })
}

// back is where the browser would come back to, with some parameters changed.
func back(t *testing.T, address string, change map[string]string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := url.Values{"state": {u.Query().Get("state")}}
	for k, v := range change {
		q.Set(k, v)
	}
	return u.Query().Get("redirect_uri") + "?" + q.Encode()
}

// fails checks an error: its kind, its words, and that it shows no secret.
func fails(t *testing.T, err error, want Problem, words ...string) {
	t.Helper()
	own, ok := errors.AsType[*Error](err)
	if !ok || own.Problem != want {
		t.Fatalf("got %v, want the problem %s", err, want)
	}
	shown := fmt.Sprintf("%v %+v %#v", err, err, err)
	for e := err; e != nil; e = errors.Unwrap(e) {
		shown += fmt.Sprintf(" %v %+v %#v", e, e, e)
	}
	if strings.Contains(shown, logintest.Canary) {
		t.Errorf("a secret is shown: %s", shown)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q lacks %q", err, w)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r\x1b") {
		t.Errorf("not one plain line: %q", err)
	}
}

func works(t *testing.T, got Tokens, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got.Access() == "" || got.Refresh() == "" || got.Account != logintest.Account || got.Client != logintest.Client || !got.Expires.After(noon) {
		t.Errorf("got %v", got)
	}
	if s := fmt.Sprintf("%v %+v %#v %s", got, got, got, &got); strings.Contains(s, logintest.Canary) || strings.Contains(s, logintest.Account) {
		t.Errorf("printed: %s", s)
	}
}
