package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hermes-tui/agent/api"
	"hermes-tui/agent/bind"
	"hermes-tui/agent/hooks"
	"hermes-tui/store/plugins"
	"hermes-tui/store/skillguard"
	"hermes-tui/store/skillhub"
	"hermes-tui/store/skills"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/mcp"
	"hermes-tui/tools/shell"
)

// pluginShelf are the plugins of HERMES_HOME and which of them are enabled.
type pluginShelf struct {
	store    *plugins.Store
	consents *bind.Consents

	mu   sync.Mutex
	list []plugins.Plugin // the enabled ones, as they were read last
}

// The states of a plugin.
const (
	pluginEnabled  = "enabled"
	pluginDisabled = "disabled"
	pluginChanged  = "changed"
	pluginBroken   = "broken"
)

// openPlugins reads the plugins.
func (a *App) openPlugins() {
	a.plugins = &pluginShelf{
		store:    plugins.New(a.o.Home.Plugins(), a.o.IDs.Now),
		consents: bind.NewConsents(bind.PluginKind, a.db, a.o.IDs, a.seal, func(err error) { a.log.Warn("plugins", "err", err) }),
	}
	list, _ := a.Plugins()
	for _, p := range list {
		if p.State == pluginChanged {
			a.notices = append(a.notices, "The plugin "+p.Name+" has changed since you enabled it, so it is off. See /plugins.")
		}
	}
}

// state says whether a plugin is enabled as it is.
func (s *pluginShelf) state(p plugins.Plugin) string {
	switch s.consents.Newest(p.Name) {
	case p.Sum:
		return pluginEnabled
	case "", hooks.Refused:
		return pluginDisabled
	}
	return pluginChanged
}

// enabled are the plugins that count.
func (s *pluginShelf) enabled() []plugins.Plugin {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list
}

// pluginSkills are the skills of enabled plugins: folders, and files that are one each.
func (a *App) pluginSkills() (roots []skills.Root) {
	for _, p := range a.plugins.enabled() {
		for _, name := range p.Skills {
			roots = append(roots, skills.Root{Origin: skills.External, Dir: filepath.Join(p.Dir, filepath.FromSlash(name)), Plugin: p.Dir})
		}
		for i, name := range p.Commands { // sorted, so those of a folder are neighbours
			dir := filepath.Join(p.Dir, filepath.FromSlash(path.Dir(name)))
			if last := len(roots) - 1; i > 0 && path.Dir(p.Commands[i-1]) == path.Dir(name) {
				roots[last].Files = append(roots[last].Files, path.Base(name))
				continue
			}
			roots = append(roots, skills.Root{Origin: skills.External, Dir: dir, Files: []string{path.Base(name)}, Plugin: p.Dir})
		}
	}
	return roots
}

// pluginHooks are the hooks of enabled plugins. Each is approved by itself.
func (a *App) pluginHooks() (list []hooks.Hook, problems []string) {
	for _, p := range a.plugins.enabled() {
		for _, file := range p.Hooks {
			more, _, err := hooks.OfFile(file, "plugin "+p.Name, p.Dir)
			if err != nil {
				problems = append(problems, file+": "+err.Error())
			}
			list = append(list, more...)
		}
	}
	return list, problems
}

// pluginTools are the commands of enabled plugins that are tools. The folder of the plugin
// stands in their text, so that what is judged and shown is what runs.
func (a *App) pluginTools() (list []shell.Command) {
	for _, p := range a.plugins.enabled() {
		for _, t := range p.Tools {
			list = append(list, shell.Command{
				Name: t.Name, Description: t.Description, Parameters: t.Parameters, Timeout: time.Duration(t.Seconds) * time.Second,
				Command: strings.ReplaceAll(t.Command, "${PLUGIN_ROOT}", shellQuoted(p.Dir)),
			})
		}
	}
	return list
}

// shellQuoted is a path as one word of a shell.
func shellQuoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// Plugins are those that are installed, by name.
func (a *App) Plugins() ([]api.Plugin, error) {
	s := a.plugins
	found, problems, err := s.store.List()
	var list []api.Plugin
	var enabled []plugins.Plugin
	for _, p := range found {
		one := a.shownPlugin(p)
		if one.State == pluginEnabled {
			enabled = append(enabled, p)
		}
		list = append(list, one)
	}
	for _, p := range problems {
		list = append(list, api.Plugin{Name: p.Name, State: pluginBroken, Why: p.Text})
	}
	s.mu.Lock()
	s.list = enabled
	s.mu.Unlock()
	return list, err
}

func (a *App) shownPlugin(p plugins.Plugin) api.Plugin {
	one := api.Plugin{
		Name: p.Name, Version: p.Version, Description: p.Description, Author: p.Author, License: p.License, From: p.Source.From, Ref: p.Source.Ref, At: p.Source.At,
		State: a.plugins.state(p), Notes: p.Notes, Sum: p.Sum,
	}
	if one.State == pluginChanged {
		one.Why = "it has changed since you enabled it"
	}
	for _, t := range p.Tools {
		one.Tools = append(one.Tools, t.Name+": "+t.Command)
	}
	for _, s := range p.Servers {
		runs, gets := a.masked(mcp.Config{Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers})
		one.Servers = append(one.Servers, strings.Join(append([]string{s.Name + ": " + runs}, gets...), ", with "))
	}
	for _, file := range p.Hooks {
		list, _, err := hooks.OfFile(file, p.Name, p.Dir)
		if err != nil {
			one.Notes = append(one.Notes, file+": "+err.Error())
		}
		for _, h := range list {
			one.Hooks = append(one.Hooks, h.Event.String()+": "+h.Command)
		}
	}
	var files []skillguard.File
	look := func(skill, file string) {
		one.Skills = append(one.Skills, skill)
		if text, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(file))); err == nil {
			files = append(files, skillguard.File{Name: file, Data: text})
		}
	}
	for _, name := range p.Skills {
		look(strings.TrimPrefix(path.Base(path.Join("/", p.Name, name)), "/"), path.Join(name, skills.File))
	}
	for _, name := range p.Commands {
		look("/"+strings.TrimSuffix(path.Base(name), path.Ext(name)), name)
	}
	one.Findings = bind.SkillGuard().Look(files).Texts()
	return one
}

// commit is the full name of a commit.
var commit = lazyregexp.New(`^[0-9a-f]{40}$`)

// InstallPlugin takes a plugin in, off: from a folder, an archive, or a repository at a
// commit (its newest without one). name is that of one of several.
func (a *App) InstallPlugin(ctx context.Context, from, ref, name string) (api.Plugin, error) {
	if ref != "" && !commit.MatchString(ref) {
		return api.Plugin{}, fmt.Errorf("%q is no commit: give the 40 digits of its full name", ref)
	}
	if err := a.writable(); err != nil {
		return api.Plugin{}, err
	}
	p, err := a.takePlugin(ctx, from, ref, plugins.Choice{Name: name})
	if err != nil {
		return api.Plugin{}, err
	}
	_, err = a.Plugins() // one that was enabled has changed
	return a.shownPlugin(p), err
}

// takePlugin puts a plugin into its place, also one that is in another repository than its
// list.
func (a *App) takePlugin(ctx context.Context, from, ref string, want plugins.Choice) (plugins.Plugin, error) {
	source := plugins.Source{From: from, Ref: ref}
	var none plugins.Plugin
	var leftOut []string
	var fill func(into string) error
	st, err := os.Stat(from)
	switch {
	case err == nil && ref != "":
		return none, errors.New("a commit is for repositories: leave it out for folders and archives")
	case err == nil:
		if source.From, err = filepath.Abs(from); err != nil {
			return none, err
		}
		fill = func(into string) (err error) {
			if st.IsDir() {
				leftOut, err = skillhub.Copy(from, into)
			} else {
				leftOut, err = skillhub.Unpack(from, into)
			}
			return err
		}
	case repository(from):
		dir, remove, err := a.place.Scratch()
		if err != nil {
			return none, err
		}
		defer func() { _ = remove() }() // what stays is swept later
		file, sha, err := a.fetchCommit(ctx, from, ref, dir)
		if err != nil {
			return none, err
		}
		source.Ref = sha
		fill = func(into string) (err error) {
			leftOut, err = skillhub.Unpack(file, into)
			return err
		}
	default:
		return none, fmt.Errorf("%s is neither a folder or archive that is there nor the address of a repository (https://, ssh://)", from)
	}
	p, err := a.plugins.store.Install(ctx, source, want, fill)
	if away, is := errors.AsType[*plugins.ElsewhereError](err); is && repository(away.URL) {
		away.In(&want)
		return a.takePlugin(ctx, away.URL, away.Ref, want)
	}
	if err != nil {
		return none, fmt.Errorf("nothing was installed: %w", err)
	}
	for _, name := range leftOut {
		p.Notes = append(p.Notes, fmt.Sprintf("%.200q is left out: it is a link that leads out of the plugin, or no plain file", name))
	}
	return p, nil
}

// fetchCommit puts the files of a commit of a repository, its newest for an empty ref, into
// an archive in a folder that is empty. There is no working copy, so nothing of it runs.
func (a *App) fetchCommit(ctx context.Context, url, ref, dir string) (file, sha string, err error) {
	wanted := ref
	if ref == "" {
		wanted = "HEAD"
	}
	file = filepath.Join(dir, "plugin.tar")
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--template=", "."},
		{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--depth=1", "--", url, wanted},
		{"archive", "--format=tar", "-o", file, "FETCH_HEAD"},
		{"rev-parse", "FETCH_HEAD^{commit}"},
	} {
		if sha, err = a.git(ctx, dir, args...); err != nil {
			return "", "", fmt.Errorf("the repository %s could not be fetched, or has no such commit: %w", url, err)
		}
	}
	sha = strings.TrimSpace(sha)
	if commit.MatchString(ref) && sha != ref {
		return "", "", fmt.Errorf("the repository gave the commit %s in place of %s", sha, ref)
	}
	return file, sha, nil
}

// repository reports whether a text is the address of a repository.
func repository(from string) bool {
	for _, scheme := range []string{"https://", "http://", "ssh://", "git@"} {
		if strings.HasPrefix(from, scheme) {
			return true
		}
	}
	return false
}

// EnablePlugin enables a plugin as it was seen, or disables it.
func (a *App) EnablePlugin(ctx context.Context, p api.Plugin, on bool) error {
	if err := a.writable(); err != nil {
		return err
	}
	what := hooks.Refused
	if on {
		now, err := a.plugins.store.Get(p.Name)
		if err != nil {
			return err
		}
		if now.Sum != p.Sum {
			return fmt.Errorf("the plugin %s has changed since you looked: look again", p.Name)
		}
		what = now.Sum
	}
	if err := a.plugins.consents.Allow(ctx, p.Name, what); err != nil {
		return err
	}
	_, err := a.Plugins()
	a.background.run(func(context.Context) { a.syncMCP() })
	return err
}

// RemovePlugin deletes a plugin.
func (a *App) RemovePlugin(ctx context.Context, name string) error {
	if err := a.plugins.store.Remove(ctx, name); err != nil {
		return err
	}
	if err := a.plugins.consents.Allow(ctx, name, hooks.Refused); err != nil {
		return err
	}
	_, err := a.Plugins()
	a.background.run(func(context.Context) { a.syncMCP() })
	return err
}
