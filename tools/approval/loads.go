package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// languages are the ends of names of scripts, a language a row, and behind the bar those of
// what else they load from their folder; before the colon stand its interpreters.
const languages = `
python pypy: .py .pyw | .pyc .so .pyd
node nodejs deno bun tsx ts-node: .js .mjs .cjs .ts .mts .cts .jsx .tsx | .json .node .wasm
sh bash zsh dash ksh: .sh .bash .zsh .ksh |
ruby: .rb | .so
perl: .pl .pm | .so
php: .php | .inc
lua luajit: .lua | .so
Rscript: .r .R |
julia: .jl |
tclsh expect: .tcl .exp |
`

// language returns the ends of names of what a script can load from its folder, empty where it
// is none of a known language.
func language(fsys place.FS, file string) string {
	end, program := path.Ext(file), ""
	for line := range strings.Lines(languages) {
		names, ends, _ := strings.Cut(strings.TrimSpace(line), ":")
		scripts, more, _ := strings.Cut(ends, "|")
		if slices.Contains(strings.Fields(scripts), end) {
			return strings.Join(strings.Fields(scripts+more), " ")
		}
		if program == "" {
			program = interpreter(fsys, file)
		}
		if slices.Contains(strings.Fields(names), program) {
			return strings.Join(strings.Fields(scripts+more), " ")
		}
	}
	return ""
}

// interpreter is the name of the program that the first line of a script names, without a
// version, and "none" where it names none.
func interpreter(fsys place.FS, file string) string {
	f, err := fsys.Open(file)
	if err != nil {
		return "none"
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 200))
	line, _, _ := strings.Cut(string(head), "\n")
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "none"
	}
	for _, word := range strings.Fields(line) {
		if name := path.Base(word); name != "env" && !strings.HasPrefix(name, "-") && !strings.Contains(name, "=") {
			return strings.TrimRight(name, "0123456789.")
		}
	}
	return "none"
}

// The bounds of what is looked at in the folder of a script. Of more it is not known what
// would be loaded.
const (
	maxLoaded  = 1000
	maxFolders = 1000
)

// tooMany is the content of a folder with more files than are looked at.
const tooMany = "too many files"

// listed begins the content of a folder that is known by the names in it.
const listed = "names:"

// loaded are the pins of what scripts among the files can load from their folders, as far as
// the agent can change it: modules there come before those of the system. A script that is
// not there would be looked for in its folder, and what is below that does not count then.
func (g *Gate) loaded(files []string, set shellrisk.Setting) (pins []Pin) {
	fsys := g.o.Place.FS()
	seen := map[string]bool{}
	for _, file := range files {
		if !g.changeable(file, set) {
			continue
		}
		ends := language(fsys, file)
		if ends == "" {
			continue
		}
		_, err := fsys.Stat(file)
		dirs := []string{path.Dir(file)}
		if real, err := fsys.Resolve(file); err == nil && path.Dir(real) != dirs[0] {
			dirs = append(dirs, path.Dir(real))
		}
		for _, dir := range dirs {
			list := listing{dir, ends, err == nil}
			if content := list.content(); !seen[content+dir] && g.changeable(dir, set) {
				seen[content+dir] = true
				pins = append(pins, list.pins(fsys)...)
			}
		}
	}
	return pins
}

// listing is a folder with the ends of the names that count in it, and whether the folders in
// it count as a whole.
type listing struct {
	dir, ends string
	deep      bool
}

// content begins what identifies the names in it.
func (l listing) content() string { return fmt.Sprintf("%s%t:%s:", listed, l.deep, l.ends) }

// pins are those of the folder and of each file in it.
func (l listing) pins(fsys place.FS) []Pin {
	files, sum := l.look(fsys)
	pins := []Pin{{l.dir, sum}}
	for _, file := range files {
		pins = append(pins, Pin{file, content(fsys, file, maxHashed)})
	}
	return pins
}

// look returns the files, and what identifies their names.
func (l listing) look(fsys place.FS) (files []string, sum string) {
	folders, ends := 0, strings.Fields(l.ends)
	var walk func(dir string, depth int) bool
	walk = func(dir string, depth int) bool {
		if folders++; folders > maxFolders {
			return false
		}
		entries, _ := fsys.ReadDir(dir) // none can be loaded from what cannot be read
		for _, e := range entries {
			name := e.Name()
			file := path.Join(dir, name)
			counts := slices.Contains(ends, path.Ext(name)) && (depth == 0 || l.deep || strings.HasPrefix(name, "__init__."))
			switch {
			case e.Type()&fs.ModeSymlink != 0 && !counts:
				st, err := fsys.Stat(file)
				counts = err == nil && st.IsDir() && l.deep
			case e.IsDir():
				counts = false
				if own(fsys, file, name) && (depth == 0 || l.deep) && !walk(file, depth+1) {
					return false
				}
			}
			if counts {
				files = append(files, file)
			}
			if len(files) > maxLoaded {
				return false
			}
		}
		return true
	}
	if !walk(l.dir, 0) {
		return nil, tooMany
	}
	slices.Sort(files)
	h := sha256.Sum256([]byte(strings.Join(files, "\x00")))
	return files, l.content() + hex.EncodeToString(h[:])
}

// own reports whether a folder holds files of a project itself: it is not hidden, and no
// packages were installed into it.
func own(fsys place.FS, dir, name string) bool {
	if strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__" {
		return false
	}
	_, err := fsys.Stat(path.Join(dir, "pyvenv.cfg"))
	return err != nil
}

// relisted is what the folder of a pin holds now.
func (p Pin) relisted(fsys place.FS) string {
	deep, rest, _ := strings.Cut(strings.TrimPrefix(p.Content, listed), ":")
	ends, _, _ := strings.Cut(rest, ":")
	_, sum := listing{p.File, ends, deep == "true"}.look(fsys)
	return sum
}
