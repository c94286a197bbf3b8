//go:build !linux && !darwin

package place

import (
	"context"
	"fmt"
	"net"
	"runtime"
)

// localPorts are none.
type localPorts struct{}

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

// openPorts has nothing to open, since processes have no network.
func (s *Sandbox) openPorts() {}

// holders are not known.
func (s *Sandbox) holders(net.Conn) []int { return nil }

// descends is not known.
func descends(int, *process) bool { return false }

// marked is not known.
func marked(int, *process) bool { return false }

// protect has nothing to do: paths are protected by their names.
func (s *Sandbox) protect() error { return nil }

// release has nothing to end.
func (s *Sandbox) release() {}

// SandboxMain has nothing to do: there is no sandbox here.
func SandboxMain([]string) (handled bool, code int) { return false, 0 }
