package ui

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-tui/agent/app"
	"hermes-tui/agent/event"
	"hermes-tui/themes"
	"hermes-tui/ui/agentgrid"
	"hermes-tui/ui/agents"
	"hermes-tui/ui/composer"
	"hermes-tui/ui/keys"
	"hermes-tui/ui/overlay"
	"hermes-tui/ui/prompt"
	"hermes-tui/ui/queue"
	"hermes-tui/ui/recall"
	"hermes-tui/ui/rows"
	"hermes-tui/ui/screen"
	"hermes-tui/ui/status"
	"hermes-tui/ui/timeline"
	"hermes-tui/ui/todos"
	"hermes-tui/ui/transcript"
)

// Model is the root of the screen. It belongs to the goroutine of the program.
type Model struct {
	o       Options
	ctx     context.Context
	cancel  context.CancelFunc
	keys    *keys.Map
	app     *app.App
	fatal   error                       // why the program ends
	began   func()                      // runs when the program has begun, may be nil
	program atomic.Pointer[tea.Program] // from Run on
	// glimpses brings a first look at the conversation, opened is closed when it is there.
	glimpses chan *event.State
	opened   chan struct{}

	display
	talk
	background
	parts
	chrome

	clock   clock
	pace    *pace
	lastKey time.Time
	probe   probe
}

// display is the terminal, its colours and what stands where on it.
type display struct {
	terminal *screen.Terminal // nil until Run, and in tests without one
	w, h     int
	lay      layout
	dirty    bool
	shown    screen.Frame // its rows are those of the newest frame
	taken    look         // the theme that was chosen
	preview  *look        // the one that is tried, nil for none
	dark     bool         // what the terminal's background is
	told     bool         // the terminal has said so
	depth    themes.Depth
	styles   *rows.Styles
	dragged  bool          // it was said how text is selected elsewhere
	released bool          // the mouse is left to the terminal
	blurred  bool          // the terminal is not in front
	focusful bool          // the terminal reports focus
	asked    time.Time     // when the terminal was asked something last
	trip     time.Duration // how long its first answer took, at most
	leaving  bool          // the program ends with the next answer
	answered bool          // the terminal has answered the questions of the start
	parting  overlay.Box   // the question whether to leave, while it is shown or after
	lending  bool          // another program gets the terminal, or has it
}

// talk is the conversation on the screen, and what the user has typed for it.
type talk struct {
	conv app.Conversation
	// gen names the pump of the conversation; replies for an earlier one are dropped.
	gen       int
	convDone  context.CancelFunc // ends the pump of the conversation
	state     *event.State
	unplanned event.Mode // where plan mode was entered from by its key
	glimpsed  bool       // the transcript is that of a first look
	held      bool       // the queue waits for the user
	outbox    []outgoing // typed before the conversation was there
	commanded []string   // commands likewise
	takenBack string     // the prompt that a rewind has brought back last
	images    attaching
	stopAt    time.Time // until then another esc stops the agents that no one waits for
	meter     status.Meter
	segment   segment
	files     fileList
	peek      peek
	tasks     taskClock
	filling   bool   // commands in the draft run
	draftDue  bool   // the draft is about to be stored, or being stored
	saved     string // the draft as it is stored
	savedAt   uint64 // up to which of its changes
	// ended tells who ended the questions that have just disappeared, gone what is to
	// be said about the one that was on the screen.
	ended map[event.RequestID]event.Resolver
	gone  string
	// late swallows the keys that were meant for the newest of them.
	late lateKeys
}

// background are the conversations that go on unseen.
type background struct {
	others []*other
	gens   int // counts pumps
	// swapping says that another conversation is being opened, wanted which one of
	// the others it is. closing are closed when a conversation has ended.
	swapping bool
	wanted   event.ConvID
	before   string // the session that was shown before this one
	aim      aim
	closing  []chan struct{}
}

// parts are the regions of the screen, and what of them is seen and has the keys.
type parts struct {
	list  []region   // all regions
	stack []sidePane // over the agents, from the top
	focus focus
	view  view

	transcript       *transcript.View
	composer         *composer.Composer
	recall           *recall.List // earlier prompts
	recalls          int          // counts searches in it
	panel            *prompt.Panel
	todos            *todos.Pane
	agents           *agents.Pane
	queue            *queue.Pane
	grid             *agentgrid.Grid
	detail           *agents.Detail   // everything about the marked agent
	detailTranscript *transcript.View // its transcript
	rootTranscript   *transcript.View // the root's, while that of an agent is in the main view

	finder    finder
	pointer   pointer
	numbering bool // the next key is the number of a block of code
	reasoning bool // it is shown
	times     bool // it is shown when each block came
	gridTree  event.TurnID
	marked    event.AgentID   // when the newest key was pressed
	panesAt   int             // the row of the side panes at which the agents stand
	enterAt   time.Time       // when enter was pressed on an empty draft
	armedAt   time.Time       // when a question took the keys by itself
	replying  event.RequestID // had the keys when the draft was begun
	picked    string          // the newest key that stands for a row of a question
	pickedAt  time.Time       // when such a key answered
	// gridFrom and promotedFrom are where escape goes back to from the grid and from
	// an agent in the main view.
	gridFrom     focus
	promotedFrom origin
}

// chrome is what frames the regions and lies over them: bars, notes and windows.
type chrome struct {
	bars      *status.Bars
	hud       hud
	note      string // a short message on the status row
	noteWarns bool
	noteGen   int
	repeat    repeat // what another press of the newest key does

	windows
	reviewed  reviewing
	undos     map[string]undoing // what takes back what was done last with entries of a feature
	timeline  *timeline.Timeline // opened last
	featured  *featureWindow     // opened last
	following map[string]bool    // features whose changes are waited for
	alone     context.CancelFunc // ends the action that goes on alone, nil for none
	models    modelShelf
	skills    skillShelf
	servers   promptShelf
	setup     settingUp
}
