package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// module is the import path of the root.
const module = "hermes-tui/"

// arrow says what the packages that match from may import of this module. A
// trailing "/..." means a folder and all below it. The first arrow that fits a
// package counts.
type arrow struct {
	from string
	to   []string
}

// arrows are the directions in which dependencies point. Everything that is not
// listed is forbidden.
var arrows = []arrow{
	{".", []string{"ui/cli"}},
	{"ui/cli", []string{"ui/...", "agent/...", "tools/...", "providers/...", "store/...", "docs", "themes", "skills"}},
	{"internal/...", []string{"internal/...", "providers", "providers/script", "store/sessions", "agent/event", "ui/markdown", "ui/rows", "ui/status/cells", "ui/term"}},
	{"ui/exec", []string{"agent/api", "agent/event", "ui/..."}},
	{"ui/mcpserve", []string{"agent/api", "agent/event", "ui/..."}},
	{"ui/feature", []string{"agent/api", "ui/format", "ui/keys"}},
	{"ui/...", []string{"agent/api", "agent/app", "agent/event", "docs", "themes", "ui/..."}},

	{"agent/event", nil},
	{"agent/api", []string{"agent/event"}},
	{"agent/app", append([]string{"agent", "agent/api", "agent/attach", "agent/auxiliary", "agent/bind", "agent/compress", "agent/delegate", "agent/event", "agent/export", "agent/extend", "agent/guard", "agent/hooks", "agent/journal", "agent/lessons", "agent/models", "agent/prompt", "agent/recovery", "agent/refs", "agent/remember"}, leaves...)},
	{"agent/models", append([]string{"agent", "agent/api", "agent/auxiliary", "agent/event", "agent/recovery"}, leaves...)},
	{"agent/bind", append([]string{"agent", "agent/api", "agent/journal", "agent/delegate", "agent/event", "agent/hooks", "agent/prompt", "agent/remember"}, leaves...)},
	{"agent", append([]string{"agent/api", "agent/attach", "agent/compress", "agent/delegate", "agent/event", "agent/extend", "agent/guard", "agent/hooks", "agent/journal", "agent/lessons", "agent/recovery", "agent/cachediff"}, leaves...)},
	{"agent/auxiliary", append([]string{"agent/event", "agent/compress"}, leaves...)}, // what a summary is made of
	{"agent/...", append([]string{"agent/api", "agent/event"}, leaves...)},

	{"store/atomicfile", nil},
	{"providers/redact", nil},
	{"providers/schemas", nil},
	{"tools/place", []string{"tools"}},
	{"tools/unseen", nil},
	{"tools/lazyregexp", nil},
	{"tools/charset", nil},
	{"tools/hunks", nil},
	{"tools/shellrisk", []string{"tools"}},
	{"tools/approval", []string{"tools", "tools/place", "tools/shellrisk"}},
	{"tools/shell", []string{"tools", "tools/place", "tools/approval", "tools/shellrisk"}}, // only a permit may run
	{"tools/code", []string{"tools", "tools/place", "tools/approval"}},                     // as with the shell
	{"tools/process", []string{"tools", "tools/place", "tools/approval"}},
	{"tools/...", []string{"tools", "tools/place"}},
	{"providers/chat", []string{"providers", "providers/models", "providers/transport"}}, // protocols share one HTTP layer
	{"providers/anthropic", []string{"providers", "providers/models", "providers/transport"}},
	{"providers/responses", []string{"providers", "providers/models", "providers/transport"}},
	{"providers/bedrock", []string{"providers", "providers/models", "providers/transport"}},
	{"providers/catalog", []string{"providers", "providers/models"}}, // which protocol a model is spoken to in
	{"providers/...", []string{"providers"}},
	{"store/modelcache", []string{"store", "providers"}},             // the plain data of a model
	{"store/skillhub", []string{"store/skills", "store/skillguard"}}, // what it installs, and what looks through it
	{"store/...", []string{"store"}},
	{"docs", nil},
	{"themes", nil},
	{"skills", nil},
}

// leaves are the packages that stand on their own.
var leaves = []string{"tools/...", "providers/...", "store/...", "skills", "themes"}

// base may be imported from anywhere.
var base = []string{"store/atomicfile", "providers/redact", "providers/schemas", "tools/unseen", "tools/lazyregexp", "tools/charset", "tools/hunks", "tools/shorten", "tools/spelling"}

// testExtra is what the tests of a folder may import beyond its arrow: the real
// parts they run against.
var testExtra = []arrow{
	{"agent/...", []string{"agent/...", "tools/...", "providers/...", "store/...", "internal/..."}},
	{"ui/...", []string{"ui/...", "providers/script", "store/sessions", "internal/..."}},
	{"providers/...", []string{"internal/..."}},
	{"store/...", []string{"internal/corpustest", "internal/disktest"}},
	{"tools/...", []string{"internal/corpustest"}},
	{"tools/files", []string{"internal/disktest"}},
	{".", []string{"ui/..."}},
	{"tools/process", []string{"tools/shellrisk"}},
	{"tools/web", []string{"tools/network"}}, // its client
	{"tools/network", []string{"internal/dnstest", "internal/proxytest"}},
	{"store/config", []string{"internal/docstest"}},                                        // reads the documents
	{"store/memory", []string{"agent/prompt"}},                                             // the scan
	{"store/sessions", []string{"agent/prompt"}},                                           // what a subagent is told first
	{"store/skillhub", []string{"agent/bind"}},                                             // the look through skills
	{"skills", []string{"store/skills", "store/skillguard", "agent/prompt", "agent/bind"}}, // what reads them and looks through them
}

func fits(pattern, pkg string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == folder || strings.HasPrefix(pkg, folder+"/")
	}
	return pattern == pkg
}

func anyFits(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return fits(p, pkg) })
}

// source is a Go file of the module.
type source struct {
	path string // slash-separated, from the root
	pkg  string // folder, "." for the root
	test bool
	file *ast.File
	fset *token.FileSet
}

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		p := filepath.ToSlash(name)
		all = append(all, source{p, path.Dir(p), strings.HasSuffix(p, "_test.go"), f, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d Go files found: run the test in the module root", len(all))
	}
	return all
}

// imports lists what a file imports.
func (s source) imports() []string {
	var list []string
	for _, i := range s.file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			list = append(list, p)
		}
	}
	return list
}

// TestArrows holds the direction of every dependency inside the module.
func TestArrows(t *testing.T) {
	for _, s := range sources(t) {
		i := slices.IndexFunc(arrows, func(a arrow) bool { return fits(a.from, s.pkg) })
		if i < 0 {
			t.Errorf("%s: there is no arrow for the folder %s", s.path, s.pkg)
			continue
		}
		allowed := slices.Concat(arrows[i].to, base)
		if s.test {
			for _, e := range testExtra {
				if fits(e.from, s.pkg) {
					allowed = append(allowed, e.to...)
				}
			}
		}
		for _, p := range s.imports() {
			to, ours := strings.CutPrefix(p, module)
			if !ours || to == s.pkg || anyFits(allowed, to) {
				continue
			}
			t.Errorf("%s imports %s, which no arrow allows (from %s to %v)", s.path, to, arrows[i].from, allowed)
		}
	}
}

// TestTopLevel holds the top level to the folders of the design.
func TestTopLevel(t *testing.T) {
	folders := []string{"ui", "agent", "tools", "providers", "store", "themes", "skills", "docs", "internal"}
	list, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") && !slices.Contains(folders, d.Name()) {
			t.Errorf("unexpected folder %s at the top level", d.Name())
		}
		if strings.HasSuffix(d.Name(), ".go") && d.Name() != "main.go" && !strings.HasSuffix(d.Name(), "_test.go") {
			t.Errorf("unexpected Go file %s at the top level", d.Name())
		}
	}
}

// gate is a power that only named packages have, each with its reason.
type gate struct {
	name  string
	uses  func(s source) []string // what of it a file uses
	holds map[string]string       // package or folder/... to reason
}

// gates list who may start processes, write files and open connections.
func gates() []gate {
	return []gate{
		{"start processes", importing("os/exec"), map[string]string{
			"tools/place":  "the one way in which tools, prompt and snapshots start anything",
			"ui/cli":       "opens the page of a login in the browser (xdg-open, open), starts tmux, and this program itself: to measure it, and below process 1",
			"ui/term":      "hands the clipboard to tmux (tmux load-buffer) with a fixed command line, and starts the user's editor",
			"ui/clipboard": "reads an image off the clipboard with fixed command lines",
		}},
		{"start a process of a place", placeProc, map[string]string{
			"tools/shell":   "runs exactly the bytes of a permit, reads start-up files and passes on what sudo asks",
			"tools/code":    "runs exactly the script of a permit",
			"tools/search":  "runs rg, grep or find with a fixed command line, to leave files out of a search",
			"tools/process": "runs exactly the bytes of a permit, and empties its logs with a fixed command line",
			"agent/bind":    "runs git with a fixed command line for the prompt and for fetching skills and plugins, and programs that the user has named: the memory provider, hooks, MCP servers",
			"tools/files":   "has parsers check a written text on their standard input, with fixed command lines",
		}},
		{"read the clock", screenClock, map[string]string{
			"ui/cli":      "gives the screen its clock",
			"ui/markdown": "measures how long a lexer takes, where it is given no clock",
		}},
		{"measure text", measuring, map[string]string{
			"ui/rows":   "measures as the terminal does",
			"ui/screen": "finds out what terminals disagree about",
			"ui/term":   "bounds notifications, and reads output that moves the cursor",
			"ui/doctor": "prints, where there is no screen",
		}},
		{"write files", fileWrites, map[string]string{
			"store/plugins":    "moves plugins out of quarantine and removes them",
			"store/atomicfile": "the one way in which settings and results are written",
			"store":            "makes HERMES_HOME and checks that it can be written",
			"store/sessions":   "makes the database and its lease with private modes",
			"store/memory":     "appends to the archive and the history of what is remembered, and removes changes that were decided on",
			"store/recall":     "makes its index with private modes, and again when it is damaged",
			"store/skills":     "opens the folders of skills so that no link leads out of them, makes them, and removes changes that were decided on",
			"store/skillhub":   "unpacks skills from elsewhere into a quarantine and moves them into their places",
			"store/snapshots":  "keeps packs, journal and index of what agents change, with private modes",
			"tools/place":      "the file system of a place: every write of a tool goes through it",
			"tools/watch":      "makes and deletes a file to know that it has seen what was done before",
			"ui/cli":           "makes the empty home in which the program is measured, and removes it; makes the file of a recording; writes a dump",
			"agent":            "keeps the whole output of a call while it streams",
			"agent/app":        "appends to the log and to the history of what was typed",
		}},
		{"open connections", importing("net", "net/http"), map[string]string{
			"providers":           "names the header type in its error",
			"providers/transport": "the HTTP client of every provider",
			"providers/chat":      "builds requests that the transport sends",
			"providers/anthropic": "builds requests that the transport sends",
			"providers/responses": "builds requests that the transport sends",
			"providers/bedrock":   "hands the requests of its SDK to the transport",
			"providers/login":     "builds requests that the transport sends, and takes the way back from a browser on a loopback port",
			"providers/failure":   "recognises network errors; opens nothing",
			"providers/script":    "names the header type in the failures it plays",
			"providers/catalog":   "asks local servers through the transport it is given",
			"tools/code":          "takes the calls of a script on a Unix socket in a private folder",
			"tools/place":         "passes on a listener in the network of confined processes",
			"store/skillhub":      "builds requests that the client it is given sends",
			"tools/mcp":           "adds headers to requests that the client it is given sends",
			"tools/mcp/oauth":     "builds requests that the client it is given sends",
			"agent/bind":          "hands the client it is given to logins at MCP servers",
			"agent/app":           "names the client that tools/network makes",
			"tools/web":           "builds requests that the client it is given sends",
			"tools/network":       "the proxy of confined commands, and the dialer and client that judge every address",
		}},
	}
}

func importing(paths ...string) func(source) []string {
	return func(s source) []string {
		var used []string
		for _, p := range s.imports() {
			if slices.Contains(paths, p) {
				used = append(used, p)
			}
		}
		return used
	}
}

// TestShellriskIsPure holds that judging a command reads, starts and connects to nothing,
// and knows no time.
func TestShellriskIsPure(t *testing.T) {
	reaching := importing("os", "os/exec", "io/fs", "io/ioutil", "net", "net/http", "syscall", "time", "context", "unsafe", "golang.org/x/sys/unix")
	files := 0
	for _, s := range sources(t) {
		if s.pkg != "tools/shellrisk" || s.test {
			continue
		}
		files++
		for _, used := range reaching(s) {
			t.Errorf("%s imports %s", s.path, used)
		}
	}
	if files == 0 {
		t.Error("there is no package tools/shellrisk")
	}
}

// writers are the functions of package os that change the file system.
var writers = []string{
	"WriteFile", "Create", "CreateTemp", "OpenFile", "Mkdir", "MkdirAll", "MkdirTemp", "Rename", "Remove", "RemoveAll", "Chmod",
	"Chtimes", "Link", "Symlink", "Truncate", "OpenRoot", "Chdir", "Setenv", "Unsetenv", "Clearenv",
}

func fileWrites(s source) []string { return selectors(s, "os", writers) }

// screenClock finds what reads the time in the screen and its regions, which are told
// it: what they show is a function of what they are given.
func screenClock(s source) []string {
	if !fits("ui/...", s.pkg) {
		return nil
	}
	return selectors(s, "time", []string{"Now", "Since", "Until"})
}

// measuring finds what counts cells in the screen by a method of its own.
func measuring(s source) []string {
	if !fits("ui/...", s.pkg) {
		return nil
	}
	return selectors(s, "ansi", []string{"StringWidth", "StringWidthWc", "Truncate", "TruncateLeft", "Cut", "Wrap", "Hardwrap", "Wordwrap", "FirstGraphemeCluster", "GraphemeWidth", "WcWidth", "DecodeSequence"})
}

func placeProc(s source) []string { return selectors(s, "place", []string{"Proc"}) }

// selectors finds uses of names of a package by its usual name.
func selectors(s source, pkg string, names []string) []string {
	var used []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == pkg && slices.Contains(names, sel.Sel.Name) {
			used = append(used, fmt.Sprintf("%s.%s (line %d)", pkg, sel.Sel.Name, s.fset.Position(sel.Pos()).Line))
		}
		return true
	})
	return used
}

// TestGates holds dangerous powers to the packages that need them, and each of
// those to still needing it.
func TestGates(t *testing.T) {
	all := sources(t)
	for _, g := range gates() {
		used := map[string]bool{}
		for _, s := range all {
			if s.test || fits("internal/...", s.pkg) {
				continue // what tests share starts programs, serves protocols and writes fixtures
			}
			what := g.uses(s)
			if len(what) == 0 {
				continue
			}
			if g.holds[s.pkg] == "" {
				t.Errorf("%s may not %s: %s", s.path, g.name, strings.Join(what, ", "))
			}
			used[s.pkg] = true
		}
		for pkg := range g.holds {
			if !used[pkg] {
				t.Errorf("%s no longer needs to %s: take it off the list", pkg, g.name)
			}
		}
	}
	for _, s := range all {
		if !s.test && !fits("internal/...", s.pkg) {
			for _, u := range selectors(s, "os", []string{"Chdir", "Setenv", "Unsetenv", "Clearenv"}) {
				t.Errorf("%s: %s changes the process for every conversation in it", s.path, u)
			}
		}
	}
}

// TestWindowsAreNotAsked holds the root of the screen to what windows and regions return
// and can do: it never asks which one it has.
func TestWindowsAreNotAsked(t *testing.T) {
	regions := regexp.MustCompile(`^(agentgrid|agents|composer|models|overlay|prompt|queue|timeline|todos|transcript|usage)$`)
	asked := func(e ast.Expr) bool {
		star, ok := e.(*ast.StarExpr)
		if !ok {
			return false
		}
		sel, ok := star.X.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		id, ok := sel.X.(*ast.Ident)
		return ok && regions.MatchString(id.Name)
	}
	for _, s := range sources(t) {
		if s.pkg != "ui" || s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			var types []ast.Expr
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				types = append(types, n.Type)
			case *ast.CaseClause:
				types = n.List
			}
			for _, e := range types {
				if asked(e) {
					t.Errorf("%s: this asks which window or region it is; let it return a request, or have an interface for what it can do", s.fset.Position(e.Pos()))
				}
			}
			return true
		})
	}
}

// TestProtocolsAreListedOnce holds the packages of protocols to one list: nothing else
// that is built knows of them.
func TestProtocolsAreListedOnce(t *testing.T) {
	const list = "agent/models/protocols.go"
	protocol := regexp.MustCompile(`^` + module + `providers/(anthropic|bedrock|chat|responses)$`)
	n := 0
	for _, s := range sources(t) {
		for _, p := range s.imports() {
			switch {
			case s.test || !protocol.MatchString(p):
			case s.path != list:
				t.Errorf("%s imports %s: protocols belong into %s", s.path, p, list)
			default:
				n++
			}
		}
	}
	if n != 4 {
		t.Errorf("%s imports %d protocols", list, n)
	}
}

// quoted finds what stands in backquotes in a document.
var quoted = regexp.MustCompile("`([^`\n]+)`")

// TestDocPaths holds the documents to files that exist.
func TestDocPaths(t *testing.T) {
	docs, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"docs/*.md", "docs/dev/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, more...)
	}
	sort.Strings(docs)
	if len(docs) < 3 {
		t.Fatalf("found only %v", docs)
	}
	top := regexp.MustCompile(`^(ui|agent|tools|providers|store|themes|skills|docs|\.ci|\.github)(/|$)|\.(go|md)$`)
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			p := strings.TrimSuffix(m[1], "/")
			if !top.MatchString(p) || strings.ContainsAny(p, " *{}<>$~@") || slices.Contains(elsewhere, p) {
				continue
			}
			if _, err := os.Stat(filepath.FromSlash(p)); err != nil {
				t.Errorf("%s names %s, which does not exist", doc, p)
			}
		}
	}
}

// elsewhere are files the documents name that stand in a user's folders.
var elsewhere = []string{"AGENTS.md", "CLAUDE.md", "SOUL.md", "HERMES.md", ".hermes.md", "SKILL.md"}

// toolNames are where packages may know tools by name, each with its reason.
var toolNames = map[string]string{
	"providers/chat/finish.go":    "a reason to end that services name by the same word",
	"tools/toolset_data.go":       "the sets of tools of the Hermes Agent system",
	"tools/shellrisk/ruletext.go": "the language of rules names the tools that they are about",
	"agent/hooks/input.go":        "the names that hooks of Claude Code know tools by",
	"providers/script":            "the demo model calls tools as a model does, by name",
}

// TestToolNamesStayAtHome holds that no package knows a tool of another one by its name:
// what a tool is for others, it says itself, see [tools.Tool].
func TestToolNamesStayAtHome(t *testing.T) {
	all := sources(t)
	home := map[string]string{} // by name
	for _, s := range all {
		if s.test || !fits("tools/...", s.pkg) {
			continue
		}
		constants := map[string]string{}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if len(n.Names) == 1 && len(n.Values) == 1 {
					constants[n.Names[0].Name] = text(n.Values[0])
				}
			case *ast.CompositeLit:
				if name := fieldOf(n, "Name"); name != nil && fieldOf(n, "Toolset") != nil {
					id, _ := name.(*ast.Ident)
					if value := text(name); value != "" {
						home[value] = s.pkg
					} else if id != nil && constants[id.Name] != "" {
						home[constants[id.Name]] = s.pkg
					}
				}
			}
			return true
		})
	}
	if len(home) < 9 {
		t.Fatalf("only %d tools found: %v", len(home), home)
	}
	used := map[string]bool{}
	for _, s := range all {
		if s.test || fits("internal/...", s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			name := text(lit)
			if at := home[name]; at == "" || at == s.pkg || !strings.Contains(name, "_") { // one word may mean anything
				return true
			}
			for place := range toolNames {
				if s.path == place || s.pkg == place {
					used[place] = true
					return true
				}
			}
			t.Errorf("%s: %s is a tool of %s: let it say what this needs to know of it", s.fset.Position(lit.Pos()), lit.Value, home[name])
			return true
		})
	}
	for place := range toolNames {
		if !used[place] {
			t.Errorf("%s knows no tool by name: take it off the list", place)
		}
	}
}

// text is the value of a literal, empty for anything else.
func text(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return value
}

// fieldOf is what a composite literal gives a field, nil for nothing.
func fieldOf(lit *ast.CompositeLit, name string) ast.Expr {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == name {
				return kv.Value
			}
		}
	}
	return nil
}
