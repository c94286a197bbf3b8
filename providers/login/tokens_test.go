package login

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/logintest"
	"hermes-tui/providers"
)

func TestRenew(t *testing.T) {
	r := newRig(t)
	old := NewTokens(logintest.Access(logintest.Account, logintest.Client, noon), r.issuer.Refreshable(), "", noon)
	got, err := r.Renew(t.Context(), old)
	works(t, got, err)
	if got.Refresh() == old.Refresh() {
		t.Error("the refresh token is the old one")
	}
	_, err = r.Renew(t.Context(), old)
	fails(t, err, ProblemFailed, "refresh_token_reused", "hermes-tui login openai-codex")
	if e, ok := errors.AsType[*providers.Error](err); !ok || e.Status != 401 || !strings.Contains(string(e.Body), "refresh_token_reused") || strings.Contains(string(e.Body), logintest.Canary) {
		t.Errorf("behind it is %+v", e)
	}
}

// The tokens of another program's login are not spent: that would be to claim its name.
func TestRenewForeign(t *testing.T) {
	r := newRig(t)
	_, err := r.Renew(t.Context(), NewTokens(logintest.Access("a", "app_of_another", noon), r.issuer.Refreshable(), "", noon))
	fails(t, err, ProblemForeign, "another program", "hermes-tui login openai-codex")
	r.Issuer.ClientID = ""
	_, err = r.Renew(t.Context(), NewTokens("opaque", r.issuer.Refreshable(), "", noon))
	fails(t, err, ProblemForeign, "login.openai.client_id")
	r.Issuer.ClientID = logintest.Client
	_, err = r.Renew(t.Context(), NewTokens("opaque", "", "", noon))
	fails(t, err, ProblemExpired, "hermes-tui login openai-codex")
	if r.issuer.Asked("/oauth/token") != 0 {
		t.Error("the issuer was asked")
	}
}

// An issuer that answers with something else, slowly or without end.
func TestLyingIssuer(t *testing.T) {
	token := logintest.Access(logintest.Account, logintest.Client, noon.Add(time.Hour))
	for _, c := range []struct {
		name, body string
		words      string // of the error; "" if it works
		ends       time.Time
	}{
		{"good", `{"access_token":"` + token + `"}`, "", noon.Add(time.Hour)},
		{"life as text", `{"access_token":"at-CANARY","expires_in":"60"}`, "", noon.Add(time.Minute)},
		{"life beyond belief", `{"access_token":"` + token + `","expires_in":1e300}`, "", noon.Add(time.Hour)},
		{"negative life", `{"access_token":"` + token + `","expires_in":-5}`, "", noon.Add(time.Hour)},
		{"odd members", `{"access_token":"at-CANARY","expires_in":[],"id_token":"a.b.c"}`, "", time.Time{}},
		{"web page", `<html>log in first</html>`, "not in JSON", time.Time{}},
		{"nothing", ``, "not in JSON", time.Time{}},
		{"no token", `{"error":"CANARY"}`, "no access token", time.Time{}},
		{"header injection", `{"access_token":"at-CANARY\r\nX: y"}`, "cannot be one", time.Time{}},
		{"token of 40 KB", `{"access_token":"` + strings.Repeat("a", 40<<10) + `"}`, "cannot be one", time.Time{}},
		{"another kind", `{"access_token":"at-CANARY","token_type":"mac at-CANARY"}`, "which this program cannot use", time.Time{}},
		{"another account", `{"access_token":"` + logintest.Access("somebody-else-0123", logintest.Client, noon) + `"}`, "another account", time.Time{}},
		{"no end", `{"access_token":"` + strings.Repeat("x", 300<<10), "larger than 256 KB", time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.issuer.Instead("/oauth/token", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.body) })
			got, err := r.Renew(t.Context(), NewTokens("at", "rt-CANARY-0", logintest.Account, noon))
			if c.words != "" {
				if err == nil {
					t.Fatalf("got %v", got)
				}
				own, _ := errors.AsType[*Error](err)
				fails(t, err, own.Problem, c.words)
				return
			}
			if err != nil || got.Refresh() != "rt-CANARY-0" || got.Account != logintest.Account || !got.Expires.Equal(c.ends) {
				t.Errorf("got %v %v", got, err)
			}
		})
	}
}

// Secrets are in the body, and so go to no one the issuer redirects to.
func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer other.Close()
	for _, status := range []int{302, 307, 308} {
		r := newRig(t)
		r.issuer.Instead("/oauth/token", func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, other.URL, status) })
		_, err := r.Renew(t.Context(), NewTokens("at", "rt-CANARY-0", "", noon))
		if err == nil {
			t.Fatalf("%d: followed", status)
		}
		if fails(t, err, ProblemIssuer, "redirect", "login.openai.issuer"); asked {
			t.Fatalf("%d: the other server was asked", status)
		}
	}
}

func TestSlowIssuer(t *testing.T) {
	r := newRig(t)
	asked, free := make(chan struct{}), make(chan struct{})
	defer close(free)
	r.issuer.Instead("/oauth/token", func(http.ResponseWriter, *http.Request) { close(asked); <-free })
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(stop) }()
	if _, err := r.Renew(ctx, NewTokens("at", "rt-CANARY-0", "", noon)); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestUnreachableIssuer(t *testing.T) {
	r := newRig(t)
	r.Issuer.Token = "http://127.0.0.1:1/oauth/token"
	_, err := r.Renew(t.Context(), NewTokens("at", "rt-CANARY-0", "", noon))
	fails(t, err, ProblemFailed, "try again")
}

func TestRevoke(t *testing.T) {
	r := newRig(t)
	token := r.issuer.Refreshable()
	if err := r.Revoke(t.Context(), NewTokens("at", token, "", noon)); err != nil || len(r.issuer.Revoked()) != 1 || r.issuer.Revoked()[0] != token {
		t.Errorf("%v %v", r.issuer.Revoked(), err)
	}
	if err := r.Revoke(t.Context(), NewTokens(logintest.Access("a", "app_of_another", noon), "rt-of-another", "", noon)); err != nil || len(r.issuer.Revoked()) != 1 {
		t.Errorf("%v %v", r.issuer.Revoked(), err)
	}
	r.issuer.Instead("/oauth/revoke", func(w http.ResponseWriter, q *http.Request) {
		_ = q.ParseForm()
		logintest.Refuse(w, 503, "busy", "not now, "+q.PostForm.Get("token"))
	})
	fails(t, r.Revoke(t.Context(), NewTokens("at", token, "", noon)), ProblemFailed, "HTTP 503", "try again")
}

func TestMaskAccount(t *testing.T) {
	for in, want := range map[string]string{"": "", "short": "••••", "acct-0123456789abcdef": "acct…cdef", "ab": "••"} {
		if got := MaskAccount(in); got != want {
			t.Errorf("%q is %q", in, got)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{`{"access_token":"a.b.c","expires_in":"1"}`, `{"access_token":1}`, `[]`, logintest.Access("a", "b", noon), `{"access_token":"x","token_type":"BEARER","expires_in":1e308}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, wrong := parseTokens([]byte(s), "old", noon)
		if wrong == "" && (!plain(got.Access()) || got.Access() == "" || !plain(got.Account)) {
			t.Errorf("took %q", s)
		}
		NewTokens(s, "", "", time.Time{})
	})
}
