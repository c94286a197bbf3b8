package docs_test

import (
	"flag"
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
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/dev/words.md again")

// speaking are the folders whose texts reach the user's screen, with all below them where
// they end with a slash. Texts for models stand elsewhere: in prompts and tools.
var speaking = []string{
	"ui/", "agent", "agent/app", "agent/delegate", "agent/export", "agent/hooks", "agent/models", "agent/recovery", "agent/refs",
	"tools/approval", "tools/shellrisk", "store", "store/config", "providers/catalog", "providers/login",
}

const wordsHead = `# Words

<!-- made from the code, go test ./docs -run TestWords -update-docs -->

All sentences that the program may show, in the order of the source, for reading: whoever changes one sees here how its neighbours speak. Listed
are the string literals of two words or more, and all of the tables of keys and commands, in the packages whose texts reach the screen; "…" stands for what is put in.
Some go to the log, to the standard error or to the model as well. Not listed are single words, and what others say: models, servers, programs, the system.

One word for one thing: **end** (not kill, stop or abort) an agent or job; **interrupt** a turn; **pause** and **resume**; **steer**; **session** (not conversation
or chat); **the agent** (not root, assistant or model, where the one that works is meant); **you** (not the user).
`

// TestWords holds docs/dev/words.md to the texts in the code.
func TestWords(t *testing.T) {
	var b strings.Builder
	b.WriteString(wordsHead)
	for _, name := range speakers(t) {
		if said := sentences(t, name); len(said) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", name)
			for _, s := range said {
				fmt.Fprintf(&b, "- %s\n", s)
			}
		}
	}
	file := filepath.Join("dev", "words.md")
	if *updateDocs {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != b.String() {
		t.Errorf("docs/dev/words.md is not what the program says (%v); write it again with: go test ./docs -run TestWords -update-docs", err)
	}
}

// speakers are the files of these folders, from the root.
func speakers(t *testing.T) (files []string) {
	t.Helper()
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		dir := path.Dir(name)
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if slices.ContainsFunc(speaking, func(s string) bool {
			return dir == strings.TrimSuffix(s, "/") || strings.HasSuffix(s, "/") && strings.HasPrefix(dir, s)
		}) {
			files = append(files, name)
		}
		return nil
	})
	if err != nil || len(files) < 200 {
		t.Fatal(len(files), err)
	}
	return files
}

var (
	// wordy is text of two words or more, query what is for the database.
	wordy = regexp.MustCompile(`[\pL…][,;:.!?)”"]* +["“'(/]?[\pL…]`)
	query = regexp.MustCompile(`^ *(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|PRAGMA|WITH|REPLACE|BEGIN|SAVEPOINT|FROM|WHERE|AND|ORDER|JOIN|VALUES|ON|UNION)\b`)
	// verb is what a format puts a value for.
	verb = regexp.MustCompile(`%[-+# 0-9.*]*(\[\d\])?[a-zA-Z]`)
)

// sentences are the texts of a file.
func sentences(t *testing.T, name string) (said []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", filepath.FromSlash(name)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := name == "ui/keys/keys.go" || name == "ui/slash/table.go"
	add := func(text string) {
		text = strings.Join(strings.Fields(strings.NewReplacer("\n", " ", "\x1b", "␛").Replace(text)), " ")
		text = strings.ReplaceAll(verb.ReplaceAllString(text, "…"), "……", "…")
		if query.MatchString(text) || !strings.ContainsFunc(text, unicode.IsLetter) {
			return
		}
		if (wordy.MatchString(text) || table && strings.Contains(text, " ")) && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // its tag
			return n.Tag == nil
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "MustCompile" || f.Sel.Name == "New" && text(f.X) == "lazyregexp") {
				return false
			}
		case *ast.BinaryExpr:
			if text, ok := joined(n); ok {
				add(text)
				return false
			}
		case *ast.BasicLit:
			if text, ok := literal(n); ok && (n.Value[0] == '"' || path.Dir(name) != "tools/shellrisk") { // its tables are raw
				add(text)
			}
		}
		return true
	})
	return said
}

// joined is a sum of texts, with … for what is not written there.
func joined(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "…", false
		}
		left, a := joined(e.X)
		right, b := joined(e.Y)
		return strings.ReplaceAll(left+right, "……", "…"), a || b
	case *ast.BasicLit:
		if text, ok := literal(e); ok {
			return text, true
		}
	case *ast.ParenExpr:
		return joined(e.X)
	}
	return "…", false
}

func literal(e *ast.BasicLit) (string, bool) {
	if e.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(e.Value)
	return text, err == nil
}

func text(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
