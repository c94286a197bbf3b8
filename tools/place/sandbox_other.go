//go:build !linux && !darwin

package place

import (
	"context"
	"fmt"
	"runtime"
)

// confinement is what this system offers: nothing.
type confinement struct{}

func (s *Sandbox) prepare(context.Context) error {
	return fmt.Errorf("%w: there is one on Linux and macOS only, not on %s: work in a container or on another machine instead", ErrNoSandbox, runtime.GOOS)
}

func (s *Sandbox) wrap(Proc, string) (command, error) { return command{}, ErrNoSandbox }

// Means are what of this system the sandbox is made of: nothing.
func (s *Sandbox) Means() []string { return nil }

// cached are the folders that programs may keep caches in.
func (s *Sandbox) cached() []string { return s.writable }

// ready has nothing to start.
func (s *Sandbox) ready() error { return nil }

// protect has nothing to do: paths are protected by their names.
func (s *Sandbox) protect() error { return nil }

// left reports whether confined processes may have left others, which is not known.
func (s *Sandbox) left() bool { return true }

// release has nothing to end.
func (s *Sandbox) release() {}

// SandboxMain has nothing to do: there is no sandbox here.
func SandboxMain([]string) (handled bool, code int) { return false, 0 }
