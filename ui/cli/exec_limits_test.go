package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"hermes-tui/providers"
	"hermes-tui/providers/script"
)

const tasks = `{
  "type": "object", "required": ["tasks"], "additionalProperties": false,
  "properties": {"tasks": {"type": "array", "items": {"type": "string"}}}
}`

// TestExecOutputSchema has answers that fit at once, after a correction, and never.
func TestExecOutputSchema(t *testing.T) {
	const again = "does not fit the JSON Schema"
	for name, c := range map[string]struct {
		answers []string
		code    int
		out     string
		err     []string
	}{
		"at once": {[]string{`{"tasks": ["a"]}`}, exitOK, `{"tasks": ["a"]}` + "\n", nil},
		"fenced":  {[]string{"```json\n{\"tasks\": []}\n```"}, exitOK, `{"tasks": []}` + "\n", nil},
		"hostile": {[]string{"{\"tasks\": [\"\u202ex\u0085\"]}"}, exitOK, `{"tasks": ["\u202ex\u0085"]}` + "\n", nil},
		"corrected": {
			[]string{"The tasks are a and b.", `{"tasks": [1]}`, `{"tasks": ["a", "b"]}`}, exitOK, `{"tasks": ["a", "b"]}` + "\n",
			[]string{"asking again", "not one JSON value", "integer"},
		},
		"never": {
			[]string{`{"tasks": 1}`, `{}`, `{"tasks": [], "more": 1}`}, exitUnfit, "",
			[]string{"it was asked for 3 times", "To resume: hermes-tui --resume"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var rules []script.Rule
			for _, a := range slices.Backward(c.answers[1:]) {
				rules = append(rules, script.Rule{Match: script.Match{User: again}, Times: 1, Steps: []script.Step{say(a)}})
			}
			slices.Reverse(rules)
			b, server := with(t, append(rules, on("which", say(c.answers[0])))...)
			file := b.write("tasks.json", tasks)
			o := b.run("exec", "--output-schema", file, "which tasks?")
			if o.code != c.code || o.out != c.out {
				t.Error(o)
			}
			holds(t, "stderr", o.err, c.err...)
			if c.err == nil && o.err != "" {
				t.Error(o)
			}
			holds(t, "the prompt", sent(t, server, 1)[0], "which tasks?\n\n", `"required":["tasks"]`)
			if n := len(server.Requests()); n != len(c.answers) {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestExecSchemaOfNoUse has schemas that are none: nothing is sent.
func TestExecSchemaOfNoUse(t *testing.T) {
	for text, says := range map[string]string{
		"no": "no JSON Schema", `{"type": 1}`: "no JSON Schema", `{"$ref": "https://a.example/x"}`: "cannot be used", `{"pattern": "("}`: "cannot be used",
		`{"description": "` + strings.Repeat("x", 300<<10) + `"}`: "256 KB",
	} {
		b, server := with(t, on("", say("x")))
		if o := b.run("exec", "--output-schema", b.write("s.json", text), "x"); o.code != exitUsage || !strings.Contains(o.err, says) {
			t.Errorf("%.40s: %v", text, o)
		}
		if len(server.Requests()) > 0 {
			t.Error("something was sent")
		}
	}
}

// TestExecTimeout has a model that does not answer: before anything came, in an answer, and
// while a command runs.
func TestExecTimeout(t *testing.T) {
	for name, steps := range map[string][]script.Step{
		"nothing": {script.Stall{}}, "an answer": {say("It begins"), script.Stall{}}, "a command": {command("sleep 600")},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := with(t, on("", steps...))
			o := b.run("exec", "--timeout", "1s", "hi")
			if o.code != exitTimeout {
				t.Error(o)
			}
			holds(t, "stderr", o.err, "Timed out after 1s", "To resume: hermes-tui --resume")
			if strings.Contains(o.err, "Interrupted") {
				t.Error(o)
			}
		})
	}
}

// TestExecMaxTurns has an agent that never comes to an end.
func TestExecMaxTurns(t *testing.T) {
	b, server := with(t, script.Rule{Steps: []script.Step{command("true")}})
	o := b.run("exec", "--max-turns", "3", "go")
	if o.code != exitLimit {
		t.Error(o)
	}
	if n := len(server.Requests()); n != 4 { // the last one asks for what there is
		t.Errorf("%d requests", n)
	}
}

// TestExecMaxCost has calls that cost a cent each, and a run that may cost two.
func TestExecMaxCost(t *testing.T) {
	used := script.Usage{Usage: providers.Usage{Input: 10_000, Output: 0}}
	b, server := with(t, on("tasks", say("no JSON"), used), script.Rule{Steps: []script.Step{command("true"), used}})
	b.settings("pricing:\n  - {model: script, input: 1, output: 1}\n")
	o := b.run("exec", "--max-cost", "0.02", "work")
	if o.code != exitLimit {
		t.Error(o)
	}
	holds(t, "stderr", o.err, "$0.02")
	if n := len(server.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	if o := b.exec("--max-cost", "1", "--model", "script-free", "tasks"); !strings.Contains(o.err, "The price of 1 model call is not known") {
		t.Error(o)
	}
	// Corrections count as well.
	o = b.run("exec", "--max-cost", "0.01", "--output-schema", b.write("tasks.json", tasks), "tasks")
	if o.code != exitUnfit || o.out != "" {
		t.Error(o)
	}
	holds(t, "stderr", o.err, "has cost what it may")
}

// TestExecApprove has what needs consent, with a rule that gives it.
func TestExecApprove(t *testing.T) {
	for _, c := range []struct {
		args, settings string
		runs           bool
	}{
		{"", "", true}, {"rules", "", true}, {"all", "", true}, {"deny", "", false},
		{"rules", "  mode: 'off'\n", true}, {"deny", "  mode: 'off'\n", false},
	} {
		t.Run(c.args+c.settings, func(t *testing.T) {
			b, _ := with(t, on("clean", command("rm -rf old")), after("clean", 1, say("Done.")))
			b.settings("approvals:\n  allow: ['terminal(rm -rf old)']\n" + c.settings)
			old := filepath.Join(b.dir, "old")
			if err := os.Mkdir(old, 0o700); err != nil {
				t.Fatal(err)
			}
			args := []string{"clean"}
			if c.args != "" {
				args = append(args, "--approve", c.args)
			}
			o := b.exec(args...)
			_, err := os.Stat(old)
			if c.runs != os.IsNotExist(err) {
				t.Errorf("%v: %v", err, o)
			}
			if !c.runs {
				holds(t, "stderr", o.err, "Denied by --approve deny: run rm -rf old")
			}
		})
	}
}

// TestExecFiles sends files with a prompt, or one as the prompt.
func TestExecFiles(t *testing.T) {
	b, server := with(t, on("", say("ok")))
	one, two := b.write("one.txt", "first\n"), b.write("two.txt", "second\n")
	for i, c := range []struct {
		args []string
		in   string
		want string
	}{
		{[]string{"look", "--file", one}, "", "look\n\n<file name=\"one.txt\">\nfirst\n</file>"},
		{[]string{"--file", one}, "", "first\n"},
		{[]string{"-f", one, "-f", two}, "", "first\n\n\n<file name=\"two.txt\">\nsecond\n</file>"},
		{[]string{"-f", one}, "piped\n", "first\n\n\n<stdin>\npiped\n</stdin>"},
	} {
		if b.in = nil; c.in != "" {
			b.in = strings.NewReader(c.in)
		}
		b.exec(c.args...)
		if got := sent(t, server, i+1); !slices.Equal(got, []string{"user: " + c.want}) {
			t.Errorf("%q sent %q", c.args, got)
		}
	}
	b.in = nil
	if o := b.run("exec", "look", "-f", b.write("data", "a\x00b")); o.code != exitUsage || !strings.Contains(o.err, "is not text") {
		t.Error(o)
	}
	if o := b.exec("look", "-f", b.write("long", strings.Repeat("x", 300<<10))); !strings.Contains(o.err, "only the first 256 KB of") {
		t.Error(o)
	}
}

// TestExecJSONFitsItsSchema checks every line of real runs against the schema that the
// program itself prints.
func TestExecJSONFitsItsSchema(t *testing.T) {
	b, _ := with(t,
		on("clean", command("rm -rf old")), after("clean", 1, use("todo", map[string]any{"todos": []map[string]string{{"id": "1", "content": "a", "status": "pending"}}})),
		after("clean", 2, script.Reasoning{Text: "hm"}, say("I "), script.Stall{For: 500 * time.Millisecond}, say("may not.")),
		on("fail", script.Failure{Status: 401}), script.Rule{Match: script.Match{User: "retry"}, Times: 1, Steps: []script.Step{script.Failure{Status: 503}}}, on("retry", say("ok")),
		on("team", use("delegate_task", map[string]any{"goal": "small", "context": "none"})), after("team", 1, say("All done.")), on("small", say("Small done.")),
	)
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(b.exec("--json-schema").out), &schema); err != nil {
		t.Fatal(err)
	}
	rules, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	types := map[any]bool{}
	for _, prompt := range []string{"clean", "fail", "retry", "team"} {
		o := b.run("exec", "--json", prompt)
		for line := range strings.Lines(o.out) {
			var e map[string]any
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			types[e["type"]] = true
			if err := rules.Validate(e); err != nil {
				t.Errorf("%v\n%s", err, line)
			}
		}
	}
	for _, want := range []string{"turn_started", "text_delta", "tool_finished", "requested", "request_resolved", "agent_finished", "usage_updated", "retry_scheduled", "turn_finished"} {
		if !types[want] {
			t.Errorf("no run had %s: %v", want, types)
		}
	}
}
