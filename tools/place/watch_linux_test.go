package place

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// changed is when a file was changed, in nanoseconds.
func changed(t *testing.T, name string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(name, &st); err != nil {
		t.Fatal(err)
	}
	return st.Ctim.Nano()
}

// editor is another program of the user that works in a folder: a shell, which does
// what it is told.
type editor struct {
	t  *testing.T
	in io.WriteCloser
	to string
}

func newEditor(t *testing.T, dir string) *editor {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "keys")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `sh < "$0" > /dev/null 2>&1 &`, fifo) // no child of ours, and in no session of ours
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	in, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() }) // it ends at the end of its input
	return &editor{t, in, dir}
}

func (e *editor) save(name, text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, "echo "+text+" > "+name+".tmp; mv "+name+".tmp "+name+"\n"); err != nil {
		e.t.Fatal(err)
	}
	awaitSaved(e.t, filepath.Join(e.to, name))
}

// awaitSaved waits until a file is there.
func awaitSaved(t *testing.T, name string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if st, err := os.Stat(name); err == nil && st.Size() > 0 {
			return
		}
		<-time.After(2 * time.Millisecond) // another program writes it
	}
	t.Fatalf("%s was not written", name)
}

// awaitLook waits until the watch has begun to look some times from now on.
func awaitLook(t *testing.T, w *Watch, times int) {
	t.Helper()
	since := time.Now().UnixNano()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		w.mu.Lock()
		begin := w.last.begin
		w.mu.Unlock()
		if begin > since {
			if times--; times == 0 {
				return
			}
			since = begin
		}
		<-time.After(2 * time.Millisecond) // the kernel's clocks cannot be injected
	}
	t.Fatal("the watch does not look")
}

// watched runs a command under a watch, with something to do beside it.
func watched(t *testing.T, dir, command string, beside func(w *Watch)) *Watch {
	t.Helper()
	w := WatchPrograms(dir)
	if w == nil {
		t.Skip("SKIPPED: this system does not say what programs do in " + dir)
	}
	t.Cleanup(w.Close)
	here, err := NewLocal(Options{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := here.Start(context.Background(), Proc{Argv: []string{"/bin/sh", "-c", command}, Dir: dir, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	beside(w)
	if exit, err := p.Wait(); err != nil || exit.Code != 0 {
		t.Fatalf("%+v, %v", exit, err)
	}
	return w
}

// A command that waits cannot have changed what changes meanwhile; what it does
// before and after that is its own.
func TestWatchKnowsWhenACommandWaits(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	w := watched(t, dir, "echo 1 > first; read line < fifo; echo 2 > last", func(w *Watch) {
		awaitSaved(t, filepath.Join(dir, "first"))
		awaitLook(t, w, 2)
		if err := os.WriteFile(filepath.Join(dir, "user"), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		awaitLook(t, w, 2)
		if err := os.WriteFile(fifo, []byte("on\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	for name, doubt := range map[string]bool{"first": false, "user": true, "last": false} {
		if why := w.Doubt(changed(t, filepath.Join(dir, name))); (why != "") != doubt {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// busy is a command that writes files all the time.
const busy = `i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo $i > out$i; for j in 1 2 3 4 5 6 7 8 9; do :; done; ` +
	`[ $i = 100 ] && { while [ ! -e go ]; do :; done; }; done; true`

// A program that has the folder open and writes while a command is busy may have
// written what changed then, and nothing that changed long before or after.
func TestWatchSeesOthersWrite(t *testing.T) {
	dir := t.TempDir()
	e := newEditor(t, dir)
	w := watched(t, dir, busy, func(w *Watch) {
		awaitSaved(t, filepath.Join(dir, "out100"))
		awaitLook(t, w, 2)
		e.save("user", "mine")
		awaitLook(t, w, 2)
		e.save("go", "on")
	})
	if why := w.Doubt(changed(t, filepath.Join(dir, "user"))); !strings.Contains(why, "another program (sh) wrote files") {
		t.Errorf("what the user has saved: %q", why)
	}
	if why := w.Doubt(changed(t, filepath.Join(dir, "out1"))); why != "" {
		t.Errorf("what the command wrote before: %q", why)
	}
}

// A program that moves what it wrote into its place has written it, even where it waits a
// while before.
func TestWatchSeesALateMove(t *testing.T) {
	dir := t.TempDir()
	e := newEditor(t, dir)
	w := watched(t, dir, busy, func(w *Watch) {
		awaitSaved(t, filepath.Join(dir, "out100"))
		awaitLook(t, w, 2)
		if _, err := io.WriteString(e.in, "echo mine > user.tmp; (sleep 0.4; mv user.tmp user)\n"); err != nil {
			t.Fatal(err)
		}
		awaitSaved(t, filepath.Join(dir, "user"))
		awaitLook(t, w, 2)
		e.save("go", "on")
	})
	if why := w.Doubt(changed(t, filepath.Join(dir, "user"))); !strings.Contains(why, "wrote files at the same time") {
		t.Errorf("what the user has saved: %q", why)
	}
}

// A command that is alone is not doubted, whatever it does.
func TestWatchOfACommandThatIsAlone(t *testing.T) {
	dir := t.TempDir()
	w := watched(t, dir, "touch go; sleep 0.2; (sleep 0.1; echo x > late) & "+busy+"; wait", func(*Watch) {})
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 402 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	for _, f := range list {
		if why := w.Doubt(changed(t, filepath.Join(dir, f.Name()))); why != "" {
			t.Errorf("%s: %s", f.Name(), why)
		}
	}
}

// A command that has ended and is not waited for yet has run all the same: what it wrote
// is its own.
func TestWatchBeforeACommandIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	w := WatchPrograms(dir)
	if w == nil {
		t.Skip("SKIPPED: this system does not say what programs do in " + dir)
	}
	t.Cleanup(w.Close)
	awaitLook(t, w, 2)
	cmd := exec.Command("/bin/sh", "-c", "echo text > made")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitSaved(t, filepath.Join(dir, "made"))
	awaitLook(t, w, 2)
	if why := w.Doubt(changed(t, filepath.Join(dir, "made"))); why != "" {
		t.Error(why)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// looks are looks that were noted down.
type looks []look

func (l *looks) look() look {
	next := (*l)[0]
	*l = (*l)[1:]
	return next
}

// What a command writes while the clock of files stands still has the time of
// something earlier, when nothing ran: it is the command's own still.
func TestWatchWhileTheClockOfFilesStands(t *testing.T) {
	w := &Watch{table: &looks{
		{begin: 900, end: 910, active: "waits"},
		{begin: 1000, end: 1060, active: "waits"}, // it has stood since 1000
		{begin: 1000, end: 1160, active: "waits"},
		{begin: 1300, end: 1310, active: "ran"}, // wrote at 1180
	}}
	for range 4 {
		w.lookAgain()
	}
	if why := w.Doubt(1000); why != "" {
		t.Errorf("what was written at 1180 and stamped with 1000: %s", why)
	}
	if why := w.Doubt(950); why == "" {
		t.Error("nothing ran at 950")
	}
}

// Commands that are over between two looks have run all the same.
func TestWatchMissesNoShortCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := WatchPrograms(dir)
	if w == nil {
		t.Skip("SKIPPED: this system does not say what programs do in " + dir)
	}
	t.Cleanup(w.Close)
	ctx, stop := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	looking.Go(func() {
		for ctx.Err() == nil {
			w.mu.Lock()
			w.lookAgain()
			w.mu.Unlock()
		}
	})
	defer looking.Wait()
	defer stop()
	for n := range 300 {
		name := filepath.Join(dir, strconv.Itoa(n))
		if err := exec.Command("sh", "-c", `echo x > "$0"`, name).Run(); err != nil {
			t.Fatal(err)
		}
		if why := w.Doubt(changed(t, name)); why != "" {
			t.Fatalf("command %d: %s", n, why)
		}
	}
}

// What was started just before the watching began is no part of what is watched.
func TestWatchKnowsWhatWasBefore(t *testing.T) {
	t.Parallel()
	for range 20 {
		dir := t.TempDir()
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w := WatchPrograms(dir)
		if w == nil {
			t.Skip("SKIPPED: this system does not say what programs do in " + dir)
		}
		w.Close() // it looks no more
		p := w.table.(*procs)
		kind := p.kinds(p.table())[cmd.Process.Pid]
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if kind != earlier {
			t.Fatalf("a child from before counts as %d", kind)
		}
	}
}

// The helper of confined processes makes what folders are mounted on, which is no work of
// someone else's.
func TestWatchPassesOverTheHelper(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), rolePlayed+"=writer")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := watched(t, dir, "until [ -e made ]; do :; done", func(w *Watch) {
		awaitLook(t, w, 2)
		_, _ = io.WriteString(in, "x")
		awaitSaved(t, filepath.Join(dir, "made"))
		awaitLook(t, w, 2)
	})
	if why := w.Doubt(changed(t, filepath.Join(dir, "made"))); why != "" {
		t.Error(why)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// A program that has written and then waits for something it has started does not
// write any more.
func TestWatchEndsWithTheWriting(t *testing.T) {
	dir := t.TempDir()
	e := newEditor(t, dir)
	w := watched(t, dir, busy, func(w *Watch) {
		awaitSaved(t, filepath.Join(dir, "out100"))
		awaitLook(t, w, 2)
		if _, err := io.WriteString(e.in, "echo mine > user; sleep 5 & wait\n"); err != nil {
			t.Fatal(err)
		}
		awaitSaved(t, filepath.Join(dir, "user"))
		awaitLook(t, w, 4)
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		awaitLook(t, w, 4)
	})
	for name, doubt := range map[string]bool{"user": true, "out400": false} {
		if why := w.Doubt(changed(t, filepath.Join(dir, name))); (why != "") != doubt {
			t.Errorf("%s: %q", name, why)
		}
	}
}
