//go:build unix

package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/agent/event"
	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// verbsScript is a memory provider that offers a tool and says what a summary should keep.
const verbsScript = `#!/bin/sh
while IFS= read -r line; do
	printf '%s\n' "$line" >> "$HERMES_HOME/told"
	rest=${line#*:}
	id=${rest%%,*}
	case "$line" in
	*'"verb":"initialize"'*) printf '{"id":%s,"tools":[{"name":"pets","description":"Looks pets up.","parameters":{"type":"object","properties":{"q":{"type":"string"}}}},{"name":"bad"}]}\n' "$id" ;;
	*'"verb":"handle_tool_call"'*) printf '{"id":%s,"text":"Minou is a cat."}\n' "$id" ;;
	*'"verb":"pre_compress"'*) printf '{"id":%s,"text":"Keep the lighthouse."}\n' "$id" ;;
	*) printf '{"id":%s}\n' "$id" ;;
	esac
done
`

// TestMemoryProviderVerbs tells a provider of all that happens, asks the user before a tool
// of it is called, and asks it what a summary should keep.
func TestMemoryProviderVerbs(t *testing.T) {
	zero, one := 0, 1
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		{Match: script.Match{System: "You keep the record"}, Steps: []script.Step{script.Text{Text: "## Goal\nKept."}}},
		{Match: script.Match{User: "^which pet", Results: &zero}, Steps: []script.Step{script.Call{Name: "pets", Args: `{"q":"Minou"}`}}},
		{Match: script.Match{User: "^hand it", Results: &zero}, Steps: []script.Step{script.Call{Name: "delegate_task", Args: `{"goal":"look around"}`}}},
		{Match: script.Match{User: "look around", Results: &zero}, Steps: []script.Step{script.Text{Text: "Nothing there."}}},
		{Match: script.Match{Results: &one}, Steps: []script.Step{script.Text{Text: "It is so."}}},
		{Steps: []script.Step{script.Text{Text: "It is so."}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	b := newBox(t)
	name := filepath.Join(b.home.Dir(), "provider.sh")
	if err := os.WriteFile(name, []byte(verbsScript), 0o700); err != nil {
		t.Fatal(err)
	}
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, context_length: 20000, base_url: " + server.URL() + "}\nmemory: {provider: command, provider_command: ['" + name + "']}\n")
	a, c := b.begin()
	if _, err := c.Submit("which pet?"); err != nil {
		t.Fatal(err)
	}
	asked := untilState(t, c, func(s *event.State) *event.Request {
		for i, r := range s.Requests {
			if r.Approval != nil {
				return &s.Requests[i]
			}
		}
		return nil
	})
	if !strings.Contains(fmt.Sprint(*asked.Approval), "the memory provider") || !strings.Contains(asked.Approval.Text, "Minou") {
		t.Errorf("asked %+v", asked.Approval)
	}
	if err := c.Answer(asked.ID, event.Answer{Choice: event.ChoiceOnce}); err != nil {
		t.Fatal(err)
	}
	untilState(t, c, func(s *event.State) *event.State {
		if s.Root().Turns > 0 && !s.Busy() {
			return s
		}
		return nil
	})
	say(t, c, "hand it over")
	for n := range 14 {
		say(t, c, fmt.Sprint(n, " ", strings.Repeat("many words ", 700)))
	}
	first := string(c.Session())
	second, err := a.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	say(t, second, "hello")
	closed(t, a)
	told, err := os.ReadFile(filepath.Join(b.home.Dir(), "told"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"id":1,"verb":"is_available"}`, `"verb":"initialize","session":"` + first + `"`, `"agent_context":"primary"}`, `"agent_context":"subagent"}`,
		`"verb":"turn_start","session":"` + first + `"`, `"query":"hand it over","turn":2}`, `"verb":"handle_tool_call"`, `"tool":"pets","args":{"q":"Minou"}}`,
		`"verb":"queue_prefetch"`, `"task":"look around","result":"Nothing there."}`, `"verb":"pre_compress"`, `"messages":[{"role":"`,
		`"verb":"session_switch","session":"` + string(second.Session()) + `"`, `"from":"` + first + `"}`,
	} {
		if !strings.Contains(string(told), want) {
			t.Errorf("it was not told %s:\n%.6000s", want, told)
		}
	}
	bodies := ""
	for _, r := range server.Requests() {
		bodies += string(r.Body) + "\n"
	}
	for _, want := range []string{`"name":"pets"`, "Minou is a cat.", `\"notes\":\"Keep the lighthouse.\"`} {
		if !strings.Contains(bodies, want) {
			t.Errorf("the models did not get %s", want)
		}
	}
	if said := notices(c); !strings.Contains(said, "offers tools that cannot be used, and they are left out: bad.") {
		t.Errorf("the user was told %q", said)
	}
}

// untilState follows a conversation until something of its state is there.
func untilState[T any](t *testing.T, c Conversation, get func(*event.State) *T) *T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := c.State()
	for {
		if found := get(s); found != nil {
			return found
		}
		events, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			s.Apply(e)
		}
	}
}
