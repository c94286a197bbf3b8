package approval

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/place"
	"hermes-tui/tools/shellrisk"
)

// Bind returns the pins of what a program started without a question runs or loads from where
// the agent can write, sorted: what a permission is bound to, and besides that the other files
// there that its words and its own variables name, the sources that it is compiled from, and
// packages that come before those of the network. What runs writes databases, logs
// and records, which are not among them. env is its environment, in which own stands as well.
func (g *Gate) Bind(command, dir string, env, own []string) []Pin {
	a := tools.Action{Kind: tools.ActExec, Command: command, Dir: dir, Env: env}
	m := &matter{Request: Request{Action: a}, set: g.setting(a)}
	m.verdict, m.seen = shellrisk.Inspect(command, m.set)
	files := append(slices.Clone(m.verdict.Runs), g.programs(m)...)
	files = append(files, m.loose...)
	words := m.seen.Words()
	for _, kv := range own {
		words = append(words, strings.Fields(kv)...)
	}
	files = append(files, g.named(words, dir, m.set)...)
	files = append(files, g.packages(words, dir, m.set)...)
	files = append(files, g.mentioned(files, dir, m.set)...)
	var pins []Pin
	add := func(list ...Pin) {
		for _, p := range list {
			if !slices.Contains(pins, p) {
				pins = append(pins, p)
			}
		}
	}
	for _, file := range files {
		if g.changeable(file, m.set) {
			add(Pin{file, content(g.o.Place.FS(), file, maxHashed)})
		}
		for root, ends := range map[string]string{"go.mod": ".go .mod .sum .s .c .h", "Cargo.toml": ".rs .toml .lock"} {
			if _, err := g.o.Place.FS().Stat(file); err == nil && path.Base(file) == root && g.changeable(file, m.set) {
				add(listing{path.Dir(file), ends, true}.pins(g.o.Place.FS())...)
			}
		}
	}
	add(g.loaded(files, m.set)...)
	for _, kv := range own {
		name, value, _ := strings.Cut(kv, "=")
		for _, dir := range filepath.SplitList(value) {
			if script := libraries[name]; script != "" && path.IsAbs(dir) {
				add(g.loaded([]string{path.Join(dir, script)}, m.set)...)
			}
		}
	}
	slices.SortFunc(pins, func(a, b Pin) int { return strings.Compare(a.File+a.Content, b.File+b.Content) })
	return pins
}

// libraries are variables that name folders of modules, each with a name that a script there
// could have.
var libraries = map[string]string{"PYTHONPATH": "_.py", "NODE_PATH": "_.js", "RUBYLIB": "_.rb", "PERL5LIB": "_.pl"}

// Absent reports whether there is nothing to show of a pin: it is for a file that is not there,
// or for the names in a folder.
func (p Pin) Absent() bool { return p.Content == missing || strings.HasPrefix(p.Content, listed) }

// named are the files that words name and the agent can change.
func (g *Gate) named(words []string, dir string, set shellrisk.Setting) (files []string) {
	for _, word := range words {
		for part := range strings.FieldsFuncSeq(word, func(r rune) bool { return r == '=' || r == ':' || r == ',' }) {
			file := part
			if !path.IsAbs(file) {
				file = path.Join(dir, file)
			}
			st, err := g.o.Place.FS().Stat(file)
			if err != nil || slices.Contains(files, file) || !g.changeable(file, set) {
				continue
			}
			if st.Mode().IsRegular() && !written(g.o.Place.FS(), file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// data are the ends of names of files that programs write in the course of their work.
var data = strings.Fields(".log .jsonl .ndjson .csv .tsv .pid")

// written reports whether a file is one that programs write in the course of their work, by
// its name, or as a database or lines of JSON. One that becomes such a file is a change.
func written(fsys place.FS, file string) bool {
	if slices.Contains(data, path.Ext(file)) {
		return true
	}
	f, err := fsys.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 64<<10))
	return bytes.HasPrefix(head, []byte("SQLite format 3")) || linesOfJSON(head)
}

// linesOfJSON reports whether a text begins with two lines that are an object each.
func linesOfJSON(head []byte) bool {
	lines := bytes.SplitN(head, []byte("\n"), 3)
	object := func(line []byte) bool { return bytes.HasPrefix(line, []byte("{")) && json.Valid(line) }
	return len(lines) > 1 && object(lines[0]) && object(bytes.TrimSpace(lines[1]))
}

// runsPackages are programs that run a package of the project rather than one of the network.
var runsPackages = strings.Fields("npx npm pnpm pnpx yarn bun bunx")

// packages are the files by which such a program finds a package that its words name, in the
// folder where it starts and in those above it, there or not.
func (g *Gate) packages(words []string, dir string, set shellrisk.Setting) (files []string) {
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(runsPackages, path.Base(w)) }) {
		return nil
	}
	for _, word := range words {
		name := word
		if at := strings.LastIndex(word, "@"); at > 0 {
			name = word[:at]
		}
		if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\\ =") || name == "" {
			continue
		}
		for at := dir; set.Inside(at); at = path.Dir(at) {
			files = append(files, path.Join(at, "node_modules", name, "package.json"), path.Join(at, "node_modules/.bin", path.Base(name)))
		}
	}
	return files
}

// path-like pieces of a text.
var pieces = regexp.MustCompile(`[\w@%+./-]*[\w]`)

// The bounds of files that are named in others.
const (
	maxMentions = 200
	maxRounds   = 4
)

// mentioned are the scripts and programs that files of build tools and scripts of the shell
// name and the agent can change, and those that these name.
func (g *Gate) mentioned(files []string, dir string, set shellrisk.Setting) (more []string) {
	fsys := g.o.Place.FS()
	look := newSurroundings(g.o.Place)
	for round, next := 0, files; len(next) > 0 && round < maxRounds; round++ {
		var found []string
		for _, file := range next {
			if ends := language(fsys, file); ends != "" && !strings.HasPrefix(ends, ".sh ") || !g.changeable(file, set) {
				continue // what it loads is known by its folder
			}
			text, ok := look.text(file)
			if !ok || strings.ContainsRune(text, 0) {
				continue
			}
			for _, piece := range pieces.FindAllString(text, -1) {
				for _, from := range []string{path.Dir(file), dir} {
					name := path.Join(from, piece)
					if path.IsAbs(piece) {
						name = path.Clean(piece)
					}
					switch {
					case len(more)+len(found) >= maxMentions:
						return append(more, found...)
					case slices.Contains(files, name), slices.Contains(more, name), slices.Contains(found, name), !set.Inside(name):
					case runnable(fsys, name):
						found = append(found, name)
					}
				}
			}
		}
		more, next = append(more, found...), found
	}
	return more
}

// runnable reports whether a file is a script or a program.
func runnable(fsys place.FS, file string) bool {
	st, err := fsys.Stat(file)
	return err == nil && st.Mode().IsRegular() && (st.Mode()&0o111 != 0 || language(fsys, file) != "")
}
