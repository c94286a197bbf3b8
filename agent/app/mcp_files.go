package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/mcp"
)

// mcpFiles are the files that a server runs or loads from where agents can write: of each
// folder that is worked in their hash, and the names of those that are there.
type mcpFiles struct {
	sums  map[string]string // by the key under which it is agreed to
	names []string
}

// filesOf finds them.
func (a *App) filesOf(c mcp.Config) mcpFiles {
	f := mcpFiles{sums: map[string]string{}}
	if c.Command == "" {
		return f
	}
	if a.ofOthers(c) {
		c = a.expandForeign(c)
	}
	home := a.place.Info().Home
	at := func(file string) string {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			return filepath.Join(home, rest)
		}
		return file
	}
	words := []string{at(c.Command)}
	words = append(words, c.Args...)
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	var own []string
	for name, value := range c.Env {
		own = append(own, name+"="+value)
	}
	slices.Sort(own)
	for _, root := range a.workedIn() {
		sum, any := sha256.New(), false
		for _, p := range a.boundIn(root, strings.Join(words, " "), at(c.Dir), own) {
			any = true
			_, _ = sum.Write([]byte(p.File + "\x00" + p.Content + "\x00")) // a hash never fails
			if name := filepath.Base(p.File); !p.Absent() && !slices.Contains(f.names, name) {
				f.names = append(f.names, name)
			}
		}
		if any {
			f.sums["files of "+entryKey(c)+" in "+root] = fmt.Sprintf("%x", sum.Sum(nil))
		}
	}
	return f
}

// workedIn are the folders in which agents of this program can write.
func (a *App) workedIn() []string {
	roots := []string{a.rootOf(a.o.Dir)}
	for _, c := range a.conversations() {
		if root := a.rootOf(c.dir); c.remote == nil && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// ofOthers reports whether an entry is not one of the settings.
func (a *App) ofOthers(c mcp.Config) bool { return c.Origin != a.o.Home.Config() }

// asAgreed reports whether the files of a server are those that the user has agreed to, and
// which they are. Those of a server of the settings are agreed to when it is started first.
func (a *App) asAgreed(c mcp.Config) (names []string, ok bool) {
	f := a.filesOf(c)
	for key, sum := range f.sums {
		switch was := a.mcp.consents.Newest(key); {
		case was == sum:
		case was != "" || a.ofOthers(c):
			return f.names, false
		case a.writable() == nil:
			if err := a.mcp.consents.Allow(context.Background(), key, sum); err != nil {
				a.log.Warn("mcp", "files", c.Name, "err", err)
			}
		}
	}
	return f.names, true
}

// agree agrees to the files of a server as they were seen.
func (a *App) agree(ctx context.Context, f mcpFiles) error {
	for key, sum := range f.sums {
		if err := a.mcp.consents.Allow(ctx, key, sum); err != nil {
			return err
		}
	}
	return nil
}

// changedFiles says of a server why it waits for the user.
func changedFiles(names []string) string {
	if len(names) > 3 {
		names = append(slices.Clone(names[:3]), tools.Plural(len(names)-3, "more file", "more files"))
	}
	return "It runs files of a folder that agents write in, and you have not agreed to them as they are now: " + strings.Join(names, ", ") + "."
}

// waits reports whether a server is not started as it is now, since its files are not as
// agreed to. One that runs already goes on.
func (a *App) waits(c mcp.Config, running []mcp.Status) bool {
	if slices.ContainsFunc(running, func(s mcp.Status) bool { return s.Name == c.Name && s.State == mcp.Ready && !s.Rests }) {
		return false
	}
	_, ok := a.asAgreed(c)
	return !ok
}
