package anthropic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"hermes-tui/internal/protocoltest"
	"hermes-tui/providers"
	"hermes-tui/providers/transport"
)

// failed checks that an error is of a kind, says some words and keeps the
// credential.
func failed(t *testing.T, err error, kind providers.ErrorKind, words string) *providers.Error {
	t.Helper()
	var e *providers.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want a *providers.Error", err)
	}
	if e.Kind != kind || !strings.Contains(e.Message, words) || e.Endpoint == "" {
		t.Errorf("got %s %q of %q, want %s with %q", e.Kind, e.Message, e.Endpoint, kind, words)
	}
	if all := fmt.Sprintf("%v %+v %s %v", e, *e, e.Body, e.Cause); strings.Contains(all, "secret") {
		t.Errorf("the error holds the key: %s", all)
	}
	return e
}

// server answers every request with a stream and keeps the newest.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	last *http.Request
	body string
}

func (s *server) asked() (*http.Request, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.body
}

func serve(t testing.TB, contentType, body string) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.last, s.body = r, string(asked)
		s.mu.Unlock()
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
		_ = http.NewResponseController(w).Flush() // the end comes in a packet of its own
	}))
	t.Cleanup(s.Close)
	return s
}

// stop is a small whole answer.
func stop() string {
	e := &encoder{index: -1}
	e.step(protocoltest.Step{Kind: protocoltest.Text, Text: "a"})
	e.step(protocoltest.Step{Kind: protocoltest.Finish, Finish: providers.FinishStop})
	return e.out.String()
}

var (
	collect = protocoltest.Collect
	show    = protocoltest.Show
	quote   = protocoltest.Quote
)

func TestCredentials(t *testing.T) {
	const fine, inter = betaFineGrained, betaInterleaved
	for _, c := range []struct {
		name, url, model      string
		change                func(*Config)
		key, auth, beta, path string
	}{
		{"key", "https://api.anthropic.com", "claude-opus-5", func(c *Config) { c.Key = "sk-ant-api03-x" }, "sk-ant-api03-x", "", fine, "/v1/messages"},
		{"key with blanks around", "", "claude-opus-5", func(c *Config) { c.Key = " sk-ant-api03-x\n" }, "sk-ant-api03-x", "", fine, "/v1/messages"},
		{"no key", "", "claude-opus-5", func(c *Config) { c.Key = "" }, "", "", fine, "/v1/messages"},
		{"login", "https://api.anthropic.com/v1", "claude-opus-5", func(c *Config) { c.Key = "sk-ant-oat01-x" }, "", "Bearer sk-ant-oat01-x", betaLogin + "," + fine, "/v1/messages"},
		{"login by JWT", "", "claude-opus-5", func(c *Config) { c.Key = "eyJx" }, "", "Bearer eyJx", betaLogin + "," + fine, "/v1/messages"},
		{"login that is renewed", "", "claude-opus-4-1", func(c *Config) { c.Token = token("fresh") }, "", "Bearer fresh", betaLogin + "," + inter + "," + fine, "/v1/messages"},
		{"longest answers", "", "claude-3-7-sonnet", func(c *Config) { c.Key = "k" }, "k", "", inter + "," + fine + "," + betaLongAnswer, "/v1/messages"},
		{"third party", "https://api.example.com/anthropic/?v=2", "claude-opus-5", func(c *Config) { c.Key = "eyJx" }, "eyJx", "", fine, "/anthropic/v1/messages?v=2"},
		{"third party, renewed", "https://api.example.com", "glm-5", func(c *Config) { c.Token = token("t") }, "", "Bearer t", inter + "," + fine, "/v1/messages"},
		{"MiniMax", "https://api.minimax.io/anthropic", "MiniMax-M2", func(c *Config) { c.Key = "k" }, "", "Bearer k", "", "/anthropic/v1/messages"},
		{"Azure", "https://me.services.ai.azure.com/anthropic", "claude-opus-5", func(c *Config) { c.Key = "k" }, "", "Bearer k", fine + "," + betaLongContext, "/anthropic/v1/messages"},
		{"no host of Anthropic", "https://anthropic.com.evil.test", "claude-opus-5", func(c *Config) { c.Key = "sk-ant-oat01-x" }, "sk-ant-oat01-x", "", fine, "/v1/messages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := newClient(t, c.url, c.change)
			req, err := client.request(t.Context(), http.MethodPost, "/messages", []byte("{}"))
			if err != nil {
				t.Fatal(err)
			}
			client.setBetas(req.Header, providers.Request{Model: c.model}, false)
			h := req.Header
			if h.Get("X-Api-Key") != c.key || h.Get("Authorization") != c.auth || h.Get("Anthropic-Beta") != c.beta || req.URL.RequestURI() != c.path {
				t.Errorf("got key %q, auth %q, betas %q, path %q", h.Get("X-Api-Key"), h.Get("Authorization"), h.Get("Anthropic-Beta"), req.URL.RequestURI())
			}
			h.Del("Anthropic-Beta")
			client.setBetas(h, providers.Request{Model: c.model, ShortContext: true}, false)
			if strings.Contains(h.Get("Anthropic-Beta"), betaLongContext) {
				t.Errorf("asks for a long context: %s", h.Get("Anthropic-Beta"))
			}
		})
	}
}

func TestHeadersAndWhatACallerAdds(t *testing.T) {
	s := serve(t, "text/event-stream", stop())
	ctx := transport.WithCall(t.Context(), transport.Call{Headers: map[string]string{"X-Call": "1"}, Extra: map[string]any{"model": "override"}})
	client := newClient(t, s.URL, func(c *Config) { c.Headers = map[string]string{"X-Own": "2", "anthropic-version": "2099-01-01"} })
	st, err := client.Stream(ctx, calm("m-1"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r, body := s.asked()
	if r.Header.Get("X-Call") != "1" || r.Header.Get("X-Own") != "2" || r.Header.Get("Anthropic-Version") != "2099-01-01" || !strings.Contains(body, `"model":"override"`) {
		t.Errorf("got %v %s", r.Header, body)
	}
}

func TestWhatNewRefuses(t *testing.T) {
	tr := transport.New(transport.Options{})
	for name, c := range map[string]transport.Service{
		"no transport":   {},
		"two keys":       {Endpoint: providers.Endpoint{Key: "sk-secret\nsk-secret"}, Transport: tr},
		"no scheme":      {Endpoint: providers.Endpoint{BaseURL: "localhost:1/secret"}, Transport: tr},
		"another scheme": {Endpoint: providers.Endpoint{BaseURL: "ftp://secret@host"}, Transport: tr},
		"no address":     {Endpoint: providers.Endpoint{BaseURL: "http://secret@%zz"}, Transport: tr},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := New(Config{Service: c}); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLoginsThatGiveNoToken(t *testing.T) {
	with := func(token string, err error) *Client {
		return newClient(t, "http://127.0.0.1:1", func(c *Config) {
			c.Token = func(context.Context) (string, string, error) { return token, "", err }
		})
	}
	_, err := collect(t, with("", errors.New("the login has ended; log in again")), calm("m-1"))
	failed(t, err, providers.ErrorRequest, "log in again")
	_, err = collect(t, with("", &providers.Error{Kind: providers.ErrorStatus, Status: 401, Endpoint: "https://issuer", Message: "revoked"}), calm("m-1"))
	if e := failed(t, err, providers.ErrorStatus, "revoked"); e.Status != 401 {
		t.Errorf("got %+v", e)
	}
	_, err = collect(t, with("two\nsecrets", nil), calm("m-1"))
	failed(t, err, providers.ErrorRequest, "set it again")
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := newClient(t, "http://127.0.0.1:1", func(c *Config) {
		c.Token = func(ctx context.Context) (string, string, error) { cancel(cause); return "", "", ctx.Err() }
	})
	if _, err := c.Stream(ctx, calm("m-1")); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

// token gives the token of a login.
func token(s string) func(context.Context) (string, string, error) {
	return func(context.Context) (string, string, error) { return s, "", nil }
}

func TestCredentialsStayWhereTheyAreMeant(t *testing.T) {
	s := serve(t, "text/event-stream", stop())
	other := httptest.NewServer(http.RedirectHandler(s.URL+"/elsewhere", http.StatusTemporaryRedirect))
	t.Cleanup(other.Close)
	for _, login := range []func(context.Context) (string, string, error){nil, token("t")} {
		_, err := collect(t, newClient(t, other.URL, func(c *Config) { c.Token = login }), calm("m-1"))
		failed(t, err, providers.ErrorProtocol, "redirects to "+s.URL+"/elsewhere, another server")
		if r, _ := s.asked(); r != nil {
			t.Errorf("the other server got %s %v", r.URL, r.Header)
		}
	}
}

// A finished stream leaves its connection for the next request.
func TestConnectionsAreUsedAgain(t *testing.T) {
	s := serve(t, "text/event-stream", stop())
	c := newClient(t, s.URL)
	from := map[string]bool{}
	for range 3 {
		if _, err := collect(t, c, calm("m-1")); err != nil {
			t.Fatal(err)
		}
		r, _ := s.asked()
		from[r.RemoteAddr] = true
	}
	if len(from) != 1 {
		t.Errorf("three requests took %d connections", len(from))
	}
}
