package files

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hermes-tui/tools"
	"hermes-tui/tools/lazyregexp"
	"hermes-tui/tools/place"
)

// Limits of programs that check syntax.
const (
	checkTime  = 5 * time.Second
	lintTime   = 30 * time.Second // for all files of a change
	maxChecked = 64 << 10         // bytes of output that are looked at
)

// checker is a program that reads a source text from its standard input, parses
// it and runs nothing of it. It gets a fixed command line, the top of the file
// system as its directory and nothing but PATH and HOME as its environment, so
// that no file of a project can make it do anything else.
type checker struct {
	program string
	args    []string
	// found takes the errors out of what it has printed. None, although it has
	// failed, means that it could not check.
	found func(output string) []string
}

// checkersFor are the programs that may check a file. One that finds no error is
// enough; if all do, those of the last count.
func checkersFor(path, text string) []checker {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py", ".pyi":
		return []checker{pythonChecker("import ast\nast.parse(text)")}
	case ".toml":
		return []checker{pythonChecker("import tomllib\ntomllib.loads(text)")}
	case ".mjs":
		return []checker{nodeModule()}
	case ".cjs":
		return []checker{nodeScript()}
	case ".js":
		switch {
		case markupInScript.MatchString(text):
			return nil
		case moduleScript.MatchString(text):
			return []checker{nodeScript(), nodeModule()}
		}
		return []checker{nodeModule(), nodeScript()}
	case ".rs":
		return []checker{{"rustfmt", []string{"--edition", "2021", "--emit", "stdout", "--color", "never", "--quiet"}, rustErrors}}
	}
	return nil
}

var (
	// moduleScript finds what only a module has.
	moduleScript = lazyregexp.New(`(?m)^\s*(import|export)\b`)
	// markupInScript finds JSX and Flow, which the plain parser does not know.
	markupInScript = lazyregexp.New(`(?m)(^|[(=>?:]|return)\s*<[A-Za-z>][^<>=;]*>|@flow`)
)

// pythonChecker checks with a few lines of Python, isolated from the modules and
// the settings of user and project. The texts of deep nestings are not judged.
func pythonChecker(parse string) checker {
	script := "import sys\ntext = sys.stdin.buffer.read().decode()\ntry:\n" +
		"    " + strings.ReplaceAll(parse, "\n", "\n    ") + "\n" +
		"except (RecursionError, MemoryError, ImportError):\n    pass\n" +
		"except SyntaxError as e:\n    print(f'line {e.lineno}, column {e.offset}: {e.msg}')\n" +
		"except ValueError as e:\n    print(f'{e}')\n"
	return checker{"python3", []string{"-I", "-S", "-B", "-W", "ignore", "-c", script}, func(output string) []string {
		if output = strings.TrimSpace(output); output != "" {
			return []string{tomlError(output)}
		}
		return nil
	}}
}

// tomlPlace is where Python's TOML parser says an error is.
var tomlPlace = lazyregexp.New(`^(.*) \(at line (\d+), column (\d+)\)$`)

// tomlError puts the place of an error first.
func tomlError(s string) string {
	return tomlPlace.ReplaceAllString(s, "line $2, column $3: $1")
}

func nodeScript() checker { return checker{"node", []string{"--check", "-"}, nodeErrors} }

func nodeModule() checker {
	return checker{"node", []string{"--input-type=module", "--check", "-"}, nodeErrors}
}

var nodeError = lazyregexp.New(`(?m)^\[stdin\]:(\d+)$(?s:.*?)^(SyntaxError: .*)$`)

func nodeErrors(output string) []string {
	m := nodeError.FindStringSubmatch(output)
	if m == nil {
		return nil
	}
	return []string{"line " + m[1] + ": " + m[2]}
}

var rustError = lazyregexp.New(`(?m)^error[^:\n]*: (.*)\n\s*--> <stdin>:(\d+):(\d+)$`)

func rustErrors(output string) []string {
	var found []string
	for _, m := range rustError.FindAllStringSubmatch(output, maxFindings+1) {
		found = append(found, fmt.Sprintf("line %s, column %s: %s", m[2], m[3], m[1]))
	}
	return found
}

// external checks a text with the programs for it. ok is false when none of them
// could.
func (f *Files) external(ctx context.Context, list []checker, text string) (found []string, ok bool) {
	for _, c := range list {
		errs, checked := f.check(ctx, c, text)
		if checked && len(errs) == 0 {
			return nil, true
		}
		if checked {
			found, ok = errs, true
		}
	}
	return found, ok
}

// check runs one program.
func (f *Files) check(ctx context.Context, c checker, text string) (found []string, ok bool) {
	program := f.program(c.program)
	if program == "" {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	out := &head{limit: maxChecked}
	p, err := f.place.Start(ctx, place.Proc{
		Argv: append([]string{program}, c.args...), Dir: "/",
		Env:   []string{"PATH=" + strings.Join(f.folders, ":"), "HOME=" + f.home, "LANG=C.UTF-8", "NO_COLOR=1"},
		Stdin: strings.NewReader(text), Stdout: out,
	})
	if err != nil {
		return nil, false
	}
	exit, err := p.Wait()
	if err != nil || exit.Killed || exit.Code > 1 {
		return nil, false
	}
	found = c.found(out.String())
	return found, exit.Code == 0 || len(found) > 0
}

// program finds a program in the folders of PATH, but none that belongs to the
// workspace.
func (f *Files) program(name string) string {
	root, err := f.fs.Resolve(f.root)
	if err != nil {
		return ""
	}
	for _, dir := range f.folders {
		file := filepath.Join(dir, name)
		real, err := f.fs.Resolve(file)
		if err != nil || f.root != "" && (tools.Within(file, root) || tools.Within(real, root) || tools.Within(file, filepath.Clean(f.root))) {
			continue
		}
		if st, err := f.fs.Stat(real); err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// pathFolders are the absolute folders of the PATH in an environment.
func pathFolders(env []string) []string {
	var folders []string
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		folders = nil
		for _, dir := range filepath.SplitList(list) {
			if filepath.IsAbs(dir) {
				folders = append(folders, filepath.Clean(dir))
			}
		}
	}
	return folders
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	limit int
}

func (h *head) Write(p []byte) (int, error) {
	h.Buffer.Write(p[:min(len(p), h.limit-h.Len())])
	return len(p), nil
}

// position says where a byte of a text is.
func position(text string, offset int) string {
	before := text[:max(min(offset, len(text)), 0)]
	return "line " + strconv.Itoa(strings.Count(before, "\n")+1) + ", column " + strconv.Itoa(len(before)-strings.LastIndexByte(before, '\n'))
}
