package feature

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
)

// hostile is a text that other machines and files may say.
const hostile = "\x1b]0;t\x07\u202e漢字\n\tnext"

var errFake = errors.New("the disk is full")

// fake holds entries in every state, and fails when it is told to.
type fake struct {
	err error
	did []string
}

func (f *fake) do(what string, yes bool) error {
	f.did = append(f.did, fmt.Sprint(what, " ", yes))
	return f.err
}

func (f *fake) Hooks(context.Context) (list []api.Hook, problems []string) {
	for i, state := range []string{"off", "approved", "new", "changed", "broken", "never heard of"} {
		list = append(list, api.Hook{ID: fmt.Sprintf("ab%d", i), Event: "pre_tool_call", Command: hostile, Matcher: "terminal", State: state, Why: "of " + state, FailClosed: true, Background: true, Outside: i%2 == 0,
			Files: []string{"/x"}, Runs: []api.HookRun{{Tool: "terminal", Outcome: "refused: no", Said: hostile}}})
	}
	return list, []string{"config.yaml: hooks.never: there is no such event"}
}
func (f *fake) ReadHook(api.Hook) string { return "content of a file" }
func (f *fake) ApproveHook(_ context.Context, h api.Hook, yes bool) error {
	return f.do("hook "+h.ID, yes)
}
func (f *fake) TestHook(_ context.Context, h api.Hook) (string, error) {
	return "It took 1ms.", f.do("try "+h.ID, true)
}

func (f *fake) Plugins() ([]api.Plugin, error) {
	var list []api.Plugin
	for i, state := range []string{"enabled", "disabled", "changed", "broken"} {
		list = append(list, api.Plugin{Name: fmt.Sprintf("ab%d", i), Description: hostile, State: state, Hooks: []string{"x"}, Why: "of " + state})
	}
	return list, f.err
}
func (f *fake) EnablePlugin(_ context.Context, p api.Plugin, on bool) error {
	return f.do("plugin "+p.Name, on)
}
func (f *fake) RemovePlugin(_ context.Context, name string) error { return f.do("remove "+name, true) }

func (f *fake) Jobs() (list []api.Job) {
	for i, state := range []string{"running", "still running", "exit 0", "exit 1", "ended", "lost"} {
		list = append(list, api.Job{ID: fmt.Sprintf("ab%d", i), Command: hostile, State: state, Running: i < 2, Started: time.Unix(1_600_000_000, 0)})
	}
	return list
}
func (f *fake) JobsChanged() <-chan struct{} { return make(chan struct{}) }
func (f *fake) JobTail(id string, bytes int) string {
	i := slices.IndexFunc(f.Jobs(), func(j api.Job) bool { return j.ID == id })
	return "of " + f.Jobs()[i].State
}
func (f *fake) KillJob(_ context.Context, id string) error { return f.do("kill "+id, true) }

func (f *fake) MCPServers() (list []api.MCPServer, problems []string) {
	for i, g := range append(serverGroups, group{state: "never heard of"}) {
		list = append(list, api.MCPServer{Name: fmt.Sprintf("ab%d", i), Runs: hostile, In: "/x", State: g.state, Why: "of " + g.state, Says: hostile,
			Wants: []api.MCPVariable{{Name: "TOKEN", Set: true}}, Tools: []api.MCPTool{{Name: hostile, Tokens: 9}}, Held: []api.MCPChange{{Name: "x", Diff: hostile}}})
	}
	return list, []string{".mcp.json: it is no JSON"}
}
func (f *fake) MCPNews() <-chan struct{}                          { return make(chan struct{}) }
func (f *fake) AllowMCP(_ context.Context, s api.MCPServer) error { return f.do("allow "+s.Name, true) }
func (f *fake) GiveMCP(_ context.Context, s api.MCPServer, names []string) error {
	return f.do("give "+s.Name, len(names) > 0)
}
func (f *fake) SwitchMCP(name string, off bool) error { return f.do("switch "+name, off) }
func (f *fake) TryMCP(_ context.Context, name string) (api.MCPServer, error) {
	return api.MCPServer{Name: name, State: "ready"}, f.do("try "+name, true)
}
func (f *fake) LoginMCP(_ context.Context, name string, _ api.LoginWay) (api.MCPServer, error) {
	return api.MCPServer{Name: name, State: "ready"}, f.do("login "+name, true)
}
func (f *fake) MCPLog(s api.MCPServer) (string, error) { return "a log", f.do("log "+s.Name, true) }

type anyServers = api.Servers // a field cannot have the name of its method

// here is a fake as the project of a session.
type here struct {
	anyServers
	*fake
}

func (h here) MCPServers() ([]api.MCPServer, []string) { return h.fake.MCPServers() }

func (h here) SwitchMCP(_ context.Context, name string, off bool) error {
	return h.fake.do("switch here "+name, off)
}

func (f *fake) Learnings() ([]api.Learning, int, error) {
	return []api.Learning{
		{ID: "ab1", Failed: hostile, Output: "of kept", Fix: "do it", Used: 2, At: time.Unix(1_690_000_000, 0)},
		{ID: "ab2", Failed: "make", Output: "of kept"},
	}, 1, f.err
}

func (f *fake) EditLearning(_ context.Context, l api.Learning) error {
	return f.do("edit "+l.ID+" "+l.Failed+" "+l.Fix, true)
}
func (f *fake) ForgetLearning(_ context.Context, id string) error { return f.do("forget "+id, true) }

func (f *fake) RestoreLearning(_ context.Context, l api.Learning) error {
	return f.do("restore "+l.ID, true)
}

func (f *fake) Memory() ([]api.Memory, api.MemoryUse, error) {
	return []api.Memory{{ID: "ab1", Target: "memory", Text: hostile + " of memory", At: time.Unix(1_690_000_000, 0)}, {ID: "ab2", Target: "user", Text: "of user", Project: "/srv/x"}}, api.MemoryUse{Notes: 7}, f.err
}

func (f *fake) text(what string) (string, error) { return "Done.", f.do(what, true) }

func (f *fake) AddMemory(_ context.Context, user bool, project, text string) (string, error) {
	return f.text(fmt.Sprint("add ", user, project, text))
}
func (f *fake) EditMemory(_ context.Context, id, text string) (string, error) {
	return f.text("edit " + id + text)
}
func (f *fake) ScopeMemory(_ context.Context, id, project string) (string, error) {
	return f.text("scope " + id + project)
}

func (f *fake) MemoryHistory() ([]api.MemoryWrite, error) {
	return []api.MemoryWrite{{ID: "ab1", Target: "memory", Added: []api.MemoryText{{Text: hostile}}}, {ID: "ab2", Target: "user", Removed: []api.MemoryText{{Text: "x"}}, Undoes: "ab1", Undone: true}}, f.err
}
func (f *fake) UndoMemory(_ context.Context, id string) error { return f.do("undo "+id, true) }

func (f *fake) MemoryArchive() ([]api.Memory, error) {
	list, _, err := f.Memory()
	return list, err
}
func (f *fake) PutBackMemory(_ context.Context, e api.Memory) (string, error) {
	return f.text("back " + e.ID)
}

func (f *fake) MemoryPending() ([]api.MemoryChange, error) {
	return []api.MemoryChange{{ID: "ab0", Target: "memory", Added: []string{hostile}, Diff: "+of waiting"}, {ID: "ab3", Target: "user", Removed: []string{"x"}, Diff: "-of waiting"}}, f.err
}
func (f *fake) DecideMemory(_ context.Context, id string, take bool) (string, error) {
	return f.text(fmt.Sprint("decide ", id, take))
}
func (*fake) Project() string { return "/srv/here" }
func (f *fake) SearchMemory(_ context.Context, words string) ([]api.MemoryFound, error) {
	list, _, _ := f.Memory()
	learnt, _, _ := f.Learnings()
	return []api.MemoryFound{{From: "memory", Text: words, Memory: &list[0]}, {From: "archive", Text: "x", Archived: &list[1], Project: "/x"}, {From: "learning", Text: "y", Learning: &learnt[0]}, {From: "past session", Text: "z", Session: "s", Message: "m", When: "now"}}, f.err
}
func (*fake) Meaningful() (yes bool, why string) { return false, "by words" }
func (f *fake) RenewPrompt()                     { f.did = append(f.did, "renew") }

func (*fake) Trust(context.Context, bool) (string, []string, error) { return "", nil, nil }

func (f *fake) HeldInstructions() []api.HeldInstructions {
	return []api.HeldInstructions{{File: "ab1", Name: hostile, Why: "of held", Text: hostile}}
}
func (f *fake) TakeInstructions(_ context.Context, h api.HeldInstructions) error {
	return f.do("take "+h.File, true)
}

func (f *fake) Permissions(context.Context) ([]api.Permission, []api.Decided, error) {
	return []api.Permission{{Kind: api.PermissionAlways, Text: hostile, Example: "of always"}, {Kind: api.PermissionRule, Text: "x", Example: "of settings"}, {Kind: api.PermissionFolder, Text: "/x", Example: "of folder", Void: "gone"}},
		[]api.Decided{{Subject: hostile, Why: "of decided"}, {Subject: "make", Why: "of decided", Session: "Build"}}, f.err
}
func (f *fake) Revoke(_ context.Context, p api.Permission, undo bool) error {
	return f.do(fmt.Sprint("revoke ", p.Kind, " ", p.Text), undo)
}

func hostOf(f *fake) Host {
	return Host{Servers: f, Project: here{fake: f}, Hooks: f, Jobs: f, Plugins: f, Learnings: f, Memory: f, Instructions: f, Permissions: f, Here: f, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }}
}

// TestContract holds what every drawer relies on: names, groups that stand together, ids of
// their own, values with a form in JSON, texts, actions that act once and hand on errors.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, f := range All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for what, text := range map[string]string{"title": f.Title, "one": f.One, "many": f.Many, "short": f.Short, "empty": f.Empty, "show": f.Show} {
				if text == "" {
					t.Errorf("it has no %s", what)
				}
			}
			if again, ok := Named(f.Name); !ok || again.Title != f.Title || f.Named != "id" && f.Named != "name" {
				t.Errorf("%v, named by its %q", ok, f.Named)
			}
			of := &fake{}
			l, err := f.Load(t.Context(), hostOf(of), "word")
			if err != nil || len(l.Entries) == 0 {
				t.Fatalf("%+v, %v", l, err)
			}
			contractOfEntries(t, f, l)
			for _, a := range f.Actions {
				contractOfAction(t, f, a, l)
			}
			for _, v := range f.Views {
				of := v.Of()
				if got, ok := f.View(v.Verb); !ok || got.Help == "" || of.Title == "" {
					t.Errorf("the view %q is %+v, %v", v.Verb, got, ok)
				}
				l, err := of.Load(t.Context(), hostOf(&fake{}), "word")
				if err != nil || len(l.Entries) == 0 {
					t.Fatalf("%s: %+v, %v", v.Verb, l, err)
				}
				contractOfEntries(t, of, l)
				for _, a := range of.Actions {
					contractOfAction(t, of, a, l)
				}
			}
		})
	}
}

func contractOfEntries(t *testing.T, f Feature, l List) {
	var ids, groups []string
	for _, e := range l.Entries {
		if e.ID == "" || slices.Contains(ids, e.ID) || e.Label == "" || e.State == "" {
			t.Errorf("%+v", e)
		}
		ids = append(ids, e.ID)
		if len(groups) == 0 || groups[len(groups)-1] != e.Group {
			if slices.Contains(groups, e.Group) {
				t.Errorf("the group %q stands in two places", e.Group)
			}
			groups = append(groups, e.Group)
		}
		if text, err := json.Marshal(e.Value); err != nil || text[0] != '{' {
			t.Errorf("%s, %v", text, err)
		}
		if text, err := f.Read(t.Context(), hostOf(&fake{}), e); err != nil || !strings.Contains(text, "of "+e.State) && e.State != "enabled" && f.Name != "memory history" && f.Name != "memory archive" && f.Name != "memory search" {
			t.Errorf("%q, %v", text, err)
		}
		if found, err := f.Find(l, e.ID, "/x"); err != nil || found.ID != e.ID {
			t.Errorf("%+v, %v", found, err)
		}
	}
	if _, err := f.Find(l, "nothing", "/x"); err == nil || err.Error() != "there is no "+f.One+" nothing: /x shows them" {
		t.Error(err)
	}
	if _, err := f.Find(l, "ab", "/x"); err == nil || (f.Named == "id") != strings.Contains(err.Error(), "more than one "+f.One) {
		t.Error(err)
	}
}

func contractOfAction(t *testing.T, f Feature, a Action, l List) {
	e := l.Entries[max(slices.IndexFunc(l.Entries, func(e Entry) bool { return a.Fits(e) == nil }), 0)]
	if a.Whole {
		e = Entry{}
	}
	if a.Fits(e) != nil { // none of these is in such a state
		a.Not = nil
	}
	of := &fake{}
	out, err := a.Run(t.Context(), hostOf(of), e, " text ")
	goes := out.Draft+out.Session != "" // the front end does the rest
	if err != nil || !goes && (out.Said+out.Text == "" || len(of.did) != 1 || !strings.Contains(of.did[0], e.ID)) {
		t.Errorf("%s: %+v, %v, did %q", a.Verb, out, err, of.did)
	}
	if a.Text != nil && !strings.Contains(of.did[0], "text") {
		t.Errorf("%s: the text does not arrive: %q", a.Verb, of.did)
	}
	if out.Undo != nil {
		if back, err := out.Undo(t.Context()); err != nil || back.Said == "" || len(of.did) != 2 {
			t.Errorf("%s taken back: %+v, %v, did %q", a.Verb, back, err, of.did)
		}
	}
	if _, err := a.Run(t.Context(), hostOf(&fake{err: errFake}), e, "text"); !goes && of.did[0] != "renew" && !errors.Is(err, errFake) {
		t.Errorf("%s: %v", a.Verb, err)
	}
	if _, err := a.Run(t.Context(), hostOf(&fake{err: errFake}), e, ""); a.Text != nil && !a.Text.Optional && err.Error() != a.Verb+" needs "+a.Text.Name {
		t.Errorf("%s without a text: %v", a.Verb, err)
	}
	if a.Key != "" && !a.Whole && f.Actions[slices.IndexFunc(f.Actions, func(of Action) bool { return of.Verb == a.Verb })].Fits(e) == nil {
		if got, err := f.Keyed(a.Key, &e); err != nil || got.Key != a.Key {
			t.Errorf("the key of %s is for %s, %v", a.Verb, got.Verb, err)
		}
	}
	for _, word := range append(a.Also, a.Verb) {
		if got, ok := f.Action(word); !ok || got.Verb != a.Verb {
			t.Errorf("%q is %q", word, got.Verb)
		}
	}
	if a.Help == "" {
		t.Errorf("%s has no help", a.Verb)
	}
}

// TestBroken: what cannot be read is not enabled.
func TestBroken(t *testing.T) {
	t.Parallel()
	f, _ := Named("plugins")
	of := &fake{}
	l, err := f.Load(t.Context(), hostOf(of), "word")
	if err != nil {
		t.Fatal(err)
	}
	e, err := f.Find(l, "ab3", "/plugins")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Actions[0].Do(t.Context(), hostOf(of), e, "text"); err == nil || err.Error() != "the plugin ab3 cannot be read: of broken" || len(of.did) > 0 {
		t.Errorf("%v, did %q", err, of.did)
	}
}
