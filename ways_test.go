package main

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// hop is a function on a way through the program, as ARCHITECTURE.md lists it.
type hop struct {
	dir, name  string // "ui", "Model.View"
	depth      int    // below the function that calls it
	folds      bool   // it applies events to a state
	registered string // where it is registered, if its caller does not name it
}

// hopLine is a line of the lists: four blanks and two for each level, the package,
// the function, and notes.
var hopLine = regexp.MustCompile(`^ {4}((?:  )*)([a-z/]+) ([A-Za-z.]+)(?: +\((.*)\))?$`)

// way reads the list below a heading of ARCHITECTURE.md.
func way(t *testing.T, heading string) (list []hop) {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("ARCHITECTURE.md has no %q", heading)
	}
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, "\n")
		m := hopLine.FindStringSubmatch(line)
		if m == nil {
			if len(list) > 0 && line != "" && !strings.HasPrefix(line, " ") {
				break
			}
			if strings.HasPrefix(line, " ") {
				t.Errorf("%s: the line %q is no hop", heading, line)
			}
			continue
		}
		_, at, _ := strings.Cut(m[4], "registered in ")
		list = append(list, hop{m[2], m[3], len(m[1]) / 2, strings.Contains(m[4], "folds"), at})
	}
	return list
}

// functions are the functions of a folder, without tests.
type functions map[string]*ast.FuncDecl

func functionsOf(all []source, dir string) functions {
	list := functions{}
	for _, s := range all {
		if s.pkg == dir && !s.test {
			for _, d := range s.file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := f.Name.Name
				if f.Recv != nil {
					of := f.Recv.List[0].Type
					if p, ok := of.(*ast.StarExpr); ok {
						of = p.X
					}
					if id, ok := of.(*ast.Ident); ok {
						name = id.Name + "." + name
					}
				}
				list[name] = f
			}
		}
	}
	return list
}

// bare is the name of a function without its receiver.
func bare(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// mentions reports whether a function calls another by its name, or at least has its
// name where calls is false.
func mentions(f *ast.FuncDecl, name string, calls bool) (found bool) {
	is := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			return e.Name == name
		case *ast.SelectorExpr:
			return e.Sel.Name == name
		}
		return false
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || is(n.Fun)
		case *ast.SelectorExpr:
			found = found || !calls && is(n)
		}
		return !found
	})
	return found
}

// TestWays follows the ways of a token and of a key that ARCHITECTURE.md lists: each
// function exists, the one above it calls it, and there are no more than there may be.
// A state is folded where the list says so and nowhere else on the way.
func TestWays(t *testing.T) {
	all, cache := sources(t), map[string]functions{}
	at := func(t *testing.T, dir, name string) *ast.FuncDecl {
		if cache[dir] == nil {
			cache[dir] = functionsOf(all, dir)
		}
		return cache[dir][name]
	}
	for heading, most := range map[string]int{"### A token": 25, "### A key": 15} {
		t.Run(heading, func(t *testing.T) {
			list := way(t, heading)
			if len(list) < most/2 || len(list) > most {
				t.Errorf("%d functions; there may be %d", len(list), most)
			}
			var above []hop
			for _, h := range list {
				f := at(t, h.dir, h.name)
				if f == nil {
					t.Fatalf("%s has no %s", h.dir, h.name)
				}
				if h.depth > len(above) {
					t.Fatalf("%s: nothing stands above it", h.name)
				}
				above = above[:h.depth]
				if len(above) > 0 {
					caller, calls := above[h.depth-1], true
					by := caller.name
					if h.registered != "" {
						by, calls = h.registered, false
					}
					if from := at(t, caller.dir, by); from == nil || !mentions(from, bare(h.name), calls) {
						t.Errorf("%s of %s does not lead to %s", by, caller.dir, h.name)
					}
				}
				if folds := mentions(f, "Apply", true); folds != h.folds {
					t.Errorf("%s folds: %v; ARCHITECTURE.md says %v", h.name, folds, h.folds)
				}
				above = append(above, h)
			}
		})
	}
}

// TestArchitectureIsBrief holds ARCHITECTURE.md to what is read in ten minutes, its lines
// and those of the decisions to 160 characters, but for tables, and each of their points to
// two lines.
func TestArchitectureIsBrief(t *testing.T) {
	for name, most := range map[string]int{"ARCHITECTURE.md": 2700, "docs/dev/decisions.md": 6000} {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		if words := len(strings.Fields(string(text))); words > most {
			t.Errorf("%s has %d words, more than %d", name, words, most)
		}
		n, rows := 0, 0
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			n++
			switch {
			case strings.HasPrefix(line, "- "):
				rows = 1
			case strings.HasPrefix(line, "  ") && rows > 0:
				rows++
			default:
				rows = 0
			}
			if rows > 2 {
				t.Errorf("%s:%d: a point of more than two lines", name, n)
			}
			if w := utf8.RuneCountInString(line); w > 160 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has %d characters", name, n, w)
			}
		}
	}
}
