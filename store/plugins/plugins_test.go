package plugins_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/plugins"
)

func write(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// good is a plugin with all that one can have.
func good() map[string]string {
	return map[string]string{
		"plugin.json":           `{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"tidy.up","version":"1.0","description":"Tidies.","author":{"name":"Anna"},"keywords":["a"],"extensions":{"com.example":{}},"colour":"blue"}`,
		"skills/sweep/SKILL.md": "---\nname: sweep\ndescription: Sweeps.\n---\nSweep.\n", "skills/empty/x": "",
		"mcp.json":              `{"mcpServers":{"a":{"type":"stdio","command":"./run","args":["${PLUGIN_ROOT}/x"]},"b":{"type":"streamable-http","url":"https://example.com/mcp"},"c":{"type":"sse","url":"http://example.com"},"d":{"type":"stdio","command":"../run"},"e":{"command":"$SHELL"},"f":{"type":"sse","url":"https://u:p@example.com"},"g":{"type":"streamable-http","url":"http://127.0.0.1:9/mcp"}, "h":{"type":"pigeon"}, "i": 5, "j":{"command":"x","cwd":"../.."},"k":{"command":"x","cwd":"${PLUGIN_ROOT}/skills/"},"l":{"command":"x","cwd":"/etc"},"m":{"command":"x","cwd":"${HOME}"},"n":{"command":"x","cwd":"none"}}}`,
		"hermes-tui/tools.json": `{"tools":[{"name":"dust","description":"Dusts.","command":"sh ${PLUGIN_ROOT}/dust.sh","parameters":{"type":"object"}},{"name":"rm -rf","description":"x","command":"y"}]}`,
		"hermes-tui/hooks.json": `{"hooks":{}}`,
	}
}

// TestRead reads all that a plugin has, and passes over what it may not have.
func TestRead(t *testing.T) {
	t.Parallel()
	p, err := plugins.Read(write(t, t.TempDir(), good()))
	if err != nil {
		t.Fatal(err)
	}
	var servers []string
	for _, s := range p.Servers {
		servers = append(servers, strings.TrimSpace(s.Name+" "+s.Cwd))
	}
	if p.Name != "tidy.up" || p.Sum == "" || strings.Join(p.Skills, ",") != "skills/sweep" || strings.Join(servers, ",") != "a,b,g,k skills" || len(p.Tools) != 1 || len(p.Hooks) != 1 {
		t.Errorf("read %+v", p)
	}
	notes := strings.Join(p.Notes, "\n")
	for _, want := range []string{`"colour"`, `"c" was passed over: its url is not https`, `"d" was passed over: its command`, `"e" was passed over`, "has a login", `"pigeon"`, `"i" was passed over`, `"j" was passed over: its cwd`, `"l" was passed over: its cwd`, `"m" was passed over: its cwd`, `"n" was passed over: its cwd`, `"rm -rf"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %s:\n%s", want, notes)
		}
	}
}

// TestManifest refuses what is not in the form.
func TestManifest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "cannot be read", `[]`: "cannot be read", `{}`: "has no name", `{"name":"a--b"}`: "small letters", `{"name":"../a"}`: "small letters",
		`{"name":"a..b"}`: "small letters", `{"name":"-a"}`: "small letters", `{"name":"` + strings.Repeat("a", 65) + `"}`: "small letters", `{"name":"a","$schema":"https://agent-plugins.org/schemas/2.0.0/plugin.schema.json"}`: "another form",
		`{"name":"a","extensions":{"x":1}}`: "no name like", `{"name":"a","description":"` + strings.Repeat("x", 5000) + `"}`: "4 KB",
	} {
		_, err := plugins.Read(write(t, t.TempDir(), map[string]string{"plugin.json": text}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := plugins.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no plugin.json") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestStore installs, lists, replaces and removes, and keeps what was there when a new one
// is no good.
func TestStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "plugins")
	s := plugins.New(dir, time.Now)
	if list, problems, err := s.List(); len(list)+len(problems) != 0 || err != nil {
		t.Errorf("at first there are %v, %v, %v", list, problems, err)
	}
	source := write(t, filepath.Join(t.TempDir(), "x"), good())
	from := func(dir string) func(string) error {
		return func(into string) error { return os.CopyFS(into, os.DirFS(dir)) }
	}
	p, err := s.Install(t.Context(), plugins.Source{From: source, Ref: "abc"}, plugins.Choice{}, from(filepath.Dir(source))) // one folder deeper
	if err != nil || p.Source.From != source || p.Source.Ref != "abc" || p.Source.At.IsZero() {
		t.Fatalf("%+v, %v", p, err)
	}
	bad := write(t, t.TempDir(), map[string]string{"plugin.json": `{"name":"tidy..up"}`})
	if _, err := s.Install(t.Context(), plugins.Source{}, plugins.Choice{}, from(bad)); err == nil {
		t.Error("a bad one is taken")
	}
	if _, err := s.Install(t.Context(), plugins.Source{}, plugins.Choice{}, func(into string) error { return errors.New("no network") }); err == nil || err.Error() != "no network" {
		t.Errorf("filling fails with %v", err)
	}
	write(t, source, map[string]string{"skills/new/SKILL.md": "x"})
	again, err := s.Install(t.Context(), plugins.Source{From: source}, plugins.Choice{}, from(source))
	if err != nil || again.Sum == p.Sum || len(again.Skills) != 2 {
		t.Errorf("replaced by %+v, %v", again, err)
	}
	write(t, dir, map[string]string{"broken/plugin.json": `{"name":"other"}`, "loose": ""})
	list, problems, err := s.List()
	if len(list) != 1 || len(problems) != 2 || err != nil {
		t.Errorf("there are %v, %v, %v", list, problems, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".quarantine"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, name := range []string{"../x", "none", "."} {
		if err := s.Remove(t.Context(), name); err == nil {
			t.Errorf("%s is removed", name)
		}
	}
	if err := s.Remove(t.Context(), "tidy.up"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("tidy.up"); err == nil || !strings.Contains(err.Error(), "there is no plugin") {
		t.Errorf("removed, it is %v", err)
	}
}

// FuzzManifest reads anything.
func FuzzManifest(f *testing.F) {
	f.Add(`{"name":"a"}`, `{"mcpServers":{"a":{"command":"x"}}}`)
	f.Fuzz(func(t *testing.T, manifest, servers string) {
		p, err := plugins.Read(write(t, t.TempDir(), map[string]string{"plugin.json": manifest, "mcp.json": servers, "hermes-tui/tools.json": servers}))
		if err == nil && (!plugins.ValidName(p.Name) || !json.Valid([]byte(manifest))) {
			t.Errorf("taken: %s", manifest)
		}
	})
}
