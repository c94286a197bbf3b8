package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The sizes that nothing may pass. What was larger when a rule came has a limit of its own in
// [larger], which may only fall.
const (
	maxPackageLines = 6000 // with comments, without tests
	maxMethods      = 60   // declared on one type
	maxInterface    = 15   // methods written into one interface, those of embedded ones apart
	maxWithoutTests = 237886
)

// larger holds the limits of what is larger than the rules allow, by package or by
// package.type.
var larger = map[string]int{
	"agent":                  10671,
	"agent.Conversation":     116,
	"agent.Toolbox":          16,
	"agent.turn":             147,
	"agent/app":              9741,
	"agent/app.App":          258,
	"agent/app.conversation": 130,
	"agent/models.Access":    94,
	"store/sessions":         8598,
	"store/sessions.DB":      132,
	"store/snapshots.Keeper": 95,
	"tools/files.Files":      67,
	"tools/place":            12002,
	"tools/shellrisk":        14293,
	"tools/shellrisk.call":   151,
	"tools/shellrisk.judge":  83,
	"tools/shellrisk.prover": 73,
	"ui":                     12709,
	"ui.Model":               418,
	"ui/cli":                 7039,
	"ui/cli.sys":             101,
	"ui/composer.Composer":   126,
	"ui/linear.run":          79,
	"ui/prompt.Panel":        90,
	"ui/transcript.View":     210,
}

// size is something that was measured.
type size struct {
	name, what string
	n, limit   int
}

// TestSizes holds packages, types and interfaces to their sizes.
func TestSizes(t *testing.T) {
	all := sources(t)
	lines := packageLines(t, all)
	sizes := []size{{"", "lines without tests", total(lines), maxWithoutTests}}
	for pkg, n := range lines {
		sizes = append(sizes, size{pkg, "lines", n, maxPackageLines})
	}
	sizes = append(sizes, typeSizes(all)...)
	slices.SortFunc(sizes, func(a, b size) int { return cmp.Compare(a.name, b.name) })

	used := map[string]bool{}
	for _, s := range sizes {
		limit := s.limit
		if own, ok := larger[s.name]; ok {
			limit, used[s.name] = own, true
			if s.n <= s.limit {
				t.Errorf("%s has %d %s, within %d: take it off the list of larger ones", s.name, s.n, s.what, s.limit)
			}
		}
		if s.n > limit {
			t.Errorf("%s has %d %s, more than %d: split it", cmp.Or(s.name, "the whole"), s.n, s.what, limit)
		}
	}
	for name := range larger {
		if !used[name] {
			t.Errorf("%s, of the list of larger ones, does not exist", name)
		}
	}
}

// packageLines counts the lines of each package without its tests. Packages below internal
// only serve tests.
func packageLines(t *testing.T, all []source) map[string]int {
	lines := map[string]int{}
	for _, s := range all {
		if s.test || fits("internal/...", s.pkg) {
			continue
		}
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		lines[s.pkg] += bytes.Count(text, []byte("\n"))
	}
	return lines
}

func total(lines map[string]int) (n int) {
	for l := range maps.Values(lines) {
		n += l
	}
	return n
}

// typeSizes counts the methods of types and of interfaces.
func typeSizes(all []source) []size {
	methods := map[string]int{}
	var sizes []size
	for _, s := range all {
		if s.test || fits("internal/...", s.pkg) {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[s.pkg+"."+receiver(f)]++
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if i, ok := spec.Type.(*ast.InterfaceType); ok {
				sizes = append(sizes, size{s.pkg + "." + spec.Name.Name, "methods", written(i), maxInterface})
			}
			return true
		})
	}
	for name, n := range methods {
		sizes = append(sizes, size{name, "methods", n, maxMethods})
	}
	return sizes
}

// receiver returns the name of the type that a method is declared on.
func receiver(f *ast.FuncDecl) string {
	e := f.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if generic, ok := e.(*ast.IndexExpr); ok {
		e = generic.X
	}
	return strings.TrimPrefix(fmt.Sprint(e), "&")
}

// written counts the methods that an interface names itself.
func written(i *ast.InterfaceType) (n int) {
	for _, f := range i.Methods.List {
		n += len(f.Names)
	}
	return n
}
