package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Files.home = os.Getenv("HOME") // where rustup keeps its compilers
	for _, c := range []struct{ program, path, text, status, message string }{
		{"python3", "a.py", "def f():\n    return 1\n", "ok", ""},
		{"python3", "a.py", "def f(:\n", "error", "line 1, column 7"},
		{"python3", "a.py", "x = '\u00e9'\nimport none_of_that_name\n", "ok", ""},
		{"python3", "a.py", strings.Repeat("(", 100_000), "error", "parentheses"},
		{"python3", "a.toml", "a = 1\n[b]\nc = 'x'\n", "ok", ""},
		{"python3", "a.toml", "a = 1\nb = \n", "error", "line 2, column 5"},
		{"node", "a.js", "const a = 1;\n", "ok", ""},
		{"node", "a.js", "let a = 1;\nlet b = ;\n", "error", "line 2: SyntaxError"},
		{"node", "a.js", "import a from 'b';\nexport default a;\nawait a;\n", "ok", ""},
		{"node", "a.js", "import a from 'b';\nexport defaul a;\n", "error", "line 2: SyntaxError"},
		{"node", "a.js", "function f() {\n  return <div>x</div>;\n}\n", "", ""},
		{"node", "a.mjs", "export default 1;\n", "ok", ""},
		{"node", "a.cjs", "export default 1;\n", "error", "line 1"},
		{"rustfmt", "a.rs", "mod other;\nfn main() { }\n", "ok", ""},
		{"rustfmt", "a.rs", "fn main( {\n}\n", "error", "<no place>"},
	} {
		t.Run(c.program+" "+c.text[:min(len(c.text), 10)], func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("SKIPPED: %s is not installed", c.program)
			}
			if out, err := exec.Command(c.program, "--version").CombinedOutput(); err != nil {
				t.Skipf("SKIPPED: %s does not work here: %s", c.program, out)
			}
			got := b.Files.lint(t.Context(), filepath.Join(b.root, c.path), "", c.text)
			if c.status == "" {
				if got != nil {
					t.Errorf("got %+v, want no check", got)
				}
				return
			}
			if got == nil || got.Status != c.status {
				t.Fatalf("got %+v", got)
			}
			if want := strings.TrimPrefix(c.message, "<no place>"); !strings.Contains(got.Message, want) {
				t.Errorf("message %q, want %q", got.Message, want)
			}
		})
	}
}

// TestCheckersRunNothingOfAProject holds that neither the text, nor the folder it
// is written to, nor a program of the workspace is run.
func TestCheckersRunNothingOfAProject(t *testing.T) {
	b := newBench(t)
	canary := filepath.Join(b.home, "canary")
	for _, name := range []string{"python3", "node", "rustfmt"} {
		if err := os.Chmod(b.put("bin/"+name, "#!/bin/sh\ntouch "+canary+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(b.root, "bin"), filepath.Join(b.home, "bin")); err != nil {
		t.Fatal(err)
	}
	b.Files = New(Options{Place: b.place, Root: b.root, Env: []string{
		"PATH=.:bin:" + filepath.Join(b.root, "bin") + ":" + filepath.Join(b.home, "bin") + ":" + os.Getenv("PATH"),
		"PYTHONSTARTUP=" + filepath.Join(b.root, "ast.py"), "NODE_OPTIONS=--require " + filepath.Join(b.root, "evil.js"),
	}})
	evil := "open('" + canary + "', 'w')\n"
	b.put("ast.py", evil)
	b.put("sitecustomize.py", evil)
	b.put("evil.js", "require('fs').writeFileSync('"+canary+"', '')\n")
	b.write("main.py", evil+"print(1)\n")
	b.write("main.js", "require('fs').writeFileSync('"+canary+"', '')\n")
	b.write("build.rs", "fn main() {}\n")
	if _, err := os.Lstat(canary); err == nil {
		t.Error("something of the project has run")
	}
}

func TestNoCheckersWithoutAnEnvironment(t *testing.T) {
	b := newBench(t)
	b.Files = New(Options{Place: b.place, Root: b.root})
	if got := b.Files.lint(t.Context(), filepath.Join(b.root, "a.py"), "", "def"); got != nil {
		t.Errorf("got %+v", got)
	}
}
