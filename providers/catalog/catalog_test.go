package catalog

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hermes-tui/providers/models"
)

func TestProviderTable(t *testing.T) {
	names, vars, urls := map[string]string{}, map[string]string{}, map[string]string{}
	unique := func(seen map[string]string, key, id string) {
		t.Helper()
		if other, ok := seen[key]; ok {
			t.Errorf("%q belongs to %s and to %s", key, other, id)
		}
		seen[key] = id
	}
	for _, p := range append(Providers(), Locals()...) {
		for _, n := range append([]string{p.ID}, p.Aliases...) {
			unique(names, n, p.ID)
			if n != strings.ToLower(strings.TrimSpace(n)) || n == "" || n == Auto || n == Custom || n == DemoID {
				t.Errorf("%s: bad name %q", p.ID, n)
			}
		}
		unique(urls, p.BaseURL, p.ID)
		if clean, err := cleanURL(p.BaseURL, p.ID); err != nil || clean != p.BaseURL {
			t.Errorf("%s: base URL %q is not in its own form %q: %v", p.ID, p.BaseURL, clean, err)
		}
		for _, v := range append(slices.Clone(p.KeyEnv), p.BaseEnv) {
			if v == "" {
				continue
			}
			unique(vars, v, p.ID)
			if v != strings.ToUpper(v) || strings.ContainsAny(v, " -=") {
				t.Errorf("%s: bad variable %q", p.ID, v)
			}
		}
		if p.Name == "" || p.Protocol == "" || len(p.Models) == 0 {
			t.Errorf("%s is incomplete", p.ID)
		}
	}
	for _, p := range Providers() {
		if !strings.HasPrefix(p.BaseURL, "https://") || len(p.KeyEnv) == 0 && p.Auth == ByKey {
			t.Errorf("%s: a service on the network needs https and a key", p.ID)
		}
		if mode := Mode("", p.ID, p.BaseURL, ""); mode != p.Protocol {
			t.Errorf("%s is said to speak %s, and is spoken to with %s", p.ID, p.Protocol, mode)
		}
		if u, err := url.Parse(p.KeyPage); err != nil || u.Scheme != "https" || u.Host == "" {
			t.Errorf("%s: bad key page %q", p.ID, p.KeyPage)
		}
		if strings.Contains(p.Models[0], "*") {
			t.Errorf("%s: the first preference %q is no model id", p.ID, p.Models[0])
		}
	}
	for _, p := range Locals() {
		if !isLoopback(p.BaseURL) || len(p.KeyEnv) > 0 {
			t.Errorf("%s: a local server is on this machine and needs no key", p.ID)
		}
	}
}

// TestPreferredModelsAreKnown holds that the facts of each default model are known.
func TestPreferredModelsAreKnown(t *testing.T) {
	for _, p := range Providers() {
		for _, m := range p.Models {
			if strings.Contains(m, "*") || strings.HasPrefix(m, "openrouter/") {
				continue
			}
			if _, known := models.DescribeAt(p.ID, m); !known || models.Of(m).Maker == "" {
				t.Errorf("nothing is known about %s of %s", m, p.ID)
			}
		}
	}
}

func TestTablesAreCopies(t *testing.T) {
	p := Providers()
	p[0].ID, p[0].Models[0], p[0].KeyEnv[0], p[0].Headers["X-Title"] = "x", "x", "x", "x"
	if q := Providers()[0]; q.ID == "x" || q.Models[0] == "x" || q.KeyEnv[0] == "x" || q.Headers["X-Title"] == "x" {
		t.Error("the catalogue was changed from outside")
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{" OpenRouter ": "openrouter", "Google": "gemini", "kimi": "moonshot", "lm-studio": "lmstudio"} {
		if p, ok := Find(name); !ok || p.ID != want {
			t.Errorf("%q is %q, %v", name, p.ID, ok)
		}
	}
	for _, name := range []string{"", "anthropics", "nothing"} {
		if p, ok := Find(name); ok {
			t.Errorf("%q is %q", name, p.ID)
		}
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"opnrouter": "openrouter", "Open-Router": "openrouter", "deepseak": "deepseek", "costum": "custom", "myprox": "myproxy",
		"": "", "somethingelse": "", strings.Repeat("openai", 20): "",
	} {
		if got := Nearest(name, "myproxy"); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	have := []string{"models/Gemini-2.5-pro", "gpt-5-nano", "gpt-5.6-cyber", "gpt-5.1", "gpt-5.6", "a/b-c", "text-embed"}
	for _, c := range []struct {
		want        string
		preferences []string
	}{
		{"gpt-5.1", []string{"gpt-6", "GPT-5.1", "gpt-5.*"}},
		{"gpt-5.6", []string{"gpt-5.*"}},
		{"models/Gemini-2.5-pro", []string{"gemini-*-pro"}},
		{"a/b-c", []string{"*/b*"}},
		{"a/b-c", []string{"a/*c"}},
		{"", []string{"gpt-5", "b-c", "a/b-c-*", "x*"}},
		{"", nil},
	} {
		if got := Match(c.preferences, have); got != c.want {
			t.Errorf("Match(%v) = %q, want %q", c.preferences, got, c.want)
		}
	}
	if got := Match([]string{"*"}, nil); got != "" {
		t.Errorf("nothing available gave %q", got)
	}
	if glob("ab*ba", "aba") {
		t.Error("the ends of a pattern may not overlap")
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b*c", "axbxc")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if !strings.Contains(pattern, "*") && glob(pattern, s) != (pattern == s) {
			t.Errorf("glob(%q, %q)", pattern, s)
		}
		if !glob("*", s) || !glob(pattern, strings.ReplaceAll(pattern, "*", s)) {
			t.Errorf("%q does not fit %q", s, pattern)
		}
	})
}

// The variables that say where services are stand in the documentation.
func TestAddressVariablesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{ollamaHost}
	for _, p := range everything() {
		if p.BaseEnv != "" {
			names = append(names, p.BaseEnv)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s is not in docs/config.md", name)
		}
	}
}
