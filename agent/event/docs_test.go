package event

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hermes-tui/internal/docstest"
)

// TestTableOfEvents holds the table of docs/scripting.md to the types of events and what
// is said of them in the code.
func TestTableOfEvents(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && len(g.Specs) == 1 {
				said[g.Specs[0].(*ast.TypeSpec).Name.Name] = g.Doc.Text()
			}
		}
	}
	var b strings.Builder
	b.WriteString("| event | what it does | stored |\n|---|---|---|\n")
	for _, r := range registrations() {
		e := r.blank()
		name := reflect.TypeOf(e).Elem().Name()
		about := strings.TrimPrefix(new(doc.Package).Synopsis(said[name]), name+" ")
		if about == "" {
			t.Errorf("nothing is said of %s", name)
		}
		full := r.blank()
		fill(reflect.ValueOf(full).Elem(), 0)
		kept := map[int]string{0: "no", 1: "some", 2: "yes"}[count(r.journaled(e))+count(r.journaled(full))]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.name, docstest.Cell(strings.NewReplacer("[", "", "]", "").Replace(strings.TrimSuffix(about, "."))), kept)
	}
	docstest.Section(t, "docs/scripting.md", "events", b.String(), *updateDocs)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
