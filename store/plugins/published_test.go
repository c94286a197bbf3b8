package plugins_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/store/plugins"
)

// TestPublished reads plugins in the forms of other programs: what is understood is taken,
// the rest is named.
func TestPublished(t *testing.T) {
	t.Parallel()
	skill := "---\nname: x\ndescription: X.\n---\nX.\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string // name, skills, commands, servers and hooks
		notes string
	}{
		"claude": {map[string]string{
			".claude-plugin/plugin.json": `{"name":"guard","version":"1.0.0","author":"Ann","repository":{"url":"https://example.com"},"lspServers":{}}`, "skills/a/SKILL.md": skill,
			"commands/go.md": "Go.", "commands/deep/more.md": "More.", "commands/README.md": "x", "agents/r.md": "x", "hooks/hooks.json": `{"hooks":{}}`,
			".mcp.json": `{"mcpServers":{"n":{"command":"node","args":["${CLAUDE_PLUGIN_ROOT}/s.js",5],"env":{"PORT":8080}},"h":{"type":"http","url":"https://example.com/mcp"}}}`,
		}, "guard | skills/a | commands/deep/more.md commands/go.md | h n ${PLUGIN_ROOT}/s.js 5 8080 | hooks/hooks.json", "lspServers agents"},
		"flat servers, inline hooks": {map[string]string{
			".claude-plugin/plugin.json": `{"name":"My Tools","hooks":{"Stop":[]},"mcpServers":{"s":{"command":"${CLAUDE_PLUGIN_ROOT}/bin/s"}}}`, ".mcp.json": `{"t":{"command":"t"}}`,
		}, "my-tools |  |  | s t | .claude-plugin/plugin.json", ""},
		"codex": {map[string]string{
			".codex-plugin/plugin.json": `{"name":"docs","skills":"./extra/","mcpServers":"./servers.json","interface":{"displayName":"Docs"}}`, "extra/b/SKILL.md": skill, "skills/a/SKILL.md": skill,
			"servers.json": `{"mcpServers":{"u":{"url":"https://example.com/mcp"}}}`,
		}, "docs | extra/b skills/a |  | u | ", ""},
		"cursor":         {map[string]string{".cursor-plugin/plugin.json": `{"name":"c"}`, "rules/r.mdc": "x", "SKILL.md": skill}, "c | . |  |  | ", "rules"},
		"another one":    {map[string]string{".agy-plugin/plugin.json": `{"name":"z"}`, "skills/a/SKILL.md": skill}, "z | skills/a |  |  | ", ""},
		"some skills":    {map[string]string{".claude-plugin/plugin.json": `{"name":"s","skills":["./skills/b"]}`, "skills/a/SKILL.md": skill, "skills/b/SKILL.md": skill}, "s | skills/b |  |  | ", ""},
		"out of it":      {map[string]string{".claude-plugin/plugin.json": `{"name":"o","skills":["../x"],"hooks":"../../h.json"}`}, "o |  |  |  | ", "../x ../../h.json"},
		"scoped":         {map[string]string{".claude-plugin/plugin.json": `{"name":"@ann/flows"}`}, "flows |  |  |  | ", ""},
		"byte order":     {map[string]string{".claude-plugin/plugin.json": "\ufeff" + `{"name":"bom"}`}, "bom |  |  |  | ", ""},
		"beside its own": {map[string]string{"plugin.json": `{"id":"grafana"}`, ".claude-plugin/plugin.json": `{"name":"two"}`}, "two |  |  |  | ", ""},
	} {
		dir := write(t, t.TempDir(), c.files)
		p, err := plugins.Read(dir)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var servers, hooks []string
		for _, s := range p.Servers {
			servers = append(servers, append([]string{s.Name}, s.Args...)...)
			if s.Env["PORT"] != "" {
				servers = append(servers, s.Env["PORT"])
			}
		}
		for _, h := range p.Hooks {
			rel, _ := filepath.Rel(dir, h)
			hooks = append(hooks, filepath.ToSlash(rel))
		}
		got := strings.Join([]string{p.Name, strings.Join(p.Skills, " "), strings.Join(p.Commands, " "), strings.Join(servers, " "), strings.Join(hooks, " ")}, " | ")
		if got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
		for _, want := range strings.Fields(c.notes) {
			if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, want) }) {
				t.Errorf("%s: the notes lack %s: %q", name, want, p.Notes)
			}
		}
	}
}

// TestList installs one of several plugins by its name, and what the list says of it.
func TestList(t *testing.T) {
	t.Parallel()
	skill := "---\nname: x\ndescription: X.\n---\nX.\n"
	source := write(t, t.TempDir(), map[string]string{
		".claude-plugin/marketplace.json": `{"name":"m","metadata":{"pluginRoot":"./all"},"plugins":[{"name":"one","source":"./all/one"},{"name":"Two Words","source":"two","description":"Second."},
{"name":"papers","source":"./","strict":false,"skills":["./skills/pdf"]},{"name":"far","source":{"source":"github","repo":"ann/far","ref":"v1","path":"in/it"}},
{"name":"pack","source":{"source":"npm","package":"x"}},{"name":"gone","source":"./gone"},{"name":"out","source":"../.."},{"name":"loc","source":{"source":"local","path":"./all/one"}}]}`,
		"all/one/.claude-plugin/plugin.json": `{"name":"uno"}`, "all/two/commands/c.md": "C.", "skills/pdf/SKILL.md": skill, "skills/xls/SKILL.md": skill,
	})
	s := plugins.New(filepath.Join(t.TempDir(), "plugins"), time.Now)
	install := func(name string) (plugins.Plugin, error) {
		want := plugins.Choice{Name: name}
		return s.Install(t.Context(), plugins.Source{}, want, func(into string) error { return os.CopyFS(into, os.DirFS(source)) })
	}
	for name, want := range map[string]string{"one": "one  ", "two-words": "two-words  commands/c.md", "papers": "papers skills/pdf ", "loc": "loc  "} {
		p, err := install(name)
		if got := p.Name + " " + strings.Join(p.Skills, " ") + " " + strings.Join(p.Commands, " "); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{"": "name the one that you want: one, two-words", "other": "no plugin other, but one", "pack": `comes from "npm"`, "gone": "is not there", "out": "is not there"} {
		if _, err := install(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	_, err := install("far")
	away, is := errors.AsType[*plugins.ElsewhereError](err)
	if !is || away.URL != "https://github.com/ann/far.git" || away.Ref != "v1" || away.Path != "in/it" {
		t.Fatalf("%+v", err)
	}
	var want plugins.Choice
	away.In(&want)
	p, err := s.Install(t.Context(), plugins.Source{}, want, func(into string) error {
		write(t, into, map[string]string{"in/it/SKILL.md": skill})
		return nil
	})
	if err != nil || p.Name != "far" || !slices.Equal(p.Skills, []string{"."}) {
		t.Errorf("from elsewhere: %+v, %v", p, err)
	}
}
