package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrConfined is the cause when something outside what the sandbox may write is
// to be changed.
var ErrConfined = errors.New("outside what the sandbox may write")

// ErrNoSandbox is the cause when this system cannot confine processes.
var ErrNoSandbox = errors.New("no sandbox on this system")

// SandboxOptions say what the processes of a sandbox may do. Paths are absolute;
// links in them are resolved when the sandbox is made.
type SandboxOptions struct {
	// Roots are the existing directories that may be written, with all they hold.
	// A scratch directory of the sandbox's own is added.
	Roots []string
	// ReadOnly are paths inside roots that processes may not change all the same:
	// what runs later and outside, such as the hooks of a repository. On Linux this
	// needs mount namespaces, see [Sandbox.Uncovered]; what does not exist when a
	// process starts is looked at when it has ended. What is written through FS is not held to
	// it: a tool's write is judged by its name before.
	ReadOnly []string
	// Hidden are files and directories whose contents processes may neither read
	// nor write; those that do not exist when a process starts are not looked for
	// later. A root inside a hidden directory stays accessible. On Linux, a hidden
	// path inside a root needs mount namespaces; and for a hidden file, or without
	// those, what is made later in a directory that leads to it cannot be read by
	// processes that run already.
	Hidden []string
	// Sockets are sockets in the file system, outside the roots, that processes may
	// connect to all the same, such as an agent's that holds keys.
	Sockets []string
	// Network lets processes reach the network.
	Network bool
	// Harmless, when set, is asked for a ReadOnly path that appeared while a process
	// ran, and reports whether what stands there does nothing. All else is moved
	// aside, and is in [Exit.Refused].
	Harmless func(name string) bool
	// Aside is a private folder, which processes cannot reach, that takes what is moved
	// aside; it is made when missing. Empty: it goes with Close.
	Aside string
	// Helper is how this program is called again, a program and arguments, when
	// [SandboxMain] is to restrict a new process on Linux; nil for this program's
	// own file.
	Helper []string
}

// Sandbox is this machine, with processes that the system keeps from writing
// outside some directories and, unless allowed, from the network. Whatever they
// start is held to the same; nothing can lift it again. It has a scratch
// directory of its own, where TMPDIR points. It is safe for concurrent use.
//
// On Linux it is made of Landlock, seccomp and, where the system lets an ordinary
// user have them, namespaces for mounts; on macOS of a Seatbelt profile. Elsewhere
// there is none.
type Sandbox struct {
	local     *Local // its scratch directories are below base
	o         SandboxOptions
	info      Info
	base      string   // for temporary files
	private   string   // a folder that processes cannot reach
	writable  []string // the roots and base
	remove    func() error
	system    confinement
	uncovered []string
	absent    *absentPaths

	// Of a [Guarded] place:
	inner  bool                    // confined processes have a network among themselves
	layers []layer                 // over caches
	bare   bool                    // not all caches have one: set by prepare
	temp   string                  // the folder for temporary files over which base is mounted, empty for none
	state  string                  // where it is remembered what the system can do, empty for nowhere
	serve  func(net.Listener)      // takes the listener in that network, nil for none
	atPort func(net.Listener, int) // takes those at ports of this machine, nil for none
	ports  localPorts
}

// helperWord is the first argument by which this program knows that it is to
// restrict itself and become another one.
const helperWord = "__sandbox"

// NewSandbox makes a sandbox on a machine. It tries once whether the system can
// do what is asked for, and fails with [ErrNoSandbox] and a sentence that says
// what is missing when it cannot. Close takes the scratch directory away.
func NewSandbox(ctx context.Context, local *Local, o SandboxOptions) (*Sandbox, error) {
	s, err := newSandbox(local, o)
	if err != nil {
		return nil, fmt.Errorf("make sandbox: %w", err)
	}
	if err := s.settle(local); err != nil {
		return nil, fmt.Errorf("make sandbox: %w", err)
	}
	s.temp = s.commonTemp()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// open tries what the system can do. After an error nothing is left of the sandbox.
func (s *Sandbox) open(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return errors.Join(fmt.Errorf("make sandbox: %w", err), s.Close())
	}
	return nil
}

// newSandbox checks the options.
func newSandbox(local *Local, o SandboxOptions) (*Sandbox, error) {
	roots, err := realRoots(o.Roots)
	if err != nil {
		return nil, err
	}
	for _, list := range [][]string{o.ReadOnly, o.Hidden, o.Sockets} {
		for _, name := range list {
			if !filepath.IsAbs(name) {
				return nil, fmt.Errorf("%s is not an absolute path", name)
			}
		}
	}
	if len(o.Helper) > 0 && !filepath.IsAbs(o.Helper[0]) {
		return nil, fmt.Errorf("%s is not an absolute path", o.Helper[0])
	}
	inner := *local
	s := &Sandbox{local: &inner, o: o, info: local.info, writable: roots}
	s.o.ReadOnly, s.o.Hidden = slices.Clone(o.ReadOnly), slices.Concat(o.Hidden, otherNames(o.Hidden, roots))
	s.info.Name, s.info.Confined, s.info.Network = "sandbox", true, o.Network
	s.info.Roots = slices.Clone(roots)
	s.absent = &absentPaths{
		fs: localFS{rand: local.rand}, names: s.o.ReadOnly, harmless: o.Harmless, protect: s.protect, folder: o.Aside, tools: map[string]bool{},
	}
	return s, nil
}

// settle makes the folders of the sandbox: one that processes cannot reach, and one for
// their temporary files.
func (s *Sandbox) settle(local *Local) error {
	private, remove, err := local.Scratch()
	if err != nil {
		return err
	}
	base, drop, err := local.temporary(private)
	if err != nil {
		return errors.Join(err, remove())
	}
	s.private, s.remove = private, func() error { return errors.Join(drop(), remove()) }
	s.base = base
	s.info.Temp, s.local.info.Temp = base, base
	s.local.own, s.local.inner = "", true
	s.writable = append(s.writable, base)
	if s.absent.folder == "" {
		s.absent.folder = filepath.Join(private, "aside")
	}
	return nil
}

// realRoots resolves the roots and drops those inside others, which could be
// exchanged for something else by what may write the outer one.
func realRoots(names []string) ([]string, error) {
	var roots []string
	for _, name := range names {
		if !filepath.IsAbs(name) {
			return nil, fmt.Errorf("%s is not an absolute path", name)
		}
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return nil, err
		}
		if st, err := os.Stat(real); err != nil || !st.IsDir() {
			return nil, fmt.Errorf("%s is not a directory", name)
		}
		if filepath.Dir(real) == real {
			return nil, errors.New("the whole file system cannot be what a sandbox may write: name a folder")
		}
		roots = append(roots, real)
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	return slices.DeleteFunc(slices.Clone(roots), func(r string) bool {
		return slices.ContainsFunc(roots, func(other string) bool { return r != other && within(r, other) })
	}), nil
}

// within reports whether a path is a directory or lies in it. Both are clean.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// root gives the writable directory that a path lies in, empty for none.
func (s *Sandbox) root(name string) string {
	for _, r := range s.writable {
		if within(name, r) {
			return r
		}
	}
	return ""
}

// Info describes the sandbox: Roots are the directories that may be written,
// Temp is its own scratch directory, which may be written as well.
func (s *Sandbox) Info() Info {
	info := s.info
	info.Roots = slices.Clone(info.Roots)
	return info
}

// Uncovered says, in sentences for the user, what the sandbox does not prevent on
// this system.
func (s *Sandbox) Uncovered() []string { return slices.Clone(s.uncovered) }

// Start runs a confined process. TMPDIR is set to the scratch directory.
func (s *Sandbox) Start(ctx context.Context, p Proc) (Process, error) {
	pr, err := s.start(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	return pr, nil
}

// start runs a confined process; ended, which may be nil, is as in [command], and is
// told in [Exit.Refused] what was moved aside.
func (s *Sandbox) start(ctx context.Context, p Proc, ended func(*Exit)) (*process, error) {
	p.Env = append(slices.DeleteFunc(slices.Clone(p.Env), func(kv string) bool {
		return strings.HasPrefix(kv, "TMPDIR=")
	}), "TMPDIR="+s.base)
	were := s.absent.missing()
	return s.local.start(ctx, p, func(p Proc, mark string) (command, error) {
		c, err := s.wrap(p, mark)
		c.ended = func(e *Exit) {
			e.Refused = s.absent.sweep(were)
			if ended != nil {
				ended(e)
			}
		}
		return c, err
	})
}

// Scratch makes a private directory below the sandbox's own.
func (s *Sandbox) Scratch() (string, func() error, error) { return s.local.Scratch() }

// fs is the file system as processes of the sandbox name its files.
func (s *Sandbox) fs() guardedFS {
	return guardedFS{innerFS{localFS{rand: s.local.rand}, innerTemp{s.temp, s.base, s.writable}}, s.absent}
}

// Private makes a private directory that the processes of the sandbox cannot reach.
func (s *Sandbox) Private() (string, func() error, error) { return privateIn(s.private, s.local.rand) }

// privateIn makes a directory with a short name, since a socket in it may have only so long
// a path.
func privateIn(dir string, r io.Reader) (string, func() error, error) {
	name, err := randomName(r)
	if err == nil {
		dir = filepath.Join(dir, name[:8])
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		return "", nil, fmt.Errorf("make scratch directory: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// Adopt finds a process of an earlier run, confined or not.
func (s *Sandbox) Adopt(ctx context.Context, ref string) (Process, error) {
	return s.local.Adopt(ctx, ref)
}

// Close takes the scratch directory away. On Linux it ends what processes have left; those
// with a log go on, and find their temporary files gone.
func (s *Sandbox) Close() error {
	if s.base == "" {
		return nil
	}
	s.release()
	return s.remove()
}
