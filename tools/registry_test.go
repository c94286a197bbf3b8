package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func demoTool(name, toolset string) Tool {
	return Tool{
		Name: name, Toolset: toolset, Description: "Does " + name + ".",
		Parameters: json.RawMessage("{ \"type\": \"object\",\n \"properties\": {\"z\":{}, \"a\":{}} }"),
		Run: func(context.Context, Call, Host, Sink) (Result, error) {
			return Result{}, nil
		},
	}
}

// clock is a clock that stands still.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func newDemoRegistry(t *testing.T, list ...Tool) (*Registry, *clock) {
	t.Helper()
	c := &clock{now: time.Unix(1000, 0)}
	r := NewRegistry(c.Now)
	for _, tool := range list {
		if err := r.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	return r, c
}

func TestAddRefuses(t *testing.T) {
	r, _ := newDemoRegistry(t, demoTool("read_file", "file"))
	change := func(f func(*Tool)) Tool {
		tool := demoTool("other", "file")
		f(&tool)
		return tool
	}
	for _, c := range []struct {
		name string
		tool Tool
		want error
	}{
		{"same toolset", demoTool("read_file", "file"), ErrDuplicate},
		{"another toolset", demoTool("read_file", "mcp-evil"), ErrShadow},
		{"no toolset", demoTool("x", ""), ErrInvalid},
		{"no name", demoTool("", "file"), ErrInvalid},
		{"long name", demoTool(strings.Repeat("x", 65), "file"), ErrInvalid},
		{"letter that folds to k", demoTool("\u212Aill", "file"), ErrInvalid},
		{"space", demoTool("a b", "file"), ErrInvalid},
		{"no description", change(func(t *Tool) { t.Description = "" }), ErrInvalid},
		{"no run", change(func(t *Tool) { t.Run = nil }), ErrInvalid},
		{"no schema", change(func(t *Tool) { t.Parameters = nil }), ErrInvalid},
		{"broken schema", change(func(t *Tool) { t.Parameters = json.RawMessage(`{"type":"object"`) }), ErrInvalid},
		{"array schema", change(func(t *Tool) { t.Parameters = json.RawMessage(`{"type":"array"}`) }), ErrInvalid},
		{"misspelt type", change(func(t *Tool) { t.Parameters = schemaOf(`"a":{"type":"array","items":{"type":"text"}}`) }), ErrInvalid},
		{"required but not described", change(func(t *Tool) { t.Parameters = schemaOf(`"a":{}`, "b") }), ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := r.Add(c.tool); !errors.Is(err, c.want) {
				t.Errorf("Add: %v, want %v", err, c.want)
			}
		})
	}
}

func TestDefinitions(t *testing.T) {
	r, _ := newDemoRegistry(t, demoTool("write_file", "file"), demoTool("todo", "todo"),
		demoTool("read_file", "file"), demoTool("mcp_gh_get", "mcp-gh"), demoTool("extra_file_tool", "file"))
	names := func(enabled, disabled []string) string {
		var list []string
		for _, d := range r.Definitions(t.Context(), enabled, disabled) {
			list = append(list, d.Name)
		}
		return strings.Join(list, " ")
	}
	for _, c := range []struct {
		enabled, disabled []string
		want              string
	}{
		{nil, nil, ""},
		{[]string{"file"}, nil, "extra_file_tool read_file write_file"},
		{[]string{"hermes-cli"}, nil, "read_file todo write_file"},
		{[]string{"hermes-cli"}, []string{"file"}, "todo"},
		{[]string{"all"}, nil, "extra_file_tool mcp_gh_get read_file todo write_file"},
		{[]string{"*"}, []string{"mcp-gh", "todo"}, "extra_file_tool read_file write_file"},
		{[]string{"file_tools"}, nil, "extra_file_tool read_file write_file"},
	} {
		if got := names(c.enabled, c.disabled); got != c.want {
			t.Errorf("enabled %v, disabled %v: %q, want %q", c.enabled, c.disabled, got, c.want)
		}
	}
	a := fmt.Sprintf("%s", r.Definitions(t.Context(), []string{"all"}, nil))
	b := fmt.Sprintf("%s", r.Definitions(t.Context(), []string{"*"}, nil))
	if a != b || !strings.Contains(a, `{"type":"object","properties":{"z":{},"a":{}}}`) {
		t.Errorf("definitions are not stable or not compact:\n%s\n%s", a, b)
	}
}

func TestAvailabilityIsCached(t *testing.T) {
	asked, fail := 0, errors.New("no key")
	flaky := demoTool("web_search", "web")
	flaky.Available = func(context.Context) error { asked++; return fail }
	r, c := newDemoRegistry(t, flaky)
	count := func(ctx context.Context) int { return len(r.Definitions(ctx, []string{"web"}, nil)) }

	if count(t.Context()) != 0 || count(t.Context()) != 0 || asked != 1 {
		t.Fatalf("asked %d times, want once", asked)
	}
	fail = nil
	c.now = c.now.Add(AvailabilityAge - 1)
	if count(t.Context()) != 0 {
		t.Error("the answer was not believed for 30 seconds")
	}
	c.now = c.now.Add(1)
	if count(t.Context()) != 1 || asked != 2 {
		t.Error("the answer was believed for more than 30 seconds")
	}
	c.now = c.now.Add(-time.Hour)
	if count(t.Context()) != 1 || asked != 3 {
		t.Error("an answer from the future was believed")
	}
	c.now = c.now.Add(2 * time.Hour)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if count(ended) != 0 || count(t.Context()) != 1 {
		t.Error("an answer that came after the end was kept")
	}
}

func TestRegistryConcurrently(t *testing.T) {
	r, _ := newDemoRegistry(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			tool := demoTool(fmt.Sprintf("tool_%d", i), "demo")
			tool.Available = func(context.Context) error { return nil }
			if err := r.Add(tool); err != nil {
				t.Error(err)
			}
			r.Definitions(t.Context(), []string{"all"}, nil)
			r.Lookup("tool_0")
		})
	}
	wg.Wait()
	if got := len(r.Definitions(t.Context(), []string{"demo"}, nil)); got != 8 {
		t.Errorf("%d tools", got)
	}
}

func TestResolve(t *testing.T) {
	tagged := map[string][]string{"mcp-gh": {"mcp_gh_get"}, "web": {"web_local"}}
	for _, c := range []struct {
		name                     string
		names, disabled          []string
		has, hasNot, wantUnknown []string
	}{
		{"includes", []string{"debugging"}, nil, []string{"terminal", "web_search", "read_file", "web_local"}, []string{"todo"}, nil},
		{"core", []string{"hermes-cli"}, nil, []string{"terminal", "clarify", "kanban_show", "ha_get_state", "browser_vision"}, []string{"x_search", "mcp_gh_get"}, nil},
		{"posture without questions", []string{"hermes-acp"}, nil, []string{"patch"}, []string{"clarify", "read_terminal", "send_message"}, nil},
		{"api server", []string{"hermes-api-server"}, nil, []string{"patch", "cronjob"}, []string{"clarify", "kanban_show", "computer_use"}, nil},
		{"disabled wins", []string{"safe", "web"}, []string{"search"}, []string{"web_extract"}, []string{"web_search"}, nil},
		{"all off", []string{"all"}, []string{"*"}, nil, []string{"terminal", "mcp_gh_get"}, nil},
		{"legacy", []string{"image_tools", "web_tools"}, nil, []string{"image_generate", "web_local"}, nil, nil},
		{"unknown", []string{"wbe", "todo", "wbe"}, []string{"bogus"}, []string{"todo"}, []string{"web_search"}, []string{"wbe", "bogus"}},
		{"unknown legacy name", []string{"nope_tools"}, nil, nil, nil, []string{"nope_tools"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, unknown := Resolve(c.names, c.disabled, tagged)
			if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Errorf("not sorted or with doubles: %v", got)
			}
			for _, name := range c.has {
				if !slices.Contains(got, name) {
					t.Errorf("%s is missing", name)
				}
			}
			for _, name := range c.hasNot {
				if slices.Contains(got, name) {
					t.Errorf("%s is exposed", name)
				}
			}
			if !slices.Equal(unknown, c.wantUnknown) {
				t.Errorf("unknown %v, want %v", unknown, c.wantUnknown)
			}
		})
	}
	if core, _ := Resolve([]string{"hermes-cli"}, nil, nil); len(core) != 50 {
		t.Errorf("the core list has %d tools, want 50: %v", len(core), core)
	}
}

func TestResolveEndsCycles(t *testing.T) {
	r := resolver{static: map[string]toolset{
		"a": {tools: []string{"one"}, includes: []string{"b", "c"}},
		"b": {tools: []string{"two"}, includes: []string{"d", "a"}},
		"c": {includes: []string{"d", "c"}},
		"d": {tools: []string{"three"}},
	}}
	got := r.collect([]string{"a"})
	if len(got) != 3 || !got["one"] || !got["two"] || !got["three"] || r.unknown != nil {
		t.Errorf("got %v, unknown %v", got, r.unknown)
	}
}
