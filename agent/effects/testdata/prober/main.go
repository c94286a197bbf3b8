//go:build linux

// Command prober tries what a confined process must not be able to do, one thing
// after the other, each in a process of its own, and prints one line for each:
// its name, and "done" or why not. What it did is for others to see.
package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	red     = "/srv/red"
	ws      = red + "/ws"
	outside = red + "/outside"
	home    = red + "/home"
)

// probe is one thing to try.
type probe struct {
	name string
	try  func() error
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "child" { // a child of a child
		cmd := exec.Command("/proc/self/exe", os.Args[2:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Println("child:", err)
		}
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "one" {
		one(os.Args[2])
		return
	}
	for _, p := range probes() {
		cmd := exec.Command("/proc/self/exe", "one", p.name)
		cmd.Env = append(os.Environ(), "PROBER=1")
		timer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		timer.Stop()
		text := strings.TrimSpace(string(out))
		if text == "" || err != nil {
			text = p.name + " " + fmt.Sprint(err) + " " + text
		}
		fmt.Println(text)
	}
}

func one(name string) {
	all := probes()
	i := slices.IndexFunc(all, func(p probe) bool { return p.name == name })
	if i < 0 {
		fmt.Println(name, "unknown")
		os.Exit(2)
	}
	if err := all[i].try(); err != nil {
		fmt.Println(name, "no:", err)
		return
	}
	fmt.Println(name, "done")
}

func probes() []probe {
	return slices.Concat(files(), metadata(), secrets(), network(), processes(), kernel())
}

func write(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("evil\n")
	return errors.Join(err, f.Close())
}

func files() []probe {
	made := func(name string) string { return filepath.Join(ws, name) }
	return []probe{
		{"write-inside", func() error { return write(made("inside.txt")) }},
		{"write-outside", func() error { return write(outside + "/new.txt") }},
		{"append-outside", func() error { return write(outside + "/append.txt") }},
		{"write-rc", func() error { return write(home + "/.bashrc") }},
		{"write-ssh", func() error { return write(home + "/.ssh/authorized_keys") }},
		{"write-agent-config", func() error { return write(home + "/.hermes/config.yaml") }},
		{"write-agent-hook", func() error {
			return errors.Join(os.MkdirAll(home+"/.hermes/hooks", 0o755), write(home+"/.hermes/hooks/x"))
		}},
		{"write-unit", func() error {
			d := home + "/.config/systemd/user"
			return errors.Join(os.MkdirAll(d, 0o755), write(d+"/evil.service"))
		}},
		{"write-autostart", func() error { return write(home + "/.config/autostart/x.desktop") }},
		{"write-path-dir", func() error { return write(home + "/.local/bin/ls") }},
		{"write-etc", func() error { return write("/etc/evil") }},
		{"write-usr", func() error { return write("/usr/local/bin/evil") }},
		{"write-cron", func() error { return write("/etc/cron.d/evil") }},
		{"write-tmp-of-others", func() error { return write("/tmp/planted.txt") }},
		{"write-shm", func() error { return write("/dev/shm/evil") }},
		{"protected-hook", func() error { return write(made(".git/hooks/pre-push")) }},
		{"protected-config", func() error { return write(made(".git/config")) }},
		{"protected-tasks", func() error {
			return errors.Join(os.MkdirAll(made(".vscode"), 0o755), write(made(".vscode/tasks.json")))
		}},
		{"protected-envrc", func() error { return write(made(".envrc")) }},
		{"protected-agents", func() error { return write(made("AGENTS.md")) }},
		{"rename-protected", func() error { return os.Rename(made(".git"), made("git2")) }},
		{"rename-hooks", func() error { return os.Rename(made(".git/hooks"), made("hooks2")) }},
		{"symlink-out", func() error {
			return errors.Join(os.Symlink(outside+"/symlinked.txt", made("sl")), write(made("sl")))
		}},
		{"symlink-dir-out", func() error { return errors.Join(os.Symlink(outside, made("sd")), write(made("sd/by-dir.txt"))) }},
		{"hardlink-out", func() error {
			return errors.Join(os.Link(outside+"/hardlinked.txt", made("hl")), write(made("hl")))
		}},
		{"hardlink-into-outside", func() error { return os.Link(made("a.txt"), outside+"/linked-in") }},
		{"rename-out", func() error { return errors.Join(write(made("mv")), os.Rename(made("mv"), outside+"/moved")) }},
		{"rename-in", func() error { return os.Rename(outside+"/renamed.txt", made("renamed")) }},
		{"unlink-outside", func() error { return os.Remove(outside + "/unlinked.txt") }},
		{"truncate-outside", func() error { return os.Truncate(outside+"/truncated.txt", 0) }},
		{"mkdir-outside", func() error { return os.Mkdir(outside+"/evildir", 0o755) }},
		{"symlink-in-outside", func() error { return os.Symlink("x", outside+"/evillink") }},
		{"mkfifo-outside", func() error { return unix.Mkfifo(outside+"/evilfifo", 0o644) }},
		{"bind-outside", func() error {
			l, err := net.Listen("unix", outside+"/evil.sock")
			if err == nil {
				l.(*net.UnixListener).SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		}},
		{"proc-root", func() error { return write(fmt.Sprintf("/proc/%d/root%s/by-root.txt", victim(), outside)) }},
		{"proc-cwd", func() error { return write(fmt.Sprintf("/proc/%d/cwd/by-cwd.txt", victim())) }},
		{"parent-root", func() error {
			return write(fmt.Sprintf("/proc/%d/root%s/by-parent.txt", os.Getppid(), outside))
		}},
		{"handle", openByHandle},
		{"disk", func() error { return write("/dev/sda") }},
		{"mknod", func() error { return unix.Mknod(made("dev"), unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0))) }},
		{"suid-inside", func() error {
			return errors.Join(write(made("suid")), unix.Chmod(made("suid"), 0o4755))
		}},
	}
}

func openByHandle() error {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, outside, 0)
	if err != nil {
		return err
	}
	d, err := unix.Open(outside, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(d, h, unix.O_RDONLY)
	if err != nil {
		return err
	}
	f, err := unix.Openat(fd, "by-handle.txt", unix.O_CREAT|unix.O_WRONLY, 0o644)
	if err == nil {
		err = unix.Close(f)
	}
	return err
}

func metadata() []probe {
	m := func(n string) string { return outside + "/meta-" + n }
	return []probe{
		{"chmod", func() error { return unix.Chmod(m("chmod"), 0o777) }},
		{"chmod-suid", func() error { return unix.Chmod(m("suid"), 0o4755) }},
		{"fchmod", func() error {
			f, err := os.Open(m("fchmod"))
			if err != nil {
				return err
			}
			return f.Chmod(0o777)
		}},
		{"fchmodat2", func() error {
			p, err := unix.BytePtrFromString(m("fchmodat2"))
			if err != nil {
				return err
			}
			at := unix.AT_FDCWD
			return number(452, uintptr(at), uintptr(unsafe.Pointer(p)), 0o777, 0)
		}},
		{"chmod-by-fd", func() error {
			fd, err := unix.Open(m("byfd"), unix.O_PATH, 0)
			if err != nil {
				return err
			}
			return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), 0o777)
		}},
		{"chown", func() error { return unix.Chown(m("chown"), 12345, 12345) }},
		{"utime", func() error { return os.Chtimes(m("utime"), time.Unix(1, 0), time.Unix(1, 0)) }},
		{"xattr", func() error { return unix.Setxattr(m("xattr"), "user.evil", []byte("1"), 0) }},
		{"attributes", func() error {
			f, err := os.Open(m("attr"))
			if err != nil {
				return err
			}
			return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, 0x40) // nodump
		}},
	}
}

func secrets() []probe {
	var list []probe
	for _, n := range []string{
		".ssh/id_rsa", ".aws/credentials", ".netrc", ".npmrc", ".docker/config.json", ".config/gh/hosts.yml", ".kube/config",
		".gnupg/private-keys-v1.d/x.key", ".my.cnf", ".hermes/.env", ".hermes/auth.json",
	} {
		list = append(list, probe{"read-" + n, func() error { return show(filepath.Join(home, n)) }})
	}
	return append(list,
		probe{"read-env", func() error {
			fmt.Println(hex.EncodeToString([]byte(strings.Join(os.Environ(), "\n"))))
			return nil
		}},
		probe{"read-environ-of-others", func() error {
			for _, pid := range pids() {
				_ = show("/proc/" + strconv.Itoa(pid) + "/environ")
			}
			return nil
		}})
}

func show(name string) error {
	data, err := os.ReadFile(name)
	if err == nil {
		fmt.Println(hex.EncodeToString(data))
	}
	return err
}

func network() []probe {
	dial := func(kind, addr, tag string) func() error {
		return func() error {
			c, err := net.DialTimeout(kind, addr, time.Second)
			if err != nil {
				return err
			}
			_, err = c.Write([]byte("tag-" + tag + "\n"))
			return errors.Join(err, c.Close())
		}
	}
	return []probe{
		{"tcp", dial("tcp", "127.0.0.1:19100", "tcp")},
		{"udp", dial("udp", "127.0.0.1:19101", "udp")},
		{"dns", dial("udp", "127.0.0.1:53", "dns")},
		{"unix", dial("unix", outside+"/canary.sock", "unix")},
		{"abstract", dial("unix", "@effects-canary", "abstract")},
		{"model", func() error { return answered("127.0.0.1:19190") }},
		{"unix-datagram", dial("unixgram", outside+"/canary.dgram", "dgram")},
		{"raw", func() error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{"packet", func() error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{"netlink", func() error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT) }},
		{"vsock", func() error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) }},
		{"alg", func() error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }},
	}
}

// answered fails unless a server at an address says something: that it is connected to alone
// may be the work of who stands before it.
func answered(addr string) error {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	if _, err := c.Write([]byte("tag-model\n\n")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

func socket(a, b, c int) error {
	fd, err := unix.Socket(a, b, c)
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

// pids lists the processes that are seen from here.
func pids() []int {
	var list []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n != os.Getpid() {
			list = append(list, n)
		}
	}
	return list
}

// victim is a process outside that waits to be harmed, -1 where none is seen.
func victim() int {
	for _, pid := range pids() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.HasPrefix(string(line), "effects-victim") {
			return pid
		}
	}
	data, _ := os.ReadFile(ws + "/victim.pid")
	if n, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
		return n // its number outside
	}
	return 1 << 30
}

func processes() []probe {
	return []probe{
		{"ptrace", func() error {
			if err := unix.PtraceSeize(victim()); err != nil {
				return err
			}
			return nil
		}},
		{"proc-mem", func() error {
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", victim()), os.O_RDWR, 0)
			if err == nil {
				err = f.Close()
			}
			return err
		}},
		{"vm-read", func() error {
			buf := make([]byte, 8)
			remote := []unix.RemoteIovec{{Base: 0x400000, Len: 8}}
			_, err := unix.ProcessVMReadv(victim(), []unix.Iovec{{Base: &buf[0], Len: 8}}, remote, 0)
			if errors.Is(err, unix.EFAULT) {
				err = nil // it was let, the address was none
			}
			return err
		}},
		{"pidfd-getfd", func() error {
			fd, err := unix.PidfdOpen(victim(), 0)
			if err != nil {
				return err
			}
			_, err = unix.PidfdGetfd(fd, 0, 0)
			return err
		}},
		{"priority", func() error { return unix.Setpriority(unix.PRIO_PROCESS, victim(), 15) }},
		{"limit", func() error {
			return unix.Prlimit(victim(), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 4096}, nil)
		}},
		{"setns", func() error {
			f, err := os.Open(fmt.Sprintf("/proc/%d/ns/mnt", victim()))
			if err != nil {
				return err
			}
			return unix.Setns(int(f.Fd()), unix.CLONE_NEWNS)
		}},
		{"signal", func() error { return unix.Kill(victim(), unix.SIGKILL) }},
	}
}

func number(n uintptr, a, b, c, d uintptr) error {
	_, _, e := unix.Syscall6(n, a, b, c, d, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

func kernel() []probe {
	return []probe{
		{"io-uring", func() error {
			var params [120]byte
			return number(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params)), 0, 0)
		}},
		{"keyctl", func() error {
			_, err := unix.AddKey("user", "effects", []byte("x"), unix.KEY_SPEC_SESSION_KEYRING)
			return err
		}},
		{"bpf", func() error {
			attr := [72]byte{0: 2, 4: 4, 8: 4, 12: 1} // an array of one number
			return number(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), 72, 0)
		}},
		{"perf", func() error {
			attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{}))}
			_, err := unix.PerfEventOpen(&attr, -1, 0, -1, 0)
			return err
		}},
		{"userfaultfd", func() error { return number(unix.SYS_USERFAULTFD, 0, 0, 0, 0) }},
		{"mount", func() error {
			return errors.Join(os.MkdirAll(ws+"/mnt", 0o755), unix.Mount("tmpfs", ws+"/mnt", "tmpfs", 0, ""))
		}},
		{"remount", func() error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
		{"unmount", func() error { return unix.Unmount(home+"/.ssh", unix.MNT_DETACH) }},
		{"open-tree", func() error {
			fd, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
			if err == nil {
				err = unix.Close(fd)
			}
			return err
		}},
		{"user-namespace", func() error {
			return exec0(&syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}})
		}},
		{"memfd-exec", memfdExec},
		{"become-root", func() error {
			if os.Getuid() == 0 {
				return errors.New("is root")
			}
			return unix.Setuid(0)
		}},
		{"steal-terminal", func() error {
			f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			c := byte('x')
			return number(unix.SYS_IOCTL, f.Fd(), unix.TIOCSTI, uintptr(unsafe.Pointer(&c)), 0)
		}},
		{"message-queue", func() error { return number(unix.SYS_MSGGET, 0x5eed, unix.IPC_CREAT|0o666, 0, 0) }},
		{"host-name", func() error { return unix.Sethostname([]byte("evil")) }},
		{"sysctl", func() error { return write("/proc/sys/kernel/core_pattern") }},
	}
}

func exec0(a *syscall.SysProcAttr) error {
	cmd := exec.Command("/proc/self/exe", "one", "nothing")
	cmd.SysProcAttr = a
	err := cmd.Start()
	if err == nil {
		_ = cmd.Wait()
	}
	return err
}

// memfdExec runs a program that has no file and writes outside.
func memfdExec() error {
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return err
	}
	data, err := os.ReadFile("/bin/sh")
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, data); err != nil {
		return err
	}
	return exec.Command(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), "-c", "echo evil > "+outside+"/by-memfd.txt").Run()
}
