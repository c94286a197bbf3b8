package place

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func TestSandboxCannotSignalOthers(t *testing.T) {
	b := newBox(t, nil)
	if b.system.abi < 6 {
		t.Skip("SKIPPED: this kernel cannot prevent it")
	}
	victim := start(t, context.Background(), "exec sleep 600", nil)
	own, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		"kill -9 %d", "kill -9 -%d", "kill -STOP %d", "prlimit --pid %d --cpu=1:1",
		"renice -n 5 -p %d", "ionice -c 3 -p %d", "chrt -i -p 0 %d", "chrt -a -i -p 0 %d", "renice -n 19 -u $(id -u) # %d",
	} {
		if out, code := b.sh(fmt.Sprintf(script, victim.PID())); code == 0 {
			t.Errorf("%s worked: %s", script, out)
		}
	}
	if !running(victim.PID()) {
		t.Error("the victim is gone")
	}
	if is, err := unix.Getpriority(unix.PRIO_PROCESS, victim.PID()); err != nil || is != own {
		t.Errorf("its priority is %d, not %d: %v", is, own, err)
	}
	if out, code := b.sh("nice -n 1 true && if command -v ionice chrt; then ionice -c 3 chrt -i 0 true; fi"); code != 0 {
		t.Errorf("it cannot lower its own priority: %d, %s", code, out)
	}
	if err := syscall.Kill(victim.PID(), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	wait(t, victim, 10*time.Second)
}

func TestSandboxCannotWriteOnTerminals(t *testing.T) {
	screen, line, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if screen, err = pollable(screen); err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer line.Close()
	b := newBox(t, nil)
	b.sh("echo gotcha > " + line.Name())
	if _, err := line.WriteString("end"); err != nil { // what was written before comes first
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if n, err := screen.Read(buf); err != nil || string(buf[:n]) != "end" {
		t.Errorf("the terminal shows %q, %v", buf[:n], err)
	}
}

func TestSandboxTerminal(t *testing.T) {
	b := newBox(t, nil)
	out := newOutput()
	p := startTTY(t, context.Background(), b, "test -t 0 && stty size && echo through > /dev/tty && read x && echo got $x && echo x > "+b.canary, strings.NewReader("it\n"), out)
	if exit := wait(t, p, 10*time.Second); exit.Code == 0 {
		t.Errorf("exit %+v", exit)
	}
	for _, want := range []string{"30 120", "through", "got it", b.refusal()} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
	b.unharmed("terminal")
}

func TestSandboxTerminalsInside(t *testing.T) {
	b := newBox(t, nil)
	if !b.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	if out, code := b.python(`import pty; pty.spawn(["/bin/sh","-c","test -t 1 && echo yes"])`); code != 0 || !strings.Contains(out, "yes") {
		t.Errorf("%d, %s", code, out)
	}
}

func TestSandboxKill(t *testing.T) {
	b := newBox(t, nil)
	for name, script := range map[string]string{
		"plain":       "echo $$ ready; sleep 600",
		"trap":        "trap '' TERM; echo $$ ready; while :; do sleep 0.1; done",
		"own session": "setsid sh -c 'trap \"\" TERM; echo $$ ready; exec sleep 600' & wait",
		"daemon":      "setsid -f sh -c 'trap \"\" TERM; echo $$ ready; exec sleep 600'; sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			out := newOutput()
			p, err := b.Start(ctx, Proc{Argv: []string{b.info.Shell, "-c", script}, Dir: b.work, Env: testEnv, Stdout: out})
			if err != nil {
				t.Fatal(err)
			}
			pids := numbers(t, out.await(t, "ready"), p)
			cancel()
			began := time.Now()
			if exit := wait(t, p, 10*time.Second); !exit.Killed || time.Since(began) > killWithin {
				t.Errorf("exit %+v after %v", exit, time.Since(began))
			}
			for _, pid := range pids {
				if running(pid) {
					t.Errorf("%d still runs", pid)
				}
			}
		})
	}
}

// A log may lie where the process itself cannot write.
func TestSandboxLog(t *testing.T) {
	b := newBox(t, nil)
	log := filepath.Join(b.hidden, "log")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := b.Start(ctx, Proc{
		Argv: []string{b.info.Shell, "-c", "echo begun; echo x > " + b.canary + "; sleep 600"}, Dir: b.work, Env: testEnv, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	awaitFile(t, log, b.refusal())
	again, err := b.Adopt(ctx, p.Ref())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	wait(t, p, 10*time.Second)
	if exit := wait(t, again, 10*time.Second); exit.Code != -1 {
		t.Errorf("adopted: %+v", exit)
	}
	b.unharmed("log")
}

func TestSandboxStartErrors(t *testing.T) {
	b := newBox(t, nil)
	write(t, filepath.Join(b.work, "text"), "no program")
	for _, c := range []struct {
		program, dir string
		want         error
	}{
		{"/no/such", b.work, fs.ErrNotExist},
		{filepath.Join(b.work, "text"), b.work, fs.ErrPermission},
		{b.info.Shell, "/no/such", fs.ErrNotExist},
	} {
		_, err := b.Start(context.Background(), Proc{Argv: []string{c.program}, Dir: c.dir})
		if !errors.Is(err, c.want) {
			t.Errorf("%s in %s: %v", c.program, c.dir, err)
		}
	}
	if err := os.RemoveAll(b.work); err != nil {
		t.Fatal(err)
	}
	link(t, b.top, b.work) // a root that became a link is no longer one
	if _, err := b.Start(context.Background(), Proc{Argv: []string{b.info.Shell}, Dir: "/"}); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("root became a link: %v", err)
	}
}

func TestSandboxPassesArguments(t *testing.T) {
	b := newBox(t, nil)
	var out bytes.Buffer
	argv := []string{"/usr/bin/printf", "%s|", "a b", "", "\xff\xfe", "-x", "__sandbox", "ü"}
	p, err := b.Start(context.Background(), Proc{Argv: argv, Dir: b.work, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p, 10*time.Second)
	if want := strings.Join(argv[2:], "|") + "|"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out.Reset()
	p, err = b.Start(context.Background(), Proc{
		Argv: []string{"/usr/bin/env"}, Dir: b.work, Env: []string{"A=\xff", "GODEBUG=x", "LD_PRELOAD=/evil"}, Stdout: &out, Stderr: io.Discard,
	})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p, 10*time.Second)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || lines[0] != "A=\xff" || lines[3] != "TMPDIR="+b.base || !strings.HasPrefix(lines[4], markName) {
		t.Errorf("environment %q", lines)
	}
	out.Reset()
	p, err = b.Start(context.Background(), Proc{Argv: []string{"/bin/ls", "/proc/self/fd"}, Dir: b.work, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, p, 10*time.Second)
	if got := strings.Fields(out.String()); len(got) != 4 { // 0, 1, 2 and the listing itself
		t.Errorf("descriptors %q", got)
	}
}

// The same as another user, who has no rights of root.
func TestSandboxUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: already unprivileged")
	}
	const nobody = 65534
	home, err := os.MkdirTemp("", "place") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	again := exec.Command("/proc/self/exe", "-test.run=^TestSandbox", "-test.v")
	again.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + home, "HOME=" + home, "USER=nobody"}
	again.Dir = home
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := again.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d passed, skipped:\n%s", bytes.Count(out, []byte("--- PASS")), grep(out, "SKIP"))
}

func grep(out []byte, word string) string {
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, word) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

// hiddenPaths are many paths of which most are not there.
func hiddenPaths(t testing.TB) []string {
	home := tempDir(t)
	list := []string{"/root/.ssh", "/etc/shadow"}
	for i := range 40 {
		list = append(list, filepath.Join(home, ".config", strconv.Itoa(i)))
	}
	for i := range 50 {
		write(t, filepath.Join(home, strconv.Itoa(i)), "")
	}
	if err := os.MkdirAll(filepath.Join(home, ".config", "3"), 0o755); err != nil {
		t.Fatal(err)
	}
	return list
}

func BenchmarkStartTrue(b *testing.B) {
	l := newLocal(b)
	g, _ := newGuarded(b, GuardedOptions{Hidden: hiddenPaths(b)})
	bx := newBox(b, nil)
	plain := newBox(b, func(_ *box, o *SandboxOptions) { o.Hidden = nil })
	plain.withoutMounts()
	for _, c := range []struct {
		name string
		at   Place
	}{{"local", l}, {"sandbox", bx}, {"sandbox without mounts", plain}, {"guarded", g}} {
		b.Run(c.name, func(b *testing.B) {
			proc := Proc{Argv: []string{"/bin/true"}, Dir: "/"}
			if c.at == Place(g) {
				proc.Confine = &Confine{}
			}
			b.ReportAllocs()
			for b.Loop() {
				p, err := c.at.Start(context.Background(), proc)
				if err != nil {
					b.Fatal(err)
				}
				if exit, err := p.Wait(); err != nil || exit.Code != 0 {
					b.Fatal(exit, err)
				}
			}
		})
	}
}

// What is made at a protected path is moved aside, unless a tool has made it.
func TestSandboxMovesAside(t *testing.T) {
	var aside string
	b := newBox(t, func(b *box, o *SandboxOptions) {
		aside = filepath.Join(b.top, "state", "aside")
		o.Aside, o.ReadOnly = aside, []string{filepath.Join(b.work, ".envrc"), filepath.Join(b.work, ".vscode"), filepath.Join(b.work, "AGENTS.md")}
	})
	if _, code := b.sh("mkdir .vscode && echo x > .vscode/tasks.json; echo x > .envrc; echo x > free"); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	if err := b.FS().WriteAtomic(filepath.Join(b.work, "AGENTS.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.sh("true")
	if got := names(t, b.work); got != "AGENTS.md free" {
		t.Errorf("left: %s", got)
	}
	if got := names(t, aside); got != ".envrc.1 .vscode.1" {
		t.Errorf("aside: %s", got)
	}
}
