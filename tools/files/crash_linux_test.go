package files

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/internal/disktest"
	"hermes-tui/tools"
)

// Variables that make the test binary another process.
const (
	writerEnv = "FILES_TEST_WRITER" // the workspace to write in, until killed
	editorEnv = "FILES_TEST_EDITOR" // the workspace to edit in, once
)

func again(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	// Its own temporary folders stay when it is killed.
	cmd.Env = append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", "TMPDIR="+t.TempDir()), env...)
	return cmd
}

// benchAt is a bench in directories that exist.
func benchAt(t *testing.T, base string) *bench {
	t.Helper()
	b := newBench(t)
	b.root = filepath.Join(base, "work")
	b.Files = New(Options{
		Place: b.place, Root: b.root, Lock: filepath.Join(base, "lock"),
		Now: func() time.Time { return time.Now().Add(litterAge + time.Minute) }, // all litter is old
	})
	return b
}

// TestKilledWriter kills a process that writes one file, over and over: the file
// is an old or a new one as a whole, and what was left unfinished goes with the
// next write.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	body := func(i int) string { return strings.Repeat(fmt.Sprintf("line of version %d\n", i), 130_000) }
	if base := os.Getenv(writerEnv); base != "" {
		b := benchAt(t, base)
		for i := 0; ; i++ {
			b.write("f.txt", body(i))
			if i == 0 {
				fmt.Println("ready")
			}
		}
	}
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	kills := 15
	if testing.Short() {
		kills = 4
	}
	most := 0
	for i := range kills {
		cmd := again(t, writerEnv+"="+base)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitLine(t, out, "ready")
		had := len(litter(t, base))
		for began := time.Now(); time.Since(began) < 5*time.Second && i%5 > 0; { // in the middle of a write, mostly
			if now := len(litter(t, base)); now > had || now == 1 && had == 0 {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		most = max(most, len(litter(t, base)))
		data, err := os.ReadFile(filepath.Join(base, "work", "f.txt"))
		if err != nil {
			t.Fatal(err)
		}
		var version int
		if _, err := fmt.Sscanf(string(data), "line of version %d\n", &version); err != nil || string(data) != body(version) {
			t.Fatalf("after kill %d the file is neither old nor new: %d bytes, %v", i, len(data), err)
		}
	}
	t.Logf("at most %d files were left unfinished at a time", most)
	if most == 0 {
		t.Error("no kill ever came in the middle of a write: the test shows nothing")
	}
	if most > 1 {
		t.Errorf("up to %d files were left unfinished, want one at most", most)
	}
}

// litter lists what stands beside the file that is written.
func litter(t *testing.T, base string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(base, "work"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.Name() == "f.txt" })
}

func awaitLine(t *testing.T, r interface{ Read([]byte) (int, error) }, word string) {
	t.Helper()
	var seen []byte
	buf := make([]byte, 256)
	for !bytes.Contains(seen, []byte(word)) {
		n, err := r.Read(buf)
		if seen = append(seen, buf[:n]...); err != nil {
			t.Fatalf("%v after %q", err, seen)
		}
	}
}

// TestFullDisk writes and edits on a disk of 256 KB: what does not fit leaves
// everything as it was, and says why.
func TestFullDisk(t *testing.T) {
	disktest.Run(t, "256k", onFullDisk)
}

func onFullDisk(t *testing.T, dir string) {
	if err := os.Mkdir(filepath.Join(dir, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := benchAt(t, dir)
	b.put("a.txt", "a\n")
	b.put("b.txt", "b\n")
	b.put("gone.txt", "g\n")
	b.put("fill", strings.Repeat("x", 100<<10))
	before := tree(t, b.root)
	large := strings.Repeat("y", 200<<10)
	b.wantError(b.write("a.txt", large), "no space")
	b.wantError(b.write("new/deep/n.txt", large), "no space")
	_, err := b.edit(
		tools.TextChange{File: b.text("a.txt"), Body: "changed\n"},
		tools.TextChange{Op: tools.OpDelete, File: b.text("gone.txt")},
		tools.TextChange{File: b.text("b.txt"), Body: large},
	)
	wantErr(t, err, "b.txt", "no space", "nothing was changed")
	if after := tree(t, b.root); after != before {
		t.Errorf("changed from\n%.2000s\nto\n%.2000s", before, after)
	}
}

// TestTwoInstancesLoseNothing lets two processes append to one file.
func TestTwoInstancesLoseNothing(t *testing.T) {
	if base := os.Getenv(editorEnv); base != "" {
		b := benchAt(t, base)
		for i := range 60 {
			text := b.text("f.txt")
			line := fmt.Sprintf("%d of %d\n", i, os.Getpid())
			if _, err := b.edit(tools.TextChange{File: text, Body: text.Body + line}); err == nil {
				fmt.Print("did ", line)
			} else {
				wantErr(t, err, "changed by someone else")
			}
		}
		return
	}
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(base, "work", "f.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var outs [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = again(t, editorEnv+"="+base)
		cmds[i].Stdout = &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range cmds {
		if err := cmds[i].Wait(); err != nil {
			t.Fatalf("%v\n%s", err, outs[i].String())
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	did := 0
	for line := range strings.Lines(outs[0].String() + outs[1].String()) {
		if what, ok := strings.CutPrefix(line, "did "); ok {
			did++
			if !strings.Contains(string(data), what) {
				t.Errorf("%q was reported and is lost", what)
			}
		}
	}
	if n := strings.Count(string(data), "\n"); n != did || did == 0 {
		t.Errorf("%d lines, %d reported", n, did)
	}
	t.Logf("%d of 120 edits were made", did)
}
