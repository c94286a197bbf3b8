//go:build unix

package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/internal/oauthtest"
)

// guarded opens an app with a server that wants a login.
func guarded(t *testing.T, s *oauthtest.Server, more string) (*box, *App) {
	t.Helper()
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmcp_servers:\n  far: {url: \"" + s.MCP() + "\", trust: full" + more + "}\n")
	a := b.open()
	a.StartMCP(t.Context())
	return b, a
}

// browses opens the address of a login.
func browses(t *testing.T) api.LoginWay {
	return api.LoginWay{Browser: func(address string) { go oauthtest.Visit(t, address) }}
}

func (b *box) authFile() string {
	b.t.Helper()
	raw, err := os.ReadFile(b.home.Auth())
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

// TestMCPLogin logs in at a server, renews that, uses it after a restart, and logs out. No
// one is sent to a browser unasked.
func TestMCPLogin(t *testing.T) {
	s := oauthtest.Start(t)
	b, a := guarded(t, s, "")
	now := serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "needs login" })
	if now.Why != "It wants a login." || !strings.Contains(now.Next, "hermes-tui mcp login far") || len(s.Log()) != 0 {
		t.Errorf("%+v, %q", now, s.Log())
	}
	now, err := a.LoginMCP(t.Context(), "far", browses(t))
	if err != nil || now.State != "ready" || len(now.Tools) != 1 {
		t.Fatalf("%+v, %v", now, err)
	}
	if log := strings.Join(s.Log(), "\n"); !strings.Contains(log, "register hermes-tui none\nauthorize client=client-1 scope=read offline_access resource="+s.MCP()+"\ntoken grant=authorization_code client=client-1 resource="+s.MCP()) {
		t.Errorf("%s", log)
	}
	if text := b.authFile(); !strings.Contains(text, "access-token-") || !strings.Contains(text, "refresh-token-") {
		t.Errorf("%s", text)
	}
	again := func(a *App) api.MCPServer {
		t.Helper()
		a.mcp.servers.Anew("far")
		time.Sleep(50 * time.Millisecond)
		return serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "ready" || m.State == "needs login" })
	}
	s.Forget(false)
	if now := again(a); now.State != "ready" || s.Asked("token grant=refresh_token") != 1 {
		t.Errorf("after renewing: %+v, %q", now, s.Log())
	}
	closed(t, a)

	a = b.open() // two programs with one login
	defer closed(t, a)
	other := b.open()
	a.StartMCP(t.Context())
	other.StartMCP(t.Context())
	s.Forget(false)
	var wg sync.WaitGroup
	for _, one := range []*App{a, other} {
		wg.Go(func() {
			if now := again(one); now.State != "ready" {
				t.Errorf("of two: %+v", now)
			}
		})
	}
	wg.Wait()
	if n := s.Asked("token grant=refresh_token"); n != 2 {
		t.Errorf("renewed %d times: %q", n, s.Log())
	}
	closed(t, other)
	s.Forget(true)
	if now := again(a); now.State != "needs login" || !strings.Contains(now.Why, "Its login has ended") || !strings.Contains(b.authFile(), "refresh-token-") {
		t.Errorf("after the end: %+v", now)
	}
	if now, err := a.LoginMCP(t.Context(), "far", browses(t)); err != nil || now.State != "ready" {
		t.Errorf("logged in again: %+v, %v", now, err)
	}
	if had, untold, err := a.LogoutMCP(t.Context(), "far"); !had || untold != nil || err != nil || s.Asked("revoke refresh_token") != 1 || strings.Contains(b.authFile(), "token-") {
		t.Errorf("logged out: %v, %v, %v, %s", had, untold, err, b.authFile())
	}
	serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "needs login" })
	for _, name := range []string{"nobody", "far"} {
		if had, _, err := a.LogoutMCP(t.Context(), name); had || (err == nil) != (name == "far") {
			t.Errorf("%s: %v, %v", name, had, err)
		}
	}
}

// TestMCPLoginWays logs in with a code, as a client of the user, as one with a secret, and
// for more rights.
func TestMCPLoginWays(t *testing.T) {
	t.Run("code", func(t *testing.T) {
		s := oauthtest.Start(t)
		_, a := guarded(t, s, "")
		defer closed(t, a)
		var code api.LoginCode
		now, err := a.LoginMCP(t.Context(), "far", api.LoginWay{Code: func(c api.LoginCode) { code = c; s.Approve() }})
		if err != nil || now.State != "ready" || code.Code != "ABCD-EFGH" || code.Page != s.URL+"/enter" || s.Asked("authorize") != 0 {
			t.Errorf("%+v, %v, %q, %q", now, err, code.Code, s.Log())
		}
	})
	t.Run("own client", func(t *testing.T) {
		s := oauthtest.Start(t)
		s.NoRegistration = true
		s.Know("mine")
		_, a := guarded(t, s, ", oauth: {client_id: mine, scope: all of it, redirect_port: 27899}")
		defer closed(t, a)
		address := ""
		now, err := a.LoginMCP(t.Context(), "far", api.LoginWay{Browser: func(at string) { address = at; go oauthtest.Visit(t, at) }})
		if err != nil || now.State != "ready" || s.Asked("authorize client=mine scope=all of it offline_access") != 1 || !strings.Contains(address, "127.0.0.1%3A27899%2F") {
			t.Errorf("%+v, %v, %s, %q", now, err, address, s.Log())
		}
	})
	t.Run("secret", func(t *testing.T) {
		s := oauthtest.Start(t)
		s.Secret = true
		_, a := guarded(t, s, "")
		defer closed(t, a)
		if now, err := a.LoginMCP(t.Context(), "far", browses(t)); err != nil || now.State != "ready" {
			t.Errorf("%+v, %v", now, err)
		}
	})
	t.Run("sse", func(t *testing.T) {
		s := oauthtest.Start(t)
		b := newBox(t)
		b.config("probe: {local_servers: false}\nmcp_servers:\n  far: {url: \"" + s.SSE() + "\", transport: sse}\n")
		a := b.open()
		defer closed(t, a)
		a.StartMCP(t.Context())
		serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "needs login" })
		if now, err := a.LoginMCP(t.Context(), "far", browses(t)); err != nil || now.State != "ready" || len(now.Tools) != 1 {
			t.Errorf("%+v, %v", now, err)
		}
	})
	t.Run("more rights", func(t *testing.T) {
		s := oauthtest.Start(t)
		_, a := guarded(t, s, "")
		defer closed(t, a)
		if _, err := a.LoginMCP(t.Context(), "far", browses(t)); err != nil {
			t.Fatal(err)
		}
		s.WantMore()
		a.mcp.servers.Anew("far")
		serverNow(t, a, "far", func(m api.MCPServer) bool {
			return m.State == "needs login" && m.Why == "It wants a login with more rights: write."
		})
		now, err := a.LoginMCP(t.Context(), "far", browses(t))
		if err != nil || now.State != "ready" || s.Asked("authorize client=client-4 scope=read offline_access write") != 1 {
			t.Errorf("%+v, %v, %q", now, err, s.Log())
		}
	})
	t.Run("stopped", func(t *testing.T) {
		s := oauthtest.Start(t)
		_, a := guarded(t, s, "")
		defer closed(t, a)
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := a.LoginMCP(ctx, "far", api.LoginWay{Browser: func(string) { cancel() }}); err == nil || ctx.Err() == nil {
			t.Errorf("%v", err)
		}
	})
	t.Run("none", func(t *testing.T) {
		s := oauthtest.Start(t)
		_, a := guarded(t, s, ", auth: none")
		defer closed(t, a)
		serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "needs login" && strings.Contains(m.Next, "headers") })
		if _, err := a.LoginMCP(t.Context(), "far", browses(t)); err == nil || !strings.Contains(err.Error(), "no logging in") {
			t.Errorf("%v", err)
		}
	})
}

// TestMCPLoginLies: a login goes only where the server itself, and who it names, say that it
// does, and never to this machine or a private network on the word of a server.
func TestMCPLoginLies(t *testing.T) {
	set := func(key string, value any) func(*oauthtest.Server) {
		return func(s *oauthtest.Server) { s.Change = func(m map[string]any) { m[key] = value } }
	}
	for name, c := range map[string]struct {
		lie  func(*oauthtest.Server)
		want string
	}{
		"issuer without TLS":   {func(s *oauthtest.Server) { s.Issuer = "http://evil.example" }, "evil.example, which has no TLS"},
		"issuer is metadata":   {func(s *oauthtest.Server) { s.Issuer = "http://169.254.169.254" }, "has no TLS"},
		"issuer is private":    {func(s *oauthtest.Server) { s.Issuer = "https://10.1.2.3/x" }, "https://10.1.2.3/x, which is on this machine or in a private network"},
		"issuer by a name":     {func(s *oauthtest.Server) { s.Issuer = strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }, "has no TLS"},
		"issuer here with TLS": {func(s *oauthtest.Server) { s.Issuer = "https://[::1]:1" }, "private network"},
		"issuer is a file":     {func(s *oauthtest.Server) { s.Issuer = "file:///etc/passwd" }, "cannot be an address"},
		"metadata elsewhere":   {func(s *oauthtest.Server) { s.Metadata = "https://evil.example/x" }, "only its own host is asked"},
		"another issuer":       {set("issuer", "https://good.example"), "says that it is https://good.example"},
		"page runs something":  {set("authorization_endpoint", "javascript:alert(1)"), "cannot be an address"},
		"page of the router":   {set("authorization_endpoint", "https://192.168.1.1/reboot"), "private network"},
		"tokens elsewhere":     {set("token_endpoint", "http://evil.example/token"), "has no TLS"},
		"tokens to metadata":   {set("token_endpoint", "https://169.254.169.254/token"), "private network"},
		"no token endpoint":    {set("token_endpoint", ""), "cannot be an address"},
		"registration inside":  {set("registration_endpoint", "https://user:x@evil.example/r"), "cannot be an address"},
		"no PKCE":              {set("code_challenge_methods_supported", []string{"plain"}), "PKCE"},
		"no registration":      {func(s *oauthtest.Server) { s.NoRegistration = true }, "oauth.client_id"},
		"mixed up":             {func(s *oauthtest.Server) { s.Iss = "https://evil.example" }, "came back from another service"},
		"iss left out":         {func(s *oauthtest.Server) { s.Iss = "none" }, "did not bring back who sent it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := oauthtest.Start(t)
			c.lie(s)
			_, a := guarded(t, s, "")
			defer closed(t, a)
			_, err := a.LoginMCP(t.Context(), "far", browses(t))
			if err == nil || !strings.Contains(err.Error(), c.want) || s.Asked("token") != 0 {
				t.Errorf("%v, want %q; %q", err, c.want, s.Log())
			}
		})
	}
}

// TestMCPLoginUnwritten: what was renewed while the file cannot be written is used all the
// same, and renewed from there when it can be again. A login that cannot be kept is none, and
// takes no one's time.
func TestMCPLoginUnwritten(t *testing.T) {
	s := oauthtest.Start(t)
	b, a := guarded(t, s, "")
	defer closed(t, a)
	aside := b.home.Auth() + ".aside"
	block := func() {
		if err := errors.Join(os.Rename(b.home.Auth(), aside), os.Mkdir(b.home.Auth(), 0o700)); err != nil {
			t.Error(err)
		}
	}
	free := func() {
		if err := errors.Join(os.Remove(b.home.Auth()), os.Rename(aside, b.home.Auth())); err != nil {
			t.Error(err)
		}
	}
	if err := os.Mkdir(b.home.Auth(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := a.LoginMCP(t.Context(), "far", browses(t)); err == nil || !strings.Contains(err.Error(), "auth.json") || len(s.Log()) != 0 {
		t.Errorf("%v, %q", err, s.Log())
	}
	if err := os.Remove(b.home.Auth()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.LoginMCP(t.Context(), "far", browses(t)); err != nil {
		t.Fatal(err)
	}
	s.Granted = func(grant string) {
		if s.Granted = nil; grant == "refresh_token" {
			block()
		}
	}
	s.Forget(false)
	a.mcp.servers.Anew("far")
	serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "ready" && s.Asked("token grant=refresh_token") == 1 })
	free()
	s.Forget(false)
	a.mcp.logins.Now = func() time.Time { return time.Now().Add(time.Minute) }
	a.mcp.servers.Anew("far")
	serverNow(t, a, "far", func(m api.MCPServer) bool { return m.State == "ready" && s.Asked("token grant=refresh_token") == 2 })
	if !strings.Contains(b.authFile(), "access-token-") {
		t.Errorf("%s", b.authFile())
	}
}
