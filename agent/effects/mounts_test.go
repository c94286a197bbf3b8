//go:build linux

package effects_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mount is one mount of a machine.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

func mounts(base, root string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Mount("tmpfs", base, "tmpfs", 0, "mode=0755"); err != nil {
		return err
	}
	for _, d := range []string{"/up", "/work", "/parts", "/root"} {
		if err := os.Mkdir(base+d, 0o755); err != nil {
			return err
		}
	}
	if err := overlayRoot(base, root); err != nil {
		return err
	}
	list := []mount{
		{"proc", "/proc", "proc", 0, ""},
		{"/proc/sys", "/proc/sys", "", unix.MS_BIND, ""},
		{"/sys", "/sys", "", unix.MS_BIND | unix.MS_REC, ""},
		{"tmpfs", "/dev", "tmpfs", unix.MS_NOSUID, "mode=0755"},
		{"tmpfs", "/tmp", "tmpfs", 0, "mode=1777"},
		{"tmpfs", "/run", "tmpfs", 0, "mode=0755"},
		{"tmpfs", "/srv", "tmpfs", 0, "mode=0755"},
	}
	for _, m := range list {
		if m.kind == "" && strings.HasPrefix(m.source, "/proc") {
			m.source = root + m.source
		}
		if err := os.MkdirAll(root+m.target, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.source, root+m.target, m.kind, m.flags, m.data); err != nil {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	for _, t := range []string{"/proc/sys", "/sys"} {
		if err := unix.Mount("", root+t, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
			return fmt.Errorf("%s read-only: %w", t, err)
		}
	}
	return devices(root)
}

// overlayRoot lays a writable layer, base/up, over this machine. Where the kernel does
// not let the root folder be a layer, since mounts below it are another's, each folder
// in it gets a layer of its own; what cannot have one is only read.
func overlayRoot(base, root string) error {
	if overlay("/", base+"/up", base+"/work", root) == nil {
		return nil
	}
	if err := unix.Mount(base+"/up", root, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := "/" + e.Name()
		target, err := os.Readlink(name)
		switch {
		case err == nil:
			err = os.Symlink(target, root+name)
		case e.IsDir() && !slices.Contains([]string{"/proc", "/sys", "/dev", "/tmp", "/run", "/srv"}, name):
			err = layer(base, root, name)
		default:
			err = nil
		}
		if err != nil {
			return fmt.Errorf("layer over %s: %w", name, err)
		}
	}
	return nil
}

func layer(base, root, name string) error {
	if err := errors.Join(os.Mkdir(base+"/up"+name, 0o755), os.Mkdir(base+"/parts"+name, 0o755)); err != nil {
		return err
	}
	if overlay(name, base+"/up"+name, base+"/parts"+name, root+name) == nil {
		return nil
	}
	if err := unix.Mount(name, root+name, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, root+name, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

func overlay(lower, upper, workDir, target string) error {
	data := "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + workDir
	if err := unix.Mount("overlay", target, "overlay", 0, data); err != nil {
		return unix.Mount("overlay", target, "overlay", 0, data+",userxattr")
	}
	return nil
}

// devices fills /dev: what programs need, and plain files where disks would be.
func devices(root string) error {
	for _, n := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := os.WriteFile(root+"/dev/"+n, nil, 0o666); err != nil {
			return err
		}
		if err := unix.Mount("/dev/"+n, root+"/dev/"+n, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("device %s: %w", n, err)
		}
	}
	for _, t := range []string{"sysrq-trigger", "kcore", "kmsg"} {
		if err := unix.Mount("/dev/null", root+"/proc/"+t, "", unix.MS_BIND, ""); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("cover %s: %w", t, err)
		}
	}
	for n, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, root+"/dev/"+n); err != nil {
			return err
		}
	}
	for _, n := range []string{"sda", "sdb", "nvme0n1", "mem"} {
		if err := os.WriteFile(root+"/dev/"+n, []byte("disk\n"), 0o600); err != nil {
			return err
		}
	}
	for _, d := range []string{"/dev/pts", "/dev/shm"} {
		if err := os.Mkdir(root+d, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("devpts", root+"/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return fmt.Errorf("devpts: %w", err)
	}
	return unix.Mount("tmpfs", root+"/dev/shm", "tmpfs", 0, "mode=1777")
}
