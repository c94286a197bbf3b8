package credentials

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A login of our own stands in the file twice, and both places are renewed.
func TestLoginStateFollows(t *testing.T) {
	r := newRig(t, fixture(t))
	refresh := func(_ context.Context, c Credential) (Refreshed, error) {
		return Refreshed{AccessToken: c.AccessToken() + "+", RefreshToken: c.RefreshToken() + "+", Expires: r.now().Add(time.Hour)}, nil
	}
	p := r.pool("openai-codex", PoolOptions{Refresh: refresh})
	l := pick(t, p, Want{})
	if err := l.Renew(t.Context()); err != nil || l.Key() != "codex-access-1+" {
		t.Fatalf("%s %v", l.Key(), err)
	}
	state := stateIn(t, r.text(), "openai-codex")
	tokens, _ := state["tokens"].(map[string]any)
	if tokens["access_token"] != "codex-access-1+" || tokens["refresh_token"] != "codex-refresh-1+" || tokens["id_token"] != "id.tok.en" || state["last_refresh"] != "2026-06-17T12:00:00.000000+00:00" || state["auth_mode"] != "chatgpt" {
		t.Errorf("state %v", state)
	}
	if row := r.row("openai-codex", "c0de01"); row["refresh_token"] != "codex-refresh-1+" {
		t.Errorf("row %v", row)
	}
	wantSame(t, fixture(t), r.text(), "credential_pool", "providers")

	// a login that has no row yet, with its tokens at the top of its state
	n := r.pool("nous", PoolOptions{Refresh: refresh})
	l = pick(t, n, Want{})
	if l.Key() != "nous-access-1" || l.Source != "device_code" || l.Type != OAuth || l.Borrowed {
		t.Fatalf("picked %+v", l.Credential)
	}
	if err := l.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state := stateIn(t, r.text(), "nous"); state["refresh_token"] != "nous-refresh-1+" || state["scope"] != "inference:invoke" {
		t.Errorf("state %v", state)
	}
	if rows := r.rows("nous"); len(rows) != 1 || rows[0]["refresh_token"] != "nous-refresh-1+" {
		t.Errorf("rows %v", rows)
	}
	if _, err := n.Remove(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if got := n.List(); len(got) != 0 {
		t.Errorf("removed and there again: %v", got)
	}
}

// A new login in the state revives the row; an older state than the row does not
// bring spent tokens back.
func TestLoginStateRevives(t *testing.T) {
	r := newRig(t, fixture(t))
	p := r.pool("openai-codex", PoolOptions{})
	fail(t, p, "1", Failure{Code: 401, Reason: "token_revoked"})
	r.write(strings.NewReplacer(
		`"access_token": "codex-access-1",
        "refresh_token": "codex-refresh-1",
        "id_token"`, `"access_token": "codex-access-9",
        "refresh_token": "codex-refresh-9",
        "id_token"`, `"last_refresh": "2026-06-17T09:00:00Z",
      "auth_mode"`, `"last_refresh": "2026-06-17T11:00:00Z",
      "auth_mode"`).Replace(r.text()))
	if got := p.List()[0]; got.Status != OK || got.Key() != "codex-access-9" || got.RefreshToken() != "codex-refresh-9" {
		t.Errorf("after a new login: %+v %s", got, got.Key())
	}
	r.write(strings.Replace(fixture(t), `"refresh_token": "codex-refresh-1",
        "base_url"`, `"refresh_token": "codex-refresh-2",
        "x": 1, "last_refresh": "2026-06-17T10:00:00Z", "base_url"`, 1))
	r.write(strings.Replace(r.text(), `"last_refresh": "2026-06-17T09:00:00Z",
        "expires_at"`, `"expires_at"`, 1))
	if got := p.List()[0]; got.RefreshToken() != "codex-refresh-2" {
		t.Errorf("an older state won: %s", got.RefreshToken())
	}
}

func stateIn(t *testing.T, file, provider string) map[string]any {
	t.Helper()
	all, _ := decoded(t, file)["providers"].(map[string]any)
	state, _ := all[provider].(map[string]any)
	return state
}

// A profile that renews the root's login stores it where it came from.
func TestProfileRenewsInTheRoot(t *testing.T) {
	r, _, i := loginRig(t, 0)
	dir := filepath.Join(r.dir, "profile")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := poolOf(t, r.open(Options{File: filepath.Join(dir, "auth.json"), Root: r.file}), "svc", PoolOptions{
		Refresh: i.refresh, Seeds: seeds(Seed{Source: "env:K", Label: "K", Key: "key-of-the-profile"}),
	})
	fail(t, p, "K", Failure{Code: 429})
	if l := pick(t, p, Want{}); l.Key() != "at-1" {
		t.Errorf("key %s", l.Key())
	}
	if row := r.row("svc", "aaaaaa"); row["refresh_token"] != "rt-1" {
		t.Errorf("row %v", row)
	}
	if _, err := os.Stat(filepath.Join(dir, "auth.json")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the profile got a copy")
	}
	if got := labels(p.Available(noon)); got != "me" {
		t.Errorf("available %s", got)
	}
}

// A key for inference goes before the token of the login, as long as it is good.
func TestAgentKey(t *testing.T) {
	r := newRig(t, `{"version":1,"credential_pool":{"nous":[{"id":"aaaaaa","auth_type":"oauth","source":"device_code","access_token":"at","refresh_token":"rt","agent_key":"ak",
		"agent_key_expires_at":"2026-06-17T13:00:00Z","inference_base_url":"https://i.example/v1","base_url":"https://b.example"}]}}`)
	p := r.pool("nous", PoolOptions{})
	if l := pick(t, p, Want{}); l.Key() != "ak" || l.AccessToken() != "at" || l.BaseURL != "https://i.example/v1" {
		t.Errorf("key %s", l.Key())
	}
	r.clock.move(time.Hour)
	if l := pick(t, p, Want{}); l.Key() != "at" {
		t.Errorf("key %s", l.Key())
	}
}
