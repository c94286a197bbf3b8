package config

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkLine checks that a text is good and of one line.
func checkLine(t *testing.T, name, s string) {
	t.Helper()
	if !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0 || len(s) > maxText {
		t.Errorf("%s is %q", name, s)
	}
}

// checkConfig checks a Config by its own means: what Load gives obeys the schema.
func checkConfig(t *testing.T, fields []*field, v reflect.Value) {
	t.Helper()
	for _, f := range fields {
		at := v.Field(f.index)
		switch {
		case f.shape == shapeSection:
			checkConfig(t, f.children, at)
		case at.Kind() == reflect.Map:
			checkByName(t, f, at)
		case at.Kind() == reflect.Slice:
			checkList(t, f, at)
		case f.shape == shapeSecret:
			checkLine(t, f.Name, at.Interface().(Secret).Reveal())
		case at.CanInt() && (at.Int() < int64(f.Min) || at.Int() > int64(f.Max)):
			t.Errorf("%s is %d", f.Name, at.Int())
		case at.CanFloat() && !(at.Float() >= f.Min && at.Float() <= f.Max):
			t.Errorf("%s is %v", f.Name, at.Float())
		case at.Kind() == reflect.String:
			s := at.String()
			checkLine(t, f.Name, s)
			if f.Allowed != nil && !slices.Contains(f.Allowed, s) {
				t.Errorf("%s is %q", f.Name, s)
			}
			if _, open := Unresolved(s); f.check == "url" && s != "" && !open {
				if u, err := url.Parse(s); err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http") {
					t.Errorf("%s is %q", f.Name, s)
				}
			}
		}
	}
}

// checkByName checks what is under names of choice.
func checkByName(t *testing.T, f *field, v reflect.Value) {
	t.Helper()
	switch value := v.Interface().(type) {
	case map[string]Provider:
		for name := range value {
			checkLine(t, f.Name, name)
			checkConfig(t, f.children, reflect.ValueOf(value[name]))
		}
	case map[string]CommandTool:
		for name := range value {
			checkLine(t, f.Name, name)
			checkConfig(t, f.children, reflect.ValueOf(value[name]))
		}
	case map[string]MCPServer:
		for name := range value {
			checkLine(t, f.Name, name)
			checkConfig(t, f.children, reflect.ValueOf(value[name]))
		}
	case PoolStrategies:
		for name, s := range value {
			if checkLine(t, f.Name, name); name == "" || !slices.Contains(f.Allowed, string(s)) {
				t.Errorf("%s has %q: %q", f.Name, name, s)
			}
		}
	case map[string]Secret:
		for name, s := range value {
			checkLine(t, f.Name, s.Reveal())
			if name == "" || strings.ContainsAny(name, " :\t\"()") {
				t.Errorf("header %q", name)
			}
		}
	case map[string][]string:
		for name, texts := range value {
			if checkLine(t, f.Name, name); name == "" || utf8.RuneCountInString(name) > 64 || texts == nil {
				t.Errorf("%s has %q: %q", f.Name, name, texts)
			}
			for i, s := range texts {
				if checkLine(t, f.Name, s); s == "" || slices.Contains(texts[:i], s) {
					t.Errorf("%s has %q: %q", f.Name, name, texts)
				}
			}
		}
	default:
		t.Errorf("%s is a %s", f.Name, v.Type())
	}
}

// checkList checks the entries of a list.
func checkList(t *testing.T, f *field, v reflect.Value) {
	t.Helper()
	switch value := v.Interface().(type) {
	case []Fallback:
		for i, b := range value {
			if b.Model == "" || b.Provider == "" && b.BaseURL == "" {
				t.Errorf("%s has %+v", f.Name, b)
			}
			checkConfig(t, f.children, v.Index(i))
		}
	case []ApprovalRule:
		for i, r := range value {
			if r.Allow+r.Ask+r.Deny == "" {
				t.Errorf("%s has %+v", f.Name, r)
			}
			checkConfig(t, f.children, v.Index(i))
		}
	case []Hook:
		for i, h := range value {
			if h.Command == "" {
				t.Errorf("%s has %+v", f.Name, h)
			}
			checkConfig(t, f.children, v.Index(i))
		}
	case []ModelPrice:
		for i, m := range value {
			for _, price := range []Price{m.Input, m.Output, m.CacheRead, m.CacheWrite} {
				if _, open := Unresolved(string(price)); !open && price != "" && !validPrice(string(price)) {
					t.Errorf("%s has %+v", f.Name, m)
				}
			}
			if m.Model == "" || m.Input == "" || m.Output == "" {
				t.Errorf("%s has %+v", f.Name, m)
			}
			checkConfig(t, f.children, v.Index(i))
		}
	case []string:
		for _, s := range value {
			if checkLine(t, f.Name, s); s == "" {
				t.Errorf("%s has an empty entry", f.Name)
			}
		}
	default:
		t.Errorf("%s is a %s", f.Name, v.Type())
	}
}

// Arbitrary bytes give a valid Config or an error with a place, never a panic.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		"", "model: x\n", "model: {provider: p, base_url: http://h, default_headers: {A: b}}\n", "providers: {x: {api_key: ${KEY}}}\n",
		"approvals: {mode: false}\ndisplay: {theme: dark, mouse: no}\n", "approvals: {deny: [x], rules: [{deny: y, examples: [a, b], not: []}, {allow: z, reason: r}]}\n", "toolsets: [a, b]\nagent: {max_turns: 3}\n", "keys: {send: [ctrl+enter, \"${A}\"], a.b: y, quit: [], c: ~, <<: {d: 1}}\n", "a: &x [1]\nb: *x\n<<: {c: d}\n",
		"fallback_providers: [{provider: p, model: m}, &f {base_url: http://h, model: m, api_key: \"${KEY}\"}, {<<: *f, key_env: A}, *f]\n",
		"fallback_model: {provider: p, model: m}\n", "fallback_model: [{model: \"${A}\", provider: p}]\nfallback_providers: []\n",
		"hooks: {pre_tool_call: [{command: x, timeout: 9, failClosed: on}, {command: \"${A}\", matcher: a|b}], stop: ~}\nhooks_auto_accept: yes\n",
		"pricing: [{model: m, input: 3, output: 1_5.5}, {model: \"*\", provider: p, input: .0, output: \"${A}\", cache_read: 1e3}]\n", "pricing: [{model: m, input: 3, output: 15.5, cache_write: ''}]\n",
		"credential_pool_strategies: {a: random, b: , c: '', <<: {d: Fill_First}}\n", "compression: {threshold: .9, target_ratio: .nan, protect_last_n: 0x10}\n",
		"tool_loop_guardrails: {warn_after: {exact_failure: 1_0}, hard_stop_after: ~}\n",
		"a: b: c\n", "x: \"\n", "? [a]\n: b\n", "%YAML 1.2\n---\na: !!int 3\n", "a: |\n b\n---\nc\n", "\ufeffa: 1\r\n", "agent:\n\tmax_turns: 1\n", "{a: [}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		name := file(t, string(data))
		o := Options{File: name, Env: env("KEY", "sk-1", "A", "\n")}
		c, warnings, err := Load(o)
		if err != nil {
			if e := asError(t, err); e.File != name || e.Line < 0 || (e.Line == 0) != (e.Column == 0) {
				t.Errorf("%+v", e)
			}
			return
		}
		checkConfig(t, schema(), reflect.ValueOf(c))
		for _, w := range warnings {
			if w.Line < 1 || w.Column < 1 || strings.ContainsAny(w.String(), "\n\x1b") {
				t.Errorf("%+v", w)
			}
		}
		if again, _, err := Load(o); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("read again: %v", err)
		}
		c.Settings()
	})
}
