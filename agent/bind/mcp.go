package bind

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools/mcp"
	"hermes-tui/tools/place"
)

// MCPKind is the kind under which servers of projects and what servers offer are agreed to.
const MCPKind = "mcp"

// MCPCommand starts servers on this machine, with the variables that programs of the user
// get and their own. A leading ~/ of a name is the user's home; a name without a slash is
// looked for in the PATH of env, which gives the environment in a folder.
func MCPCommand(p place.Place, env func(dir string) []string) mcp.Start {
	return func(ctx context.Context, s mcp.Spawn) (func() (int, error), error) {
		home := p.Info().Home
		dir := s.Dir
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			dir = filepath.Join(home, rest)
		}
		own := userEnv(env(dir))
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			own = append(own, name+"="+s.Env[name])
		}
		name := s.Command
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(home, rest)
		}
		var err error
		switch {
		case !strings.Contains(name, "/"):
			if name, err = lookPath(p.FS(), own, s.Command, dir); err != nil {
				err = fmt.Errorf("there is no program %s in PATH", s.Command)
			}
		case !filepath.IsAbs(name):
			name = filepath.Join(dir, name)
		}
		if err != nil {
			return nil, err
		}
		return startUser(ctx, p, place.Proc{
			Argv: append([]string{name}, s.Args...), Dir: dir, Env: own, Stdin: s.In, Stdout: s.Out, Stderr: s.Errs, Whole: true, Swept: true, Leashed: true,
		})
	}
}
