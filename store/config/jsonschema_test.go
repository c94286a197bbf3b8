package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"hermes-tui/internal/docstest"
)

// resolved is the schema as a validator takes it.
func resolved(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	raw, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fits validates a text of settings as an editor would.
func fits(t *testing.T, r *jsonschema.Resolved, text string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return r.Validate(v)
}

// TestSchemaOfExamples has every piece of settings in the documents read by the program,
// and accepted by the schema. What is other YAML says so behind its fence ("yaml skin").
func TestSchemaOfExamples(t *testing.T) {
	r, n := resolved(t), 0
	for _, b := range docstest.Blocks(t) {
		if b.Info != "yaml" {
			continue
		}
		n++
		if err := fits(t, r, b.Text); err != nil {
			t.Errorf("%s:%d: %v", b.File, b.Line, err)
		}
		if _, warnings, err := Load(Options{File: file(t, b.Text)}); err != nil || len(warnings) > 0 {
			t.Errorf("%s:%d: %v %v", b.File, b.Line, err, warnings)
		}
	}
	if n < 20 {
		t.Errorf("only %d pieces of settings found in the documents", n)
	}
}

// TestSchemaAgrees holds the schema and what is read to one opinion.
func TestSchemaAgrees(t *testing.T) {
	r := resolved(t)
	for _, c := range []struct {
		text string
		good bool
	}{
		{"model: name\n", true},
		{"model:\n", true},
		{"model: [name]\n", false},
		{"model: {context_length: 4096}\n", true},
		{"model: {context_length: many}\n", false},
		{"model: {provider: \"${P}\", base_url: \"${U}\"}\n", true},
		{"model: {extra_body: {top_k: 20}}\n", true},
		{"model: {base_url: llm.example}\n", false},
		{"model: {api_mode: chat_completions}\n", true},
		{"display: {theme: dark, mouse: off}\n", true},
		{"display: {busy_input_mode: shout}\n", false},
		{"display: {mouse: 3}\n", false},
		{"display: [a]\n", false},
		{"agent: {max_turns: 0}\n", false},
		{"agent: {reasoning_effort: false}\n", true},
		{"agent: {reasoning_effort: true}\n", false},
		{"toolsets: [web, files]\n", true},
		{"providers: {work: {base_url: http://h/v1, headers: {X-Team: blue}}}\n", true},
		{"providers: {work: http://h/v1}\n", false},
		{"fallback_providers: [{model: m, provider: p}]\n", true},
		{"fallback_providers: [{provider: p}]\n", false},
		{"fallback_model: {model: m, base_url: http://h/v1}\n", true},
		{"credential_pool_strategies: {groq: random}\n", true},
		{"credential_pool_strategies: {groq: any}\n", false},
		{"keys: {send: [enter], quit: [], copy: y}\n", true},
		{"keys: {send: {a: b}}\n", false},
		{"compression: {threshold: 0.99}\n", false},
		{"pricing: [{model: m, input: 1, output: 2.5}]\n", true},
		{"pricing: [{model: m, input: 1}]\n", false},
		{"hooks: {pre_tool_call: [{command: ./a.sh, matcher: terminal}]}\n", true},
	} {
		_, warnings, err := Load(Options{File: file(t, c.text)})
		if read, valid := err == nil && len(warnings) == 0, fits(t, r, c.text); read != c.good || (valid == nil) != c.good {
			t.Errorf("%sis read: %v; the schema says: %v", c.text, err, valid)
		}
	}
	// What is only warned of is refused, and keys of other programs are let pass.
	if fits(t, r, "display: {teme: dark}\n") == nil {
		t.Error("a key that no one knows is accepted")
	}
	if err := fits(t, r, "agent: {gateway_timeout: 3}\nattachments: {a: 1}\n"); err != nil {
		t.Error(err)
	}
}

// TestCreate makes a file once, for its owner alone.
func TestCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "config.yaml")
	if err := Create(name); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, warnings, err := Load(Options{File: name}); err != nil || warnings != nil {
		t.Errorf("%v, %v", warnings, err)
	}
	if err := os.WriteFile(name, []byte("model: mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Create(name); err != nil || readText(t, name) != "model: mine\n" {
		t.Errorf("a file that is there becomes %q, %v", readText(t, name), err)
	}
	if err := Create(filepath.Join(name, "below")); err == nil {
		t.Error("a file below a file is made")
	}
}
