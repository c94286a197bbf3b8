package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnknownKeys(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, col    int
		key, nearest string
	}{
		{"displai: {}\n", 1, 1, "displai", "display"},
		{"display:\n  tehme: dark\n", 2, 3, "display.tehme", "display.theme"},
		{"display:\n  theme_: dark\n", 2, 3, "display.theme_", "display.theme"},
		{"terminal: {time_out: 3}\n", 1, 12, "terminal.time_out", "terminal.timeout"},
		{"max_turns: 3\n", 1, 1, "max_turns", "agent.max_turns"},
		{"agent: {theme: dark}\n", 1, 9, "agent.theme", "display.theme"},
		{"discord: {reaction: true}\n", 1, 11, "discord.reaction", "discord.reactions"},
		{"providers: {x: {base_ulr: y}}\n", 1, 17, "providers.x.base_ulr", "providers.x.base_url"},
		{"key: {}\n", 1, 1, "key", "keys"},
		{"fallback_provider: []\n", 1, 1, "fallback_provider", "fallback_providers"},
		{"key_env: X\n", 1, 1, "key_env", "model.key_env"},
		{"agent: {model: m}\n", 1, 9, "agent.model", "model"},
		{"delegation: {fallback_providers: []}\n", 1, 14, "delegation.fallback_providers", "fallback_providers"},
		{"protocol: chat\n", 1, 1, "protocol", "model.protocol"},
		{"fallback_providers.1.model: x\n", 1, 1, "fallback_providers.1.model", ""},
		{"display.theme: dark\n", 1, 1, "display.theme", "display.theme"},
		{"model: {modell: y}\n", 1, 9, "model.modell", ""},
		{"something_else: 1\n", 1, 1, "something_else", ""},
		{"\"a\\e[2Jb\": 1\n", 1, 1, `"a\x1b[2Jb"`, ""},
		{"'': 1\n", 1, 1, `""`, ""},
		{"? [a]\n: b\n", 1, 3, "", ""},
		{"? *a\n: b\n", 0, 0, "", ""}, // not YAML
		{strings.Repeat("k", 500) + ": 1\n", 1, 1, `"` + strings.Repeat("k", 100) + `"…`, ""},
	} {
		name := file(t, c.text)
		_, warnings, err := Load(Options{File: name})
		if c.line == 0 {
			asError(t, err)
			continue
		}
		if err != nil || len(warnings) != 1 {
			t.Errorf("%.40q: %v, %v", c.text, warnings, err)
			continue
		}
		w := warnings[0]
		if w.File != name || w.Line != c.line || w.Column != c.col || w.Key != c.key || w.Nearest != c.nearest {
			t.Errorf("%.40q: %+v", c.text, w)
		}
		text := w.String()
		switch {
		case c.key == "":
			if !strings.Contains(text, "this key is not a text") {
				t.Errorf("%.40q: %s", c.text, text)
			}
			continue
		case c.key == c.nearest:
			if !strings.Contains(text, "display: and the rest below it") {
				t.Errorf("%.40q: %s", c.text, text)
			}
			continue
		}
		if !strings.Contains(text, "is not a setting this program knows") || strings.Contains(text, "do you mean") != (c.nearest != "") || strings.Contains(text, "\x1b") {
			t.Errorf("%.40q: %s", c.text, text)
		}
	}
}

// Keys inside the entries of a list and in sections of sections are named whole.
func TestUnknownKeysInside(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, col    int
		key, nearest string
	}{
		{"fallback_providers:\n  - {provider: p, model: m}\n  - model: m\n    baseurl: b\n    provider: p\n", 4, 5, "fallback_providers.2.baseurl", "fallback_providers.2.base_url"},
		{"fallback_model: {provider: p, model: m, keyenv: K}\n", 1, 41, "fallback_model.keyenv", "fallback_model.key_env"},
		{"fallback_model: [{provider: p, model: m, keyenv: K}]\n", 1, 42, "fallback_model.1.keyenv", "fallback_model.1.key_env"},
		{"tool_loop_guardrails: {warn_after: {same_tool_failures: 3}}\n", 1, 37, "tool_loop_guardrails.warn_after.same_tool_failures", "tool_loop_guardrails.warn_after.same_tool_failure"},
		{"tool_loop_guardrails: {warn_atfer: {}}\n", 1, 24, "tool_loop_guardrails.warn_atfer", "tool_loop_guardrails.warn_after"},
		{"compression: {hygiene_hard_message_limit: 3, tresholds: 0.3}\n", 1, 46, "compression.tresholds", "compression.threshold"},
	} {
		_, warnings, err := Load(Options{File: file(t, c.text)})
		if err != nil || len(warnings) != 1 {
			t.Errorf("%q: %v, %v", c.text, warnings, err)
			continue
		}
		w := warnings[0]
		if w.Line != c.line || w.Column != c.col || w.Key != c.key || w.Nearest != c.nearest || !strings.HasSuffix(w.String(), "do you mean "+c.nearest+"?") {
			t.Errorf("%q: %+v", c.text, w)
		}
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "setting_number_%d: 1\n", i)
	}
	_, warnings, err := Load(Options{File: file(t, b.String())})
	if err != nil || len(warnings) != maxWarnings {
		t.Errorf("%d warnings, %v", len(warnings), err)
	}
}

// Every key of others is silent, whatever is in it.
func TestKnownKeysAreSilent(t *testing.T) {
	var paths [][]string
	for line := range strings.Lines(knownText) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, " ") {
			paths = append(paths, strings.Split(strings.ReplaceAll(line, "*", "anything"), "."))
		}
	}
	if len(paths) < 350 {
		t.Fatalf("only %d keys", len(paths))
	}
	for _, path := range paths {
		text := ""
		for _, name := range path {
			text += "{" + name + ": "
		}
		text += "{any: thing}" + strings.Repeat("}", len(path)) + "\n"
		load1(t, text)
	}
}

// A key of others on which someone could rely says why it has no effect.
func TestKeysWithoutEffect(t *testing.T) {
	_, warnings, err := Load(Options{File: file(t, "mcp_servers:\n  a:\n    command: x\n    skip_preflight: true\n    sampling: {max_tool_rounds: 3, log_level: debug}\n")})
	if err != nil || len(warnings) != 3 {
		t.Fatalf("%q, %v", warnings, err)
	}
	for i, want := range []string{"mcp_servers.a.skip_preflight", "mcp_servers.a.sampling.max_tool_rounds", "mcp_servers.a.sampling.log_level"} {
		if w := warnings[i]; w.Key != want || !strings.HasPrefix(w.Problem, "has no effect here: ") || w.Line < 4 || w.Column < 5 {
			t.Errorf("%+v, want %s", w, want)
		}
	}
}

// Three files for a certificate would be a password, which is refused before it is used.
func TestCertificateIsAPair(t *testing.T) {
	err := refused(t, Options{File: file(t, "mcp_servers:\n  a:\n    url: https://a.test\n    client_cert: [a.pem, b.pem, secret]\n")})
	if err == nil || !strings.Contains(err.Error(), "a key with a password is not read") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}

// A key is either the program's own or someone else's.
func TestKnownKeysAreNotOurs(t *testing.T) {
	others := knownKeys()
	for _, k := range Keys() {
		at, found := others, true
		for name := range strings.SplitSeq(k.Name, ".") {
			if at = at.below[name]; at == nil {
				found = false
				break
			}
		}
		if found {
			t.Errorf("%s is in known.txt", k.Name)
		}
	}
	for _, f := range schema() {
		if others.below[f.formerly] != nil || others.below[f.name] != nil && f.children == nil {
			t.Errorf("%s or %s is in known.txt", f.name, f.formerly)
		}
	}
}
