package approval

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools/shellrisk"
)

// changing matches a system call by which a process changes a file or its properties.
var changing = regexp.MustCompile(`^\d+ +((unlink|rename|mkdir|rmdir|link|symlink|chmod|chown|truncate|mknod|creat|utime|setxattr|fchmodat|fchownat)\w*\(|open(at)?\(.*O_(WRONLY|RDWR|CREAT|TRUNC))`)

// harmlessChange matches what reading leaves behind: what git remembers of the times of
// files, and the text of a here-document on its way.
var harmlessChange = regexp.MustCompile(`"/dev/(null|tty)"|\.git/index|/sh-thd`)

// What is proved is run under a tracer: it changes no file, connects to nothing and
// does not open a file with keys.
func TestProvedForReal(t *testing.T) {
	tracer, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: no strace here")
	}
	for _, need := range []string{"bash", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skip("SKIPPED: no", need, "here")
		}
	}
	s := newScene(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"a.txt": "b\na\n", "b.txt": "a\nb\n", "main.go": "package main\n\nfunc main() {\n}\n", "go.mod": "module x\n", "README.md": "# x\n",
		"src/x.go": "package x\n", "src/y.go": "package x\n", "odd/x": "", "package.json": `{"scripts":{"test":"true"}}`, "a.yaml": "a: 1\n", "a.xml": "<a/>\n",
	} {
		write(filepath.Join(s.dir, name), text)
	}
	write(filepath.Join(s.home, ".ssh/id_rsa"), "key")
	write(filepath.Join(s.home, "notes.txt"), "notes")
	env := []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "GIT_PAGER=cat", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1"}
	run := func(timeout time.Duration, argv ...string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = s.dir, env
		return cmd.CombinedOutput()
	}
	for _, argv := range []string{"init -q", "add .", "-c user.name=x -c user.email=x@example.com commit -qm x"} {
		if out, err := run(time.Minute, append([]string{"git"}, strings.Fields(argv)...)...); err != nil {
			t.Skipf("SKIPPED: git does not work here: %v: %s", err, out)
		}
	}
	log := filepath.Join(t.TempDir(), "trace")
	if out, err := run(time.Minute, tracer, "-o", log, "true"); err != nil {
		t.Skipf("SKIPPED: tracing does not work here: %v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join("..", "shellrisk", "testdata", "proved.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		want, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		command = strings.ReplaceAll(command, `\n`, "\n")
		if want != "yes" || strings.Contains(command, "find / ") {
			continue
		}
		a := s.exec(command)
		a.Env = env
		if !shellrisk.Judge(command, s.gate.setting(a)).Proved {
			continue // the program is not here
		}
		n++
		_, _ = run(20*time.Second, tracer, "-f", "-qq", "-o", log, "-e", "trace=%file,%network,kill", "bash", "-c", command) // how it ends does not matter
		trace, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for call := range strings.Lines(string(trace)) {
			if changing.MatchString(call) && !harmlessChange.MatchString(call) || strings.Contains(call, "sa_family=AF_INET") || strings.Contains(call, "id_rsa") {
				t.Errorf("%q: %s", command, strings.TrimSpace(call))
			}
		}
	}
	t.Logf("%d commands run", n)
	if n < 50 {
		t.Errorf("only %d commands were proved here", n)
	}
}
