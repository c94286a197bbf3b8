package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// settle gives a conversation the place it works in, and returns what the user
// should know about it. dir is where it would work on this machine.
func (a *App) settle(ctx context.Context, c *conversation, dir string) (notes []string, err error) {
	t := a.config().Terminal
	var remote *place.Remote
	o := place.RemoteOptions{Env: a.o.Environ, Temp: a.place.Info().Temp, Dir: t.Cwd}
	switch t.Backend {
	case config.BackendSandbox:
		return a.sandbox(ctx, c, dir)
	case config.BackendDocker:
		remote, err = place.OpenDocker(ctx, dockerOptions(t, o, dir))
	case config.BackendSSH:
		remote, err = place.OpenSSH(ctx, place.SSHOptions{
			RemoteOptions: o, Host: t.SSHHost, User: t.SSHUser, Port: t.SSHPort, Key: t.SSHKey,
		})
	case config.BackendSingularity:
		remote, err = place.OpenSingularity(ctx, place.SingularityOptions{RemoteOptions: o, Image: t.SingularityImage, Workspace: dir})
	default:
		return a.local(ctx, c, dir), nil
	}
	if err != nil {
		return nil, err
	}
	c.place, c.dir, c.remote = remote, remote.Dir(), remote
	c.about = remote.Info().Target + ":" + rootIn(remote.FS(), c.dir)
	c.done = append(c.done, remote.Close)
	return remote.Notes(), nil
}

func dockerOptions(t config.Terminal, o place.RemoteOptions, dir string) place.DockerOptions {
	d := place.DockerOptions{
		RemoteOptions: o, Engine: t.DockerEngine, Image: t.DockerImage, Volumes: t.DockerVolumes, Network: t.DockerNetwork,
		CPUs: t.ContainerCPU, MemoryMB: t.ContainerMemory, DiskMB: t.ContainerDisk, Persistent: t.ContainerPersistent,
	}
	if t.DockerMountCwd {
		d.Workspace = dir
	}
	return d
}

// workRoots are the folders that confined processes may write: the workspace that
// dir belongs to, those of the settings, and of a linked worktree where git keeps its
// commits; and what of them stays as it is.
func (a *App) workRoots(dir string) (roots, readOnly []string) {
	roots = []string{a.rootOf(dir)}
	readOnly = tools.ProtectedPaths(roots[0])
	if store, protected := tools.GitStore(roots[0]); store != "" {
		roots, readOnly = append(roots, store), append(readOnly, protected...)
	}
	for _, extra := range a.config().Terminal.SandboxWritable {
		if rest, ok := strings.CutPrefix(extra, "~/"); ok {
			extra = filepath.Join(a.place.Info().Home, rest)
		}
		roots = append(roots, extra)
	}
	return roots, readOnly
}

// sandbox confines a conversation to its workspace.
func (a *App) sandbox(ctx context.Context, c *conversation, dir string) ([]string, error) {
	roots, readOnly := a.workRoots(dir)
	if a.within(roots[0], a.place.Info().Home) {
		return nil, errors.New("a sandbox needs a workspace below the home directory: start in a project's folder, or set terminal.backend to local")
	}
	s, err := place.NewSandbox(ctx, a.place, place.SandboxOptions{
		Roots: roots, ReadOnly: readOnly, Network: a.config().Terminal.SandboxNetwork,
		Harmless: tools.HarmlessNew, Aside: filepath.Join(a.o.Home.Confined(), "aside"),
		Hidden: tools.HiddenPaths(a.place.Info().Home, a.o.Home.Dir(), a.o.Environ),
	})
	if err != nil {
		return nil, err
	}
	c.place = s
	c.done = append(c.done, s.Close)
	if gaps := s.Uncovered(); len(gaps) > 0 {
		return []string{"What the sandbox does not cover: " + strings.Join(gaps, " ")}, nil
	}
	return nil, nil
}

// rootOf is the real path of the repository around a folder, or of the folder.
func (a *App) rootOf(dir string) string { return rootIn(a.place.FS(), dir) }

// rootIn is [App.rootOf] on any place.
func rootIn(fs place.FS, dir string) string {
	if real, err := fs.Resolve(dir); err == nil {
		dir = real
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := fs.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// within reports whether home lies in dir or is it.
func (a *App) within(dir, home string) bool {
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Outside is an environment without what in PATH leads into the workspace around a folder,
// where agents write, or depends on the folder; home is the user's, and a workspace that it
// lies in is left as it is.
func Outside(environ []string, dir, home string) []string {
	root := rootIn(new(place.Local).FS(), dir)
	if rel, err := filepath.Rel(root, home); err == nil && filepath.IsLocal(rel) {
		root = ""
	}
	return place.Settled(environ, root)
}

// ownEnviron is the environment of programs that this one starts by itself in a folder, which
// is [Outside] of its own and of that one until the user has said that they trust them.
func (a *App) ownEnviron(dir string) []string {
	env := place.Settled(a.o.Environ, "")
	for _, dir := range slices.Compact([]string{a.o.Dir, dir}) {
		if dir == "" {
			continue
		}
		outside := Outside(env, dir, a.place.Info().Home)
		if slices.Equal(outside, env) {
			continue
		}
		if _, yes, err := a.trust().Trusted(context.Background(), a.rootOf(dir)); err != nil || !yes {
			env = outside
		}
	}
	return env
}

// environ is the environment that commands of a conversation start from.
func (c *conversation) environ() []string {
	if c.remote != nil {
		return c.remote.Env()
	}
	return c.app.o.Environ
}

// private is the program's own folder as tools see it, empty where it is not.
func (c *conversation) private() string {
	if c.remote != nil {
		return ""
	}
	return c.app.o.Home.Dir()
}

// filesLock is the lock that programs on this machine share, empty elsewhere.
func (c *conversation) filesLock() string {
	if c.remote != nil {
		return ""
	}
	return c.app.o.Home.FilesLock()
}

// spill puts a result where tools of a remote place can read it.
func (c *conversation) spill() func(name, content string) (string, error) {
	if c.remote == nil {
		return nil
	}
	return func(name, content string) (string, error) {
		c.work.Lock()
		defer c.work.Unlock()
		if c.spilled == "" {
			dir, remove, err := c.remote.Scratch()
			if err != nil {
				return "", fmt.Errorf("keep result: %w", err)
			}
			c.spilled, c.unspill = dir, remove
		}
		file := c.spilled + "/" + name
		return file, c.remote.FS().WriteAtomic(file, []byte(content), 0o600)
	}
}
