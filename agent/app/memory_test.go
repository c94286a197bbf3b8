package app

import (
	"strings"
	"testing"

	"hermes-tui/internal/scripttest"
	"hermes-tui/providers/script"
)

// TestMemorySettings sees each setting of what is remembered take effect: in the prompt, in
// what the agent may write, and in how much that is.
func TestMemorySettings(t *testing.T) {
	long := strings.Repeat("long ", 24) // 119 characters without the last blank
	add := func(target string) script.Step {
		return script.Call{Name: "memory", Args: `{"action":"add","target":"` + target + `","content":"` + long + `"}`}
	}
	for _, c := range []struct {
		name, settings string
		shown, result  []string // that the model gets, at first and behind its calls
		hidden         []string
	}{
		{"defaults", "{}", []string{"a note of mine", "a trait of yours", "/2,200 chars", "/1,375 chars"}, []string{`\"target\":\"memory\"`, `\"target\":\"user\"`}, []string{"not known"}},
		{"no notes", "{memory_enabled: false}", []string{"a trait of yours"}, []string{"The user has switched off the target memory.", `\"target\":\"user\"`}, []string{"a note of mine"}},
		{"no user", "{user_profile_enabled: false}", []string{"a note of mine"}, []string{"The user has switched off the target user.", `\"target\":\"memory\"`}, []string{"a trait of yours"}},
		{"neither", "{memory_enabled: false, user_profile_enabled: false}", nil, nil, []string{"a note of mine", "a trait of yours", `"name":"memory"`}},
		{"limit of notes", "{memory_char_limit: 100}", []string{"a note of mine", "/100 chars", "/1,375 chars"}, []string{"would exceed the limit: 100% — 136/100 chars"}, nil},
		{"limit of the user", "{user_char_limit: 101}", []string{"a trait of yours", "/101 chars", "/2,200 chars"}, []string{"would exceed the limit: 100% — 138/101 chars"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			zero := 0
			server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
				{Match: script.Match{Results: &zero}, Steps: []script.Step{add("memory"), add("user")}}, {Steps: []script.Step{script.Text{Text: "done"}}},
			}}, scripttest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			b := newBox(t)
			model := "probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n"
			b.config(model)
			a := b.open()
			for user, text := range map[bool]string{false: "a note of mine", true: "a trait of yours"} {
				if _, err := a.AddMemory(t.Context(), user, "", text); err != nil {
					t.Fatal(err)
				}
			}
			closed(t, a)
			b.config(model + "memory: " + c.settings + "\n")
			_, conv := b.begin()
			say(t, conv, "go")
			all := server.Requests()
			first, last := string(all[0].Body), string(all[len(all)-1].Body)
			for _, want := range c.shown {
				if !strings.Contains(first, want) {
					t.Errorf("the prompt lacks %q: %s", want, first)
				}
			}
			for _, want := range c.result {
				if !strings.Contains(last, want) {
					t.Errorf("the results lack %q: %s", want, last)
				}
			}
			for _, not := range c.hidden {
				if strings.Contains(first, not) {
					t.Errorf("the model gets %q: %s", not, first)
				}
			}
		})
	}
}

// TestMemoryOfSubagents holds that subagents read what is remembered and have nothing that
// changes it: what one tries all the same is refused.
func TestMemoryOfSubagents(t *testing.T) {
	step := func(user string, results int, name, args string) script.Rule {
		return script.Rule{Match: script.Match{User: user, Results: &results}, Steps: []script.Step{script.Call{Name: name, Args: args}}}
	}
	server, err := scripttest.Serve(&script.Scenario{Rules: []script.Rule{
		step("^go", 0, "delegate_task", `{"goal":"look around"}`),
		step("look around", 0, "memory", `{"action":"add","target":"memory","content":"written below"}`),
		{Steps: []script.Step{script.Text{Text: "done"}}},
	}}, scripttest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	b := newBox(t)
	b.config("probe: {local_servers: false}\nagent: {auto_title: false}\nmodel: {provider: custom, default: m, base_url: " + server.URL() + "}\n")
	a := b.open()
	if _, err := a.AddMemory(t.Context(), false, "", "a note of mine"); err != nil {
		t.Fatal(err)
	}
	closed(t, a)
	a, c := b.begin()
	say(t, c, "go")
	asked := 0
	for _, r := range server.Requests() {
		body := string(r.Body)
		if !strings.Contains(body, "Your task:") {
			if strings.Contains(body, `"tools"`) && !strings.Contains(body, `"name":"memory","description"`) {
				t.Errorf("the agent itself gets %s", body)
			}
			continue
		}
		asked++
		if !strings.Contains(body, "a note of mine") || strings.Contains(body, `"name":"memory","description"`) || strings.Contains(body, `"name":"learnings","description"`) {
			t.Errorf("a subagent gets %s", body)
		}
	}
	list, _, err := a.Memory()
	if err != nil || len(list) != 1 || asked < 2 {
		t.Errorf("%d requests, remembered is %v, %v", asked, list, err)
	}
}

// TestMemoryProviderUnknown says that a provider of the settings is not known, and none
// where there is none.
func TestMemoryProviderUnknown(t *testing.T) {
	for name, want := range map[string]string{"": "", "builtin": "", "elephant": "The memory provider elephant of memory.provider is not known"} {
		b := newBox(t)
		b.config("probe: {local_servers: false}\nmemory: {provider: '" + name + "'}\n")
		_, c := b.begin()
		if said := notices(c); !strings.Contains(said, want) || (want == "") == strings.Contains(said, "memory provider") {
			t.Errorf("%q: %q", name, said)
		}
	}
}
