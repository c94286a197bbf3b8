package place

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Nothing outside is changed, of what files are besides their contents neither.
func TestGuardedKeepsAttributesOutside(t *testing.T) {
	outside := tempDir(t)
	file, folder := filepath.Join(outside, "file"), filepath.Join(outside, "folder")
	write(t, file, "x")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	g, work := newGuarded(t, GuardedOptions{})
	if !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	before := [2]string{stat(t, file), stat(t, folder)}
	for _, script := range []string{
		"chmod 000 $F", "chmod u+s $F", "chmod 777 $D", "touch -d 2001-01-01 $F", "touch $F", "chown $(id -u):$(id -g) $F", "chgrp $(id -g) $D",
		"ln $F link", "mv $F moved", "chmod 777 /proc/self/root$F", "exec 3<$F && chmod 777 /proc/self/fd/3", "exec 3<$D && chmod 777 /dev/fd/3/.",
	} {
		out, exit := g.run(t, work, "F="+file+" D="+folder+"; "+script, &Confine{})
		if exit.Code == 0 {
			t.Errorf("%s worked: %s", script, out)
		}
	}
	if after := [2]string{stat(t, file), stat(t, folder)}; after != before {
		t.Errorf("before %q, after %q", before, after)
	}
	if out, exit := g.run(t, work, "echo x > f && chmod 750 f && touch -d 2001-01-01 f && stat -c %a.%Y f", &Confine{}); exit.Code != 0 || !strings.HasPrefix(out, "750.") {
		t.Errorf("inside: %+v, %s", exit, out)
	}
}

// Where mounts of one's own cannot be had, at least no file becomes one that others
// run with the rights of the user.
func TestSandboxWithoutMounts(t *testing.T) {
	b := newBox(t, nil)
	b.withoutMounts()
	for _, script := range []string{"chmod u+s $CANARY", "chmod 2755 $CANARY", "echo x > f && chmod 4755 f", "echo x > $CANARY"} {
		if out, code := b.sh(script); code == 0 {
			t.Errorf("%s worked: %s", script, out)
		}
	}
	if out, code := b.sh("echo x > f && chmod 755 f && mkdir d && chmod 1777 d && stat -c %a f d"); code != 0 || out != "755\n1777\n" {
		t.Errorf("%d, %s", code, out)
	}
	b.unharmed("modes")
}

// The processes of a place are bounded together.
func TestGuardedBoundsProcesses(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	if os.Geteuid() == 0 || !g.box.system.mounts {
		t.Skip("SKIPPED: only for an ordinary user in namespaces")
	}
	out, exit := g.run(t, work, "ulimit -u", &Confine{})
	if n, err := strconv.Atoi(strings.TrimSpace(out)); exit.Code != 0 || err != nil || n > maxProcesses {
		t.Errorf("%+v, %s", exit, out)
	}
}

// stat tells whatever a change would change, but for the time of the last reading.
func stat(t *testing.T, name string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(st.Mode, st.Uid, st.Gid, st.Nlink, st.Mtim, st.Ctim)
}

// Confined processes have a folder for temporary files of their own, in which what others
// have put into the common one is shown and not changed, whenever that came.
func TestGuardedTemp(t *testing.T) {
	name := func(of string) string { return filepath.Join("/tmp", "place-test-"+of+strconv.Itoa(os.Getpid())) }
	old, folder, later, made := name("old"), name("folder"), name("later"), name("made")
	t.Cleanup(func() {
		for _, name := range []string{old, folder, later, made} {
			_ = os.RemoveAll(name)
		}
	})
	write(t, old, "old\n")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "in"), "in\n")
	g, work := newGuarded(t, GuardedOptions{})
	if g.box.temp == "" || !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	run := func(script, want string) {
		t.Helper()
		if out, exit := g.run(t, work, script, &Confine{}); exit.Code != 0 || out != want {
			t.Errorf("%s: %+v, %q", script, exit, out)
		}
	}
	run("echo one > "+made+" && chmod 600 "+made+" && cat "+old+" "+folder+"/in && stat -c %a "+made, "old\nin\n600\n")
	if _, err := os.Stat(made); err == nil {
		t.Error("it is made in the common folder")
	}
	if got := string(readIn(t, g.FS(), made)); got != "one\n" {
		t.Errorf("the file tools read %q", got)
	}
	if _, err := g.Outer().Stat(made); err == nil {
		t.Error("it is there for all")
	}
	write(t, later, "later\n")
	write(t, filepath.Join(folder, "in"), "in turn\n")
	run("cat "+later+" "+folder+"/in "+made, "later\nin turn\none\n")
	for _, script := range []string{
		"echo x > " + old, "rm -f " + old, "mv " + old + " /tmp/place-test-moved", "chmod 777 " + old, "echo x > " + later, "echo x > " + folder + "/in",
		"echo x > " + folder + "/new", "ln -f " + old + " " + later,
	} {
		if out, exit := g.run(t, work, script, &Confine{}); exit.Code == 0 {
			t.Errorf("%s worked: %s", script, out)
		}
	}
	if read(t, old) != "old\n" || read(t, later) != "later\n" || read(t, filepath.Join(folder, "in")) != "in turn\n" {
		t.Error("what others made has changed")
	}
	// Files that are replaced or taken away are as they are now.
	write(t, name("new"), "replaced\n")
	if err := errors.Join(os.Rename(name("new"), old), os.Remove(later), os.RemoveAll(folder)); err != nil {
		t.Fatal(err)
	}
	run("cat "+old+"; test -e "+later+" || echo gone; mkdir "+folder+" && rmdir "+folder+" && echo own", "replaced\ngone\nown\n")
	list, err := g.FS().ReadDir("/tmp")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if !slices.Contains(names, filepath.Base(made)) || !slices.Contains(names, filepath.Base(old)) || slices.Contains(names, filepath.Base(later)) {
		t.Errorf("the file tools list %q", names)
	}
}

// Links that confined processes make among their temporary files lead the file tools where
// they lead those.
func TestGuardedTempLinks(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	if g.box.temp == "" || !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	out, exit := g.run(t, work, "mkdir /tmp/d && echo own > /tmp/d/passwd && ln -s /etc/passwd /tmp/absolute && ln -s ../etc/passwd /tmp/relative && "+
		"ln -s /tmp/d/passwd /tmp/own && ln -s /tmp/d up", &Confine{})
	if exit.Code != 0 {
		t.Fatalf("%+v, %s", exit, out)
	}
	for name, want := range map[string]string{
		"/tmp/absolute": "/etc/passwd", "/tmp/relative": "/etc/passwd", "/tmp/own": "/tmp/d/passwd", filepath.Join(work, "up", "passwd"): "/tmp/d/passwd",
	} {
		if real, err := g.FS().Resolve(name); err != nil || real != want {
			t.Errorf("%s leads to %s, %v", name, real, err)
		}
		if got := string(readIn(t, g.FS(), name)); (got == "own\n") != (want == "/tmp/d/passwd") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// readIn reads a file of a place.
func readIn(t *testing.T, fsys FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Error(err)
	}
	return data
}

// Confined processes share a network without a way out, in which the proxy listens.
func TestGuardedNetwork(t *testing.T) {
	listeners := make(chan net.Listener, 2)
	g, work := newGuarded(t, GuardedOptions{Serve: func(l net.Listener) { listeners <- l }})
	if !g.box.system.net {
		t.Skip("SKIPPED: no network namespaces here")
	}
	serve := func(text string) (port string) {
		l := <-listeners
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = c.Write([]byte(text))
				_ = c.Close()
			}
		}()
		_, port, _ = net.SplitHostPort(l.Addr().String())
		return port
	}
	bash := "/bin/bash"
	if _, err := os.Stat(bash); err != nil {
		t.Skip("SKIPPED: no bash")
	}
	call := func(port string) (string, Exit) {
		return g.run(t, work, bash+" -c 'cat < /dev/tcp/127.0.0.1/"+port+"'", &Confine{})
	}
	first := serve("hello")
	if out, exit := call(first); exit.Code != 0 || out != "hello" {
		t.Errorf("the proxy: %+v, %s", exit, out)
	}
	port, heard := canaries(t)
	if out, exit := call(port); exit.Code == 0 || heard() {
		t.Errorf("a server outside: %+v, %s", exit, out)
	}
	g.box.system.mu.Lock()
	err := g.box.system.helper.cmd.Process.Kill()
	<-g.box.system.helper.gone
	g.box.system.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if out, exit := g.run(t, work, "echo x > f && cat f", &Confine{}); exit.Code != 0 || out != "x\n" {
		t.Errorf("after the helper was killed: %+v, %s", exit, out)
	}
	second := serve("again")
	if second != first { // the process that has the helper start again was told of the first
		t.Errorf("the proxy moved from %s to %s", first, second)
	}
	if out, exit := call(second); exit.Code != 0 || out != "again" {
		t.Errorf("the proxy, again: %+v, %s", exit, out)
	}
}

// What one process serves others reach.
func TestGuardedServersAreReached(t *testing.T) {
	python := "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skip("SKIPPED: no python3")
	}
	g, work := newGuarded(t, GuardedOptions{})
	if !g.box.system.net {
		t.Skip("SKIPPED: no network namespaces here")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	server, err := g.Start(ctx, Proc{Argv: []string{python, "-c", `import socket
s=socket.create_server(("127.0.0.1",0)); print(s.getsockname()[1],flush=True)
c,_=s.accept(); c.send(b"served")`}, Dir: work, Stdout: w, Confine: &Confine{}})
	if err != nil {
		t.Fatal(err)
	}
	port, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	out, exit := g.run(t, work, python+` -c 'import socket; print(socket.create_connection(("127.0.0.1",`+strings.TrimSpace(port)+`)).recv(9))'`, &Confine{})
	if exit.Code != 0 || !strings.Contains(out, "served") {
		t.Errorf("%+v, %s", exit, out)
	}
	cancel()
	wait(t, server, 10*time.Second)
	_ = w.Close()
}

// Other processes are not looked into.
func TestGuardedProcessesOfOthers(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	pid := strconv.Itoa(os.Getpid())
	helper := strconv.Itoa(g.box.system.helper.cmd.Process.Pid)
	for _, of := range []string{pid, helper} {
		for _, name := range []string{"environ", "mem", "maps", "fd/0", "root/etc/hostname", "cwd/.", "auxv"} {
			if out, exit := g.run(t, work, "head -c 1 /proc/"+of+"/"+name+" | grep -q . || readlink /proc/"+of+"/fd/0", &Confine{}); exit.Code == 0 {
				t.Errorf("%s of %s: %s", name, of, out)
			}
		}
		if out, exit := g.run(t, work, "kill -0 "+of, &Confine{}); exit.Code == 0 && g.box.system.abi >= 6 {
			t.Errorf("a signal to %s: %s", of, out)
		}
	}
}

// A terminal is the process's own, among terminals that no one else has.
func TestGuardedTerminal(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	out := newOutput()
	p, err := g.Start(context.Background(), Proc{
		Argv: []string{g.info.Shell, "-c", "test -t 0 && tty && stty size && echo there > /dev/tty && ls /dev/pts"}, Dir: work, Env: testEnv, Stdout: out,
		TTY: &Size{20, 70}, Confine: &Confine{},
	})
	if err != nil {
		t.Fatal(err)
	}
	exit := wait(t, p, 10*time.Second)
	got := strings.Fields(out.String())
	if want := []string{"/dev/pts/0", "20", "70", "there", "0", "ptmx"}; g.box.system.mounts && !slices.Equal(got, want) || exit.Code != 0 {
		t.Errorf("%+v, %q", exit, got)
	}
}

// Caches are warm, and what is written to them stays in the layer of the workspace.
func TestGuardedCaches(t *testing.T) {
	cache, state := tempDir(t), filepath.Join(tempDir(t), "state")
	write(t, filepath.Join(cache, "old"), "old")
	write(t, filepath.Join(cache, "key"), "secret")
	o := GuardedOptions{Caches: []string{cache, "/no/such"}, State: state, Hidden: []string{state, filepath.Join(cache, "key")}}
	g, work := newGuarded(t, o)
	if !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	if g.box.bare {
		t.Skip("SKIPPED: no layers on this file system")
	}
	script := "cd " + cache + " && cat old && echo new > old && echo x > made && chmod 600 made && rm -f gone && cat old made"
	if out, exit := g.run(t, work, script, &Confine{}); exit.Code != 0 || out != "oldnew\nx\n" {
		t.Errorf("%+v, %q", exit, out)
	}
	if out, exit := g.run(t, work, "test -s "+cache+"/key || ls "+state+"/*", &Confine{}); exit.Code == 0 {
		t.Errorf("hidden: %q", out)
	}
	if got := names(t, cache); got != "key old" || read(t, filepath.Join(cache, "old")) != "old" {
		t.Errorf("the cache itself: %s", got)
	}
	other, err := NewGuarded(context.Background(), newLocal(t), GuardedOptions{Roots: []string{work}, Caches: o.Caches, State: state})
	if err != nil {
		t.Fatal(err)
	}
	if out, exit := other.run(t, work, "cat "+cache+"/old", &Confine{}); exit.Code != 0 || out != "old" {
		t.Errorf("at the same time: %+v, %q", exit, out)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	later, err := NewGuarded(context.Background(), newLocal(t), GuardedOptions{Roots: []string{work}, Caches: o.Caches, State: state})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if out, exit := later.run(t, work, "cat "+cache+"/old", &Confine{}); exit.Code != 0 || out != "new\n" {
		t.Errorf("later: %+v, %q", exit, out)
	}
}

// When the program is killed nothing of the place is left, and what it confined stays
// confined.
func TestGuardedMainKilled(t *testing.T) {
	if abi, err := landlockABI(); err != nil || abi < leastABI {
		t.Skip("SKIPPED: this kernel has no Landlock, or too old a one")
	}
	dir := tempDir(t)
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	main := exec.Command("/proc/self/exe")
	main.Env = append(os.Environ(), rolePlayed+"=guard", "WORK="+work)
	out, err := main.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := main.Start(); err != nil {
		t.Fatal(err)
	}
	var helper, job int
	if _, err := fmt.Fscan(bufio.NewReader(out), &helper, &job); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(job, syscall.SIGKILL) }()
	if err := main.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = main.Wait() // killed
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		if !running(helper) {
			break
		}
		<-tick.C
	}
	if running(helper) || !running(job) {
		t.Fatalf("the helper runs: %v, the job runs: %v", running(helper), running(job))
	}
	if table := read(t, fmt.Sprintf("/proc/%d/net/tcp", job)); strings.Contains(table, fmt.Sprintf("0100007F:%04X 00000000:0000 0A", proxyPort)) {
		t.Errorf("the listener is left:\n%s", table)
	}
	write(t, filepath.Join(work, "go"), "")
	awaitFile(t, filepath.Join(work, "done"), "refused")
	space, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", job))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-job, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if own, err := os.Readlink("/proc/self/ns/mnt"); err != nil || own == space {
		return // no mount namespaces here
	}
	waitFor(t, func() bool { return !inhabited(space) })
}

// inhabited reports whether a process lives in a namespace for mounts.
func inhabited(space string) bool {
	return slices.ContainsFunc(readDir("/proc"), func(e os.DirEntry) bool {
		s, err := os.Readlink("/proc/" + e.Name() + "/ns/mnt")
		return err == nil && s == space
	})
}

var _ = play("guard", playGuard)

// playGuard is a program that confines a job and waits to be killed.
func playGuard() int {
	l, err := NewLocal(Options{Env: os.Environ()})
	if err != nil {
		return 1
	}
	work := os.Getenv("WORK")
	g, err := NewGuarded(context.Background(), l, GuardedOptions{Roots: []string{work}, Serve: func(net.Listener) {}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	script := `while ! test -e go; do sleep 0.05; done; if echo x > ../out 2>/dev/null; then echo wrote; else echo refused; fi > done; exec sleep 600`
	p, err := g.Start(context.Background(), Proc{
		Argv: []string{g.info.Shell, "-c", script}, Dir: work, Log: filepath.Join(filepath.Dir(work), "log"), Env: os.Environ(), Confine: &Confine{},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(g.box.system.helper.cmd.Process.Pid, p.PID())
	_, _ = p.Wait()
	return 0
}

// What comes to stand at protected and hidden paths is held by the next start, also
// when nothing had changed for long before.
func TestGuardedRenews(t *testing.T) {
	work := tempDir(t)
	protected, hidden, deep := filepath.Join(work, "protected"), filepath.Join(work, "hidden"), filepath.Join(work, "a", "b", "hidden")
	g, _ := newGuarded(t, GuardedOptions{Roots: []string{work}, ReadOnly: []string{protected}, Hidden: []string{hidden, deep}})
	if !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	for _, made := range []string{"one", "another"} { // made, and replaced
		for deadline := time.Now().Add(10 * time.Second); !stampOf(work).settled; {
			if time.Now().After(deadline) {
				t.Fatal("nothing settles")
			}
			g.run(t, work, "true", &Confine{})
		}
		for _, name := range []string{protected, hidden, deep} {
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, name+".new", made)
			if err := os.Rename(name+".new", name); err != nil {
				t.Fatal(err)
			}
		}
		out, exit := g.run(t, work, "cat hidden a/b/hidden; cat protected && echo x > protected", &Confine{})
		if exit.Code == 0 || !strings.HasPrefix(out, made) || read(t, protected) != made {
			t.Errorf("%s: %+v, %s, %s", made, exit, out, read(t, protected))
		}
	}
}

// A protected file that another program writes again and again, as git and editors do,
// keeps no command from starting, and none can write it.
func TestGuardedWhileReplaced(t *testing.T) {
	work := tempDir(t)
	protected := filepath.Join(work, "config")
	write(t, protected, "theirs")
	g, _ := newGuarded(t, GuardedOptions{Roots: []string{work}, ReadOnly: []string{protected}})
	if !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	end := make(chan struct{})
	var replacing sync.WaitGroup
	for n := range 4 {
		replacing.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
				}
				lock := fmt.Sprint(protected, ".", n)
				if os.WriteFile(lock, []byte("theirs"), 0o600) != nil || os.Rename(lock, protected) != nil {
					t.Error("the file cannot be written outside")
					return
				}
			}
		})
	}
	for range 30 {
		if out, exit := g.run(t, work, "true", &Confine{}); exit.Code != 0 {
			t.Errorf("%+v: %s", exit, out)
		}
	}
	close(end)
	replacing.Wait()
	if out, exit := g.run(t, work, "echo x > config", &Confine{}); exit.Code == 0 || read(t, protected) != "theirs" {
		t.Errorf("%+v, %s, %s", exit, out, read(t, protected))
	}
}

// A start reads neither the table of mounts nor anything else that grows with what is
// protected, hidden or among the temporary files.
func TestGuardedStartReadsLittle(t *testing.T) {
	work := tempDir(t)
	var hidden []string
	for i := range 200 {
		hidden = append(hidden, filepath.Join(work, strconv.Itoa(i)))
		write(t, hidden[i], "secret")
	}
	g, _ := newGuarded(t, GuardedOptions{Roots: []string{work}, Hidden: hidden})
	if !g.box.system.mounts {
		t.Skip("SKIPPED: no mount namespaces here")
	}
	read := func() (n int) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", g.box.system.helper.cmd.Process.Pid))
		if err != nil {
			t.Skip("SKIPPED:", err)
		}
		if _, err := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if out, exit := g.run(t, work, "cat 7", &Confine{}); exit.Code != 0 || out != "" {
		t.Fatalf("%+v, %s", exit, out)
	}
	before := read()
	const starts, most = 5, 8 << 10
	for range starts {
		g.run(t, work, "true", &Confine{})
	}
	if n := (read() - before) / starts; n > most {
		t.Errorf("%d bytes are read for a start, want at most %d", n, most)
	}
}
