package skills

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Root is a folder in which skills are looked for.
type Root struct {
	Origin Origin
	// Dir is its absolute path, empty for one of the program.
	Dir string
	// FS is the root of bundled skills; Dir is not used then.
	FS fs.FS
	// Within is the folder of the project out of which no link may lead. Without one,
	// links directly below Dir may lead to the folder of a skill anywhere.
	Within string
	// Trusted says that the user trusts the project.
	Trusted bool
	// Taken says that the skills of a trusted project count as they are.
	Taken bool
	// Files has the named files of Dir be a skill each, in place of folders.
	Files []string
	// Plugin is the folder of the plugin that it belongs to, empty for none.
	Plugin string
}

// Where says where skills may be.
type Where struct {
	Home     string   // HERMES_HOME/skills
	User     string   // the user's home directory, empty when it is not known
	External []string // absolute folders
	Bundled  fs.FS    // nil for none
}

// Roots are the folders besides those of projects, the one that counts most first.
func Roots(w Where) []Root {
	roots := []Root{{Origin: Home, Dir: w.Home}}
	if w.User != "" {
		for _, name := range []string{".agents", ".claude"} {
			roots = append(roots, Root{Origin: Personal, Dir: filepath.Join(w.User, name, "skills")})
		}
	}
	for _, dir := range w.External {
		roots = append(roots, Root{Origin: External, Dir: dir})
	}
	if w.Bundled != nil {
		roots = append(roots, Root{Origin: Bundled, FS: w.Bundled})
	}
	return roots
}

// maxUp is how many folders above the working directory are looked at.
const maxUp = 32

// ProjectRoots are the folders of a project, the nearest to dir first. root is the top
// of the project, dir or a folder above it.
func ProjectRoots(dir, root string, trusted bool) []Root {
	var roots []Root
	for range maxUp {
		for _, name := range []string{".hermes", ".agents", ".claude"} {
			roots = append(roots, Root{Origin: Project, Dir: filepath.Join(dir, name, "skills"), Within: root, Trusted: trusted})
		}
		if dir == root || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return roots
}

// listing is what was seen in a folder.
type listing struct {
	Time     int64     `json:"t"` // of the folder, in nanoseconds
	Dirs     []string  `json:"d,omitempty"`
	Links    []string  `json:"l,omitempty"` // those of Dirs that are links
	File     string    `json:"f,omitempty"`
	Problems []Problem `json:"p,omitempty"`
}

// stored is what was read of a skill.
type stored struct {
	Time  int64  `json:"t"`
	Size  int64  `json:"s"`
	Skill Skill  `json:"k"`
	Bad   string `json:"b,omitempty"` // why it is no skill
}

// scan is what was seen in a root.
type scan struct {
	At      int64              `json:"at"` // when, in nanoseconds
	Folders map[string]listing `json:"folders"`
	Skills  map[string]stored  `json:"skills"` // by folder
}

// settled is how long something has to be unchanged before its time is taken for proof
// that it still is: clocks of file systems are coarse.
const settled = 2 * time.Second

// fresh reports whether what has this time was the same when it was looked at.
func (s *scan) fresh(modified int64) bool { return modified < s.At-int64(settled) }

// walk looks at a root anew, with what was seen before.
type walk struct {
	root     Root
	fs       fs.FS
	top      string // real path of the root, empty for one of the program
	old, new scan
	changed  bool
	problems []Problem
	skills   []Skill
	deep     bool            // said that folders are too deep
	seen     map[string]bool // real paths of links that were followed
}

// walkRoot looks for the skills of a root.
func walkRoot(root Root, old scan, now time.Time) *walk {
	w := &walk{root: root, fs: root.FS, old: old, seen: map[string]bool{}}
	w.new = scan{At: now.UnixNano(), Folders: map[string]listing{}, Skills: map[string]stored{}}
	if root.Dir != "" && root.FS == nil {
		real, err := filepath.EvalSymlinks(root.Dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			w.changed = len(old.Folders) > 0
			return w
		case err != nil:
			w.complain(".", "It cannot be read: "+cause(err)+".")
			return w
		case root.Within != "" && !within(real, realOf(root.Within)):
			w.complain(".", "It is a link that leads out of the project, and was not followed.")
			return w
		}
		w.fs, w.top = os.DirFS(real), real
	}
	if len(root.Files) == 0 {
		w.folder(".", 0)
	}
	for _, name := range root.Files {
		w.single(name)
	}
	w.changed = w.changed || len(w.new.Folders) != len(old.Folders) || len(w.new.Skills) != len(old.Skills)
	return w
}

func (w *walk) complain(name, text string) {
	w.problems = append(w.problems, Problem{w.where(name), text})
}

// where names something below the root.
func (w *walk) where(name string) string {
	if w.root.Dir == "" {
		return path.Join("bundled", name)
	}
	return filepath.Join(w.root.Dir, filepath.FromSlash(name))
}

func (w *walk) folder(name string, depth int) {
	if len(w.new.Folders) == MaxFolders {
		w.complain(".", fmt.Sprintf("It has more than %d folders; those behind %s were not looked at.", MaxFolders, name))
	}
	if len(w.new.Folders) >= MaxFolders {
		w.new.Folders[name] = listing{} // counted, so that it is said once
		return
	}
	info, err := fs.Stat(w.fs, name)
	if err != nil || !info.IsDir() {
		if err != nil && name != "." {
			w.complain(name, "It cannot be read: "+cause(err)+".")
		}
		return
	}
	l, known := w.old.Folders[name]
	if at := info.ModTime().UnixNano(); !known || l.Time != at || !w.old.fresh(at) {
		w.changed = true
		l = w.list(name)
		l.Time = at
	}
	w.new.Folders[name] = l
	w.problems = append(w.problems, l.Problems...)
	if l.File != "" {
		w.skill(name, l.File)
		return
	}
	if depth == MaxDepth && len(l.Dirs) > 0 {
		if !w.deep {
			w.complain(name, fmt.Sprintf("Folders more than %d below %s were not looked at.", MaxDepth, w.where(".")))
		}
		w.deep = true
		return
	}
	for _, d := range l.Dirs {
		sub := path.Join(name, d)
		if slices.Contains(l.Links, d) && !w.follow(sub, depth) {
			continue
		}
		w.folder(sub, depth+1)
	}
}

// list reads a folder.
func (w *walk) list(name string) listing {
	entries, err := fs.ReadDir(w.fs, name)
	l := listing{}
	if err != nil {
		l.Problems = append(l.Problems, Problem{w.where(name), "It cannot be read: " + cause(err) + "."})
	}
	for _, e := range entries {
		n := e.Name()
		switch {
		case strings.HasPrefix(n, "."), n == "node_modules", n == "__pycache__":
		case strings.EqualFold(n, File):
			if l.File == "" || n == File {
				l.File = n
			}
		case e.IsDir():
			l.Dirs = append(l.Dirs, n)
		case e.Type()&fs.ModeSymlink != 0:
			if info, err := fs.Stat(w.fs, path.Join(name, n)); err == nil && info.IsDir() {
				l.Dirs, l.Links = append(l.Dirs, n), append(l.Links, n)
			} else if err != nil {
				l.Problems = append(l.Problems, Problem{w.where(path.Join(name, n)), "It is a link that leads nowhere."})
			}
		case name == "." && strings.EqualFold(path.Ext(n), ".md") && headed(w.fs, n):
			l.Problems = append(l.Problems, Problem{w.where(n), "It is not read: a skill is a folder with a " + File + " in it."})
		}
	}
	return l
}

// headed reports whether a file begins with front matter, as skills do.
func headed(fsys fs.FS, name string) bool {
	f, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 8)
	n, _ := io.ReadFull(f, begin)
	return strings.HasPrefix(strings.TrimPrefix(string(begin[:n]), "\ufeff"), "---")
}

// follow reports whether a link to a folder is followed, each place once.
func (w *walk) follow(name string, depth int) bool {
	real, err := filepath.EvalSymlinks(filepath.Join(w.top, filepath.FromSlash(name)))
	bound := w.top
	if w.root.Within != "" {
		bound = realOf(w.root.Within)
	}
	switch {
	case w.top == "" || err != nil:
		return false
	case !within(real, bound) && (w.root.Within != "" || depth > 0):
		w.complain(name, "It is a link that leads out of "+bound+", and was not followed.")
		return false
	case !within(real, bound) && !holdsSkill(real):
		w.complain(name, "It is a link to a folder without a "+File+", and was not followed: skills.external_dirs takes folders of skills.")
		return false
	case w.seen[real] || within(w.top, real):
		w.complain(name, "It is a link to a folder that is read already, and was not followed.")
		return false
	}
	w.seen[real] = true
	return true
}

// holdsSkill reports whether a folder is that of a skill.
func holdsSkill(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, File))
	return err == nil && info.Mode().IsRegular()
}

// skill reads the skill of a folder.
func (w *walk) skill(name, file string) {
	at := path.Join(name, file)
	info, err := fs.Stat(w.fs, at)
	if err == nil && w.top != "" {
		err = w.ownFile(name, file)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no ordinary file")
	}
	if err == nil && info.Size() > MaxFile {
		err = fmt.Errorf("it has %.1f MB, and a skill may have %d", float64(info.Size())/(1<<20), MaxFile>>20)
	}
	if err != nil {
		w.complain(at, "The skill was left out: "+cause(err)+".")
		return
	}
	s, known := w.old.Skills[name]
	if t := info.ModTime().UnixNano(); !known || s.Time != t || s.Size != info.Size() || !w.old.fresh(t) {
		w.changed = true
		s = w.read(name, file)
		s.Time, s.Size = t, info.Size()
	}
	w.new.Skills[name] = s
	if s.Bad != "" {
		w.complain(at, "The skill was left out: "+s.Bad+".")
		return
	}
	k := s.Skill
	k.Origin, k.file, k.Plugin = w.root.Origin, file, w.root.Plugin
	if k.Plugin != "" {
		k.Notes = slices.DeleteFunc(slices.Clone(k.Notes), func(n string) bool { return n == outsidePlugin })
	}
	if w.root.FS != nil {
		k.bundle, _ = fs.Sub(w.fs, name)
	}
	w.skills = append(w.skills, k)
}

// single reads a file that is a skill by itself, called by the name of the file.
func (w *walk) single(file string) {
	data, err := fs.ReadFile(w.fs, file)
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("it has more than %d MB", MaxFile>>20)
	}
	if err != nil {
		w.complain(file, "The skill was left out: "+cause(err)+".")
		return
	}
	t := Parse(data)
	if t.Description == "" {
		return
	}
	name, _ := nameFor("", strings.TrimSuffix(file, path.Ext(file)))
	w.skills = append(w.skills, Skill{
		Name: name, Description: t.Description, Size: int64(len(data)), Head: t.Head, Notes: t.Notes, Origin: w.root.Origin, Dir: w.top, Plugin: w.root.Plugin, file: file, single: true,
	})
}

// ownFile says what is wrong with a SKILL.md that is a link.
func (w *walk) ownFile(name, file string) error {
	full := filepath.Join(w.top, filepath.FromSlash(name), file)
	info, err := os.Lstat(full)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	real, err := filepath.EvalSymlinks(full)
	if err == nil && !within(real, realOf(filepath.Dir(full))) {
		err = errors.New("its " + File + " is a link that leads out of its folder")
	}
	return err
}

// read parses a SKILL.md.
func (w *walk) read(name, file string) stored {
	data, err := fs.ReadFile(w.fs, path.Join(name, file))
	if err != nil {
		return stored{Bad: cause(err)}
	}
	t := Parse(data)
	if t.Description == "" {
		return stored{Bad: "it has no description and says nothing that could stand for one"}
	}
	folder, category := path.Base(name), path.Dir(name)
	if name == "." {
		folder, category = filepath.Base(w.root.Dir), "."
	}
	called, wrong := nameFor(t.Name, folder)
	s := Skill{Name: called, Description: t.Description, Size: int64(len(data)), Head: t.Head, Problems: append(wrong, t.Problems...), Notes: t.Notes, Dir: name}
	if t.Name != called {
		s.Given = t.Name
	}
	if file != File {
		s.Problems = append(s.Problems, fmt.Sprintf("Its file is called %s; other programs look for %s.", file, File))
	}
	if category != "." {
		s.Category = oneLine(category)
	}
	if w.top != "" {
		s.Dir = realOf(filepath.Join(w.top, filepath.FromSlash(name)))
	}
	return stored{Skill: s}
}

// realOf is a path without links, as far as that can be found out.
func realOf(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return filepath.Clean(name)
}

// within reports whether a path is a folder or in it.
func within(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// cause is an error without the path, which is named beside it.
func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
