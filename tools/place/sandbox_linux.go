package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confinement is what this system offers, and the helper that makes use of it.
type confinement struct {
	abi    int  // of Landlock
	mounts bool // namespaces for mounts can be had
	net    bool // and for the network

	mu     sync.Mutex  // held while the helper is asked
	helper *helperConn // nil before the first and after the last
	spaces []string    // the namespaces for mounts that there have been

	lasting []int // processes that go on when the place is closed
}

// helperConn is a helper that runs.
type helperConn struct {
	conn *os.File
	cmd  *exec.Cmd
	gone chan struct{} // closes when it has ended
}

// leastABI is the first version of Landlock that keeps files outside from being
// cut to nothing.
const leastABI = 3

// helperTimeout bounds how long the helper may take for anything it is told.
const helperTimeout = 10 * time.Second

// prepare finds out what the system can do by trying it, or remembers.
func (s *Sandbox) prepare(ctx context.Context) error {
	abi, err := landlockABI()
	if err != nil {
		return fmt.Errorf("%w: the kernel has no Landlock, or it is switched off (lsm=landlock,… turns it on): %w", ErrNoSandbox, err)
	}
	if abi < leastABI {
		return fmt.Errorf("%w: it needs Linux 6.2 or later (Landlock %d, this kernel has %d)", ErrNoSandbox, leastABI, abi)
	}
	s.system.abi = abi
	s.system.mu.Lock()
	defer s.system.mu.Unlock()
	s.system.mounts = true
	key := s.ableKey()
	if s.recall(key) {
		s.uncovered = s.gaps()
		return nil
	}
	for _, try := range []struct{ mounts, net bool }{{true, true}, {true, false}, {false, false}} {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case try.net && s.o.Network:
			continue
		case !try.mounts && s.inner: // what is held by them is what single processes are confined for
			return fmt.Errorf("%w: this system keeps mount namespaces from you (kernel.apparmor_restrict_unprivileged_userns and user.max_user_namespaces say so): %w", ErrNoSandbox, err)
		}
		s.system.mounts, s.system.net = try.mounts, try.net
		if !try.mounts {
			s.temp = ""
			if err := s.hideable(); err != nil {
				return err
			}
		}
		if err = s.startHelper(); err == nil {
			s.uncovered = s.gaps()
			s.remember(key)
			return nil
		}
	}
	return fmt.Errorf("%w: %w", ErrNoSandbox, err)
}

// Means are what of this system the sandbox is made of.
func (s *Sandbox) Means() []string {
	list := []string{fmt.Sprintf("Landlock %d", s.system.abi), "seccomp"}
	if s.system.mounts {
		list = append(list, "mount namespaces")
	}
	if s.system.net {
		list = append(list, "network namespaces")
	}
	return list
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

// spec is what the helper is told.
func (s *Sandbox) spec() spec {
	sp := spec{
		Writable: raw(s.writable), ReadOnly: raw(s.o.ReadOnly), Hidden: raw(append(slices.Clone(s.o.Hidden), s.private)), Sockets: raw(s.o.Sockets),
		Temp: []byte(s.temp), Base: []byte(s.base), Caches: s.layers, ABI: s.system.abi, Mounts: s.system.mounts, Own: s.system.net, Listen: s.serve != nil,
		Families: []uint64{unix.AF_UNIX},
	}
	if s.o.Network || s.inner && s.system.net {
		sp.Families = append(sp.Families, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	}
	return sp
}

// startHelper starts a helper and has it arrange everything.
func (s *Sandbox) startHelper() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("reach the helper: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "helper")
	h := &helperConn{conn: os.NewFile(uintptr(pair[0]), "helper"), gone: make(chan struct{})}
	patience := unix.NsecToTimeval(helperTimeout.Nanoseconds())
	if err := unix.SetsockoptTimeval(pair[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience); err != nil {
		return errors.Join(err, h.conn.Close(), theirs.Close())
	}
	name := s.o.Helper
	if len(name) == 0 {
		name = []string{"/proc/self/exe"} // still this program when its file was replaced
	}
	h.cmd = exec.CommandContext(context.Background(), name[0], append([]string{helperWord}, name[1:]...)...)
	// It does little, of which collecting garbage would be a third.
	h.cmd.Env, h.cmd.Dir, h.cmd.ExtraFiles = []string{"GOMAXPROCS=1", "GOGC=400"}, "/", []*os.File{theirs}
	h.cmd.SysProcAttr = ownSession()
	s.namespaces(h.cmd.SysProcAttr)
	err = h.cmd.Start()
	_ = theirs.Close() // or its end would not be seen
	if err != nil {
		return errors.Join(fmt.Errorf("start the helper: %w", err), h.conn.Close())
	}
	go func() {
		defer close(h.gone)
		_ = h.cmd.Wait() // it says itself what went wrong
	}()
	files, err := h.arrange(s.spec(), &s.bare)
	if err != nil {
		h.stop()
		return err
	}
	if len(files) > 0 {
		defer files[0].Close()
		l, err := net.FileListener(files[0])
		if err != nil {
			h.stop()
			return fmt.Errorf("listen for the proxy: %w", err)
		}
		s.serve(l)
	}
	s.system.helper = h
	if space, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", h.cmd.Process.Pid)); err == nil && s.system.mounts {
		s.system.spaces = append(s.system.spaces, space)
	}
	return nil
}

// namespaces gives the helper its own. Only root has them for the asking; others
// need a namespace for users around them.
func (s *Sandbox) namespaces(attr *syscall.SysProcAttr) {
	if !s.system.mounts {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	if s.system.net {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= unix.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	// What the helper arranges with; those that it starts give it up.
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_CHOWN}
}

// arrange tells the helper for the first time.
func (h *helperConn) arrange(sp spec, bare *bool) ([]*os.File, error) {
	file, err := instructions(sp)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	a, files, err := h.ask(orderArrange, file)
	*bare = a.Bare || !sp.Mounts
	return files, err
}

// stop ends the helper; what it has started goes on.
func (h *helperConn) stop() {
	_ = h.cmd.Process.Kill() // it may have ended by itself
	<-h.gone
	_ = h.conn.Close() // not before: it would take that for the end of this program
}

// instructions puts something into a file without a name.
func instructions(what any) (*os.File, error) {
	data, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("sandbox", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("instruct the helper: %w", err)
	}
	file := os.NewFile(uintptr(fd), "sandbox")
	if _, err := file.WriteAt(data, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("instruct the helper: %w", err), file.Close())
	}
	return file, nil
}

// errHelperGone is the cause when the helper was not there to be asked.
var errHelperGone = errors.New("the helper of the sandbox has ended")

// ask sends a message and awaits the answer.
func (h *helperConn) ask(letter byte, files ...*os.File) (answer, []*os.File, error) {
	fds := make([]int, 0, len(files))
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	conn := int(h.conn.Fd())
	if err := send(conn, []byte{letter}, fds); err != nil {
		return answer{}, nil, fmt.Errorf("%w: %w", errHelperGone, err)
	}
	data, got, err := receive(conn, 64<<10)
	if err == nil && len(data) == 0 {
		err = errors.New("the helper of the sandbox ended meanwhile: it is not known whether this ran")
	}
	var a answer
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err == nil {
		err = a.err()
	}
	var out []*os.File
	for _, fd := range got {
		out = append(out, os.NewFile(uintptr(fd), "helper"))
	}
	return a, out, err
}

// ready starts the helper unless there is one, so that what serves confined processes has
// its listener before they are told where that is.
func (s *Sandbox) ready() error {
	s.system.mu.Lock()
	defer s.system.mu.Unlock()
	return s.needHelper()
}

// needHelper does so under the lock.
func (s *Sandbox) needHelper() error {
	if s.system.helper != nil {
		return nil
	}
	err := s.startHelper()
	if err != nil {
		s.forget()
	}
	return err
}

// ask asks the helper, a new one when it has ended.
func (s *Sandbox) ask(letter byte, files ...*os.File) (answer, []*os.File, error) {
	s.system.mu.Lock()
	defer s.system.mu.Unlock()
	for again := range 2 {
		if err := s.needHelper(); err != nil {
			return answer{}, nil, err
		}
		a, out, err := s.system.helper.ask(letter, files...)
		var own helperError
		if err == nil || errors.As(err, &own) {
			if a.Ends {
				s.system.helper.stop()
				s.system.helper = nil
			}
			return a, out, err
		}
		s.system.helper.stop()
		s.system.helper = nil
		if again == 1 || !errors.Is(err, errHelperGone) {
			return answer{}, nil, err
		}
	}
	panic("unreachable")
}

// wrap has the helper start the program.
func (s *Sandbox) wrap(p Proc, mark string) (command, error) {
	status, say, err := os.Pipe()
	if err != nil {
		return command{}, err
	}
	c := command{argv: p.Argv, env: p.Env, status: status, why: failure, ends: []*os.File{say}}
	c.start = func(cmd *exec.Cmd) error { return s.launch(cmd, p.TTY != nil, p.Log != "", say) }
	if s.system.mounts {
		c.terminal = s.terminal
	}
	return c, nil
}

// launch has the helper start a command that is connected.
func (s *Sandbox) launch(cmd *exec.Cmd, terminal, lasting bool, say *os.File) error {
	r := order{Argv: raw(cmd.Args), Env: raw(cmd.Env), Dir: []byte(cmd.Dir), Terminal: terminal, Lasting: lasting}
	if s.system.mounts && (s.system.abi < 9 || s.temp != "") { // later ones tell sockets apart, but not below base
		table, err := os.ReadFile("/proc/net/unix")
		if err != nil {
			return err
		}
		r.Listening = raw(socketNames(table))
	}
	file, err := instructions(r)
	if err != nil {
		return err
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	files := []*os.File{file, null, null, null, say}
	for i, f := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		if f, ok := f.(*os.File); ok {
			files[i+1] = f
		}
	}
	a, _, err := s.ask(orderStart, files...)
	if err != nil {
		return err
	}
	if lasting {
		s.system.mu.Lock()
		s.system.lasting = append(s.system.lasting, a.PID)
		s.system.mu.Unlock()
	}
	cmd.Process, err = os.FindProcess(a.PID) // a child of this program, so it is there
	return err
}

// protect brings what is protected up to what there is now. A helper that does not run yet
// begins with that.
func (s *Sandbox) protect() error {
	s.system.mu.Lock()
	none := s.system.helper == nil
	s.system.mu.Unlock()
	if none {
		return nil
	}
	_, _, err := s.ask(orderRefresh)
	return err
}

// terminal opens a terminal that only confined processes see.
func (s *Sandbox) terminal() (screen, line *os.File, err error) {
	_, files, err := s.ask(orderTerminal)
	if err != nil {
		return nil, nil, err
	}
	if len(files) != 2 {
		closeFiles(files)
		return nil, nil, errors.New("no terminal")
	}
	return files[0], files[1], nil
}

// cached are the folders that programs may keep caches in.
func (s *Sandbox) cached() []string {
	list := slices.Clone(s.writable)
	for _, l := range s.layers {
		if !s.bare {
			list = append(list, string(l.Dir))
		}
	}
	return list
}

// release ends the helper, and all that confined processes have left but what is to last.
func (s *Sandbox) release() {
	s.ports.mu.Lock()
	s.closePorts(nil)
	s.ports.mu.Unlock()
	s.system.mu.Lock()
	defer s.system.mu.Unlock()
	helper := 0
	if s.system.helper != nil {
		helper = s.system.helper.cmd.Process.Pid
	}
	endAll(s.system.spaces, helper, s.system.lasting)
	if s.system.helper != nil {
		s.system.helper.stop()
		s.system.helper = nil
	}
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

// rootOf finds the directory of a list that name lies in.
func rootOf(name string, list []string) string {
	for _, dir := range list {
		if within(name, dir) {
			return filepath.Clean(dir)
		}
	}
	return ""
}
