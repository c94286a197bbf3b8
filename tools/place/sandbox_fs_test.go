//go:build unix

package place

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// walls is a sandbox that starts nothing: what its file system and its
// instructions do needs no system that can confine.
func walls(t testing.TB, o SandboxOptions) *Sandbox {
	t.Helper()
	l := newLocal(t)
	s, err := newSandbox(l, o)
	if err == nil {
		err = s.settle(l)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSandboxFS(t *testing.T) {
	top := tempDir(t)
	at := func(name string) string { return filepath.Join(top, name) }
	for _, d := range []string{"work/sub", "work-secrets", "other"} {
		if err := os.MkdirAll(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"canary", "other/canary", "work/f"} {
		write(t, at(f), "alive")
	}
	link(t, at("canary"), at("work/file"))
	link(t, at("other"), at("work/dir"))
	link(t, at("work"), at("way"))
	link(t, "sub", at("work/in"))
	s := walls(t, SandboxOptions{Roots: []string{at("way")}})
	if got := s.Info(); len(got.Roots) != 1 || got.Roots[0] != at("work") || got.Temp != s.base || !got.Confined || got.Network || got.Name != "sandbox" {
		t.Errorf("info %+v", got)
	}
	fsys := s.FS()
	refused := map[string]struct{ err, want error }{
		"outside":                 {fsys.WriteAtomic(at("new"), nil, 0o644), ErrConfined},
		"over the canary":         {fsys.WriteAtomic(at("canary"), nil, 0o644), ErrConfined},
		"name that begins alike":  {fsys.WriteAtomic(at("work-secrets/x"), nil, 0o644), ErrConfined},
		"dots":                    {fsys.WriteAtomic(at("work")+"/../canary", nil, 0o644), ErrConfined},
		"dots and slashes":        {fsys.WriteAtomic(at("work")+"//.././/canary", nil, 0o644), ErrConfined},
		"through a link":          {fsys.WriteAtomic(at("work/dir/canary"), nil, 0o644), ErrConfined},
		"over a link":             {fsys.WriteAtomic(at("work/file"), nil, 0o644), ErrLink},
		"link on the inside":      {fsys.WriteAtomic(at("work/in/x"), nil, 0o644), ErrLink},
		"link from outside":       {fsys.WriteAtomic(at("way/x"), nil, 0o644), ErrLink},
		"relative":                {fsys.WriteAtomic("x", nil, 0o644), errNotAbsolute},
		"the root itself":         {fsys.Remove(at("work")), ErrConfined},
		"remove":                  {fsys.Remove(at("canary")), ErrConfined},
		"remove through a link":   {fsys.Remove(at("work/dir/canary")), ErrConfined},
		"rename in":               {fsys.Rename(at("canary"), at("work/c")), ErrConfined},
		"rename out":              {fsys.Rename(at("work/f"), at("c")), ErrConfined},
		"rename through a link":   {fsys.Rename(at("work/f"), at("work/dir/c")), ErrConfined},
		"rename the root":         {fsys.Rename(at("work"), at("work/sub/x")), ErrConfined},
		"symlink":                 {fsys.Symlink("x", at("l")), ErrConfined},
		"symlink through a link":  {fsys.Symlink("x", at("work/dir/l")), ErrConfined},
		"folder":                  {second(fsys.MkdirAll(at("d/e"), 0o755)), ErrConfined},
		"folder through a link":   {second(fsys.MkdirAll(at("work/dir/d"), 0o755)), ErrConfined},
		"folder, dots":            {second(fsys.MkdirAll(at("work")+"/../d", 0o755)), ErrConfined},
		"the way the kernel says": {fsys.WriteAtomic("/proc/self/cwd/x", nil, 0o644), ErrConfined},
	}
	for what, c := range refused {
		var pe *fs.PathError
		if !errors.Is(c.err, c.want) || !errors.As(c.err, &pe) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	if got := names(t, top); got != "canary other way work work-secrets" || names(t, at("other")) != "canary" || names(t, at("work-secrets")) != "" {
		t.Errorf("outside: %s", got)
	}
	for i, err := range []error{
		fsys.WriteAtomic(at("work/f"), []byte("new"), 0o644), second(fsys.MkdirAll(at("work/a/b"), 0o755)),
		fsys.Rename(at("work/f"), at("work/a/b/f")), fsys.Symlink(at("canary"), at("work/l")), fsys.Remove(at("work/l")), fsys.Remove(at("work/file")),
		fsys.WriteAtomic(filepath.Join(s.base, "x"), nil, 0o600), second(fsys.MkdirAll(at("other"), 0o755)),
	} {
		if err != nil {
			t.Errorf("change %d: %v", i, err)
		}
	}
	for _, name := range []string{"canary", "other/canary"} {
		f, err := fsys.Open(at(name))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if read(t, at(name)) != "alive" {
			t.Errorf("%s has changed", name)
		}
	}
}

func second(_ []string, err error) error { return err }

// A folder of the workspace becomes a link to the outside at any moment.
func TestSandboxFSRace(t *testing.T) {
	top := tempDir(t)
	work, outside := filepath.Join(top, "work"), filepath.Join(top, "outside")
	inside := filepath.Join(work, "d")
	for _, d := range []string{inside, outside} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(outside, "a"), "canary")
	fsys := walls(t, SandboxOptions{Roots: []string{work}}).FS()
	stop := make(chan struct{})
	var attacker sync.WaitGroup
	attacker.Go(func() { swapLinks(stop, inside, outside, filepath.Join(work, "kept")) })
	for range raced {
		_ = fsys.WriteAtomic(filepath.Join(inside, "a"), []byte("x"), 0o644)
		_ = fsys.Rename(filepath.Join(inside, "a"), filepath.Join(work, "a"))
		_ = fsys.Remove(filepath.Join(work, "a"))
		_ = fsys.Remove(filepath.Join(inside, "a"))
	}
	close(stop)
	attacker.Wait()
	if got := names(t, outside); got != "a" || read(t, filepath.Join(outside, "a")) != "canary" {
		t.Errorf("outside: %q", got)
	}
}

func TestSandboxOptions(t *testing.T) {
	dir := tempDir(t)
	for _, d := range []string{"a/b/c", "ab"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "file"), "")
	link(t, filepath.Join(dir, "a"), filepath.Join(dir, "l"))
	bad := map[string]SandboxOptions{
		"relative root":   {Roots: []string{"x"}},
		"missing root":    {Roots: []string{filepath.Join(dir, "no")}},
		"file as root":    {Roots: []string{filepath.Join(dir, "file")}},
		"everything":      {Roots: []string{"/"}},
		"relative hidden": {Hidden: []string{"x"}},
		"relative kept":   {ReadOnly: []string{"x"}},
		"relative socket": {Sockets: []string{"x"}},
		"relative helper": {Helper: []string{"x"}},
	}
	for what, o := range bad {
		if s, err := NewSandbox(context.Background(), newLocal(t), o); err == nil {
			t.Errorf("%s: made", what)
			s.Close()
		}
	}
	got, err := realRoots([]string{dir + "/l/b", dir + "/a", dir + "/ab", dir + "/a/b/c", dir + "/a"})
	if want := dir + "/a " + dir + "/ab"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("roots %q, %v", got, err)
	}
}

// The scratch directories of a sandbox lie in one that is its own.
func TestSandboxScratch(t *testing.T) {
	s := walls(t, SandboxOptions{})
	dir, remove, err := s.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(dir) != s.Info().Temp || s.Info().Temp != s.base {
		t.Errorf("%s is not in %s", dir, s.base)
	}
	if err := s.FS().WriteAtomic(filepath.Join(dir, "f"), nil, 0o600); err != nil {
		t.Error(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.base); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Close: %v", err)
	}
}

func TestSeatbeltProfile(t *testing.T) {
	top := tempDir(t)
	nasty := filepath.Join(top, `a" (allow file-write*) \ $(x) `)
	for _, d := range []string{nasty + "/.git/hooks", top + "/home/.hermes", nasty + "/in"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := SandboxOptions{
		Roots: []string{nasty}, ReadOnly: []string{nasty + "/.git/hooks", top + "/elsewhere"},
		Hidden: []string{top + "/home/.hermes", nasty + "/in"}, Sockets: []string{"/agent"},
	}
	argv := walls(t, o).seatbeltArgv([]string{"/bin/echo", "-D", "x=y"})
	rest := strings.Join(argv[3:], "\n")
	if argv[0] != "/usr/bin/sandbox-exec" || argv[1] != "-p" || !strings.HasSuffix(rest, "\n/bin/echo\n-D\nx=y") {
		t.Errorf("command line %q", argv)
	}
	text := argv[2]
	if strings.Contains(text, top) || strings.Contains(text, "$(x)") {
		t.Errorf("a path stands in the profile:\n%s", text)
	}
	// A parameter stands for what was given under its name.
	param := func(path string) string {
		for _, a := range argv {
			if name, value, ok := strings.Cut(a, "="); ok && value == path {
				return `(param "` + name + `")`
			}
		}
		t.Fatalf("no parameter for %s in %q", path, argv)
		return ""
	}
	order := []string{
		"(version 1)", "(allow default)", "(deny file-write*)\n",
		"(deny file-read* (subpath " + param(top+"/home/.hermes") + "))",
		"(allow file-read* file-write* (subpath " + param(nasty) + ")",
		"(deny file-write* (subpath " + param(nasty+"/.git/hooks") + "))",
		"(deny file-read* file-write* (subpath " + param(nasty+"/in") + "))",
		"(deny file-write-unlink (literal " + param(nasty+"/.git") + "))",
		"(deny network*)\n", "(allow network-bind (local unix-socket (subpath ", "(allow network-outbound (remote unix-socket (subpath ",
		"(deny signal)", "(allow signal (target same-sandbox))",
	}
	at := 0
	for _, want := range order {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %s after\n%s\nin\n%s", want, text[:at], text)
		}
		at += i
	}
	if strings.Count(text, "(") != strings.Count(text, ")") || strings.Count(text, "network-outbound") != 3 {
		t.Errorf("profile:\n%s", text)
	}
	o.Network = true
	open := walls(t, o).profile().rules.String()
	if strings.Contains(open, "(deny network*)") || !strings.Contains(open, "(deny network-outbound (remote unix-socket))") {
		t.Errorf("with the network:\n%s", open)
	}
}
