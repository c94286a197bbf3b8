package skills

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// trial is in what the commands of a skill are tried.
type trial struct {
	files map[string]string
	setup string // prepares the folder
	// want are in what the commands write, and in files that they make ("name: text"); loud
	// is what they may write to the standard error.
	want []string
	made map[string]string
	loud string
	// as changes commands, to take less time or for what stands for something.
	as []string
	// needs is a program without which nothing is tried, besides those that blocks name.
	needs string
	// slow are commands that build programs; not are programs that need documents which a
	// test has not.
	slow bool
	not  string
}

// history makes a repository with two commits, the older one with the tag v1.0.
const history = `git init -q -b main && git add -A && git commit -qm 'first' && git tag v1.0 && echo more >> notes.md && git commit -qam 'remove the old form' &&
`

const goFile = "package p\n\n// Lines are the lines of a text.\nfunc Lines(s string) (n int) {\n\tfor i := 0; i <= len(s); i++ {\n\t\tif i == len(s) || s[i] == '\\n' {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n"

const goTest = `package p

import "testing"

func TestName(t *testing.T)              { TestReadKeepsLastLine(t) }
func TestReadKeepsLastLine(t *testing.T) {
	if Lines("a\nb") != 2 {
		t.Error("the last line is lost")
	}
}
func FuzzParse(f *testing.F) { f.Fuzz(func(t *testing.T, s string) { Lines(s) }) }
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		Lines("a\nb")
	}
}
`

func trials(t *testing.T) map[string]trial {
	notes := map[string]string{"notes.md": "notes\n", "src/a.go": "package a\n\nvar oldName = 1\n"}
	return map[string]trial{
		"code-review": {files: notes, setup: history + "git switch -qc topic && echo new > new.txt && git add -A && git commit -qm 'a topic'", want: []string{"topic\n", " a topic", "new.txt | 1 +", "+new"}},
		"commit-work": {
			files: map[string]string{"path/one.go": "package one\n", "path/file.go": "package one\n\nvar a = 1\n"},
			setup: "git init -q -b main && git add -A && git commit -qm first && echo '// more' >> path/one.go && echo 'package one' > path/one_test.go && echo 'var b = 2' >> path/file.go",
			want:  []string{"## main", "?? path/one_test.go", "path/one_test.go | 1 +", "parser: keep the last line", "3 files changed"},
		},
		"debugging": {
			needs: "sed", // which git bisect uses
			files: map[string]string{"state": "good\n", "check": "#!/bin/sh\nread -r word < state\n[ \"${word#good}\" != \"$word\" ]\n"},
			setup: "chmod +x check && git init -q && git add state && git commit -qm first && git tag GOOD && for i in 1 2 3; do echo good $i > state; git commit -qam good-$i; done; echo bad > state; git commit -qam breaks; echo worse > state; git commit -qam more; git tag BAD",
			want:  []string{"20 of 20", "is the first bad commit", "    breaks", "Name:"}, loud: "^(Previous HEAD|Switched to|HEAD is now|running  ?'./check'|status:|Bisecting|We are not|bisect)",
		},
		"documents": {
			files: map[string]string{"report.bin": "%PDF-1.7\n", "letter.docx": zipped(t, "word/document.xml", "<w:p>Dear reader,</w:p>"), "sheet.xlsx": zipped(t, "xl/sharedStrings.xml", "<si>a cell</si>")},
			want:  []string{"application/pdf", "pdftotext", "\nDear reader,\n", "\na cell\n"}, not: "pdfinfo pdftotext pandoc soffice",
		},
		"go-programs": {
			files: map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "pkg/p.go": goFile, "pkg/p_test.go": goTest, "path/to/pkg/p.go": goFile},
			want:  []string{"go version go", "example.com/m/path/to/pkg", "func Lines", "--- PASS: TestName", "fuzz: elapsed", "BenchmarkLoad"}, slow: true,
			as: []string{"go test -race", "go test", "-fuzztime 20s", "-fuzztime 10x", "-count 6", "-count 1 -benchtime 10x"}, loud: "^(File: |Type: |Time: |Duration: )",
		},
		"incident-notes":   {files: notes, setup: history + "true", want: []string{"RESULT  error rate 0.3 %"}, made: map[string]string{"evidence/changes": "remove the old form"}},
		"learn-repository": {files: notes, setup: history + "mkdir -p .github/workflows && echo 'on: push' > .github/workflows/ci.yml && git add -A && git commit -qm ci", want: []string{"3\n", "1 src", "1 go", "ci.yml", "2 notes.md", "3 src/a.go", "someone"}},
		"refactoring": {
			files: notes, setup: history + "git mv notes.md more.md", loud: "^Switched to a new branch",
			want: []string{"R  notes.md -> more.md", "src/a.go | 2 +-", "src/a.go.bak"}, made: map[string]string{"src/a.go": "var newName"},
		},
		"release-notes": {files: notes, setup: history + "true", want: []string{"remove the old form", "notes.md | 1 +", "+more"}},
		"sqlite-data": {
			files: map[string]string{"data.csv": "day,amount,region\n2026-01-01,\"1,5\",north\n2026-01-02,x,south\n2026-01-02,4,\n", "data.jsonl": "{\"user\":{\"id\":7}}\n", "data.json": "[{\"user\":{\"id\":7}}]\n"},
			setup: "command -v sqlite3 >/dev/null && sqlite3 app.db 'CREATE TABLE kept (x)' || true",
			want:  []string{"data.csv", "\nx|1\n", "7|1\n", "kept", "ok\n", "2.75", "| north  | 1.5"},
		},
		"tmux-sessions": {
			needs: "tmux", as: []string{"'ready|error' 20", "typed 20"}, // the program in it is a shell
			setup: `cp "$SKILL/scripts/wait-for.sh" "$TMPDIR/" && echo typed > "$TMPDIR/input.txt"`, want: []string{"dead=0", "\ndone:"}, loud: "no server running|error connecting|server exited",
		},
		"writing-tests": {
			files: map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "parser.go": goFile, "parser_test.go": goTest}, setup: "git init -q && git add -A && git commit -qm first",
			want: []string{"the last line is lost", "total:"}, slow: true,
		},
	}
}

// TestCommandsWork tries what the skills show: the commands of each are run one block
// after the other in a folder as they are meant for, complain of nothing and do what the
// skill is about. A block with a program that is not installed is left out.
func TestCommandsWork(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: bash is not installed")
	}
	cache, _ := exec.Command("go", "env", "GOCACHE").Output() // without it all is built again
	all := trials(t)
	if have := slices.Sorted(maps.Keys(all)); !slices.Equal(have, names(t)) {
		t.Fatalf("there are trials for %v", have)
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			if c.slow && testing.Short() {
				t.Skip("SKIPPED: it builds programs")
			}
			if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
				t.Skipf("SKIPPED: %s is not installed", c.needs)
			}
			t.Parallel()
			dir, home, skill := t.TempDir(), t.TempDir(), t.TempDir()
			files, err := fs.Sub(Files(), name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(skill, files); err != nil {
				t.Fatal(err)
			}
			for file, text := range c.files {
				put(t, filepath.Join(dir, file), text)
			}
			env := append(os.Environ(), "HOME="+home, "TMPDIR="+home, "SKILL="+skill, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "TMUX=",
				"GIT_AUTHOR_NAME=someone", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=someone", "GIT_COMMITTER_EMAIL=a@example.com",
				"LC_ALL=C", "GOCACHE="+strings.TrimSpace(string(cache)), "GOFLAGS=-vet=off", "GOTOOLCHAIN=local", "GOPROXY=off")
			run := func(script string) (out, errs string, err error) {
				var o, e bytes.Buffer
				cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", script)
				cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &o, &e
				err = cmd.Run()
				return o.String(), e.String(), err
			}
			if out, errs, err := run("set -e\n" + c.setup); err != nil {
				t.Fatalf("%v: %s%s", err, out, errs)
			}
			script, left := "PID=$$\n", 0
			for _, b := range block.FindAllStringSubmatch(text(t, name), -1) {
				if b[1] != "bash" {
					continue
				}
				first, _, _ := strings.Cut(b[2], " ")
				if slices.Contains(strings.Fields(c.not), strings.TrimSpace(first)) {
					continue
				}
				if missing := missing(t, unindented(b[2])); missing != "" {
					left++
					t.Logf("SKIPPED: %s is not installed:\n%s", missing, b[2])
					continue
				}
				script += unindented(b[2]) + "\n"
			}
			out, errs, _ := run(strings.NewReplacer(c.as...).Replace(script))
			for line := range strings.Lines(errs) {
				if c.loud == "" || !regexp.MustCompile(c.loud).MatchString(line) {
					t.Errorf("it complains: %s", line)
				}
			}
			for _, want := range c.want {
				if left == 0 && !strings.Contains(out, want) {
					t.Errorf("it does not write %q:\n%s", want, out)
				}
			}
			for file, want := range c.made {
				if data, err := os.ReadFile(filepath.Join(dir, file)); left == 0 && (err != nil || !strings.Contains(string(data), want)) {
					t.Errorf("%s says %q, %v", file, data, err)
				}
			}
		})
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// zipped is an archive with a file in it.
func zipped(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// builtin are commands of bash that no program stands for.
var builtin = regexp.MustCompile(`^(cd|export|echo|printf|test|true|command|note|set)$`)

// missing is a program that commands need and that is not installed, empty for none. One
// whose failure they expect ("|| …") is none.
func missing(t *testing.T, script string) (name string) {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		t.Fatal(err)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryCmd); ok && b.Op == syntax.OrStmt {
			return false
		}
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			word := call.Args[0].Lit()
			if word != "" && path.Base(word) == word && !builtin.MatchString(word) {
				if _, err := exec.LookPath(word); err != nil {
					name = word
				}
			}
		}
		return true
	})
	return name
}
