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
	"hermes-tui/ui/recall"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
	"hermes-tui/ui/todos"
)

// Options are what the screen is made of.
type Options struct {
	Settings app.Settings
	// Markdown is what a style file says about Markdown.
	Markdown themes.StyleFile
	// Themes are those to choose from.
	Themes themes.Library
	// Open opens the store and the conversation to begin with. It runs after the
	// first frame is on the screen, and may call glimpse once with the end of the
	// conversation, before it has it.
	Open func(ctx context.Context, glimpse func(*event.State)) (*app.App, app.Conversation, error)
	// OpenPage opens a page in the user's browser and reports whether it could begin to;
	// nil opens none.
	OpenPage func(address string) bool
	// Prompt is sent when the conversation is there, empty for none.
	Prompt string
	// Setup offers to set up a model where the demonstration answers and no session was
	// kept before.
	Setup bool
	// Notices are shown when the conversation is there.
	Notices []string
	Term    term.Env
	// Probe makes the window title tell a test driver what is under way.
	Probe bool
	// Now is the clock of the screen, which must be set. It is read on several
	// goroutines.
	Now func() time.Time
	// Recorder records what is typed and shown; nil records nothing.
	Recorder *screen.Recorder
	// Dir and the home directory are shown until the conversation is there.
	Dir, Home string
}

// New makes the screen.
func New(o Options) (*Model, []string) {
	ctx, cancel := context.WithCancel(context.Background())
	table, problems := keys.New(o.Settings.Keys)
	m := &Model{
		o: o, ctx: ctx, glimpses: make(chan *event.State, 1), opened: make(chan struct{}), cancel: cancel, keys: table, pace: &pace{now: o.Now}, probe: newProbe(o.Probe),
		display: display{dark: true, dirty: true},
		talk:    talk{state: &event.State{}, ended: map[event.RequestID]event.Resolver{}},
		chrome:  chrome{following: map[string]bool{}, undos: map[string]undoing{}},
	}
	var err error
	if m.taken, err = findLook(o.Themes, o.Settings.Theme); err != nil {
		problems = append(problems, unusable(err, "are those that fit your terminal"))
	}
	m.styles = rows.NewStylesFor(m.theme(), m.o.Markdown)
	m.reasoning, m.times = o.Settings.ShowReasoning, o.Settings.Timestamps
	if o.Prompt != "" {
		m.outbox = append(m.outbox, outgoing{draft: o.Prompt, text: o.Prompt, typed: o.Prompt})
	}
	m.transcript, m.detailTranscript = m.newTranscript(), m.newTranscript()
	m.composer = composer.New(composer.Options{Styles: m.styles, PasteLines: o.Settings.PasteLines, PasteChars: o.Settings.PasteChars})
	m.composer.SetVim(o.Settings.VimMode)
	m.panel = prompt.New(m.styles)
	m.recall = recall.New(m.styles, m.masked)
	m.todos = todos.New(m.styles)
	m.agents, m.detail = agents.New(m.styles), agents.NewDetail(m.styles)
	m.queue, m.grid = queue.New(m.styles), agentgrid.New(m.styles)
	m.nameKeys()
	m.bars = status.NewBars(m.styles)
	m.register()
	return m, problems
}

func (m *Model) now() time.Time { return m.o.Now() }

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd {
	m.asked = m.now()
	m.write(term.Queries())
	if m.taken.auto() {
		m.write(ansi.RequestBackgroundColor)
	}
	return tea.Batch(m.do(m.open), m.glimpse, m.start)
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
	defer close(m.opened)
	a, c, err := m.o.Open(m.ctx, func(s *event.State) {
		select {
		case m.glimpses <- s:
		default: // there was one already
		}
	})
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
	// Draft is what was typed and not sent, with what was put aside.
	Draft string
	State *event.State
	// Ended are the commands of the background jobs that end with the program.
	Ended []string
}

// Ending returns what the command line closes and prints after the screen.
func (m *Model) Ending() Ending {
	m.cancel()
	if m.conv != nil {
		m.state = m.conv.State() // with what came too late for the screen
	}
	ended := m.state.Running()
	for _, o := range m.others {
		if o.state != nil {
			ended = append(ended, o.state.Running()...)
		}
	}
	return Ending{App: m.app, Conv: m.conv, Draft: m.composer.Kept(), State: m.state, Ended: ended}
}

// Driven reports whether a test driver asked for the probe.
func Driven() bool { return os.Getenv("HERMES_TUI_UITEST") == "1" }

// Warn adds sentences to those shown when the conversation is there.
func (m *Model) Warn(notices []string) { m.o.Notices = append(m.o.Notices, notices...) }
