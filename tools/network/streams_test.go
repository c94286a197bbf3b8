package network

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestStreams follows redirects within one host only, and connects to hosts that are let.
func TestStreams(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other host was asked") }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			http.Redirect(w, r, "/here", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/changed":
			http.Redirect(w, r, "/here", http.StatusSeeOther)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	allowed := Dialer{Private: func(host string, _ int) bool { return host == "127.0.0.1" }}
	for path, want := range map[string]string{"/here": "", "/there": "", "/away": "another host", "/changed": "changes what is asked", "/round": "more than 5 redirects"} {
		r, err := allowed.Streams(nil).Post(server.URL+path, "text/plain", strings.NewReader("x"))
		if err == nil {
			_ = r.Body.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", path, err)
		}
	}
	c := allowed.Streams(nil)
	r, err := c.Get(server.URL + "/here")
	if err != nil {
		t.Fatal(err)
	}
	l, ok := c.Transport.(*lines)
	if !ok || len(l.open) != 1 {
		t.Fatalf("connections: %+v", l)
	}
	if err := l.Close(); err != nil || len(l.open) != 0 {
		t.Error(err, l.open)
	}
	_ = r.Body.Close()
	if _, err := c.Get(server.URL + "/here"); err == nil {
		t.Error("asked after the end")
	}
	if _, err := (&Dialer{}).Streams(nil).Get(server.URL); err == nil || !strings.Contains(err.Error(), "private network") {
		t.Errorf("not allowed: %v", err)
	}
}
