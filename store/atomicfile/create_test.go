package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	there := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	failed := errors.New("failed")
	err := Create(name, func(w io.Writer) error {
		if _, err := w.Write([]byte("half")); err != nil {
			return err
		}
		return failed
	})
	if !errors.Is(err, failed) || len(there()) != 0 {
		t.Fatalf("%v, %q", err, there())
	}
	old := filepath.Join(dir, halfway+"old")
	if err := errors.Join(os.WriteFile(old, nil, 0o600), os.Chtimes(old, time.Time{}, time.Now().Add(-25*time.Hour))); err != nil {
		t.Fatal(err)
	}
	whole := func(w io.Writer) error { _, err := w.Write([]byte("all of it")); return err }
	if err := Create(name, whole); err != nil || len(there()) != 1 {
		t.Fatalf("%v, %q", err, there())
	}
	if err := Create(name, whole); !errors.Is(err, fs.ErrExist) || len(there()) != 1 {
		t.Errorf("again: %v, %q", err, there())
	}
}

// A process that is killed while it writes leaves nothing under the name.
func TestCreateKilled(t *testing.T) {
	if name := os.Getenv("ATOMICFILE_KILLED"); name != "" {
		_ = Create(name, func(w io.Writer) error {
			_, _ = w.Write(make([]byte, 1<<20))
			_, _ = os.Stdout.WriteString("written\n")
			select {}
		})
		return
	}
	name := filepath.Join(t.TempDir(), "out")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCreateKilled$") //nolint:gosec // this test
	cmd.Env = append(os.Environ(), "ATOMICFILE_KILLED="+name)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.ReadFull(out, make([]byte, len("written")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}
