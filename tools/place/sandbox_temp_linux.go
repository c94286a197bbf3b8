package place

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxTemp bounds the entries of the folder for temporary files that are shown, each by a
// mount.
const maxTemp = 2000

// ownTemp is the folder for temporary files as confined processes see it: one of their own,
// in which what others have put into the real one is shown, read-only, under its name. A
// name that they have taken themselves stays theirs. What others wait on for programs to
// connect to is not shown: sockets, pipes, and directories in which there is a socket.
type ownTemp struct {
	at       string // where it is
	outer    int    // the real one
	needed   map[string]bool
	shown    map[string]fileID
	arrivals arrivals
}

// fileID tells a file from another one that takes its name.
type fileID struct{ dev, ino uint64 }

// shownMode is the mode of what stands below a mount of something that is shown. Others
// tell it from what confined processes have made there by it.
const shownMode = 0

// open takes hold of the real folder.
func (t *ownTemp) open(sp *spec) error {
	if t.at, t.arrivals = string(sp.Temp), (arrivals{fd: -1}); t.at == "" {
		return nil
	}
	fd, err := openFolder(t.at)
	if err != nil {
		return &os.PathError{Op: "open", Path: t.at, Err: err}
	}
	t.outer = fd
	return nil
}

// begin shows what is there. below are folders that are mounted afterwards, and for which
// there has to be something to mount them on.
func (t *ownTemp) begin(below []string) error {
	t.needed, t.shown = map[string]bool{}, map[string]fileID{}
	for _, name := range below {
		if rel, ok := strings.CutPrefix(name, t.at+"/"); ok {
			first, _, _ := strings.Cut(rel, "/")
			t.needed[first] = true
		}
	}
	return t.renew()
}

// renew brings what is shown up to what there is.
func (t *ownTemp) renew() error {
	if t.at == "" || t.shown == nil {
		return nil
	}
	names, all := t.arrivals.since("/proc/self/fd/" + strconv.Itoa(t.outer))
	if all {
		for name := range t.shown {
			names = append(names, name)
		}
	}
	for name := range t.needed {
		if _, ok := t.shown[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := untilThere(func() error { return t.look(name) }); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &os.PathError{Op: "show", Path: filepath.Join(t.at, name), Err: err}
		}
	}
	return nil
}

// look shows what stands under a name, or no longer does.
func (t *ownTemp) look(name string) error {
	var st unix.Stat_t
	err := unix.Fstatat(t.outer, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	now := fileID{uint64(st.Dev), st.Ino} //nolint:unconvert // not everywhere of that type
	if was, ok := t.shown[name]; ok {
		if err == nil && was == now {
			return nil
		}
		t.withdraw(name)
	}
	switch kind := st.Mode & unix.S_IFMT; {
	case err != nil:
		return nil //nolint:nilerr // it has gone
	case kind == unix.S_IFLNK:
		return t.copyLink(name)
	case kind != unix.S_IFDIR && kind != unix.S_IFREG:
		return nil
	case !t.needed[name] && (len(t.shown) >= maxTemp || ownTempName(name) || kind == unix.S_IFDIR && t.meets(name)):
		return nil
	default:
		return t.show(name, kind == unix.S_IFDIR, now)
	}
}

// meets reports whether there is a socket in a directory.
func (t *ownTemp) meets(name string) bool {
	return slices.ContainsFunc(readDir("/proc/self/fd/"+strconv.Itoa(t.outer)+"/"+name), func(e fs.DirEntry) bool { return e.Type()&fs.ModeSocket != 0 })
}

// copyLink makes the same link, unless the name is taken.
func (t *ownTemp) copyLink(name string) error {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(t.outer, name, buf)
	if err != nil {
		return nil //nolint:nilerr // it has gone
	}
	if err := unix.Symlink(string(buf[:n]), filepath.Join(t.at, name)); !errors.Is(err, unix.EEXIST) {
		return reachable(err)
	}
	return nil
}

// show mounts what stands under a name on something that is made for that.
func (t *ownTemp) show(name string, directory bool, id fileID) error {
	fd, err := unix.Openat2(t.outer, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH})
	if err != nil {
		return reachable(err)
	}
	defer unix.Close(fd)
	at := filepath.Join(t.at, name)
	if directory {
		err = unix.Mkdir(at, shownMode)
	} else {
		err = unix.Mknod(at, unix.S_IFREG|shownMode, 0)
	}
	if errors.Is(err, unix.EEXIST) {
		var st unix.Stat_t
		if err = unix.Lstat(at, &st); err == nil && (st.Mode&0o7777 != shownMode || st.Mode&unix.S_IFMT == unix.S_IFLNK || (st.Mode&unix.S_IFMT == unix.S_IFDIR) != directory) {
			return nil // it is theirs
		}
	}
	if err != nil {
		return reachable(err)
	}
	tree, err := clone(fd)
	if err != nil {
		return reachable(err)
	}
	defer unix.Close(tree)
	point, err := openReal(at)
	if err != nil || point < 0 {
		return reachable(err)
	}
	defer unix.Close(point)
	if err := mountOn(tree, point); err != nil {
		return err
	}
	t.shown[name] = id
	coverPipes([]string{at})
	return nil
}

// reachable passes over what cannot be reached, or for which there is no room, and so not be
// shown.
func reachable(err error) error {
	for _, none := range []error{unix.ELOOP, fs.ErrPermission, unix.ENOSPC, unix.EDQUOT} {
		if errors.Is(err, none) {
			return nil
		}
	}
	return err
}

// withdraw no longer shows what stood under a name.
func (t *ownTemp) withdraw(name string) {
	at := filepath.Join(t.at, name)
	for range maxGone {
		if unix.Unmount(at, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) != nil {
			break
		}
	}
	delete(t.shown, name)
	var st unix.Stat_t
	if unix.Lstat(at, &st) == nil && st.Mode&0o7777 == shownMode {
		_ = os.Remove(at) // what stays shows nothing
	}
}
