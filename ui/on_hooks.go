package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/ui/format"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
)

// hookShelf is what the screen knows of hooks.
type hookShelf struct {
	list     []app.Hook
	problems []string
	window   *hooksWindow // opened last
}

// hooksMsg brings the hooks of a conversation.
type hooksMsg struct {
	gen      int
	list     []app.Hook
	problems []string
}

// hooksWindow lists the hooks.
type hooksWindow struct {
	*overlay.Picker
	gen uint64 // of its entries
}

// hookMsg asks for something to be done with a hook of the list.
type hookMsg struct {
	id string
	do keys.Action
}

// hookDoneMsg says that it was done, or why not.
type hookDoneMsg struct {
	said string
	err  error
}

// Contexts are where the window has keys of its own.
func (*hooksWindow) Contexts() []keys.Context { return []keys.Context{keys.InHooks} }

// Name is what the window is called by those opened out of it.
func (*hooksWindow) Name() string { return "hooks" }

// Act implements [overlay.Box].
func (w *hooksWindow) Act(a keys.Action) overlay.Request {
	switch a {
	case keys.Allow, keys.Disable, keys.Try:
		if it, ok := w.Selected(); ok {
			return hookMsg{it.ID, a}
		}
		return nil
	}
	return w.Picker.Act(a)
}

// openHooks lists the hooks.
func (m *Model) openHooks() tea.Cmd {
	hints := m.windowHints("read", m.hints(keys.InHooks, keys.Allow, keys.Disable, keys.Try))
	w := &hooksWindow{Picker: overlay.NewPicker(m.styles, overlay.PickerOptions{
		Title: "Hooks", Empty: "There are no hooks: hooks in config.yaml are commands that run at points of a session.", Hints: hints,
		Chosen: func(it overlay.Item) overlay.Request { return hookMsg{it.ID, keys.Open} },
	})}
	w.gen = w.Load()
	m.hooks.window = w
	m.show(w)
	return m.loadHooks()
}

// loadHooks reads the hooks.
func (m *Model) loadHooks() tea.Cmd {
	conv, ctx, gen := m.conv, m.ctx, m.gen
	return m.do(func() tea.Msg {
		list, problems := conv.Hooks(ctx)
		return hooksMsg{gen, list, problems}
	})
}

func (msg hooksMsg) handle(m *Model) tea.Cmd {
	if msg.gen != m.gen {
		return nil
	}
	m.hooks.list, m.hooks.problems = msg.list, msg.problems
	w := m.hooks.window
	if w == nil || m.box != w {
		return nil
	}
	w.SetItems(w.gen, hookItems(msg.list, msg.problems, m.now()))
	m.dirty = true
	return m.dispatch(w.Search())
}

// The headers of the list, in their order.
var hookGroups = []struct{ state, title string }{
	{"new", "Not run until you approve them"},
	{"changed", "Changed since you approved them, and not run"},
	{"broken", "Can never run"},
	{"approved", "Approved"},
	{"off", "Switched off"},
}

// hookItems are the rows of the window.
func hookItems(list []app.Hook, problems []string, now time.Time) []overlay.Item {
	var items []overlay.Item
	for i, p := range problems {
		items = append(items, overlay.Item{ID: problemID + strconv.Itoa(i), Label: p, Group: "Not read"})
	}
	for _, g := range hookGroups {
		for _, h := range list {
			if h.State != g.state {
				continue
			}
			it := overlay.Item{ID: h.ID, Label: h.Event, Detail: h.Command, Group: g.title}
			if h.State == "broken" {
				it.Detail = h.Why + ": " + h.Command
			}
			var right []string
			if h.Matcher != "" {
				right = append(right, h.Matcher)
			}
			if h.FailClosed {
				right = append(right, "has to agree")
			}
			if h.Outside {
				right = append(right, "with all rights")
			}
			if h.Folder {
				right = append(right, "of this folder")
			}
			if len(h.Runs) > 0 {
				r := h.Runs[0]
				right = append(right, fmt.Sprintf("%s, %s", firstWord(r.Outcome), format.Ago(now.Sub(r.At))))
			}
			it.Right = strings.Join(right, " · ")
			items = append(items, it)
		}
	}
	return items
}

// firstWord is what came of a run, without why.
func firstWord(outcome string) string {
	word, _, _ := strings.Cut(outcome, ":")
	return word
}

// handle does what was asked for. The window stays open.
func (msg hookMsg) handle(m *Model) tea.Cmd {
	i := slices.IndexFunc(m.hooks.list, func(h app.Hook) bool { return h.ID == msg.id })
	if i < 0 {
		if n, err := strconv.Atoi(strings.TrimPrefix(msg.id, problemID)); err == nil && n < len(m.hooks.problems) {
			m.showOver(overlay.NewPager(m.styles, "Not read", m.hooks.problems[n]+"\n", m.readHints()))
		}
		return nil
	}
	h, conv, ctx := m.hooks.list[i], m.conv, m.ctx
	done := func(said string, do func() error) tea.Cmd {
		return m.do(func() tea.Msg { return hookDoneMsg{said, do()} })
	}
	switch msg.do {
	case keys.Allow:
		return done("Approved as it is now; when it or a file of it changes you are asked again.", func() error { return conv.ApproveHook(ctx, h, true) })
	case keys.Disable:
		return done("Switched off: "+h.Event+".", func() error { return conv.ApproveHook(ctx, h, false) })
	case keys.Try:
		styles, out, hints := m.styles, m.box, m.readHints()
		return tea.Batch(m.say("Trying it…"), m.do(func() tea.Msg {
			text, err := conv.TestHook(ctx, h)
			if err != nil {
				return saidMsg{sentence(err)}
			}
			return pagerMsg{overlay.NewPager(styles, h.Event, text, hints), out}
		}))
	}
	styles, out := m.styles, m.box
	hints := m.readHints()
	now := m.now()
	return m.do(func() tea.Msg {
		return pagerMsg{overlay.NewPager(styles, h.Event, hookText(h, conv.ReadHook(h), now), hints), out}
	})
}

func (msg hookDoneMsg) handle(m *Model) tea.Cmd {
	if msg.err != nil {
		return m.say(sentence(msg.err))
	}
	if w := m.hooks.window; w != nil && m.box == w {
		w.gen = w.Load()
	}
	return tea.Batch(m.say(msg.said), m.loadHooks())
}

// hookText is all about a hook, above the files it consists of.
func hookText(h app.Hook, files string, now time.Time) string {
	head := []string{h.Command, "", "When: " + h.About + ".", "It may take " + format.Duration(time.Duration(h.Seconds)*time.Second) + ". Written in " + h.File + "."}
	if h.Why != "" {
		head = append(head, "It does not run: "+h.Why+".")
	}
	if h.Matcher != "" {
		head = append(head, "Only for: "+h.Matcher)
	}
	if h.Outside {
		head = append(head, "It runs with all your rights. When a file has changed that it is bound to, it does not run until you approve it again; others that these start or load are not bound.")
	} else {
		head = append(head, "It runs confined, as the commands of the agent do: it writes in this folder only, and reads no keys.")
	}
	if h.FailClosed {
		head = append(head, "It has to agree (fail_closed): whatever else it does refuses.")
	}
	if h.Background {
		head = append(head, "No one waits for it, so it decides nothing.")
	}
	if len(h.Runs) > 0 {
		head = append(head, "", "Last runs:")
	}
	for _, r := range h.Runs[:min(len(h.Runs), 20)] {
		line := fmt.Sprintf("  %s, %s: %s", format.Ago(now.Sub(r.At)), format.Duration(r.Took), r.Outcome)
		if r.Tool != "" {
			line += " (" + r.Tool + ")"
		}
		head = append(head, line)
		if r.Said != "" {
			head = append(head, "    "+strings.ReplaceAll(strings.TrimSpace(r.Said), "\n", "\n    "))
		}
	}
	return strings.Join(head, "\n") + "\n" + files
}
