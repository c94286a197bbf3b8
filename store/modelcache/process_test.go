package modelcache

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTwoProcessesWrite: what two instances write at once is all there.
func TestTwoProcessesWrite(t *testing.T) {
	dir := t.TempDir()
	a, goA := start(t, "write", dir, "a")
	b, goB := start(t, "write", dir, "b")
	if err := errors.Join(goA(), goB(), a.Wait(), b.Wait()); err != nil {
		t.Fatal(err)
	}
	c := in(dir, time.Now)
	for _, name := range []string{"a", "b"} {
		at := "https://" + name + "/v1"
		for i := range rounds {
			if got, _, ok := c.Get(NewKey(at, strconv.Itoa(i))); !ok || len(got) != 50 {
				t.Errorf("list %d of %s: %d models, %v", i, name, len(got), ok)
			}
			if got, _ := c.Limit("m"+strconv.Itoa(i), at); got != 2_000+i {
				t.Errorf("window %d of %s is %d", i, name, got)
			}
		}
	}
	wantFiles(t, dir)
}

// wantFiles checks that nothing but the files and their locks is there.
func wantFiles(t *testing.T, dir string) {
	t.Helper()
	for _, path := range []string{listsIn(dir), limitsIn(dir)} {
		list, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if strings.Contains(d.Name(), "corrupt") || strings.HasPrefix(d.Name(), ".tmp-") {
				t.Errorf("there is a file %s", d.Name())
			}
		}
	}
}

// TestKilledWhileWriting: killed at any moment, the files are whole and can be written.
func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	c := in(dir, time.Now)
	mine := NewKey("https://mine/v1", "")
	mustPut(t, c, mine, some(3))
	mustLearn(t, c, "mine", base, 8_192)
	for round := range 6 {
		cmd, begin := start(t, "churn", dir, "a")
		if err := begin(); err != nil {
			t.Fatal(err)
		}
		// It is killed after some writes, each time after a different number.
		ceiling := time.Now().Add(time.Minute)
		for n, last := 0, ""; n <= 2*round; {
			if time.Now().After(ceiling) {
				t.Fatal("the helper does not write")
			}
			if b, err := os.ReadFile(limitsIn(dir)); err == nil && string(b) != last {
				last = string(b)
				n++
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if got, _, ok := c.Get(mine); !ok || len(got) != 3 {
			t.Fatalf("round %d: %d models, %v", round, len(got), ok)
		}
		if got, _ := c.Limit("mine", base); got != 8_192 {
			t.Fatalf("round %d: the window is %d", round, got)
		}
		mustPut(t, c, mine, some(3)) // the lock died with its holder
	}
	for _, path := range []string{listsIn(dir), limitsIn(dir)} {
		if _, err := os.Stat(path + ".corrupt"); !isMissing(err) {
			t.Errorf("%s was damaged: %v", path, err)
		}
	}
}
