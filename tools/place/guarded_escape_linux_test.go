package place

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hermes-tui/tools"
)

// A socket is out of reach by each of its names, whichever its server has given it.
func TestGuardedSocketsByOtherNames(t *testing.T) {
	const python = "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		t.Skip("SKIPPED: no python3")
	}
	dir := tempDir(t)
	first, last, allowed := filepath.Join(dir, "control.tmp"), filepath.Join(dir, "control"), filepath.Join(dir, "allowed")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: first, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{last, allowed} {
		if err := os.Link(first, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	g, work := newGuarded(t, GuardedOptions{Sockets: []string{allowed}})
	for name, want := range map[string]bool{last: false, allowed: true} {
		out, exit := g.run(t, work, python+" -c '"+connect+"' "+name, &Confine{})
		if got := exit.Code == 0; got != want {
			t.Errorf("%s: %+v, %s", name, exit, out)
		}
	}
	own := python + ` -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); socket.socket(socket.AF_UNIX).connect(sys.argv[1])' `
	for _, name := range []string{"own", "/tmp" + "/place-test-own$$"} {
		if out, exit := g.run(t, work, own+name+" && rm "+name, &Confine{}); exit.Code != 0 {
			t.Errorf("its own socket %s: %+v, %s", name, exit, out)
		}
	}
}

// Servers of others come and go while confined processes start.
func TestGuardedSocketsThatGo(t *testing.T) {
	dir := tempDir(t)
	g, work := newGuarded(t, GuardedOptions{})
	over := make(chan struct{})
	var serving sync.WaitGroup
	defer serving.Wait()
	defer close(over)
	for i := range 4 {
		serving.Go(func() {
			for name := filepath.Join(dir, fmt.Sprint(i)); !closed(over); {
				l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
				if err != nil {
					t.Error(err)
					return
				}
				_ = l.Close() // which removes it
			}
		})
	}
	for range 100 {
		if out, exit := g.run(t, work, "echo begun", &Confine{}); out != "begun\n" {
			t.Errorf("%+v, %s", exit, out)
			break
		}
	}
}

// What others read from pipes among the temporary files is not written by confined
// processes.
func TestGuardedPipesOfOthers(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "place-test-pipes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	below, top := filepath.Join(dir, "a", "pipe"), dir+".pipe"
	t.Cleanup(func() { _ = os.Remove(top) })
	if err := os.Mkdir(filepath.Dir(below), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{below, top} {
		if err := unix.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, work := newGuarded(t, GuardedOptions{})
	for _, name := range []string{below, top} {
		reader, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = g.run(t, work, "echo x 1<>"+name+" >&1", &Confine{})
		_ = reader.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if n, _ := reader.Read(make([]byte, 9)); n > 0 {
			t.Errorf("%s was written to", name)
		}
		_ = reader.Close()
	}
	if out, exit := g.run(t, work, "mkfifo p $TMPDIR/p && (echo x > p & cat p) && (echo y > $TMPDIR/p & cat $TMPDIR/p)", &Confine{}); exit.Code != 0 || out != "x\ny\n" {
		t.Errorf("own pipes: %+v, %s", exit, out)
	}
}

// Devices are not read, but for those that every program needs: a disk holds every
// file, and a terminal what is typed.
func TestGuardedDevices(t *testing.T) {
	g, work := newGuarded(t, GuardedOptions{})
	nodes, err := os.ReadDir("/dev")
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{"null": true, "zero": true, "full": true, "random": true, "urandom": true, "tty": true, "ptmx": true}
	for _, e := range nodes {
		if e.Type()&os.ModeDevice == 0 || open[e.Name()] {
			continue
		}
		if out, exit := g.run(t, work, "(exec 3<>/dev/"+e.Name()+") || (exec 3</dev/"+e.Name()+")", &Confine{}); exit.Code == 0 {
			t.Errorf("/dev/%s was opened: %s", e.Name(), out)
		}
	}
	script := "for f in null zero full random urandom fd/0 stdin; do head -c1 /dev/$f >/dev/null || echo $f; done; ls /dev >/dev/null && echo x | cat /dev/stdin && cat <(echo y)"
	if out, exit := g.run(t, work, script, &Confine{}); exit.Code != 0 || strings.TrimSpace(out) != "x\ny" {
		t.Errorf("%+v, %s", exit, out)
	}
}

// A repository that a confined process makes stays one that starts nothing, whatever
// other ways to its settings the process has kept.
func TestGuardedNewRepository(t *testing.T) {
	const (
		repository = `mkdir -p .git/hooks && printf '[core]\n\tbare = false\n' > .git/config && echo x > .git/hooks/a.sample && `
		evil       = `printf '[core]\n\tfsmonitor = evil\n'`
		later      = `until test -e go; do sleep 0.02; done; `
		told       = "touch go; until test -e done; do sleep 0.02; done"
	)
	for name, scripts := range map[string][]string{
		"plain":            {repository + "true"},
		"another name":     {repository + "ln .git/config other", evil + " >> other"},
		"file":             {"mkdir evil && " + evil + " > evil/config && echo 'gitdir: evil' > .git"},
		"link":             {"ln -s evil .git", "mkdir -p evil/hooks && " + evil + " > evil/config"},
		"link of settings": {repository + evil + " > evil && ln -sf ../evil .git/config"},
		"open file":        {repository + "(exec 9>>.git/config; " + later + evil + " >&9; touch done) >/dev/null 2>&1 &", told},
		"later":            {repository + "(" + later + evil + " >> .git/config; touch .git/hooks/pre-commit; touch done) >/dev/null 2>&1 &", told},
		"from inside":      {repository + "(top=$PWD; cd .git; until test -e $top/go; do sleep 0.02; done; " + evil + " >> config; touch hooks/pre-commit; touch $top/done) >/dev/null 2>&1 &", told},
		"from the hooks":   {repository + "(top=$PWD; cd .git/hooks; until test -e $top/go; do sleep 0.02; done; touch pre-commit; touch $top/done) >/dev/null 2>&1 &", told},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work := tempDir(t)
			g, _ := newGuarded(t, GuardedOptions{Roots: []string{work}, ReadOnly: tools.ProtectedPaths(work), Harmless: tools.HarmlessNew})
			if !g.box.system.mounts {
				t.Skip("SKIPPED: no mount namespaces here")
			}
			for _, script := range scripts {
				_, _ = g.run(t, work, script, &Confine{})
			}
			if st, err := os.Lstat(filepath.Join(work, ".git")); err == nil && !st.IsDir() {
				t.Errorf(".git is %v", st.Mode())
			}
			config, err := os.ReadFile(filepath.Join(work, ".git/config"))
			if strings.Contains(string(config), "evil") || strings.Contains(strings.Join(scripts, ""), repository+"true") && err != nil {
				t.Errorf("settings: %q, %v", config, err)
			}
			if _, err := os.Lstat(filepath.Join(work, ".git/hooks/pre-commit")); err == nil {
				t.Error("there is a hook")
			}
		})
	}
}
