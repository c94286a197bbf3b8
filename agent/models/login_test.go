package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/internal/logintest"
	"hermes-tui/providers"
	"hermes-tui/providers/anthropic"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
	"hermes-tui/providers/responses"
	"hermes-tui/providers/transport"
	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
)

// loginBox is a home with an issuer.
type loginBox struct {
	t      *testing.T
	home   store.Home
	issuer *logintest.Issuer
	env    map[string]string
}

func newLoginBox(t *testing.T) *loginBox {
	t.Helper()
	home, err := store.Find(store.Where{Dir: filepath.Join(t.TempDir(), "home")})
	if err != nil {
		t.Fatal(err)
	}
	return &loginBox{t: t, home: home, issuer: logintest.New(t), env: map[string]string{}}
}

func loginOptions(home store.Home, issuer string, env map[string]string) LoginOptions {
	return LoginOptions{
		Version: "test", Home: home, Settings: LoginSettings{OpenAI: login.OpenAI{
			Issuer: issuer, ClientID: logintest.Client, Redirects: []string{"http://127.0.0.1:0/auth/callback"},
		}},
		Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }, UserHome: filepath.Dir(home.Dir()), IDs: event.SystemSource(),
		Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) },
	}
}

func (b *loginBox) open() *Logins {
	b.t.Helper()
	l, err := OpenLogins(loginOptions(b.home, b.issuer.URL, b.env))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.t.Errorf("close: %v", err)
		}
	})
	return l
}

// file is auth.json.
func (b *loginBox) file() string {
	b.t.Helper()
	raw, err := os.ReadFile(b.home.Auth())
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

func (b *loginBox) write(content string) {
	b.t.Helper()
	err := b.home.Ensure()
	if err == nil {
		err = os.WriteFile(b.home.Auth(), []byte(content), 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// stored writes a login that ends after some time, in the form of the reference.
func (b *loginBox) stored(left time.Duration) {
	b.t.Helper()
	access := logintest.Access(logintest.Account, logintest.Client, time.Now().Add(left))
	b.write(fmt.Sprintf(`{"version":1,"providers":{"openai-codex":{"tokens":{"access_token":%q,"refresh_token":%q},"last_refresh":"2026-01-02T03:04:05Z","auth_mode":"chatgpt"}},"kept":{"x":1}}`,
		access, b.issuer.Refreshable()))
}

// onDevice approves the code as soon as it is shown.
func (b *loginBox) onDevice() LoginWay {
	return LoginWay{Device: func(p login.Prompt) { b.issuer.Use(p.Code, "approved") }}
}

// inBrowser follows the address.
func (b *loginBox) inBrowser(wg *sync.WaitGroup) LoginWay {
	return LoginWay{Browser: func(address string) {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
			resp, err := client.Get(address)
			if err != nil {
				b.t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}}
}

// silent checks that a text shows no secret.
func silent(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(text, logintest.Canary) || strings.Contains(text, logintest.Account) {
		t.Errorf("%s shows a secret: %s", what, text)
	}
}

// TestLogin logs in both ways, lists the login, uses it, and logs out again.
func TestLogin(t *testing.T) {
	for _, way := range []string{"browser", "device"} {
		t.Run(way, func(t *testing.T) {
			b := newLoginBox(t)
			l := b.open()
			var wg sync.WaitGroup
			defer wg.Wait()
			how := b.onDevice()
			if way == "browser" {
				how = b.inBrowser(&wg)
			}
			info, err := l.Login(t.Context(), "", how)
			if err != nil {
				t.Fatal(err)
			}
			if info.Provider != login.ProviderOpenAI || info.Account != "acct…cdef" || !info.Renews || info.Problem != nil || info.From != "auth.json" {
				t.Errorf("got %+v", info)
			}
			silent(t, "the info", fmt.Sprintf("%+v", info))
			stat, err := os.Stat(b.home.Auth())
			if err != nil || stat.Mode().Perm() != 0o600 {
				t.Errorf("auth.json has mode %v, %v", stat.Mode(), err)
			}
			var file struct {
				Providers map[string]struct {
					Tokens map[string]string `json:"tokens"`
					Mode   string            `json:"auth_mode"`
				} `json:"providers"`
				Pools map[string][]map[string]any `json:"credential_pool"`
			}
			if err := json.Unmarshal([]byte(b.file()), &file); err != nil {
				t.Fatal(err)
			}
			state, rows := file.Providers["openai-codex"], file.Pools["openai-codex"]
			if len(rows) != 1 || rows[0]["source"] != "device_code" || rows[0]["account_id"] != logintest.Account || state.Mode != "chatgpt" ||
				state.Tokens["refresh_token"] == "" || state.Tokens["refresh_token"] != rows[0]["refresh_token"] {
				t.Errorf("auth.json is %s", b.file())
			}
			s, err := b.open().Source(login.ProviderOpenAI) // as another process
			if err != nil {
				t.Fatal(err)
			}
			token, account, err := s.Token(t.Context())
			if err != nil || account != logintest.Account || token != rows[0]["access_token"] {
				t.Errorf("account %s, %v", account, err)
			}
			out, err := l.Logout(t.Context(), "chatgpt")
			if err != nil || out.Removed != 1 || out.Unrevoked != nil || len(b.issuer.Revoked()) != 1 {
				t.Errorf("logged out: %+v %v, revoked %d", out, err, len(b.issuer.Revoked()))
			}
			silent(t, "auth.json after logging out", b.file())
			if _, _, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "hermes-tui login openai-codex") {
				t.Errorf("after logging out: %v", err)
			}
			if _, err := l.Login(t.Context(), "", b.onDevice()); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// TestLoginReplaces puts a new login in the place of the old one, also of the state
// that another program wrote, and leaves everything else in the file.
func TestLoginReplaces(t *testing.T) {
	b := newLoginBox(t)
	b.stored(time.Hour)
	before := b.file()
	l := b.open()
	if _, err := l.Login(t.Context(), "", b.onDevice()); err != nil {
		t.Fatal(err)
	}
	list, err := l.List()
	if err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	old := before[strings.Index(before, "rt-"):]
	old = old[:strings.Index(old, `"`)]
	if now := b.file(); strings.Contains(now, old+`"`) || !strings.Contains(now, `"kept"`) {
		t.Errorf("auth.json is %s", now)
	}
}

// TestLoginsOfAClient sends the tokens of a source to servers as the protocols do.
func TestLoginsOfAClient(t *testing.T) {
	b := newLoginBox(t)
	b.stored(time.Hour)
	if err := os.MkdirAll(filepath.Join(filepath.Dir(b.home.Dir()), ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	claude := fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"sk-ant-oat-CANARY","expiresAt":%d}}`, time.Now().Add(time.Hour).UnixMilli())
	if err := os.WriteFile(filepath.Join(filepath.Dir(b.home.Dir()), ".claude", ".credentials.json"), []byte(claude), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := make(chan http.Header, 2)
	b.issuer.Instead("/backend-api/codex/responses", func(w http.ResponseWriter, r *http.Request) { seen <- r.Header; w.WriteHeader(http.StatusTeapot) })
	b.issuer.Instead("/v1/messages", func(w http.ResponseWriter, r *http.Request) { seen <- r.Header; w.WriteHeader(http.StatusTeapot) })
	l := b.open()
	openai, err := l.Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	anthropicSource, err := l.Source(login.ProviderClaude)
	if err != nil {
		t.Fatal(err)
	}
	chat, err := responses.New(responses.Config{Service: transport.Service{Endpoint: providers.Endpoint{Provider: "openai-codex", BaseURL: b.issuer.URL}, Token: openai.Token, Transport: l.http}})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := anthropic.New(anthropic.Config{Service: transport.Service{Endpoint: providers.Endpoint{BaseURL: b.issuer.URL}, Token: anthropicSource.Token, Transport: l.http}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client providers.Client
		token  string
		header map[string]string
	}{
		{chat, logintest.Access(logintest.Account, logintest.Client, time.Time{})[:20], map[string]string{"ChatGPT-Account-ID": logintest.Account, "originator": "hermes-tui"}},
		{messages, "sk-ant-oat-CANARY", nil},
	} {
		_, err := c.client.Stream(t.Context(), providers.Request{Model: "m", Messages: []providers.Message{{Role: providers.User, Parts: []providers.Part{{Text: "hi"}}}}})
		if err == nil {
			t.Fatal("the server of the test refuses everything")
		}
		silent(t, "the error", err.Error())
		if len(seen) == 0 {
			t.Fatalf("nothing was sent: %v", err)
		}
		h := <-seen
		if !strings.HasPrefix(h.Get("Authorization"), "Bearer "+c.token) || !strings.HasPrefix(h.Get("User-Agent"), "hermes-tui/") {
			t.Errorf("sent %v", h)
		}
		for name, want := range c.header {
			if h.Get(name) != want {
				t.Errorf("%s is %q", name, h.Get(name))
			}
		}
	}
}

// TestLoginProfile logs in for a profile, and lets one stop using the login of the
// default profile without ending it.
func TestLoginProfile(t *testing.T) {
	b := newLoginBox(t)
	b.stored(time.Hour)
	shared := b.file()
	profile, err := store.Find(store.Where{Dir: b.home.Dir(), Profile: "work"})
	if err != nil {
		t.Fatal(err)
	}
	root := b.home.Auth()
	b.home = profile
	l := b.open()
	out, err := l.Logout(t.Context(), login.ProviderOpenAI)
	if err != nil || !out.Shared || out.Removed != 0 || len(b.issuer.Revoked()) != 0 {
		t.Errorf("%+v %v", out, err)
	}
	if list, err := l.List(); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := l.Login(t.Context(), "", b.onDevice()); err != nil {
		t.Fatal(err)
	}
	if list, err := l.List(); err != nil || len(list) != 1 {
		t.Errorf("%+v %v", list, err)
	}
	if raw, err := os.ReadFile(root); err != nil || string(raw) != shared {
		t.Errorf("the default profile's file became %s %v", raw, err)
	}
}

func TestLoginMisuse(t *testing.T) {
	l := newLoginBox(t).open()
	for name, words := range map[string]string{"openrouter": "there is no login for", "anthropic": "run claude", "claude": "run claude"} {
		if _, err := l.Login(t.Context(), name, LoginWay{Device: func(login.Prompt) { t.Error("shown") }}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := l.Logout(t.Context(), name); err == nil {
			t.Errorf("%s: logged out", name)
		}
	}
	if _, err := l.Source("openrouter"); err == nil {
		t.Error("a source of nothing")
	}
}

// TestLoginWithoutAFile refuses before anyone logs in for nothing: the file is held
// by another program, or cannot be understood.
func TestLoginWithoutAFile(t *testing.T) {
	b := newLoginBox(t)
	b.write(`{"version":1}`)
	l := b.open()
	held, err := atomicfile.Acquire(t.Context(), filepath.Join(b.home.Dir(), "auth.lock"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	way := LoginWay{Device: func(login.Prompt) { t.Error("shown") }, Browser: func(string) { t.Error("shown") }}
	_, err = l.Login(ctx, "", way)
	if file, ok := errors.AsType[*credentials.FileError](err); !ok || file.Problem != credentials.ProblemWrite || !strings.Contains(err.Error(), "auth.json cannot be written") {
		t.Errorf("held: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	b.write(`{"version":1,`)
	if _, err = l.Login(t.Context(), "", way); err == nil || !strings.Contains(err.Error(), "is damaged") || b.file() != `{"version":1,` {
		t.Errorf("damaged: %v", err)
	}
	if _, err := OpenLogins(loginOptions(b.home, b.issuer.URL, nil)); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("damaged: %v", err)
	}
	if b.issuer.Asked("/api/accounts/deviceauth/usercode") != 0 {
		t.Error("the issuer was asked")
	}
}
