package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rights of Landlock, by what they are granted for.
const (
	mayRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// Devices may be made nowhere: root could reach a disk through one.
	mayWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	mayConnect = unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	mayControl = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// onFiles are the rights that a rule for anything but a directory can have.
	onFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | mayControl | mayConnect
)

// handled are all the rights that a version of Landlock knows: what no rule
// grants is denied.
func handled(abi int) uint64 {
	switch {
	case abi >= 9:
		return 1<<17 - 1
	case abi >= 5:
		return 1<<16 - 1
	}
	return 1<<15 - 1
}

// landlockABI is the version of Landlock this kernel has.
func landlockABI() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// rule grants rights on what fd stands for and all below it.
type rule struct {
	name   string
	rights uint64
	flags  int  // how it is opened
	real   bool // no link may lead there
	need   bool // it must be there
}

// allowed are all rules. own is the terminal of the process where those of others
// are in reach, empty for none.
func (sp *spec) allowed(own string, stamps map[string]stamp) []rule {
	hidden := []string{"/dev"} // but for what is granted below
	for _, name := range text(sp.Hidden) {
		if name = realPath(name); sp.writableRoot(name) == "" { // inside one, mounts hide it
			hidden = append(hidden, name)
		}
	}
	rules := readable(hidden, stamps)
	for _, dir := range text(sp.Writable) {
		rules = append(rules, rule{dir, mayRead | mayWrite | mayConnect, unix.O_DIRECTORY, true, true})
	}
	device := func(name string, rights uint64) { rules = append(rules, rule{name: name, rights: rights}) }
	for _, l := range sp.Caches {
		device(string(l.Dir), mayRead|mayWrite)
	}
	if len(sp.Temp) > 0 {
		device(string(sp.Temp), mayRead|mayWrite)
	}
	for _, name := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"} {
		device(name, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_WRITE_FILE)
	}
	terminal := uint64(unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | mayControl)
	device("/dev/tty", terminal)
	device("/dev/ptmx", terminal)
	if filepath.Dir(own) == "/dev/pts" {
		device(own, terminal)
	}
	if sp.Mounts {
		device("/dev/pts", terminal|unix.LANDLOCK_ACCESS_FS_READ_DIR) // there are only their own
	}
	device("/dev/shm", mayRead|mayWrite)
	device("/proc/self/exe", mayRead) // this program, wherever it lies
	for _, name := range append(text(sp.Sockets), nameServices...) {
		device(name, mayConnect)
	}
	return rules
}

// nameServices are the sockets behind which the names of users are looked up.
// They do nothing else.
var nameServices = []string{
	"/var/lib/sss/pipes/nss", "/run/systemd/userdb/io.systemd.DynamicUser", "/run/systemd/userdb/io.systemd.Multiplexer",
	"/run/systemd/userdb/io.systemd.NameServiceSwitch", "/run/systemd/userdb/io.systemd.Home",
}

// readable grants reading of everything but what is hidden. Rights cannot be
// taken back below a directory that has them, so everything beside the way to
// each hidden path gets them instead of what contains it.
func readable(hidden []string, stamps map[string]stamp) []rule {
	rules := []rule{{name: "/", rights: unix.LANDLOCK_ACCESS_FS_READ_DIR}}
	var beside func(dir string)
	beside = func(dir string) {
		stamps[dir] = stampOf(dir)
		list, err := os.ReadDir(dir)
		if err != nil {
			return // what cannot be listed cannot be granted one by one
		}
		for _, e := range list {
			name := filepath.Join(dir, e.Name())
			switch leadsTo(name, hidden) {
			case toItself:
			case toBelow:
				beside(name)
			default:
				if e.Type()&fs.ModeSymlink == 0 {
					rules = append(rules, rule{name: name, rights: mayRead, flags: unix.O_NOFOLLOW})
				}
			}
		}
	}
	beside("/")
	return rules
}

// How a path lies to hidden ones.
const (
	toNothing = iota
	toBelow
	toItself
)

func leadsTo(name string, hidden []string) int {
	to := toNothing
	for _, h := range hidden {
		if h == name {
			return toItself
		}
		if within(h, name) {
			to = toBelow
		}
	}
	return to
}

// open opens what a rule is about.
func (r rule) open() (int, error) {
	how := &unix.OpenHow{Flags: uint64(unix.O_PATH | unix.O_CLOEXEC | r.flags)}
	if r.real {
		how.Resolve = unix.RESOLVE_NO_SYMLINKS
	}
	return unix.Openat2(unix.AT_FDCWD, r.name, how)
}

// ruleset is what Landlock is told, kept while what it depends on is the same.
type ruleset struct {
	fd     int // -1 for none
	own    string
	stamps map[string]stamp // of directories that were listed
}

// get gives the ruleset for a process with this terminal.
func (r *ruleset) get(sp *spec, own string) (int, error) {
	if r.fd >= 0 && r.own == own && r.fits() {
		return r.fd, nil
	}
	stamps := map[string]stamp{}
	fd, err := landlock(sp.ABI, sp.allowed(own, stamps))
	if err != nil {
		return -1, err
	}
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
	}
	r.fd, r.own, r.stamps = fd, own, stamps
	return fd, nil
}

// fits reports whether the directories are as they were.
func (r *ruleset) fits() bool {
	for dir, was := range r.stamps {
		if !was.still(dir) {
			return false
		}
	}
	return true
}

// landlock makes a ruleset. Neither abstract sockets nor signals reach from who is
// held to it to who is not.
func landlock(abi int, rules []rule) (int, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled(abi)}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return -1, errno
	}
	for _, r := range rules {
		if err := r.add(int(set), attr.Handled_access_fs); err != nil {
			return -1, errors.Join(fmt.Errorf("%s: %w", r.name, err), unix.Close(int(set)))
		}
	}
	return int(set), nil
}

// add puts a rule into a set.
func (r rule) add(set int, handled uint64) error {
	fd, err := r.open()
	if err != nil {
		if r.need || !(errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENOTDIR)) {
			return err
		}
		return nil // what is not there needs no rule
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: r.rights & handled, Parent_fd: int32(fd)}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		attr.Allowed_access &= onFiles
	}
	if attr.Allowed_access == 0 {
		return nil
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
