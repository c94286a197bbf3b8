package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// Pin binds what is permitted to what a file held at that moment.
type Pin struct {
	File    string `json:"file"`    // absolute
	Content string `json:"content"` // identifies what it held
}

// hashed begins the content of a file that is known by what it holds.
const hashed = "sha256:"

// missing is the content of a file that is not there.
const missing = "missing"

// maxHashed is the size up to which a file is bound by its content; a larger
// one is bound by size and time of change, which a permission is not given for.
const maxHashed = 64 << 20

// notHashed is for a file that no one changes without having all rights: a shell of
// the system would be read twice for each command.
const notHashed = -1

// stamped begins the content of a file that is known by its size and time of change.
const stamped = "stamp:"

// now is what the file holds now, as it was looked at for the pin.
func (p Pin) now(fsys place.FS) string {
	switch {
	case strings.HasPrefix(p.Content, stamped):
		return content(fsys, p.File, notHashed)
	case strings.HasPrefix(p.Content, listed):
		return p.relisted(fsys)
	case p.Content == tooMany:
		return tooMany // a permission is not given for it
	}
	return content(fsys, p.File, maxHashed)
}

// content identifies what a file holds, and which file it is that a link leads to; one
// that is larger than most by size and time of change. What cannot be read is identified
// by why: it may still be run, and must not have become readable then.
func content(fsys place.FS, file string, most int64) string {
	st, err := fsys.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing
	case err != nil:
		return "unreadable: " + err.Error()
	case !st.Mode().IsRegular():
		return st.Mode().Type().String()
	case st.Size() > most:
		return stamp(st)
	}
	f, err := fsys.Open(file)
	if err != nil {
		return stamp(st)
	}
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, most+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "unreadable: " + err.Error()
	}
	text := hashed + hex.EncodeToString(h.Sum(nil))
	if real, err := fsys.Resolve(file); err != nil || real != path.Clean(file) {
		text += " at " + real
	}
	return text
}

func stamp(st fs.FileInfo) string {
	return fmt.Sprintf("%s %d bytes of %d", stamped, st.Size(), st.ModTime().UnixNano())
}

// changeable reports whether the agent can change a file without a question.
func (g *Gate) changeable(file string, set shellrisk.Setting) bool {
	real, err := place.Outer(g.o.Place).Resolve(file)
	return err != nil || set.Inside(real) || set.Inside(file) || shellrisk.Within(real, g.o.Place.Info().Temp, false)
}

// program finds the program of a plain name in PATH, empty for none. before are the
// names in the workspace, scratch space or home that are looked at until then: what
// appears there would run instead.
func (g *Gate) program(name string, env []string, set shellrisk.Setting) (file string, before []string) {
	search, _ := tools.Variable(env, "PATH")
	for _, dir := range filepath.SplitList(search) {
		file := path.Join(dir, name)
		if !path.IsAbs(file) {
			continue
		}
		if shellrisk.Within(file, g.o.Home, set.FoldsCase) || g.changeable(dir, set) {
			before = append(before, file)
		}
		if st, err := place.Outer(g.o.Place).Stat(file); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return file, before
		}
	}
	return "", before
}

// shadowed reports whether the program of a plain name would come from a folder
// that the agent can write to, or from none.
func (g *Gate) shadowed(name string, a tools.Action, set shellrisk.Setting) bool {
	if shellrisk.Builtin(name) {
		return false
	}
	file, _ := g.program(name, a.Env, set)
	return file == "" || g.changeable(file, set) // found nowhere: a function or alias
}

// programs are the files that plain names of a command mean, as far as they, or
// others that would be found before them, are in the reach of the agent or the user.
// It notes those that the agent can change.
func (g *Gate) programs(m *matter) []string {
	var files []string
	for _, name := range m.seen.Names() {
		file, before := g.program(name, m.Action.Env, m.set)
		files = append(files, before...)
		if file != "" && g.changeable(file, m.set) {
			m.loose = append(m.loose, file)
		}
	}
	return files
}

// bound are the pins of a permission for the action: of all that would run, as far as
// it is there and the agent, or a command of its, could change it. Not ok when
// something can't be bound, since it is not known or too large.
func (g *Gate) bound(m *matter) (pins []Pin, ok bool) {
	pins = []Pin{} // not nil: it is known that there are none
	for i, p := range m.permit.p.pins {
		switch {
		case p.Content == missing, i == 0 && !g.changeable(p.File, m.set):
		case strings.HasPrefix(p.Content, listed): // a file more in it is one that is not allowed
		case !strings.HasPrefix(p.Content, hashed):
			return nil, false
		default:
			pins = append(pins, p)
		}
	}
	return pins, !m.seen.Unbound()
}

// pinnedNames names the files of pins in few words, empty for none.
func pinnedNames(pins []Pin) string {
	var names []string
	for _, p := range pins {
		if name := oneLine(path.Base(p.File)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 3 {
		names = append(names[:2], fmt.Sprintf("%d more files", len(names)-2))
	}
	return strings.Join(names, ", ")
}
