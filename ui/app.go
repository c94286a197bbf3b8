package ui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/agentgrid"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/queue"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
	"hermes-tui/ui/todos"
)

// Options are what the screen is made of.
type Options struct {
	Settings app.Settings
	// Markdown is what a style file says about Markdown.
	Markdown themes.StyleFile
	// Open opens the store and the conversation to begin with. It runs after the
	// first frame is on the screen.
	Open func(ctx context.Context) (*app.App, app.Conversation, error)
	// Notices are shown when the conversation is there.
	Notices []string
	Term    term.Env
	// Probe makes the window title tell a test driver what is under way.
	Probe bool
	// Now is the clock of the screen, which must be set. It is read on several
	// goroutines.
	Now func() time.Time
	// Dir and the home directory are shown until the conversation is there.
	Dir, Home string
}

// New makes the screen.
func New(o Options) (*Model, []string) {
	ctx, cancel := context.WithCancel(context.Background())
	table, problems := keys.New(o.Settings.Keys)
	m := &Model{
		o: o, ctx: ctx, cancel: cancel, keys: table, pace: &pace{now: o.Now}, probe: newProbe(o.Probe),
		display: display{themeName: o.Settings.Theme, dark: true, dirty: true},
		talk:    talk{state: &event.State{}, ended: map[event.RequestID]event.Resolver{}},
	}
	m.styles = rows.NewStylesFor(m.theme(), m.o.Markdown)
	m.reasoning = o.Settings.ShowReasoning
	m.transcript, m.detailTranscript = m.newTranscript(), m.newTranscript()
	m.composer = composer.New(composer.Options{Styles: m.styles, PasteLines: o.Settings.PasteLines, PasteChars: o.Settings.PasteChars})
	m.panel = prompt.New(m.styles)
	m.todos = todos.New(m.styles)
	m.agents, m.detail = agents.New(m.styles), agents.NewDetail(m.styles)
	m.queue, m.grid = queue.New(m.styles), agentgrid.New(m.styles)
	m.queue.SetHints(m.hints(keys.InQueue, keys.TakeBack, keys.MoveUp, keys.SteerNow, keys.Remove), "enter sends it, up takes it back")
	m.bars = status.NewBars(m.styles)
	m.register()
	return m, problems
}

func (m *Model) now() time.Time { return m.o.Now() }

// theme is the theme in force, in the colours that the terminal has.
func (d *display) theme() themes.Theme {
	t, ok := themes.Named(d.themeName)
	switch {
	case ok:
	case d.dark:
		t = themes.Dark()
	default:
		t = themes.Light()
	}
	return t.For(d.depth)
}

// restyle applies the theme in force.
func (m *Model) restyle() {
	m.styles = rows.NewStylesFor(m.theme(), m.o.Markdown)
	for _, r := range m.list {
		r.of().SetStyles(m.styles)
	}
	if m.rootTranscript != nil {
		m.rootTranscript.SetStyles(m.styles)
	}
	m.bars.SetStyles(m.styles)
	if m.box != nil {
		m.box.SetStyles(m.styles)
	}
	for _, b := range m.under {
		b.SetStyles(m.styles)
	}
}

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd {
	m.asked = m.now()
	m.write(term.Queries())
	if m.themeName == "auto" || m.themeName == "" {
		m.write(ansi.RequestBackgroundColor)
	}
	return tea.Batch(m.do(m.open), m.start)
}

// start runs as a command once the program runs.
func (m *Model) start() tea.Msg {
	if m.began != nil {
		m.began()
	}
	return nil
}

// open runs as a command.
func (m *Model) open() tea.Msg {
	a, c, err := m.o.Open(m.ctx)
	if err != nil {
		return openedMsg{app: a, err: err}
	}
	draft, _ := c.Draft(m.ctx) // a draft that cannot be read is none
	return openedMsg{app: a, conv: c, draft: draft, history: a.History(m.ctx)}
}

// Fatal is why the program ended on its own, nil if the user quit.
func (m *Model) Fatal() error { return m.fatal }

// Ending is what is worth telling when the screen is gone.
type Ending struct {
	App  *app.App
	Conv app.Conversation
	// Draft is what was typed and not sent.
	Draft string
	State *event.State
}

// Ending returns what the command line closes and prints after the screen.
func (m *Model) Ending() Ending {
	m.cancel()
	if m.conv != nil {
		m.state = m.conv.State() // with what came too late for the screen
	}
	return Ending{App: m.app, Conv: m.conv, Draft: m.composer.Draft(), State: m.state}
}

// Driven reports whether a test driver asked for the probe.
func Driven() bool { return os.Getenv("HERMES_TUI_UITEST") == "1" }

// Warn adds sentences to those shown when the conversation is there.
func (m *Model) Warn(notices []string) { m.o.Notices = append(m.o.Notices, notices...) }
