package place

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// helperFD is the descriptor on which the helper is told what to do. Each message
// is one of these letters, with the descriptors it is about.
const helperFD = 3

const (
	orderArrange  = 'a' // a [spec] in a file; the answer may bring a listener
	orderStart    = 's' // an [order] in a file, input, output, errors, status
	orderTerminal = 't' // the answer brings both ends of a terminal
	orderRefresh  = 'r'
	orderListen   = 'p' // ports in a file; the answer says which of them its listeners are at
)

// spec is what the helper is told once. Names are bytes: they need not be text.
type spec struct {
	Writable, ReadOnly  [][]byte
	Hidden, Sockets     [][]byte
	Caches              []layer
	Temp, Base          []byte // Base is mounted over Temp, in which it shows what was there; empty for none
	ABI                 int
	Mounts, Own, Listen bool // with mounts, and a network, of its own
	Families            []uint64
	bare                bool // a cache has no layer over it
}

// order is a process to start.
type order struct {
	Argv, Env [][]byte
	Dir       []byte
	Terminal  bool
	Lasting   bool     // it goes on when the program ends
	Listening [][]byte // the sockets that servers wait on outside
}

// answer is what the helper says to each message.
type answer struct {
	PID   int
	Errno int
	Error string // empty for success
	Bare  bool   // a cache has no layer over it
	Ends  bool   // the helper ends, since it can be of no use
	Ports []int  // where there is a listener
}

func (a answer) err() error {
	if a.Error == "" {
		return nil
	}
	return helperError{a.Error, syscall.Errno(a.Errno)}
}

// helperError is why the helper could not do something, in its own words.
type helperError struct {
	text  string
	errno syscall.Errno // zero for none
}

func (e helperError) Error() string { return e.text }

// Unwrap gives the error of the system.
func (e helperError) Unwrap() error {
	if e.errno == 0 {
		return nil
	}
	return e.errno
}

// helper is this program in the part of the one that starts confined processes: it
// lives in namespaces of its own, arranged so that all that is made in them finds
// its limits there, and ends with the program that it serves.
type helper struct {
	sp       spec
	fork     fork
	filter   *unix.SockFprog
	covers   map[string]uint64 // the mounts over hidden paths
	readOnly map[string]bool   // writable folders that were so from the beginning
	beside   map[string]stamp  // directories in which sockets were looked for
	temp     ownTemp
	seen     seenDirs // of what is protected and hidden
	rules    ruleset
	rest     func() error // what is left to do before the first process, nil for nothing
	lasting  []int        // processes that go on when the program ends
	broken   error        // why that could not be done
}

// SandboxMain does the work of the helper of a [Sandbox] when the arguments of
// the program, os.Args, say so: it starts confined processes for the program that
// has started it. It must be called before anything else in main, and main must end
// with code when it was handled.
func SandboxMain(args []string) (handled bool, code int) {
	if len(args) < 2 || args[1] != helperWord {
		return false, 0
	}
	if err := unix.CloseRange(helperFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true, 126
	}
	h := &helper{covers: map[string]uint64{}, readOnly: map[string]bool{}, beside: map[string]stamp{}, rules: ruleset{fd: -1}}
	h.seen.forget()
	for {
		letter, files, err := receive(helperFD, 1)
		if err != nil || len(letter) == 0 {
			if space, err := os.Readlink("/proc/self/ns/mnt"); err == nil && h.sp.Mounts { // the program has ended, and all goes with it
				endAll([]string{space}, os.Getpid(), h.lasting)
			}
			return true, 0
		}
		a, out := h.obey(letter[0], files)
		a.Ends = h.broken != nil
		data, err := json.Marshal(a)
		if err == nil {
			err = send(helperFD, data, out)
		}
		closeAll(files)
		closeAll(out)
		if err != nil || a.Ends {
			return true, 1
		}
		h.finish()
	}
}

// finish does what no one has to wait for before the first process.
func (h *helper) finish() {
	if h.rest != nil {
		h.broken, h.rest = h.rest(), nil
	}
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// obey does what a message says, and gives descriptors that go with the answer.
func (h *helper) obey(letter byte, files []int) (answer, []int) {
	var a answer
	var out []int
	var err error
	switch {
	case letter == orderArrange && len(files) == 1:
		out, err = h.settle(files[0])
		a.Bare = h.sp.bare
	case h.broken != nil:
		err = h.broken
	case letter == orderStart && len(files) == 5:
		a.PID, err = h.start(files)
	case letter == orderTerminal:
		out, err = openTerminal()
	case letter == orderListen && len(files) == 1:
		a.Ports, out, err = listenAt(files[0])
	case letter == orderRefresh:
		err = h.refresh(nil)
	default:
		err = errors.New("not understood")
	}
	if err != nil {
		var errno syscall.Errno
		_ = errors.As(err, &errno)
		a.Error, a.Errno = err.Error(), int(errno)
	}
	return a, out
}

// settle takes over what the processes are to be confined to.
func (h *helper) settle(file int) ([]int, error) {
	if err := told(file, &h.sp); err != nil {
		return nil, err
	}
	limit := startLimit()
	mounts := func() error { return nil }
	var err error
	if h.sp.Mounts {
		if mounts, err = h.arrange(); err != nil {
			return nil, fmt.Errorf("arrange mounts: %w", err)
		}
	}
	if h.filter, err = filter(h.sp.Families, h.sp.groups()); err != nil {
		return nil, fmt.Errorf("filter system calls: %w", err)
	}
	h.fork = newFork(limit, h.sp.Mounts)
	h.rest = func() error {
		if err := mounts(); err != nil {
			return fmt.Errorf("arrange mounts: %w", err)
		}
		if err := h.refresh(nil); err != nil {
			return err
		}
		if _, err := h.rules.get(&h.sp, ""); err != nil {
			return fmt.Errorf("confine to folders: %w", err)
		}
		return nil
	}
	if !h.sp.Mounts {
		if h.finish(); h.broken != nil {
			return nil, h.broken
		}
	}
	if !h.sp.Own {
		return nil, nil
	}
	return ownNetwork(h.sp.Listen)
}

// groups reports whether a folder that may be written hands its group on, as one that users
// share does: there chmod of a directory keeps the bit that says so.
func (sp *spec) groups() bool {
	return slices.ContainsFunc(text(sp.Writable), func(dir string) bool {
		st, err := os.Stat(dir)
		return err == nil && st.Mode()&os.ModeSetgid != 0
	})
}

// startLimit is the limit of open files that processes start with: Go raises it for
// itself, and gives it back to those that it starts.
func startLimit() unix.Rlimit {
	var limit unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) // it does not fail for this one
	out, err := exec.CommandContext(context.Background(), "/bin/sh", "-c", "ulimit -S -n").Output()
	if n, no := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64); err == nil && no == nil && n <= limit.Max {
		limit.Cur = n
	}
	return limit
}

// told reads instructions. They and the environment of a program come in a file
// without a name: arguments can be seen by everyone, and a message holds little.
func told(fd int, into any) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("read instructions: %w", err)
	}
	data := make([]byte, st.Size)
	if n, err := unix.Pread(fd, data, 0); err != nil || n != len(data) {
		return fmt.Errorf("read instructions: %d bytes of %d: %w", n, len(data), err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read instructions: %w", err)
	}
	return nil
}

// start makes a process.
func (h *helper) start(files []int) (int, error) {
	var r order
	if err := told(files[0], &r); err != nil {
		return 0, err
	}
	if err := h.refresh(text(r.Listening)); err != nil {
		return 0, err
	}
	own := ""
	if r.Terminal && !h.sp.Mounts {
		own, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(files[1])) // none: it has no right to it
	}
	rules, err := h.rules.get(&h.sp, own)
	if err != nil {
		return 0, fmt.Errorf("confine to folders: %w", err)
	}
	f := h.fork
	f.filter, f.rules, f.terminal, f.status = h.filter, rules, r.Terminal, files[4]
	copy(f.files[:], files[1:4])
	if f.argv, err = syscall.SlicePtrFromStrings(text(r.Argv)); err != nil {
		return 0, err
	}
	if f.env, err = syscall.SlicePtrFromStrings(text(r.Env)); err != nil {
		return 0, err
	}
	if f.dir, err = unix.BytePtrFromString(string(r.Dir)); err != nil {
		return 0, err
	}
	f.path = f.argv[0]
	pid, err := f.start()
	if err == nil && r.Lasting {
		h.lasting = append(h.lasting, pid)
	}
	return pid, err
}

// kept are the capabilities that root keeps: those over files and its own
// processes, not that of becoming another user. Others never have any.
var kept = map[uintptr]bool{
	unix.CAP_CHOWN: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_FOWNER: true, unix.CAP_FSETID: true,
	unix.CAP_KILL: true, unix.CAP_NET_BIND_SERVICE: true,
}

// openTerminal opens a terminal among those that only confined processes see.
func openTerminal() ([]int, error) {
	screen, err := unix.Open("/dev/pts/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetPointerInt(screen, unix.TIOCSPTLCK, 0); err != nil {
		return nil, errors.Join(err, unix.Close(screen))
	}
	line, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(screen), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		return nil, errors.Join(errno, unix.Close(screen))
	}
	return []int{screen, int(line)}, nil
}

// proxyPort is where the proxy listens in every network, so that a new one does not
// move it; it is beyond those that Linux gives to connections.
const proxyPort = 61999

// ownNetwork brings up the loopback device of a new network, and opens a listener
// there when one is wanted.
func ownNetwork(listen bool) ([]int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("make a network: %w", err)
	}
	up := struct {
		name  [unix.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: unix.IFF_UP}
	copy(up.name[:], "lo")
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&up)))
	if errno == 0 && !listen {
		return nil, unix.Close(fd)
	}
	if errno != 0 {
		err = errno
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: proxyPort})
	}
	if err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a network: %w", err), unix.Close(fd))
	}
	return []int{fd}, nil
}

// send writes one message with descriptors.
func send(fd int, data []byte, files []int) error {
	var rights []byte
	if len(files) > 0 {
		rights = unix.UnixRights(files...)
	}
	for {
		err := unix.Sendmsg(fd, data, rights, nil, unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return err
		}
	}
}

// receive reads one message of at most size bytes with its descriptors. No bytes
// and no error mean that the other end is gone.
func receive(fd, size int) (data []byte, files []int, err error) {
	data, rights := make([]byte, size), make([]byte, unix.CmsgSpace(maxPorts*4))
	var n, r int
	for {
		n, r, _, _, err = unix.Recvmsg(fd, data, rights, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return nil, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:r])
	if err != nil {
		return nil, nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, fds...)
	}
	return data[:n], files, nil
}
