package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSecretsAreMasked(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	c := load1(t, `
model: {api_key: `+key+`, base_url: "https://ann:`+key+`@host/v1", default_headers: {X-Key: `+key+`}}
providers: {p: {api_key: "${KEY}", headers: {Authorization: "Bearer ${KEY}", Odd: "`+key+` ${KEY}"}}}
fallback_providers:
  - {provider: a, model: m, api_key: `+key+`}
  - {base_url: "https://${KEY}@host/v1", model: m, api_key: "${KEY}", key_env: K}
  - {provider: b, model: m, api_key: "x${KEY}"}
`, "KEY", key)
	hidden := struct{ c Config }{c}
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c), fmt.Sprintf("%q", c.Model.APIKey), fmt.Sprintf("%x", c.Model.APIKey), fmt.Sprintf("%+v", hidden)} {
		s = strings.ReplaceAll(s, c.Model.BaseURL, "") // plain texts, see Settings
		s = strings.ReplaceAll(s, c.Fallbacks[1].BaseURL, "")
		if strings.Contains(s, key) || strings.Contains(s, fmt.Sprintf("%x", key)) {
			t.Errorf("printed: %s", s)
		}
	}
	shown := map[string]string{}
	for _, s := range c.Settings() {
		if strings.Contains(s.Value, key) {
			t.Errorf("%s shows %s", s.Name, s.Value)
		}
		shown[s.Name] = s.Value
	}
	for name, want := range map[string]string{
		"model.api_key":         "***",
		"model.base_url":        "https://ann:xxxxx@host/v1",
		"model.default_headers": "X-Key: ***",
		"providers.p.api_key":   "${KEY}",
		"providers.p.headers":   "Authorization: Bearer ${KEY}, Odd: ***",
		"providers.p.key_env":   "",

		"fallback_providers.1.api_key":  "***",
		"fallback_providers.2.api_key":  "${KEY}",
		"fallback_providers.2.base_url": "https://xxxxx@host/v1",
		"fallback_providers.2.key_env":  "K",
		"fallback_providers.3.api_key":  "***",
	} {
		if shown[name] != want {
			t.Errorf("%s shows %q, want %q", name, shown[name], want)
		}
	}
	if b, err := c.Model.APIKey.MarshalText(); err != nil || string(b) != "***" {
		t.Errorf("encoded %q, %v", b, err)
	}
	if s := NewSecret(""); !s.IsZero() || s.String() != "" || s.Reveal() != "" || NewSecret("x").IsZero() {
		t.Error("empty secret")
	}
}

// The variables that hold keys are known, wherever the settings name them.
func TestKeyVariables(t *testing.T) {
	c := load1(t, `
model: {api_key: "${MODEL_KEY}", key_env: MODEL_ENV, default: "${PLAIN}", base_url: "http://${HOST}", default_headers: {A: "x ${HEADER_A}${HEADER_B} y"}}
providers:
  p: {api_key: "a${PROVIDER_KEY}b", key_env: PROVIDER_ENV, headers: {B: "Bearer ${PROVIDER_HEADER}"}}
  q: {api_key: literal, key_env: "${NOT_A_NAME}"}
fallback_providers:
  - {provider: p, model: m, api_key: "${FALLBACK_KEY}", key_env: FALLBACK_ENV}
  - {provider: q, model: m, key_env: MODEL_ENV, api_key: "${UNSET}"}
  - {provider: q, model: m, api_key: "${EMPTY}"}
terminal: {env_passthrough: [PASSED]}
`, "MODEL_KEY", "k", "HEADER_A", "k", "HEADER_B", "k", "PROVIDER_KEY", "k", "PROVIDER_HEADER", "k", "FALLBACK_KEY", "${NESTED}", "PLAIN", "m", "HOST", "h", "EMPTY", "")
	want := []string{
		"FALLBACK_ENV", "FALLBACK_KEY", "HEADER_A", "HEADER_B", "MODEL_ENV", "MODEL_KEY", "PROVIDER_ENV", "PROVIDER_HEADER", "PROVIDER_KEY", "UNSET",
	}
	if got := c.KeyVariables(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := load1(t, "").KeyVariables(); len(got) != 0 {
		t.Errorf("without settings: %q", got)
	}
}

// Whatever section a key_env is put into, its variable is found.
func TestKeyVariablesAreComplete(t *testing.T) {
	var check func([]*field)
	check = func(fields []*field) {
		for _, f := range fields {
			if f.children != nil {
				check(f.children)
			} else if f.check == "envname" && f.shape == shapeText && f.name != "key_env" {
				t.Errorf("%s names a variable that KeyVariables does not know", f.Name)
			}
		}
	}
	check(schema())
	v := reflect.ValueOf(newSecret("k", "${A} ${B}"))
	if got := v.FieldByName("vars").String(); got != "A B" {
		t.Errorf("a secret of %q", got)
	}
}
