package credentials

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A login that was just made takes the place of the earlier one, in both places of the
// file and whatever became of that, and nothing else changes.
func TestLogIn(t *testing.T) {
	r := newRig(t, fixture(t))
	p := r.pool("openai-codex", PoolOptions{})
	fail(t, p, "c0de01", Failure{Code: 401, Reason: "token_revoked"})
	c, err := p.LogIn(t.Context(), "me", Refreshed{
		AccessToken: "at-new", RefreshToken: "rt-new", Expires: noon.Add(time.Hour), Extra: map[string]json.RawMessage{"account_id": quoted("acc-1")},
	})
	if err != nil || c.ID != "c0de01" || c.Label != "me" || c.Status != OK || c.Key() != "at-new" || c.RefreshToken() != "rt-new" || c.Account != "acc-1" {
		t.Fatalf("%+v %v", c, err)
	}
	state := stateIn(t, r.text(), "openai-codex")
	tokens, _ := state["tokens"].(map[string]any)
	if tokens["access_token"] != "at-new" || tokens["refresh_token"] != "rt-new" || len(tokens) != 2 || state["auth_mode"] != "chatgpt" {
		t.Errorf("state %v", state)
	}
	if strings.Contains(r.text(), "codex-refresh-1") || strings.Contains(r.text(), "codex-access-1") {
		t.Error("the earlier login is there still")
	}
	wantSame(t, fixture(t), r.text(), "credential_pool", "providers")
	if got := poolOf(t, r.open(Options{File: r.file}), "openai-codex", PoolOptions{}).List(); len(got) != 1 || got[0].Key() != "at-new" {
		t.Errorf("another process finds %v", got)
	}
	// without a refresh token the one of the earlier login is not taken for its own
	if c, err = p.LogIn(t.Context(), "", Refreshed{AccessToken: "at-2"}); err != nil || c.RefreshToken() != "" || c.Account != "" || strings.Contains(r.text(), "rt-new") {
		t.Errorf("%+v %v", c, err)
	}
}

func TestLogInAgain(t *testing.T) {
	r := newRig(t, "")
	p := r.pool("openai-codex", PoolOptions{})
	for _, token := range []string{"at-1", "at-2"} {
		if _, err := p.LogIn(t.Context(), "me", Refreshed{AccessToken: token, RefreshToken: "rt"}); err != nil {
			t.Fatal(err)
		}
		if got := p.List(); len(got) != 1 || got[0].Key() != token {
			t.Errorf("list %v", got)
		}
		if _, err := p.Remove(t.Context(), "1"); err != nil { // which suppresses its source
			t.Fatal(err)
		}
	}
	for provider, f := range map[string]Refreshed{"openrouter": {AccessToken: "x"}, "openai-codex": {}} {
		if _, err := r.pool(provider, PoolOptions{}).LogIn(t.Context(), "me", f); err == nil {
			t.Errorf("logged in to %s", provider)
		}
	}
}

// Logging out leaves no token of a login, and every key.
func TestLogOut(t *testing.T) {
	r := newRig(t, `{"version":1,"providers":{"openai-codex":{"tokens":{"access_token":"at-1","refresh_token":"rt-1"}},"nous":{"access_token":"x"}},
		"credential_pool":{"openai-codex":[
			{"id":"aaaaaa","auth_type":"oauth","source":"manual:device_code","access_token":"at-2","refresh_token":"rt-2"},
			{"id":"bbbbbb","auth_type":"api_key","source":"manual","access_token":"key-3"},
			"not understood"]}}`)
	p := r.pool("openai-codex", PoolOptions{})
	gone, shared, err := p.LogOut(t.Context())
	if err != nil || shared || len(gone) != 2 {
		t.Fatalf("%v %v %v", gone, shared, err)
	}
	for _, token := range []string{"at-1", "rt-1", "at-2", "rt-2"} {
		if strings.Contains(r.text(), token) {
			t.Errorf("%s is there still", token)
		}
	}
	for _, kept := range []string{"key-3", "not understood", "nous"} {
		if !strings.Contains(r.text(), kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	if gone, shared, err = p.LogOut(t.Context()); err != nil || shared || len(gone) != 0 {
		t.Errorf("again: %v %v %v", gone, shared, err)
	}
}
