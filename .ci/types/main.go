// Command types checks the program and its tests for other systems as the compiler does
// before it makes code: go run ./.ci/types windows/amd64 darwin/arm64. Of what the program
// is built on, only what can be seen from outside is checked.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as go list -json writes it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct {
		GoVersion string
		Main      bool
	}
}

func main() {
	failed := false
	for _, system := range os.Args[1:] {
		goos, arch, _ := strings.Cut(system, "/")
		problems, err := check(goos, arch)
		if err != nil {
			problems = append(problems, err)
		}
		for _, p := range problems {
			fmt.Fprintf(os.Stderr, "%s: %v\n", system, p)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func check(goos, arch string) (problems []error, err error) {
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard,Module", "./...")
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := list.Start(); err != nil {
		return nil, err
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	files := token.NewFileSet()
	for d := json.NewDecoder(out); ; { // each after what it imports
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return problems, err
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		own := p.Module != nil && p.Module.Main
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return problems, err
			}
			parsed = append(parsed, file)
		}
		c := types.Config{
			IgnoreFuncBodies: !own, Sizes: types.SizesFor("gc", arch),
			Importer: imports{known, p.ImportMap},
			Error: func(err error) { // of others only what concerns their own bodies, such as unused imports
				if own {
					problems = append(problems, err)
				}
			},
		}
		if p.Module != nil && p.Module.GoVersion != "" {
			c.GoVersion = "go" + p.Module.GoVersion
		}
		path, _, _ := strings.Cut(p.ImportPath, " ") // "p [p.test]" is p with its tests
		known[p.ImportPath], _ = c.Check(path, files, parsed, nil)
	}
	return problems, list.Wait()
}

// imports finds what a package imports among those that were checked.
type imports struct {
	known  map[string]*types.Package
	mapped map[string]string
}

func (i imports) Import(path string) (*types.Package, error) {
	if to, ok := i.mapped[path]; ok {
		path = to
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not there", path)
}
