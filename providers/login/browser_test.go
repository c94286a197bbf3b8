package login

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/internal/logintest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBrowser(t *testing.T) {
	r := newRig(t)
	got, err := r.browse(func(address string) {
		status, page := visit(t, address)
		if status != http.StatusOK || !strings.Contains(page, "Logged in") || strings.Contains(page, logintest.Canary) {
			t.Errorf("page %d %s", status, page)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
			return
		}
		q := u.Query()
		if q.Get("originator") != "hermes-tui" || q.Get("client_id") != logintest.Client || q.Get("code_challenge_method") != "S256" || q.Has("code_verifier") {
			t.Errorf("the address is %s", address)
		}
	})
	works(t, got, err)
	if !got.Expires.Equal(noon.Add(time.Hour)) {
		t.Errorf("ends %v", got.Expires)
	}
}

// A stranger's page can send the browser to the address, and a name that resolves
// here can be used for it: neither ends or makes a login.
func TestBrowserTakesOnlyItsOwn(t *testing.T) {
	r := newRig(t)
	got, err := r.browse(func(address string) {
		for _, change := range []map[string]string{
			{"code": "stolen", "state": "wrong"}, {"code": "stolen", "state": ""}, {"error": "access_denied", "state": "x"},
		} {
			if status, page := visit(t, back(t, address, change)); status != http.StatusBadRequest || !strings.Contains(page, "Not logged in") {
				t.Errorf("%v: %d %s", change, status, page)
			}
		}
		twice := back(t, address, nil) + "&state=second&code=x"
		if status, _ := visit(t, twice); status != http.StatusBadRequest {
			t.Errorf("two states: %d", status)
		}
		there, err := url.Parse(back(t, address, map[string]string{"code": "x"}))
		if err != nil {
			t.Error(err)
			return
		}
		elsewhere := *there
		elsewhere.Path = "/favicon.ico"
		if status, _ := visit(t, elsewhere.String()); status != http.StatusNotFound {
			t.Errorf("another path: %d", status)
		}
		rebound := *there
		rebound.Host = "localhost:" + there.Port()
		if status, _ := visit(t, rebound.String()); status != http.StatusNotFound {
			t.Errorf("another name: %d", status)
		}
		resp, err := http.Post(there.String(), "text/plain", nil)
		if err != nil {
			t.Error(err)
			return
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("posted: %d", resp.StatusCode)
		}
		http.DefaultClient.CloseIdleConnections()
		visit(t, address)
	})
	works(t, got, err)
	if n := r.issuer.Asked("/oauth/token"); n != 1 {
		t.Errorf("the token endpoint was asked %d times", n)
	}
}

// A code that comes twice is taken once; the second page says so.
func TestBrowserReplay(t *testing.T) {
	r := newRig(t)
	held, free := make(chan struct{}), make(chan struct{})
	r.issuer.Instead("/oauth/token", func(w http.ResponseWriter, q *http.Request) {
		close(held)
		<-free
		r.issuer.Instead("/oauth/token", nil)
		logintest.Refuse(w, http.StatusBadRequest, "invalid_grant", "the code is spent")
	})
	_, err := r.browse(func(address string) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, page := visit(t, back(t, address, map[string]string{"code": "code-CANARY-1"})); !strings.Contains(page, "The terminal says why") {
				t.Errorf("page %s", page)
			}
		}()
		<-held
		if status, page := visit(t, back(t, address, map[string]string{"code": "code-CANARY-1"})); status != http.StatusConflict || !strings.Contains(page, "Used already") {
			t.Errorf("replayed: %d %s", status, page)
		}
		close(free)
		<-done
	})
	fails(t, err, ProblemFailed, "HTTP 400", "invalid_grant", "hermes-tui login openai-codex")
}

func TestBrowserRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  map[string]string
		problem Problem
		words   []string
	}{
		{"denied", map[string]string{"error": "access_denied", "error_description": "You said no."}, ProblemDenied, []string{"You said no", "start it again"}},
		{"with code and error", map[string]string{"error": "server_error", "code": "code-CANARY-7", "error_description": "code-CANARY-7\x1b[31m\nfailed"}, ProblemDenied, []string{"failed"}},
		{"another issuer", map[string]string{"iss": "https://evil.example", "code": "code-CANARY-7"}, ProblemMixed, []string{"another service"}},
		{"no code", map[string]string{}, ProblemIssuer, []string{"without a code", "login.openai.issuer"}},
		{"expired code", map[string]string{"code": "code-CANARY-unknown"}, ProblemFailed, []string{"invalid_grant"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.browse(func(address string) {
				if _, page := visit(t, back(t, address, c.change)); strings.Contains(page, "Logged in") || strings.Contains(page, logintest.Canary) {
					t.Errorf("page %s", page)
				}
			})
			fails(t, err, c.problem, c.words...)
			if asked := r.issuer.Asked("/oauth/token"); asked != 0 && c.problem != ProblemFailed {
				t.Errorf("the token endpoint was asked %d times", asked)
			}
		})
	}
}

func TestBrowserEnds(t *testing.T) {
	r := newRig(t)
	r.Patience = time.Millisecond
	_, err := r.browse(func(string) {})
	fails(t, err, ProblemLate, "within 1ms", "--device")
	r.Patience = patience
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := r.Browser(ctx, func(string) { cancel(stop) }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

// The first address that is free is taken, on all addresses that its name leads to.
func TestBrowserPorts(t *testing.T) {
	r := newRig(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	busy := "http://localhost:" + port + "/auth/callback"
	r.Issuer.Redirects = []string{busy, "http://localhost:0/auth/callback"}
	got, err := r.browse(func(address string) {
		if strings.Contains(address, port) {
			t.Errorf("the address is %s", address)
		}
		visit(t, address)
	})
	works(t, got, err)
	r.Issuer.Redirects = []string{busy}
	_, err = r.browse(func(string) { t.Error("an address was shown") })
	fails(t, err, ProblemPort, port, "--device")
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		o     OpenAI
		words string
	}{
		{OpenAI{Issuer: "http://auth.example"}, "login.openai.issuer must be an https address"},
		{OpenAI{Issuer: "javascript:alert(1)"}, "login.openai.issuer"},
		{OpenAI{Issuer: "https://user:pass@auth.example"}, "login.openai.issuer"},
		{OpenAI{ClientID: "a b"}, "login.openai.client_id"},
		{OpenAI{Redirects: []string{"http://evil.example:1/cb"}}, "not on this machine"},
		{OpenAI{Redirects: []string{"https://localhost:1/cb"}}, "no plain http address"},
		{OpenAI{Redirects: []string{"http://localhost/cb"}}, "names no port"},
	} {
		_, err := c.o.Service()
		fails(t, err, ProblemSetting, c.words)
	}
	i, err := OpenAI{}.Service()
	if err != nil || i.Authorize != "https://auth.openai.com/oauth/authorize" || i.ClientID != "" {
		t.Fatalf("%+v %v", i, err)
	}
	// without an id of its own the program does not borrow another's
	f := &Flow{Issuer: i}
	_, err = f.Browser(t.Context(), func(string) { t.Error("shown") })
	fails(t, err, ProblemSetting, "set login.openai.client_id", "API key")
	_, err = f.Device(t.Context(), func(Prompt) { t.Error("shown") })
	fails(t, err, ProblemSetting, "set login.openai.client_id")
}
