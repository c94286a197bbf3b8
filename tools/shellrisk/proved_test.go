package shellrisk

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// provingSetting is where the commands of the proofs run: a repository with a few
// files, with links of which some lead to keys.
func provingSetting() Setting {
	files := map[string][]string{
		"/srv/app":     {"main.go", "b.txt", "a.txt", "src", "go.mod", "key.txt", ".env", ".git", "package.json"},
		"/srv/app/src": {"x.go", "y.go"},
		"/srv/app/odd": {"-n", "x"},
		"/home/alice":  {"notes.txt", "docs"},
	}
	links := map[string]string{"/srv/app/key.txt": "/home/alice/.ssh/id_rsa", "/srv/app/etc": "/etc"}
	return Setting{
		Cwd: "/srv/app", Home: "/home/alice", Workspace: "/srv/app",
		Getenv: func(name string) (string, bool) {
			v, ok := map[string]string{"HOME": "/home/alice", "PATH": "/usr/bin:/bin", "GIT_PAGER": "cat", "API_TOKEN": "x", "SECRET_URL": "x"}[name]
			return v, ok
		},
		List: func(dir string) []string { return files[dir] },
		Resolve: func(file string) (string, bool) {
			file = path.Clean(file)
			for link, to := range links {
				if Within(file, link, false) {
					return to + strings.TrimPrefix(file, link), true
				}
			}
			return file, true
		},
		Repo: func(dir string) string {
			if Within(dir, "/srv/app", false) {
				return "/srv/app"
			}
			return ""
		},
		Quiet: func(string) bool { return true },
	}
}

// TestProved runs the table in testdata/proved.txt. What is proved is allowed.
func TestProved(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "proved.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set := provingSetting()
	lines, n := bufio.NewScanner(f), 0
	for lines.Scan() {
		want, command, ok := strings.Cut(lines.Text(), "\t")
		if !ok || strings.HasPrefix(want, "#") {
			continue
		}
		n++
		command = strings.ReplaceAll(command, `\n`, "\n")
		got := Judge(command, set)
		if got.Proved != (want == "yes") {
			t.Errorf("%q: proved %t (%s), want %s", command, got.Proved, got.Decision, want)
		}
		if got.Proved && got.Decision != Allow {
			t.Errorf("%q is proved and %s", command, got.Decision)
		}
	}
	if lines.Err() != nil || n < 300 {
		t.Errorf("%d commands read, %v", n, lines.Err())
	}
}

// Whatever is not known about the place proves less, never more.
func TestProvedNeedsToKnow(t *testing.T) {
	for _, c := range []struct {
		command string
		change  func(*Setting)
	}{
		{"ls", func(s *Setting) { s.Cwd = "" }},
		{"ls", func(s *Setting) { s.Shadowed = func(string) bool { return true } }},
		{"cat *.go", func(s *Setting) { s.List = nil }},
		{"git status", func(s *Setting) { s.Repo = nil }},
		{"git status", func(s *Setting) { s.Quiet = nil }},
		{"git status", func(s *Setting) { s.Quiet = func(string) bool { return false } }},
		{"git status", func(s *Setting) { s.Distrusted = true }},
		{"git status", func(s *Setting) { s.Workspace = "/srv" }},
		{"git status", withVariable("GIT_TRACE", "/tmp/x")},
		{"ls", func(s *Setting) { s.NoProof = true }},
		{"echo $DATABASE_URL", withVariable("DATABASE_URL", "x")},
		{"git log", withVariable("GIT_PAGER", "less")},
		{"git log", withVariable("HOME", "/srv/app")},
		{"rg x", withVariable("RIPGREP_CONFIG_PATH", "/srv/app/rg")},
		{"ls", withVariable("LD_PRELOAD", "./x.so")},
		{"ls", withVariable("LD_LIBRARY_PATH", "/srv/app/lib")},
		{"cd src && ls", withVariable("CDPATH", "/home/alice")},
		{"x=1; echo $x", withVariable("x", "exported")},
		{"rg x", func(s *Setting) { s.Workspace, s.Cwd = "/home/alice", "/home/alice" }},
		{"rg x", func(s *Setting) { s.Workspace, s.Cwd = "/", "/" }},
	} {
		set := provingSetting()
		if !Judge(c.command, set).Proved {
			t.Errorf("%q is not proved at first", c.command)
		}
		c.change(&set)
		if Judge(c.command, set).Proved {
			t.Errorf("%q is proved without knowing enough", c.command)
		}
	}
}

func withVariable(name, value string) func(*Setting) {
	return func(s *Setting) {
		old := s.Getenv
		s.Getenv = func(n string) (string, bool) {
			if n == name {
				return value, true
			}
			return old(n)
		}
	}
}

// What follows a proved command, or stands in it, must be proved as well.
func TestProvedIsFragile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "proved.txt"))
	if err != nil {
		t.Fatal(err)
	}
	set := provingSetting()
	for line := range strings.Lines(string(data)) {
		want, command, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if want != "yes" {
			continue
		}
		command = strings.ReplaceAll(command, `\n`, "\n")
		for _, more := range []string{"\ntouch x", "\n: > x", "\nls $(rm x)", "\n. ./x", " &", "\nPATH=.", "\nls() { rm x; }", "\n! ./x"} {
			if Judge(command+more, set).Proved {
				t.Errorf("%q is proved with %q behind it", command, more)
			}
		}
		if strings.ContainsAny(command, "\n|&;<>()#'\"") {
			continue
		}
		for _, more := range []string{" --zzz", " > x", " 2>>x", " >&x", " < /home/alice/.ssh/id_rsa", " <>x"} {
			word, _, _ := strings.Cut(command, " ")
			prog := provable()[word]
			anyWord := strings.Contains(command, " -- ") || strings.Contains(command, "rev-parse") ||
				prog != nil && prog.operands == unparsed && slices.Contains([]string{"echo", "basename", "command", "printf", "test"}, prog.name)
			if more == " --zzz" && anyWord {
				continue // takes any word as a text
			}
			if Judge(command+more, set).Proved {
				t.Errorf("%q is proved with %q behind it", command, more)
			}
		}
	}
}

// FuzzProved wants no panic, and that what is proved is allowed and stays
// unproved with a change before it.
func FuzzProved(f *testing.F) {
	seeds(f)
	data, err := os.ReadFile(filepath.Join("testdata", "proved.txt"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if _, command, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			f.Add(strings.ReplaceAll(command, `\n`, "\n"))
		}
	}
	set := provingSetting()
	f.Fuzz(func(t *testing.T, command string) {
		v := Judge(command, set)
		if !v.Proved {
			return
		}
		if v.Decision != Allow {
			t.Errorf("%q is proved and %s", command, v.Decision)
		}
		if Judge("touch x\n"+command, set).Proved {
			t.Errorf("%q is proved with a change before it", command)
		}
	})
}
