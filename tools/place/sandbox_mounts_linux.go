package place

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// arrange changes what the process sees, in mounts of its own: protected paths
// are mounted read-only on themselves, hidden ones covered by nothing, sockets
// and terminals of others by the null device, and shared memory is new. Landlock
// forbids to change any of this afterwards.
func (sp *spec) arrange() error {
	// Nothing may get out to the mounts of others.
	slave := &unix.MountAttr{Propagation: unix.MS_SLAVE}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, slave); err != nil {
		return err
	}
	pinned := map[string]bool{}
	for _, name := range sorted(sp.ReadOnly) {
		if err := sp.protect(name, pinned); err != nil {
			return fmt.Errorf("protect %s: %w", name, err)
		}
	}
	for _, name := range sorted(sp.Covered) {
		if err := sp.hide(name, pinned); err != nil {
			return fmt.Errorf("hide %s: %w", name, err)
		}
	}
	if sp.ABI < 9 { // later ones tell sockets apart
		if err := sp.coverSockets(); err != nil {
			return err
		}
	}
	if err := coverTerminals(); err != nil {
		return err
	}
	return ownMemory()
}

func sorted(list [][]byte) []string {
	names := text(list)
	slices.Sort(names)
	return slices.Compact(names)
}

// openReal opens what stands at a path without links, -1 when nothing does.
func openReal(name string) (int, error) {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, name, how)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return -1, nil
	}
	return fd, err
}

// protect mounts what stands at name read-only on itself.
func (sp *spec) protect(name string, pinned map[string]bool) error {
	if err := sp.pin(name, pinned); err != nil {
		return err
	}
	fd, err := openReal(name)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	return onItself(fd, unix.MOUNT_ATTR_RDONLY)
}

// pin mounts every directory between a root and name on itself: a directory on
// which something is mounted cannot be moved away with what it holds.
func (sp *spec) pin(name string, pinned map[string]bool) error {
	root := rootOf(name, text(sp.Writable))
	if root == "" {
		return nil // nothing there can be moved
	}
	var dirs []string
	for dir := filepath.Dir(name); dir != root && within(dir, root); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range slices.Backward(dirs) {
		if pinned[dir] {
			continue
		}
		fd, err := openReal(dir)
		if err != nil || fd < 0 {
			return err
		}
		err = onItself(fd, 0)
		_ = unix.Close(fd)
		if err != nil {
			return err
		}
		pinned[dir] = true
	}
	return nil
}

// onItself mounts what fd stands for where it is, with more attributes.
func onItself(fd int, attributes uint64) error {
	tree, err := unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	if attributes != 0 {
		attr := &unix.MountAttr{Attr_set: attributes}
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr); err != nil {
			return err
		}
	}
	return mountOn(tree, fd)
}

func mountOn(tree, fd int) error {
	return unix.MoveMount(tree, "", fd, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// hide covers what stands at name.
func (sp *spec) hide(name string, pinned map[string]bool) error {
	if err := sp.pin(name, pinned); err != nil {
		return err
	}
	fd, err := openReal(name)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return cover(fd)
	}
	return memory(fd, "0555", unix.MOUNT_ATTR_RDONLY)
}

// cover mounts the null device on a file.
func cover(fd int) error {
	tree, err := unix.OpenTree(unix.AT_FDCWD, "/dev/null", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return mountOn(tree, fd)
}

// memory mounts an empty file system that lives in memory.
func memory(fd int, mode string, attributes int) error {
	made, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(made)
	if err := unix.FsconfigSetString(made, "mode", mode); err != nil {
		return err
	}
	if err := unix.FsconfigCreate(made); err != nil {
		return err
	}
	tree, err := unix.Fsmount(made, unix.FSMOUNT_CLOEXEC, attributes|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return mountOn(tree, fd)
}

// ownMemory gives the process shared memory of its own.
func ownMemory() error {
	fd, err := openReal("/dev/shm")
	if err != nil || fd < 0 {
		return nil // it is a link to somewhere, or not there: it is not granted either
	}
	defer unix.Close(fd)
	return memory(fd, "1777", 0)
}

// coverSockets covers the sockets in the file system that servers wait on now,
// except those in writable directories and those that are allowed.
func (sp *spec) coverSockets() error {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return err
	}
	allowed := append(text(sp.Sockets), nameServices...)
	for i, name := range allowed {
		allowed[i] = realPath(name)
	}
	for _, name := range socketNames(table) {
		if err := sp.coverSocket(name, allowed); err != nil {
			return fmt.Errorf("cover %s: %w", name, err)
		}
	}
	return nil
}

// socketNames takes the absolute names out of the kernel's table of sockets. A
// name is the eighth column and may hold spaces.
func socketNames(table []byte) []string {
	var names []string
	for line := range bytes.Lines(table) {
		if i := bytes.IndexByte(line, '/'); i > 0 {
			names = append(names, string(bytes.TrimSuffix(line[i:], []byte("\n"))))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (sp *spec) coverSocket(name string, allowed []string) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // who cannot get there cannot connect
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil
	}
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return err
	}
	if rootOf(real, text(sp.Writable)) != "" || slices.Contains(allowed, real) {
		return nil
	}
	return cover(fd)
}

// coverTerminals covers the terminals that others have open, so that nothing is
// written on them. New ones can be made.
func coverTerminals() error {
	list, _ := os.ReadDir("/dev/pts") // where there is none, there is nothing to cover
	own := ownTerminal()
	for _, e := range list {
		name := filepath.Join("/dev/pts", e.Name())
		if _, err := strconv.Atoi(e.Name()); err != nil || name == own {
			continue
		}
		fd, err := openReal(name)
		if err != nil || fd < 0 {
			continue // closed meanwhile
		}
		err = cover(fd)
		_ = unix.Close(fd)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cover %s: %w", name, err)
		}
	}
	return nil
}
