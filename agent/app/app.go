// Package app is the one façade that front ends speak to: the screen, the
// headless command, whatever else may come. It opens the store
// and starts, resumes and lists conversations.
//
// An [App] is safe for concurrent use. Its methods that take a context may
// block on disk or network and never belong on a user interface's goroutine.
package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/export"
	"hermes-tui/agent/hooks"
	"hermes-tui/agent/models"
	"hermes-tui/providers/redact"
	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/config"
	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/sessions"
	"hermes-tui/store/skills"
	"hermes-tui/tools"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/watch"
	"hermes-tui/tools/web"
)

// Options are what an app is made of.
type Options struct {
	Version string
	Home    store.Home
	Config  config.Config
	// Loading says how Config was read, so that it can be read again when its file
	// changes; without a file it is not. Warned are the warnings that came of it.
	Loading config.Options
	Warned  []config.Warning
	// Env looks up a variable of the environment.
	Env func(name string) (string, bool)
	// Environ is all of the environment.
	Environ []string
	// Dir is where conversations work, absolute.
	Dir string
	// Scenario is a scenario file for the provider "script"; empty plays the
	// demonstration.
	Scenario string
	// Confine says that commands on this machine can be confined: the program calls
	// [place.SandboxMain] when it starts.
	Confine bool
	// Unattended says that no one is there to ask.
	Unattended bool
	// Trust has Dir, and the project that it is in, count as trusted while the program
	// runs, with the hooks and skills that it has then.
	Trust bool
	// NoPermissions leaves out what was allowed for good in earlier sessions.
	NoPermissions bool
	// Glimpse is told the end of the first conversation, if that is resumed, as
	// [agent.Glimpse] gives it, before the rest was read; nil for no one.
	Glimpse func(*event.State)
	// Highlight gives exports their colours of code, none if nil; see [export.Painter].
	Highlight export.Painter
	IDs       event.Source
}

// App runs the conversations of one HERMES_HOME.
type App struct {
	o          Options
	now        atomic.Pointer[config.Config]
	watcher    io.Closer // of config.yaml, nil for none
	following  sync.WaitGroup
	reloading  sync.Mutex      // guards the next two
	own        map[string]bool // settings that this program has written and not read again
	broken     string          // why the settings could not be read again, empty if they could
	changed    chan struct{}   // has one element when settings have changed
	db         *sessions.DB
	place      *place.Local
	unreserve  func() // the databases, see [place.Reserve]
	locals     *agent.Locals
	files      *files.Registry // what agents know of each other's files
	watch      *watch.Watcher  // tells of changes of files that agents know
	models     *models.Access
	background *background
	secrets    *redact.Secrets
	learning   sync.Mutex      // guards the next one
	learnt     map[string]bool // secrets that were made known since the beginning
	seal       bind.Seal       // of permissions
	learnings  *learnings.Store
	memory     *memory.Store
	providers  memoryProviders
	recall     *bind.Recall
	saidWords  atomic.Bool    // that a search went by words only
	consents   *bind.Consents // of skills
	// instructions are those that read like an attack and that the user has taken.
	instructions *bind.Consents
	skills       *skills.Library
	hooks        *hooks.Shelf
	plugins      *pluginShelf
	mcp          *serverShelf
	pages        *web.Cache // that agents have read
	reader       web.Reader // makes text of pages
	begun        bool       // a conversation
	notices      []string   // for the next conversation
	stored       []string   // those of them about the store
	log          *slog.Logger
	logFile      interface{ Close() error }

	mu       sync.Mutex
	newest   string          // session, the one that was begun or resumed last
	disabled []string        // names of skills
	doomed   map[string]bool // sessions that are deleted at the end

	offers []*SkillOffer // of skills that were fetched

	open  map[event.ConvID]*conversation
	seen  event.ConvID         // the one that the user sees
	early <-chan confinement   // being made for the first conversation; nil: none
	quiet map[string]time.Time // until when nothing is said of an allowance, by its host and name

	leaving, halted bool // the program ends; because it was told to
	closing         sync.Once
	closed          error
}

// Open opens the store. Its errors are sentences for the user. A store that a later
// version has written is for reading: conversations can be listed and shown, and
// whatever would add to one is refused with the store's sentence.
func Open(ctx context.Context, o Options) (_ *App, err error) {
	if err := o.Home.Ensure(); err != nil {
		return nil, err
	}
	if err := atomicfile.MkdirPrivate(o.Home.Cache()); err != nil {
		return nil, err
	}
	home, _ := tools.Variable(o.Environ, "HOME")
	local := place.Options{Env: Outside(o.Environ, o.Dir, home), Scratch: o.Home.Run()} // its shell runs what no one has judged
	here, err := place.NewLocal(local)
	if err != nil {
		return nil, err
	}
	a := &App{o: o, background: newBackground(), place: here, locals: &agent.Locals{}, pages: web.NewCache(), files: files.NewRegistry(0), log: slog.New(slog.DiscardHandler), open: map[event.ConvID]*conversation{}, quiet: map[string]time.Time{}, changed: make(chan struct{}, 1), own: map[string]bool{}, learnt: map[string]bool{}}
	a.now.Store(&o.Config)
	a.reader = bind.TextReader(here, o.Environ)
	databases, keys := place.Reserve(o.Home.StateDB(), o.Home.Recall()), place.ReserveNames(o.Home.Auth(), o.Home.Env(), o.Home.GrantsKey())
	a.unreserve = func() { databases(); keys() }
	defer func() {
		if err != nil {
			a.unreserve()
		}
	}()
	a.prepare()
	journal := o.Config.Database.Journal
	if journal == "auto" {
		journal = ""
	}
	db, err := sessions.Open(ctx, o.Home.StateDB(), sessions.Options{Clock: o.IDs.Clock, Rand: o.IDs.Random, Journal: journal,
		Warn: func(text string) { go a.tell(event.LevelWarn, text) }}) // a conversation may wait for what is stored
	if err != nil {
		return nil, errors.Join(err, a.dropEarly())
	}
	if why := db.ReadOnly(); why != nil && why.Kind != sessions.KindNewer {
		return nil, errors.Join(why, db.Close(), a.dropEarly())
	}
	a.db = db
	a.models, err = models.Open(models.Options{
		Version: o.Version, Home: o.Home, Config: o.Config, Env: o.Env, Scenario: o.Scenario, Unattended: o.Unattended, IDs: o.IDs,
		Background: a.background.run, Answered: a.answered,
	})
	if err != nil {
		return nil, errors.Join(err, db.Close(), a.dropEarly())
	}
	a.notices = a.models.Notices()
	a.secrets = Secrets(o.Config, o.Environ, a.models.Secrets())
	a.openLog()
	a.models.LogTo(a.log)
	a.watch = watch.New(watch.Options{Dir: o.Home.Watched(), Warn: func(err error) { a.log.Warn("watching files", "err", err) }})
	a.learnings = a.openLearnings()
	a.memory = a.openMemory()
	a.recall = a.newRecall()
	a.openSeal(ctx)
	a.openPlugins()
	a.openSkills()
	a.openHooks()
	a.openMCP()
	a.background.run(func(ctx context.Context) {
		if err := here.Tidy(ctx); err != nil {
			a.log.Warn("temporary files", "error", err)
		}
	})
	for _, n := range db.Notices() {
		a.log.Warn("session database", "notice", n)
		a.stored = append(a.stored, strings.ToUpper(n[:1])+n[1:]+".")
	}
	a.notices = append(a.notices, a.stored...)
	if !o.Unattended {
		left, err := db.TakeNotices(ctx)
		if err != nil {
			a.log.Warn("notices that were left", "err", err)
		}
		a.notices = append(a.notices, left...)
	}
	a.background.run(a.pruneDecisions)
	a.curate()
	a.autoPrune()
	a.follow()
	return a, nil
}

// StoreNotices are sentences about what happened to the store when it was opened, for a
// program that begins no conversation. They are kept for the next one with a screen.
func (a *App) StoreNotices(ctx context.Context) []string {
	for _, n := range a.stored {
		if err := a.db.LeaveNotice(ctx, n); err != nil && a.writable() == nil {
			a.log.Warn("leave a notice", "err", err)
		}
	}
	return a.stored
}

// Interrupt stops the turns of all conversations, with all subagents, because the
// program is about to end. It returns when that is under way.
func (a *App) Interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.halted = true
	for _, c := range a.open {
		c.Halt()
	}
}

// conversations are those that are open.
func (a *App) conversations() []*conversation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Values(a.open))
}

// closeTime is how long everything together may take to stop.
const closeTime = 5 * time.Second

// Close ends all conversations and closes the store. Later calls do nothing and
// return what the first one did.
func (a *App) Close() error {
	a.closing.Do(func() { a.closed = a.close() })
	return a.closed
}

func (a *App) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	a.mu.Lock()
	a.leaving = true
	a.mu.Unlock()
	var errs []error
	for _, c := range a.conversations() {
		errs = append(errs, c.Close(ctx))
	}
	for _, o := range a.offers {
		errs = append(errs, o.Close())
	}
	a.providers.close(ctx)
	a.mcp.servers.Close()
	a.background.close()
	errs = append(errs, a.unfollow())
	errs = append(errs, a.watch.Close(), a.deleteDoomed(), a.dropEarly(), a.models.Close(ctx), a.recall.Close(), a.db.Close(), a.logFile.Close())
	a.unreserve()
	return errors.Join(errs...)
}

// Settings are the parts of the configuration that a front end follows.
type Settings struct {
	Theme         string // auto, or the name of a theme
	MarkdownStyle string // a style file of glamour, empty for the theme's style
	Bell          bool
	Busy          string // queue, steer, interrupt
	ShowReasoning bool
	ReducedMotion bool
	Mouse         bool
	CopyOnSelect  bool
	Timestamps    bool
	OutputLines   int // of a folded call
	// StatusCommand adds to the status row, see [App.StatusLine]; StatusEvery is after
	// what time it runs again by itself, 0 for never.
	StatusCommand string
	StatusEvery   time.Duration
	VimMode       bool
	PasteLines    int
	PasteChars    int
	// Keys maps actions to keys, see the help of the screen.
	Keys map[string][]string
}

// Settings gives the front end's part of the configuration.
func (a *App) Settings() Settings { return SettingsOf(*a.config()) }

// SettingsOf is [App.Settings] for a configuration.
func SettingsOf(c config.Config) Settings {
	return Settings{
		Theme: c.Display.Theme, MarkdownStyle: c.Display.MarkdownStyle, Bell: c.Display.BellOnComplete, Busy: string(c.Display.BusyInputMode),
		ShowReasoning: c.Display.ShowReasoning, ReducedMotion: c.Display.ReducedMotion, Mouse: c.Display.Mouse, CopyOnSelect: c.Display.CopyOnSelect,
		Timestamps: c.Display.Timestamps, OutputLines: c.Display.ToolOutputLines, VimMode: c.Display.VimMode,
		StatusCommand: c.Display.StatusCommand, StatusEvery: c.Display.StatusInterval.Duration(),
		PasteLines: c.PasteCollapseThreshold, PasteChars: c.PasteCollapseCharThreshold, Keys: c.Keys,
	}
}

// Skins is the folder of the user's themes.
func (a *App) Skins() string { return a.o.Home.Skins() }

// KeepTheme writes a choice of colours to config.yaml, for the next start.
func (a *App) KeepTheme(ctx context.Context, name string) error {
	return a.write(ctx, "display.theme", name)
}

// ErrNone says that there is no conversation to go on with.
var ErrNone = errors.New("there is no session to continue yet: start one with hermes-tui")

// Latest names the session of the conversation that was used last, or returns
// [ErrNone].
func (a *App) Latest(ctx context.Context) (string, error) {
	info, err := a.db.Latest(ctx, "")
	if _, none := errors.AsType[*sessions.NotFoundError](err); none {
		return "", ErrNone
	}
	return info.Session, err
}

// Secrets are the literal values that must never show: the keys of the settings, of
// auth.json (stored) and of the environment.
func Secrets(c config.Config, environ, stored []string) *redact.Secrets {
	values := append(c.Secrets(), stored...)
	named := c.KeyVariables()
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if secretName(name) && len(value) >= 16 || slices.Contains(named, name) {
			values = append(values, value)
		}
	}
	return redact.NewSecrets(values...)
}

// secretName reports whether a variable holds a credential, by its name.
func secretName(name string) bool {
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"} {
		if strings.HasSuffix(strings.ToUpper(name), end) {
			return true
		}
	}
	return false
}
