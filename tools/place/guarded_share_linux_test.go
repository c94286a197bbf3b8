package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Two programs that confine processes in one workspace at the same time, with the same
// caches and state, keep what they write there apart, and one that is killed does not
// disturb the other.
func TestGuardedTwoPrograms(t *testing.T) {
	cache, state := tempDir(t), filepath.Join(tempDir(t), "state")
	g, work := newGuarded(t, GuardedOptions{Caches: []string{cache}, State: state, Hidden: []string{state}})
	if g.box.bare {
		t.Skip("SKIPPED: no layers over caches here")
	}
	t.Setenv("CACHE", cache)
	other := exec.Command("/proc/self/exe")
	other.Env = append(os.Environ(), rolePlayed+"=neighbor", "WORK="+work, "STATE="+state)
	other.Stderr = os.Stderr
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill() // it may have ended
		_ = other.Wait()
	}()
	const want = "here\nhere\n"
	if out, exit := g.run(t, work, meet(cache, "here", "there"), &Confine{}); exit.Code != 0 || out != want {
		t.Errorf("%+v, %q", exit, out)
	}
	awaitFile(t, filepath.Join(work, "said"), "there\nthere\n")
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if out, exit := g.run(t, work, "cat "+cache+"/who $TMPDIR/who", &Confine{}); exit.Code != 0 || out != want {
		t.Errorf("after the other was killed: %+v, %q", exit, out)
	}
	if got := names(t, cache); got != "" {
		t.Errorf("the cache itself has %s", got)
	}
}

// meet is a script that writes where another one writes at the same time, and says what
// is there when both have.
func meet(cache, own, other string) string {
	return fmt.Sprintf("echo %[2]s > %[1]s/who && echo %[2]s > $TMPDIR/who && touch %[2]s && until test -e %[3]s; do sleep 0.02; done; cat %[1]s/who $TMPDIR/who", cache, own, other)
}

var _, _ = play("neighbor", playNeighbor), play("full", playFull)

var _ = play("leaving", playLeaving)

// playLeaving leaves processes behind, one of them a job, and closes its place or waits to be
// killed.
func playLeaving() int {
	l, err := NewLocal(Options{Env: os.Environ()})
	if err != nil {
		return 1
	}
	work := os.Getenv("WORK")
	g, err := NewGuarded(context.Background(), l, GuardedOptions{Roots: []string{work}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, p := range []Proc{
		{Argv: []string{g.info.Shell, "-c", "env -i setsid sleep 600 >/dev/null 2>&1 & echo $! > left"}},
		{Argv: []string{g.info.Shell, "-c", "echo $$ > job; exec sleep 600"}, Log: filepath.Join(os.Getenv("LOGS"), "log")},
	} {
		p.Dir, p.Env, p.Confine = work, testEnv, &Confine{}
		pr, err := g.Start(context.Background(), p)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if p.Log == "" {
			_, _ = pr.Wait()
		}
	}
	for _, err := os.Stat(filepath.Join(work, "job")); err != nil; _, err = os.Stat(filepath.Join(work, "job")) {
	}
	fmt.Println("begun")
	if os.Getenv("CLOSE") != "" {
		if err := g.Close(); err != nil {
			fmt.Println(err)
		}
		return 0
	}
	select {}
}

// TestGuardedLeftBehind holds that processes left by confined ones end with the program,
// however that ends. A job goes on, for the next program to find.
func TestGuardedLeftBehind(t *testing.T) {
	if g, _ := newGuarded(t, GuardedOptions{}); !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	for _, ends := range []string{"killed", "closed"} {
		t.Run(ends, func(t *testing.T) {
			work, logs := tempDir(t), tempDir(t)
			main := exec.Command("/proc/self/exe")
			main.Env = append(os.Environ(), rolePlayed+"=leaving", "WORK="+work, "LOGS="+logs)
			if ends == "closed" {
				main.Env = append(main.Env, "CLOSE=1")
			}
			out, err := main.StdoutPipe()
			if err == nil {
				main.Stderr = os.Stderr
				err = main.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fscan(out, new(string)); err != nil {
				t.Fatal(err)
			}
			if ends == "killed" {
				_ = main.Process.Kill()
			}
			_ = main.Wait()
			var left, job int
			for name, pid := range map[string]*int{"left": &left, "job": &job} {
				if _, err := fmt.Sscan(read(t, filepath.Join(work, name)), pid); err != nil {
					t.Fatal(err)
				}
			}
			defer func() { _ = syscall.Kill(job, syscall.SIGKILL) }()
			waitFor(t, func() bool { return !running(left) })
			if !running(job) {
				t.Error("the job has ended as well")
			}
		})
	}
}

// playNeighbor confines a process in the workspace of another program, and waits to be
// killed.
func playNeighbor() int {
	l, err := NewLocal(Options{Env: os.Environ()})
	if err != nil {
		return 1
	}
	work, cache := os.Getenv("WORK"), os.Getenv("CACHE")
	g, err := NewGuarded(context.Background(), l, GuardedOptions{Roots: []string{work}, Caches: []string{cache}, State: os.Getenv("STATE")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	script := "{ " + meet(cache, "there", "here") + "; } > saying && mv saying said"
	p, err := g.Start(context.Background(), Proc{Argv: []string{g.info.Shell, "-c", script}, Dir: work, Env: testEnv, Confine: &Confine{}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_, _ = p.Wait()
	select {}
}

// On a full disk a place is not made, and a process is confined or not started; both say
// where there is no room, and go on when there is some.
func TestGuardedFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root mounts a small disk")
	}
	dir := tempDir(t)
	full := exec.Command("/proc/self/exe")
	full.Env = append(os.Environ(), rolePlayed+"=full", "WORK="+dir)
	full.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := full.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || strings.HasPrefix(string(out), "skip: ") {
		t.Skip("SKIPPED:", err, string(out))
	}
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// playFull is a program whose folders for temporary files and state lie on a small disk,
// and says what is wrong.
func playFull() int {
	disk := os.Getenv("WORK")
	shown, _ := os.ReadDir("/tmp") // each takes a name
	if err := unix.Mount("none", disk, "tmpfs", 0, fmt.Sprint("size=1m,nr_inodes=", 100+len(shown))); err != nil {
		fmt.Println("skip:", err)
		return 0
	}
	work, temp := filepath.Join(disk, "work"), filepath.Join(disk, "temp")
	ballast := filepath.Join(disk, "ballast")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(temp, 0o700)); err != nil {
		fmt.Println(err)
	}
	l, err := NewLocal(Options{Env: testEnv, Temp: temp})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	o := GuardedOptions{Roots: []string{work}, Caches: []string{"/usr"}, State: filepath.Join(disk, "state")}
	fill(ballast)
	if _, err := NewGuarded(context.Background(), l, o); errors.Is(err, ErrNoSandbox) {
		fmt.Println("skip:", err)
		return 0
	} else if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), disk) || !strings.Contains(err.Error(), "make room") {
		fmt.Println("a place on a full disk:", err)
	}
	empty(ballast)
	g, err := NewGuarded(context.Background(), l, o)
	if err != nil {
		fmt.Println("a place with room:", err)
		return 1
	}
	g.expect("echo kept > f", 0)
	fill(ballast)
	g.expect("cat f && echo more > more && cat more", 1)
	empty(ballast)
	g.expect("grep kept f && echo x > $TMPDIR/x && echo more > more", 0)
	if err := g.Close(); err != nil {
		fmt.Println(err)
	}
	return 0
}

// expect says when a confined script does not end as it should.
func (g *Guarded) expect(script string, code int) {
	out := newOutput()
	p, err := g.Start(context.Background(), Proc{Argv: []string{g.info.Shell, "-c", script}, Dir: g.info.Roots[0], Env: testEnv, Stdout: out, Confine: &Confine{}})
	if err != nil {
		fmt.Printf("%s: %v\n", script, err)
		return
	}
	if exit, err := p.Wait(); err != nil || exit.Code != code || code != 0 && !strings.Contains(out.String(), "No space left") {
		fmt.Printf("%s: %+v, %v, %s\n", script, exit, err, out)
	}
}

// fill leaves no room on a disk, for a byte or a name.
func fill(ballast string) {
	f, err := os.Create(ballast)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<12))
	}
	_ = f.Close()
	for i := 0; ; i++ {
		if err := os.WriteFile(fmt.Sprint(ballast, i), nil, 0o600); err != nil {
			return
		}
	}
}

// empty makes room again.
func empty(ballast string) {
	found, _ := filepath.Glob(ballast + "*") // the pattern is well formed
	for _, name := range found {
		_ = os.Remove(name) // what follows finds out
	}
}
