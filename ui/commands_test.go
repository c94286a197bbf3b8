//go:build unix

package ui_test

import (
	"testing"

	. "hermes-tui/internal/uitest"
)

// TestCommandTool calls a tool that is a command of the user: it gets what it is called with
// on its standard input, is judged by its text, and a rule about commands forbids it. One
// that cannot be a tool is spoken of.
func TestCommandTool(t *testing.T) {
	t.Parallel()
	greet := func(name string) map[string]any { return map[string]any{"name": name} }
	d := Start(t, Options{Cols: 110, Rows: 32, Config: `approvals: {mode: manual, deny: ["terminal(rm *)"]}
tools:
  commands:
    greet:
      command: cat | tee got; printf ' from %s' "$(basename "$PWD")"
      description: Greets someone.
      parameters: {type: object, properties: {name: {type: string}}, required: [name]}
    wipe: {command: rm -rf everything, description: Wipes.}
    read_file: {command: cat, description: Not this one.}
    silent: {command: "true"}
`, Scenario: answers(
		on("go", call("greet", greet("it's $(touch evil) me"))), after("go", 1, say("Greeted.")),
		on("wipe", call("wipe", map[string]any{})), after("wipe", 1, say("Kept.")), on("wrong", call("greet", map[string]any{})), after("wrong", 1, say("Said so.")),
	)})
	d.WaitFor(Contains("read_file: "), Contains("silent: "), Contains("no description"))
	d.Type("go").Press("enter").WaitFor(Contains("$(touch evil) me"), Contains("▸ 1 Deny"))
	d.Press("2").WaitFor(Contains("Greeted."), Contains(" from project"))
	d.Type("wipe").Press("enter").WaitFor(Contains("Kept."), Contains("terminal(rm *)"))
	d.Type("wrong").Press("enter").WaitFor(Contains("Said so."), Contains("name"))
	d.WaitIdle()
}
