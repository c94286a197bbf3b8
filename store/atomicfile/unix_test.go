//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func mode(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestWriteSetsExactMode(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, octal := range []string{"600", "644", "755", "666", "400", "000", "640"} {
		if out := run(t, helper(t, "write", name, octal)); out != "" {
			t.Fatal(out)
		}
		var want fs.FileMode
		for _, d := range octal {
			want = want<<3 | fs.FileMode(d-'0')
		}
		if got := mode(t, name); got != want {
			t.Errorf("mode %o, want %o", got, want)
		}
	}
}

func TestWriteIgnoresSpecialBits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := Write(name, nil, 0o755|fs.ModeSetuid|fs.ModeDir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestLockFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	fresh, old := filepath.Join(dir, "fresh"), filepath.Join(dir, "old")
	if err := os.WriteFile(old, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(old, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fresh, old} {
		if out := run(t, helper(t, "lock", name)); out != "" {
			t.Fatal(out)
		}
		if got := mode(t, name); got != 0o600 {
			t.Errorf("%s has mode %o", name, got)
		}
	}
}

func TestLockRefusesOtherThanFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, link, target := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("SKIPPED: no pipes here:", err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, link, dir} {
		if l, err := TryAcquire(name); err == nil {
			t.Errorf("%s was locked", name)
			_ = l.Close()
		}
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

func TestMkdirPrivateMakesParents(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "a", "b", "c")
	if out := run(t, helper(t, "mkdir", dir)); out != "" {
		t.Fatal(out)
	}
	for d := dir; d != base; d = filepath.Dir(d) {
		if got := mode(t, d); got != 0o700 {
			t.Errorf("%s has mode %o", d, got)
		}
	}
}

func TestMkdirPrivateRepairs(t *testing.T) {
	parent := t.TempDir()
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, link := filepath.Join(parent, "dir"), filepath.Join(parent, "link")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []fs.FileMode{0o755, 0o777, 0o000, 0o300, 0o700} {
		for _, name := range []string{dir, dir + "/", link} {
			if err := os.Chmod(dir, wrong); err != nil {
				t.Fatal(err)
			}
			if err := MkdirPrivate(name); err != nil {
				t.Errorf("%s with mode %o: %v", name, wrong, err)
			}
			if got := mode(t, dir); got != 0o700 {
				t.Errorf("%s with mode %o became %o", name, wrong, got)
			}
		}
	}
	if got := mode(t, parent); got != 0o755 {
		t.Errorf("the parent was changed to %o", got)
	}
}

func TestMkdirPrivateRefuses(t *testing.T) {
	dir := t.TempDir()
	file, shared, dangling := filepath.Join(dir, "file"), filepath.Join(dir, "shared"), filepath.Join(dir, "dangling")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), dangling); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		file:                         syscall.ENOTDIR,
		filepath.Join(file, "below"): syscall.ENOTDIR,
		shared:                       ErrNotOwned,
		dangling:                     fs.ErrNotExist,
		"/":                          nil,
	} {
		if name == "/" && os.Geteuid() == 0 {
			continue // it belongs to root
		}
		if err := MkdirPrivate(name); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("MkdirPrivate(%s) = %v, want %v", name, err, want)
		}
	}
	if got := mode(t, shared); got != 0o777 {
		t.Errorf("the shared directory became %o", got)
	}
}

// Root meets directories of other users: planted ones are refused, those in a
// tree of that user are used.
func TestMkdirPrivateAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can give files away")
	}
	const other = 12345
	base := t.TempDir()
	planted, tree := filepath.Join(base, "planted"), filepath.Join(base, "tree")
	volume := filepath.Join(tree, "cache")
	for _, d := range []string{planted, tree, volume} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d, other, other); err != nil {
			t.Fatal(err)
		}
	}
	if err := MkdirPrivate(planted); !errors.Is(err, ErrNotOwned) {
		t.Errorf("planted directory: %v", err)
	}
	if err := MkdirPrivate(volume); err != nil {
		t.Errorf("directory in a foreign tree: %v", err)
	}
	if got := mode(t, volume); got != 0o700 {
		t.Errorf("directory in a foreign tree has mode %o", got)
	}
}
