//go:build linux || darwin

package place

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// play adds a role.
func play(name string, role func() int) bool {
	roles[name] = role
	return true
}

// roles are other programs that the test program can be.
var roles = map[string]func() int{"parent": playParent, "orphans": playOrphans, "leashed": holdLeashed, "leashed reader": holdReader, "writer": playWriter}

// playWriter writes a file when it is told to, and waits.
func playWriter() int {
	told := make([]byte, 1)
	if _, err := os.Stdin.Read(told); err != nil || os.WriteFile("made", told, 0o600) != nil {
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// playParent starts a process with a log, says what it is, and waits to be
// killed.
func playParent() int {
	l, err := NewLocal(Options{Env: os.Environ()})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	p, err := l.Start(context.Background(), Proc{
		Argv: []string{l.Info().Shell, "-c", os.Getenv("SCRIPT")}, Dir: "/", Env: testEnv, Log: os.Getenv("LOG"),
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(p.PID(), p.Ref())
	_, _ = p.Wait()
	return 0
}

// orphan runs a script with a log in a program that is killed at once, and gives
// its id and reference.
func orphan(t *testing.T, script, log string) (pid int, ref string) {
	t.Helper()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), rolePlayed+"=parent", "SCRIPT="+script, "LOG="+log, "HOME="+t.TempDir())
	said, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if _, err := fmt.Sscan(line, &pid, &ref); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	return pid, ref
}

// awaitFile blocks until a file holds text.
func awaitFile(t testing.TB, name, text string) string {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 1000 {
		if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), text) {
			return string(data)
		}
		<-tick.C
	}
	t.Fatalf("%s never held %q", name, text)
	return ""
}

func TestLog(t *testing.T) {
	l, dir := newLocal(t), tempDir(t)
	name := filepath.Join(dir, "log")
	p, err := l.Start(context.Background(), Proc{
		Argv: []string{l.Info().Shell, "-c", "echo out; echo err >&2; tr a-z A-Z"}, Dir: "/", Env: testEnv,
		Stdin: strings.NewReader("in"), Log: name,
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit := wait(t, p, 10*time.Second); exit.Code != 0 {
		t.Errorf("exit %+v", exit)
	}
	if got := read(t, name); got != "out\nerr\nIN" {
		t.Errorf("log %q", got)
	}
	if st, _ := os.Stat(name); st.Mode() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	if p.Ref() == "" {
		t.Error("no reference")
	}
	if _, err := l.Adopt(context.Background(), p.Ref()); !errors.Is(err, ErrGone) {
		t.Errorf("adopt what has ended: %v", err)
	}
}

func TestLogIsANewFile(t *testing.T) {
	l, dir := newLocal(t), tempDir(t)
	write(t, filepath.Join(dir, "there"), "kept")
	link(t, filepath.Join(dir, "there"), filepath.Join(dir, "link"))
	link(t, filepath.Join(dir, "elsewhere"), filepath.Join(dir, "dangling"))
	for _, name := range []string{"there", "link", "dangling", "no/such"} {
		_, err := l.Start(context.Background(), Proc{
			Argv: []string{l.Info().Shell, "-c", "echo x"}, Dir: "/", Log: filepath.Join(dir, name),
		})
		var pe *fs.PathError
		if !errors.As(err, &pe) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := read(t, filepath.Join(dir, "there")); got != "kept" {
		t.Errorf("holds %q", got)
	}
	if _, err := l.Start(context.Background(), Proc{Argv: []string{"/no/such"}, Dir: "/", Log: filepath.Join(dir, "new")}); err == nil {
		t.Error("started")
	}
	if got := names(t, dir); got != "dangling link there" {
		t.Errorf("left behind: %s", got)
	}
}

func TestAdopt(t *testing.T) {
	log := filepath.Join(tempDir(t), "log")
	pid, ref := orphan(t, "echo begun; trap '' TERM; sleep 600 & echo $! child; while :; do sleep 0.05; echo still; done", log)
	awaitFile(t, log, "child")
	size := len(awaitFile(t, log, "still"))
	awaitFile(t, log, strings.Repeat("still\n", size/6+3)) // it goes on after its parent's death
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := newLocal(t).Adopt(ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	if p.PID() != pid || p.Ref() != ref {
		t.Errorf("adopted %d %s, want %d %s", p.PID(), p.Ref(), pid, ref)
	}
	child, err := strconv.Atoi(strings.Fields(read(t, log))[1])
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	began := time.Now()
	exit := wait(t, p, 10*time.Second)
	if took := time.Since(began); took > killWithin || !reflect.DeepEqual(exit, Exit{Code: -1, Killed: true}) {
		t.Errorf("exit %+v after %v", exit, took)
	}
	if running(pid) || running(child) {
		t.Error("still runs")
	}
	if _, err := newLocal(t).Adopt(context.Background(), ref); !errors.Is(err, ErrGone) {
		t.Errorf("adopt again: %v", err)
	}
}

func TestAdoptedEndsByItself(t *testing.T) {
	dir := tempDir(t)
	log := filepath.Join(dir, "log")
	_, ref := orphan(t, "echo begun; until [ -e "+dir+"/go ]; do sleep 0.02; done; echo ended", log)
	awaitFile(t, log, "begun")
	p, err := newLocal(t).Adopt(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go"), "")
	if exit := wait(t, p, 10*time.Second); !reflect.DeepEqual(exit, Exit{Code: -1}) {
		t.Errorf("exit %+v", exit)
	}
	awaitFile(t, log, "ended")
}

// Whatever is not the very process is never found, least of all killed.
func TestAdoptMistakesNoOne(t *testing.T) {
	log := filepath.Join(tempDir(t), "log")
	pid, ref := orphan(t, "exec sleep 600", log)
	f := strings.Split(ref, ":")
	if len(f) != 5 {
		t.Fatalf("ref %q", ref)
	}
	with := func(i int, v string) string {
		g := append([]string{}, f...)
		g[i] = v
		return strings.Join(g, ":")
	}
	start, err := strconv.ParseUint(f[3], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"the id was taken over by another": with(2, strconv.Itoa(os.Getpid())),
		"it began at another moment":       with(3, strconv.FormatUint(start+1, 10)),
		"the machine was started again":    with(1, "00000000-0000-0000-0000-000000000000"),
		"no such process":                  with(2, "4194303"),
		"everything":                       with(2, "-1"),
		"init":                             with(2, "1"),
		"own group":                        with(2, "0"),
		"nothing":                          "",
		"junk":                             "junk",
		"another kind":                     with(0, "remote"),
		"no mark":                          with(4, ""),
		"more":                             ref + ":x",
	}
	l := newLocal(t)
	for name, bad := range cases {
		if p, err := l.Adopt(context.Background(), bad); err == nil {
			t.Errorf("%s: adopted %d", name, p.PID())
		}
	}
	if !running(pid) {
		t.Error("the process is gone")
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("local1:b:12:34:0123456789abcdef01234567")
	f.Add("local1::0:-1:")
	f.Fuzz(func(t *testing.T, ref string) {
		if _, m, _, err := parseRef(ref); err == nil && m.pid <= 1 {
			t.Errorf("%q is process %d", ref, m.pid)
		}
	})
}
