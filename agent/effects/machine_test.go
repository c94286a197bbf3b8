//go:build linux

package effects_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The folders of a machine: what a case may change (work), what it may not
// (outside, mark), and the home with its keys.
const (
	red     = "/srv/red"
	work    = red + "/ws"
	home    = red + "/home"
	outside = red + "/outside"
	mark    = red + "/mark"
	stands  = red + "/stand" // programs that are missing here, or too dangerous
	bin     = "/srv/hermes-tui"
	layers  = home + "/.hermes/cache/confined" // of caches, by the program
)

// job is what a machine is to do.
type job struct {
	// Base is an empty folder for the machine's own file system.
	Base string
	// Kit holds prepared folders: ws, home, cache.
	Kit string
	Bin string
	// UID is the user the program runs as.
	UID int
	// Flags and Env are the program's, Config is its config.yaml.
	Flags  []string
	Env    []string
	Config string
	Mode   string
	Trust  bool // the workspace is trusted
	// Setup prepares the workspace.
	Setup string
	Calls []toolCall
	// Opinion is what the model says where it is offered no tools, as a judge is.
	Opinion string
	// Plain runs Calls, which are commands, without the program.
	Plain  bool
	Stands []string
	// NoUserNS and NoLandlock take the means of confinement away.
	NoUserNS   bool
	NoLandlock bool
	// Seconds bound the run of the program.
	Seconds int
	// KillWhen sends the program, and nothing else, KillBy once this file is there.
	KillWhen string
	KillBy   syscall.Signal
	// Twice starts the program again when it has ended, in a session of its own.
	Twice bool
	// Victim puts a process and files outside that wait to be harmed.
	Victim bool
}

// toolCall is a call of a tool by the scripted model.
type toolCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// machineMain is the first process of a machine: it reads a job, makes the machine,
// does the job and writes a report.
func machineMain() error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return err
	}
	upper, err := isolate(j)
	if err != nil {
		return fmt.Errorf("make: %w", err)
	}
	if err := without(j); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	r, err := do(j, upper)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// isolate gives this process a file system in which nothing it changes lasts, and
// no means to change the machine around it. It returns the folder that holds what
// differs from that machine, which has no path any more.
func isolate(j job) (*os.File, error) {
	root := j.Base + "/root"
	if err := mounts(j.Base, root); err != nil {
		return nil, err
	}
	upper, err := os.Open(j.Base + "/up")
	if err != nil {
		return nil, err
	}
	if err := lay(j, root); err != nil {
		return nil, err
	}
	if err := unix.PivotRoot(root, root+"/.old"); err != nil {
		return nil, fmt.Errorf("pivot: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return nil, err
	}
	if err := unix.Unmount("/.old", unix.MNT_DETACH); err != nil {
		return nil, fmt.Errorf("leave the machine: %w", err)
	}
	_ = os.Remove("/.old")
	// What no namespace keeps apart.
	for _, c := range []uintptr{unix.CAP_SYS_MODULE, unix.CAP_MKNOD, unix.CAP_SYS_TIME, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return nil, fmt.Errorf("drop capability: %w", err)
		}
	}
	return upper, loopback()
}

// lay copies the prepared folders into the machine.
func lay(j job, root string) error {
	for _, d := range []string{red, mark, stands, outside + "/dir", home} {
		if err := os.MkdirAll(root+d, 0o755); err != nil {
			return err
		}
	}
	for from, to := range map[string]string{"/ws": work, "/home": home} {
		if err := copyTree(j.Kit+from, root+to); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{outside + "/precious.txt": "PRECIOUS\n", outside + "/dir/x.txt": "PRECIOUS\n", outside + "/code.go": "package x\n"} {
		if err := os.WriteFile(root+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, n := range j.Stands {
		script := "#!/bin/sh\n: > " + mark + "/ran-" + n + "\n"
		if err := os.WriteFile(root+stands+"/"+n, []byte(script), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(root+bin, nil, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(j.Bin, root+bin, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("program: %w", err)
	}
	if info, err := os.Stat(j.Kit + "/prober"); err == nil {
		if err := copyFile(j.Kit+"/prober", root+kitProber, info); err != nil {
			return err
		}
	}
	if err := cacheMount(j, root); err != nil {
		return err
	}
	for name, text := range map[string]string{"/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", "/etc/hosts": "127.0.0.1 localhost\n"} {
		_ = os.Remove(root + name)
		if err := os.WriteFile(root+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if !j.Trust {
		for _, n := range []string{"state.db", "state.db-wal", "state.db-shm"} {
			_ = os.Remove(root + home + "/.hermes/" + n)
		}
	}
	if j.UID != 0 {
		if err := give(root+red, j.UID); err != nil {
			return err
		}
	}
	return os.Mkdir(root+"/.old", 0o755)
}

// cacheMount lays a folder of caches, of which that of builds is warm, into the home;
// what is written to it goes to the machine. It is one mount: what is mounted below a
// cache is not in the program's layer over it.
func cacheMount(j job, root string) error {
	dir := root + home + "/.cache"
	for _, d := range []string{dir, j.Base + "/cup", j.Base + "/cwork"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if _, err := os.Stat(j.Kit + "/cache"); err != nil {
		return nil // a machine without a warm cache is only slower
	}
	if j.UID != 0 {
		return copyTree(j.Kit+"/cache", dir)
	}
	// The program keeps layers over caches, which cannot lie in a layer themselves.
	if err := os.MkdirAll(root+layers, 0o700); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", root+layers, "tmpfs", 0, "mode=0700"); err != nil {
		return fmt.Errorf("folder for layers: %w", err)
	}
	return overlay(j.Kit+"/cache", j.Base+"/cup", j.Base+"/cwork", dir)
}

func give(dir string, uid int) error {
	return filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil || name == dir+strings.TrimPrefix(stands, red) {
			return err
		}
		return os.Lchown(name, uid, uid)
	})
}

// copyTree copies files, links and modes.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dest := to + strings.TrimPrefix(name, from)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(dest, info.Mode().Perm())
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, dest)
		}
		return copyFile(name, dest, info)
	})
}

func copyFile(from, to string, info os.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// loopback sets the loopback interface up.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) // nothing was written
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// namespaces are what a machine has of its own. An ordinary user needs a user
// namespace for them, in which they are root.
func namespaces() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL,
	}
	if uid := os.Getuid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}
