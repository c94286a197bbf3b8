package place

import (
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// stamp tells a state of a directory from its later ones. Programs can set the time
// of the last modification, but not this one.
type stamp struct {
	dev, ino uint64
	changed  unix.Timespec
	settled  bool
}

// settled is how long after its last change a directory is certain to show another
// one by its time.
const settled = 50 * time.Millisecond

// stampOf gives the state of a directory.
func stampOf(dir string) stamp {
	var st unix.Stat_t
	now := time.Now()
	if unix.Stat(dir, &st) != nil {
		return stamp{}
	}
	changed := st.Ctim
	return stamp{st.Dev, st.Ino, changed, now.Sub(time.Unix(changed.Unix())) > settled}
}

// still reports whether the directory is certainly as it was.
func (s stamp) still(dir string) bool { return s.settled && stampOf(dir) == s }

// seenDirs remembers where paths stand, so that a path is looked at again only when
// something has changed there: a start takes as many calls as there are such
// directories, however many the paths are.
type seenDirs struct {
	dirs map[string]stamp
	in   map[string]string // the directory in which a path stands, or the nearest to it
	same map[string]bool   // the directories that are as in the round before
}

// begin begins a round.
func (s *seenDirs) begin() {
	s.same = make(map[string]bool, len(s.dirs))
	for dir, was := range s.dirs {
		now := stampOf(dir)
		s.dirs[dir], s.same[dir] = now, was.settled && was == now
	}
}

// forget makes the next round look at everything.
func (s *seenDirs) forget() { *s = seenDirs{dirs: map[string]stamp{}, in: map[string]string{}} }

// look has check look at a path, unless it stands where nothing has changed.
func (s *seenDirs) look(name string, check func(name string) error) error {
	if dir, ok := s.in[name]; ok && s.same[dir] {
		return nil
	}
	delete(s.in, name)
	dir := standsIn(name)
	if _, known := s.dirs[dir]; dir != "" && !known {
		s.dirs[dir] = stampOf(dir)
		if standsIn(name) != dir {
			dir = "" // it was made meanwhile
		}
	}
	if dir != "" {
		s.in[name] = dir
	}
	return check(name)
}

// standsIn is the directory that changes when something else comes to stand at a path:
// the nearest on the way to it. It is empty where links lead elsewhere, or nothing
// can be told.
func standsIn(name string) string {
	fd, err := openReal(name)
	if err != nil {
		return ""
	}
	if fd >= 0 {
		_ = unix.Close(fd)
		return filepath.Dir(name)
	}
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if fd, err = openReal(dir); err != nil {
			return ""
		}
		if fd >= 0 {
			_ = unix.Close(fd)
			return dir
		}
	}
}
