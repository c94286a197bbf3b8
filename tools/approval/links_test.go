package approval

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools/shellrisk"
)

// A command that goes through a link is judged by where it leads.
func TestGateFollowsLinks(t *testing.T) {
	s := newScene(t)
	outside := filepath.Join(filepath.Dir(s.dir), "outside")
	for _, d := range []string{outside, filepath.Join(s.dir, "sub")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"notes.txt": filepath.Join(s.home, ".bashrc"), "out": outside, "home": s.home, "in": "sub", "hook": ".git/hooks/pre-commit",
	} {
		if err := os.Symlink(target, filepath.Join(s.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]struct{ allowed, blocked bool }{
		"echo x >> notes.txt":        {false, false},
		"tee notes.txt < /dev/null":  {false, false},
		"cp a hook":                  {false, false},
		"rm out/x":                   {false, false},
		"cd out && rm x":             {false, false},
		"rm -rf home/*":              {false, true},
		"cd home && rm -rf *":        {false, true},
		"rm -rf home/../app/../home": {false, true},
		"rm notes.txt":               {true, false}, // the link, not what it leads to
		"rm in/x":                    {true, false},
		"echo x > in/new":            {true, false},
		"cat notes.txt":              {true, false},
	} {
		_, d := s.pass(t, s.exec(command), ModeManual)
		if (d == nil) != want.allowed || d != nil && d.Blocked != want.blocked {
			t.Errorf("%q: %+v", command, d)
		}
	}
}

func TestWritesFollowLinks(t *testing.T) {
	set := shellrisk.Setting{Cwd: "/w/app", Home: "/home/alice", Workspace: "/w/app"}
	set.Resolve = func(file string) (string, bool) {
		for link, target := range map[string]string{
			"/w/app/out": "/srv/other", "/w/app/rc": "/home/alice/.bashrc", "/w/app/in": "/w/app/sub", "/w/link": "/w/app",
		} {
			if rest, ok := strings.CutPrefix(file, link); ok && (rest == "" || rest[0] == '/') {
				file = target + rest
			}
		}
		return path.Clean(file), true
	}
	for command, want := range map[string]shellrisk.Category{
		"echo x > out/new":         shellrisk.CatOutside,
		"echo x > out/$RANDOM":     shellrisk.CatOutside,
		"echo x > out/../new":      shellrisk.CatOutside, // beside /srv/other, not in the workspace
		"cd out && echo x > ../y":  shellrisk.CatOutside,
		"echo x >> rc":             shellrisk.CatSensitiveFile,
		"cp a rc":                  shellrisk.CatSensitiveFile,
		"echo x > in/new":          shellrisk.CatNone,
		"echo x > /w/link/new":     shellrisk.CatNone,
		"cd /w/link && rm a":       shellrisk.CatNone,
		"rm out/*.o":               shellrisk.CatDelete,
		"rm in/*.o":                shellrisk.CatNone,
		"echo x > /dev/stderr":     shellrisk.CatNone,
		"go test 2>&1 > /tmp/x.go": shellrisk.CatNone,
	} {
		if got := shellrisk.Judge(command, set); got.Category != want {
			t.Errorf("%q: %s (it %s), want %s", command, got.Category, got.Reason, want)
		}
	}
}

// Names of the home, the workspace and the directory may all go through links.
func TestGateKnowsPlacesByOtherNames(t *testing.T) {
	s := newScene(t)
	base := filepath.Dir(s.dir)
	for link, target := range map[string]string{"app2": s.dir, "home2": s.home} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	s.gate = New(Options{Place: s.place, Home: filepath.Join(base, "home2"), Workspace: filepath.Join(base, "app2")})
	for command, allowed := range map[string]bool{
		"echo x > a": true, "rm b": true, "~/bin/tool --version": true, "ls $HOME": true, "rm -rf ~": false,
	} {
		for _, dir := range []string{s.dir, filepath.Join(base, "app2")} {
			a := s.exec(command)
			a.Dir = dir
			a.Env[0] = "HOME=" + filepath.Join(base, "home2")
			if _, d := s.pass(t, a, ModeManual); (d == nil) != allowed {
				t.Errorf("%q in %s: %v", command, dir, d)
			}
		}
	}
}
