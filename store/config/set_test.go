package config

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/store/atomicfile"
)

func set(t *testing.T, text, key string, value any) (string, error) {
	t.Helper()
	name := file(t, text)
	err := Set(t.Context(), Options{File: name}, key, value)
	return readText(t, name), err
}

// Where the place allows it, nothing but the value changes.
func TestSetTouchesOnlyTheValue(t *testing.T) {
	for _, c := range []struct {
		text, key string
		value     any
		want      string
	}{
		{"", "model.default", "m", "model:\n  default: m\n"},
		{"# head\n", "model.default", "m", "# head\nmodel:\n  default: m\n"},
		{"model: old # the best\n", "model.default", "new", "model: new # the best\n"},
		{"model: 'old'\n", "model.default", "it's: new", "model: 'it''s: new'\n"},
		{
			"# mine\n\nmodel:\n    # which\n    default:   old   # c\n\n    provider: p\n\n# end\n", "model.default", "new",
			"# mine\n\nmodel:\n    # which\n    default:   new   # c\n\n    provider: p\n\n# end\n",
		},
		{
			"model:\n    default: old # c\n\n# about agents\nagent: {max_turns: 3}\n", "model.provider", "p",
			"model:\n    default: old # c\n    provider: p\n\n# about agents\nagent: {max_turns: 3}\n",
		},
		{"display:\n  theme: 'dark'\n", "display.theme", "light", "display:\n  theme: light\n"},
		{"display:\n  theme: \"da\\x72k\" # x\n", "display.theme", "light", "display:\n  theme: light # x\n"},
		{"display: # look\nagent: {}\n", "display.theme", "dark", "display: # look\n  theme: dark\nagent: {}\n"},
		{"agent: {max_turns: 3}", "display.mouse", false, "agent: {max_turns: 3}\ndisplay:\n  mouse: false\n"},
		{"x: 1\r\ndisplay:\r\n  mouse: true\r\n", "display.theme", "dark", "x: 1\r\ndisplay:\r\n  mouse: true\r\n  theme: dark\r\n"},
		{"agent: {max_turns: 3, x: [1]}\n", "agent.max_turns", 44, "agent: {max_turns: 44, x: [1]}\n"},
		{"terminal:\n  timeout: 1\n", "terminal.timeout", Seconds(99), "terminal:\n  timeout: 99\n"},
		{"é: [ü]\nmodel: {provider: ä, default: ö} # ß\n", "model.default", "日本", "é: [ü]\nmodel: {provider: ä, default: 日本} # ß\n"},
		{"approvals:\n  mode: plan\n", "approvals.mode", ApprovalOff, "approvals:\n  mode: \"off\"\n"},
		{"model: x\n", "model.default", "123", "model: \"123\"\n"},
		{"a: 1\n", "toolsets", []string{"x", "y,z"}, "a: 1\ntoolsets: [x, 'y,z']\n"},
		{"compression: {threshold: 0.5}\n", "compression.threshold", 0.65, "compression: {threshold: 0.65}\n"},
		{
			"tool_loop_guardrails:\n  warn_after:\n    same_tool_failure: 4 # c\n", "tool_loop_guardrails.warn_after.exact_failure", 3,
			"tool_loop_guardrails:\n  warn_after:\n    same_tool_failure: 4 # c\n    exact_failure: 3\n",
		},
		{"fallback_providers:\n  - {provider: p, model: m} # c\n", "model.default", "new", "fallback_providers:\n  - {provider: p, model: m} # c\nmodel:\n  default: new\n"},
		{"a: 1\n", "file_read_max_chars", 5000, "a: 1\nfile_read_max_chars: 5000\n"},
		{"a: 1\n", "providers.my.box.base_url", "http://h", "a: 1\nproviders:\n  my.box:\n    base_url: http://h\n"},
		{"providers:\n  b:\n    default: m\n", "providers.b.base_url", "http://h", "providers:\n  b:\n    default: m\n    base_url: http://h\n"},
		{"model: same # c\n", "model.default", "same", "model: same # c\n"},
	} {
		got, err := set(t, c.text, c.key, c.value)
		if err != nil || got != c.want {
			t.Errorf("%q with %s = %v gives\n%q, %v\nwant\n%q", c.text, c.key, c.value, got, err, c.want)
		}
	}
}

// Elsewhere the file is laid out again: same settings, order and comments.
func TestSetLaysOutAnew(t *testing.T) {
	for _, c := range []struct {
		text, key string
		value     any
		want      string
	}{
		{"# c\nmodel: old # why\nagent: {}\n", "model.provider", "p", "# c\nmodel:\n  default: old # why\n  provider: p\nagent: {}\n"},
		{
			"toolsets: # which\n  - a # first\n  - b # second\n\n# end\nagent: {}\n", "toolsets", []string{"b", "c"},
			"toolsets: # which\n  - b # second\n  - c\n# end\nagent: {}\n",
		},
		{"toolsets: [a, b] # c\n", "toolsets", []string{"b"}, "toolsets: [b] # c\n"},
		{"display: {}\n# end\n", "display.theme", "dark", "display: {theme: dark}\n\n# end\n"},
		{"model:\n  default: |-\n    old\n  provider: p # c\n", "model.default", "new", "model:\n  default: new\n  provider: p # c\n"},
		{"{}\n", "display.mouse", true, "{display: {mouse: true}}\n"},
		{"display: null\n", "display.mouse", true, "display:\n  mouse: true\n"},
		{"display:\n  skin: |\n    a\n    b\n", "display.mouse", true, "display:\n  skin: |\n    a\n    b\n  mouse: true\n"},
	} {
		got, err := set(t, c.text, c.key, c.value)
		if err != nil || got != c.want {
			t.Errorf("%q with %s = %v gives\n%q, %v\nwant\n%q", c.text, c.key, c.value, got, err, c.want)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct {
		text, key string
		value     any
		kind      Kind
		says      string
	}{
		{"a: b: c\n", "model.default", "m", KindSyntax, "line 1, column 5"},
		{"a: 1\n---\nb: 2\n", "model.default", "m", KindDocuments, "line 2"},
		{"a: 1\n", "nonsense", "m", KindUnknown, "new value: nonsense is not a setting"},
		{"a: 1\n", "display", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "providers.x", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "providers..default", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "model.default_headers", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "keys", []string{"a"}, KindUnknown, "is not a setting"},
		{"a: 1\n", "keys.send", []string{"a"}, KindUnknown, "is not a setting"},
		{"a: 1\n", "display.busy_input_mode", "shout", KindEnum, `new value: display.busy_input_mode must be queue, steer or interrupt, not "shout"`},
		{"a: 1\n", "agent.max_turns", 0, KindRange, "new value: agent.max_turns must be between"},
		{"a: 1\n", "agent.max_turns", "many", KindType, "must be a whole number"},
		{"a: 1\n", "model.default", "a\nb", KindValue, "line break"},
		{"model: x\nagent: {}\nmodel: y\n", "model.default", "m", KindDuplicate, "appears a second time"},
		{"a: 1\n", "toolsets", []string{""}, KindValue, "empty entry"},
		{"a: 1\n", "agent.max_turns", 1.5, KindType, `new value: agent.max_turns must be a whole number, not "1.5"`},
		{"a: 1\n", "agent.max_turns", 1i, KindType, "cannot be written as a complex128"},
		{"a: 1\n", "compression.threshold", 0.96, KindRange, `new value: compression.threshold must be between 0.1 and 0.95, not "0.96"`},
		{"a: 1\n", "compression.threshold", math.NaN(), KindType, "must be a number like 0.5"},
		{"a: 1\n", "fallback_providers", []string{"a"}, KindUnknown, "is not a setting"},
		{"a: 1\n", "fallback_providers.model", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "fallback_providers.1.model", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "fallback_model.model", "m", KindUnknown, "is not a setting"},
		{"a: 1\n", "credential_pool_strategies", "random", KindUnknown, "is not a setting"},
		{"a: 1\n", "credential_pool_strategies.x", "random", KindUnknown, "is not a setting"},
		{"a: 1\n", "model.default", nil, KindType, "cannot be written"},
		{"a: 1\n", "model.api_key", NewSecret("x"), KindType, "cannot be written"},
		{"a: 1\n", "providers.a b.default", "m", KindValue, "cannot be used"},
		{"providers: {a: &x {default: m}, b: *x}\n", "providers.b.default", "n", KindNesting, "used in several places"},
		{"providers: {a: &x {default: m}, b: *x}\n", "providers.a.default", "n", KindNesting, "used in several places"},
		{"model: &m x\ny: *m\n", "model.default", "n", KindNesting, "used in several places"},
		{"x: &m y\nmodel: {default: *m}\n", "model.default", "n", KindNesting, "is an alias"},
	} {
		got, err := set(t, c.text, c.key, c.value)
		e := asError(t, err)
		if e.Kind != c.kind || !strings.Contains(e.Error(), c.says) {
			t.Errorf("%q with %s = %v: %s %v", c.text, c.key, c.value, e.Kind, e)
		}
		if got != c.text {
			t.Errorf("%q with %s = %v wrote %q", c.text, c.key, c.value, got)
		}
	}
}

func TestSetFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "config.yaml")
	if err := Set(t.Context(), Options{File: name}, "model.default", "m"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o600 {
		t.Errorf("new file: %v, %v", info, err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.Symlink(name, link); err != nil {
		t.Skip("SKIPPED: no links here:", err)
	}
	if err := Set(t.Context(), Options{File: link}, "model.default", "new"); err != nil {
		t.Fatal(err)
	}
	if got := readText(t, name); got != "model:\n  default: new\n" {
		t.Errorf("behind the link: %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o640 {
		t.Errorf("changed file: %v, %v", info, err)
	}
	if err := Set(t.Context(), Options{File: filepath.Join(dir, "gone", "config.yaml")}, "model.default", "m"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// References are read with the environment, so that a number may be one.
func TestSetWithReferences(t *testing.T) {
	name := file(t, "terminal: {timeout: '${SECS}'}\n")
	o := Options{File: name, Env: env("SECS", "5")}
	if err := Set(t.Context(), o, "model.api_key", "${KEY}"); err != nil {
		t.Fatal(err)
	}
	c, _, err := Load(o)
	if err != nil || c.Terminal.Timeout != 5 || c.Model.APIKey.String() != "${KEY}" {
		t.Errorf("%+v, %v", c, err)
	}
}

// Writers at the same time lose nothing of each other.
func TestSetConcurrently(t *testing.T) {
	name := file(t, "# mine\n")
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if err := Set(t.Context(), Options{File: name}, fmt.Sprintf("providers.p%02d.default", i), fmt.Sprint("m", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	c, _, err := Load(Options{File: name})
	if err != nil || len(c.Providers) != 12 || !strings.HasPrefix(readText(t, name), "# mine\n") {
		t.Errorf("%d providers, %v", len(c.Providers), err)
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil || len(entries) != 2 { // the file and its lock
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestSetWaitsForTheLock(t *testing.T) {
	name := file(t, "a: 1\n")
	lock, err := atomicfile.TryAcquire(name + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Set(ctx, Options{File: name}, "model.default", "m") }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readText(t, name); got != "a: 1\n" {
		t.Errorf("wrote %q", got)
	}
}

// Whatever the file is, a value that was written is read back, and nothing
// else has changed.
func FuzzSet(f *testing.F) {
	for _, text := range []string{
		"model: x\n", "model: {default: 'a'} # c\n", "model:\n  default: \"a\\\"\"\n", "a:\n- b\n", "? model\n: default: |\n   x\n", "model: &a\n  b: 1\n",
		"display:\n theme: dark\n#x\n\n", "model:\n\n\n", "x: |\n a\n  b\n", "--- \nmodel: x\n...\n", "model: !!str x\n", "'model': {'default': b}",
	} {
		f.Add(text, "model")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		o := Options{File: "f"}
		before, _, err := decodeText(o, []byte(text))
		if err != nil || len(text) > 10_000 {
			return
		}
		node, err := encodeValue("model.default", value)
		if err != nil {
			return
		}
		changed, err := edit(o, []byte(text), "model.default", splitKey("model.default"), node)
		if err != nil {
			asError(t, err)
			return
		}
		after, _, err := decodeText(o, changed)
		if err != nil || after.Model.Default != value {
			t.Fatalf("%q became %q with %q: %v", text, changed, after.Model.Default, err)
		}
		if !slices.Equal(after.Toolsets, before.Toolsets) || after.Display != before.Display || after.Model.Provider != before.Model.Provider {
			t.Fatalf("%q became %q", text, changed)
		}
	})
}

// TestAdd writes a new entry whole, beside what is there, and none that is there already.
func TestAdd(t *testing.T) {
	fields := []Named{{"command", "npx"}, {"args", []string{"-y", "x y"}}, {"env", map[string]string{"KEY": "${KEY}", "A": "b: c"}}, {"trust", "full"}}
	for text, want := range map[string]string{
		"":                          "mcp_servers:\n  new.one:\n    command: npx\n",
		"# head\nmodel: m # mine\n": "# head\nmodel: m # mine\n",
		"mcp_servers: {}\n":         "mcp_servers:",
		"mcp_servers:\n  # of old\n  old: {command: y}\nmodel: m\n": "mcp_servers:\n  # of old\n  old: {command: y}\n",
	} {
		name := file(t, text)
		o := Options{File: name}
		if err := Add(t.Context(), o, "mcp_servers", "new.one", fields); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		c, _, err := Load(o)
		s := c.MCPServers["new.one"]
		if got := readText(t, name); err != nil || !strings.Contains(got, want) || s.Command != "npx" || !slices.Equal(s.Args, []string{"-y", "x y"}) || s.Env["A"].Reveal() != "b: c" || s.Env["KEY"].String() != "${KEY}" || s.Trust != "full" {
			t.Errorf("%q gave %q: %+v, %v", text, got, s, err)
		}
		before := readText(t, name)
		if err := Add(t.Context(), o, "mcp_servers", "new.one", fields); err == nil || !strings.Contains(err.Error(), "is there already") || readText(t, name) != before {
			t.Errorf("again: %v", err)
		}
		if err := Add(t.Context(), o, "mcp_servers", "bad", []Named{{"trust", "much"}}); err == nil || !strings.Contains(err.Error(), "trust") || readText(t, name) != before {
			t.Errorf("what does not fit: %v", err)
		}
	}
	if err := Add(t.Context(), Options{File: file(t, "mcp_servers: [")}, "mcp_servers", "x", fields); err == nil {
		t.Error("into a broken file")
	}
}
