package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/agent/event"
)

// doorman is a server that takes one key and refuses all others, with the status
// and body given. It notes the keys it sees.
type doorman struct {
	url string

	mu   sync.Mutex
	seen []string
}

func newDoorman(t *testing.T, good string, status int, body string) *doorman {
	t.Helper()
	d := &doorman{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // it tells no one what it has
			http.NotFound(w, r)
			return
		}
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		d.mu.Lock()
		d.seen = append(d.seen, key)
		d.mu.Unlock()
		if key != good {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"welcome"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

func (d *doorman) keys() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.seen)
}

// auth writes auth.json with keys for the endpoint "house".
func (b *box) auth(keys ...string) {
	b.t.Helper()
	var rows []map[string]any
	for i, k := range keys {
		rows = append(rows, map[string]any{
			"id": fmt.Sprintf("00000%d", i), "label": fmt.Sprintf("key %d", i), "auth_type": "api_key", "priority": i, "source": "manual", "access_token": k,
		})
	}
	raw, err := json.Marshal(map[string]any{"version": 1, "credential_pool": map[string]any{"custom:house": rows}})
	if err == nil {
		err = os.WriteFile(b.home.Auth(), raw, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

const house = "probe: {local_servers: false}\nmodel: {provider: house, default: m}\nproviders:\n  house:\n    base_url: %s\n%s"

// TestRefusedKeyIsLeft goes on with another key when one is refused, marks the
// first in auth.json, and does not try it again in the next turn.
func TestRefusedKeyIsLeft(t *testing.T) {
	d := newDoorman(t, "second-key-0123456789", 401, `{"error":{"message":"Incorrect API key"}}`)
	b := newBox(t)
	b.config(fmt.Sprintf(house, d.url, ""))
	b.auth("first-key-0123456789", "second-key-0123456789")
	_, c := b.begin()
	say(t, c, "one")
	say(t, c, "two")
	got := d.keys() // the conversation may have asked for a title of its own in between
	if want := []string{"first-key-0123456789", "second-key-0123456789"}; len(got) < 3 || !slices.Equal(slices.Compact(slices.Clone(got)), want) {
		t.Errorf("keys sent: %q", got)
	}
	raw, err := os.ReadFile(b.home.Auth())
	if err != nil || !strings.Contains(string(raw), `"exhausted"`) || !strings.Contains(string(raw), "401") {
		t.Errorf("auth.json is %s, %v", raw, err)
	}
}

// TestConfiguredKeyIsBorrowed uses the key of the settings first and keeps only
// its fingerprint.
func TestConfiguredKeyIsBorrowed(t *testing.T) {
	d := newDoorman(t, "second-key-0123456789", 402, `{"error":{"message":"insufficient credits"}}`)
	b := newBox(t)
	b.config(fmt.Sprintf(house, d.url, "    api_key: borrowed-key-0123456789\n"))
	b.auth("second-key-0123456789")
	_, c := b.begin()
	say(t, c, "one")
	if got := d.keys(); !slices.Contains(got, "second-key-0123456789") {
		t.Errorf("keys sent: %q", got)
	}
	raw, err := os.ReadFile(b.home.Auth())
	if err != nil || strings.Contains(string(raw), "borrowed-key") {
		t.Errorf("auth.json is %s, %v", raw, err)
	}
}

// TestStoredKeyOfAService makes a service of the catalogue usable whose key is
// in auth.json only.
func TestStoredKeyOfAService(t *testing.T) {
	b := newBox(t)
	raw := `{"version":1,"credential_pool":{"openrouter":[{"id":"000001","auth_type":"api_key","priority":0,"source":"manual","access_token":"sk-or-stored-0123456789"}]}}`
	if err := os.WriteFile(b.home.Auth(), []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	a := b.open()
	list, err := a.models.Candidates()
	if err != nil || list[0].Provider != "openrouter" || list[0].Key != "sk-or-stored-0123456789" {
		t.Errorf("candidates are %v, %v", list, err)
	}
	if got := a.masker().Text("use sk-or-stored-0123456789 now"); strings.Contains(got, "stored-0123456789") {
		t.Errorf("a stored key is shown: %q", got)
	}
}

// TestBrokenAuthFile leaves a file alone that cannot be understood, and says so
// in the conversation.
func TestBrokenAuthFile(t *testing.T) {
	d := newDoorman(t, "borrowed-key-0123456789", 401, "")
	b := newBox(t)
	b.config(fmt.Sprintf(house, d.url, "    api_key: borrowed-key-0123456789\n"))
	const broken = `{"version": 1, "credential_pool": `
	if err := os.WriteFile(b.home.Auth(), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	_, c := b.begin()
	say(t, c, "one")
	var told string
	for _, block := range c.State().Root().Blocks {
		if block.Kind == event.BlockNotice {
			told = block.Text.String()
		}
	}
	if !strings.Contains(told, filepath.Base(b.home.Auth())) {
		t.Errorf("the user was told %q", told)
	}
	if raw, err := os.ReadFile(b.home.Auth()); err != nil || string(raw) != broken {
		t.Errorf("auth.json became %s, %v", raw, err)
	}
}

// TestFallbackWithAnotherKey has a chain at one address: each link has a key of its own and
// is asked, but one that is the service which has failed.
func TestFallbackWithAnotherKey(t *testing.T) {
	const first, second, third = "key-of-one-0123456789", "key-of-two-0123456789", "key-of-three-0123456789"
	for _, status := range []int{401, 402, 429} {
		d := newDoorman(t, third, status, `{"error":{"message":"Insufficient credits"}}`)
		b := newBox(t)
		chain := "agent: {api_max_retries: 1}\nmodel: {provider: custom, base_url: '%[1]s', default: m, api_key: %[2]s}\nfallback_providers:\n"
		for _, key := range []string{first, second, third} {
			chain += "  - {base_url: '%[1]s', model: m, api_key: " + key + "}\n"
		}
		b.config(fmt.Sprintf(chain, d.url, first))
		_, c := b.begin()
		say(t, c, "one")
		if got := slices.Compact(d.keys()); !slices.Equal(got, []string{first, second, third}) {
			t.Errorf("%d: asked with %q", status, got)
		}
	}
}

// TestFallbackFromTheSettings goes to the next service of the chain.
func TestFallbackFromTheSettings(t *testing.T) {
	first := newDoorman(t, "", 401, `{"error":{"message":"no"}}`)
	next := newDoorman(t, "key-of-the-next-0123456789", 401, "")
	b := newBox(t)
	b.config(fmt.Sprintf(house, first.url, "    api_key: some-key-0123456789\n") +
		fmt.Sprintf("fallback_providers:\n  - {provider: nowhere, model: x}\n  - {base_url: %s, model: spare, api_key: key-of-the-next-0123456789}\n", next.url))
	_, c := b.begin()
	say(t, c, "one")
	if len(next.keys()) != 1 {
		t.Errorf("the next service was asked %d times", len(next.keys()))
	}
}
