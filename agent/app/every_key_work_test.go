//go:build unix

package app

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/agent/event"
	"hermes-tui/internal/reftest"
	"hermes-tui/providers/script"
)

// runs is a call that runs a command.
func runs(command string) script.Call {
	return script.Call{Name: "terminal", Args: fmt.Sprintf(`{"command":%q}`, command)}
}

// free lets tools run without questions.
const free = custom + "approvals.mode: \"off\"\n"

// working is a situation in which the agent makes calls, one a step.
func working(calls ...script.Call) *situation {
	return &situation{base: free, rules: when("go", calls...)}
}

var readF = script.Call{Name: "read_file", Args: `{"path":"f.txt"}`}

var (
	reading = &situation{base: free, rules: when("go", readF), before: func(s *scene) {
		s.file("f.txt", strings.Repeat(strings.Repeat("x", 30)+"\n", 40), 0o600)
	}}
	initial = &situation{base: free, rules: when("go", runs("echo got-$GREETING-")), before: func(s *scene) {
		s.file("init", "export GREETING=hello\n", 0o600)
		s.file(filepath.Join(s.env["HOME"], ".bashrc"), "export GREETING=bash\n", 0o600)
	}}
	secret = &situation{base: free, env: map[string]string{"TOGETHER_API_KEY": "seen"}, rules: when("go", runs("echo got-$TOGETHER_API_KEY-"))}
	// python runs scripts.
	where   = working(script.Call{Name: "execute_code", Args: `{"code":"import os\nprint('at-' + os.getcwd() + '-')"}`})
	sleeps  = working(script.Call{Name: "execute_code", Args: `{"code":"import time\ntime.sleep(3)\nprint('slept' + 'well')"}`})
	scripts = &situation{base: free, before: reading.before, rules: when("go", script.Call{Name: "execute_code", Args: `{"code":"from hermes_tools import read_file\nfor i in range(3):\n    print(read_file('f.txt'))\nprint('read' + 'all')"}`})}

	awares = &situation{base: free, rules: slices.Concat(when("go", readF), []script.Rule{ok}), before: reading.before, act: func(s *scene) {
		a, c := s.start()
		s.turn(c, "go")
		s.file("f.txt", "theirs\n", 0o600)
		s.turn(c, "hello")
		s.await(c)
		closed(s.t, a)
	}}
	tasks = working(script.Call{Name: "todo", Args: `{"todos":[{"id":"1","content":"write the parser","status":"in_progress"}]}`}, runs("true"), runs("true"), runs("true"))
	repo  = &situation{base: custom, before: func(s *scene) { s.gitIn("init", "-q", "-b", "main") }, act: func(s *scene) {
		a, c := s.start()
		if _, _, err := c.Trust(s.t.Context(), true); err != nil {
			s.t.Fatal(err)
		}
		s.turn(c, "talk")
		s.file("new", "", 0o600)
		s.gitIn("checkout", "-q", "-b", "topic")
		for range 20 { // git may be too slow once
			s.turn(c, "talk")
			if s.want == nil || s.want.MatchString(s.requests()) {
				break
			}
		}
		closed(s.t, a)
	}}
	clarifies = &situation{base: custom, late: true, rules: when("go", script.Call{Name: "clarify", Args: `{"question":"Which?","choices":["a","b"]}`})}
	endless   = &situation{base: free, rules: []script.Rule{{Steps: []script.Step{runs("date; echo $RANDOM")}}}, act: func(s *scene) {
		a, c := s.start()
		if _, err := c.Submit("go"); err != nil {
			s.t.Fatal(err)
		}
		n := 0
		s.follow(c, func(e event.Event) bool {
			if _, is := e.(*event.ToolFinished); is {
				n++
			}
			_, ended := e.(*event.TurnFinished)
			return ended || n > 4
		})
		closed(s.t, a)
	}}
	// writes changes a file and shows what /diff would.
	writes = &situation{base: free, rules: when("go", script.Call{Name: "write_file", Args: `{"path":"made.txt","content":"made by it\n"}`}), act: func(s *scene) {
		a, c := s.start()
		s.turn(c, "go")
		diff, _, err := c.Diff(s.t.Context(), "")
		s.note("diff %q %v", diff, err)
		closed(s.t, a)
	}}

	// edits changes a file, about which mode manual asks for another reason.
	edits    = &situation{base: custom, answer: event.ChoiceOnce, rules: writes.rules}
	commands = &situation{base: custom, answer: event.ChoiceDeny, rules: when("go", runs("printf 'ran-%s-' 42; touch ran"))}
	patient  = &situation{base: commands.base + "approvals.mode: manual", late: true, rules: commands.rules}
	allowed  = &situation{base: free, rules: commands.rules}
	// checked loads the settings as the program does, which tests rules.
	checked = &situation{act: func(s *scene) {
		_, warnings, err := loadChecked(s)
		s.note("settings: %v %v", warnings, err)
	}}

	// journalled opens the home and looks how its database is written.
	journalled = &situation{base: custom, act: func(s *scene) {
		a, _ := s.start()
		closed(s.t, a)
		s.note("journal: %s", reftest.Ask(s.t, s.box.home.StateDB(), "PRAGMA journal_mode"))
	}}

	fails   = working(slices.Repeat([]script.Call{runs("cat no-such-file")}, 6)...)
	failing = working(runs("cat no-a"), runs("cat no-b"), runs("cat no-c"), runs("cat no-d"), runs("cat no-e"), runs("cat no-f"))
	repeats = working(slices.Repeat([]script.Call{{Name: "skills_list", Args: "{}"}}, 6)...)
)

const stops = "tool_loop_guardrails.hard_stop_enabled: true\ntool_loop_guardrails.warnings_enabled: false\n"

func workKeys() []keyTest {
	return []keyTest{
		{key: "tool_output.max_bytes", in: working(runs("seq 1 3000")), set: "1000", without: `main request .*1500.{1,6}1501`},
		{key: "tool_output.max_lines", in: reading, set: "11", without: `12\|x`},
		{key: "tool_output.max_line_length", in: reading, set: "20", with: `\|x{20}\.\.\.`},
		{key: "file_read_max_chars", in: reading, set: "1000", with: `more than 1000 characters`},
		{key: "terminal.timeout", in: working(runs("sleep 3; echo slept$((1+1))well")), set: "1", without: `slept2well`},
		{key: "terminal.env_passthrough", in: secret, set: "[TOGETHER_API_KEY]", with: `got-seen-`},
		{key: "terminal.shell_init_files", in: initial, set: "['{{dir}}/init']", with: `got-hello-`},
		{key: "terminal.auto_source_bashrc", in: initial, set: "false", without: `got-bash-`},
		{key: "code_execution.mode", in: where, set: "strict", without: `at-[^"\\]*/work-`},
		{key: "code_execution.timeout", in: sleeps, set: "1", without: `sleptwell`},
		{key: "code_execution.max_tool_calls", in: scripts, set: "0", with: `all of its 0 calls`},
		{key: "security.fake_ip_ranges", in: &situation{base: free, act: func(s *scene) {
			a := s.open()
			s.note("made up: %v", a.fake(netip.MustParseAddr("198.18.0.9")))
			closed(s.t, a)
		}}, set: "[198.18.0.0/15]", with: `made up: true`},
		{key: "database.journal_mode", in: journalled, set: "delete", with: `journal: delete`},
		{key: "security.redact_secrets", in: working(runs("echo ghp_0123456789abcdef0123''456789abcdef0123")), set: "false", with: `ghp_0123456789abcdef0123456789abcdef0123`},
		{key: "checkpoints.enabled", in: writes, set: "false", without: `diff .*\+made by it`},

		{key: "toolsets", in: plain, set: "[file]", without: `"name":"terminal"`},
		{key: "agent.disabled_toolsets", in: plain, set: "[file]", without: `"name":"read_file"`},
		{key: "agent.max_turns", in: endless, set: "2", with: `event turn_finished`},
		{key: "agent.auto_title", in: &situation{base: strings.Replace(custom, "agent.auto_title: false", "", 1), act: func(s *scene) { s.talk("one", "two") }}, set: "false", without: `You name conversations`},
		{key: "agent.awareness", in: awares, set: "false", without: `what has changed around you`},
		{key: "agent.todo_checkpoint", in: tasks, set: "2", with: `what has changed around you.*write the parser`},
		{key: "agent.coding_context", in: repo, set: "\"off\"", without: `The git repository now: branch`},
		{key: "agent.clarify_timeout", in: clarifies, set: "1", with: `event request_resolved .*"by":"timeout"`},

		{key: "approvals.mode", in: commands, set: "\"off\"", with: `ran-42-`},
		{key: "approvals.edits", in: edits, set: "ask", with: `event requested .*you want to see before.*"edit":.*\+made by it`},
		{key: "approvals.timeout", in: patient, set: "1", with: `event request_resolved .*"by":"timeout"`},
		{key: "approvals.allow", in: commands, also: "approvals.mode: manual", set: `["terminal(printf *)", "terminal(touch *)"]`, without: `event requested`},
		{key: "approvals.ask", in: allowed, set: `["terminal(touch *)"]`, with: `event requested`},
		{key: "approvals.deny", in: allowed, set: `["terminal(touch *)"]`, without: `ran-42-`},
		{key: "approvals.rules.N.allow", in: commands, also: "approvals.mode: manual", set: `approvals.rules: [{allow: "terminal(printf *)"}, {allow: "terminal(touch *)"}]`, without: `event requested`},
		{key: "approvals.rules.N.ask", in: allowed, set: `approvals.rules: [{ask: "terminal(touch *)"}]`, with: `event requested`},
		{key: "approvals.rules.N.deny", in: allowed, set: `approvals.rules: [{deny: "terminal(touch *)"}]`, without: `ran-42-`},
		{key: "approvals.rules.N.reason", in: allowed, also: `approvals.rules: [{deny: "terminal(touch *)"}]`, set: `approvals.rules: [{deny: "terminal(touch *)", reason: The pipeline does that.}]`, with: `The pipeline does that`},
		{key: "approvals.rules.N.examples", in: checked, also: `approvals.rules: [{deny: "terminal(touch *)"}]`, set: `approvals.rules: [{deny: "terminal(touch *)", examples: [git pull]}]`, with: `settings: .*git pull`},
		{key: "approvals.rules.N.not", in: checked, also: `approvals.rules: [{deny: "terminal(touch *)"}]`, set: `approvals.rules: [{deny: "terminal(touch *)", not: [touch x]}]`, with: `settings: .*touch x`},

		{key: "tool_loop_guardrails.warnings_enabled", in: fails, set: "false", without: `repeated_exact_failure, \d+ times`},
		{key: "tool_loop_guardrails.hard_stop_enabled", in: fails, also: "tool_loop_guardrails.hard_stop_after.exact_failure: 2", set: "true", with: `Not run: this call`},
		{key: "tool_loop_guardrails.warn_after.exact_failure", in: fails, also: "tool_loop_guardrails.warn_after.same_tool_failure: 1000", set: "1000", without: `repeated_exact_failure, \d+ times`},
		{key: "tool_loop_guardrails.warn_after.same_tool_failure", in: failing, set: "1000", without: `same_tool_failure, \d+ times`},
		{key: "tool_loop_guardrails.warn_after.idempotent_no_progress", in: repeats, set: "1000", without: `no_progress, \d+ times`},
		{key: "tool_loop_guardrails.hard_stop_after.exact_failure", in: fails, also: stops + "tool_loop_guardrails.hard_stop_after.same_tool_failure: 1000", set: "1000", without: `Not run: this call`},
		{key: "tool_loop_guardrails.hard_stop_after.same_tool_failure", in: failing, also: stops, set: "2", with: `turn_finished .*same_tool_failure`},
		{key: "tool_loop_guardrails.hard_stop_after.idempotent_no_progress", in: repeats, also: stops, set: "1000", without: `Not run: this call`},
	}
}
