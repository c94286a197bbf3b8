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
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/models"
	"hermes-tui/providers/redact"
	"hermes-tui/store"
	"hermes-tui/store/atomicfile"
	"hermes-tui/store/config"
	"hermes-tui/store/learnings"
	"hermes-tui/store/memory"
	"hermes-tui/store/sessions"
	"hermes-tui/store/skills"
	"hermes-tui/tools/files"
	"hermes-tui/tools/place"
	"hermes-tui/tools/watch"
)

// Options are what an app is made of.
type Options struct {
	Version string
	Home    store.Home
	Config  config.Config
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
	IDs        event.Source
}

// App runs the conversations of one HERMES_HOME.
type App struct {
	o          Options
	db         *sessions.DB
	place      *place.Local
	locals     *agent.Locals
	files      *files.Registry // what agents know of each other's files
	watch      *watch.Watcher  // tells of changes of files that agents know
	models     *models.Access
	background *background
	secrets    *redact.Secrets
	seal       bind.Seal // of permissions
	learnings  *learnings.Store
	memory     *memory.Store
	commands   memoryCommands
	recall     *bind.Recall
	consents   *bind.Consents // of skills
	// instructions are those that read like an attack and that the user has taken.
	instructions *bind.Consents
	skills       *skills.Library
	notices      []string // for the next conversation
	log          *slog.Logger
	logFile      interface{ Close() error }

	mu       sync.Mutex
	disabled []string        // names of skills
	doomed   map[string]bool // sessions that are deleted at the end

	open  map[event.ConvID]*conversation
	early <-chan confinement   // being made for the first conversation; nil: none
	quiet map[string]time.Time // until when nothing is said of an allowance, by its host and name

	closing sync.Once
	closed  error
}

// Open opens the store. Its errors are sentences for the user. A store that a later
// version has written is for reading: conversations can be listed and shown, and
// whatever would add to one is refused with the store's sentence.
func Open(ctx context.Context, o Options) (*App, error) {
	if err := o.Home.Ensure(); err != nil {
		return nil, err
	}
	if err := atomicfile.MkdirPrivate(o.Home.Cache()); err != nil {
		return nil, err
	}
	here, err := place.NewLocal(place.Options{Env: o.Environ})
	if err != nil {
		return nil, err
	}
	a := &App{o: o, background: newBackground(), place: here, locals: &agent.Locals{}, files: files.NewRegistry(0), log: slog.New(slog.DiscardHandler), open: map[event.ConvID]*conversation{}, quiet: map[string]time.Time{}}
	a.prepare()
	db, err := sessions.Open(ctx, o.Home.StateDB(), sessions.Options{Clock: o.IDs.Clock, Rand: o.IDs.Random})
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
	a.secrets = secrets(o, a.models.Secrets())
	a.log, a.logFile = openLog(o.Home.Logs(), a.secrets)
	a.models.LogTo(a.log)
	a.watch = watch.New(watch.Options{Dir: o.Home.Watched(), Warn: func(err error) { a.log.Warn("watching files", "err", err) }})
	a.learnings = a.openLearnings()
	a.memory = a.openMemory()
	a.recall = a.newRecall()
	a.openSeal(ctx)
	a.openSkills()
	a.background.run(func(ctx context.Context) {
		if err := here.Tidy(ctx); err != nil {
			a.log.Warn("temporary files", "error", err)
		}
	})
	for _, n := range db.Notices() {
		a.log.Warn("session database", "notice", n)
		a.notices = append(a.notices, strings.ToUpper(n[:1])+n[1:]+".")
	}
	a.background.run(a.pruneDecisions)
	a.curate()
	a.autoPrune()
	return a, nil
}

// Interrupt stops the turns of all conversations, with all subagents, because the
// program is about to end. It returns when that is under way.
func (a *App) Interrupt() {
	a.mu.Lock()
	defer a.mu.Unlock()
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
	var errs []error
	for _, c := range a.conversations() {
		errs = append(errs, c.Close(ctx))
	}
	a.commands.close(ctx)
	a.background.close()
	errs = append(errs, a.watch.Close(), a.deleteDoomed(), a.dropEarly(), a.models.Close(ctx), a.recall.Close(), a.db.Close(), a.logFile.Close())
	return errors.Join(errs...)
}

// Settings are the parts of the configuration that a front end follows.
type Settings struct {
	Theme         string // auto, dark, light
	MarkdownStyle string // a style file of glamour, empty for the theme's style
	Bell          bool
	Busy          string // queue, steer, interrupt
	ShowReasoning bool
	ReducedMotion bool
	Mouse         bool
	PasteLines    int
	PasteChars    int
	// Keys maps actions to keys, see the help of the screen.
	Keys map[string][]string
}

// Settings gives the front end's part of the configuration.
func (a *App) Settings() Settings { return SettingsOf(a.o.Config) }

// SettingsOf is [App.Settings] for a configuration.
func SettingsOf(c config.Config) Settings {
	return Settings{
		Theme: string(c.Display.Theme), MarkdownStyle: c.Display.MarkdownStyle, Bell: c.Display.BellOnComplete, Busy: string(c.Display.BusyInputMode),
		ShowReasoning: c.Display.ShowReasoning, ReducedMotion: c.Display.ReducedMotion, Mouse: c.Display.Mouse,
		PasteLines: c.PasteCollapseThreshold, PasteChars: c.PasteCollapseCharThreshold, Keys: c.Keys,
	}
}

// KeepTheme writes a choice of colours to config.yaml, for the next start.
func (a *App) KeepTheme(ctx context.Context, name string) error {
	return config.Set(ctx, config.Options{File: a.o.Home.Config(), Env: a.o.Env}, "display.theme", name)
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

// secrets are the literal values that must never show: the keys of the
// configuration, of auth.json and of the environment.
func secrets(o Options, stored []string) *redact.Secrets {
	values := append(o.Config.Secrets(), stored...)
	named := o.Config.KeyVariables()
	for _, kv := range o.Environ {
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
