package place

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
)

// absentPaths are the protected paths that can only be protected once they are there.
// What is made at one while a confined process runs is moved aside when that ends,
// unless a tool has made it. What it leaves running can make one later; and what
// others make meanwhile cannot be told from what it makes.
type absentPaths struct {
	fs       localFS
	names    []string
	harmless func(name string) bool // nil: nothing is
	protect  func() error           // protects what is there now
	folder   string                 // takes what is moved aside, made when needed

	mu    sync.Mutex
	tools map[string]bool // paths that tools have made
}

// absence is what was not there before a process: the paths at which nothing stood, of
// them those whose directory was missing as well, and the files that stood where the way to
// some of them leads, as the file .git of a linked worktree does.
type absence struct{ names, alone, inTheWay []string }

// missing looks at what is not there.
func (w *absentPaths) missing() (were absence) {
	for _, name := range w.names {
		_, err := os.Lstat(name)
		if err == nil {
			continue
		}
		were.names = append(were.names, name)
		if _, err := os.Lstat(filepath.Dir(name)); err != nil {
			were.alone = append(were.alone, name)
		}
		if errors.Is(err, syscall.ENOTDIR) {
			were.inTheWay = append(were.inTheWay, inTheWayOf(name))
		}
	}
	return were
}

// inTheWayOf is the file where the way to a path leads, empty for none.
func inTheWayOf(name string) string {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		switch st, err := os.Lstat(dir); {
		case err == nil && !st.IsDir():
			return dir
		case err == nil || dir == filepath.Dir(dir):
			return ""
		}
	}
}

// note marks the paths that a tool's change of name makes.
func (w *absentPaths) note(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.names {
		if within(name, n) || within(n, name) {
			w.tools[n] = true
		}
	}
}

// sweep moves aside what stands at paths where nothing stood, and tells of it. What does
// nothing stays, made again: with what still runs and has it open, works in it or knows
// it by another name, it has nothing to do then. It is looked at once it is protected.
func (w *absentPaths) sweep(were absence) []Refusal {
	var out []Refusal
	var stay []string
	alone := were.alone
	for _, name := range were.names {
		w.mu.Lock()
		made := w.tools[name]
		w.mu.Unlock()
		_, err := os.Lstat(name)
		switch {
		case made:
		case errors.Is(err, syscall.ENOTDIR): // a file stands where the way to it leads
			if file := inTheWayOf(name); file != "" && !slices.Contains(were.inTheWay, file) {
				out = append(out, w.take(file))
			}
		case err != nil:
		case w.harmless != nil && w.harmless(name):
			stay = append(stay, name)
		default:
			out = append(out, w.take(name))
		}
	}
	if len(stay) == 0 {
		return out
	}
	for _, name := range stay {
		if dir := filepath.Dir(name); slices.Contains(alone, name) {
			_ = w.renew(dir) // what is not made again is judged as it is
			alone = slices.DeleteFunc(alone, func(n string) bool { return filepath.Dir(n) == dir })
		}
		_ = w.renew(name)
	}
	err := w.protect()
	for _, name := range stay {
		if err != nil || !w.harmless(name) {
			out = append(out, w.take(name))
		}
	}
	return out
}

// take moves aside what stands at a path, and tells of it.
func (w *absentPaths) take(name string) Refusal {
	if err := w.move(linkOn(name)); err != nil {
		return Refusal{Kind: RefusedOther, What: fmt.Sprintf("make %s, which could not be taken away: %v", name, err)}
	}
	return Refusal{Kind: RefusedWrite, What: name}
}

// renew puts a new file, or a new directory with what the old one holds, in the place
// of what stands at a path. It goes by handles, since what stands there can be exchanged at
// any moment: no link is followed, and only what was in the directory is moved.
func (w *absentPaths) renew(name string) error {
	parent, base, err := enterParent(name, "renew")
	if err != nil {
		return err
	}
	defer parent.Close()
	st, err := parent.Lstat(base)
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return w.renewFile(name, st.Mode().Perm())
	}
	old, err := step(parent, base, name)
	if err != nil {
		return err
	}
	defer old.Close()
	random, err := randomName(w.fs.rand)
	if err != nil {
		return err
	}
	temp := ".new-" + random
	if err := parent.Mkdir(temp, 0o700); err != nil {
		return err
	}
	made, err := step(parent, temp, temp)
	if err != nil {
		return err
	}
	defer made.Close()
	err = errors.Join(made.Chmod(".", st.Mode().Perm()), moveAll(old, made))
	if err == nil && parent.Remove(base) != nil { // something has come into it
		err = w.move(name)
	}
	return errors.Join(err, renameFree(dirName{parent, temp, temp}, dirName{parent, base, name}))
}

// maxRenewed bounds a file that is made again, in bytes.
const maxRenewed = 64 << 20

// renewFile is renew of a file.
func (w *absentPaths) renewFile(name string, mode fs.FileMode) error {
	f, err := w.fs.OpenReal(name)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRenewed+1))
	if err == nil && len(data) > maxRenewed {
		err = pathError("renew", name, errors.New("it is too large"))
	}
	if err != nil {
		return err
	}
	return w.fs.WriteAtomic(name, data, mode)
}

// moveAll moves what a directory holds into another one.
func moveAll(from, to *os.Root) error {
	dir, err := from.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	for _, name := range names {
		if err != nil {
			break
		}
		err = renameFree(dirName{from, name, name}, dirName{to, name, name})
	}
	return err
}

// linkOn is the first link on the way to a path, or the path.
func linkOn(name string) string {
	if dir := filepath.Dir(name); dir != name {
		if at := linkOn(dir); at != dir {
			return at
		}
		if st, err := os.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return dir
		}
	}
	return name
}

// move takes what stands at name into the folder, under a name that is free there.
func (w *absentPaths) move(name string) error {
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return err
	}
	for i := 1; ; i++ {
		err := w.fs.Rename(name, filepath.Join(w.folder, filepath.Base(name)+"."+strconv.Itoa(i)))
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) { // it is on another file system
			if no := w.fs.Rename(name, name+".refused-"+strconv.Itoa(i)); no == nil || errors.Is(no, fs.ErrExist) {
				err = no
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// guardedFS is this machine's, and notes what is changed through it.
type guardedFS struct {
	innerFS
	w *absentPaths
}

func (f guardedFS) WriteAtomic(name string, data []byte, mode fs.FileMode) error {
	f.w.note(name)
	return f.innerFS.WriteAtomic(name, data, mode)
}

func (f guardedFS) MkdirAll(name string, mode fs.FileMode) ([]string, error) {
	f.w.note(name)
	return f.innerFS.MkdirAll(name, mode)
}

func (f guardedFS) Rename(from, to string) error {
	f.w.note(to)
	return f.innerFS.Rename(from, to)
}

func (f guardedFS) Symlink(target, name string) error {
	f.w.note(name)
	return f.innerFS.Symlink(target, name)
}
