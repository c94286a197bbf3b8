//go:build unix

package sessions

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"hermes-tui/internal/disktest"
)

func TestModes(t *testing.T) {
	if !disktest.Again(t, nil) {
		return
	}
	for _, mask := range []int{0, 0o777} {
		old := syscall.Umask(mask)
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "state.db")
		d := mustOpen(t, path)
		begin(t, d, "c")
		for _, name := range companions(path)[:3] {
			if m := mode(t, name); m != 0o600 {
				t.Errorf("umask %o: %s has mode %o", mask, filepath.Base(name), m)
			}
		}
		for _, name := range companions(path)[:3] {
			if err := os.Chmod(name, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		other := mustOpen(t, path)
		for _, name := range companions(path)[:3] {
			if m := mode(t, name); m != 0o600 {
				t.Errorf("umask %o: %s still has mode %o", mask, filepath.Base(name), m)
			}
		}
		mustClose(t, other)
		mustClose(t, d)
		syscall.Umask(old)
	}
}

// A limit on the size of files stands for a full disk where none can be made.
func TestSizeLimit(t *testing.T) {
	if !disktest.Again(t, nil) {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	tight := limit
	tight.Cur = 512 << 10
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &tight); err != nil {
		t.Fatal(err)
	}
	last := fillUp(t, d)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	afterFull(t, d, last)
}

// fillUp commits until nothing more fits and returns the number that did not.
func fillUp(t *testing.T, d *DB) int {
	t.Helper()
	for n := 1; n < 5000; n++ {
		if err := d.Commit(t.Context(), bulky(n)); err != nil {
			wantKind(t, err, KindFull)
			// What is there can be read.
			if got := len(events(t, d, "c", 0)); got != n-1 {
				t.Errorf("%d events, %d were acknowledged", got, n-1)
			}
			return n
		}
	}
	t.Fatal("the disk never was full")
	return 0
}

func bulky(n int) Batch {
	b := say("c", n)
	b.Messages[0].ReasoningDetails = strings.Repeat("0123456789abcdef", 2048)
	return b
}

// afterFull checks that the refused batch can be committed once there is space.
func afterFull(t *testing.T, d *DB, n int) {
	t.Helper()
	mustCommit(t, d, bulky(n))
	mustCommit(t, d, bulky(n))
	mustCommit(t, d, bulky(n+1))
	if got := len(events(t, d, "c", 0)); got != n+1 {
		t.Errorf("%d events, want %d", got, n+1)
	}
	path := d.Path()
	mustClose(t, d)
	wantValue(t, path, "PRAGMA integrity_check", "ok")
	wantValue(t, path, "SELECT count(DISTINCT id) || ' ' || count(*) FROM tui_messages", value(t, path, "SELECT max(seq) || ' ' || max(seq) FROM tui_journal"))
}

// asNobody gives up the rights of root in a process of its own, in which files
// below the returned folder belong to a user without any.
func asNobody(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if os.Getuid() != 0 {
		return dir
	}
	const nobody = 65534
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chown(d, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		t.Skip("SKIPPED: can't give up rights:", err)
	}
	return dir
}

func TestPermissions(t *testing.T) {
	if !disktest.Again(t, nil) {
		return
	}
	dir := asNobody(t)
	path := filepath.Join(dir, "state.db")
	d := mustOpen(t, path)
	begin(t, d, "c")
	mustCommit(t, d, say("c", 1))
	mustClose(t, d)
	chmod := func(name string, m os.FileMode) {
		t.Helper()
		if err := os.Chmod(name, m); err != nil {
			t.Fatal(err)
		}
	}
	open := func(o Options) error {
		d, err := Open(t.Context(), path, o)
		if err != nil {
			return err
		}
		if n := len(events(t, d, "c", 0)); n != 1 {
			t.Errorf("%d events", n)
		}
		return d.Close()
	}
	chmod(path, 0)
	wantKind(t, open(Options{}), KindPermission)
	wantKind(t, open(Options{ReadOnly: true}), KindPermission)
	chmod(path, 0o400)
	wantKind(t, open(Options{}), KindReadOnly)
	if err := open(Options{ReadOnly: true}); err != nil {
		t.Error(err)
	}
	chmod(path, 0o600)
	chmod(dir, 0o500)
	wantKind(t, open(Options{}), KindReadOnly)
	if err := open(Options{ReadOnly: true}); err != nil {
		t.Error(err)
	}
	chmod(dir, 0)
	wantKind(t, open(Options{}), KindPermission)
	chmod(dir, 0o500)
	path = filepath.Join(dir, "new.db")
	wantKind(t, open(Options{}), KindReadOnly)
	chmod(dir, 0o700)
}

func TestFileVanishes(t *testing.T) {
	path := newPath(t)
	d := mustOpen(t, path)
	begin(t, d, "c")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, d.Commit(t.Context(), say("c", 1)), KindGone)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantKind(t, d.Commit(t.Context(), say("c", 1)), KindGone)
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, d, say("c", 1))
}
