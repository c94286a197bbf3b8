package place

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

var _ = play("caller", playCaller)

// playCaller makes the calls of the kernel that confined processes are to be refused, and
// says which are not, and those that they need, and says which are refused.
func playCaller() int {
	foreign := os.Getenv("FOREIGN")
	name, err := unix.BytePtrFromString("user")
	if err != nil {
		fmt.Println(err)
	}
	text, _ := unix.BytePtrFromString("x") // there is no NUL in it
	key := uintptr(unsafe.Pointer(name))
	call := func(number, a, b, c, d, e uintptr) error {
		if _, _, errno := unix.Syscall6(number, a, b, c, d, e, 0); errno != 0 {
			return errno
		}
		return nil
	}
	const session = ^uintptr(2) // -3: the session's keyring
	refused := map[string]error{
		"add_key":           call(unix.SYS_ADD_KEY, key, uintptr(unsafe.Pointer(text)), uintptr(unsafe.Pointer(text)), 1, session),
		"request_key":       call(unix.SYS_REQUEST_KEY, key, uintptr(unsafe.Pointer(text)), 0, 0, 0),
		"keyctl":            call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, session, 0, 0, 0),
		"setuid":            call(unix.SYS_SETUID, 12345, 0, 0, 0, 0),
		"setresuid":         call(unix.SYS_SETRESUID, 12345, 12345, 12345, 0, 0),
		"setgid":            call(unix.SYS_SETGID, 12345, 0, 0, 0, 0),
		"setgroups":         unix.Setgroups([]int{12345}),
		"chmod u+s":         unix.Chmod("file", 0o4755),
		"chmod g+s":         unix.Chmod("file", 0o2755),
		"fchmodat u+s":      unix.Fchmodat(unix.AT_FDCWD, "file", 0o4700, 0),
		"open with u+s":     opened("a", unix.O_CREAT|unix.O_WRONLY, 0o4755),
		"a pipe with u+s":   unix.Mknod("b", unix.S_IFIFO|0o4700, 0),
		"a lease":           lease(foreign),
		"a lease of itself": lease("file"),
	}
	for what, err := range refused {
		// Another user is no number at all where an ordinary user has a namespace.
		if !errors.Is(err, unix.EPERM) && !(strings.HasPrefix(what, "set") && errors.Is(err, unix.EINVAL)) {
			fmt.Printf("%s: %v\n", what, err)
		}
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, "c", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
	if !errors.Is(err, unix.ENOSYS) {
		fmt.Printf("openat2: %d, %v\n", fd, err)
	}
	needed := map[string]error{
		"setuid of itself": call(unix.SYS_SETUID, uintptr(os.Getuid()), 0, 0, 0, 0),
		"chmod":            unix.Chmod("file", 0o1755),
		"open":             opened("d", unix.O_CREAT|unix.O_WRONLY, 0o755),
		"a lock":           locked("file"),
	}
	for what, err := range needed {
		if err != nil {
			fmt.Printf("%s: %v\n", what, err)
		}
	}
	return 0
}

func opened(name string, flags int, mode uint32) error {
	fd, err := unix.Open(name, flags, mode)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

func lease(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return err
}

func locked(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

// Calls that reach keys in the kernel, other users and the locks of others are refused, and
// what programs need of their kind is not.
func TestRefusedCalls(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(tempDir(t), "foreign")
	write(t, foreign, "x")
	write(t, filepath.Join(work, "file"), "x")
	if out, exit := g.run(t, work, rolePlayed+"=caller FOREIGN="+foreign+" "+self, &Confine{}); exit.Code != 0 || strings.TrimSpace(out) != "" {
		t.Errorf("%+v\n%s", exit, out)
	}
}
