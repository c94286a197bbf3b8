package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The former key is read when the list is missing or empty, in silence.
func TestFormerFallbacks(t *testing.T) {
	m, n := Fallback{Provider: "p", Model: "m"}, Fallback{BaseURL: "http://h", Model: "n", APIKey: newSecret("sk-1", "${KEY}"), KeyEnv: "K"}
	for text, want := range map[string][]Fallback{
		"fallback_model: {provider: p, model: m}\n":   {m},
		"fallback_model: [{provider: p, model: m}]\n": {m},
		"fallback_model:\n  - {provider: p, model: m}\n  - {base_url: http://h, model: n, api_key: \"${KEY}\", key_env: K}\n": {m, n},
		"fallback_providers: []\nfallback_model: {provider: p, model: m}\n":                                                   {m},
		"fallback_model: {provider: p, model: m}\nfallback_providers: []\n":                                                   {m},
		"fallback_model: {provider: p, model: m}\nfallback_providers: ~\n":                                                    {m},
		"fallback_model: &f {provider: p, model: m}\nfallback_providers:\n  - *f\n":                                           {m},
		"fallback_model: {provider: x, model: y}\nfallback_providers: [{provider: p, model: m}]\n":                            {m},
		"fallback_providers: [{provider: p, model: m}]\nfallback_model: [{provider: x}, broken]\n":                            {m},
		"<<: {fallback_model: {provider: p, model: m}}\n":                                                                     {m},
		"x: &x [{provider: p, model: m}]\nfallback_providers: *x\nfallback_model: *x\n":                                       {m},
		"fallback_model: {}\n": nil,
		"fallback_model: []\n": nil,
		"fallback_model: {provider: '', model: , api_key: ''}\n": nil,
		"fallback_providers: []\n":                               nil,
	} {
		text = strings.Replace(text, "x: &x", "whatsapp: &x", 1) // a key of others is silent
		if got := load1(t, text, "KEY", "sk-1").Fallbacks; !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v\nwant %+v", text, got, want)
		}
	}
}

// The lists say where each value comes from, also under the former key.
func TestFallbacksInLists(t *testing.T) {
	for text, lines := range map[string][2]int{
		"fallback_providers:\n  - provider: p\n    model: m\n":              {2, 3},
		"fallback_model:\n  - provider: p\n    model: m\n":                  {2, 3},
		"fallback_model:\n\n  provider: p\n  model: m\n":                    {3, 4},
		"fallback_providers: []\nfallback_model: {provider: p, model: m}\n": {2, 2},
	} {
		name := file(t, text)
		c, warnings, err := Load(Options{File: name})
		if err != nil || warnings != nil {
			t.Fatal(warnings, err)
		}
		want := map[string]Setting{
			"fallback_providers.1.provider":   {Value: "p", Source: fmt.Sprintf("%s:%d", name, lines[0])},
			"fallback_providers.1.model":      {Value: "m", Source: fmt.Sprintf("%s:%d", name, lines[1])},
			"fallback_providers.1.base_url":   {Source: "default"},
			"fallback_providers.1.api_key":    {Source: "default"},
			"fallback_providers.1.key_env":    {Source: "default"},
			"fallback_providers.1.extra_body": {Source: "default"},
		}
		for _, s := range c.Settings() {
			if !strings.HasPrefix(s.Name, "fallback") {
				continue
			}
			if w, ok := want[s.Name]; !ok || s.Value != w.Value || s.Source != w.Source || c.IsSet(s.Name) != (s.Source != "default") || s.Secret != (s.Name == "fallback_providers.1.api_key") {
				t.Errorf("%s\n%+v", text, s)
			}
			delete(want, s.Name)
		}
		if len(want) > 0 {
			t.Errorf("%s\nnot listed: %v", text, want)
		}
		for key := range c.sources {
			if strings.HasPrefix(key, "fallback_model") {
				t.Errorf("%s\nsource of %s", text, key)
			}
		}
	}
	for _, s := range load1(t, "").Settings() {
		if strings.HasPrefix(s.Name, "fallback") {
			t.Errorf("listed without one: %+v", s)
		}
	}
}

func TestEntryErrors(t *testing.T) {
	for _, c := range []badFile{
		{"fallback_providers: a\n", 1, 21, KindType, "fallback_providers must be a list of sections, each with - before it, not a single text"},
		{"fallback_providers:\n  provider: p\n", 2, 3, KindMissing, "fallback_providers.1 needs a value for model"},
		{"fallback_providers:\n  - p/m\n", 2, 5, KindType, "fallback_providers.1 must be a section with settings in it, not a single text"},
		{"fallback_providers:\n  - {provider: p, model: m}\n  - [a]\n", 3, 5, KindType, "fallback_providers.2 must be a section with settings in it, not a list"},
		{"fallback_providers:\n  - {provider: p, model: m}\n  - ~\n", 3, 5, KindType, "fallback_providers.2 is an empty entry: remove it"},
		{"fallback_providers:\n  - {}\n", 2, 5, KindMissing, "fallback_providers.1 needs a value for model: add it, or remove the entry"},
		{"fallback_providers:\n  - provider: p\n    key_env: K\n", 2, 5, KindMissing, "fallback_providers.1 needs a value for model"},
		{"fallback_providers:\n  - provider: p\n    model: ''\n", 2, 5, KindMissing, "fallback_providers.1 needs a value for model"},
		{"fallback_providers: [{provider: p, model: m}, {model: m}]\n", 1, 47, KindMissing, "fallback_providers.2 needs a value for provider or base_url: add it, or remove the entry"},
		{"whatsapp: &a {model: m}\nfallback_providers: [*a]\n", 2, 22, KindMissing, "fallback_providers.1 needs a value for provider or base_url"},
		{"fallback_providers:\n  - {provider: p, model: m}\n  - provider: p\n    base_url: host\n", 4, 15, KindValue, `fallback_providers.2.base_url must be an address like https://host/path, not "host"`},
		{"fallback_providers:\n  - {model: m, provider: a b}\n", 2, 26, KindValue, `fallback_providers.1.provider must not contain spaces: "a b"`},
		{"fallback_providers:\n  - {model: m, key_env: A-B}\n", 2, 25, KindValue, "fallback_providers.1.key_env must be the name of an environment variable"},
		{"fallback_providers:\n  - {model: [m]}\n", 2, 13, KindType, "fallback_providers.1.model must be a text, not a list"},
		{"fallback_providers:\n  - {model: true}\n", 2, 13, KindType, "fallback_providers.1.model must be a text, not true"},
		{"fallback_providers:\n  - {model: m, model: m}\n", 2, 16, KindDuplicate, `"model" appears a second time`},
		{"fallback_model: a\n", 1, 17, KindType, "fallback_model must be a list of sections, each with - before it, not a single text"},
		{"fallback_model: {provider: p}\n", 1, 17, KindMissing, "fallback_model needs a value for model"},
		{"fallback_model: {model: m}\n", 1, 17, KindMissing, "fallback_model needs a value for provider or base_url"},
		{"fallback_model: {model: m, base_url: h}\n", 1, 38, KindValue, "fallback_model.base_url must be an address"},
		{"fallback_model:\n  - {model: m, base_url: h}\n", 2, 26, KindValue, "fallback_model.1.base_url must be an address"},
		{"fallback_model: [{}]\n", 1, 18, KindMissing, "fallback_model.1 needs a value for model"},
		{"pricing: {model: m}\n", 1, 10, KindMissing, "pricing.1 needs a value for input"},
		{"pricing:\n  - {model: m, input: 3}\n", 2, 5, KindMissing, "pricing.1 needs a value for output: add it, or remove the entry"},
		{"pricing:\n  - {input: 0, output: 0}\n", 2, 5, KindMissing, "pricing.1 needs a value for model"},
		{"pricing:\n  - {model: m, input: 3, output: 15}\n  - {model: n, input: $3, output: 15}\n", 3, 23, KindValue, `pricing.2.input must be US dollars for a million tokens, like 2.50 (at most 1000000, with up to six digits behind the point), not "$3"`},
		{"pricing: [{model: m, input: 3, output: [15]}]\n", 1, 40, KindType, "pricing.1.output must be a price like 2.50, not a list"},
		{"pricing: [{model: m, input: true, output: 1}]\n", 1, 29, KindType, "pricing.1.input must be a price like 2.50, not true"},
		{"pricing: [{model: m, provider: a b, input: 1, output: 1}]\n", 1, 32, KindValue, "pricing.1.provider must not contain spaces"},
		{"credential_pool_strategies: random\n", 1, 29, KindType, "credential_pool_strategies must be a section with a text for each name, not a single text"},
		{"credential_pool_strategies: [random]\n", 1, 29, KindType, "with a text for each name, not a list"},
		{"credential_pool_strategies:\n  a: random\n  b: best\n", 3, 6, KindEnum, `credential_pool_strategies.b must be fill_first, round_robin, random or least_used, not "best"`},
		{"credential_pool_strategies:\n  a: [random]\n", 2, 6, KindType, "credential_pool_strategies.a must be fill_first, round_robin, random or least_used, not a list"},
		{"credential_pool_strategies:\n  a: on\n", 2, 6, KindEnum, `or least_used, not "on"`},
		{"credential_pool_strategies:\n  a: true\n", 2, 6, KindType, "or least_used, not true"},
		{"credential_pool_strategies: {'a b': random}\n", 1, 30, KindValue, "cannot be used"},
		{"credential_pool_strategies: {[a]: random}\n", 1, 30, KindType, "not a text"},
	} {
		c.check(t)
	}
}

func TestLimitErrors(t *testing.T) {
	for _, c := range []badFile{
		{"tool_loop_guardrails: 3\n", 1, 23, KindType, "tool_loop_guardrails must be a section"},
		{"tool_loop_guardrails: {warn_after: 3}\n", 1, 36, KindType, "tool_loop_guardrails.warn_after must be a section"},
		{"tool_loop_guardrails:\n  warn_after: {exact_failure: 0}\n", 2, 31, KindRange, `tool_loop_guardrails.warn_after.exact_failure must be between 1 and 1000, not "0"`},
		{"tool_loop_guardrails:\n  hard_stop_after: {idempotent_no_progress: 1001}\n", 2, 45, KindRange, `tool_loop_guardrails.hard_stop_after.idempotent_no_progress must be between 1 and 1000, not "1001"`},
		{"agent: {api_max_retries: 21}\n", 1, 26, KindRange, "agent.api_max_retries must be between 1 and 20"},
		{"compression: {threshold: 0.05}\n", 1, 26, KindRange, `compression.threshold must be between 0.1 and 0.95, not "0.05"`},
		{"compression: {threshold: 1}\n", 1, 26, KindRange, "between 0.1 and 0.95"},
		{"compression: {threshold: .inf}\n", 1, 26, KindType, "must be a number like 0.5"},
		{"compression: {threshold: Infinity}\n", 1, 26, KindRange, "between 0.1 and 0.95"},
		{"compression: {threshold: 1e999}\n", 1, 26, KindRange, "between 0.1 and 0.95"},
		{"compression: {threshold: .nan}\n", 1, 26, KindType, "compression.threshold must be a number like 0.5"},
		{"compression: {threshold: nan}\n", 1, 26, KindType, `must be a number like 0.5, not "nan"`},
		{"compression: {threshold: 50%}\n", 1, 26, KindType, `must be a number like 0.5, not "50%"`},
		{"compression: {threshold: true}\n", 1, 26, KindType, "must be a number like 0.5, not true"},
		{"compression: {threshold: [0.5]}\n", 1, 26, KindType, "must be a number like 0.5, not a list"},
		{"compression: {target_ratio: 0.81}\n", 1, 29, KindRange, "compression.target_ratio must be between 0.1 and 0.8,"},
		{"compression: {protect_last_n: 0.5}\n", 1, 31, KindType, "compression.protect_last_n must be a whole number"},
		{"compression: {protect_first_n: 101}\n", 1, 32, KindRange, "compression.protect_first_n must be between 0 and 100"},
		{"network: {stream_stale_timeout_s: 0}\n", 1, 35, KindRange, "network.stream_stale_timeout_s must be between 1 and 86400"},
		{"display: {file_mutation_verifier: 1}\n", 1, 35, KindType, "display.file_mutation_verifier must be true or false"},
	} {
		c.check(t)
	}
}

func TestPoolStrategies(t *testing.T) {
	name := file(t, "# c\ncredential_pool_strategies: {zai: least_used, a: ROUND_ROBIN, b: \"${HOW}\"}\n")
	c, warnings, err := Load(Options{File: name, Env: env("HOW", "random")})
	if err != nil || warnings != nil {
		t.Fatal(warnings, err)
	}
	for provider, want := range map[string]PoolStrategy{"zai": PoolLeastUsed, "a": PoolRoundRobin, "b": PoolRandom, "other": PoolFillFirst} {
		if got := c.PoolStrategies.For(provider); got != want {
			t.Errorf("%s: %s", provider, got)
		}
	}
	if got := (Config{}).PoolStrategies.For("x"); got != PoolFillFirst {
		t.Errorf("without any: %s", got)
	}
	for _, s := range c.Settings() {
		if s.Name == "credential_pool_strategies" && (s.Value != "a: round_robin, b: random, zai: least_used" || s.Source != name+":2" || s.Class != Session) {
			t.Errorf("%+v", s)
		}
	}
}

// References are expanded in a list of sections.
func TestFallbackReferences(t *testing.T) {
	name := file(t, "fallback_providers: [{provider: p, model: \"${M}\", api_key: \"${KEY}\"}]\n")
	first, _, err := Load(Options{File: name, Env: env("M", "m", "KEY", "sk-1")})
	if err != nil || first.Fallbacks[0].Model != "m" || first.Fallbacks[0].APIKey.Reveal() != "sk-1" {
		t.Fatalf("%+v, %v", first.Fallbacks, err)
	}
	second, _, err := Load(Options{File: name, Env: env("M", "m", "KEY", "sk-2")})
	if err != nil || second.Fallbacks[0].APIKey.Reveal() != "sk-2" || first.Fallbacks[0].APIKey.Reveal() != "sk-1" {
		t.Errorf("%+v, %v", second, err)
	}
	open := load1(t, "fallback_providers: [{provider: p, model: m, api_key: \"${KEY}\"}]\n")
	if missing, ok := Unresolved(open.Fallbacks[0].APIKey.Reveal()); !ok || missing != "KEY" {
		t.Errorf("unresolved %q, %v", missing, ok)
	}
}

// What stands in the wrong place of an entry is not shown.
func TestEntryErrorsHideSecrets(t *testing.T) {
	const key = "sk-secret-1234567890"
	for _, text := range []string{
		"fallback_providers: [" + key + "]\n",
		"fallback_providers: " + key + "\n",
		"fallback_providers: [{api_key: [" + key + "]}]\n",
		"fallback_providers: [{api_key: " + key + "}]\n",
		"fallback_providers: [{provider: '${KEY} x'}]\n",
		"fallback_model: {api_key: " + key + "}\n",
		"fallback_model: {base_url: 'ftp://ann:" + key + "@host'}\n",
		"credential_pool_strategies: {a: '${KEY}'}\n",
		"compression: {threshold: '${KEY}'}\n",
	} {
		e := refused(t, Options{File: file(t, text), Env: env("KEY", key)})
		if strings.Contains(e.Error(), key) {
			t.Errorf("%q gives %v", text, e)
		}
	}
}

// Entries cost time in proportion to their number.
func TestManyEntries(t *testing.T) {
	text := "fallback_model:\n" + strings.Repeat("- {model: m, provider: p}\n", maxFile/27)
	c := load1(t, text)
	if n := len(c.Fallbacks); n != maxFile/27 || len(c.Settings()) < 5*n {
		t.Errorf("%d entries", n)
	}
}

func TestPrices(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "3": true, "2.50": true, ".5": true, "5.": true, "0.003625": true, "1000000": true, "1000000.000000": true, "0000000000000000000000001": true,
		".": false, "-1": false, "+1": false, "1e3": false, "0.0036251": false, "1000000.000001": false, "1000001": false, "1,5": false, "1_000": false,
		"$3": false, "3$": false, "1.2.3": false, " 1": false, "0x10": false, ".inf": false, "99999999999999999999": false, "\u0663": false,
	} {
		if validPrice(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}
