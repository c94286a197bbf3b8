package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hermes-tui/agent/api"
	"hermes-tui/store/atomicfile"
	"hermes-tui/tools/mcp"
)

// Projects and plugins name servers with variables of the user in them. An entry gets of
// these what says nothing but where things lie and how the user writes; every other one
// has to be given to it by its name, since its value would go where the entry says.

// harmless are variables that every entry gets. Names that begin with XDG_ or LC_ are too.
var harmless = strings.Fields("PATH HOME USER LOGNAME LANG SHELL TERM TMPDIR TZ PWD")

func isHarmless(name string) bool {
	return slices.Contains(harmless, name) || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "LC_")
}

// variablesKey is what is kept under of the variables that an entry is given: with its hash,
// so that another entry of its name has none.
func variablesKey(c mcp.Config) string { return "variables of " + entryKey(c) + " " + c.Sum() }

// given are the variables that an entry as it is written is given.
func (a *App) given(c mcp.Config) []string {
	return strings.Fields(a.mcp.consents.Newest(variablesKey(c)))
}

// variables are those that an entry as it is written names and does not get by itself.
func (a *App) variables(c mcp.Config) (list []api.MCPVariable) {
	given := a.given(c)
	note := func(name string) (string, bool) {
		name = strings.TrimPrefix(name, "env:")
		_, set := a.o.Env(name)
		v := api.MCPVariable{Name: name, Set: set, Given: slices.Contains(given, name)}
		if !a.getsItself(c, name) && !slices.Contains(list, v) {
			list = append(list, v)
		}
		return "", false
	}
	expandMCP(c, a.references("", note))
	slices.SortFunc(list, func(x, y api.MCPVariable) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// getsItself reports whether an entry gets a variable that no one has given it. Plugins are
// written for other programs as well, which give them none.
func (a *App) getsItself(c mcp.Config, name string) bool {
	return isHarmless(name) && !strings.HasPrefix(c.Origin, pluginOrigin)
}

// expandForeign is expandMCP for an entry of a project or a plugin. The folder for the data of
// a plugin is made.
func (a *App) expandForeign(c mcp.Config) mcp.Config {
	written, given := c, a.given(c)
	c.Written = &written
	if data := c.Env[pluginData]; data != "" && strings.HasPrefix(c.Origin, pluginOrigin) {
		if err := atomicfile.MkdirPrivate(data); err != nil {
			a.log.Warn("plugins", "data", data, "err", err) // who writes there says why it cannot
		}
	}
	return expandMCP(c, a.references(c.Dir, func(name string) (string, bool) {
		if !a.getsItself(c, name) && !slices.Contains(given, name) {
			return "", false
		}
		return a.o.Env(name)
	}))
}

// GiveMCP gives a server of a project or a plugin, as it is now, variables of the user by
// their names, in place of those that it was given before.
func (a *App) GiveMCP(ctx context.Context, s api.MCPServer, names []string) error {
	if err := a.writable(); err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(s.Wants, func(v api.MCPVariable) bool { return v.Name == name }) {
			return fmt.Errorf("the server %s does not ask for the variable %s, so it would not get it", s.Name, name)
		}
	}
	given := strings.Join(slices.Sorted(maps.Keys(setOf(names))), " ")
	if given == "" {
		given = "-" // none: what is kept last counts
	}
	if err := a.mcp.consents.Allow(ctx, variablesKey(seenOf(s).entry.AsWritten()), given); err != nil {
		return err
	}
	a.syncMCP()
	return nil
}

func setOf(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}
