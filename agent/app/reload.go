package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"hermes-tui/agent/event"
	"hermes-tui/store/config"
)

// config is the configuration as it is now.
func (a *App) config() *config.Config { return a.now.Load() }

// settleTime is how long config.yaml must have been left alone before it is read again:
// editors write a file in several steps.
const settleTime = 100 * time.Millisecond

// follow reads the settings again whenever their file changes, and has the screen look
// again at the skins when one of those does. What the watch cannot see,
// such as a file on a network, takes effect with the next start.
func (a *App) follow() {
	if a.o.Loading.File == "" {
		return
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		a.log.Warn("watching config.yaml", "err", err)
		return
	}
	a.watcher = w
	file := a.o.Loading.File
	names := map[string]bool{file: true}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		names[real] = true // where a link leads
	}
	for name := range names {
		if err := w.Add(filepath.Dir(name)); err != nil { // the folder: editors replace the file
			a.log.Warn("watching config.yaml", "err", err)
		}
	}
	skins := a.o.Home.Skins()
	if err := w.Add(skins); err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.log.Warn("watching skins", "err", err)
	}
	a.following.Go(func() {
		var settings, skin bool
		changed := time.NewTimer(settleTime)
		changed.Stop()
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return
				}
				if e.Op == fsnotify.Chmod {
					continue
				}
				settings, skin = settings || names[e.Name], skin || filepath.Dir(e.Name) == skins
				if settings || skin {
					changed.Reset(settleTime)
				}
			case err, ok := <-w.Errors:
				if !ok {
					return
				}
				a.log.Warn("watching config.yaml", "err", err)
			case <-changed.C:
				if settings {
					a.reload()
				}
				if skin {
					a.wakeScreen()
				}
				settings, skin = false, false
			}
		}
	})
}

// unfollow ends what [App.follow] began.
func (a *App) unfollow() error {
	var err error
	if a.watcher != nil {
		err = a.watcher.Close()
	}
	a.following.Wait()
	return err
}

// reload reads the settings again and lets take effect what does in a running program.
// Settings that cannot be used change nothing.
func (a *App) reload() {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	c, warnings, err := config.Load(a.o.Loading)
	if err == nil && c.Doubt() != "" { // what forbids something would be gone from sessions that run
		err = errors.New(c.Doubt())
	}
	if err == nil {
		err = a.models.Configure(c)
	}
	if err != nil {
		if text := err.Error(); a.broken != text {
			a.broken = text
			a.tell(event.LevelWarn, "config.yaml has changed and cannot be used, so the settings stay as they were: "+strings.TrimSuffix(text, ".")+".")
		}
		return
	}
	fresh := slices.DeleteFunc(slices.Clone(warnings), func(w config.Warning) bool {
		return slices.ContainsFunc(a.o.Warned, func(o config.Warning) bool { return o.Key == w.Key && o.Problem == w.Problem })
	})
	for i, w := range fresh {
		const most = 3
		if i == most {
			a.tell(event.LevelWarn, fmt.Sprintf("… and %d more of the settings: hermes-tui doctor lists them", len(fresh)-i))
			break
		}
		a.tell(event.LevelWarn, w.String())
	}
	a.o.Warned = warnings
	mended := a.broken != ""
	a.broken = ""
	before := a.now.Swap(&c)
	a.learn(c.Secrets()...)
	keys := config.Changed(*before, c)
	if len(keys) == 0 {
		if mended {
			a.tell(event.LevelInfo, "config.yaml can be used again; no setting has changed.")
		}
		return
	}
	a.mu.Lock()
	a.disabled = c.Skills.Disabled
	a.mu.Unlock()
	for _, conv := range a.conversations() {
		conv.retune(&c)
	}
	a.background.run(func(context.Context) { a.syncMCP() })
	a.wakeScreen()
	keys = slices.DeleteFunc(keys, func(k config.Key) bool { return a.own[k.Name] })
	clear(a.own)
	if len(keys) > 0 {
		a.tell(event.LevelInfo, changes(keys))
	}
}

// wakeScreen has [App.NextSettings] give the settings again.
func (a *App) wakeScreen() {
	select {
	case a.changed <- struct{}{}:
	default: // no one has looked since the last one
	}
}

// retune lets take effect in a conversation what does while it runs.
func (c *conversation) retune(now *config.Config) {
	c.Retune(c.app.tuning())
	if err := c.rules.Replace(now.Approvals); err != nil {
		c.Notify(event.LevelWarn, rulesDoNotFit+err.Error())
	}
}

// rulesDoNotFit begins what is said of rules that cannot be used in a folder.
const rulesDoNotFit = "The rules of approvals do not fit this folder, so everything is asked about: "

// write changes a setting in config.yaml, about which nothing is said when the file is
// read again.
func (a *App) write(ctx context.Context, key string, value any) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	err := config.Set(ctx, config.Options{File: a.o.Home.Config(), Env: a.o.Env, Check: a.o.Loading.Check}, key, value)
	if err == nil && a.o.Loading.File != "" {
		a.own[key] = true
	}
	return err
}

// add writes a new entry into a section of config.yaml.
func (a *App) add(ctx context.Context, section, name string, fields []config.Named) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	return config.Add(ctx, config.Options{File: a.o.Home.Config(), Env: a.o.Env, Check: a.o.Loading.Check}, section, name, fields)
}

// drop takes an entry out of a section of config.yaml.
func (a *App) drop(ctx context.Context, section, name string) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	return config.Drop(ctx, config.Options{File: a.o.Home.Config(), Env: a.o.Env}, section, name)
}

// learn makes secrets known that are to be masked.
func (a *App) learn(values ...string) {
	a.learning.Lock()
	defer a.learning.Unlock()
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" || a.learnt[v] })
	for _, v := range values {
		a.learnt[v] = true
	}
	if len(values) > 0 {
		a.secrets.Learn(values...)
	}
}

// tell shows a notice in all conversations.
func (a *App) tell(level event.Level, text string) {
	for _, c := range a.conversations() {
		c.Notify(level, text)
	}
}

// mostNamed is how many settings a notice names for each time at which they take effect.
const mostNamed = 4

// changes says in a sentence which settings have changed, and when that takes effect.
func changes(keys []config.Key) string {
	names := map[config.Class][]string{}
	for _, k := range keys {
		names[k.Class] = append(names[k.Class], k.Name)
	}
	var parts []string
	for _, class := range []config.Class{config.Live, config.Turn, config.Session, config.Start} {
		list := names[class]
		if len(list) == 0 {
			continue
		}
		if n := len(list) - mostNamed; n > 0 {
			list = append(list[:mostNamed:mostNamed], fmt.Sprintf("%d more", n))
		}
		when := "with the next " + string(class)
		if class == config.Live {
			when = "at once"
		}
		parts = append(parts, when+": "+strings.Join(list, ", "))
	}
	return "Settings have changed, " + strings.Join(parts, "; ") + "."
}

// ErrNoSettings is that of [App.NextSettings] when settings are not followed.
var ErrNoSettings = errors.New("settings are not read again")

// NextSettings waits until settings or skins have changed and gives those of the front end. Only
// one may wait at a time.
func (a *App) NextSettings(ctx context.Context) (Settings, error) {
	if a.o.Loading.File == "" {
		return Settings{}, ErrNoSettings
	}
	select {
	case <-ctx.Done():
		return Settings{}, ctx.Err()
	case <-a.changed:
		return a.Settings(), nil
	}
}
