//go:build unix

package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestConfig finds settings by their names and by what they do, changes one of each kind,
// is told what a value must be, and sees the changes in the file and take effect.
func TestConfig(t *testing.T) {
	t.Parallel()
	d := Start(t, Options{Cols: 120, Rows: 40, Scenario: answers(on("hello", say("Hello.")))})
	d.WaitFor(Contains("Type what you want done")).Type("/config").Press("enter").WaitFor(Contains("model.provider"), LineMatches(`Settings ─+ \d+ `))
	d.Type("no animation").WaitFor(Contains("takes effect: at once"), LineMatches(`▸ +display.reduced_motion .* false`))
	d.Press("enter").WaitFor(Contains("display.reduced_motion is now true."), LineMatches(`▸ +display.reduced_motion .* ● true`), Contains("config.yaml:"))
	d.Press("enter").WaitFor(Contains("display.reduced_motion is now false.")).Press("esc")

	d.Type("max_turns").WaitFor(LineMatches(`▸ +agent.max_turns `)).Press("enter").WaitFor(Contains("whole number from 1 to"), Contains("❯ 90"))
	d.Press("ctrl+u").Type("lots").Press("enter").WaitFor(Contains(`! agent.max_turns must be a whole number, not "lots".`))
	d.Press("alt+s").Expect(Contains("❯ lots")) // which leaves the setup, and means nothing here
	d.Press("ctrl+u").Type("12").Press("enter").WaitFor(Contains("agent.max_turns is 12, from the next turn on."), LineMatches(`▸ +agent.max_turns .* ● 12`)).Press("esc")

	d.Type("busy_input").WaitFor(LineMatches(`▸ +display.busy_input_mode `)).Press("enter").WaitFor(Contains("▸● queue"))
	d.Type("steer").WaitFor(Contains("▸  steer")).Press("enter").WaitFor(Contains("display.busy_input_mode is now steer.")).Press("esc")

	d.Type("disabled_tools").WaitFor(LineMatches(`▸ +agent.disabled_toolsets `)).Press("enter").WaitFor(Contains("commas between them"))
	d.Type("web,  browser").Press("enter").WaitFor(Contains("agent.disabled_toolsets is web, browser, with the next session."))
	d.Press("enter").WaitFor(Contains("❯ web, browser")).Press("esc").WaitFor(Contains("▸  agent.disabled_toolsets")).Press("esc")

	d.Type("api_key").WaitFor(LineMatches(`▸ +model.api_key `)).Press("enter").WaitFor(Contains("Key for the endpoint"), NotContains("127.0.0.1"))
	d.Type("sk-typed-0123456789").WaitFor(Contains("•••"), NotContains("sk-typed")).Press("esc").WaitFor(Contains("▸  model.api_key")).Press("esc", "esc").WaitFor(NotContains("Settings ─"))

	d.Type("/config display.theme purple").Press("enter").WaitFor(Contains(`"purple", which is no theme`))
	d.Type("/config display.theme light").Press("enter").WaitFor(Contains("display.theme is now light."))
	d.Type("/config theme").Press("enter").WaitFor(LineMatches(`▸ +display.theme .* ● light`)).Press("esc", "esc")
	text, err := os.ReadFile(filepath.Join(d.Home(), "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"max_turns: 12", "busy_input_mode: steer", "disabled_toolsets: [web, browser]", "theme: light", "reduced_motion: false"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the file lacks %q:\n%s", line, text)
		}
	}
	if strings.Contains(string(text), "sk-typed") {
		t.Errorf("a key was written that was given up:\n%s", text)
	}
}
