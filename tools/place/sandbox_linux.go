package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confinement is what this system offers.
type confinement struct {
	abi    int  // of Landlock
	mounts bool // namespaces for mounts can be had
}

// leastABI is the first version of Landlock that keeps files outside from being
// cut to nothing.
const leastABI = 3

// spec is what the helper is told. Names are bytes: they need not be text.
type spec struct {
	Argv, Env         [][]byte
	Writable          [][]byte
	Hidden            [][]byte // by not granting them
	Covered           [][]byte // by mounts
	ReadOnly, Sockets [][]byte
	ABI               int
	Network, Mounts   bool
	Probe             bool // end instead of running anything
}

func raw(list []string) [][]byte {
	out := make([][]byte, 0, len(list))
	for _, s := range list {
		out = append(out, []byte(s))
	}
	return out
}

func text(list [][]byte) []string {
	out := make([]string, 0, len(list))
	for _, b := range list {
		out = append(out, string(b))
	}
	return out
}

// probeTimeout bounds the trial of what the system can do.
const probeTimeout = 10 * time.Second

// prepare finds out what the system can do by trying it.
func (s *Sandbox) prepare(ctx context.Context) error {
	abi, err := landlockABI()
	if err != nil {
		return fmt.Errorf("%w: the kernel has no Landlock, or it is switched off (lsm=landlock,… turns it on): %w", ErrNoSandbox, err)
	}
	if abi < leastABI {
		return fmt.Errorf("%w: it needs Linux 6.2 or later (Landlock %d, this kernel has %d)", ErrNoSandbox, leastABI, abi)
	}
	if _, err := filter(s.o.Network); err != nil {
		return fmt.Errorf("%w: no filter for system calls: %w", ErrNoSandbox, err)
	}
	s.system.abi = abi
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	s.system.mounts = true
	whole := s.probe(ctx)
	if whole != nil && ctx.Err() == nil {
		s.system.mounts = false
		if err := s.probe(ctx); err != nil {
			return fmt.Errorf("%w: %w", ErrNoSandbox, err)
		}
		if err := s.hideable(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.uncovered = s.gaps()
	return nil
}

// hideable refuses what cannot be hidden without mounts.
func (s *Sandbox) hideable() error {
	for _, h := range s.o.Hidden {
		if s.root(realPath(h)) != "" {
			return fmt.Errorf("%w: %s lies in a folder that may be written, and this system, which refuses mount namespaces, cannot hide it there: "+
				"work in another folder", ErrNoSandbox, h)
		}
	}
	return nil
}

// probe lets the helper restrict itself and end.
func (s *Sandbox) probe(ctx context.Context) error {
	p := Proc{Argv: []string{"/"}, Dir: "/"}
	pr, err := s.local.start(ctx, p, func(p Proc, mark string) (command, error) {
		sp := s.spec(p, mark)
		sp.Probe = true
		return s.command(sp)
	})
	if err != nil {
		return err
	}
	exit, err := pr.Wait()
	if err == nil && exit.Code != 0 {
		err = fmt.Errorf("the helper ended with %d", exit.Code)
	}
	return err
}

// gaps says what is not prevented.
func (s *Sandbox) gaps() []string {
	out := []string{
		"Programs can read whatever you can read, except what is hidden.",
		"A file in a writable folder that has a second name elsewhere (a hard link) is changed there too.",
	}
	if s.o.Network {
		out = append(out, "The network is open: a service that trusts callers from this machine can be asked to act outside.")
	}
	if s.system.abi < 6 {
		out = append(out, "Programs can signal, and through abstract sockets talk to, your other programs; Linux 6.12 prevents that.")
	}
	switch {
	case s.system.abi >= 9:
	case s.system.mounts:
		out = append(out, "A program can talk to a service whose socket in the file system was made after the program started.")
	default:
		out = append(out, "Programs can talk to services through sockets in the file system, such as those of Docker, tmux and D-Bus, and so have them act outside.")
	}
	switch {
	case s.system.mounts:
		out = append(out, "A program can write to terminals that were opened after it started.")
	default:
		out = append(out, "Programs share /dev/shm with your other programs.")
	}
	switch {
	case len(s.o.ReadOnly) == 0:
	case s.system.mounts:
		out = append(out, "Protected paths that do not exist yet can be made, links to them can be exchanged, and a file replaced from outside is protected again only from programs started later.")
	default:
		out = append(out, "Without mount namespaces, which this system refuses, protected paths inside writable folders, such as the hooks of a repository, can be written.")
	}
	return out
}

// spec says what the helper is to do for p.
func (s *Sandbox) spec(p Proc, mark string) spec {
	sp := spec{
		Argv: raw(p.Argv), Env: raw(markedEnv(p.Env, mark)),
		Writable: raw(s.writable), Sockets: raw(s.o.Sockets),
		ABI: s.system.abi, Network: s.o.Network, Mounts: s.system.mounts,
	}
	for _, h := range s.o.Hidden {
		if real := realPath(h); s.coverable(real) {
			sp.Covered = append(sp.Covered, []byte(real))
		} else {
			sp.Hidden = append(sp.Hidden, []byte(real))
		}
	}
	for _, name := range s.o.ReadOnly {
		if real := realPath(name); s.root(real) != "" {
			sp.ReadOnly = append(sp.ReadOnly, []byte(real))
		}
	}
	return sp
}

// coverable says that a hidden path is to be covered by a mount: one inside a
// root can be hidden in no other way, and a directory is better hidden so, since
// nothing beside it is affected. A file outside is not: who replaces it, as
// careful programs do to change it, would uncover it.
func (s *Sandbox) coverable(name string) bool {
	if s.root(name) != "" {
		return true
	}
	if !s.system.mounts || slices.ContainsFunc(s.writable, func(w string) bool { return within(w, name) }) {
		return false
	}
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// wrap puts the helper before the program.
func (s *Sandbox) wrap(p Proc, mark string) (command, error) { return s.command(s.spec(p, mark)) }

// command is the helper with its instructions. They and the environment of the
// program go through a file without a name: arguments can be seen by everyone,
// and the helper must not obey an environment that is not its own.
func (s *Sandbox) command(sp spec) (command, error) {
	data, err := json.Marshal(sp)
	if err != nil {
		return command{}, err
	}
	fd, err := unix.MemfdCreate("sandbox", unix.MFD_CLOEXEC)
	if err != nil {
		return command{}, fmt.Errorf("instruct the sandbox: %w", err)
	}
	told := os.NewFile(uintptr(fd), "sandbox")
	if _, err := told.WriteAt(data, 0); err != nil {
		return command{}, errors.Join(fmt.Errorf("instruct the sandbox: %w", err), told.Close())
	}
	status, say, err := os.Pipe()
	if err != nil {
		return command{}, errors.Join(err, told.Close())
	}
	helper := s.o.Helper
	if len(helper) == 0 {
		helper = []string{"/proc/self/exe"} // still this program when its file was replaced
	}
	c := command{
		argv:   append([]string{helper[0], helperWord}, helper[1:]...),
		env:    []string{"GOMAXPROCS=1", "GOGC=off"}, // it lives for milliseconds
		files:  []*os.File{told, say},
		status: status,
	}
	if sp.Mounts {
		c.attr = ownMounts
	}
	return c, nil
}

// ownMounts gives a process mounts and shared memory of its own. Only root has
// them for the asking; others need a namespace for users around them.
func ownMounts(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	if os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // the helper arranges mounts, and then gives it up
}

// rootOf finds the directory of a list that name lies in.
func rootOf(name string, list []string) string {
	for _, dir := range list {
		if within(name, dir) {
			return filepath.Clean(dir)
		}
	}
	return ""
}
