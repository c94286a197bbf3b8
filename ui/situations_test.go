package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/api"
	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/ui/feature"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/rewind"
	"hermes-tui/ui/transcript"
)

// settingsOfTests are usual settings.
func settingsOfTests() app.Settings {
	return app.Settings{Theme: "dark", Busy: "queue", ShowReasoning: true, Mouse: true, OutputLines: 4, PasteLines: 5, PasteChars: 2000}
}

func size(w, h int) tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: w, Height: h} }

// newScreen is a screen of a size before its conversation is there. Commands
// are not run: what happens comes as events.
func newScreen(t testing.TB, w, h int, s app.Settings) *Model {
	t.Helper()
	m, problems := New(Options{Now: time.Now, Settings: s, Dir: "/home/me/project", Home: "/home/me"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	t.Cleanup(m.cancel)
	m.onSize(size(w, h))
	return m
}

// whole checks that a frame has exactly its rows and each row exactly its cells.
func whole(t *testing.T, m *Model, when string) {
	t.Helper()
	m.dirty = true
	lines := strings.Split(drawn(m), "\n")
	if len(lines) != m.h {
		t.Fatalf("%s: %d rows of %d", when, len(lines), m.h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != m.w {
			t.Fatalf("%s: row %d has %d cells of %d: %q", when, i, n, m.w, l)
		}
	}
}

// happen lets events reach the screen as a conversation delivers them.
func happen(m *Model, events ...event.Event) {
	for i, e := range events {
		*e.Head() = event.Meta{At: time.Unix(1_700_000_000+int64(i), 0), Conv: "c", Session: "s", Agent: "root", Turn: e.Head().Turn}
		if e.Head().Turn == "" && m.state.Root() != nil {
			e.Head().Turn = "t1"
		}
		event.Stamp(e)
	}
	m.dispatch(eventsMsg{gen: m.gen, events: events})
}

// situations are the screens that a user may see, by name.
func situations() map[string]func(*Model) {
	return map[string]func(*Model){
		"starting": func(*Model) {},
		"glimpse": func(m *Model) {
			m.Update(glimpsedMsg{answered(20)})
			m.setFocus(focusTranscript)
		},
		"idle":       begun,
		"writing":    func(m *Model) { begun(m); m.composer.Insert(strings.Repeat("a long draft 漢字 ", 40)) },
		"command":    func(m *Model) { begun(m); m.onKey(tea.KeyPressMsg{Code: '/', Text: "/"}) },
		"busy":       busy,
		"drawer":     func(m *Model) { busy(m); m.view.drawer = drawerByHand },
		"queue":      queued,
		"question":   asked,
		"armed":      func(m *Model) { asked(m); shown(m); m.panel.Arm() },
		"clarify":    clarified,
		"transcript": func(m *Model) { busy(m); m.setFocus(focusTranscript) },
		"scrolled":   func(m *Model) { busy(m); shown(m); m.transcript.Top() },
		"selecting":  func(m *Model) { busy(m); shown(m); m.setFocus(focusTranscript); m.selectText() },
		"selected": func(m *Model) {
			asked(m)
			shown(m)
			m.transcript.Top()
			m.transcript.StartSelection(3, 0, transcript.Cells)
			m.transcript.ExtendSelection(30, 0)
		},
		"timed": func(m *Model) { busy(m); m.showTimes(true) },
		"help":  func(m *Model) { busy(m); m.openHelp() },
		"pager": func(m *Model) {
			busy(m)
			m.dispatch(pagerMsg{overlay.NewPager(m.styles, "title", strings.Repeat("\tsome output 漢字\n", 200), nil), nil})
		},
		"sessions": func(m *Model) {
			begun(m)
			p := overlay.NewPicker(m.styles, overlay.PickerOptions{Title: "Sessions", Empty: "None."})
			p.SetItems(p.Load(), []overlay.Item{{ID: "1", Label: "one 漢字", Detail: "3 messages · ~/x", Right: "now", Current: true}, {ID: "2", Label: "two", Disabled: "gone"}})
			m.show(p)
		},
		"jobs": func(m *Model) {
			begun(m)
			f, _ := feature.Named("jobs")
			m.openFeature(f, "")
			w := m.featured
			list, _ := f.Load(m.ctx, feature.Host{Now: func() time.Time { return time.Unix(1_700_000_100, 0) }, Jobs: someJobs{list: []api.Job{
				{ID: "1", Command: "sleep 300\n漢字 " + strings.Repeat("word ", 40), Dir: "/elsewhere", State: "running", Running: true, Started: time.Unix(1_700_000_000, 0)},
				{ID: "2", Command: "make", State: "still running", Running: true},
			}}}, "")
			list.Again = 0
			m.dispatch(featureMsg{window: w, read: w.reads, list: list})
			w.SetTail("1", strings.Repeat("\x1b[31m漢字\t👩‍👩‍👧 output\r\n", 300))
		},
		"diff": func(m *Model) {
			begun(m)
			m.dispatch(pagerMsg{overlay.NewPagerOf(m.styles, "Changed", sampleDiff, rewind.Changes(sampleDiff, []string{"Not watched: 漢字 " + strings.Repeat("word ", 40)}), nil), nil})
		},
		"themes": func(m *Model) {
			busy(m)
			m.openThemes()
			m.Update(themesMsg{m.box.(*themesWindow), m.o.Themes.List()})
		},
		"find": func(m *Model) {
			begun(m)
			shown(m)
			m.commandFind("the")
		},
		"editing": func(m *Model) { page(m, "Edit") },
		"all":     func(m *Model) { page(m, "All 2 like this…") },
		"password": func(m *Model) {
			busy(m)
			happen(m, &event.Requested{Request: event.Request{ID: "q3", Kind: event.RequestSecret, Path: []string{"root"}, Secret: &event.Secret{Label: "sudo password of root", Reason: "sudo make install"}}})
			shown(m)
			m.panel.Arm()
			m.panel.Text("secret 漢字")
		},
		"note": func(m *Model) { begun(m); m.say(strings.Repeat("A long note for the user. ", 12)) },
		"blocked": func(m *Model) {
			busy(m)
			happen(m, &event.PhaseChanged{Phase: event.PhaseBlocked, Detail: "No space left."})
		},
	}
}

// begun has a conversation in which something was said.
func begun(m *Model) {
	work := event.Workspace{Dir: "/home/me/project", Root: "/home/me/project", Branch: "main", Dirty: true, Trusted: true, Place: "local", Home: "/home/me"}
	happen(m,
		&event.AgentSpawned{Role: "root", Model: "opus"},
		&event.StatusChanged{Model: &event.Model{Provider: "p", Name: "a-model-with-a-name", Host: "h.example", ContextMax: 200_000, Effort: "high"}, Mode: event.ModeManual, Work: &work},
	)
	happen(m,
		&event.TurnStarted{Budget: 90},
		&event.MessageCommitted{Message: "m1", Role: event.RoleUser, Block: "b1", Text: "The store test fails one run in ten. 漢字 👩‍👩‍👧 Find out why."},
		&event.MessageCommitted{Message: "m2", Role: event.RoleAssistant, Block: "b2", Text: answerText, Reasoning: &event.Reasoning{Block: "b3", Text: "Let me see.", Took: 4 * time.Second}},
		&event.UsageUpdated{Usage: event.Usage{Input: 61_000, Output: 4000, Calls: 1}, Context: event.Context{Used: 96_000, Max: 200_000}, Final: true},
		&event.TurnFinished{Outcome: event.TurnCompleted, Calls: 1, Took: 41 * time.Second},
		&event.TitleChanged{Title: "fix the flaky store test"},
	)
}

const answerText = "# A heading\n\nText with `code`, **bold** and a [link](https://example.org).\n\n- one\n- two\n\n" +
	"| a | b |\n|---|---|\n| 漢字 | " + "a cell with many words in it" + " |\n\n```go\nfunc main() {\n\tprintln(\"a line that is longer than most screens are wide, and then some more of it\")\n}\n```\n"

// busy has a running turn with everything in it: reasoning, calls in all states,
// tasks, and a streaming answer.
func busy(m *Model) {
	begun(m)
	view := func(kind event.ViewKind, name, subject string) event.CallView {
		return event.CallView{Kind: kind, Name: name, Subject: subject}
	}
	heads := []event.CallHead{
		{Call: "k1", View: view(event.ViewTodo, "todo", "plan 4 tasks")}, {Call: "k2", View: view(event.ViewCommand, "terminal", "go test ./...")},
		{Call: "k3", View: view(event.ViewWrite, "patch", "store/append.go")}, {Call: "k4", View: view(event.ViewRead, "read_file", "a.go")},
	}
	exit := 1
	happen(m,
		&event.TurnStarted{Budget: 90},
		&event.MessageCommitted{Message: "m3", Role: event.RoleUser, Block: "b4", Text: "go on"},
		&event.MessageCommitted{Message: "m4", Role: event.RoleAssistant, Block: "b5", Text: "I will look.", Calls: heads},
		&event.ToolStarted{Call: "k1", View: heads[0].View},
		&event.ToolFinished{Call: "k1", Outcome: event.OutcomeOK, View: event.CallView{Kind: event.ViewTodo, Name: "todo", Subject: "1 of 4 done", Body: "✓ Read the code\n"}},
		&event.TodosChanged{Items: []event.Todo{
			{ID: "1", Content: "Read the code", Status: event.TodoCompleted}, {ID: "2", Content: "Find the shared state 漢字, which may take long", Status: event.TodoInProgress},
			{ID: "3", Content: "Fix it", Status: event.TodoPending}, {ID: "4", Content: "Run the suite ten times", Status: event.TodoPending},
		}},
		&event.ToolStarted{Call: "k2", View: heads[1].View},
		&event.ToolFinished{Call: "k2", Outcome: event.OutcomeFailed, Took: 12 * time.Second, View: event.CallView{
			Kind: event.ViewCommand, Name: "terminal", Subject: "go test ./...", Body: strings.Repeat("FAIL\tstore 漢字\n", 40), Exit: &exit,
		}},
		&event.ToolStarted{Call: "k3", View: heads[2].View},
		&event.ToolOutput{Call: "k3", Text: "line one\r50%\r100%\nline two\x1b[31m red\n"},
		&event.ToolDrafting{Call: "k5", Name: "terminal", Bytes: 1200},
		&event.PhaseChanged{Phase: event.PhaseAnswering},
		&event.ReasoningDelta{Block: "b6", Text: "hm "},
		&event.TextDelta{Block: "b7", Text: answerText},
	)
}

// queued has texts that wait.
func queued(m *Model) {
	busy(m)
	var list []event.Queued
	for i := range 6 {
		list = append(list, event.Queued{ID: event.InputID(fmt.Sprint("i", i)), Text: strings.Repeat("next thing 漢字 ", i+1), Steer: i == 1})
	}
	happen(m, &event.QueueChanged{Queue: list})
	m.held = true
}

// asked has a question about a command.
func asked(m *Model) {
	busy(m)
	happen(m, &event.Requested{Request: event.Request{
		ID: "q1", Kind: event.RequestApproval, Agent: "root", Path: []string{"root"}, Call: "k3", Approval: &event.Approval{
			Action: "run", Text: "git push --force-with-lease origin " + strings.Repeat("very-long-name-", 20), SHA256: "00", Reason: "rewrites the remote branch",
			Category: "git", Words: []string{"--force-with-lease"}, Dir: "/home/me/project", Rule: "git push *",
		},
	}})
}

// clarified has a question of the model.
func clarified(m *Model) {
	busy(m)
	happen(m, &event.Requested{Request: event.Request{
		ID: "q2", Kind: event.RequestClarify, Agent: "root", Path: []string{"root"},
		Clarify: &event.Clarify{Question: "Which colour should 漢字 be?", Choices: []string{"red", "green", strings.Repeat("blue ", 30)}},
	}})
	shown(m) // what was not seen takes no keys
	m.panel.Arm()
}

// sampleDiff has a changed line that is wider than most screens.
const sampleDiff = "--- a/漢字.go\n+++ b/漢字.go\n@@ -1,3 +1,3 @@\n package x\n-\tprintln(\"one 👩‍👩‍👧\")\n+\tprintln(\"a line that is longer than most screens are wide, and then some more of it 漢字漢字漢字漢字漢字漢字漢字\")\n end\n"

// page has two questions of a kind and opens a page of the first.
func page(m *Model, row string) {
	busy(m)
	for _, id := range []event.RequestID{"q1", "q2"} {
		happen(m, &event.Requested{Request: event.Request{
			ID: id, Kind: event.RequestApproval, Agent: "root", Path: []string{"root"}, Approval: &event.Approval{
				Action: "run", Text: "rm -rf 漢字\n" + strings.Repeat("word ", 30), Reason: "deletes folders", Dir: "/home/me/project", Rule: "rm *", Editable: true,
			},
		}})
	}
	shown(m)
	for range 40 { // until all of it was in sight
		m.panel.PageDown()
		shown(m)
	}
	m.panel.Arm()
	marked := regexp.MustCompile(`▸ \d ` + regexp.QuoteMeta(row))
	for range 8 {
		shown(m)
		if marked.MatchString(ansi.Strip(drawn(m))) {
			break
		}
		m.panel.Right()
	}
	m.panel.Accept()
}
