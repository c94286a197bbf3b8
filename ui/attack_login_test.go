//go:build unix

package ui_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hermes-tui/internal/oauthtest"
	. "hermes-tui/internal/uitest"
)

// loggingIn has a user log in at a server out of the window of servers, as far as the page to
// open if there is one.
func loggingIn(t *testing.T, s *oauthtest.Server) *Driver {
	t.Helper()
	d := Start(t, Options{Cols: 140, Rows: 40, Config: "mcp_servers:\n  far: {url: \"" + s.MCP() + "\"}\n", Scenario: answers(on("^begin", say("Begun.")))})
	d.Type("begin").Press("enter").WaitFor(Contains("Begun."), Contains("It wants a login."))
	d.Type("/mcp").Press("enter").WaitFor(Contains("Want a login"), Contains("alt+l"))
	return d.Press("alt+l")
}

// TestLoginsThatLie logs in at servers that lead elsewhere, or whose login comes back from
// someone else (M7): no code or token is given, and a sentence says why.
func TestLoginsThatLie(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lie   func(*oauthtest.Server)
		opens bool
		want  string
	}{
		"page runs something": {func(s *oauthtest.Server) {
			s.Change = func(m map[string]any) { m["authorization_endpoint"] = "javascript:alert(1)" }
		}, false, "the page of the login of"},
		"another issuer": {func(s *oauthtest.Server) {
			s.Change = func(m map[string]any) { m["issuer"] = "https://good.example" }
		}, false, "says that it is https://good.example"},
		"metadata": {func(s *oauthtest.Server) { s.Issuer = "http://169.254.169.254" }, false, "has no TLS"},
		"mixed up": {func(s *oauthtest.Server) { s.Iss = "https://evil.example" }, true, "came back from another service"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := oauthtest.Start(t)
			c.lie(s)
			d := loggingIn(t, s)
			if c.opens {
				d.WaitFor(Contains("in a browser on this machine")).Press("ctrl+y").WaitFor(Contains("opied"))
				oauthtest.Visit(t, d.Clipboard())
			}
			d.WaitFor(Contains(c.want))
			if s.Asked("token") != 0 {
				t.Errorf("a token was asked for: %q", s.Log())
			}
		})
	}
}

// TestStrangersAtTheLogin sends what is no answer to a login to the address at which the
// browser is to come back (N5, M7): another state, another host, an origin of the web. Each is
// refused, and the login goes on.
func TestStrangersAtTheLogin(t *testing.T) {
	t.Parallel()
	s := oauthtest.Start(t)
	d := loggingIn(t, s)
	d.WaitFor(Contains("in a browser on this machine")).Press("ctrl+y").WaitFor(Contains("opied"))
	page := d.Clipboard()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	back, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
	if back == "" || state == "" {
		t.Fatalf("the page is %s", page)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for name, c := range map[string]struct {
		query, host, method string
	}{
		"another state": {"code=stolen&state=wrong", "", http.MethodGet},
		"no state":      {"code=stolen", "", http.MethodGet},
		"foreign host":  {"code=stolen&state=" + state, "evil.example", http.MethodGet},
		"a form":        {"code=stolen&state=" + state, "", http.MethodPost},
	} {
		r, err := http.NewRequestWithContext(context.Background(), c.method, back+"?"+c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		r.Header.Set("Origin", "https://evil.example")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode < 400 {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	if s.Asked("token") != 0 {
		t.Errorf("a token was asked for: %q", s.Log())
	}
	if status, body := oauthtest.Visit(t, page); status != http.StatusOK || !strings.Contains(body, "the MCP server far") {
		t.Errorf("%d %s", status, body)
	}
	d.WaitFor(Contains("Logged in: far is ready."))
}
