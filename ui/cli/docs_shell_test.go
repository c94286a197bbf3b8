//go:build unix

package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"image"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/docstest"
	"hermes-tui/internal/uitest"
	"hermes-tui/providers/script"
)

// notRun says how many lines of shell of a document no test runs ("norun" behind the
// fence), and why.
var notRun = map[string]struct {
	lines int
	why   string
}{
	"README.md":               {2, "building and testing, which .ci/run does"},
	"CONTRIBUTING.md":         {1, "it is what runs the tests"},
	"docs/accessibility.md":   {2, "what runs until it is left; TestLinear tries it"},
	"docs/hooks.md":           {6, "a script in a file; what hooks do is tried by agent/hooks"},
	"docs/install.md":         {7, "building, releases elsewhere, containers; install.sh is tried by TestInstall"},
	"docs/mcp.md":             {8, "packages of npm, servers of others, a project's server"},
	"docs/dev/performance.md": {16, "benchmarks, which take minutes"},
	"docs/plugins.md":         {2, "a repository elsewhere"},
	"docs/skills.md":          {1, "a repository elsewhere"},
	"docs/tools.md":           {2, "a script in a file; what such tools do is tried by tools/shell"},
}

// TestDocsShell runs the lines of shell of all documents, those of a page one after the
// other in a home and a repository of their own, with a model on loopback. Each line has to
// end well; a line of a block marked "screen" has to show the program.
func TestDocsShell(t *testing.T) {
	pages, left := map[string][]docstest.Block{}, map[string]int{}
	for _, b := range docstest.Blocks(t) {
		kind, how, _ := strings.Cut(b.Info, " ")
		switch {
		case how == "norun":
			left[b.File] += len(strings.Split(strings.TrimSpace(b.Text), "\n"))
		case kind == "console":
			pages[b.File] = append(pages[b.File], b)
		case kind == "sh", kind == "bash", kind == "" && strings.Contains(b.Text, "hermes-tui "):
			t.Errorf("%s:%d: write lines that run as console, with \"$ \" before them, or mark the block with norun", b.File, b.Line)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%s: %d lines are not run: %s", file, left[file], notRun[file].why)
	}
	for file, n := range left {
		if n != notRun[file].lines {
			t.Errorf("%s has %d lines that are not run, and %d have a reason", file, n, notRun[file].lines)
		}
	}
	if len(pages) < 8 {
		t.Fatalf("only %d pages have lines that run", len(pages))
	}
	for _, need := range []string{"bash", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED: %s is not here, so that no line of the documents is run", need)
		}
	}
	bin := uitest.Build(t)
	for file, blocks := range pages {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			newReader(t, bin).read(blocks)
		})
	}
}

// reader does what documents say.
type reader struct {
	t   *testing.T
	bin string
	l   uitest.Launch
}

func newReader(t *testing.T, bin string) *reader {
	r := &reader{t, bin, uitest.Prepare(t, uitest.Options{Scenario: answering(), Bin: bin, Config: readersConfig})}
	programs := filepath.Join(r.l.User, "bin")
	for name, text := range map[string]string{
		programs + "/make":                         "#!/bin/sh\necho 'FAIL: 1 of 12'\nexit 2\n",
		r.l.User + "/check.sh":                     "#!/bin/sh\ncat >/dev/null\n",
		r.l.Dir + "/notes.md":                      "- write the release notes\n",
		r.l.Dir + "/tasks.json":                    `{"type": "object", "properties": {"tasks": {"type": "array"}}, "required": ["tasks"]}`,
		r.l.Dir + "/answers.json":                  `{"rules": [{"steps": [{"text": "Something."}]}]}`,
		r.l.Dir + "/main.go":                       "package main\n",
		r.l.Dir + "/tidy/plugin.json":              `{"name": "tidy", "version": "1.0.0"}`,
		r.l.Dir + "/their-skills/pdf/SKILL.md":     "---\nname: pdf\ndescription: Reads PDF files.\n---\nUse pdftotext.\n",
		r.l.Dir + "/tidy/skills/sweep/SKILL.md":    "---\nname: sweep\ndescription: Sweeps.\n---\nSweep.\n",
		r.l.User + "/.hermes/skills/ours/SKILL.md": "---\nname: ours\ndescription: Ours.\n---\nOurs.\n",
	} {
		write(t, name, []byte(text))
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	write(t, r.l.Dir+"/screen.png", picture.Bytes())
	write(t, r.l.Dir+"/tidy-1.0.tar.gz", packed(t, "tidy", r.l.Dir))
	r.l.Env = append(r.l.Env, "PATH="+strings.Join([]string{programs, filepath.Dir(bin), os.Getenv("PATH")}, string(filepath.ListSeparator)), "TERM=dumb")
	r.bash("git init -q . && git -c user.name=a -c user.email=a@b.c add main.go && git -c user.name=a -c user.email=a@b.c commit -qm one && echo 'func main() {}' >>main.go")
	r.bash("hermes-tui exec 'The first prompt about packages'")
	old := filepath.Join(r.l.User, "old-hermes")
	r.bash("HERMES_HOME=" + old + " hermes-tui exec --provider demo 'An older one' >/dev/null")
	return r
}

// readersConfig are settings as readers have them: hooks that pages show.
const readersConfig = `hooks:
  pre_tool_call:
    - command: ~/check.sh
`

// answering is a model that answers everything at once, and in the form that is asked for.
func answering() *script.Scenario {
	return &script.Scenario{Models: []script.Model{{ID: "seeing"}}, Rules: []script.Rule{
		{Match: script.Match{User: "Which tasks"}, Steps: []script.Step{script.Text{Text: `{"tasks": ["write the release notes"]}`}}},
		{Steps: []script.Step{script.Text{Text: "It is as you said."}}},
	}}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o700); err != nil { // some of them are programs
		t.Fatal(err)
	}
}

// packed is an archive of a folder.
func packed(t *testing.T, folder, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.AddFS(os.DirFS(filepath.Join(dir, folder))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read follows the blocks of a page.
func (r *reader) read(blocks []docstest.Block) {
	for _, b := range blocks {
		lines := strings.Split(strings.TrimSpace(b.Text), "\n")
		for i, line := range lines {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				r.t.Fatalf("%s:%d: %q is no line that runs", b.File, b.Line+1+i, line)
			}
			lines[i] = command
		}
		if b.Info == "console screen" {
			for _, line := range lines {
				r.show(line)
			}
			continue
		}
		r.bash(r.known(strings.Join(lines, "\n")))
	}
}

// known puts the ids that there are here in the place of those of the documents.
func (r *reader) known(text string) string {
	if strings.Contains(text, "1a2b3c4d") {
		id, _, _ := strings.Cut(strings.TrimSpace(r.bash("hermes-tui hooks list")), " ")
		text = strings.ReplaceAll(text, "1a2b3c4d", id)
	}
	return text
}

// bash runs lines one after the other, and gives what they print.
func (r *reader) bash(lines string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-ec", lines)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.l.Dir, r.l.Env, 10*time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("%s\n%v\n%s%s", lines, err, out.String(), said.String())
	}
	return out.String()
}

// show starts the program on a terminal and leaves it again.
func (r *reader) show(line string) {
	r.t.Helper()
	args := strings.Fields(line)[1:]
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, `"`) }); i >= 0 {
		args = append(args[:i:i], strings.Trim(strings.Join(args[i:], " "), `"`))
	}
	for i, a := range args {
		if a == "http://127.0.0.1:8080/v1" {
			args[i] = r.l.Server.URL()
		}
	}
	if len(args) > 0 && args[0] == "replay" {
		d := uitest.Start(r.t, uitest.Options{Bin: r.bin, Args: args, Home: r.l.Home, Dir: r.l.Dir, Timeout: 2 * time.Minute, Plain: true, Cols: 130, Rows: 40})
		if end := d.WaitFor(uitest.Contains("the end")).Press("q").Wait(); end.Code != 0 {
			r.t.Errorf("%s ends with %v", line, end)
		}
		return
	}
	d := uitest.Start(r.t, uitest.Options{Bin: r.bin, Args: args, Home: r.l.Home, Dir: r.l.Dir, Timeout: 2 * time.Minute})
	d.WaitIdle()
	if end := d.Quit().Wait(); end.Code != 0 {
		r.t.Errorf("%s ends with %v", line, end)
	}
}
