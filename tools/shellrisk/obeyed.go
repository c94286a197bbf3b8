package shellrisk

import (
	"path"
	"slices"
	"strings"
)

// obeyed says which file of the project tells a program what to run.
type obeyed struct {
	folder string   // options that name the folder to start from
	named  string   // options that name the file itself
	up     bool     // it is looked for in the folders above as well
	files  []string // the first that is there
}

// obeys are the files of the project that programs obey, a program a row: its names,
// the options that name the folder, those that name the file, where it is looked for
// (here, or up), and the names of the file, the one that comes first being first. A
// program may have more rows.
var obeys = func() map[string][]obeyed {
	list := map[string][]obeyed{}
	for line := range strings.Lines(`
make gmake remake | -C --directory | -f --file --makefile | here | GNUmakefile makefile Makefile
just | -d --working-directory | -f --justfile | up | justfile .justfile Justfile
task go-task | -d --dir | -t --taskfile | up | Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml
npm npx pnpm pnpx yarn bun bunx | -C --prefix --dir --cwd | | up | package.json
npm npx pnpm pnpx yarn bun bunx | -C --prefix --dir --cwd | | up | .npmrc
yarn | --cwd | | up | .yarnrc.yml .yarnrc
deno | | -c --config | up | deno.json deno.jsonc
composer | -d --working-dir | | here | composer.json
cargo | | --manifest-path | up | Cargo.toml
cargo | | | up | build.rs
cargo | | | up | .cargo/config.toml .cargo/config
go | -C | | up | go.mod
mage | -d -w | | here | magefile.go
rake | -C --directory | -f --rakefile | up | rakefile Rakefile rakefile.rb Rakefile.rb
bundle | | --gemfile | up | Gemfile
ninja | -C | -f | here | build.ninja
scons | -C --directory | -f --file --makefile --sconstruct | here | SConstruct Sconstruct sconstruct
gradle gradlew | -p --project-dir | -b --build-file | here | build.gradle build.gradle.kts
gradle gradlew | -p --project-dir | -c --settings-file | up | settings.gradle settings.gradle.kts
mvn mvnw | | -f --file | here | pom.xml
ant | | -f --file --buildfile | here | build.xml
invoke inv | -r --search-root | | up | tasks.py
fab | | -f --fabfile | up | fabfile.py
nox | | -f --noxfile | here | noxfile.py
tox | | -c --conf | here | tox.ini pyproject.toml setup.cfg
pytest py.test | --rootdir | | up | conftest.py
poetry uv hatch | -C --directory --project | | up | pyproject.toml
grunt | | --gruntfile | up | Gruntfile.js gruntfile.js
gulp | --cwd | -f --gulpfile | up | gulpfile.js
vagrant | | | up | Vagrantfile
docker-compose podman-compose | --project-directory | -f --file | up | compose.yaml compose.yml docker-compose.yaml docker-compose.yml
`) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		f := strings.Split(line, "|")
		row := obeyed{folder: f[1], named: f[2], up: strings.TrimSpace(f[3]) == "up", files: strings.Fields(f[4])}
		for name := range strings.FieldsSeq(f[0]) {
			list[name] = append(list[name], row)
		}
	}
	return list
}()

// obeys notes the files of the project that the program obeys. Those that are not
// there are noted as well, where they would be obeyed before the one that is.
func (c call) obeys() {
	name := c.name
	if (name == "docker" || name == "podman" || name == "nerdctl") && len(c.args) > 0 && c.args[0].text == "compose" {
		name = "docker-compose"
	}
	for _, row := range obeys[name] {
		g := grammar{}
		for o := range strings.FieldsSeq(row.folder + " " + row.named) {
			if long, ok := strings.CutPrefix(o, "--"); ok {
				g.long += " " + long
			} else {
				g.short += o[1:]
			}
		}
		opts, _ := g.parse(c.args)
		dir, named, before := c.st.cwd, false, len(c.j.found.runs)
		for _, o := range opts {
			switch {
			case !o.given:
			case slices.ContainsFunc(strings.Fields(row.folder), func(n string) bool { return o.is(n) }):
				if dir != "" {
					dir = c.within(dir, o.value)
				}
			case slices.ContainsFunc(strings.Fields(row.named), func(n string) bool { return o.is(n) }):
				named = true
				c.runsFile(o.value)
			}
		}
		switch {
		case named:
		case dir == "":
			c.j.unbind()
		default:
			c.j.runsFirst(dir, row.files, row.up)
		}
		if slices.Contains(row.files, "GNUmakefile") && dir != "" {
			for _, file := range slices.Clone(c.j.found.runs[before:]) {
				c.j.includes(dir, file, 0)
			}
		}
	}
}

// Within is a folder that is named from another one, empty when it is not known.
func (c call) within(dir string, a arg) string {
	switch {
	case !a.known() || a.opens() || a.text == "":
		return ""
	case path.IsAbs(a.text):
		return path.Clean(a.text)
	}
	return path.Join(dir, a.text)
}

// runsFile notes a file that a word names.
func (c call) runsFile(a arg) {
	file, ok := c.st.abs(a.text)
	if !ok || a.opens() || hasHole(file) {
		c.j.unbind()
		return
	}
	c.j.runs(file)
}

// runsFirst notes the first of the files that is in a folder, or in one above it, and
// those that would come before it.
func (j *judge) runsFirst(dir string, files []string, up bool) {
	if j.set.List == nil {
		return
	}
	for {
		for _, name := range files {
			file := joinPath(dir, name)
			there := slices.Contains(j.set.List(path.Dir(file)), path.Base(file))
			if there || j.set.Inside(file) {
				j.runs(file)
			}
			if there {
				return
			}
		}
		if !up || dir == "/" {
			return
		}
		dir = path.Dir(dir)
	}
}

// runsPackage notes what go compiles of a package in the workspace.
func (c call) runsPackage() {
	if len(c.args) == 0 || !words("run generate test tool")[c.args[0].text] || c.j.set.List == nil {
		return
	}
	named := false
	for _, a := range c.args[1:] {
		switch {
		case strings.HasSuffix(a.text, ".go"):
			c.runsFile(a)
		case a.text == "." || strings.HasPrefix(a.text, "./") || strings.HasPrefix(a.text, "../"):
			c.runsSources(a)
		default:
			if named && c.args[0].text == "run" {
				return // for the program
			}
			continue
		}
		named = true
	}
	if !named {
		c.runsSources(literalArg("."))
	}
}

// runsSources notes the Go files in a folder.
func (c call) runsSources(a arg) {
	dir, ok := c.st.abs(strings.TrimSuffix(a.text, "/..."))
	if !ok || a.opens() || hasHole(dir) {
		c.j.unbind()
		return
	}
	for _, name := range c.j.set.List(dir) {
		if path.Ext(name) == ".go" {
			c.j.runs(path.Join(dir, name))
		}
	}
}

// runsModule notes the files that python runs for a module, as far as they are, or
// would be, in the folder where it starts or in PYTHONPATH.
func (c call) runsModule(name string) {
	if c.j.set.List == nil || name == "" || hasHole(name) {
		return
	}
	if c.st.cwd == "" {
		c.j.unbind()
		return
	}
	dirs := []string{c.st.cwd}
	if v, ok := c.st.lookup("PYTHONPATH"); ok && len(v.list) == 1 {
		for dir := range strings.SplitSeq(v.list[0], ":") {
			if at := c.within(c.st.cwd, arg{text: dir}); at != "" {
				dirs = append(dirs, at)
			}
		}
	}
	parts := strings.Split(name, ".")
	for _, dir := range dirs {
		for i, part := range parts {
			at := path.Join(dir, part)
			for _, file := range []string{part + "/__init__.py", part + ".py"} {
				c.j.runsFirst(dir, []string{file}, false)
			}
			if i == len(parts)-1 {
				c.j.runsFirst(at, []string{"__main__.py"}, false)
			}
			dir = at
		}
	}
}

// includes notes the files that a Makefile includes, which are named from dir.
func (j *judge) includes(dir, file string, depth int) {
	if j.set.Read == nil || depth > maxIncluded {
		return
	}
	text, _ := j.set.Read(file)
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !words("include -include sinclude")[fields[0]] {
			continue
		}
		for _, name := range fields[1:] {
			if strings.HasPrefix(name, "#") {
				break
			}
			for _, name := range j.included(dir, name) {
				if !slices.Contains(j.found.runs, name) {
					j.runs(name)
					j.includes(dir, name, depth+1)
				}
			}
		}
	}
}

// maxIncluded is how deep files are followed that include others.
const maxIncluded = 4

// included are the files that a word of an include means; none when it has variables.
func (j *judge) included(dir, name string) []string {
	if strings.Contains(name, "$") {
		return nil
	}
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	if !strings.ContainsAny(name, "*?[") {
		return []string{name}
	}
	var files []string
	for _, entry := range j.set.List(path.Dir(name)) {
		if ok, err := path.Match(path.Base(name), entry); ok && err == nil {
			files = append(files, path.Join(path.Dir(name), entry))
		}
	}
	return files
}
