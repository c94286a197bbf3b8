package credentials

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/providers"
)

// Whatever happens to a borrowed key, its bytes are in no file of the directory.
func TestBorrowedSecretsStayOut(t *testing.T) {
	const key, refresh = "sk-borrowed-0123456789abcdef-LAST", "borrowed-refresh-0123456789"
	r := newRig(t, `{"version":1,"credential_pool":{"openrouter":[
		{"id":"aaaaaa","source":"env:OPENROUTER_API_KEY","access_token":"`+key+`","refresh_token":"`+refresh+`","client_secret":"`+key+`","note":"kept","tokens":{"a":"`+key+`"}}]}}`)
	seed := Seed{Source: "env:OPENROUTER_API_KEY", Label: "OPENROUTER_API_KEY", Key: key, Refresh: refresh, BaseURL: "https://user:" + key + "@openrouter.ai/api/v1?key=" + key}
	other := Seed{Source: "config:box", Key: key + "-2", BaseURL: seed.BaseURL, Type: OAuth, Refresh: refresh}
	p := r.pool("openrouter", PoolOptions{Strategy: RoundRobin, Seeds: seeds(seed, other)})
	for range 3 {
		l := pick(t, p, Want{})
		err := l.Failed(t.Context(), FailureOf(&providers.Error{
			Status: 429, Code: key, Body: []byte(`{"error":{"code":"` + key + `"}}`), Message: "Bearer " + key + " is limited; " + fmt.Sprintf("%q", key) + " " + refresh,
		}, r.now()))
		if err != nil {
			t.Fatal(err)
		}
		r.clock.move(2 * time.Hour)
	}
	noSecrets(t, r.dir, key, refresh, key[:12])
	row := r.row("openrouter", "aaaaaa")
	if row["secret_fingerprint"] != fingerprintOf(key) || row["note"] != "kept" || row["last_status"] != "exhausted" {
		t.Errorf("row %v", row)
	}
	if len(r.rows("openrouter")) != 2 || r.rows("openrouter")[1]["base_url"] != "https://openrouter.ai/api/v1" {
		t.Errorf("rows %v", r.rows("openrouter"))
	}
	c, err := p.Find("1")
	if err != nil || c.Key() == "" || c.BaseURL != seed.BaseURL {
		t.Fatalf("%v %v", c, err)
	}
	seed.BaseURL, c.BaseURL = "", "" // these are the caller's to show or not
	for _, shown := range []string{
		fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%+v", struct{ c Credential }{c}), fmt.Sprintf("%+v", []*Credential{&c}),
		fmt.Sprintf("%v %#v", seed, seed), fmt.Sprintf("%#v", Refreshed{AccessToken: key}),
	} {
		if strings.Contains(shown, key) {
			t.Errorf("printed: %s", shown)
		}
	}
	if fp := fingerprintOf(key); !strings.HasPrefix(fp, "sha256:") || len(fp) != len("sha256:")+16 {
		t.Errorf("fingerprint %q", fp)
	}
}

func TestFrom(t *testing.T) {
	for source, want := range map[string]string{
		"env:A_KEY": "env A_KEY", "config:box": "config.yaml", "model_config": "config.yaml", "manual": "auth.json", "manual:x": "auth.json", "claude_code": "claude_code",
	} {
		if got := (Credential{Source: source, Borrowed: !ownSource("p", source)}).From(); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// A row of the reference gets its secret from the environment, and its state
// counts for this secret only.
func TestSeedsMeetRows(t *testing.T) {
	const key = "sk-of-the-environment"
	content := `{"version":1,"credential_pool":{"openrouter":[{"id":"beef00","label":"mine","priority":4,"source":"env:OPENROUTER_API_KEY",
		"secret_fingerprint":"` + fingerprintOf(key) + `","last_status":"exhausted","last_status_at":1781697600.0,"last_error_code":429}]}}`
	r := newRig(t, content)
	second := Seed{Source: "env:OTHER", Label: "OTHER", Key: "sk-another-key"}
	p := r.pool("openrouter", PoolOptions{Seeds: seeds(Seed{Source: "env:OPENROUTER_API_KEY", Key: key}, second)})
	list := p.List()
	if len(list) != 2 || list[0].ID != "beef00" || list[0].Label != "mine" || list[0].Status != Exhausted || list[0].Key() != key || !list[0].Borrowed || list[1].Priority != 5 {
		t.Errorf("list %+v", list)
	}
	p = r.pool("openrouter", PoolOptions{Seeds: seeds(Seed{Source: "env:OPENROUTER_API_KEY", Key: "sk-a-new-key"}, second)})
	if got := p.List()[0]; got.Status != OK || got.Key() != "sk-a-new-key" {
		t.Errorf("with a new key: %+v", got)
	}
	p = r.pool("openrouter", PoolOptions{Seeds: seeds(second)})
	if got := p.List()[0]; !got.Absent || got.Key() != "" {
		t.Errorf("without the key: %+v", got)
	}
	if got := labels(p.Available(noon)); got != "OTHER" {
		t.Errorf("available %s", got)
	}
	fail(t, p, "OTHER", Failure{Code: 429})
	if row := r.row("openrouter", "beef00"); row["last_status"] != "exhausted" || row["secret_fingerprint"] != fingerprintOf(key) {
		t.Errorf("the row without its key changed: %v", row)
	}
	if rows := r.rows("openrouter"); len(rows) != 2 || rows[1]["access_token"] != nil || rows[1]["secret_fingerprint"] != fingerprintOf(second.Key) {
		t.Errorf("rows %v", rows)
	}
}

// Dead borrowed keys stay dead until the key is another one.
func TestDeadSeed(t *testing.T) {
	r := newRig(t, "")
	key := "sk-the-first-key"
	p := r.pool("openrouter", PoolOptions{Seeds: func() []Seed { return []Seed{{Source: "env:K", Label: "K", Key: key}} }})
	fail(t, p, "K", Failure{Code: 401, Reason: "invalid_token"})
	again := poolOf(t, r.open(Options{File: r.file}), "openrouter", PoolOptions{Seeds: seeds(Seed{Source: "env:K", Key: key})})
	if u := unavailable(t, again.Unavailable(noon)); u.Dead != 1 {
		t.Errorf("in another process: %v", u)
	}
	key = "sk-the-second-key"
	if l := pick(t, p, Want{}); l.Key() != key || l.Status != OK {
		t.Errorf("picked %v", l)
	}
}

func TestSuppressedSources(t *testing.T) {
	r := newRig(t, fixture(t))
	seed := Seed{Source: "env:ANTHROPIC_TOKEN", Label: "A", Key: "key-a"}
	p := r.pool("anthropic", PoolOptions{Seeds: seeds(seed, Seed{Source: "env:B", Label: "B", Key: "key-b"})})
	if got := labels(p.List()); got != "B" {
		t.Errorf("list %s", got)
	}
	c, err := p.Remove(t.Context(), "B")
	if err != nil || c.Label != "B" {
		t.Fatalf("remove: %v %v", c, err)
	}
	if got := labels(p.List()); got != "" {
		t.Errorf("list %s", got)
	}
	if got := decoded(t, r.text())["suppressed_sources"]; fmt.Sprint(got) != "map[anthropic:[env:ANTHROPIC_TOKEN env:B]]" {
		t.Errorf("suppressed %v", got)
	}
	for _, source := range []string{"env:B", "env:ANTHROPIC_TOKEN"} {
		if err := p.Restore(t.Context(), source); err != nil {
			t.Fatal(err)
		}
	}
	if got := labels(p.List()); got != "B A" { // restoring B has given it its row
		t.Errorf("list %s", got)
	}
	wantSame(t, fixture(t), r.text(), "suppressed_sources", "credential_pool")
}

func TestEdits(t *testing.T) {
	r := newRig(t, twoKeys)
	p := r.pool("openrouter", PoolOptions{Seeds: seeds(Seed{Source: "env:K", Label: "K", Key: "key-from-env"})})
	c, err := p.Add(t.Context(), New{Label: "three", Key: "key-three"})
	if err != nil || c.Priority != 3 {
		t.Errorf("added %+v, %v", c, err)
	}
	if got := labels(p.List()); got != "one two K three" {
		t.Errorf("list %s", got)
	}
	fail(t, p, "three", Failure{Code: 401, Reason: "invalid_token"})
	again, err := p.Add(t.Context(), New{Label: "another name", Key: "key-three"})
	if err != nil || again.ID != c.ID || len(p.List()) != 4 || again.Status != OK {
		t.Errorf("added twice: %+v, %v", again, err)
	}
	if _, err := p.Remove(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if got := labels(p.List()); got != "one K three" || strings.Contains(r.text(), "key-of-two") {
		t.Errorf("list %s", got)
	}
	for i := range 2 {
		fail(t, p, p.List()[i].Label, Failure{Code: 429})
	}
	if n, err := p.Reset(t.Context(), ""); n != 2 || err != nil {
		t.Errorf("reset %d, %v", n, err)
	}
	if _, err := p.Replace(t.Context(), "K", Refreshed{AccessToken: "x"}); !errors.Is(err, ErrBorrowed) {
		t.Errorf("replace a borrowed one: %v", err)
	}
	for _, n := range []New{{Key: "x", Source: "env:X"}, {Key: " "}, {Key: "x", Source: "vault:x"}} {
		if _, err := p.Add(t.Context(), n); err == nil {
			t.Errorf("added %v", n.Source)
		}
	}
	if _, err := p.Remove(t.Context(), "nobody"); !isTarget(err, false) {
		t.Errorf("remove: %v", err)
	}
	oauth, err := p.Add(t.Context(), New{Source: "manual:device_code", Type: OAuth, Key: "at", RefreshToken: "rt", Expires: noon.Add(time.Hour)})
	if err != nil || oauth.RefreshToken() != "rt" || !oauth.Expires.Equal(noon.Add(time.Hour)) || oauth.Label != "manual:device_code" {
		t.Errorf("added %+v, %v", oauth, err)
	}
}

// A profile without keys of its own uses the root's, and leaves its rows there.
func TestProfileUsesTheRoot(t *testing.T) {
	r := newRig(t, twoKeys)
	dir := filepath.Join(r.dir, "profile")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "auth.json")
	s := r.open(Options{File: own, Root: r.file})
	p := poolOf(t, s, "openrouter", PoolOptions{Strategy: LeastUsed, Seeds: seeds(Seed{Source: "env:K", Label: "K", Key: "key-of-the-profile"})})
	if got := labels(p.List()); got != "one two K" {
		t.Errorf("list %s", got)
	}
	fail(t, p, "one", Failure{Code: 429})
	if r.row("openrouter", "aaaaaa")["last_status"] != "exhausted" {
		t.Error("the root's row was not marked")
	}
	fail(t, p, "K", Failure{Code: 429})
	if got := picks(t, p, 2); got != "two two" || len(r.rows("openrouter")) != 2 {
		t.Errorf("picked %s; rows %v", got, r.rows("openrouter"))
	}
	fail(t, p, "two", Failure{Code: 429})
	if u := unavailable(t, p.Unavailable(noon)); u.Cooling != 3 {
		t.Errorf("the profile's own key is forgotten: %v", u)
	}
	if _, err := os.Stat(own); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the profile got a file: %v", err)
	}
	if got := s.Providers(); !slices.Equal(got, []string{"openrouter"}) {
		t.Errorf("providers %v", got)
	}
	before := r.text()
	if _, err := p.Add(t.Context(), New{Label: "own", Key: "own-key"}); err != nil {
		t.Fatal(err)
	}
	if got := labels(p.List()); got != "K own" {
		t.Errorf("list %s", got)
	}
	if got := labels(p.Available(noon)); got != "own" {
		t.Errorf("available %s", got)
	}
	if r.text() != before || strings.Contains(read(t, own), "key-of-one") {
		t.Error("the root's keys were touched")
	}
}

func TestProfileOfABrokenRoot(t *testing.T) {
	r := newRig(t, twoKeys)
	root := filepath.Join(r.dir, "root.json")
	if err := os.WriteFile(root, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{File: r.file, Root: root})
	wantFileError(t, err, root, ProblemCorrupt, "line 1")
}
