package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// taskEnv names what a re-run of the test binary does instead of testing.
const taskEnv = "SESSIONS_TEST_TASK"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(taskEnv) {
	case "write":
		err = writeTask(os.Args[1], os.Args[2], os.Args[3])
	case "hold":
		err = holdTask(os.Args[1], os.Args[2])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err, errors.Unwrap(err))
		os.Exit(1)
	}
}

// holdTask takes a lease, says so and keeps it until its input ends.
func holdTask(dir, conv string) error {
	lease, err := Acquire(context.Background(), dir, conv)
	if err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, lease.Release())
}

// startTask re-runs the test binary for a task.
func startTask(t *testing.T, task string, args ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), taskEnv+"="+task)
	cmd.Stderr = os.Stderr
	// The input stays open as long as this process lives.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// startHolder starts a process that takes a lease and returns the first thing it
// says.
func startHolder(t *testing.T, dir, conv string) (*exec.Cmd, string) {
	t.Helper()
	cmd, out := startTask(t, "hold", dir, conv)
	lines := bufio.NewScanner(out)
	lines.Scan()
	return cmd, lines.Text()
}

// writeTask commits numbered messages to a conversation, says so for each, and
// goes on from where an earlier task was stopped. A number is committed again
// first if its outcome is not known.
func writeTask(path, conv, upTo string) error {
	last, err := strconv.Atoi(upTo)
	if err != nil {
		return err
	}
	ctx := context.Background()
	d, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	if err := d.Commit(ctx, Batch{Conv: conv, Session: "s-" + conv, Create: &NewSession{}}); err != nil {
		return err
	}
	seq, err := lastSeq(ctx, d, conv)
	if err != nil {
		return err
	}
	for n := int(seq) + 1; n <= last; n++ {
		b := say(conv, n)
		b.Effects = []Effect{SavePartial{Agent: "a", Text: strings.Repeat("x", n%4000)}, AddUsage{Input: 1}}
		if err := d.Commit(ctx, b); err != nil {
			return err
		}
		if _, err := fmt.Println(n); err != nil {
			return err
		}
	}
	return d.Close()
}

// wantWhole checks that a conversation holds messages and events 1 to some
// number, at least atLeast, each once, and returns that number.
func wantWhole(t *testing.T, d *DB, conv string, atLeast int) int {
	t.Helper()
	all := events(t, d, conv, 0)
	messages, err := d.Messages(t.Context(), "s-"+conv)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < atLeast || len(all) != len(messages) {
		t.Fatalf("%d events and %d messages, %d were acknowledged", len(all), len(messages), atLeast)
	}
	for i := range all {
		if all[i].Seq != uint64(i+1) || messages[i].Content != fmt.Sprintf("text %d", i+1) {
			t.Fatalf("place %d holds event %d and message %q", i, all[i].Seq, messages[i].Content)
		}
	}
	s, err := d.Session(t.Context(), "s-"+conv)
	if err != nil || s.Messages != int64(len(all)) || s.Input != int64(len(all)) {
		t.Fatalf("session %+v, %v", s, err)
	}
	return len(all)
}

func TestKilledWriter(t *testing.T) {
	path := newPath(t)
	for round := range 5 {
		cmd, out := startTask(t, "write", path, "c", strconv.Itoa(1<<30))
		acknowledged, seen := 0, 0
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			acknowledged = n
			if seen++; seen == 60+7*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the writer was not killed")
		}
		wantValue(t, path, "PRAGMA integrity_check", "ok")
		d := mustOpen(t, path)
		stored := wantWhole(t, d, "c", acknowledged)
		// The batch in flight may be there or not; committing it again is right
		// either way.
		for _, n := range []int{stored, stored + 1, stored + 1} {
			b := say("c", n)
			b.Effects = []Effect{AddUsage{Input: 1}}
			mustCommit(t, d, b)
		}
		if got := wantWhole(t, d, "c", acknowledged); got != stored+1 {
			t.Errorf("%d batches, want %d", got, stored+1)
		}
		mustClose(t, d)
	}
}

func TestThreeWriters(t *testing.T) {
	const batches = 150
	path := newPath(t)
	var wg sync.WaitGroup
	for _, conv := range []string{"a", "b", "c"} {
		cmd, out := startTask(t, "write", path, conv, strconv.Itoa(batches))
		wg.Go(func() {
			_, err := io.Copy(io.Discard, out)
			if err := errors.Join(err, cmd.Wait()); err != nil {
				t.Errorf("writer %s: %v", conv, err)
			}
		})
	}
	wg.Wait()
	d := mustOpen(t, path)
	for _, conv := range []string{"a", "b", "c"} {
		if got := wantWhole(t, d, conv, batches); got != batches {
			t.Errorf("%d batches of %s", got, conv)
		}
	}
	wantValue(t, path, "PRAGMA integrity_check", "ok")
}

func TestManyGoroutines(t *testing.T) {
	const batches = 60
	path := newPath(t)
	d := openWith(t, path, Options{})
	second := openWith(t, path, Options{})
	var wg sync.WaitGroup
	for i, db := range []*DB{d, d, second, second} {
		conv := fmt.Sprintf("c%d", i)
		wg.Go(func() {
			begin(t, db, conv)
			for n := 1; n <= batches; n++ {
				b := say(conv, n)
				b.Effects = []Effect{AddUsage{Input: 1}}
				if err := db.Commit(t.Context(), b); err != nil {
					t.Error(err)
					return
				}
				if _, err := db.List(t.Context(), Filter{Query: "text"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range 4 {
		wantWhole(t, d, fmt.Sprintf("c%d", i), batches)
	}
}
