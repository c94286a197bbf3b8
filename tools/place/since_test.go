//go:build linux || darwin

package place

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestChangedSince(t *testing.T) {
	dir, apart := t.TempDir(), t.TempDir()
	fsys := newLocal(t).FS()
	sub := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(sub, "f")
	write(t, file, "x")
	stamp := func() time.Time {
		t.Helper()
		for first := Stamp(fsys, filepath.Join(apart, "stamp")); ; { // times of files have a grain
			if now := Stamp(fsys, filepath.Join(apart, "stamp")); now.After(first) {
				return now
			}
		}
	}
	changed := func(since time.Time) bool { return ChangedSince(context.Background(), fsys, []string{dir}, since) }
	if changed(stamp()) {
		t.Error("nothing was changed")
	}
	for name, change := range map[string]func() error{
		"written": func() error { return os.WriteFile(file, []byte("y"), 0o600) },
		"made":    func() error { return os.WriteFile(filepath.Join(sub, "new"), nil, 0o600) },
		"removed": func() error { return os.Remove(filepath.Join(sub, "new")) },
		"mode":    func() error { return os.Chmod(file, 0o640) },
		"back-dated": func() error {
			if err := os.WriteFile(file, []byte("z"), 0o600); err != nil {
				return err
			}
			return os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))
		},
	} {
		if name == "removed" {
			write(t, filepath.Join(sub, "new"), "")
		}
		since := stamp()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if !changed(since) {
			t.Errorf("%s: not seen", name)
		}
	}
	if !changed(time.Time{}) {
		t.Error("an unknown time says that nothing was changed")
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if since := stamp(); !ChangedSince(over, fsys, []string{dir}, since) || !ChangedSince(context.Background(), fsys, []string{filepath.Join(dir, "none")}, since) {
		t.Error("what cannot be looked at counts as unchanged")
	}
}
