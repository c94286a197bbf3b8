//go:build unix

package ui_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestPluginsWindow enables a plugin, calls its tool in the next session, and disables it.
func TestPluginsWindow(t *testing.T) {
	t.Parallel()
	for _, size := range sizes[:2] {
		home := filepath.Join(t.TempDir(), "home")
		for name, text := range map[string]string{
			"plugin.json":           `{"name":"tidy","version":"1.0","description":"Keeps things tidy.","author":{"name":"Anna"}}`,
			"mcp.json":              `{"mcpServers":{"far":{"type":"sse","url":"http://far.example"}}}`,
			"hermes-tui/tools.json": `{"tools":[{"name":"dust","description":"Dusts.","command":"sh ${PLUGIN_ROOT}/dust.sh"}]}`,
			"dust.sh":               "echo all dusted\n",
		} {
			file := filepath.Join(home, "plugins", "tidy", name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		d := Start(t, Options{Cols: size[0], Rows: size[1], Home: home, Config: "approvals: {mode: off}\n", Scenario: answers(
			on("early", call("dust", map[string]any{})), after("early", 1, say("It is not there.")), on("dust", call("dust", map[string]any{})), after("dust", 1, say("Dusted.")),
		)})
		d.WaitFor(Contains("Type what you want done"))
		d.Type("early").Press("enter").WaitFor(Contains("It is not there."), NotContains("all dusted"))
		d.Type("/plugins").Press("enter").WaitFor(Contains("Off"), Contains("tidy"), Contains("1 tool"))
		d.Press("enter").WaitFor(Contains("By Anna"), Contains("dust: sh"), Contains("its url is not https")).Press("esc").WaitFor(NotContains("By Anna"))
		d.Press("alt+a").WaitFor(Contains("Enabled as it is now: tidy")).Press("esc")
		d.Type("/new").Press("enter").WaitFor(Contains("Type what you want done"), NotContains("It is not there."))
		d.Type("dust").Press("enter").WaitFor(Contains("Dusted."), Contains("all dusted"))
		d.Type("/plugins").Press("enter").WaitFor(Contains("Enabled")).Press("alt+d").WaitFor(Contains("Disabled: tidy")).Press("esc")
		d.WaitIdle()
	}
}
