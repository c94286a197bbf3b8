package app

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// porter is a server that answers everyone, and notes what each request carries.
type porter struct {
	url string

	mu   sync.Mutex
	seen []string // headers, one request each
}

func newPorter(t *testing.T) *porter {
	t.Helper()
	p := &porter{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, fmt.Sprint(r.URL, r.Header))
		p.mu.Unlock()
		if r.Method == http.MethodGet {
			fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	p.url = server.URL + "/v1"
	return p
}

// got reports whether the server was asked, and whether a key reached it.
func (p *porter) got(key string) (asked, arrived bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen) > 0, strings.Contains(strings.Join(p.seen, "\n"), key)
}

// TestNoKeyReachesAServerItWasNotGivenFor lets the conversation go to a server whose
// address is named in one place, while keys for another server or service are set in
// others.
func TestNoKeyReachesAServerItWasNotGivenFor(t *testing.T) {
	const key = "given-for-another-0123456789"
	for _, c := range []struct {
		name   string
		config string // OTHER is the address that the key is for, HERE the server
		auth   string
		env    map[string]string
		flags  map[string]string
	}{
		{name: "an address on the command line, a key in the file", config: "model: {provider: openrouter, api_key: KEY, default: m}",
			flags: map[string]string{"model.provider": "custom", "model.base_url": "HERE"}},
		{name: "an address on the command line, address and key in the file", config: "model: {provider: custom, base_url: OTHER, api_key: KEY, default_headers: {X-Key: KEY}}",
			flags: map[string]string{"model.provider": "custom", "model.base_url": "HERE"}},
		{name: "an address on the command line, the key of a variable", env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "OTHER"},
			flags: map[string]string{"model.provider": "custom", "model.base_url": "HERE"}},
		{name: "a provider of one's own elsewhere", config: "providers:\n  house: {base_url: OTHER, api_key: KEY, headers: {X-Key: KEY}}",
			flags: map[string]string{"model.provider": "house", "model.base_url": "HERE"}},
		{name: "a provider elsewhere, a named variable", config: "providers:\n  house: {base_url: OTHER, key_env: HOUSE_LLM}", env: map[string]string{"HOUSE_LLM": key},
			flags: map[string]string{"model.provider": "house", "model.base_url": "HERE"}},
		{name: "a provider elsewhere, a key in auth.json", config: "providers:\n  house: {base_url: OTHER}", auth: `"custom:house":[{"id":"000001","auth_type":"api_key","source":"manual","access_token":"KEY"}]`,
			flags: map[string]string{"model.provider": "house", "model.base_url": "HERE"}},
		{name: "a key with an address in auth.json", config: "model: {provider: groq, base_url: HERE}",
			auth: `"groq":[{"id":"000001","auth_type":"api_key","source":"manual","base_url":"OTHER","access_token":"KEY"}]`},
		{name: "a key of custom endpoints in auth.json", auth: `"custom:custom":[{"id":"000001","auth_type":"api_key","source":"manual","access_token":"KEY"}]`,
			flags: map[string]string{"model.provider": "custom", "model.base_url": "HERE"}},
		{name: "a provider of the environment", config: "model: {provider: custom, base_url: OTHER, api_key: KEY}\nproviders:\n  house: {base_url: HERE}", env: map[string]string{"HERMES_PROVIDER": "house"}},
		{name: "an entry before the file", config: "model: {provider: house, base_url: OTHER, api_key: KEY}\nproviders:\n  house: {base_url: HERE}"},
		{name: "a fallback", config: "model: {provider: custom, base_url: 'http://127.0.0.1:1/v1', default: m, api_key: KEY}\nagent: {api_max_retries: 1}\nfallback_providers:\n  - {provider: custom, base_url: HERE, model: m}"},
		{name: "a fallback to a provider elsewhere", config: "model: {provider: custom, base_url: 'http://127.0.0.1:1/v1', default: m}\nagent: {api_max_retries: 1}\n" +
			"providers:\n  house: {base_url: OTHER, api_key: KEY}\nfallback_providers:\n  - {provider: house, base_url: HERE, model: m}"},
		{name: "a call beside the conversation", config: "model: {provider: custom, base_url: OTHER, default: m, api_key: KEY}\nauxiliary:\n  title_generation: {provider: custom, base_url: HERE, model: m}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			here, other := newPorter(t), newPorter(t)
			fill := strings.NewReplacer("HERE", here.url, "OTHER", other.url, "KEY", key).Replace
			b := newBox(t)
			b.config("probe: {local_servers: false}\n" + fill(c.config) + "\n")
			for name, value := range c.env {
				b.env[name] = fill(value)
			}
			for name, value := range c.flags {
				b.flags[name] = fill(value)
			}
			if c.auth != "" {
				if err := os.WriteFile(b.home.Auth(), []byte(fill(`{"version":1,"credential_pool":{`+c.auth+`}}`)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a, conv := b.begin()
			say(t, conv, "hello")
			if _, err := offered(t, a); err != nil {
				t.Fatal(err)
			}
			closed(t, a)
			asked, arrived := here.got(key)
			if !asked || arrived {
				t.Errorf("the server was asked: %v; the key arrived: %v", asked, arrived)
			}
		})
	}
}

// TestDefaultsOfTheReferenceGetTheirKey asks the server at an address that is written
// beside provider auto with the key of the service that is there.
func TestDefaultsOfTheReferenceGetTheirKey(t *testing.T) {
	b := newBox(t)
	b.config("model:\n  default: anthropic/claude-opus-4.6\n  provider: auto\n  base_url: https://openrouter.ai/api/v1\n")
	b.env["OPENROUTER_API_KEY"], b.env["ANTHROPIC_API_KEY"] = "or-0123456789", "an-0123456789"
	list, err := b.open().models.Candidates()
	if err != nil || list[0].Provider != "openrouter" || list[0].Key != "or-0123456789" || list[0].Model != "anthropic/claude-opus-4.6" {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestKeysOfOneProviderStayApart keeps two endpoints of one provider apart that have
// keys of their own.
func TestKeysOfOneProviderStayApart(t *testing.T) {
	const first, second = "key-of-the-first-0123456789", "key-of-the-second-0123456789"
	one, two := newPorter(t), newPorter(t)
	b := newBox(t)
	b.config(fmt.Sprintf("probe: {local_servers: false}\nmodel: {provider: custom, base_url: %s, default: m, api_key: %s}\n"+
		"auxiliary:\n  title_generation: {provider: custom, base_url: %s, model: m, api_key: %s}\n", one.url, first, two.url, second))
	a, c := b.begin()
	say(t, c, "one")
	say(t, c, "two")
	look := time.NewTicker(5 * time.Millisecond) // the title is asked for beside the conversation
	defer look.Stop()
	for deadline := time.Now().Add(patience); ; <-look.C {
		if asked, _ := two.got(second); asked || time.Now().After(deadline) {
			break
		}
	}
	closed(t, a)
	for _, p := range []struct {
		*porter
		own, other string
	}{{one, first, second}, {two, second, first}} {
		if asked, got := p.got(p.own); !asked || !got {
			t.Errorf("asked: %v, with its own key: %v", asked, got)
		}
		if _, got := p.got(p.other); got {
			t.Error("the key of the other arrived")
		}
	}
}

// TestStoredKeyIsNamed says where a key of auth.json is, for the errors about it.
func TestStoredKeyIsNamed(t *testing.T) {
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmodel: {provider: groq, default: m}\n")
	raw := `{"version":1,"credential_pool":{"groq":[{"id":"000001","auth_type":"api_key","source":"manual","access_token":"stored-0123456789"}]}}`
	if err := os.WriteFile(b.home.Auth(), []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := b.open().models.Candidates()
	if err != nil || list[0].Provider != "groq" || list[0].KeyFrom != "auth.json" {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestEveryKeyIsMasked masks the keys of every setting, and of variables that settings
// name, whatever they are called.
func TestEveryKeyIsMasked(t *testing.T) {
	b := newBox(t)
	b.config(`
model: {provider: custom, base_url: "http://127.0.0.1:1/v1", api_key: key-model-1, default_headers: {Authorization: Bearer key-header-1, X-Team: blue-team}}
providers: {x: {base_url: "http://127.0.0.1:2/v1", api_key: key-provider-1, key_env: MY_LLM, headers: {X-Api-Key: key-header-2}}}
delegation: {api_key: key-delegation-1}
auxiliary: {approval: {api_key: key-auxiliary-1, fallback_chain: [{provider: x, model: m, api_key: key-chain-1}]}}
fallback_providers: [{provider: x, model: m, key_env: SPARE, api_key: key-fallback-1}]
`)
	b.env["MY_LLM"], b.env["SPARE"] = "key-variable-1", "key-variable-2"
	b.flags["model.provider"] = "x" // model.api_key holds for nothing now
	a := b.open()
	for _, key := range []string{
		"key-model-1", "key-header-1", "key-provider-1", "key-header-2", "key-delegation-1", "key-auxiliary-1", "key-chain-1", "key-fallback-1", "key-variable-1", "key-variable-2",
	} {
		if got := a.masker().Text("see " + key + " here"); strings.Contains(got, key) {
			t.Errorf("shown: %q", got)
		}
	}
	if got := a.masker().Text("the blue-team"); got != "the blue-team" {
		t.Errorf("masked: %q", got)
	}
}

// TestAddressIsStored keeps the whole address of what answered with the session, where
// other programs read it.
func TestAddressIsStored(t *testing.T) {
	here := newPorter(t)
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmodel: {provider: custom, base_url: " + here.url + ", default: m}\n")
	a, c := b.begin()
	say(t, c, "hello")
	closed(t, a)
	db, err := sql.Open("sqlite", "file:"+b.home.StateDB())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got string
	if err := db.QueryRow("SELECT billing_base_url FROM sessions WHERE id = ?", c.Session()).Scan(&got); err != nil || got != here.url {
		t.Errorf("stored %q, %v", got, err)
	}
}
