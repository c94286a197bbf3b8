//go:build unix

package place

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stubborn is a program that ends of nothing but KILL, with a child of its kind.
const stubborn = `trap "" TERM HUP INT; (while :; do sleep 1; done) & echo "$$ $!"; while :; do sleep 1; done`

// scattered is one whose other children have gone into sessions of their own, one of them
// without a parent; they are named in its first line.
var scattered = `trap "" TERM HUP INT; at=$(mktemp -d); (while :; do sleep 1; done) & near=$!
` + alone + ` sh -c 'echo $$ > '$at'/a; while :; do sleep 1; done' & (` + alone + ` sh -c 'echo $$ > '$at'/b; while :; do sleep 1; done' &)
until [ -s $at/a ] && [ -s $at/b ]; do sleep 0.01; done; echo "$$ $near $(cat $at/a) $(cat $at/b)"; rm -r $at`

// alone begins a command of a shell that runs in a session of its own.
var alone = rolePlayed + `=alone "` + os.Args[0] + `"`

var _ = play("alone", playAlone)

// playAlone runs its arguments in a session of its own, as setsid does where there is one.
func playAlone() int {
	_ = os.Unsetenv(rolePlayed)
	path, err := exec.LookPath(os.Args[1])
	if err == nil {
		_, err = syscall.Setsid()
	}
	if err == nil {
		err = syscall.Exec(path, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// holdLeashed starts a stubborn program and waits to be killed.
func holdLeashed() int {
	program := stubborn
	if _, err := exec.LookPath("grep"); err == nil && runtime.GOOS == "linux" { // which the leash looks with
		program = scattered + "\nwhile :; do sleep 1; done"
	}
	return hold(Proc{Argv: []string{"/bin/sh", "-c", program}})
}

// holdReader starts a program that ends with its input, and whose child does not.
func holdReader() int {
	return hold(Proc{Argv: []string{"/bin/sh", "-c", `sleep 600 & echo "$$ $!"; read -r _`}, Whole: true, Swept: true})
}

// hold starts a program on a leash and waits to be killed.
func hold(spec Proc) int {
	spec.Dir, spec.Env, spec.Stdin, spec.Stdout, spec.Leashed = "/", os.Environ(), blocks{}, os.Stdout, true
	l, err := NewLocal(Options{Env: os.Environ()})
	if err == nil {
		var p Process
		if p, err = l.Start(context.Background(), spec); err == nil {
			_, err = p.Wait()
		}
	}
	fmt.Println(err)
	return 1
}

// blocks is an input that says nothing and does not end.
type blocks struct{}

func (blocks) Read([]byte) (int, error) { select {} }

// TestLeashedEndsWithTheProgram kills a program with all that it has no chance to do, and
// looks for what it had started.
func TestLeashedEndsWithTheProgram(t *testing.T) { // by itself: others watch who writes
	for _, role := range []string{"leashed", "leashed reader"} {
		t.Run(role, func(t *testing.T) { killHolder(t, role) })
	}
}

func killHolder(t *testing.T, role string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rolePlayed+"="+role)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pids := pidsIn(line)
	if err != nil || len(pids) < 2 {
		t.Fatalf("%q: %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	gone(t, pids)
}

// pidsIn are the numbers in a line.
func pidsIn(line string) (pids []int) {
	for word := range strings.FieldsSeq(line) {
		if pid, err := strconv.Atoi(word); err == nil && pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone waits until none of some processes is there.
func gone(t *testing.T, pids []int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for _, pid := range pids {
		for alive(pid) {
			if time.Now().After(deadline) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				t.Errorf("%d of %v lives on", pid, pids)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// TestSwept: what a program has started ends with it wherever it has gone, when it ends by
// itself, crashes, or is ended. Without that it stays.
func TestSwept(t *testing.T) { // by itself: others watch who writes
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: what left its group is found on Linux only")
	}
	for name, row := range map[string]struct {
		then  string
		ended bool
		keeps bool
	}{"ends": {then: "exit 0"}, "crashes": {then: "kill -SEGV $$"}, "is ended": {then: "while :; do sleep 1; done", ended: true}, "keeps": {then: "exit 0", keeps: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			l := newLocal(t)
			r, w := io.Pipe()
			p, err := l.Start(ctx, Proc{Argv: []string{"/bin/sh", "-c", scattered + "\n" + row.then}, Dir: "/", Env: os.Environ(), Stdout: w, Whole: true, Swept: !row.keeps, Leashed: true})
			if err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(r).ReadString('\n')
			_ = r.Close()
			pids := pidsIn(line)
			if err != nil || len(pids) != 4 {
				t.Fatalf("%q, %v", line, err)
			}
			if row.ended {
				cancel()
			}
			if _, err := p.Wait(); err != nil {
				t.Fatal(err)
			}
			if row.keeps {
				if !alive(pids[2]) || !alive(pids[3]) {
					t.Error("they ended all the same")
				}
				_ = syscall.Kill(pids[2], syscall.SIGKILL)
				_ = syscall.Kill(pids[3], syscall.SIGKILL)
			}
			gone(t, pids)
		})
	}
}

// alive reports whether a process is there that was not only left unreaped.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// TestLeashed: what goes in and comes out is that of the program itself, and so is its code.
func TestLeashed(t *testing.T) {
	t.Parallel()
	l := newLocal(t)
	var out, errs strings.Builder
	p, err := l.Start(t.Context(), Proc{
		Argv: []string{"/bin/sh", "-c", `read line; echo "got $line $1"; echo bad >&2; exit 7`, "sh", "two words"}, Dir: t.TempDir(), Env: os.Environ(),
		Stdin: strings.NewReader("this\n"), Stdout: &out, Stderr: &errs, Leashed: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait()
	if err != nil || exit.Code != 7 || out.String() != "got this two words\n" || errs.String() != "bad\n" {
		t.Errorf("%+v %v %q %q", exit, err, out.String(), errs.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	if p, err = l.Start(ctx, Proc{Argv: []string{"/bin/sh", "-c", stubborn}, Dir: "/", Env: os.Environ(), Leashed: true}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	if exit, err := p.Wait(); err != nil || !exit.Killed || time.Since(began) > 10*KillGrace {
		t.Errorf("%+v %v", exit, err)
	}
}
