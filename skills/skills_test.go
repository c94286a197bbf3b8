package skills

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"

	"hermes-tui/agent/bind"
	"hermes-tui/agent/prompt"
	"hermes-tui/store/skillguard"
	"hermes-tui/store/skills"
)

// names are the folders of the skills.
func names(t *testing.T) []string {
	t.Helper()
	list, err := fs.Glob(Files(), "*/"+skills.File)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i] = path.Dir(list[i])
	}
	if len(list) != 12 {
		t.Fatalf("there are %d skills, want 12: %v", len(list), list)
	}
	return list
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(Files(), path.Join(name, skills.File))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSpecification holds each skill to the open specification, strictly.
func TestSpecification(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			all := text(t, name)
			head, body, found := strings.Cut(strings.TrimPrefix(all, "---\n"), "\n---\n")
			if !found || !strings.HasPrefix(all, "---\n") {
				t.Fatal("there is no front matter")
			}
			var given map[string]string
			if err := yaml.Unmarshal([]byte(head), &given); err != nil {
				t.Fatal(err)
			}
			for key := range given {
				if !slices.Contains([]string{"name", "description", "license", "compatibility"}, key) {
					t.Errorf("the specification knows no field %s", key)
				}
			}
			if given["name"] != name || len(name) > skills.MaxName || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) {
				t.Errorf("the name is %q in the folder %s", given["name"], name)
			}
			if d := given["description"]; len(d) < 80 || len(d) > skills.MaxDescription || !strings.Contains(d, " Use ") {
				t.Errorf("the description has %d bytes and should say when to use the skill: %s", len(d), d)
			}
			if given["license"] != "MIT" || len(given["compatibility"]) > 500 {
				t.Errorf("license %q, compatibility %q", given["license"], given["compatibility"])
			}
			if n := strings.Count(body, "\n"); n < 50 || n > 200 {
				t.Errorf("the body has %d lines", n)
			}
			if p := skills.Parse([]byte(all)).Problems; len(p) > 0 {
				t.Errorf("the loader says: %v", p)
			}
			if found := prompt.Scan(all, prompt.ScopeContext); len(found) > 0 {
				t.Errorf("the scan finds %v", found)
			}
			if r := bind.SkillGuard().Look([]skillguard.File{{Name: skills.File, Data: []byte(all)}}); r.Verdict != skillguard.Safe {
				t.Errorf("looked through: %s, %q", r.Verdict, r.Texts())
			}
		})
	}
}

// TestLoader reads the skills as the program does.
func TestLoader(t *testing.T) {
	want := names(t)
	lib := skills.Open(skills.Options{Roots: []skills.Root{{Origin: skills.Bundled, FS: Files()}}, Now: time.Now})
	ix := lib.Index()
	if len(ix.Problems) > 0 || len(ix.Skills) != len(want) {
		t.Fatalf("%d skills, problems: %v", len(ix.Skills), ix.Problems)
	}
	for _, s := range ix.Skills {
		if !slices.Contains(want, s.Name) || len(s.Problems) > 0 {
			t.Errorf("%s: %v", s.Name, s.Problems)
		}
		if got, err := lib.Text(s); err != nil || got.Body == "" {
			t.Errorf("%s cannot be read: %v", s.Name, err)
		}
		if s.Name != "tmux-sessions" {
			continue
		}
		if script, err := lib.Content(s, "scripts/wait-for.sh"); err != nil || !strings.HasPrefix(string(script), "#!/usr/bin/env bash\n") {
			t.Errorf("its script: %q, %v", script, err)
		}
	}
}

var (
	block  = regexp.MustCompile("(?ms)^ *```(\\w*)\n(.*?)^ *```$")
	inline = regexp.MustCompile("`([a-z]+(?:_[a-z]+)+|todo|terminal|process|memory)`")
	named  = regexp.MustCompile(`Name(?::| =) *"([a-z_]+)"`)
)

// TestCommandsParse holds that each command shown is one that bash can read.
func TestCommandsParse(t *testing.T) {
	for _, name := range names(t) {
		blocks := block.FindAllStringSubmatch(text(t, name), -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no commands", name)
		}
		if regexp.MustCompile(`[^-.\w}]/tmp\b`).MatchString(text(t, name)) {
			t.Errorf("%s writes to /tmp, which confined commands cannot; $TMPDIR is there", name)
		}
		for _, b := range blocks {
			switch b[1] {
			case "bash":
				if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(unindented(b[2])), name); err != nil {
					t.Errorf("%v in\n%s", err, b[2])
				}
			case "text", "markdown":
			default:
				t.Errorf("%s: a block of the language %q", name, b[1])
			}
		}
	}
}

// unindented takes the blanks of a list item off the lines of a block.
func unindented(s string) string {
	blanks := len(s) - len(strings.TrimLeft(s, " "))
	return strings.ReplaceAll("\n"+s, "\n"+strings.Repeat(" ", blanks), "\n")
}

// TestToolNames holds that the tools which skills speak of are there.
func TestToolNames(t *testing.T) {
	sources, err := filepath.Glob("../tools/*/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("the sources of the tools were not found: %v", err)
	}
	there := map[string]bool{}
	for _, file := range sources {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range named.FindAllSubmatch(data, -1) {
			there[string(m[1])] = true
		}
	}
	spoken := 0
	for _, name := range names(t) {
		for _, m := range inline.FindAllStringSubmatch(block.ReplaceAllString(text(t, name), ""), -1) {
			spoken++
			if !there[m[1]] {
				t.Errorf("%s speaks of the tool %s, which there is not", name, m[1])
			}
		}
	}
	if spoken < 10 {
		t.Errorf("only %d names of tools were found", spoken)
	}
}

// TestWaitFor runs the script of the tmux skill: it finds what is on the screen, ends
// when the time is over and when the program is dead.
func TestWaitFor(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: there is no tmux")
	}
	script, err := fs.ReadFile(Files(), "tmux-sessions/scripts/wait-for.sh")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "wait-for.sh")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	socket := fmt.Sprintf("skill-test-%d", os.Getpid())
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "tmux", append([]string{"-L", socket, "-f", "/dev/null"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
	}
	run("new-session", "-d", "-s", "work", "-x", "80", "-y", "20", "cat")
	t.Cleanup(func() { _ = exec.Command("tmux", "-L", socket, "kill-server").Run() })
	run("set-option", "-t", "work", "remain-on-exit", "on")
	wait := func(regex, seconds string) (string, int) {
		t.Helper()
		c := exec.CommandContext(t.Context(), "bash", file, socket, "work", regex, seconds)
		out, _ := c.Output()
		return strings.TrimSpace(string(out)), c.ProcessState.ExitCode()
	}
	run("send-keys", "-t", "work", "-l", "--", "-it is ready")
	if out, code := wait("is read[y]", "20"); code != 0 || !strings.Contains(out, "-it is ready") {
		t.Errorf("what is there: %d %q", code, out)
	}
	if out, code := wait("never there", "0"); code != 1 || out != "" {
		t.Errorf("what is not there: %d %q", code, out)
	}
	run("send-keys", "-t", "work", "Enter", "C-d")
	if _, code := wait("never there", "20"); code != 2 {
		t.Errorf("a dead program: %d", code)
	}
}
