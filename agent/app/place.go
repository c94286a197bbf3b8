package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"hermes-tui/store/config"
	"hermes-tui/tools"
	"hermes-tui/tools/place"
)

// settle gives a conversation the place it works in, and returns what the user
// should know about it. dir is where it would work on this machine.
func (a *App) settle(ctx context.Context, c *conversation, dir string) (notes []string, err error) {
	t := a.o.Config.Terminal
	var far *place.Remote
	remote := place.RemoteOptions{Env: a.o.Environ, Temp: a.place.Info().Temp, Dir: t.Cwd}
	switch t.Backend {
	case config.BackendSandbox:
		return a.sandbox(ctx, c, dir)
	case config.BackendDocker:
		far, err = place.OpenDocker(ctx, dockerOptions(t, remote, dir))
	case config.BackendSSH:
		far, err = place.OpenSSH(ctx, place.SSHOptions{
			RemoteOptions: remote, Host: t.SSHHost, User: t.SSHUser, Port: t.SSHPort, Key: t.SSHKey,
		})
	case config.BackendSingularity:
		far, err = place.OpenSingularity(ctx, place.SingularityOptions{RemoteOptions: remote, Image: t.SingularityImage, Workspace: dir})
	default:
		c.place = a.place
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.place, c.dir, c.far = far, far.Dir(), far
	c.done = append(c.done, far.Close)
	return far.Notes(), nil
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

// sandbox confines a conversation to its workspace.
func (a *App) sandbox(ctx context.Context, c *conversation, dir string) ([]string, error) {
	t, info := a.o.Config.Terminal, a.place.Info()
	roots := []string{a.rootOf(dir)}
	for _, extra := range t.SandboxWritable {
		if rest, ok := strings.CutPrefix(extra, "~/"); ok {
			extra = filepath.Join(info.Home, rest)
		}
		roots = append(roots, extra)
	}
	if a.within(roots[0], info.Home) {
		return nil, errors.New("a sandbox needs a workspace below the home directory: start in a project's folder, or set terminal.backend to local")
	}
	s, err := place.NewSandbox(ctx, a.place, place.SandboxOptions{
		Roots: roots, ReadOnly: tools.ProtectedPaths(roots[0]), Network: t.SandboxNetwork,
		Hidden: tools.HiddenPaths(info.Home, a.o.Home.Dir(), a.o.Environ),
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
func (a *App) rootOf(dir string) string {
	fs := a.place.FS()
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

// within tells whether home lies in dir or is it.
func (a *App) within(dir, home string) bool {
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// environ is the environment that commands of a conversation start from.
func (c *conversation) environ() []string {
	if c.far != nil {
		return c.far.Env()
	}
	return c.app.o.Environ
}

// private is the program's own folder as tools see it, empty where it is not.
func (c *conversation) private() string {
	if c.far != nil {
		return ""
	}
	return c.app.o.Home.Dir()
}

// filesLock is the lock that programs on this machine share, empty elsewhere.
func (c *conversation) filesLock() string {
	if c.far != nil {
		return ""
	}
	return c.app.o.Home.FilesLock()
}

// spill puts a result where tools of a far place can read it.
func (c *conversation) spill() func(name, content string) (string, error) {
	if c.far == nil {
		return nil
	}
	return func(name, content string) (string, error) {
		c.work.Lock()
		defer c.work.Unlock()
		if c.spilled == "" {
			dir, remove, err := c.far.Scratch()
			if err != nil {
				return "", fmt.Errorf("keep result: %w", err)
			}
			c.spilled, c.unspill = dir, remove
		}
		file := c.spilled + "/" + name
		return file, c.far.FS().WriteAtomic(file, []byte(content), 0o600)
	}
}
