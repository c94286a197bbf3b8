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

// refresh brings the mounts up to what there is now: files come, go and are
// replaced. listening are the sockets that servers wait on outside. Processes that
// run already find the new mounts as well.
func (h *helper) refresh(listening []string) error {
	if err := h.temp.renew(); err != nil {
		return err
	}
	for _, dir := range text(h.sp.Writable) {
		if err := h.reopen(dir); err != nil {
			return &os.PathError{Op: "open", Path: dir, Err: err}
		}
	}
	if !h.sp.Mounts {
		return nil
	}
	if err := h.renew(); err != nil {
		h.seen.forget() // nothing is certain of what was not looked at
		return err
	}
	return h.coverSockets(listening)
}

// renew protects and hides what has come to stand where that is to be done.
func (h *helper) renew() error {
	h.seen.begin()
	for _, name := range text(h.sp.ReadOnly) {
		if err := h.seen.look(name, h.protect); err != nil {
			return fmt.Errorf("protect %s: %w", name, err)
		}
	}
	for _, name := range text(h.sp.Hidden) {
		if err := h.seen.look(name, h.hide); err != nil {
			return fmt.Errorf("hide %s: %w", name, err)
		}
	}
	return nil
}

// reopen checks that a writable folder is there, and makes it writable again when it
// was replaced.
func (h *helper) reopen(dir string) error {
	fd, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !h.sp.Mounts {
		return nil
	}
	was, known := h.readOnly[dir]
	if !known {
		was = readOnly(fd)
		h.readOnly[dir] = was
	}
	if was || !readOnly(fd) {
		return nil
	}
	tree, err := clone(fd)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	// Not what is mounted below: that may have been read-only before.
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	return mountOn(tree, fd)
}

// openAny opens what is at a path, and gives its real name; -1 when it is not there
// or out of reach.
func openAny(name string) (fd int, real string, err error) {
	fd, err = unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	for _, none := range []error{fs.ErrNotExist, fs.ErrPermission, unix.ENOTDIR, unix.ELOOP} {
		if errors.Is(err, none) {
			return -1, "", nil
		}
	}
	if err != nil {
		return -1, "", err
	}
	real, err = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return -1, "", errors.Join(err, unix.Close(fd))
	}
	return fd, real, nil
}

// protect mounts what stands at name read-only on itself, where it is in a folder
// that may be written.
func (h *helper) protect(name string) error {
	fd, real, err := openAny(name)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	if readOnly(fd) || h.sp.writableRoot(real) == "" {
		return nil
	}
	return h.over(real, func(fd int) error { return onItself(fd, unix.MOUNT_ATTR_RDONLY) })
}

// maxGone is how often what stands at a path may be removed just when something is mounted
// on it, and another take its name, as when git or an editor writes a file.
const maxGone = 100

// untilThere mounts something on what stands at a path, again when that was removed
// meanwhile.
func untilThere(mount func() error) error {
	var err error
	for range maxGone {
		if err = mount(); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// over pins the way to a path and mounts something on what stands there then.
func (h *helper) over(real string, mount func(fd int) error) error {
	return untilThere(func() error {
		if err := h.sp.pin(real); err != nil {
			return err
		}
		fd, err := openReal(real)
		if err != nil || fd < 0 {
			return err
		}
		defer unix.Close(fd)
		return mount(fd)
	})
}

// writableRoot is the folder that may be written in which a path lies.
func (sp *spec) writableRoot(name string) string {
	all := text(sp.Writable)
	for _, l := range sp.Caches {
		all = append(all, string(l.Dir))
	}
	if len(sp.Temp) > 0 {
		all = append(all, string(sp.Temp)) // the last: a root may lie in it
	}
	return rootOf(name, all)
}

// pin mounts every directory between a writable one and name on itself: a directory
// on which something is mounted cannot be moved away with what it holds.
func (sp *spec) pin(name string) error {
	root := sp.writableRoot(name)
	if root == "" {
		return nil // nothing there can be moved
	}
	var dirs []string
	for dir := filepath.Dir(name); dir != root && within(dir, root); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range slices.Backward(dirs) {
		fd, err := openReal(dir)
		if err != nil || fd < 0 {
			return err
		}
		if _, top := mountID(fd); !top {
			err = onItself(fd, 0)
		}
		_ = unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return nil
}

// hide covers what stands at name, if mounts are the way to hide it: what is inside
// a folder that may be written can be hidden in no other way, and of a directory the
// names in it are hidden as well. Landlock hides all outside of such folders, even
// what takes the place of this one.
func (h *helper) hide(name string) error {
	fd, real, err := openAny(name)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	directory := st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch {
	case h.covered(real, fd):
		return nil
	case h.sp.writableRoot(real) != "":
	case !directory || slices.ContainsFunc(text(h.sp.Writable), func(w string) bool { return within(w, real) }):
		return nil
	}
	return h.cover(real, directory)
}

// covered reports whether fd, opened at a path, is what was mounted over it.
func (h *helper) covered(real string, fd int) bool {
	id, top := mountID(fd)
	return top && h.covers[real] == id && id != 0
}

// cover puts nothing over what stands at a path, if anything does.
func (h *helper) cover(real string, directory bool) error {
	err := h.over(real, func(fd int) error {
		if directory {
			return fresh("tmpfs", fd, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV, [2]string{"mode", "0555"})
		}
		return cover(fd)
	})
	if err != nil {
		return err
	}
	fd, err := openReal(real)
	if err != nil || fd < 0 {
		return err
	}
	h.covers[real], _ = mountID(fd)
	return unix.Close(fd)
}

// coverSockets covers the sockets in the file system that servers wait on, except
// those in writable directories and those that are allowed. A server may have named its
// socket again since: so what else there is in the same directories is covered as well,
// where confined processes cannot have made it.
func (h *helper) coverSockets(listening []string) error {
	if len(listening) == 0 {
		return nil
	}
	allowed := append(text(h.sp.Sockets), nameServices...)
	for i, name := range allowed {
		allowed[i] = realPath(name)
	}
	for _, name := range listening {
		if err := untilThere(func() error { return h.coverSocket(name, allowed) }); err != nil {
			return fmt.Errorf("cover %s: %w", name, err)
		}
		dir := filepath.Dir(name)
		if was, ok := h.beside[dir]; ok && was.still(dir) {
			continue
		}
		h.beside[dir] = stampOf(dir)
		for _, e := range readDir(dir) {
			if at := filepath.Join(dir, e.Name()); e.Type()&fs.ModeSocket != 0 && inReadOnly(at) {
				if err := untilThere(func() error { return h.coverSocket(at, allowed) }); err != nil {
					return fmt.Errorf("cover %s: %w", at, err)
				}
			}
		}
	}
	return nil
}

// readDir lists a directory in any order, as far as that is possible.
func readDir(dir string) []fs.DirEntry {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.ReadDir(-1) // what was read before an error still counts
	return list
}

// inReadOnly reports whether what stands at a path is in a read-only mount.
func inReadOnly(name string) bool {
	fd, err := openReal(name)
	if err != nil || fd < 0 {
		return false
	}
	defer unix.Close(fd)
	return readOnly(fd)
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

func (h *helper) coverSocket(name string, allowed []string) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // who cannot get there cannot connect
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil // covered already
	}
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return err
	}
	if rootOf(real, text(h.sp.Writable)) != "" || slices.Contains(allowed, real) || h.sp.writableRoot(real) != "" && !readOnly(fd) {
		return nil // the last: confined processes have made it
	}
	return cover(fd)
}
