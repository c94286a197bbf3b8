package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/event"
	"hermes-tui/agent/hooks"
	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/approval"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shorten"
)

// openHooks gets ready to run hooks.
func (a *App) openHooks() {
	info := a.place.Info()
	consents := bind.NewConsents(bind.HookKind, a.db, a.o.IDs, a.seal, func(err error) { a.log.Warn("hooks", "err", err) })
	a.hooks = hooks.NewShelf(hooks.ShelfOptions{
		Start: a.hookStart(a.place, nil), Bind: func(command, dir string, own []string) (list []hooks.Pin) {
			for _, p := range a.boundIn(a.rootOf(dir), command, dir, own) {
				list = append(list, hooks.Pin{Path: p.File, Sum: p.Content})
			}
			return list
		},
		Home: info.Home, Path: func(dir string) string { path, _ := tools.Variable(a.ownEnviron(dir), "PATH"); return path },
		Decided: consents.Newest, Decide: consents.Allow, Mask: a.masker().Text, Profile: filepath.Base(a.o.Home.Dir()), Now: a.o.IDs.Now,
	})
}

// hookStart starts hooks in a place, confined or not.
func (a *App) hookStart(p place.Place, confine *place.Confine) hooks.Start {
	return bind.HookCommand(p, a.ownEnviron, func() []string { return a.config().Terminal.EnvPassthrough }, a.o.Home.Dir(), confine)
}

// boundIn are the files that a command runs or loads from where agents in a folder can write.
func (a *App) boundIn(root, command, dir string, own []string) []approval.Pin {
	gate := approval.New(approval.Options{Place: a.place, Home: a.place.Info().Home, HermesHome: a.o.Home.Dir(), Workspace: root})
	return gate.Bind(command, dir, a.ownEnviron(dir), own)
}

// confinesHooks starts hooks confined in the place of a conversation, nil where that is not
// possible. They reach what the settings let confined commands reach.
func (c *conversation) confinesHooks() hooks.Start {
	switch info := c.place.Info(); {
	case c.remote != nil:
		return nil
	case info.Confined:
		return c.app.hookStart(c.place, nil)
	case info.Confines:
		return c.app.hookStart(c.place, &place.Confine{Reach: c.app.reachListed})
	}
	return nil
}

// reachListed lets a host be reached that approvals.hosts lists.
func (a *App) reachListed(_ context.Context, host string, port int) error {
	if !a.hosts().Match(host, port) {
		return errors.New("a hook reaches only what approvals.hosts lists")
	}
	return nil
}

// confinesIn starts hooks confined that no conversation runs, as one in the folder would.
func (a *App) confinesIn(dir string) hooks.Start {
	if !a.o.Confine || a.config().Terminal.Backend != config.BackendLocal {
		return nil
	}
	return func(ctx context.Context, p hooks.Process) (func() (int, error), error) {
		k := a.confine(ctx, dir)
		if k.err != nil {
			return nil, fmt.Errorf("it cannot be confined here: %w", k.err)
		}
		wait, err := a.hookStart(k.place, &place.Confine{Reach: a.reachListed})(ctx, p)
		if err != nil {
			return nil, errors.Join(err, k.close())
		}
		return func() (int, error) {
			code, err := wait()
			return code, errors.Join(err, k.close())
		}, nil
	}
}

// held are hooks that run confined where they do not ask for otherwise.
func held(list []hooks.Hook, confine hooks.Start) []hooks.Hook {
	for i := range list {
		if !list[i].Outside {
			list[i].Confine = confine
		}
	}
	return list
}

// configured are the hooks of the settings, and those of a folder if it is trusted.
func (a *App) configured(dir string, trusted func(root string) bool) (list []hooks.Hook, problems []string) {
	c := a.config()
	for name, h := range c.Hooks.All() {
		e, ok := hooks.Named(name)
		if !ok {
			continue
		}
		list = append(list, hooks.Hook{
			Event: e, Command: h.Command, Matcher: h.Matcher, Timeout: h.Timeout.Duration(), FailClosed: h.FailClosed, Outside: h.Outside,
			File: a.o.Home.Config(), Accepted: c.AcceptHooks,
		})
	}
	more, problems := a.pluginHooks()
	list = append(list, more...)
	root := a.rootOf(dir)
	if a.within(root, a.place.Info().Home) {
		return inOrder(list), problems
	}
	more, wrong := hooks.OfFolder(root)
	switch {
	case len(more) == 0 && len(wrong) == 0:
	case !trusted(root):
		problems = append(problems, "Hooks of this folder count once it is trusted (/trust yes): "+filepath.Join(root, ".claude"))
	default:
		for i := range more {
			more[i].Accepted = a.trustsOnce(root)
		}
		list, problems = append(list, more...), append(problems, wrong...)
	}
	return inOrder(list), problems
}

// inOrder sorts hooks by their events.
func inOrder(list []hooks.Hook) []hooks.Hook {
	slices.SortStableFunc(list, func(x, y hooks.Hook) int { return int(x.Event) - int(y.Event) })
	return list
}

// hooksOf runs the hooks of a conversation, on this machine wherever that works: confined, as
// its commands can be, where a hook does not ask for otherwise.
func (a *App) hooksOf(c *conversation) *hooks.Runner {
	return hooks.NewRunner(hooks.RunnerOptions{
		Shelf: a.hooks, Dir: c.hookDir(),
		List: func() []hooks.Hook {
			list, _ := a.configured(c.hookDir(), func(string) bool { return c.remote == nil && c.trusted() })
			return held(list, c.confinesHooks())
		},
		Session: func() string { return string(c.Session()) }, Mode: func() string { return string(c.Mode()) },
		Say: func(text string) { c.later(func() { c.Notify(event.LevelWarn, text) }) },
	})
}

// hookDir is where hooks run.
func (c *conversation) hookDir() string {
	if c.remote != nil {
		return c.app.o.Dir
	}
	return c.dir
}

// begins says for hooks how a conversation begins.
func (a *App) begins(p plan) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	begun := a.begun
	a.begun = true
	switch {
	case p.past != nil:
		return "resume"
	case begun:
		return "clear"
	}
	return "startup"
}

// front notes which conversation the user sees now, and for hooks how they left the one
// before: clear for a new one, resume for an earlier one.
func (a *App) front(c *conversation, how string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := a.open[a.seen]; old != nil && old != c {
		old.gone = how
	}
	a.seen = c.ID()
}

// endsFor says for hooks why a conversation ends, in the words of Claude Code.
func (c *conversation) endsFor() string {
	a := c.app
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.o.Unattended || a.halted:
		return "other"
	case a.leaving:
		return "prompt_input_exit"
	}
	return cmp.Or(c.gone, "other")
}

// tellHeldHooks says which hooks do not run.
func (c *conversation) tellHeldHooks() {
	held := c.hooks.Held()
	if len(held) == 0 {
		return
	}
	var names []string
	for _, h := range held[:min(len(held), 3)] {
		names = append(names, h.When()+": "+shorten.Line(h.Command, 60))
	}
	way := "See /hooks"
	if c.app.o.Unattended {
		way = "See hermes-tui hooks list"
	}
	c.Notify(event.LevelWarn, fmt.Sprintf("%s not run before you have looked at %s (%s). %s.", tools.Plural(len(held), "hook does", "hooks do"), map[bool]string{true: "it", false: "them"}[len(held) == 1], strings.Join(names, "; "), way))
}

// hookTime is how long hooks hold up the end of a conversation.
const hookTime = 3 * time.Second

// endHooks tells hooks that the conversation ends, and waits for them.
func (c *conversation) endHooks() error {
	ctx, cancel := context.WithTimeout(context.Background(), hookTime)
	defer cancel()
	if c.hooks.Began() {
		why := c.endsFor()
		c.hooks.Tell(hooks.Input{Event: hooks.SessionFinalize, About: why, More: map[string]any{"reason": why}})
	}
	c.hooks.Close(ctx)
	return nil
}

// lookedAt is what [api.Hook.Seen] holds.
type lookedAt struct {
	hooks.Seen
	dir string
}

// shownHooks are the hooks of a folder.
func (a *App) shownHooks(dir string, confine hooks.Start, trusted func(root string) bool) ([]api.Hook, []string) {
	found, problems := a.configured(dir, trusted)
	found = held(found, confine)
	list := make([]api.Hook, len(found))
	for i, h := range found {
		seen := a.hooks.Look(h, dir)
		list[i] = api.Hook{
			ID: h.ID(), Event: h.When(), About: h.Event.About(), Command: h.Command, Matcher: h.Matcher, Seconds: int(h.Timeout / time.Second),
			FailClosed: h.FailClosed, Background: h.Background, Outside: h.Confine == nil, File: h.File, Folder: h.From != "", State: string(seen.State), Why: seen.Why, Seen: lookedAt{seen, dir},
		}
		for _, p := range seen.Pins {
			if !isAbsent(p) {
				list[i].Files = append(list[i].Files, p.Path)
			}
		}
		for _, r := range a.hooks.Runs(h.ID()) {
			list[i].Runs = append(list[i].Runs, api.HookRun{At: r.At, Took: r.Took, Tool: r.Tool, Outcome: r.Outcome, Said: r.Said, Failed: r.Failed})
		}
	}
	return list, problems
}

// Hooks are the hooks that a session in the folder of the program would have, and what of
// them could not be read.
func (a *App) Hooks(ctx context.Context) ([]api.Hook, []string) {
	trust := a.trust()
	return a.shownHooks(a.o.Dir, a.confinesIn(a.o.Dir), func(root string) bool {
		_, yes, err := trust.Trusted(ctx, root)
		return err == nil && yes
	})
}

// ApproveHook lets a hook run as it was seen, or no more.
func (a *App) ApproveHook(ctx context.Context, h api.Hook, yes bool) error {
	if err := a.writable(); err != nil {
		return err
	}
	seen, _ := h.Seen.(lookedAt)
	return a.hooks.Decide(ctx, seen.Seen, seen.dir, yes)
}

// TestHook runs a hook that is approved with what such an event could tell it, and gives a
// text on what came of it.
func (a *App) TestHook(ctx context.Context, h api.Hook) (string, error) {
	seen, _ := h.Seen.(lookedAt)
	told, r, err := a.hooks.Test(ctx, seen.Hook, seen.dir)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("It was told:\n%s\n\nIt took %v: %s.\n", told, r.Took.Round(time.Millisecond), r.Outcome)
	if r.Said != "" {
		text += "\nIt wrote:\n" + r.Said
	}
	return text, nil
}

// maxHookFile bounds what is shown of a file of a hook, in bytes.
const maxHookFile = 64 << 10

// ReadHook gives the files that a hook consists of, each below its name. Of what is no text
// there is only the name.
func (a *App) ReadHook(h api.Hook) string {
	var b strings.Builder
	seen, _ := h.Seen.(lookedAt)
	for _, p := range seen.Pins {
		if isAbsent(p) {
			continue
		}
		b.WriteString("\n── " + p.Path + "\n")
		switch data, err := readHead(p.Path); {
		case p.Sum == "" || err != nil:
			b.WriteString("There is no such file.\n")
		case bytes.IndexByte(data, 0) >= 0:
			b.WriteString("This is no text; its SHA-256 is " + p.Sum + ".\n")
		default:
			b.Write(data)
			b.WriteString("\n")
		}
	}
	return a.masker().Text(b.String())
}

func isAbsent(p hooks.Pin) bool { return approval.Pin{File: p.Path, Content: p.Sum}.Absent() }

func readHead(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxHookFile))
	return data, errors.Join(err, f.Close())
}

// Hooks implements [Conversation].
func (c *conversation) Hooks(context.Context) ([]api.Hook, []string) {
	return c.app.shownHooks(c.hookDir(), c.confinesHooks(), func(string) bool { return c.remote == nil && c.trusted() })
}

// ReadHook implements [Conversation].
func (c *conversation) ReadHook(h api.Hook) string { return c.app.ReadHook(h) }

// ApproveHook implements [Conversation].
func (c *conversation) ApproveHook(ctx context.Context, h api.Hook, yes bool) error {
	return c.app.ApproveHook(ctx, h, yes)
}

// TestHook implements [Conversation].
func (c *conversation) TestHook(ctx context.Context, h api.Hook) (string, error) {
	return c.app.TestHook(ctx, h)
}
