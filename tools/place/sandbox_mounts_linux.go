package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// arrange makes the file system read-only as a whole, and single folders of it as
// writable again as they were, in mounts of the helper's own: that holds for what
// Landlock does not know as well, such as modes, owners, times and attributes. Shared
// memory and terminals are new. Landlock forbids the processes to change any of this.
//
// It does first all that a system may refuse. What makes the folders writable, which
// takes longer the more temporary files there are, is left to rest.
func (sp *spec) arrange() (rest func() error, err error) {
	// Nothing may get out to the mounts of others, and nothing writable in.
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Propagation: unix.MS_PRIVATE}); err != nil {
		return nil, err
	}
	frozen := sp.temporary()
	open := slices.Sorted(slices.Values(text(sp.Writable)))
	if len(sp.Temp) > 0 {
		open = append([]string{string(sp.Temp)}, open...)
	}
	trees := make([]int, 0, len(open))
	for _, name := range open {
		fd, err := openFolder(name)
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		tree, err := clone(fd, false)
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
				if err := freeze(frozen); err != nil {
					return err
				}
				coverPipes(frozen)
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

// maxTemp bounds the entries of the folder for temporary files that are each
// protected by a mount. Where there are more, it cannot be written.
const maxTemp = 2000

// temporary gives what is in the folder for temporary files, unless that cannot be
// made writable.
func (sp *spec) temporary() []string {
	temp := string(sp.Temp)
	if temp == "" {
		return nil
	}
	entries, err := os.ReadDir(temp)
	if err != nil || len(entries) > maxTemp || rootOf(temp, text(sp.Writable)) != "" || slices.ContainsFunc(text(sp.Hidden), sp.around) {
		sp.Temp = nil
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 { // a link holds nothing
			names = append(names, filepath.Join(temp, e.Name()))
		}
	}
	return names
}

// around reports whether a hidden path holds a writable one.
func (sp *spec) around(hidden string) bool {
	real := realPath(hidden)
	return slices.ContainsFunc(text(sp.Writable), func(w string) bool { return within(w, real) })
}

// freeze makes what stands at names read-only. Of many, those below which nothing is
// mounted are told first: else that is looked for among all that is mounted beside.
func freeze(names []string) error {
	const many = 50
	var points []string
	known := false
	if len(names) > many {
		points, known = mountPoints()
	}
	for _, name := range names {
		err := untilThere(func() error {
			fd, err := openReal(name)
			if errors.Is(err, unix.ELOOP) || errors.Is(err, fs.ErrPermission) {
				return nil // what cannot be reached is not changed
			}
			if err != nil || fd < 0 {
				return err
			}
			defer unix.Close(fd)
			if readOnly(fd) {
				return nil
			}
			alone := known && !slices.ContainsFunc(points, func(p string) bool { return within(p, name) })
			return onItself(fd, unix.MOUNT_ATTR_RDONLY, alone)
		})
		if err != nil {
			return fmt.Errorf("protect %s: %w", name, err)
		}
	}
	return nil
}

// mountPoints are where something is mounted; not known when that cannot be read.
func mountPoints() (points []string, known bool) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, false
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 5 || strings.Contains(fields[4], `\`) {
			return nil, false // a name with signs of its own
		}
		points = append(points, fields[4])
	}
	return points, true
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

// onItself mounts what fd stands for where it is, with more attributes. alone says that
// nothing is mounted below.
func onItself(fd int, attributes uint64, alone bool) error {
	tree, err := clone(fd, alone)
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

// clone gives a mount of what fd stands for, with all mounts below unless it is alone,
// that is nowhere yet.
func clone(fd int, alone bool) (int, error) {
	flags := uint(unix.AT_EMPTY_PATH | unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC)
	if !alone {
		flags |= unix.AT_RECURSIVE
	}
	return unix.OpenTree(fd, "", flags)
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
