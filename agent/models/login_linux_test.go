package models

import (
	"errors"
	"os"
	"strings"
	"testing"

	"hermes-tui/internal/disktest"
	"hermes-tui/providers/credentials"
	"hermes-tui/providers/login"
)

// TestLoginOnAFullDisk refuses before anyone logs in for nothing, leaves the file as
// it is, and spends no refresh token. It runs again in a process with a file system of
// 64 KB of its own.
func TestLoginOnAFullDisk(t *testing.T) {
	if !disktest.Own(t) {
		return
	}
	b := newLoginBox(t)
	if err := os.MkdirAll(b.home.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	disktest.Mount(t, b.home.Dir(), "64k")
	b.stored(-1)
	before := b.file()
	l := b.open()
	disktest.Fill(t, b.home.Dir())
	_, err := l.Login(t.Context(), "", LoginWay{Device: func(login.Prompt) { t.Error("shown") }})
	if file, ok := errors.AsType[*credentials.FileError](err); !ok || file.Problem != credentials.ProblemWrite || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("logging in: %v", err)
	}
	s, err := l.Source(login.ProviderOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Token(t.Context()); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("renewing: %v", err)
	}
	if _, err := l.Logout(t.Context(), login.ProviderOpenAI); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("logging out: %v", err)
	}
	if b.file() != before || b.issuer.Asked("/oauth/token") != 0 || len(b.issuer.Revoked()) != 0 {
		t.Errorf("the service was asked %d times; auth.json is %s", b.issuer.Asked("/oauth/token"), b.file())
	}
}
