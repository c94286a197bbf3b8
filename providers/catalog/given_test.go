package catalog

import (
	"fmt"
	"slices"
	"testing"

	"hermes-tui/providers"
)

// The addresses of the table: of the service, and those that each source names.
const (
	atHome  = "https://api.groq.com/openai/v1"
	atEnv   = "https://env.example/v1"
	atFlag  = "https://flag.example/v1"
	atFile  = "https://file.example/v1"
	atEntry = "https://entry.example/v1"
	atStore = "https://store.example/v1"
)

// TestKeysGoWhereTheyWereGiven goes through every combination of what the command
// line, the environment, the file and auth.json may say, and holds that no endpoint
// gets a key or a header that was given for another one.
func TestKeysGoWhereTheyWereGiven(t *testing.T) {
	secret := func(key string) (string, map[string]string) { return key, map[string]string{"X-Key": key} }
	with := func(provider, base, key string) Layer {
		l := Layer{Endpoint: providers.Endpoint{Provider: provider, BaseURL: base}}
		if key != "" {
			l.Key, l.Headers = secret(key)
		}
		return l
	}
	flags := []Layer{{}, with("groq", "", ""), with("GROQ", atFlag, ""), with("custom", atFlag, ""), with("", atFlag, ""), with("custom", atHome, ""), with("mistral", "", ""), {Endpoint: providers.Endpoint{Model: "m"}}}
	envs := []Layer{{}, with("groq", "", ""), with("mistral", "", "")}
	files := []Layer{
		{}, with("auto", atFile, "file"), with("custom", atFile, "file"), with("groq", "", "file"), with("groq", atFile, "file"), with("groq", atFile, ""),
		with("auto", atHome, ""), with("auto", "", "file"), with("mistral", "", "file"),
	}
	entries := []providers.Endpoint{{}, with("", atEntry, "entry").Endpoint, with("", "", "entry").Endpoint, with("", atEntry, "").Endpoint}
	stores := [][]StoredKey{nil, {{Key: "stored"}}, {{Key: "stored", BaseURL: atStore}}}
	variables := [][]string{nil, {"GROQ_API_KEY=env"}, {"GROQ_API_KEY=env", "GROQ_BASE_URL=" + atEnv}}
	n := 0
	for f, flag := range flags {
		for e, environ := range envs {
			for i, file := range files {
				for p, entry := range entries {
					for s, store := range stores {
						for v, vars := range variables {
							file.Yields = true
							c := Config{Layers: []Layer{flag, environ, file}, Providers: map[string]providers.Endpoint{"groq": entry}, Stored: func(id string) []StoredKey {
								if id == "groq" {
									return store
								}
								return nil
							}}
							list, _ := Choose(c, env(append([]string{"MISTRAL_API_KEY=mistral"}, vars...)...))
							at := fmt.Sprintf("flag %d, variable %d, file %d, entry %d, store %d, environment %d", f, e, i, p, s, v)
							for _, one := range list {
								n++
								for _, key := range []string{one.Key, one.Headers["X-Key"]} {
									if to := givenFor(key, flag, file, entry, store, len(vars) > 1); key != "" && !slices.ContainsFunc(to, func(a string) bool { return SameOrigin(a, one.BaseURL) }) {
										t.Fatalf("%s: %q goes to %s", at, key, one.BaseURL)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if n < 5000 {
		t.Errorf("only %d endpoints were looked at", n)
	}
}

// givenFor are the addresses that a key of the table may go to.
func givenFor(key string, flag, file Layer, entry providers.Endpoint, store []StoredKey, moved bool) []string {
	home := []string{atHome} // where the provider is, as long as no one says otherwise
	if moved {
		home = []string{atEnv}
	}
	if entry.BaseURL != "" {
		home = []string{entry.BaseURL}
	}
	// Where the user names the provider together with an address.
	named := slices.Clone(home)
	for _, l := range []Layer{flag, file} {
		if l.BaseURL != "" && (l.Provider == "groq" || l.Provider == "GROQ" || l.BaseURL == atHome) {
			named = append(named, l.BaseURL)
		}
	}
	switch key {
	case "mistral":
		return []string{"https://api.mistral.ai/v1"}
	case "file":
		switch {
		case file.BaseURL != "":
			return []string{file.BaseURL}
		case file.Provider == "mistral":
			return []string{"https://api.mistral.ai/v1"}
		case file.Provider == "groq":
			return home
		}
	case "entry":
		if entry.BaseURL != "" {
			return []string{entry.BaseURL}
		}
		return named
	case "stored":
		if store[0].BaseURL != "" {
			return []string{store[0].BaseURL}
		}
		if entry.BaseURL != "" {
			return home
		}
		return named
	case "env":
		if moved {
			return []string{atEnv}
		}
		return named
	}
	return nil
}

// TestEndpointsGetTheirKeys says for single cases what answers and with which key.
func TestEndpointsGetTheirKeys(t *testing.T) {
	anthropic := []string{"ANTHROPIC_API_KEY=a", "OPENROUTER_API_KEY=r"}
	custom := Layer{Endpoint: providers.Endpoint{Provider: "custom", BaseURL: atFile, Key: "file", Model: "own"}, Yields: true}
	for _, c := range []struct {
		name          string
		flag, file    Layer
		providers     map[string]providers.Endpoint
		env           []string
		want, address string
		key, model    string
	}{
		{"a provider of the command line", Layer{Endpoint: providers.Endpoint{Provider: "anthropic"}}, custom, nil, anthropic, "anthropic", "https://api.anthropic.com", "a", "claude-sonnet-5-5"},
		{"with a model", Layer{Endpoint: providers.Endpoint{Provider: "anthropic", Model: "m"}}, custom, nil, anthropic, "anthropic", "https://api.anthropic.com", "a", "m"},
		{"a model alone", Layer{Endpoint: providers.Endpoint{Model: "m"}}, custom, nil, anthropic, "custom", atFile, "file", "m"},
		{"an address alone", Layer{Endpoint: providers.Endpoint{Provider: "custom", BaseURL: atFlag}}, custom, nil, anthropic, "custom", atFlag, "", ""},
		{"the same address", Layer{Endpoint: providers.Endpoint{Provider: "custom", BaseURL: atFile}}, custom, nil, anthropic, "custom", atFile, "file", "own"},
		{"the same provider", Layer{Endpoint: providers.Endpoint{Provider: "Claude"}}, Layer{Endpoint: providers.Endpoint{Provider: "anthropic", BaseURL: atFile, Key: "file", Model: "own"}}, nil, anthropic, "anthropic", atFile, "file", "own"},
		{"an entry before the file", Layer{}, Layer{Endpoint: providers.Endpoint{Provider: "work", BaseURL: atFile, Key: "file"}, Yields: true}, map[string]providers.Endpoint{"work": {BaseURL: atEntry, Key: "entry"}}, nil, "work", atEntry, "entry", ""},
		{"the command line before an entry", Layer{Endpoint: providers.Endpoint{Provider: "work", BaseURL: atFlag}}, Layer{}, map[string]providers.Endpoint{"work": {BaseURL: atEntry, Key: "entry", Model: "w"}}, nil, "work", atFlag, "", "w"},
		{"the address of a service", Layer{}, Layer{Endpoint: providers.Endpoint{Provider: "auto", BaseURL: "https://openrouter.ai/api/v1", Model: "anthropic/claude-opus-4.6"}, Yields: true}, nil, anthropic, "openrouter", "https://openrouter.ai/api/v1", "r", "anthropic/claude-opus-4.6"},
		{"the address of an entry", Layer{Endpoint: providers.Endpoint{Provider: "custom", BaseURL: atEntry + "/"}}, Layer{}, map[string]providers.Endpoint{"work": {BaseURL: atEntry, KeyEnv: "WORK"}}, []string{"WORK=w"}, "work", atEntry, "w", ""},
		{"another scheme", Layer{Endpoint: providers.Endpoint{Provider: "custom", BaseURL: "http://openrouter.ai/api/v1"}}, Layer{}, nil, anthropic, "custom", "http://openrouter.ai/api/v1", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := choose(t, Config{Layers: []Layer{c.flag, {}, c.file}, Providers: c.providers}, env(c.env...))[0]
			if got.Provider != c.want || got.BaseURL != c.address || got.Key != c.key || got.Model != c.model {
				t.Errorf("got %v with the key %q and the model %q", got, got.Key, got.Model)
			}
		})
	}
	_, err := Choose(said(providers.Endpoint{Provider: "anthropic", BaseURL: atFile}), env("ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL="+atEnv))
	const want = "Anthropic at file.example needs an API key: the one in ANTHROPIC_TOKEN or CLAUDE_CODE_OAUTH_TOKEN or ANTHROPIC_API_KEY is for env.example; name another with api_key or key_env in config.yaml"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://a/v1", "https://A:443/other", true},
		{"https://a", "http://a", false},
		{"https://a", "https://a:8443", false},
		{"https://a", "https://a.evil.example", false},
		{"https://a@b", "https://a", false},
		{"", "", false},
		{"a", "a", false},
	} {
		if SameOrigin(c.a, c.b) != c.same {
			t.Errorf("SameOrigin(%q, %q) is not %v", c.a, c.b, c.same)
		}
	}
}

func TestSendable(t *testing.T) {
	for _, c := range []struct {
		key    string
		header string
		want   string
	}{
		{"sk-abc_123.~", "Bearer a b", ""},
		{"", "", ""},
		{"sk-a\u200bbc", "", "the key of X (X_KEY) has the character U+200B, which cannot be sent, in place 5: enter it again"},
		{"sk-a\nbc", "", "the key of X (X_KEY) has a line break, which cannot be sent, in place 5: enter it again"},
		{"sk-a bc", "", "the key of X (X_KEY) has a blank, which cannot be sent, in place 5: enter it again"},
		{"sk", "caf\u00e9", "the header H (config.yaml) has the character U+00E9, which cannot be sent, in place 4: enter it again"},
	} {
		err := Candidate{Endpoint: providers.Endpoint{Key: c.key, Headers: map[string]string{"H": c.header}}, Label: "X", KeyFrom: "env X_KEY"}.Sendable()
		if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%q, %q: %v", c.key, c.header, err)
		}
	}
}
