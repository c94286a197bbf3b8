//go:build unix

package place

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// end kills a client as an accident would, and waits until that was noticed.
func (c *client) accident() {
	killClient(c.cmd.Process)
	<-c.done
}

func TestConnectionLost(t *testing.T) {
	eachRemote(t, func(t *testing.T, r *Remote) {
		dir := scratch(t, r)
		put(t, r, dir+"/f", "kept")
		for range 3 {
			r.serve.turn <- struct{}{}
			lost := r.serve.conn.client
			r.serve.release()
			lost.accident()
			if got := get(t, r, dir+"/f"); got != "kept" {
				t.Errorf("read %q", got)
			}
		}
		// In the middle of a request: reading is repeated, changing is not.
		for _, changes := range []bool{false, true} {
			r.serve.turn <- struct{}{}
			lost := r.serve.conn.client
			r.serve.release()
			once := dir + "/once" + strconv.FormatBool(changes)
			done := make(chan error, 1)
			go func() {
				_, err := r.serve.do(request{op: "test", name: once, changes: changes, code: "mkdir " + once + " && until test -e " + once + "/end; do sleep 0.1; done"})
				done <- err
			}()
			aside(t, r, "until test -d "+once+"; do sleep 0.05; done")
			lost.accident()
			err := <-done
			aside(t, r, ": >"+once+"/end")
			var u *UnavailableError
			if changes && (!errors.Is(err, ErrLost) || !errors.As(err, &u) || u.Next == "") {
				t.Errorf("a change: %v", err)
			}
			if !changes && err == nil {
				t.Error("the directory was there already")
			}
			if got := get(t, r, dir+"/f"); got != "kept" {
				t.Errorf("afterwards %q", got)
			}
		}
	})
}

// aside runs code in a place over a connection of its own.
func aside(t testing.TB, r *Remote, code string) {
	t.Helper()
	c, err := dial(context.Background(), r.via, r.o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if _, status, err := c.call(request{code: code}); err != nil || status != 0 {
		t.Fatalf("%s: %d, %v", code, status, err)
	}
}

// waitFor asks again and again, which takes long enough each time.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatal("it did not come")
		}
	}
}

func TestClientOfAProcessLost(t *testing.T) {
	eachRemote(t, func(t *testing.T, r *Remote) {
		head := &firstLine{got: make(chan struct{})}
		proc, err := r.Start(context.Background(), Proc{
			Argv: []string{"/bin/sh", "-c", "setsid sleep 600 & echo $!; sleep 600"}, Dir: "/", Env: testEnv, Stdout: head,
		})
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(head.await(t))
		if err != nil {
			t.Fatal(err)
		}
		proc.(*remoteProcess).client.accident()
		if exit, err := proc.Wait(); !errors.Is(err, ErrLost) || exit.Killed {
			t.Errorf("%+v, %v", exit, err)
		}
		if lives(t, r, proc.PID()) || lives(t, r, pid) {
			t.Error("it still runs, and no one sees it")
		}
	})
}

// A process must be ended at once even while a file operation takes its time.
func TestKillWhileTheFileSystemIsBusy(t *testing.T) {
	eachRemote(t, func(t *testing.T, r *Remote) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		proc, err := r.Start(ctx, Proc{Argv: []string{"/bin/sh", "-c", "sleep 600"}, Dir: "/", Env: testEnv})
		if err != nil {
			t.Fatal(err)
		}
		busy := make(chan error, 1)
		dir := scratch(t, r)
		go func() {
			_, err := r.serve.do(request{op: "test", code: "until test -e " + dir + "/go; do sleep 0.1; done"})
			busy <- err
		}()
		waitFor(t, func() bool { return len(r.serve.turn) == 1 })
		cancel()
		if exit := wait(t, proc, patience); !exit.Killed {
			t.Errorf("exit %+v", exit)
		}
		select {
		case err := <-busy:
			t.Errorf("the operation ended: %v", err)
		default:
		}
		aside(t, r, ": >"+dir+"/go")
		if err := <-busy; err != nil {
			t.Error(err)
		}
	})
}

func TestCloseLeavesNothing(t *testing.T) {
	for _, h := range remoteHosts() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			r := h.open(t)
			head := &firstLine{got: make(chan struct{})}
			proc, err := r.Start(context.Background(), Proc{
				Argv: []string{"/bin/sh", "-c", "setsid sleep 600 & echo $!; sleep 600"}, Dir: "/", Env: testEnv, Stdout: head,
			})
			if err != nil {
				t.Fatal(err)
			}
			head.await(t)
			p := proc.(*remoteProcess)
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if exit := wait(t, proc, patience); !exit.Killed {
				t.Errorf("exit %+v", exit)
			}
			if _, err := r.FS().Stat("/"); !errors.Is(err, errClosed) {
				t.Errorf("stat: %v", err)
			}
			if _, err := r.Start(context.Background(), Proc{Argv: []string{"/bin/sh"}, Dir: "/"}); !errors.Is(err, errClosed) {
				t.Errorf("start: %v", err)
			}
			if h.shared {
				nothingWith(t, p.l.mark)
				if _, err := os.Stat(r.facts.own); !os.IsNotExist(err) {
					t.Errorf("its directory: %v", err)
				}
			}
			switch via := r.via.(type) {
			case *ssh:
				nothingWith(t, via.socket)
				if _, err := os.Stat(via.folder); !os.IsNotExist(err) {
					t.Errorf("the socket's directory: %v", err)
				}
			case *docker:
				if id := via.find(context.Background(), labelKind+"=passing"); id != "" {
					t.Errorf("container %s is left", id)
				}
			}
		})
	}
}

// nothingWith looks for processes of this machine with a text in their command
// line or environment.
func nothingWith(t testing.TB, text string) {
	t.Helper()
	for _, pattern := range []string{"/proc/[0-9]*/cmdline", "/proc/[0-9]*/environ"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), text) {
				t.Errorf("%s: %q", file, data)
			}
		}
	}
}

// A process with a log goes on when the place is closed, and is found by the
// next one.
func TestLogOutlivesThePlace(t *testing.T) {
	server := startSSHD(t)
	opens := map[string]func(t *testing.T) *Remote{"ssh": func(t *testing.T) *Remote {
		return openSSH(t, server, nil)
	}}
	t.Run("docker", func(t *testing.T) {
		e := standIn(t)
		o := e.options(t)
		o.Persistent = true
		outlives(t, func(t *testing.T) *Remote {
			r, err := OpenDocker(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			return closing(t, r)
		})
		d := &docker{o: o, engine: e.program}
		if _, err := d.run(context.Background(), "rm", "-f", d.find(context.Background(), labelSpec+"="+d.spec())); err != nil {
			t.Error(err)
		}
	})
	for name, open := range opens {
		t.Run(name, func(t *testing.T) { outlives(t, open) })
	}
}

func outlives(t *testing.T, open func(t *testing.T) *Remote) {
	first := open(t)
	dir, _, err := first.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	proc, err := first.Start(context.Background(), Proc{
		Argv: []string{"/bin/sh", "-c", "echo one; until test -e go; do sleep 0.05; done; echo two; sleep 600"}, Dir: dir, Env: testEnv, Log: dir + "/log",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := proc.Wait(); !errors.Is(err, errClosed) {
		t.Errorf("wait: %v", err)
	}
	second := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	again, err := second.Adopt(ctx, proc.Ref())
	if err != nil {
		t.Fatal(err)
	}
	put(t, second, dir+"/go", "")
	waitFor(t, func() bool { return get(t, second, dir+"/log") == "one\ntwo\n" })
	cancel()
	if exit := wait(t, again, patience); !exit.Killed {
		t.Errorf("exit %+v", exit)
	}
	if lives(t, second, again.PID()) {
		t.Error("it still runs")
	}
	if _, err := second.Adopt(context.Background(), again.Ref()); !errors.Is(err, ErrGone) {
		t.Errorf("adopting it again: %v", err)
	}
	in(t, second, "rm -r "+dir, nil)
}

// A full disk is an error that says so; the old file stays, nothing else does.
func TestFullDisk(t *testing.T) {
	r := openSSH(t, startSSHD(t), nil)
	dir := tempDir(t)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no small disk can be made: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
	put(t, r, dir+"/f", "old")
	for _, size := range []int{300 << 10, 5 << 20} {
		if err := r.FS().WriteAtomic(dir+"/f", make([]byte, size), 0o644); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if got := get(t, r, dir+"/f"); got != "old" || names(t, dir) != "f" {
			t.Errorf("afterwards %q, %q", got, names(t, dir))
		}
	}
}

// Many processes at once: more than a server lets share a connection.
func TestManyProcessesAtOnce(t *testing.T) {
	r := openSSH(t, startSSHD(t), nil)
	var all []Process
	for i := range 15 {
		p, err := r.Start(context.Background(), Proc{Argv: []string{"/bin/sh", "-c", "read x; exit " + strconv.Itoa(i)}, Dir: "/", Env: testEnv, Stdin: strings.NewReader("x\n")})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for i, p := range all {
		if exit := wait(t, p, 60*time.Second); exit.Code != i {
			t.Errorf("%d: %+v", i, exit)
		}
	}
}

func TestTwoPlacesDoNotDisturbEachOther(t *testing.T) {
	server := startSSHD(t)
	one, two := openSSH(t, server, nil), openSSH(t, server, nil)
	if one.via.(*ssh).socket == two.via.(*ssh).socket {
		t.Fatal("they share a socket")
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if out, code := in(t, two, "echo fine", nil); out != "fine\n" || code != 0 {
		t.Errorf("%q, %d", out, code)
	}
}
