package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/tools/hunks"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/layers"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/recall"
	"hermes-tui/ui/review"
	"hermes-tui/ui/rewind"
	"hermes-tui/ui/search"
	"hermes-tui/ui/usage"
)

// known is a conversation of which only the session is known, for lists that mark it.
type known struct{ app.Conversation }

func (known) Session() event.SessionID   { return "s1" }
func (known) Meaningful() (bool, string) { return false, "" }
func (known) SideCalls() []app.SideUse   { return nil }
func (known) HeldInstructions() []app.HeldInstructions {
	return []app.HeldInstructions{{Name: "AGENTS.md", File: "/home/me/project/AGENTS.md", Why: "it reads like an attack: ignore all previous instructions"}}
}

// noon is when the screens of these tests are looked at: an hour after what happens in them.
func noon() time.Time { return time.Unix(1_700_003_600, 0).UTC() }

// someSettings are some of them, as a user may have set them.
func someSettings() []app.Setting {
	list := make([]app.Setting, 3)
	a, b, c := &list[0], &list[1], &list[2]
	a.Name, a.Type, a.Doc, a.Value, a.Default, a.Source = "display.theme", "text", "Colours of the screen: auto, a theme or a skin.", "cream", "auto", "/home/me/.hermes/config.yaml:3"
	a.Class, a.Env = "live", "HERMES_TUI_THEME"
	b.Name, b.Type, b.Doc, b.Value, b.Default, b.Source = "agent.max_turns", "whole number", "Model calls that one turn of the root agent may make.", "90", "90", "default"
	b.Class, b.Min, b.Max = "turn", 1, 100_000
	c.Name, c.Type, c.Doc, c.Source = "keys", "lists of texts by name", "Keys by the name of an action 漢字.", "default"
	return list
}

func before(d time.Duration) time.Time { return noon().Add(-d) }

// boxes are the windows over the screen, each with what it may list, by name.
func boxes() map[string]func(*Model) {
	with := func(open func(m *Model)) func(*Model) {
		return func(m *Model) {
			busy(m)
			m.conv = known{}
			shown(m)
			open(m)
		}
	}
	long := strings.Repeat("many words of it ", 12)
	return map[string]func(*Model){
		"settings": with(func(m *Model) {
			m.openConfig("")
			w := m.box.(*configWindow)
			m.dispatch(configMsg{w, someSettings()})
			w.Look()
		}),
		"setting": with(func(m *Model) {
			m.openConfig("")
			w := m.box.(*configWindow)
			m.dispatch(configMsg{w, someSettings()})
			configEditMsg{w, "agent.max_turns"}.handle(m)
		}),
		"palette": with(func(m *Model) { m.openPalette() }),
		"jumps":   with(func(m *Model) { m.openJumps() }),
		"prompts": with(func(m *Model) { rewind.Open(slot{m}) }),
		"goes back": with(func(m *Model) {
			rewind.Open(slot{m})
			m.dispatch(rewind.BackTo{Turn: "t1"})
			p := m.box.(*overlay.Picker)
			p.SetItems(p.Load(), rewind.Ways(app.RewindPlan{
				Restored:  []app.RewoundFile{{Path: "/home/me/project/store/append.go"}, {Path: "/home/me/project/漢字.go", Note: "is made again"}},
				Conflicts: []app.RewoundFile{{Path: "/home/me/project/main.go", Note: "was changed since by another program"}},
			}, nil))
		}),
		"bookmarks": with(func(m *Model) {
			m.syncBookmarks([]event.BlockID{"b1", "b2"})
			m.openBookmarks()
		}),
		"recall": with(func(m *Model) {
			m.openRecall()
			m.dispatch(recalledMsg{gen: m.recalls, list: recall.Ready([]recall.Prompt{
				{Text: "fix the store test 漢字", At: before(time.Hour)}, {Text: "a longer one\nwith a second line\n" + long, At: before(50 * time.Hour)},
			})})
		}),
		"search": with(func(m *Model) {
			search.Open(slot{m}, "")
			m.dispatch(m.box.Type("store"))
			w := m.box.(*search.Window)
			m.dispatch(search.Hits{Of: w, Gen: w.Load(), List: []app.Match{
				{SessionInfo: app.SessionInfo{Session: "s1", Title: "fix the flaky store test", Dir: "/home/me/project"}, Total: 2, Hits: []app.Hit{
					{Message: "m1", Session: "s1", Role: "user", At: before(time.Hour), Text: "The store test fails one run in ten.", Marks: []int{4, 9}},
					{Message: "m9", Session: "s1", Role: "tool", At: before(2 * time.Hour), Text: long + " 漢字 store", Marks: []int{len(long) + 8, len(long) + 13}},
				}},
				{SessionInfo: app.SessionInfo{Session: "s2", Preview: "another one", Dir: "/srv/else"}, Total: 400, More: true, Hits: []app.Hit{
					{Message: "m3", Session: "s2", Way: "w", Role: "assistant", At: before(900 * time.Hour), Text: "a store of things", Marks: []int{2, 7}},
				}},
			}})
		}),
		"session list": with(func(m *Model) { m.openSessions(); listed(m) }),
		"branches": with(func(m *Model) {
			m.openTree()
			listed(m)
		}),
		"held elsewhere": with(func(m *Model) { m.openHeld(&app.HeldError{Conv: "s2"}) }),
		"context":        with(func(m *Model) { layers.Show(slot{m}, someLayers(), false) }),
		"tools": with(func(m *Model) {
			l := someLayers()
			l.List, l.Pieces = l.List[2:4], nil
			layers.Show(slot{m}, l, true)
		}),
		"pieces": with(func(m *Model) { layers.ShowPieces(slot{m}, someLayers()) }),
		"hooks": with(func(m *Model) {
			listedIn(m, "hooks", feature.Host{Hooks: someHooks{list: []api.Hook{
				{ID: "1", Event: "pre_tool_call", Command: "~/hooks/check.sh 漢字", Matcher: "terminal", File: "config.yaml", State: "new"},
				{ID: "2", Event: "post_tool_call", Command: "gofmt -l .", File: ".claude/settings.json", Folder: true, State: "approved", Runs: []api.HookRun{{At: before(time.Minute), Took: 4 * time.Millisecond, Tool: "patch", Outcome: "ok"}}},
				{ID: "3", Event: "session_end", Command: long, File: "config.yaml", State: "changed", Why: "the script is another one"},
			}, problems: []string{"config.yaml: hooks.never: there is no such event"}}, Now: m.now})
		}),
		"servers": with(func(m *Model) {
			listedIn(m, "mcp", feature.Host{Servers: quiet{}, Project: someServers{list: []api.MCPServer{
				{Name: "files", Origin: "config.yaml", Runs: "npx server-filesystem /srv", State: "ready", Tools: []api.MCPTool{{Name: "read", Description: "reads", Tokens: 120}, {Name: "write", Tokens: 210}}},
				{Name: "漢字", Origin: ".mcp.json", Runs: "https://mcp.example/" + long, State: "needs login", Next: "l logs in"},
				{Name: "broken", Origin: "config.yaml", Runs: "nope", State: "failed", Why: "nope is not installed", Next: "put it on the PATH"},
				{Name: "rested", Origin: "plugin acme", Runs: "acme", State: "off", OffHere: true},
			}, problems: []string{"config.yaml: mcp_servers.x: neither command nor url"}}})
		}),
		"plugins": with(func(m *Model) {
			listedIn(m, "plugins", feature.Host{Plugins: somePlugins{list: []api.Plugin{
				{Name: "acme", Version: "1.2.0", Description: long, State: "disabled", Skills: []string{"deploy"}, Tools: []string{"ship"}, At: before(30 * time.Hour)},
				{Name: "漢字", State: "enabled", Servers: []string{"x"}, Hooks: []string{"pre_tool_call"}},
				{Name: "torn", State: "broken", Why: "plugin.json is not JSON"},
			}}})
		}),
		"skills": with(func(m *Model) {
			m.openSkills("")
			m.dispatch(skillsMsg{gen: m.gen, list: []app.Skill{
				{Name: "refactoring", Description: "Changes the form of code and not what it does. " + long, Origin: "bundled", State: "ready", Path: "/s/refactoring", Listed: 40, Text: 900, Uses: 3, Callable: true, Offered: true},
				{Name: "漢字", Description: "Of this project.", Origin: "project", State: "held", Why: "not allowed yet", Path: "/p/x", Listed: 20, Text: 100},
				{Name: "pinned", Description: "Mine.", Origin: "home", State: "ready", Path: "/h/pinned", Listed: 20, Text: 400, Pinned: true, Callable: true, Offered: true},
			}, problems: []app.SkillProblem{{Path: "/h/bad/SKILL.md", Text: "line 2: no name"}}})
		}),
		"instructions": with(func(m *Model) { listedIn(m, "instructions", feature.Host{Instructions: known{}}) }),
		"memory": with(func(m *Model) {
			listedIn(m, "memory", feature.Host{Now: m.now, Here: known{}, Memory: someMemory{list: []api.Memory{
				{ID: "a", Target: "memory", Text: "Tests run with -count=1. " + long, At: before(70 * time.Hour), Project: "/home/me/project"},
				{ID: "b", Target: "user", Text: "Likes short answers 漢字.", At: before(700 * time.Hour)},
			}, use: api.MemoryUse{Notes: 40, User: 4}}})
		}),
		"learnings": with(func(m *Model) {
			listedIn(m, "learnings", feature.Host{Now: m.now, Learnings: someLearnings{list: []api.Learning{
				{ID: "1", Failed: "go test ./store", Error: "exit 1", Fix: "set TMPDIR to a disk with room", At: before(20 * time.Hour), Used: 4},
				{ID: "2", Failed: "漢字 " + long, Fix: long, At: before(200 * time.Hour)},
			}, unread: 1}})
		}),
		"permissions": with(func(m *Model) {
			h := feature.Host{Now: m.now, Permissions: somePermissions{}, Home: m.state.Work.Home}
			listedIn(m, "permissions", h)
			w := m.box.(*featureWindow)
			openView(m, w, w.of.Views[0], "")
			list, err := w.of.Load(m.ctx, h, "")
			m.dispatch(featureMsg{window: w, read: w.reads, list: list, err: err})
			w.undone[list.Entries[1].ID] = feature.Outcome{Gone: "taken back · enter gives it again"}
			w.relist()
		}),
		"models": with(func(m *Model) {
			m.models.list.Begin()
			m.models.list.Put(app.ModelGroup{Provider: "p", Host: "h.example", Label: "Provider 漢字", Key: "env P_KEY", Models: []app.ModelInfo{
				{Provider: "p", Label: "Provider", Name: "a-model-with-a-name", ContextMax: 200_000, OutputMax: 32_000},
				{Provider: "p", Label: "Provider", Name: "small", ContextMax: 32_000},
			}})
			m.models.list.Put(app.ModelGroup{At: 1, Provider: "q", Host: "q.example", Label: "Another", Problem: "it does not answer"})
			m.models.list.End()
			m.models.list.SetCurrent(m.state.Model)
			m.models.feed = &modelFeed{cancel: func() {}}
			m.openModels()
		}),
		"usage": with(func(m *Model) {
			usage.OpenUsage(slot{m})
			day := time.Date(2023, 11, 14, 0, 0, 0, 0, time.Local)
			m.dispatch(usage.Spending{Of: m.box.(*usage.Window), Turns: []app.TurnUse{
				{Turn: "t1", At: day.Add(14 * time.Hour), Agents: 2, Usage: event.Usage{Input: 61_000, Output: 4000, Calls: 5, Cost: event.Dollar / 4}},
			}, Days: []app.DayUse{
				{Day: day.AddDate(0, 0, -1), Sessions: 3, Calls: 40, Input: 900_000, Output: 40_000, Cost: 2 * event.Dollar}, {Day: day, Sessions: 1, Calls: 5, Input: 61_000, Output: 4000},
			}})
		}),
		"review": with(func(m *Model) {
			m.openReview(reviewing{request: "q9"}, review.Options{Title: "The agent wants to change", Edit: &event.Edit{Files: []event.EditFile{
				{Name: "漢字.go", Op: hunks.Change, Pieces: 1, Diff: sampleDiff, Added: 1, Removed: 1}, {Name: "key.pem", Op: hunks.Change, Pieces: 1, Opaque: "it is not text"},
			}}})
		}),
		"agents": func(m *Model) { family(m) },
		"grid":   func(m *Model) { family(m); shown(m); m.openGrid() },
		"timeline": func(m *Model) {
			family(m)
			shown(m)
			m.openTimeline("t1", "a1")
		},
		"an agent": func(m *Model) { family(m); shown(m); m.promote("a1") },
	}
}

// listed fills an open list of sessions.
func listed(m *Model) {
	w := m.box.(*sessionsWindow)
	m.dispatch(sessionsMsg{of: w, gen: w.gen, list: []app.SessionInfo{
		{Session: "s1", Title: "fix the flaky store test", Preview: "The store test fails", Model: "opus", Dir: "/home/me/project", LastActive: before(time.Minute), Messages: 12},
		{Session: "s2", Title: "fix the flaky store test #2", Dir: "/home/me/project", LastActive: before(time.Hour), Messages: 4, Branch: true, Depth: 1},
		{Session: "s3", Preview: "a first prompt without a title 漢字 " + strings.Repeat("and more ", 20), Dir: "/srv/else", LastActive: before(99 * time.Hour), Messages: 1400, Shortened: true},
		{Session: "s4", Title: "put away", Dir: "/srv/else", LastActive: before(999 * time.Hour), Archived: true},
	}})
}

// layers are what a model may get.
func someLayers() app.Layers {
	return app.Layers{
		Model: "opus", Window: 200_000, Tokens: 96_000, Room: 100_000, Warm: 60_000, Cost: event.Dollar / 3, Priced: true,
		List: []app.Layer{
			{Kind: "system", Name: "identity", Text: "You are an agent.", Tokens: 900, Fixed: "always there"}, {Kind: "system", Name: "AGENTS.md", Text: "Run the tests.", Tokens: 2100, ID: "l1", Room: 4000, Setting: "context.instructions"},
			{Kind: "tool", Name: "terminal", Text: "runs a command", Tokens: 800, ID: "l2"}, {Kind: "tool", Name: "漢字", Text: "reads a file", Server: "files", Tokens: 330, ID: "l3"},
			{Kind: "history", Name: "user", Items: 9, Tokens: 4000}, {Kind: "history", Name: "tool", Items: 40, Tokens: 80_000}, {Kind: "reserve", Name: "answer", Tokens: 8000},
		},
		Left: []app.Layer{{Kind: "tool", Name: "browser", Tokens: 1200, ID: "l4", Left: true}},
		Pieces: []app.Piece{
			{ID: "p1", Kind: "prompt", Name: "The store test fails one run in ten. 漢字", Tokens: 20, Pinned: true},
			{ID: "p2", Kind: "result", Name: "go test ./...", Tool: "terminal", Tokens: 9000}, {ID: "p3", Kind: "result", Name: "a.go", Tool: "read_file", Tokens: 3000, Dropped: true},
		},
	}
}

// family has a turn with subagents in several states.
func family(m *Model) {
	busy(m)
	for i, goal := range []string{"Read the store 漢字", "Find what is shared between tests", "Write a test that fails " + strings.Repeat("each time ", 20)} {
		id := event.AgentID(fmt.Sprint("a", i+1))
		of := func(e event.Event) event.Event {
			*e.Head() = event.Meta{At: time.Unix(1_700_000_100+int64(i), 0), Conv: "c", Session: "s", Agent: id, Turn: "t1"}
			return e
		}
		for _, e := range []event.Event{
			of(&event.AgentSpawned{Parent: "root", Tree: "t1", Call: "k4", Index: i, Depth: 1, Role: "leaf", Goal: goal, Model: "opus", Budget: 30}),
			of(&event.TurnStarted{Budget: 30}),
			of(&event.ToolStarted{Call: event.CallID(fmt.Sprint("c", i)), View: event.CallView{Kind: event.ViewCommand, Name: "terminal", Subject: "go test ./store"}}),
			of(&event.TextDelta{Block: event.BlockID(fmt.Sprint("x", i)), Text: "I have looked at " + goal}),
		} {
			event.Stamp(e)
			m.dispatch(eventsMsg{gen: m.gen, events: []event.Event{e}})
		}
	}
	m.view.agent = ""
}

// listedIn opens the window of a feature with what a host holds.
func listedIn(m *Model, name string, h feature.Host) {
	f, _ := feature.Named(name)
	m.openFeature(f, "")
	list, err := f.Load(m.ctx, h, "")
	w := m.box.(*featureWindow)
	m.dispatch(featureMsg{window: w, read: w.reads, list: list, err: err})
}

type (
	anyHooks   = api.Hooks // a field cannot have the name of its method
	anyPlugins = api.Plugins
	anyJobs    = api.Jobs
	anyServers = api.Servers
	allServers = api.AllServers

	anyLearnings = api.Learnings
	anyMemory    = api.Memories
)

type someHooks struct {
	anyHooks
	list     []api.Hook
	problems []string
}

func (s someHooks) Hooks(context.Context) ([]api.Hook, []string) { return s.list, s.problems }

type somePlugins struct {
	anyPlugins
	list []api.Plugin
}

func (s somePlugins) Plugins() ([]api.Plugin, error) { return s.list, nil }

type someJobs struct {
	anyJobs
	list []api.Job
}

func (s someJobs) Jobs() []api.Job            { return s.list }
func (someJobs) JobsChanged() <-chan struct{} { return nil }

type quiet struct{ allServers }

func (quiet) MCPNews() <-chan struct{} { return nil }

type someServers struct {
	anyServers
	list     []api.MCPServer
	problems []string
}

func (s someServers) MCPServers() ([]api.MCPServer, []string)     { return s.list, s.problems }
func (someServers) SwitchMCP(context.Context, string, bool) error { return nil }

type someLearnings struct {
	anyLearnings
	list   []api.Learning
	unread int
}

func (s someLearnings) Learnings() ([]api.Learning, int, error) { return s.list, s.unread, nil }

type someMemory struct {
	anyMemory
	list []api.Memory
	use  api.MemoryUse
}

func (s someMemory) Memory() ([]api.Memory, api.MemoryUse, error) { return s.list, s.use, nil }
func (someMemory) MemoryPending() ([]api.MemoryChange, error)     { return nil, nil }

type anyPermissions = api.Permissions

type somePermissions struct{ anyPermissions }

func (somePermissions) Permissions(context.Context) ([]api.Permission, []api.Decided, error) {
	long := strings.Repeat("many words of it ", 12)
	return []api.Permission{
			{Kind: api.PermissionAlways, Text: "git push *", Example: "git push origin main", Since: before(90 * time.Hour), Used: before(time.Hour)},
			{Kind: api.PermissionFolder, Text: "/home/me/project/漢字", Since: before(time.Hour)},
			{Kind: api.PermissionRule, Text: "deny read ~/.ssh/**"},
		}, []api.Decided{
			{At: before(time.Minute), Subject: "rm -rf build " + long, Outcome: "deny", By: "user", Why: "deletes folders"},
			{At: before(time.Hour), Subject: "go test ./...", Outcome: "allow", By: "rule", Why: "go test *"},
			{At: before(5 * time.Hour), Subject: "make", Outcome: "allow", By: "person", Session: "Build it 漢字"},
		}, nil
}

// TestLateListIsDropped: a list that was on its way when another one was asked for in its window
// does not replace that one, in whatever order they come.
func TestLateListIsDropped(t *testing.T) {
	m := newScreen(t, 80, 24, settingsOfTests())
	screens()["permissions"](m) // of all sessions, after those of one
	w := m.box.(*featureWindow)
	all := len(w.list.Entries)
	m.dispatch(featureMsg{window: w, read: w.reads - 1, list: feature.List{Entries: w.list.Entries[:1]}})
	if got := len(w.list.Entries); got != all || all < 2 {
		t.Errorf("%d entries, where all sessions have %d", got, all)
	}
}
