package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// arrange makes the file system read-only as a whole, and single folders of it as
// writable again as they were, in mounts of the helper's own: that holds for what
// Landlock does not know as well, such as modes, owners, times and attributes. Shared
// memory, terminals and the folder for temporary files are new. Landlock forbids the
// processes to change any of this.
//
// It does first all that a system may refuse. What makes the folders writable is left to
// rest.
func (h *helper) arrange() (rest func() error, err error) {
	sp := &h.sp
	// Nothing may get out to the mounts of others, and nothing writable in.
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Propagation: unix.MS_PRIVATE}); err != nil {
		return nil, err
	}
	if err := h.temp.open(sp); err != nil {
		return nil, err
	}
	open := slices.Sorted(slices.Values(text(sp.Writable)))
	from := slices.Clone(open)
	if len(sp.Temp) > 0 {
		open, from = append([]string{string(sp.Temp)}, open...), append([]string{string(sp.Base)}, from...)
	}
	trees := make([]int, 0, len(open))
	for _, name := range from {
		fd, err := openFolder(name)
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		tree, err := clone(fd)
		_ = unix.Close(fd)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	for _, l := range sp.layers() {
		open, trees = append(open, string(l.Dir)), append(trees, l.tree)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return nil, err
	}
	if err := ownMemory(); err != nil {
		return nil, err
	}
	if err := ownTerminals(); err != nil {
		return nil, err
	}
	return func() error {
		defer closeAll(trees)
		for i, name := range open {
			if err := mountAt(trees[i], name); err != nil {
				return &os.PathError{Op: "mount", Path: name, Err: err}
			}
			if name == string(sp.Temp) {
				if err := h.temp.begin(open[1:]); err != nil {
					return err
				}
			}
		}
		return nil
	}, nil
}

// made is a layer whose mount was made.
type made struct {
	layer
	tree int
}

// layers makes those over caches. A cache of which that is not possible stays
// read-only.
func (sp *spec) layers() []made {
	var list []made
	for _, l := range sp.Caches {
		if tree, err := l.overlay(); err == nil {
			list = append(list, made{l, tree})
		}
	}
	sp.bare = len(list) < len(sp.Caches)
	sp.Caches = nil
	for _, m := range list {
		sp.Caches = append(sp.Caches, m.layer)
	}
	return list
}

// Bounds of looking for pipes: entries, and folders in each other.
const (
	maxPipes  = 20_000
	pipeDepth = 2
)

// coverPipes covers the pipes at and below names, those that are not deep first: a
// read-only mount keeps no one from writing to the process at the other end.
func coverPipes(names []string) {
	left := maxPipes
	for depth := range pipeDepth + 1 {
		var below []string
		for _, name := range names {
			st, err := os.Lstat(name)
			switch left--; {
			case err != nil || left < 0: // what cannot be reached is not written to
			case st.Mode()&fs.ModeNamedPipe != 0:
				if fd, err := openReal(name); err == nil && fd >= 0 {
					_ = cover(fd) // it may have gone meanwhile
					_ = unix.Close(fd)
				}
			case st.IsDir() && depth < pipeDepth:
				for _, e := range readDir(name) {
					if e.IsDir() || e.Type()&fs.ModeNamedPipe != 0 {
						below = append(below, filepath.Join(name, e.Name()))
					}
				}
			}
		}
		names = below
	}
}

// readOnly reports whether what fd stands for is in a read-only mount.
func readOnly(fd int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && st.Flags&unix.ST_RDONLY != 0
}

// mountID tells the mount that fd is in from others, and whether fd is its top.
func mountID(fd int) (id uint64, top bool) {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID|unix.STATX_MNT_ID_UNIQUE, &st); err != nil {
		return 0, false
	}
	return st.Mnt_id, st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
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

// openFolder opens a directory to which no link leads.
func openFolder(name string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
}

// onItself mounts what fd stands for where it is, with more attributes.
func onItself(fd int, attributes uint64) error {
	tree, err := clone(fd)
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

// clone returns a detached mount of the file of fd, with all mounts below it.
func clone(fd int) (int, error) {
	return unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
}

func mountOn(tree, fd int) error {
	return unix.MoveMount(tree, "", fd, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

func mountAt(tree int, name string) error {
	fd, err := openFolder(name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return mountOn(tree, fd)
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

// fresh makes a new file system and mounts it on fd.
func fresh(kind string, fd int, attributes int, options ...[2]string) error {
	made, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(made)
	for _, o := range options {
		if err := unix.FsconfigSetString(made, o[0], o[1]); err != nil {
			return err
		}
	}
	if err := unix.FsconfigCreate(made); err != nil {
		return err
	}
	tree, err := unix.Fsmount(made, unix.FSMOUNT_CLOEXEC, attributes)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return mountOn(tree, fd)
}

// ownMemory gives the processes shared memory of their own.
func ownMemory() error {
	fd, err := openReal("/dev/shm")
	if err != nil || fd < 0 {
		return nil // it is a link to somewhere, or not there: it is not granted either
	}
	defer unix.Close(fd)
	return fresh("tmpfs", fd, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, [2]string{"mode", "1777"})
}

// ownTerminals gives the processes terminals of their own, among which those of
// others are not.
func ownTerminals() error {
	fd, err := openReal("/dev/pts")
	if err != nil || fd < 0 {
		return nil // there are none
	}
	defer unix.Close(fd)
	err = fresh("devpts", fd, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC, [2]string{"ptmxmode", "0666"}, [2]string{"mode", "0620"})
	if err != nil {
		return fmt.Errorf("make terminals: %w", err)
	}
	device, err := openReal("/dev/ptmx")
	if err != nil || device < 0 {
		return nil // it is a link to that of the new ones
	}
	defer unix.Close(device)
	tree, err := unix.OpenTree(unix.AT_FDCWD, "/dev/pts/ptmx", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return mountOn(tree, device)
}
