package place

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestOtherNamesOfKeys: a key that has a second name in the workspace is read by neither,
// whether it is hidden itself or its folder is. Ordinary files with two names are.
func TestOtherNamesOfKeys(t *testing.T) {
	base, work := tempDir(t), tempDir(t)
	folder, single := filepath.Join(base, "keys"), filepath.Join(base, "token")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(work, "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for key, name := range map[string]string{filepath.Join(folder, "id"): "notes.txt", single: "deep/other.txt", filepath.Join(base, "plain"): "plain.txt"} {
		write(t, key, "secret\n")
		if err := os.Link(key, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	g, err := NewGuarded(t.Context(), newLocal(t), GuardedOptions{Roots: []string{work}, Hidden: []string{folder, single}})
	if err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Cleanup(func() { _ = g.Close() })
	s, err := NewSandbox(t.Context(), newLocal(t), SandboxOptions{Roots: []string{work}, Hidden: []string{folder, single}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for name, run := range map[string]func(script string) string{
		"guarded": func(script string) string { out, _ := g.run(t, work, script, &Confine{}); return out },
		"sandbox": func(script string) string { out, _ := runIn(t, s, work, script); return out },
	} {
		if !g.box.system.mounts {
			t.Skip("SKIPPED: no mount namespaces here")
		}
		if out := run("cat notes.txt deep/other.txt"); strings.Contains(out, "secret") {
			t.Errorf("%s: %s", name, out)
		}
		if out := run("cat plain.txt"); out != "secret\n" {
			t.Errorf("%s: an ordinary file: %s", name, out)
		}
	}
	if !g.Hides(filepath.Join(work, "notes.txt")) || g.Hides(filepath.Join(work, "plain.txt")) {
		t.Error("the file tools are not told")
	}
}

// TestSandboxTemp: commands of a sandbox have a /tmp of their own as confined ones have, and the
// user's files there are shown whatever they are called.
func TestSandboxTemp(t *testing.T) {
	pid := strconv.Itoa(os.Getpid())
	theirs, made := "/tmp/hermes-notes-"+pid, "/tmp/place-test-made-"+pid
	write(t, theirs, "theirs\n")
	t.Cleanup(func() { _, _ = os.Remove(theirs), os.Remove(made) })
	work := tempDir(t)
	s, err := NewSandbox(t.Context(), newLocal(t), SandboxOptions{Roots: []string{work}})
	if err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if s.temp == "" || !s.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	out, code := runIn(t, s, work, "cat "+theirs+"; echo own > "+made+"; cat "+made+"; echo x > "+theirs)
	if code == 0 || !strings.HasPrefix(out, "theirs\nown\n") || read(t, theirs) != "theirs\n" {
		t.Errorf("%d, %s", code, out)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("it is made in the common folder")
	}
	if got := string(readIn(t, s.FS(), made)); got != "own\n" {
		t.Errorf("the file tools read %q", got)
	}
	if err := s.FS().WriteAtomic(made, []byte("changed\n"), 0o600); err != nil {
		t.Error(err)
	}
	if err := s.FS().WriteAtomic(theirs, []byte("changed\n"), 0o600); err == nil || read(t, theirs) != "theirs\n" {
		t.Errorf("the file tools change what is not theirs: %v", err)
	}
	if out, _ := runIn(t, s, work, "cat "+made); out != "changed\n" {
		t.Errorf("afterwards it is %q", out)
	}
}

// runIn runs a script in a sandbox.
func runIn(t *testing.T, s *Sandbox, dir, script string) (string, int) {
	t.Helper()
	var out strings.Builder
	p, err := s.Start(t.Context(), Proc{Argv: []string{"/bin/sh", "-c", script}, Dir: dir, Env: os.Environ(), Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), exit.Code
}
