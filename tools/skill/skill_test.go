package skill_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hermes-tui/tools"
	"hermes-tui/tools/skill"
)

// library is one with fixed skills.
type library struct{ list []skill.Opened }

func (l library) Entries(context.Context) []skill.Entry {
	var list []skill.Entry
	for _, o := range l.list {
		list = append(list, o.Entry)
	}
	return list
}

func (l library) Open(_ context.Context, name string) (skill.Opened, error) {
	i := slices.IndexFunc(l.list, func(o skill.Opened) bool { return o.Name == name })
	switch {
	case name == "two":
		return skill.Opened{}, &skill.NotFoundError{Name: name, Several: []string{"a/two", "b/two"}}
	case i < 0:
		return skill.Opened{}, &skill.NotFoundError{Name: name, Known: []string{"pdf"}}
	}
	return l.list[i], nil
}

func (l library) Content(_ context.Context, _, file string) (string, error) {
	if file == "references/a.md" {
		return "more", nil
	}
	return "", errors.New("the skill has no file " + file)
}

func call(t *testing.T, name, args string) (tools.Result, map[string]any) {
	t.Helper()
	lib := library{[]skill.Opened{
		{
			Entry: skill.Entry{Name: "pdf", Description: "Reads PDF.", Category: "office/files"}, Content: "Do this.", Dir: "/s/pdf", Path: "/s/pdf/SKILL.md",
			Links:     map[string][]string{"references": {"references/a.md"}},
			Variables: []skill.Need{{Name: "A_KEY", Help: "get one", Missing: true}, {Name: "B_KEY"}}, Commands: []skill.Need{{Name: "jq"}},
		},
		{Entry: skill.Entry{Name: "long", Description: "Long."}, Content: strings.Repeat("ä", 100_001), Path: "/s/long/SKILL.md"},
	}}
	for _, tool := range skill.New(lib, nil).Family().Tools {
		if tool.Name != name {
			continue
		}
		r, err := tool.Run(t.Context(), tools.Call{Name: name, Args: json.RawMessage(args)}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal([]byte(r.Content), &m); err != nil {
			t.Fatal(err)
		}
		return r, m
	}
	t.Fatalf("there is no tool %s", name)
	return tools.Result{}, nil
}

func TestList(t *testing.T) {
	for args, want := range map[string]string{
		`{}`: "2 [office/files]", `{"category":"office"}`: "1 [office/files]", `{"category":"off"}`: "0 [office/files]",
	} {
		_, m := call(t, "skills_list", args)
		if got := fmt.Sprint(m["count"], " ", m["categories"]); got != want {
			t.Errorf("%s gives %s, want %s", args, got, want)
		}
	}
}

// TestView holds the form of what a skill is read as.
func TestView(t *testing.T) {
	_, m := call(t, "skill_view", `{"name":"pdf"}`)
	for key, want := range map[string]string{
		"success": "true", "content": "Do this.", "skill_dir": "/s/pdf", "path": "/s/pdf/SKILL.md", "readiness_status": "setup_needed", "setup_needed": "true",
		"linked_files": "map[references:[references/a.md]]", "missing_required_environment_variables": "[A_KEY]", "missing_required_commands": "[]",
		"required_commands": "[jq]", "tags": "[]", "category": "office/files",
	} {
		if got := fmt.Sprint(m[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if _, m = call(t, "skill_view", `{"name":"pdf","file_path":"references/a.md"}`); m["content"] != "more" {
		t.Errorf("a file: %v", m)
	}
	if _, m = call(t, "skill_view", `{"name":"long"}`); !strings.HasSuffix(m["content"].(string), "ä\n\n[cut: these are the first 100,000 of 100,001 characters. The whole text is in /s/long/SKILL.md.]") {
		t.Errorf("a long one ends %.200q", m["content"].(string)[200_000:])
	}
	for args, want := range map[string]string{
		`{"name":"none"}`: "[pdf]", `{"name":"two"}`: "[a/two b/two]", `{"name":""}`: "name is empty: name the skill.",
		`{"name":"pdf","file_path":"x"}`: "the skill has no file x", `{"name":1}`: "argument name of skill_view: a string is wanted, not a number",
	} {
		r, m := call(t, "skill_view", args)
		if got := fmt.Sprint(m["available_skills"], m["matches"], m["error"]); r.Status != tools.StatusFailed || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// TestIndex holds that the index fits where names leave room, and that descriptions of
// what is used least give way first.
func TestIndex(t *testing.T) {
	var list []skill.Listed
	for i := range 100 {
		list = append(list, skill.Listed{
			Entry: skill.Entry{Name: fmt.Sprintf("skill-%02d", i), Category: fmt.Sprint("c", i/50), Description: strings.Repeat("Words about it. ", 10)}, Rank: int64(i),
		})
	}
	whole := skill.Index(list, 1_000_000)
	if strings.Count(whole, "Words") != 1000 || !strings.Contains(whole, "\nc1:\n- skill-50: Words") || skill.Index(nil, 100) != "" {
		t.Errorf("whole: %.600s", whole)
	}
	for _, room := range []int{12_000, 8_000, 4_000, 2_000, 0} {
		text := skill.Index(list, room)
		for _, l := range list {
			if !strings.Contains(text, "\n- "+l.Name) {
				t.Errorf("room %d: %s is missing", room, l.Name)
			}
		}
		if room >= 2_000 && len([]rune(text)) > room {
			t.Errorf("room %d: %d characters", room, len([]rune(text)))
		}
		first, last := text[strings.Index(text, "- skill-00"):], text[strings.Index(text, "- skill-99"):]
		first, _, _ = strings.Cut(first, "\n")
		if len(first) > len(last) || room == 8_000 && len(first) == len(last) || room == 4_000 && (first != "- skill-00" || !strings.Contains(last, "Words")) {
			t.Errorf("room %d: what is used most is short, or what is used least long:\n%s", room, text)
		}
	}
}
