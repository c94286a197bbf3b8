package transport

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// A request goes to the server that was asked only, with a body or without.
func TestRedirectToAnotherHostIsRefused(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		srv := httptest.NewServer(http.RedirectHandler(other.URL+"/there?x=secret", status))
		t.Cleanup(srv.Close)
		list, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		list.Header.Set("X-Api-Key", "sk-secret-1")
		for _, req := range []*http.Request{request(t, t.Context(), srv.URL), list} {
			e := fail(t, newTransport(t, Options{}), req)
			want(t, "kind", e.Kind, providers.ErrorProtocol)
			want(t, "status", e.Status, status)
			wantIn(t, e.Message, strings.TrimPrefix(srv.URL, "http://")+" redirects to "+other.URL+"/there, another server, which would get what is sent: set base_url")
			noSecrets(t, e)
		}
	}
	want(t, "reached", reached, false)
}

func TestRedirectOnTheSameHostKeepsCredentials(t *testing.T) {
	got := make(chan http.Header, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b", http.StatusPermanentRedirect)
			return
		}
		got <- r.Header
	}))
	t.Cleanup(srv.Close)
	if _, err := get(newTransport(t, Options{}), request(t, t.Context(), srv.URL+"/a")); err != nil {
		t.Fatal(err)
	}
	want(t, "Authorization", (<-got).Get("Authorization"), "Bearer sk-secret-0123456789")
}

func TestRefusedRedirects(t *testing.T) {
	for _, c := range []struct {
		name, to, message string
		status            int
	}{
		{"changed method", "/elsewhere", "the endpoint has moved", http.StatusFound},
		{"loop", "/", "redirects more than 5 times", http.StatusTemporaryRedirect},
		{"other scheme", "ftp://127.0.0.1/x", "ftp address", http.StatusTemporaryRedirect},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(http.RedirectHandler(c.to, c.status))
			t.Cleanup(srv.Close)
			e := fail(t, newTransport(t, Options{}), request(t, t.Context(), srv.URL))
			want(t, "kind", e.Kind, providers.ErrorProtocol)
			want(t, "endpoint", e.Endpoint, srv.URL)
			want(t, "status", e.Status, c.status)
			wantIn(t, e.Message, c.message)
		})
	}
	t.Run("to plain text", func(t *testing.T) {
		reached := false
		plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
		t.Cleanup(plain.Close)
		var srv *httptest.Server
		srv = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(srv.URL, "https", "http", 1), http.StatusTemporaryRedirect)
		}))
		t.Cleanup(srv.Close)
		pool := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		e := fail(t, newTransport(t, Options{RootCAs: pool}), request(t, t.Context(), srv.URL))
		wantIn(t, e.Message, strings.TrimPrefix(srv.URL, "https://")+" redirects from https to http (http://")
		srv.Config.Handler = http.RedirectHandler(plain.URL, http.StatusTemporaryRedirect)
		e = fail(t, newTransport(t, Options{RootCAs: pool}), request(t, t.Context(), srv.URL))
		wantIn(t, e.Message, "another server")
		want(t, "reached", reached, false)
	})
}

func TestSameServer(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"https://a.test/x", "https://A.test:443/y", true},
		{"http://a.test", "https://a.test", true},
		{"http://a.test:8080", "https://a.test", false},
		{"https://a.test", "https://b.a.test", false},
		{"http://127.0.0.1:1", "http://127.0.0.1:2", false},
	} {
		want(t, c.from+" "+c.to, sameServer(parse(t, c.to), parse(t, c.from)), c.want)
	}
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func env(vars map[string]string) func(string) string {
	return func(key string) string { return vars[key] }
}

func TestProxyRules(t *testing.T) {
	for _, c := range []struct {
		name string
		vars map[string]string
		url  string
		want string
	}{
		{"none", nil, "https://a.test", ""},
		{"https", map[string]string{"HTTPS_PROXY": "proxy.test:3128", "HTTP_PROXY": "http://other.test"}, "https://a.test", "http://proxy.test:3128"},
		{"http, lower case", map[string]string{"http_proxy": "socks5://u:p@proxy.test:1080"}, "http://a.test", "socks5://u:p@proxy.test:1080"},
		{"all", map[string]string{"all_proxy": "http://proxy.test"}, "https://a.test", "http://proxy.test"},
		{"localhost", map[string]string{"ALL_PROXY": "http://proxy.test"}, "http://localhost:1234", ""},
		{"loopback", map[string]string{"ALL_PROXY": "http://proxy.test"}, "http://[::1]:1234", ""},
		{"mapped loopback", map[string]string{"ALL_PROXY": "http://proxy.test"}, "http://[::ffff:127.0.0.1]:1234", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := ProxyFrom(env(c.vars))(&http.Request{URL: parse(t, c.url)})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if u != nil {
				got = u.String()
			}
			want(t, "proxy", got, c.want)
		})
	}
	for _, bad := range []string{"http://", "gopher://hunter2@x.test", "http://hunter2@%zz"} {
		u, err := ProxyFrom(env(map[string]string{"ALL_PROXY": bad}))(&http.Request{URL: parse(t, "http://a.test")})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, %v", bad, u, err)
		}
	}
}

func TestNoProxy(t *testing.T) {
	list := "example.com, .sub.test,*.star.test 10.0.0.0/8,192.168.1.7,port.test:8443,[2001:db8::1]:443,2001:db8::2"
	for address, exempt := range map[string]bool{
		"http://example.com":           true,
		"http://EXAMPLE.com.":          true,
		"http://a.example.com":         true,
		"http://notexample.com":        false,
		"http://sub.test":              false,
		"http://a.sub.test":            true,
		"http://star.test":             false,
		"http://a.star.test":           true,
		"http://10.200.1.1":            true,
		"http://11.0.0.1":              false,
		"http://192.168.1.7:99":        true,
		"https://port.test:8443":       true,
		"https://port.test":            false,
		"https://[2001:db8::1]":        true,
		"https://[2001:db8::1]:444":    false,
		"https://[2001:db8::2]:444":    true,
		"https://api.openai.com/v1":    false,
		"http://10.0.0.8.example.org/": false,
	} {
		want(t, address, parseExempt(list).covers(parse(t, address)), exempt)
	}
	want(t, "star", parseExempt("a,*").covers(parse(t, "http://b.test")), true)
	want(t, "empty", parseExempt(" , ,.").covers(parse(t, "http://b.test")), false)
}

func TestRequestsTakeTheProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		_, _ = io.WriteString(w, "proxied "+r.URL.String())
	}))
	t.Cleanup(proxy.Close)
	address := strings.TrimPrefix(proxy.URL, "http://")
	tr := newTransport(t, Options{Env: env(map[string]string{"ALL_PROXY": "http://user:hunter2@" + address})})
	body, err := get(tr, request(t, t.Context(), "http://model.test/v1"))
	if err != nil {
		t.Fatal(err)
	}
	want(t, "body", body, "proxied http://model.test/v1")
	e := fail(t, tr, request(t, t.Context(), "https://model.test/v1"))
	want(t, "kind", e.Kind, providers.ErrorConnect)
	want(t, "message", e.Message, fmt.Sprintf("the proxy %s refuses the connection: 407 Proxy Authentication Required", address))
	noSecrets(t, e)
}

func TestProxyThatIsDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	tr := newTransport(t, Options{Env: env(map[string]string{"ALL_PROXY": "http://" + address})})
	e := fail(t, tr, request(t, t.Context(), "https://model.test/v1"))
	want(t, "message", e.Message, "connection refused by the proxy "+address)
}

func TestIsLocal(t *testing.T) {
	for host, local := range map[string]bool{
		"localhost": true, "LOCALHOST:8080": true, "a.localhost": true, "127.0.0.1": true, "127.9.9.9:1": true,
		"::1": true, "[::1]:8080": true, "[::1]": true, "0.0.0.0": true, "::": true,
		"10.1.2.3": true, "172.16.0.1": true, "172.32.0.1": false, "192.168.0.1": true, "fd00::1": true,
		"169.254.1.1": true, "fe80::1%eth0": true, "::ffff:10.0.0.1": true,
		"100.64.0.1": true, "100.127.255.255": true, "100.128.0.0": false, "100.63.255.255": false,
		"host.docker.internal": true, "host.containers.internal:99": true, "host.lima.internal.": true,
		"internal": true, "nas": true, "evil.internal": false, "docker.internal.evil.com": false,
		"api.openai.com": false, "8.8.8.8": false, "2001:4860:4860::8888": false, "": false,
		"127.0.0.1.evil.com": false,
	} {
		want(t, host, IsLocal(host), local)
	}
}

func TestSecrets(t *testing.T) {
	req, err := http.NewRequest(http.MethodGet, "https://u:hunter-two@a.test/?api_key=a%2Fb+cdefgh&model=gpt-model&sig=12345678", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-abcdef")
	req.Header.Set("X-Goog-Api-Key", "goog-key")
	req.Header.Set("X-Key-Hint", "abc") // too short for a secret
	req.Header.Set("X-Title", "harmless")
	req.Header.Set("Cookie", "id=1; session=0a1b2c3d")
	s := SecretsOf(req)
	want(t, "masked",
		s.Text("Bearer sk-abcdef sk-abcdef goog-key abc harmless hunter-two a/b cdefgh a%2Fb+cdefgh gpt-model 12345678"),
		"Bearer *** *** *** abc harmless *** *** *** gpt-model ***")
	h := MaskHeader(http.Header{"X-Echo": {"key goog-key"}, "Set-Cookie": {"a=b"}}, s)
	want(t, "header", fmt.Sprint(h), "map[X-Echo:[key ***]]")
}
