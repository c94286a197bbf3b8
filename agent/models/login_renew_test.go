package models

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/internal/logintest"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
	"hermes-tui/providers/transport"
)

// TestRenewal renews shortly before the end, and says what to do once that is refused.
func TestRenewal(t *testing.T) {
	b := newLoginBox(t)
	b.stored(time.Minute)
	s, err := b.open().Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, account, err := s.Token(t.Context()); err != nil || account != logintest.Account {
				t.Errorf("%s %v", account, err)
			}
		})
	}
	wg.Wait()
	if n := b.issuer.Asked("/oauth/token"); n != 1 {
		t.Errorf("renewed %d times", n)
	}
}

// TestRefusedRenewal ends a login that the service does not renew, with one sentence,
// and keeps one that it could not renew.
func TestRefusedRenewal(t *testing.T) {
	for _, c := range []struct {
		name  string
		left  time.Duration
		reply http.HandlerFunc
		words []string // of the error; none if the token is given all the same
		asked int      // in two calls
	}{
		{"reused", -time.Second, func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"code":"refresh_token_reused","message":"%s was used"}}`, r.PostForm.Get("refresh_token"))
		}, []string{"the login to ChatGPT has ended: log in again with hermes-tui login openai-codex"}, 1},
		{"revoked", -time.Second, func(w http.ResponseWriter, _ *http.Request) { logintest.Refuse(w, 400, "invalid_grant", "gone") },
			[]string{"the login to ChatGPT has ended: log in again with hermes-tui login openai-codex"}, 1},
		{"away, and ended", -time.Second, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, []string{"HTTP 503", "try again"}, 2},
		{"away, and good for a minute", time.Minute, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, nil, 2},
		{"lying", -time.Second, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }, []string{"not in JSON", "login.openai.issuer"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newLoginBox(t)
			b.stored(c.left)
			b.issuer.Instead("/oauth/token", c.reply)
			l := b.open()
			s, err := l.Source(login.ProviderOpenAI)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, _, err := s.Token(t.Context())
				if (err == nil) != (c.words == nil) {
					t.Fatalf("got %v", err)
				}
				for _, w := range c.words {
					if !strings.Contains(err.Error(), w) {
						t.Errorf("%q lacks %q", err, w)
					}
				}
				for e := err; e != nil; e = errors.Unwrap(e) {
					silent(t, "the error", fmt.Sprintf("%v %+v %#v", e, e, e))
				}
			}
			if n := b.issuer.Asked("/oauth/token"); n != c.asked {
				t.Errorf("the service was asked %d times", n)
			}
			list, err := l.List()
			if err != nil || len(list) != 1 || (list[0].Problem != nil) != (c.asked == 1) {
				t.Errorf("%+v %v", list, err)
			}
			silent(t, "the list", fmt.Sprintf("%+v", list))
		})
	}
}

// TestForeignLogin uses the login of another program and leaves renewing it to that
// one: nothing is spent and nothing marked.
func TestForeignLogin(t *testing.T) {
	b := newLoginBox(t)
	content := func(left time.Duration) string {
		return fmt.Sprintf(`{"version":1,"providers":{"openai-codex":{"tokens":{"access_token":%q,"refresh_token":"rt-CANARY-x"}}}}`,
			logintest.Access(logintest.Account, "app_of_another", time.Now().Add(left)))
	}
	b.write(content(time.Minute))
	l := b.open()
	s, err := l.Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Token(t.Context()); err != nil {
		t.Error(err)
	}
	b.write(content(-time.Minute))
	if _, _, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "made by another program") {
		t.Errorf("got %v", err)
	}
	if list, err := l.List(); err != nil || len(list) != 1 || list[0].Renews {
		t.Errorf("%+v %v", list, err)
	}
	if b.issuer.Asked("/oauth/token") != 0 || strings.Contains(b.file(), "exhausted") || strings.Contains(b.file(), `"dead"`) {
		t.Errorf("auth.json is %s", b.file())
	}
}

// TestLoginReports keeps secrets out of what a store reports, such as a renewal that
// failed while the token still holds.
func TestLoginReports(t *testing.T) {
	b := newLoginBox(t)
	b.stored(time.Minute)
	b.issuer.Instead("/oauth/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		logintest.Refuse(w, 500, "server_error", "cannot take "+r.PostForm.Get("refresh_token"))
	})
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	o := loginOptions(b.home, b.issuer.URL, nil)
	keys, err := credentials.Open(credentials.Options{File: b.home.Auth(), Report: func(err error) { logger.Warn("credentials", "err", err, "more", fmt.Sprintf("%#v", err)) }})
	if err != nil {
		t.Fatal(err)
	}
	wire := transport.New(transport.Options{})
	defer wire.CloseIdle()
	s, err := newLogins(o, keys, wire, nil).Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Token(t.Context()); err != nil {
		t.Error(err)
	}
	if err := keys.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if silent(t, "the log", log.String()); !strings.Contains(log.String(), "HTTP 500") {
		t.Errorf("the log is %s", log.String())
	}
}

// TestLoginStaysAtItsIssuer sends no secret to where an issuer redirects.
func TestLoginStaysAtItsIssuer(t *testing.T) {
	for _, status := range []int{302, 307, 308} {
		b, other := newLoginBox(t), logintest.New(t)
		b.stored(-time.Second)
		b.issuer.Instead("/oauth/token", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/oauth/token", status)
		})
		s, err := b.open().Source(login.ProviderOpenAI)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Token(t.Context()); err == nil || other.Asked("/oauth/token") != 0 {
			t.Errorf("%d: asked %d times, %v", status, other.Asked("/oauth/token"), err)
		}
	}
}
