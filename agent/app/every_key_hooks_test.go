//go:build unix

package app

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/event"
	"hermes-tui/providers/script"
	"hermes-tui/store/config"
)

// eventful is a session in which every event of hooks comes: a model call fails, a command
// is asked about, a subagent works, files change, the context is compressed, the session
// is begun again and left.
var eventful = &situation{
	base: small + "approvals.mode: manual\nhooks_auto_accept: true\n", answer: event.ChoiceOnce,
	rules: slices.Concat([]script.Rule{
		record,
		{Match: script.Match{User: "^go", Results: new(int)}, Times: 1, Steps: []script.Step{script.Failure{Status: 503, Message: "overloaded", RetryAfter: time.Millisecond}}},
	}, when("go", runs("touch made"), script.Call{Name: "write_file", Args: `{"path":"made.txt","content":"x\n"}`}, script.Call{Name: "delegate_task", Args: oneTask}), []script.Rule{ok}),
	act: func(s *scene) {
		a, c := s.start()
		for _, text := range append([]string{"go"}, saying(6)...) {
			s.turn(c, text)
		}
		changed, err := c.Compress(s.t.Context(), "")
		s.note("compressed: %v %v", changed, err)
		if c, err = a.Start(s.t.Context()); err != nil { // in the place of the first
			s.t.Fatal(err)
		}
		s.turn(c, "hello")
		closed(s.t, a)
		s.show("../home/hooked")
	},
}

// hooked lists the hooks where commands can be confined.
var hooked = &situation{
	act: func(s *scene) {
		s.confine = true
		a, _ := s.start()
		list, _ := a.Hooks(s.t.Context())
		for _, h := range list {
			s.note("hook %s, with all rights: %v", h.Event, h.Outside)
		}
		closed(s.t, a)
	},
}

// tooled has a command of the user as a tool, which the model calls.
var tooled = &situation{
	base:  free + "tools.commands.shout.command: \"echo heard-$(cat)-; sleep 2; echo sl''ept\"\ntools.commands.shout.description: Shouts it.\n",
	rules: when("go", script.Call{Name: "shout", Args: `{}`}),
}

// refusing are the events at which a hook may refuse something or change a text, for which
// alone fail_closed means something.
var refusing = []string{"pre_tool_call", "transform_tool_result", "transform_terminal_output", "user_prompt_submit", "transform_llm_output"}

// refuses reports whether a setting is fail_closed of an event at which it means something,
// or none of that name.
func refuses(key string) bool {
	event, is := strings.CutSuffix(key, ".N.fail_closed")
	return !is || slices.Contains(refusing, strings.TrimPrefix(event, "hooks."))
}

func hookKeys() []keyTest {
	list := []keyTest{
		{key: "hooks_auto_accept", in: eventful, also: "hooks_auto_accept: false\nhooks.stop: [{command: \"echo heard >> '{{home}}/hooked'\"}]", set: "true", with: `(?m)^heard`},
		{key: "tools.commands.NAME.command", in: tooled, set: "tools.commands.shout.command: echo another''one", with: `anotherone`},
		{key: "tools.commands.NAME.description", in: tooled, set: "tools.commands.shout.description: Cries it.", with: `main request .*Cries it`},
		{key: "tools.commands.NAME.parameters", in: tooled, set: `tools.commands.shout.parameters: '{"type":"object","properties":{"loud":{"type":"string"}}}'`, with: `main request .*"loud"`},
		{key: "tools.commands.NAME.timeout", in: tooled, set: "tools.commands.shout.timeout: 1", without: `slept`},
	}
	hooks := reflect.TypeFor[config.Hooks]()
	for i := range hooks.NumField() {
		at := "hooks." + hooks.Field(i).Tag.Get("yaml")
		entry := func(command, more string) string {
			return fmt.Sprintf("%s: [{command: \"%s\"%s}]", at, command, more)
		}
		heard := "echo heard " + at + " >> '{{home}}/hooked'"
		takes := "3"
		if at == "hooks.on_session_finalize" || at == "hooks.post_compress" { // no one waits 3 s for it
			takes = "2"
		}
		late := "[ -e '{{home}}/once-" + at + "' ] || { touch '{{home}}/once-" + at + "'; sleep " + takes + "; echo late " + at + " >> '{{home}}/hooked'; }"
		list = append(list,
			keyTest{key: at + ".N.command", in: eventful, set: entry(heard, ""), with: `(?m)^heard ` + at + `$`},
			keyTest{key: at + ".N.matcher", in: eventful, also: entry(heard, ""), set: entry(heard, ", matcher: no_such_thing"), without: `(?m)^heard ` + at + `$`},
			keyTest{key: at + ".N.timeout", in: eventful, also: entry(late, ""), set: entry(late, ", timeout: 1"), without: `(?m)^late ` + at + `$`},
		)
		list = append(list, keyTest{key: at + ".N.outside", in: hooked, also: entry(heard, ""), set: entry(heard, ", outside: true"), with: `with all rights: true`})
		if slices.Contains(refusing, hooks.Field(i).Tag.Get("yaml")) {
			list = append(list, keyTest{key: at + ".N.fail_closed", in: eventful, also: entry("exit 1", ""), set: entry("exit 1", ", fail_closed: true"), with: `a hook that has to agree`})
		}
	}
	return list
}
