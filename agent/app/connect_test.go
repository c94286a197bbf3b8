package app

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hermes-tui/providers/catalog"
	"hermes-tui/store/config"
)

// TestWhatAnswers goes down the order of what may answer: the settings, the keys
// of the environment, a server on this machine, the demonstration.
func TestWhatAnswers(t *testing.T) {
	t.Parallel()
	here := serve(t, "qwen3-coder", "other")
	host := strings.TrimSuffix(strings.TrimPrefix(here.URL(), "http://"), "/v1")
	good, bad := newGate(t, "good"), newGate(t, "another")
	probing := "probe:\n  timeout_ms: 5000\n"
	for _, c := range []struct {
		name     string
		config   string
		env      []string
		flags    map[string]string
		provider string
		model    string
		notice   string
	}{
		{name: "nothing at all", config: "probe:\n  local_servers: false\n", provider: "demo", model: "demo"},
		{name: "nothing that answers", config: probing, provider: "demo", model: "demo"},
		{name: "a server on this machine", config: probing, env: []string{"OLLAMA_HOST=" + host}, provider: "ollama", model: "qwen3-coder"},
		{name: "a key before the server", config: probing, env: []string{"OLLAMA_HOST=" + host, "GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url()},
			provider: "groq", model: provider(t, "groq").Models[0]},
		{name: "keys in the order of the catalogue", env: []string{"GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url(), "OPENROUTER_API_KEY=good", "OPENROUTER_BASE_URL=" + good.url() + "/router"},
			provider: "openrouter", model: provider(t, "openrouter").Models[0]},
		{name: "a key that is refused is passed over", env: []string{"GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url(), "OPENROUTER_API_KEY=stale", "OPENROUTER_BASE_URL=" + bad.url()},
			provider: "groq", model: provider(t, "groq").Models[0], notice: "OpenRouter was passed over: OpenRouter does not accept the API key from OPENROUTER_API_KEY (HTTP 401)"},
		{name: "a refused key, then the server", config: probing, env: []string{"OLLAMA_HOST=" + host, "GROQ_API_KEY=stale", "GROQ_BASE_URL=" + bad.url()},
			provider: "ollama", model: "qwen3-coder", notice: "Groq was passed over"},
		{name: "the address of other tools before keys", env: []string{"OPENAI_BASE_URL=" + good.url(), "OPENAI_API_KEY=good", "GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url() + "/groq"},
			provider: "custom", model: "some-model"},
		{name: "the settings before everything", config: "model:\n  provider: custom\n  base_url: " + here.URL() + "\n  default: mine\n",
			env: []string{"GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url()}, provider: "custom", model: "mine"},
		{name: "an address alone", config: "model:\n  base_url: " + here.URL() + "\n", provider: "custom", model: "qwen3-coder"},
		{name: "a name alone", config: "model: named\n", env: []string{"GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url()}, provider: "groq", model: "named"},
		{name: "a provider of the user's own", config: "model:\n  provider: work\nproviders:\n  work:\n    base_url: " + good.url() + "\n    api_key: ${WORK}\n    default: w\n",
			env: []string{"WORK=good"}, provider: "work", model: "w"},
		{name: "a provider in no table", config: "model:\n  provider: polza\n  default: m\n", env: []string{"GROQ_API_KEY=good", "GROQ_BASE_URL=" + good.url()},
			provider: "demo", model: "demo", notice: `the provider "polza" is not known`},
		{name: "an own provider without its address", config: "model:\n  provider: custom:gone\n  base_url: ''\n", provider: "demo", model: "demo", notice: "config.yaml:2)"},
		{name: "the first of the fallbacks that can be used", config: "model:\n  provider: polza\nfallback_providers:\n- {provider: zork, model: z}\n- {provider: custom, base_url: '" + here.URL() + "', model: second}\n",
			provider: "custom", model: "second", notice: `"zork" is not known: did you mean "grok"? (fallback_providers.1.provider, `},
		{name: "a fallback where the key is missing", config: "model:\n  provider: groq\nfallback_providers:\n- {provider: custom, base_url: '" + here.URL() + "', model: second}\n",
			provider: "custom", model: "second", notice: "second of fallback_providers answers in its place"},
		{name: "unknown names beside", config: "model:\n  provider: custom\n  base_url: " + here.URL() + "\n  default: mine\nauxiliary:\n  vision: {provider: zork, model: z}\n",
			provider: "custom", model: "mine", notice: `"zork" is not known: did you mean "grok"? (auxiliary.vision.provider, `},
		{name: "a key that is missing", config: "model:\n  provider: groq\n", provider: "demo", model: "demo", notice: "Groq needs an API key: set GROQ_API_KEY"},
		{name: "a server of this machine in the name", config: "model:\n  provider: 'custom:local-(" + host + ")'\n  base_url: ''\n  default: mine\n", provider: "local-(" + host + ")", model: "mine"},
		{name: "the environment over the file", config: "model:\n  provider: demo\n", env: []string{"HERMES_PROVIDER=groq", "HERMES_MODEL=by-env", "GROQ_API_KEY=good"},
			provider: "groq", model: "by-env"},
		{name: "flags over the environment", env: []string{"HERMES_PROVIDER=groq", "GROQ_API_KEY=good"}, flags: map[string]string{"model.provider": "demo"},
			provider: "demo", model: "demo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t)
			if c.config != "" {
				b.config(c.config)
			}
			for _, kv := range c.env {
				name, value, _ := strings.Cut(kv, "=")
				b.env[name] = value
			}
			b.flags = c.flags
			_, conv := b.begin()
			m := model(conv)
			if m.Provider != c.provider || m.Name != c.model {
				t.Errorf("%s of %s answers", m.Name, m.Provider)
			}
			if (m.Badge != "") != (c.provider == "demo") {
				t.Errorf("the badge is %q", m.Badge)
			}
			if got := notices(conv); !strings.Contains(got, c.notice) || (got != "") != (c.notice != "") {
				t.Errorf("the notices are %q", got)
			}
		})
	}
	// A key goes to its own endpoint only.
	for _, g := range []*gate{good, bad} {
		g.mu.Lock()
		for _, k := range g.keys {
			if (k == "stale") != (g == bad) {
				t.Errorf("a gate was given the key %q", k)
			}
		}
		g.mu.Unlock()
	}
}

// TestEveryServiceCanBeReached has the key of each service alone in the
// environment; the service is moved to this machine.
func TestEveryServiceCanBeReached(t *testing.T) {
	g := newGate(t, "its-key")
	for _, p := range catalog.Providers() {
		for _, name := range p.KeyEnv {
			b := newBox(t)
			b.config(fmt.Sprintf("probe:\n  local_servers: false\nproviders:\n  %s:\n    base_url: %s\n", p.ID, g.url()))
			b.env[name] = "its-key"
			a, conv := b.begin()
			if m := model(conv); m.Provider != p.ID || m.Name == "" || m.Host != hostOf(g.URL) {
				t.Errorf("with %s: %+v", name, m)
			}
			closed(t, a)
		}
	}
}

// TestWhatIsNotOffered sets keys that are no sign of a wish: those of services that
// are not known, and those of a cloud that is used for much else. Nothing is made of
// them.
func TestWhatIsNotOffered(t *testing.T) {
	b := newBox(t)
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "COHERE_API_KEY"} {
		b.env[name] = "a-key-of-a-service"
	}
	a, conv := b.begin()
	if m := model(conv); m.Provider != "demo" {
		t.Errorf("%+v answers", m)
	}
	list, err := offered(t, a)
	if err != nil || len(list) != 1 || list[0].Provider != "demo" {
		t.Errorf("offered: %+v, %v", list, err)
	}
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct {
		name, config string
		is           func(error) bool
		says         string
	}{
		{"unknown provider", "model:\n  provider: opnrouter\n", as[*catalog.UnknownProviderError], `did you mean "openrouter"`},
		{"no key", "model:\n  provider: groq\n", as[*catalog.MissingKeyError], "set GROQ_API_KEY"},
		{"no address", "model:\n  provider: custom\n", as[*catalog.MissingURLError], "base_url"},
		{"a pasted key", "model:\n  provider: groq\n  api_key: \"gsk_\\u200babc\"\n", as[*catalog.UnsendableError], "the key of Groq (config.yaml) has the character U+200B"},
		{"unset reference", "model:\n  provider: groq\n  api_key: ${NOWHERE}\n", as[*config.Error], "model.api_key refers to ${NOWHERE}, which is not set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t)
			b.unattended = true
			b.config("probe:\n  local_servers: false\n" + c.config)
			b.env["OPENROUTER_API_KEY"] = "must-not-be-used" // the user chose another service
			_, err := b.open().Start(t.Context())
			if err == nil || !c.is(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// TestModels lists what every endpoint offers, and says why one offers nothing.
func TestModels(t *testing.T) {
	here, good, bad := serve(t, "local-b", "local-a"), newGate(t, "good"), newGate(t, "another")
	u, err := url.Parse(here.URL())
	if err != nil {
		t.Fatal(err)
	}
	b := newBox(t)
	b.config("probe:\n  timeout_ms: 5000\n")
	b.env["OLLAMA_HOST"] = u.Host
	b.env["GROQ_API_KEY"], b.env["GROQ_BASE_URL"] = "good", good.url()
	b.env["XAI_API_KEY"], b.env["XAI_BASE_URL"] = "stale", bad.url()
	list, err := offered(t, b.open())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		row := m.Provider + "/" + m.Name
		if m.Problem != "" {
			row += "!"
		}
		got = append(got, row)
	}
	want := []string{"xai/!", "xai/" + provider(t, "xai").Models[0], "groq/some-model", "ollama/local-a", "ollama/local-b", "demo/demo"}
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if p := list[0].Problem; !strings.Contains(p, "does not accept the API key from XAI_API_KEY") || strings.Contains(p, "stale") {
		t.Errorf("the problem is %q", p)
	}
	if list[3].ContextMax != 100_000 {
		t.Errorf("the context of %+v", list[3])
	}
}

// TestOfflineIsNotTheDemo has the key of a service that cannot be reached at the start: it is
// taken, says so, and is asked when something is sent. Its first answer ends that.
func TestOfflineIsNotTheDemo(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]int{"no connection": 0, "an outage": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			var here atomic.Bool
			server := serve(t, "z-ai/glm-4.6")
			aim, err := url.Parse(strings.TrimSuffix(server.URL(), "/v1"))
			if err != nil {
				t.Fatal(err)
			}
			through := httputil.NewSingleHostReverseProxy(aim)
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case here.Load():
					through.ServeHTTP(w, r)
				case away != 0:
					w.WriteHeader(away)
				default:
					panic(http.ErrAbortHandler)
				}
			}))
			t.Cleanup(front.Close)
			b := newBox(t)
			b.config("probe:\n  local_servers: false\n")
			b.env["OPENROUTER_API_KEY"], b.env["OPENROUTER_BASE_URL"] = "its-key", front.URL+"/v1"
			_, conv := b.begin()
			if m := model(conv); m.Provider != "openrouter" || m.Name == "" || !strings.HasPrefix(m.Badge, "offline") {
				t.Errorf("%+v answers", m)
			}
			if got := notices(conv); !strings.Contains(got, "OpenRouter could not be reached just now: it is tried when you send.") || strings.Contains(got, "passed over") {
				t.Errorf("the notices are %q", got)
			}
			here.Store(true)
			say(t, conv, "hello")
			if m := model(conv); m.Provider != "openrouter" || m.Badge != "" {
				t.Errorf("after an answer: %+v", m)
			}
		})
	}
}

// TestUnknownServiceOfSubagents has subagents work with the model of their parent where
// their own is not known, and says so.
func TestUnknownServiceOfSubagents(t *testing.T) {
	here := serve(t, "mine")
	b := newBox(t)
	b.config("probe: {local_servers: false}\nmodel: {provider: custom, base_url: '" + here.URL() + "', default: mine}\ndelegation: {provider: zork, model: z}\n")
	_, conv := b.begin()
	rt, err := conv.(*conversation).childRuntime(t.Context(), conv.(*conversation).Runtime())
	if err != nil || rt.Model.Name != "mine" {
		t.Errorf("%s answers subagents, %v", rt.Model.Name, err)
	}
	if got := notices(conv); strings.Count(got, "delegation.provider") != 1 || !strings.Contains(got, "This entry is left out") {
		t.Errorf("the notices are %q", got)
	}
}
