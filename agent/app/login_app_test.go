package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/logintest"
)

// claudeCode writes a login as Claude Code keeps it.
func (b *box) claudeCode(token string) {
	b.t.Helper()
	dir := filepath.Join(b.env["HOME"], ".claude")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		text := fmt.Sprintf(`{"claudeAiOauth":{"accessToken":%q,"expiresAt":%d}}`, token, time.Now().Add(time.Hour).UnixMilli())
		err = os.WriteFile(filepath.Join(dir, ".credentials.json"), []byte(text), 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// TestBorrowedLogin uses the login of Claude Code when Anthropic is chosen, and sends
// it nowhere before.
func TestBorrowedLogin(t *testing.T) {
	s := newSpeaker(t, tongues["anthropic"])
	b := newBox(t)
	b.claudeCode("sk-ant-oat01-CANARY-0123456789")
	rest := "probe: {local_servers: false}\nagent: {auto_title: false}\nproviders:\n  anthropic: {base_url: " + s.URL + "}\n"
	b.config(rest)
	a, conv := b.begin()
	if m := model(conv); m.Provider != "demo" {
		t.Errorf("%+v answers", m)
	}
	list, err := offered(t, a)
	if err != nil || list[0].Provider != "anthropic" || list[0].Key != "the login of Claude Code" || list[0].Name == "" {
		t.Errorf("offered: %+v, %v", list, err)
	}
	closed(t, a)
	if len(s.requests) != 0 {
		t.Errorf("%d requests for nobody", len(s.requests))
	}

	b.config(rest + "model: {provider: anthropic}\n")
	_, conv = b.begin()
	say(t, conv, "note it")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if got := r.Header.Get("Authorization"); got != "Bearer sk-ant-oat01-CANARY-0123456789" || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("sent %q", got)
		}
		if agent := r.UserAgent(); !strings.HasPrefix(agent, "hermes-tui/") {
			t.Errorf("it calls itself %q", agent)
		}
	}
	for i, body := range s.bodies {
		if strings.Contains(body, "CANARY") || strings.Contains(body, "official CLI") {
			t.Errorf("request %d says too much", i)
		}
	}
}

// TestOwnLogin answers with ChatGPT once someone is logged in.
func TestOwnLogin(t *testing.T) {
	in := tongues["responses"]
	in.path = "/responses"
	s := newSpeaker(t, in)
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nproviders:\n  openai-codex: {base_url: " + s.URL + "/backend-api/codex}\n")
	access := logintest.Access(logintest.Account, logintest.Client, time.Now().Add(time.Hour))
	stored := fmt.Sprintf(`{"version":1,"providers":{"openai-codex":{"tokens":{"access_token":%q,"refresh_token":"r"},"auth_mode":"chatgpt"}}}`, access)
	if err := os.WriteFile(b.home.Auth(), []byte(stored), 0o600); err != nil {
		t.Fatal(err)
	}
	_, conv := b.begin()
	if m := model(conv); m.Provider != "openai-codex" || m.ContextMax == 0 {
		t.Errorf("%+v answers", m)
	}
	say(t, conv, "note it")
	if u := conv.State().Root().Usage; u.Status() != "included" {
		t.Errorf("the cost is %s", u.Status())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.Header.Get("Authorization") != "Bearer "+access || r.Header.Get("ChatGPT-Account-ID") != logintest.Account || r.Header.Get("originator") != "hermes-tui" {
			t.Errorf("sent %v", r.Header)
		}
	}
}
