package place

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// arrivals tells what has come into a directory or gone from it. A directory with very many
// entries is read once.
type arrivals struct {
	fd int // of inotify; -1 before the first call, and where it cannot be had
}

// changes are what tells of a name.
const changes = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_DELETE | unix.IN_MOVED_FROM

// since returns the names of what may have come into a directory, or gone from it, since the
// last call; all that are there when that is not known.
func (a *arrivals) since(dir string) (names []string, all bool) {
	if names, ok := a.noted(); ok {
		return names, false
	}
	a.watch(dir) // before it is read, so that nothing is missed
	d, err := os.Open(dir)
	if err != nil {
		return nil, false // then nothing can be made there either
	}
	defer d.Close()
	names, _ = d.Readdirnames(-1) // what was read before an error still counts
	return names, true
}

// noted gives the names of what has come; not ok when some may be missing.
func (a *arrivals) noted() (names []string, ok bool) {
	if a.fd < 0 {
		return nil, false
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := unix.Read(a.fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return names, true
		case err != nil:
			return nil, false
		}
		for event := buf[:n]; len(event) >= unix.SizeofInotifyEvent; {
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(event[12:]))
			if binary.NativeEndian.Uint32(event[4:])&changes == 0 {
				return nil, false // there were too many, or the directory has gone
			}
			names = append(names, strings.TrimRight(string(event[unix.SizeofInotifyEvent:end]), "\x00"))
			event = event[end:]
		}
	}
}

// watch begins to note what comes.
func (a *arrivals) watch(dir string) {
	if a.fd >= 0 {
		_ = unix.Close(a.fd)
		a.fd = -1
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return
	}
	if _, err := unix.InotifyAddWatch(fd, dir, changes|unix.IN_ONLYDIR); err != nil {
		_ = unix.Close(fd)
		return
	}
	a.fd = fd
}
