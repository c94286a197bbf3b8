package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	goscanner "go/scanner"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"
)

// maxLint is the largest text that is checked, in bytes.
const maxLint = 1 << 20

// maxFindings is how many errors are reported.
const maxFindings = 5

// lintResult reports whether a written file can be parsed.
type lintResult struct {
	Status  string `json:"status"` // "ok" or "error"
	Message string `json:"message,omitempty"`
}

// lint checks the syntax of a file that was written, if its name says what it
// is, and reports errors that its previous text did not have. It returns nil for
// what it does not check: other kinds of files, JSON that may have comments, YAML
// that is a template, and what there is no program for.
func (f *Files) lint(ctx context.Context, path, before, after string) *lintResult {
	if len(before) > maxLint {
		before = ""
	}
	after, before = strings.TrimPrefix(after, "\uFEFF"), strings.TrimPrefix(before, "\uFEFF")
	if len(after) > maxLint {
		return nil
	}
	parse := parserFor(path, after)
	if list := checkersFor(path, after); parse == nil && len(list) > 0 {
		parse = func(text string) ([]string, bool) { return f.external(ctx, list, text) }
	}
	if parse == nil {
		return nil
	}
	found, ok := parse(after)
	if !ok {
		return nil
	}
	if len(found) == 0 {
		return &lintResult{Status: "ok"}
	}
	var old []string
	if before != "" {
		old, _ = parse(before)
	}
	return compare(old, found)
}

// compare reports the errors that are new.
func compare(before, found []string) *lintResult {
	old := make([]string, len(before))
	for i, e := range before {
		old[i] = withoutPosition(e)
	}
	var fresh []string
	for _, e := range found {
		if i := slices.Index(old, withoutPosition(e)); i >= 0 {
			old = slices.Delete(old, i, i+1)
			continue
		}
		fresh = append(fresh, e)
	}
	if len(fresh) == 0 {
		return &lintResult{Status: "ok", Message: "errors that were there before remain"}
	}
	if more := len(fresh) - maxFindings; more > 0 {
		fresh = append(fresh[:maxFindings], fmt.Sprintf("and %d more", more))
	}
	return &lintResult{Status: "error", Message: strings.Join(fresh, "\n")}
}

// parserFor picks what parses a file in this program and returns the errors it
// finds.
func parserFor(path, text string) func(string) ([]string, bool) {
	always := func(parse func(string) []string) func(string) ([]string, bool) {
		return func(text string) ([]string, bool) { return parse(text), true }
	}
	name := strings.ToLower(filepath.Base(path))
	switch filepath.Ext(name) {
	case ".go":
		return always(parseGo)
	case ".sh", ".bash":
		return always(parseShell)
	case ".ipynb":
		return always(parseJSON)
	case ".json":
		if strings.HasPrefix(name, "tsconfig") || strings.HasPrefix(name, "jsconfig") ||
			name == "devcontainer.json" || filepath.Base(filepath.Dir(path)) == ".vscode" {
			return nil
		}
		return always(parseJSON)
	case ".yaml", ".yml":
		if strings.Contains(text, "{{") || strings.Contains(text, "{%") {
			return nil
		}
		return always(parseYAML)
	}
	return nil
}

func parseGo(text string) []string {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution|parser.AllErrors)
	if err == nil {
		return nil
	}
	var list goscanner.ErrorList
	if !errors.As(err, &list) {
		return []string{err.Error()}
	}
	found := make([]string, len(list))
	for i, e := range list {
		found[i] = fmt.Sprintf("line %d, column %d: %s", e.Pos.Line, e.Pos.Column, e.Msg)
	}
	return found
}

func parseJSON(text string) []string {
	var v json.RawMessage
	err := json.Unmarshal([]byte(text), &v)
	if err == nil {
		return nil
	}
	message := strings.TrimPrefix(err.Error(), "json: ")
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return []string{message}
	}
	return []string{position(text, int(wrong.Offset-1)) + ": " + message}
}

// parseYAML parses all documents of a stream into nodes, which expands no
// aliases.
func parseYAML(text string) []string {
	dec := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		var node yaml.Node
		err := dec.Decode(&node)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return []string{strings.TrimPrefix(err.Error(), "yaml: ")}
		}
	}
}

// parseShell parses what any shell of the Bourne family might accept.
func parseShell(text string) []string {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err == nil {
		return nil
	}
	var at syntax.ParseError
	if errors.As(err, &at) {
		return []string{fmt.Sprintf("line %d, column %d: %s", at.Pos.Line(), at.Pos.Col(), at.Text)}
	}
	return []string{err.Error()}
}

// withoutPosition makes errors comparable when lines were added above them.
func withoutPosition(e string) string {
	if _, rest, ok := strings.Cut(e, ": "); ok && strings.HasPrefix(e, "line ") {
		return rest
	}
	return e
}
