package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
)

// localPorts are none.
type localPorts struct{}

// confinement is what this system offers.
type confinement struct{}

// prepare tries the profile on a program that does nothing.
func (s *Sandbox) prepare(ctx context.Context) error {
	out := &strictBuffer{}
	pr, err := s.local.start(ctx, Proc{Argv: []string{"/usr/bin/true"}, Dir: "/", Stdout: out}, s.wrap)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoSandbox, err)
	}
	exit, err := pr.Wait()
	switch {
	case err != nil:
		return err
	case exit.Killed:
		return context.Cause(ctx)
	case exit.Code != 0:
		return fmt.Errorf("%w: %s refuses its profile: %s", ErrNoSandbox, seatbeltProgram, out.data)
	}
	s.uncovered = []string{
		"Programs can read whatever you can read, except what is hidden.",
		"A file in a writable folder that has a second name elsewhere (a hard link) is changed there too.",
		"Programs can ask services of the system that they find by name, such as the clipboard and the key chain.",
	}
	if s.o.Network {
		s.uncovered = append(s.uncovered, "The network is open: a service that trusts callers from this machine can be asked to act outside.")
	}
	return nil
}

// Means are what of this system the sandbox is made of.
func (s *Sandbox) Means() []string { return []string{"Seatbelt"} }

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

// strictBuffer keeps the first 2 KB.
type strictBuffer struct{ data []byte }

func (b *strictBuffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), 2048-len(b.data))]...)
	return len(p), nil
}

// wrap puts sandbox-exec before the program.
func (s *Sandbox) wrap(p Proc, _ string) (command, error) {
	st, err := os.Stat(p.Argv[0])
	if err != nil {
		return command{}, err
	}
	if !executable(st) {
		return command{}, pathError("exec", p.Argv[0], errors.Join(fs.ErrPermission, errors.New("not a program")))
	}
	return command{argv: s.seatbeltArgv(p.Argv), env: p.Env}, nil
}

// SandboxMain has nothing to do: the system has a helper of its own.
func SandboxMain([]string) (handled bool, code int) { return false, 0 }
