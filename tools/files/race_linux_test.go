package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"hermes-tui/tools"
)

// swaps is how often a link is put in place of a directory or file while the
// tools are at work.
const swaps = 10_000

// swapper puts a link to a target in place of a file or directory and back, over
// and over and each time in one step, until stop is called.
func swapper(t *testing.T, path, target string) (stop func()) {
	t.Helper()
	link := path + ".link"
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	exchange := func() error { return unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) }
	if err := errors.Join(exchange(), exchange()); err != nil {
		t.Skipf("SKIPPED: names cannot be exchanged here: %v", err)
	}
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-quit:
				return
			default:
				_ = exchange() // the link
				_ = exchange()
			}
			// For a while of changing length all is well.
			_ = unix.Nanosleep(&unix.Timespec{Nsec: int64(i%997) * 400}, nil)
		}
	})
	return func() { close(quit); wg.Wait() }
}

// TestLinksSwappedDuringChanges holds that nothing outside is changed, whatever
// moment a link is put on the way.
func TestLinksSwappedDuringChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	outside := filepath.Join(b.home, "outside")
	canaries := []string{"f.txt", "gone.txt", "from.txt"}
	for _, name := range canaries {
		b.put(filepath.Join(outside, name), "canary\n")
	}
	b.put("dir/f.txt", "mine\n")
	before := tree(t, outside)
	stop := swapper(t, filepath.Join(b.root, "dir"), outside)
	n := swaps
	if testing.Short() {
		n /= 10
	}
	done := 0
	for i := range n {
		var changes []tools.TextChange
		file, err := b.Text("dir/f.txt")
		if err != nil || !strings.HasPrefix(file.Real, filepath.Join(b.root, "dir")) {
			continue // resolved while the link stood there: the gate would ask
		}
		changes = append(changes, tools.TextChange{File: file, Body: "mine\n" + strings.Repeat("x", i%7) + "\n"})
		if to, err := b.Text("dir/to.txt"); err == nil && strings.HasPrefix(to.Real, filepath.Join(b.root, "dir")) {
			if i%2 == 0 && !to.Exists {
				changes = []tools.TextChange{{Op: tools.OpMove, File: file, To: to, Body: file.Body}}
			} else if to.Exists {
				changes = append(changes, tools.TextChange{Op: tools.OpDelete, File: to})
			}
		}
		if _, err := b.edit(changes...); err == nil {
			done++
		}
	}
	stop()
	if after := tree(t, outside); after != before {
		t.Errorf("outside was\n%s\nand is\n%s", before, after)
	}
	t.Logf("%d of %d changes were made", done, n)
	if done == 0 {
		t.Error("no change was ever made: the test shows nothing")
	}
}

// TestLinkSwappedDuringRead holds that a file which must not be shown is not
// shown through a link that appears after the guard has looked.
func TestLinkSwappedDuringRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	secret := b.put(filepath.Join(b.home, ".hermes/auth.json"), "secret\n")
	b.put("f.txt", "open\n")
	stop := swapper(t, filepath.Join(b.root, "f.txt"), secret)
	defer stop()
	n, shown := swaps, 0
	if testing.Short() {
		n /= 10
	}
	for range n {
		b.Forget()
		a := b.read("f.txt")
		if strings.Contains(a.Content, "secret") {
			t.Fatalf("shown: %s", a.Content)
		}
		if a.text("content") != "" {
			shown++
		}
	}
	t.Logf("%d of %d reads were answered", shown, n)
}

// TestTwoEditorsLoseNothing lets agents append to one file at once: every edit that
// was reported is in the file, the others were refused.
func TestTwoEditorsLoseNothing(t *testing.T) {
	b := newBench(t)
	b.put("f.txt", "")
	shared := NewRegistry(0)
	const each = 200
	var mu sync.Mutex
	var reported []string
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		f := New(Options{Place: b.place, Root: b.root, Agent: name, Shared: shared})
		wg.Go(func() {
			for i := range each {
				text, err := f.Text("f.txt")
				if err != nil {
					t.Error(err)
					return
				}
				line := name + strings.Repeat("i", i) + "\n"
				_, err = f.Change(t.Context(), tools.Call{Permit: permit{}}, []tools.TextChange{{File: text, Body: text.Body + line}})
				if err == nil {
					mu.Lock()
					reported = append(reported, line)
					mu.Unlock()
				} else if !strings.Contains(err.Error(), "changed by someone else") {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := strings.SplitAfter(b.content("f.txt"), "\n")
	if len(got)-1 != len(reported) {
		t.Fatalf("%d lines in the file, %d reported", len(got)-1, len(reported))
	}
	in := map[string]bool{}
	for _, l := range got {
		in[l] = true
	}
	for _, l := range reported {
		if !in[l] {
			t.Errorf("line %q was reported and is lost", l)
		}
	}
	if len(shared.locks) != 0 {
		t.Errorf("%d locks are left", len(shared.locks))
	}
}

func TestLockOfCancelledCall(t *testing.T) {
	r := NewRegistry(0)
	unlock, err := r.lock(t.Context(), []string{"b", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := testContext(t)
	cancel(errors.New("stopped"))
	if _, err := r.lock(ctx, []string{"c", "a"}); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("error %v", err)
	}
	unlock()
	if len(r.locks) != 0 {
		t.Errorf("locks left: %v", r.locks)
	}
}
