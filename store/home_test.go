package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vars is an environment.
func vars(pairs ...string) Lookup {
	return func(key string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestFind(t *testing.T) {
	user := vars("HOME", "/home/ann")
	both := vars("HOME", "/home/ann", "HERMES_HOME", "/data/hermes")
	inProfile := vars("HERMES_HOME", "/data/profiles/work")
	for _, c := range []struct {
		name               string
		where              Where
		dir, root, profile string
	}{
		{"default", Where{Env: user}, "/home/ann/.hermes", "/home/ann/.hermes", "default"},
		{"environment", Where{Env: both}, "/data/hermes", "/data/hermes", "default"},
		{"argument wins", Where{Dir: "/arg/", Env: both}, "/arg", "/arg", "default"},
		{"blank is not set", Where{Env: vars("HOME", "/h", "HERMES_HOME", " ")}, "/h/.hermes", "/h/.hermes", "default"},
		{"tilde", Where{Env: vars("HOME", "/h", "HERMES_HOME", "~/x")}, "/h/x", "/h/x", "default"},
		{"tilde alone", Where{Dir: "~", Env: user}, "/home/ann", "/home/ann", "default"},
		{"tilde of another", Where{Dir: "~bob", Env: user, WorkDir: "/w"}, "/w/~bob", "/w/~bob", "default"},
		{"relative", Where{Dir: "x/../y", Env: user, WorkDir: "/w"}, "/w/y", "/w/y", "default"},
		{"no home directory needed", Where{Env: vars("HERMES_HOME", "/d")}, "/d", "/d", "default"},
		{"profile", Where{Env: user, Profile: "work"}, "/home/ann/.hermes/profiles/work", "/home/ann/.hermes", "work"},
		{"default profile", Where{Env: user, Profile: "default"}, "/home/ann/.hermes", "/home/ann/.hermes", "default"},
		{"profile by directory", Where{Env: inProfile}, "/data/profiles/work", "/data", "work"},
		{"sibling of a profile", Where{Env: inProfile, Profile: "play"}, "/data/profiles/play", "/data", "play"},
		{"out of a profile", Where{Env: inProfile, Profile: "default"}, "/data", "/data", "default"},
		{"not a profile's name", Where{Dir: "/d/profiles/Work"}, "/d/profiles/Work", "/d/profiles/Work", "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := Find(c.where)
			if err != nil {
				t.Fatal(err)
			}
			if h.Dir() != c.dir || h.Root() != c.root || h.Profile() != c.profile {
				t.Errorf("found %q in %q, profile %q", h.Dir(), h.Root(), h.Profile())
			}
		})
	}
}

func TestFindErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		where Where
		want  Problem
		says  string
	}{
		{"nothing set", Where{Env: vars()}, NoHome, "set HERMES_HOME"},
		{"no environment", Where{}, NoHome, "set HERMES_HOME"},
		{"relative home", Where{Env: vars("HOME", "ann")}, NoHome, "set HERMES_HOME"},
		{"tilde without home", Where{Dir: "~/x", Env: vars()}, NoHome, "set HERMES_HOME"},
		{"relative, no directory", Where{Dir: "x", Env: vars()}, BadPath, "absolute path"},
		{"NUL", Where{Dir: "/x\x00y"}, BadPath, `"/x\x00y"`},
		{"profile climbs", Where{Dir: "/d", Profile: "../x"}, BadProfile, `"../x"`},
		{"profile upper case", Where{Dir: "/d", Profile: "Work"}, BadProfile, `"Work"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Find(c.where)
			he := (*HomeError)(nil)
			if !errors.As(err, &he) || he.Problem != c.want {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("message %q", err)
			}
		})
	}
}

func TestValidProfile(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "0": true, "work-2_b": true, strings.Repeat("a", 64): true,
		"": false, "-a": false, "_a": false, "A": false, "a.b": false, "a/b": false, "..": false, "é": false,
		"a b": false, "a\n": false, strings.Repeat("a", 65): false,
	} {
		if ValidProfile(name) != want {
			t.Errorf("ValidProfile(%q) = %v", name, !want)
		}
	}
}

func TestPaths(t *testing.T) {
	h, err := Find(Where{Dir: "/d", Profile: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]string{
		"config.yaml":       h.Config(),
		"auth.json":         h.Auth(),
		".env":              h.Env(),
		"state.db":          h.StateDB(),
		"SOUL.md":           h.Soul(),
		"logs":              h.Logs(),
		"cache":             h.Cache(),
		"cache/results/c_1": h.Results("c_1"),
		"cache/leases":      h.Leases(),
		"history.jsonl":     h.History(),
	} {
		if got != filepath.Join("/d/profiles/p", want) {
			t.Errorf("%s is at %s", want, got)
		}
	}
}

// Whatever an id is, its directory is a direct child of its own.
func TestIDsStayInside(t *testing.T) {
	h, err := Find(Where{Dir: "/d"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, id := range []string{
		"c_1", "c_2", "C_1", "", ".", "..", "../../etc", "a/b", `a\b`, "/etc", "a\x00b", "-rf", ".hidden", "a b", "é", "\xff", strings.Repeat("a", 5000),
	} {
		dir := h.Results(id)
		if filepath.Dir(dir) != "/d/cache/results" || len(filepath.Base(dir)) > 100 {
			t.Errorf("id %.20q is at %.80s", id, dir)
		}
		if other, ok := seen[strings.ToLower(dir)]; ok {
			t.Errorf("ids %q and %q share %s", id, other, dir)
		}
		seen[strings.ToLower(dir)] = id
	}
}

func TestEnsureMakes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	h, err := Find(Where{Dir: dir, Profile: "work"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := h.Ensure(); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{filepath.Dir(dir), dir, h.Dir()} {
		wantMode(t, d, 0o700)
	}
	if entries, err := os.ReadDir(h.Dir()); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// The directory at the default place is private; one that a user named keeps
// its mode.
func TestEnsureModes(t *testing.T) {
	user := t.TempDir()
	dir := filepath.Join(user, ".hermes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		where Where
		want  fs.FileMode
	}{
		{Where{Dir: dir}, 0o755},
		{Where{Env: vars("HERMES_HOME", dir)}, 0o755},
		{Where{Env: vars("HOME", user)}, 0o700},
	} {
		h, err := Find(c.where)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Ensure(); err != nil {
			t.Fatal(err)
		}
		wantMode(t, dir, c.want)
	}
}

func wantMode(t *testing.T, name string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", name, got, want)
	}
}

// wantEnsure runs Ensure where it must fail.
func wantEnsure(t *testing.T, h Home, want Problem, path string) {
	t.Helper()
	err := h.Ensure()
	he := (*HomeError)(nil)
	if !errors.As(err, &he) || he.Problem != want || he.Path != path {
		t.Fatalf("error %v, want %q at %s", err, want, path)
	}
	msg := err.Error()
	if !strings.Contains(msg, path) || !strings.Contains(msg, "set HERMES_HOME to") || strings.Contains(msg, "\n") {
		t.Errorf("message %q", msg)
	}
}

func TestEnsureNotDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		h, err := Find(Where{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		wantEnsure(t, h, NotDirectory, dir)
	}
}

func TestEnsureUnusable(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(link+"-target", link); err != nil {
		t.Skip("SKIPPED: no links here:", err)
	}
	h, err := Find(Where{Dir: link})
	if err != nil {
		t.Fatal(err)
	}
	wantEnsure(t, h, Unusable, link)
}

// TestRemember keeps the profile that is used where none is named, and says what is wrong
// with the file that names it.
func TestRemember(t *testing.T) {
	root, err := Find(Where{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	work, err := Find(Where{Dir: root.Root(), Profile: "work"})
	if err != nil {
		t.Fatal(err)
	}
	is := func(want string) {
		t.Helper()
		if got, err := work.Remembered(); got != want || err != nil {
			t.Fatalf("%q, %v; not %q", got, err, want)
		}
	}
	is(DefaultProfile)
	for _, h := range []Home{work, root, root} {
		if err := h.Remember(); err != nil {
			t.Fatal(err)
		}
		is(h.Profile())
	}
	for text, want := range map[string]string{" work \n": "work", "\n": DefaultProfile, "default": DefaultProfile} {
		if err := os.WriteFile(filepath.Join(root.Root(), "active_profile"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		is(want)
	}
	if err := os.WriteFile(filepath.Join(root.Root(), "active_profile"), []byte("../work"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := root.Remembered(); err == nil {
		t.Errorf("%q", got)
	}
}
