package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-tui/tools/mcp/oauth"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site answers paths with texts: JSON, or a status in front of a blank. URL in them is its own
// address. A path that is not there is not found.
func site(t *testing.T, pages map[string]string) (*httptest.Server, *http.Client) {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		switch {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		case strings.HasPrefix(text, "401 "):
			w.Header().Set("WWW-Authenticate", strings.ReplaceAll(text[4:], "URL", s.URL))
			w.WriteHeader(http.StatusUnauthorized)
		case text == "500":
			w.WriteHeader(http.StatusInternalServerError)
		case text == "endless":
			for range 2000 {
				if _, err := w.Write(make([]byte, 1024)); err != nil {
					return
				}
			}
		default:
			_, _ = io.WriteString(w, strings.ReplaceAll(text, "URL", s.URL))
		}
	}))
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t.Cleanup(s.Close)
	return s, c
}

const issuer = `{"issuer":"URL","authorization_endpoint":"URL/a","token_endpoint":"URL/t","code_challenge_methods_supported":["plain","S256"],"scopes_supported":["x"]}`

// TestFind finds where to log in, in all the places where that may stand.
func TestFind(t *testing.T) {
	const known, rooted = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
	for name, c := range map[string]struct {
		pages    map[string]string
		resource string
		scopes   string
	}{
		"named":              {map[string]string{"/mcp": `401 Bearer realm="a, b", resource_metadata="URL/meta", scope="s t"`, "/meta": `{"resource":"URL/mcp","authorization_servers":["URL"],"scopes_supported":["y"]}`, rooted: issuer}, "/mcp", "s t"},
		"at the path":        {map[string]string{"/mcp": "401 Basic", known + "/mcp": `{"resource":"URL/mcp","authorization_servers":["URL/"],"scopes_supported":["y"]}`, rooted: issuer}, "/mcp", "y"},
		"at the root":        {map[string]string{known: `{"resource":"URL","authorization_servers":["URL"]}`, "/.well-known/openid-configuration": issuer}, "", ""},
		"a tenant":           {map[string]string{known: `{"resource":"URL/","authorization_servers":["URL/t/1"]}`, "/t/1/.well-known/openid-configuration": strings.Replace(issuer, `"URL"`, `"URL/t/1"`, 1)}, "/", ""},
		"a tenant, inserted": {map[string]string{known: `{"resource":"URL/","authorization_servers":["URL/t/1"]}`, rooted + "/t/1": strings.Replace(issuer, `"URL"`, `"URL/t/1"`, 1)}, "/", ""},
		"of the old kind":    {map[string]string{rooted: issuer}, "/mcp", ""},
		"pages for people":   {map[string]string{known + "/mcp": "<html>", known: "<html>", rooted: issuer}, "/mcp", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := site(t, c.pages)
			got, err := oauth.Find(t.Context(), client, s.URL+"/mcp")
			if err != nil || got.Resource != s.URL+c.resource || strings.Join(got.Scopes, " ") != c.scopes || got.Token != s.URL+"/t" || !strings.HasPrefix(got.Issuer, s.URL) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestFindLies: what a server says of others is not believed.
func TestFindLies(t *testing.T) {
	const known, rooted = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
	for name, c := range map[string]struct {
		pages map[string]string
		want  string
	}{
		"nothing":          {map[string]string{}, "nothing says how to log in"},
		"another resource": {map[string]string{known: `{"resource":"https://bank.example/mcp","authorization_servers":["URL"]}`, rooted: issuer}, "is about another server, https://bank.example/mcp"},
		"a part of it":     {map[string]string{known: `{"resource":"URL/mcp/admin","authorization_servers":["URL"]}`, rooted: issuer}, "is about another server"},
		"a longer name":    {map[string]string{known: `{"resource":"URL/mc","authorization_servers":["URL"]}`, rooted: issuer}, "is about another server"},
		"no one":           {map[string]string{known: `{"resource":"URL"}`}, "names no one who gives logins"},
		"broken":           {map[string]string{known: "500"}, "answers with 500"},
		"too much":         {map[string]string{known: "endless"}, "more than 1 MB"},
		"hidden words":     {map[string]string{known: `{"resource":"URL","authorization_servers":["https://evil\u202e.example/\u001b[2J"]}`}, ""},
		"no PKCE":          {map[string]string{rooted: strings.Replace(issuer, `"plain","S256"`, `"plain"`, 1)}, "PKCE"},
		"a fragment":       {map[string]string{rooted: strings.Replace(issuer, "URL/a", "URL/a#x", 1)}, "cannot be an address"},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := site(t, c.pages)
			got, err := oauth.Find(t.Context(), client, s.URL+"/mcp")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\x1b\u202e\n") {
				t.Errorf("%+v, %v; want %q", got, err, c.want)
			}
		})
	}
	if _, err := oauth.Find(t.Context(), http.DefaultClient, "http://mcp.example/mcp"); err == nil || !strings.Contains(err.Error(), "has no TLS") {
		t.Errorf("%v", err)
	}
	for _, address := range []string{"", "://", "http://", "mailto:x"} {
		if _, err := oauth.Find(t.Context(), http.DefaultClient, address); err == nil {
			t.Errorf("%q", address)
		}
	}
}

// keeper is a login in memory.
type keeper struct {
	mu      sync.Mutex
	now     oauth.Login
	renewed int
	fails   error
}

func (k *keeper) Current() (oauth.Login, error) { k.mu.Lock(); defer k.mu.Unlock(); return k.now, nil }

func (k *keeper) Renew(context.Context, oauth.Login) (oauth.Login, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.renewed++
	if k.fails != nil {
		return oauth.Login{}, k.fails
	}
	k.now.Access, k.now.Expires = "new", time.Time{}
	return k.now, nil
}

// TestHandler sends tokens, renews those that end, and says when the user has to log in.
func TestHandler(t *testing.T) {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	over, away := error(&oauth.LoginError{Why: "Over."}), errors.New("not reached")
	for name, c := range map[string]struct {
		left  time.Duration // of the token; 0 is without end
		fails error
		want  string
		bad   error
	}{
		"holds":           {time.Hour, nil, "old", nil},
		"without end":     {0, nil, "old", nil},
		"ends soon":       {10 * time.Second, nil, "new", nil},
		"ends soon, away": {10 * time.Second, away, "old", nil},
		"has ended":       {-time.Hour, nil, "new", nil},
		"has ended, over": {-time.Hour, over, "", nil},
		"has ended, away": {-time.Hour, away, "", away},
	} {
		k := &keeper{now: oauth.Login{Access: "old", Refresh: "r"}, fails: c.fails}
		if c.left != 0 {
			k.now.Expires = clock.Add(c.left)
		}
		h := &oauth.Handler{Keeper: k, Now: func() time.Time { return clock }}
		source, err := h.TokenSource(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := source.Token()
		if !errors.Is(err, c.bad) || (got == nil) != (c.want == "") || got != nil && got.AccessToken != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}

	k := &keeper{}
	var wanted []string
	h := &oauth.Handler{Keeper: k, Now: func() time.Time { return clock }, Wants: func(s []string) { wanted = s }}
	refuse := func(status int, sent, said string) error {
		req := httptest.NewRequest(http.MethodPost, "http://x.example/mcp", nil)
		req.Header.Set("Authorization", sent)
		w := httptest.NewRecorder()
		w.Header().Set("WWW-Authenticate", said)
		w.WriteHeader(status)
		return h.Authorize(t.Context(), req, w.Result())
	}
	if err := refuse(401, "", ""); !oauth.Over(err) || k.renewed != 0 {
		t.Errorf("without a login: %v", err)
	}
	k.now = oauth.Login{Access: "old", Refresh: "r"}
	if err := refuse(401, "Bearer older", ""); err != nil || k.renewed != 0 {
		t.Errorf("renewed meanwhile: %v", err)
	}
	if err := refuse(401, "Bearer old", ""); err != nil || k.renewed != 1 {
		t.Errorf("renews: %v", err)
	}
	if err := refuse(401, "Bearer new", ""); !oauth.Over(err) || k.renewed != 1 {
		t.Errorf("renewing does not help: %v", err)
	}
	if err := refuse(403, "Bearer new", "Bearer error=\"insufficient_scope\", scope=\"write\x1b all\""); !oauth.Over(err) || len(wanted) != 2 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("more rights: %v, %q", err, wanted)
	}
	if err := refuse(403, "Bearer new", "Bearer"); err != nil {
		t.Errorf("refused: %v", err)
	}
	clock = clock.Add(time.Minute)
	k.fails = over
	if err := refuse(401, "Bearer new", `Bearer broken="`); !errors.Is(err, over) {
		t.Errorf("over: %v", err)
	}
	raw, err := json.Marshal(oauth.Login{URL: "u", Access: "a"})
	if err != nil || strings.Contains(string(raw), "expires_at") {
		t.Errorf("%s, %v", raw, err)
	}
}
