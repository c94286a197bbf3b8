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
	"hermes-tui/ui/agents"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/queue"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/status"
	"hermes-tui/ui/term"
	"hermes-tui/ui/timeline"
	"hermes-tui/ui/todos"
	"hermes-tui/ui/transcript"
	"hermes-tui/ui/wall"
)

// Options are what the screen is made of.
type Options struct {
	Settings app.Settings
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

// Model is the root of the screen. It belongs to the goroutine of the program.
type Model struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	keys   *keys.Map

	app  *app.App
	conv app.Conversation
	// gen names the pump of the conversation on the screen; replies for an earlier
	// one are dropped. gens counts pumps.
	gen, gens int
	convDone  context.CancelFunc // ends the pump of the conversation
	state     *event.State
	others    []*other // conversations that go on unseen
	// swapping says that another conversation is being opened, wanted which one of
	// the others it is. closing are closed when a conversation has ended.
	swapping bool
	wanted   event.ConvID
	closing  []chan struct{}
	fatal    error // why the program ends

	permissions permissions // in the window of that name

	list  []region   // all regions
	stack []sidePane // over the agents, from the top

	themeName string // auto, dark, light
	dark      bool   // what the terminal's background is
	depth     themes.Depth
	dragged   bool // it was said how text is selected
	styles    *rows.Styles
	w, h      int
	lay       layout
	focus     focus
	view      view

	transcript *transcript.View
	composer   *composer.Composer
	panel      *prompt.Panel
	todos      *todos.Pane
	agents     *agents.Pane
	queue      *queue.Pane
	wall       *wall.Wall
	wallTree   event.TurnID
	// detail is everything about the marked agent, inside its transcript.
	detail  *agents.Detail
	inside  *transcript.View
	marked  event.AgentID    // when the newest key was pressed
	panesAt int              // the row of the side panes at which the agents stand
	behind  *transcript.View // the root's, while that of an agent is in the main view
	// wallFrom and promotedFrom are where escape goes back to from the wall and from
	// an agent in the main view.
	wallFrom     focus
	promotedFrom origin
	timeline     *timeline.Timeline // opened last
	reasoning    bool               // it is shown
	stopAt       time.Time          // until then another esc stops the agents that no one waits for
	bars         *status.Bars
	meter        status.Meter
	windows
	models modelShelf

	outbox  []outgoing // typed before the conversation was there
	images  attaching
	held    bool   // the queue waits for the person
	note    string // a short message on the status row
	noteGen int
	repeat  repeat        // what another press of the newest key does
	jobGen  int           // counts looks at the window of jobs
	jobs    *overlay.Jobs // that window, opened last
	asked   time.Time     // when the terminal was asked something last
	armedAt time.Time     // when a question took the keys by itself
	// ended tells who ended the questions that have just disappeared, gone what is to
	// be said about the one that was on the screen.
	ended    map[event.RequestID]event.Resolver
	gone     string
	leaving  bool   // the program ends with the next answer
	draftDue bool   // the draft is about to be stored, or being stored
	saved    string // the draft as it is stored
	savedAt  uint64 // up to which of its changes
	files    fileList
	tasks    taskClock

	clock    clock
	pace     *pace
	blurred  bool // the terminal is not in front
	focusful bool // the terminal reports focus
	lastKey  time.Time
	probe    probe

	dirty    bool
	shown    screen.Frame     // its rows are those of the newest frame
	terminal *screen.Terminal // nil until Run, and in tests without one
	began    func()           // runs when the program has begun, may be nil
}

// New makes the screen.
func New(o Options) (*Model, []string) {
	ctx, cancel := context.WithCancel(context.Background())
	table, problems := keys.New(o.Settings.Keys)
	m := &Model{
		o: o, ctx: ctx, cancel: cancel, keys: table, state: &event.State{}, themeName: o.Settings.Theme, dark: true,
		pace: &pace{now: o.Now}, probe: newProbe(o.Probe), dirty: true,
		ended: map[event.RequestID]event.Resolver{},
	}
	m.styles = rows.NewStyles(m.theme())
	m.reasoning = o.Settings.ShowReasoning
	m.transcript, m.inside = m.newTranscript(), m.newTranscript()
	m.composer = composer.New(composer.Options{Styles: m.styles, PasteLines: o.Settings.PasteLines, PasteChars: o.Settings.PasteChars})
	m.panel = prompt.New(m.styles)
	m.todos = todos.New(m.styles)
	m.agents, m.detail = agents.New(m.styles), agents.NewDetail(m.styles)
	m.queue, m.wall = queue.New(m.styles), wall.New(m.styles)
	m.queue.SetHints(m.hints(keys.InQueue, keys.TakeBack, keys.MoveUp, keys.SteerNow, keys.Remove), "enter sends it, up takes it back")
	m.bars = status.NewBars(m.styles)
	m.register()
	return m, problems
}

func (m *Model) now() time.Time { return m.o.Now() }

// theme is the theme in force, in the colours that the terminal has.
func (m *Model) theme() themes.Theme {
	t, ok := themes.Named(m.themeName)
	switch {
	case ok:
	case m.dark:
		t = themes.Dark()
	default:
		t = themes.Light()
	}
	return t.For(m.depth)
}

// restyle applies the theme in force.
func (m *Model) restyle() {
	m.styles = rows.NewStyles(m.theme())
	for _, r := range m.list {
		r.of().SetStyles(m.styles)
	}
	if m.behind != nil {
		m.behind.SetStyles(m.styles)
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

// Fatal is why the program ended on its own, nil if the person quit.
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

// Driven tells whether a test driver asked for the probe.
func Driven() bool { return os.Getenv("HERMES_TUI_UITEST") == "1" }

// Warn adds sentences to those shown when the conversation is there.
func (m *Model) Warn(notices []string) { m.o.Notices = append(m.o.Notices, notices...) }
