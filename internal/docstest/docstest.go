// Package docstest reads the documents of the repository for tests: the parts that are
// made from the code, and the examples in them.
package docstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root is the folder of the repository, in which the test runs.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			t.Fatal("there is no go.mod above", dir)
		}
	}
}

// Section holds a part of a document to what the code says: what stands between the lines
// "<!-- NAME: …" and "<!-- end of NAME -->". With write it is written again.
func Section(t testing.TB, file, name, want string, write bool) {
	t.Helper()
	path := filepath.Join(Root(t), filepath.FromSlash(file))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(data), "<!-- "+name+": ")
	how, rest, closed := strings.Cut(rest, "-->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !begun || !closed || !ended {
		t.Fatalf("%s has no part named %s", file, name)
	}
	text := head + "<!-- " + name + ": " + how + "-->\n\n" + strings.TrimSpace(want) + "\n\n<!-- end of " + name + " -->" + tail
	if write {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != text {
		t.Errorf("%s: the part %s is not what the code says; write it again: %s", file, name, strings.TrimPrefix(strings.TrimSpace(how), "made from the code, "))
	}
}

// Cell is text for a cell of a table: in one line, and without bars.
func Cell(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "\\|")), " ")
}

// Block is a fenced block of a document.
type Block struct {
	File string // from the root
	Line int    // of the fence
	Info string // behind the fence: "console screen"
	Text string
}

// Blocks are the fenced blocks of all documents for users.
func Blocks(t testing.TB) (list []Block) {
	t.Helper()
	root := Root(t)
	files := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	for _, folder := range []string{"docs", filepath.Join("docs", "dev")} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatal("no documents in", folder, err)
		}
		files = append(files, found...)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, blocks(filepath.ToSlash(name), string(data))...)
	}
	return list
}

func blocks(file, text string) (list []Block) {
	inside, n := false, 0
	for line := range strings.Lines(text) {
		n++
		info, fence := strings.CutPrefix(strings.TrimRight(line, "\n"), "```")
		switch {
		case fence && !inside:
			list, inside = append(list, Block{File: file, Line: n, Info: info}), true
		case fence:
			inside = false
		case inside:
			list[len(list)-1].Text += line
		}
	}
	return list
}
