package catalog

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers"
)

// env is an environment for a test.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if v, ok := strings.CutPrefix(p, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

func ids(list []Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Provider)
	}
	return out
}

// said is what one source says.
func said(e providers.Endpoint) Config { return Config{Layers: []Layer{{Endpoint: e}}} }

func choose(t *testing.T, c Config, e func(string) string) []Candidate {
	t.Helper()
	list, err := Choose(c, e)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestChooseOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		env    []string
		want   []string
	}{
		{"nothing", Config{}, nil, []string{"demo"}},
		{"keys in table order", Config{}, []string{"GROQ_API_KEY=g", "OPENAI_API_KEY=o", "OPENROUTER_API_KEY=r"}, []string{"openrouter", "openai", "groq", "demo"}},
		{"configured first and once", said(providers.Endpoint{Provider: "Groq"}), []string{"GROQ_API_KEY=g", "OPENROUTER_API_KEY=r"}, []string{"groq", "openrouter", "demo"}},
		{"redirected openai", Config{}, []string{"OPENAI_BASE_URL=http://localhost:4000/v1/", "OPENAI_API_KEY=o", "OPENROUTER_API_KEY=r"}, []string{"custom", "openrouter", "demo"}},
		{"redirected to itself", Config{}, []string{"OPENAI_BASE_URL=https://api.openai.com/v1", "OPENAI_API_KEY=o"}, []string{"openai", "demo"}},
		{"two custom ones", said(providers.Endpoint{BaseURL: "http://a/v1"}), []string{"OPENAI_BASE_URL=http://b/v1"}, []string{"custom", "custom", "demo"}},
		{"the same twice", said(providers.Endpoint{BaseURL: "http://b/v1"}), []string{"OPENAI_BASE_URL=http://b/v1/chat/completions"}, []string{"custom", "demo"}},
		{"demo", said(providers.Endpoint{Provider: "demo"}), []string{"GROQ_API_KEY=g"}, []string{"demo", "groq"}},
		{"local", said(providers.Endpoint{Provider: "ollama"}), nil, []string{"ollama", "demo"}},
		{"auto", said(providers.Endpoint{Provider: "auto"}), []string{"GROQ_API_KEY=g"}, []string{"groq", "demo"}},
		{"blank key", Config{}, []string{"GROQ_API_KEY=  "}, []string{"demo"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ids(choose(t, c.config, env(c.env...))); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestChooseFillsCandidates(t *testing.T) {
	list := choose(t, said(providers.Endpoint{Model: "m", ContextMax: 5}), env("GOOGLE_API_KEY= k ", "DEEPSEEK_API_KEY=d", "DEEPSEEK_BASE_URL=https://proxy.example/d/"))
	want := Candidate{
		Endpoint: providers.Endpoint{
			Provider: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Key: "k", Model: "m", ContextMax: 5, Headers: map[string]string{},
		},
		Label: "Google Gemini", KeyFrom: "env GOOGLE_API_KEY", KeyPage: "https://aistudio.google.com/apikey", Models: list[0].Models,
	}
	if !reflect.DeepEqual(list[0], want) {
		t.Errorf("got %+v", list[0])
	}
	if d := list[1]; d.BaseURL != "https://proxy.example/d" || d.Model != "deepseek-v4-pro" || d.ContextMax != 0 {
		t.Errorf("got %+v", d)
	}
}

func TestChooseNamedEndpoints(t *testing.T) {
	config := Config{
		Layers: said(providers.Endpoint{Provider: "WORK", Model: "big", Headers: map[string]string{"B": "2"}}).Layers,
		Providers: map[string]providers.Endpoint{
			"work":   {BaseURL: "https://llm.work.example/v1", KeyEnv: "WORK_KEY", Model: "small", Headers: map[string]string{"A": "1", "B": "1"}, OutputMax: 7},
			"OpenAI": {BaseURL: "http://127.0.0.1:9/v1"},
		},
	}
	list := choose(t, config, env("WORK_KEY=w"))
	if !slices.Equal(ids(list), []string{"work", "openai", "demo"}) {
		t.Fatalf("got %v", list)
	}
	w := list[0]
	if w.Label != "WORK" || w.Key != "w" || w.KeyFrom != "env WORK_KEY" || w.Model != "big" || w.OutputMax != 7 ||
		!reflect.DeepEqual(w.Headers, map[string]string{"A": "1", "B": "2"}) {
		t.Errorf("got %+v", w)
	}
	if o := list[1]; o.BaseURL != "http://127.0.0.1:9/v1" || o.Key != "" {
		t.Errorf("a service that was moved to this machine needs no key: %+v", o)
	}
	// What the user named is there without being chosen, unless its key is missing.
	config.Layers = nil
	config.Providers["twin"] = providers.Endpoint{BaseURL: "https://llm.work.example/v1", Key: "t"}
	if got := ids(choose(t, config, env("WORK_KEY=w"))); !slices.Equal(got, []string{"openai", "twin", "work", "demo"}) {
		t.Errorf("without a choice there are %v", got)
	}
	if got := ids(choose(t, config, env())); !slices.Equal(got, []string{"openai", "twin", "demo"}) {
		t.Errorf("without the key there are %v", got)
	}
	if config.Providers["work"].Headers["B"] != "1" {
		t.Error("the configuration was changed")
	}
	// By alias, with the key in the configuration.
	list = choose(t, said(providers.Endpoint{Provider: "google", Key: "k"}), env("GEMINI_API_KEY=other"))
	if c := list[0]; c.Provider != "gemini" || c.Key != "k" || c.KeyFrom != "config.yaml" || len(list) != 2 {
		t.Errorf("got %+v", list)
	}
}

func TestKeysStayWithTheirEndpoints(t *testing.T) {
	e := env("OPENAI_API_KEY=real", "OPENAI_BASE_URL=https://gate.example/v1")
	for _, c := range choose(t, said(providers.Endpoint{BaseURL: "https://other.example/v1"}), e) {
		if (c.Key == "real") != (c.BaseURL == "https://gate.example/v1") {
			t.Errorf("%v has the key %q", c, c.Key)
		}
	}
}

func TestChooseErrors(t *testing.T) {
	var unknown *UnknownProviderError
	var key *MissingKeyError
	var noURL *MissingURLError
	var badURL *InvalidURLError
	for _, c := range []struct {
		name   string
		config Config
		env    []string
		as     any
		want   string
	}{
		{"unknown", said(providers.Endpoint{Provider: "opnrouter"}), nil, &unknown, `the provider "opnrouter" is not known: did you mean "openrouter"?`},
		{"unheard of", said(providers.Endpoint{Provider: "frobnicate"}), nil, &unknown, `the provider "frobnicate" is not known: name a known one, or use "custom" with a base_url`},
		{"no key", said(providers.Endpoint{Provider: "gemini"}), nil, &key, "Google Gemini needs an API key: set GEMINI_API_KEY or GOOGLE_API_KEY, keys are made at https://aistudio.google.com/apikey"},
		{"named variable is empty", said(providers.Endpoint{Provider: "groq", KeyEnv: "MINE"}), []string{"GROQ_API_KEY=g"}, &key, "Groq needs an API key: set MINE, keys are made at https://console.groq.com/keys"},
		{"no URL", said(providers.Endpoint{Provider: "custom"}), nil, &noURL, `the provider "custom" needs a base_url: add it in config.yaml, it usually ends in /v1`},
		{"named without URL", Config{Layers: said(providers.Endpoint{Provider: "x"}).Layers, Providers: map[string]providers.Endpoint{"x": {}}}, nil, &noURL, `the provider "x" needs a base_url: add it in config.yaml, it usually ends in /v1`},
		{"no scheme", said(providers.Endpoint{Provider: "custom", BaseURL: "localhost:8080/v1"}), nil, &badURL, "the base URL in config.yaml does not begin with https:// or http://: write it like https://host/v1"},
		{"login in the URL", said(providers.Endpoint{BaseURL: "https://u:hunter2@h/v1"}), nil, &badURL, "the base URL in config.yaml holds a user name or password, which belong into api_key: write it like https://host/v1"},
		{"bad variable", Config{}, []string{"OPENAI_BASE_URL=https://"}, &badURL, "the base URL in OPENAI_BASE_URL names no host: write it like https://host/v1"},
		{"bad host", said(providers.Endpoint{Provider: "ollama"}), []string{"OLLAMA_HOST=unix://x"}, &badURL, "the base URL in OLLAMA_HOST does not begin with https:// or http://: write it like https://host/v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := Choose(c.config, env(append(c.env, "DEEPSEEK_API_KEY=d")...))
			if !errors.As(err, c.as) || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
			if got := ids(list); !slices.Contains(got, "deepseek") || !slices.Contains(got, "demo") {
				t.Errorf("the rest of the list is %v", got)
			}
		})
	}
	if _, err := Choose(said(providers.Endpoint{Provider: "demo"}), env("OPENAI_BASE_URL=nonsense")); err != nil {
		t.Errorf("a bad variable matters only when nothing is configured: %v", err)
	}
}

func TestCandidatesNeverPrintTheirKey(t *testing.T) {
	c := Candidate{Endpoint: providers.Endpoint{BaseURL: "https://x", Key: "hunter2", Headers: map[string]string{"A": "hunter2"}, Model: "m"}, Label: "X", KeyFrom: "env X"}
	for _, s := range []string{fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprint(&c), fmt.Sprint([]Candidate{c})} {
		if strings.Contains(s, "hunter2") {
			t.Errorf("printed %q", s)
		}
	}
}

func TestOllamaURL(t *testing.T) {
	for host, want := range map[string]string{
		"":                              "",
		" 0.0.0.0 ":                     "http://127.0.0.1:11434/v1",
		":1234":                         "http://127.0.0.1:1234/v1",
		"box":                           "http://box:11434/v1",
		"box:99":                        "http://box:99/v1",
		"[::]:99":                       "http://127.0.0.1:99/v1",
		"[::1]":                         "http://[::1]:11434/v1",
		"http://box":                    "http://box:80/v1",
		"https://box/":                  "https://box:443/v1",
		"https://box/ollama":            "https://box:443/ollama/v1",
		"https://box:1/a/v1":            "https://box:1/a/v1",
		`"http://127.0.0.1:11434"`:      "http://127.0.0.1:11434/v1",
		"http://host.internal:11434/v1": "http://host.internal:11434/v1",
	} {
		if got := ollamaURL(host); got != want {
			t.Errorf("ollamaURL(%q) = %q, want %q", host, got, want)
		}
	}
}

func FuzzURLs(f *testing.F) {
	for _, s := range []string{"https://u:p@h/v1", "[::", "http://h/chat/completions/", "box:1/%zz", "//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := cleanURL(s, "x")
		if err == nil {
			if again, err := cleanURL(u, "x"); err != nil || again != u {
				t.Errorf("%q became %q, then %q: %v", s, u, again, err)
			}
		}
		ollamaURL(s)
		hostOf(s)
	})
}
