package lazyregexp_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-tui/tools/lazyregexp"
)

// TestAllCompile compiles every expression of the program that is written as a constant:
// one that is wrong would panic only when it is used first.
func TestAllCompile(t *testing.T) {
	n := 0
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join("../..", name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "New" {
				return true
			} else if of, ok := f.X.(*ast.Ident); !ok || of.Name != "lazyregexp" {
				return true
			}
			if text, ok := written(call.Args[0]); ok {
				n++
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", files.Position(call.Pos()), err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || n < 100 {
		t.Errorf("%d expressions, %v", n, err)
	}
}

// written is the text of a constant that literals make up.
func written(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
		if v.Kind() != constant.String {
			return "", false
		}
		return constant.StringVal(v), true
	case *ast.BinaryExpr:
		x, xok := written(e.X)
		y, yok := written(e.Y)
		return x + y, xok && yok
	}
	return "", false
}

// TestWrong has an expression that cannot be compiled panic when it is used, not before.
func TestWrong(t *testing.T) {
	text := "("
	r := lazyregexp.New(text)
	defer func() {
		if recover() == nil {
			t.Error("it was used")
		}
	}()
	r.MatchString("")
}
