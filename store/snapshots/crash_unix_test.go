//go:build unix

package snapshots

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// crashEnv makes the test binary act as a process that kills itself at a step:
// directory, number of the step.
const crashEnv = "SNAPSHOTS_CRASH"

func TestMain(m *testing.M) {
	if task := os.Getenv(crashEnv); task != "" {
		dir, at, _ := strings.Cut(task, "|")
		n, err := strconv.Atoi(at)
		if err == nil {
			err = crashing(dir, n)
		}
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// crashing does a bit of everything and is killed at the nth step.
func crashing(dir string, n int) error {
	syscall.Umask(0o777) // what is kept must be readable for us, and only for us
	ctx, root := context.Background(), filepath.Join(dir, "work")
	step := func(s string) {
		if s == "recorded" {
			fmt.Println(s)
		}
		if n--; n == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	k, err := Open(ctx, Options{Dir: filepath.Join(dir, "s"), Conv: "c", Files: disk{}, Root: root, step: step})
	if err != nil {
		return err
	}
	if err := k.Warm(ctx); err != nil {
		return err
	}
	p := func(n string) string { return filepath.Join(root, n) }
	edit := func(err error) error {
		step("edit")
		return err
	}
	write := func(n, data string) error {
		if err := os.WriteFile(p(n), []byte(data), 0o644); err != nil {
			return err
		}
		return edit(os.Chmod(p(n), 0o644))
	}
	call := func(id, turn string, do func() error, paths ...string) error {
		if err := k.Begin(ctx, Call{ID: id, Turn: turn, Paths: paths}); err != nil {
			return err
		}
		fmt.Println("begun", id)
		if err := do(); err != nil {
			return err
		}
		if _, err := k.End(ctx, id); err != nil {
			return err
		}
		fmt.Println("ended", id)
		return nil
	}
	err = call("one", "t1", func() error {
		return errors.Join(write("a", "a1"), write("new", "n1"), edit(os.Remove(p("gone"))), edit(os.Remove(p("link"))),
			edit(os.Symlink("b", p("link"))), edit(os.Remove(p("dir/x"))), edit(os.Remove(p("dir"))), write("dir", "file"))
	})
	if err != nil {
		return err
	}
	err = call("two", "t2", func() error { return errors.Join(write("a", "a2"), write("b", "b2")) }, p("a"), p("b"))
	if err != nil {
		return err
	}
	plan, err := k.Plan(ctx, Filter{Turns: []string{"t1", "t2"}})
	if err != nil {
		return err
	}
	fmt.Println("planned")
	r, err := k.Apply(ctx, plan, Choice{})
	if err != nil {
		return err
	}
	fmt.Println("applied")
	if len(r.Left) > 0 {
		return errors.New(describe(r.Left))
	}
	if plan, err = k.Undo(ctx, r.ID); err != nil {
		return err
	}
	if _, err = k.Apply(ctx, plan, Choice{}); err != nil {
		return err
	}
	fmt.Println("undone")
	return k.Close()
}

// plantCrash makes the workspace in which everything begins.
func plantCrash(t *testing.T, dir string) *fixture {
	root := filepath.Join(dir, "work")
	f := &fixture{t: t, root: root, o: Options{Dir: filepath.Join(dir, "s"), Conv: "c", Files: disk{}, Root: root}}
	f.ok(os.Mkdir(root, 0o755))
	for _, n := range []string{"a", "b", "gone", "dir/x"} {
		f.write(n, n+"0")
	}
	f.link("a", "link")
	return f
}

// After a kill at any step the next process finds everything: what was cut off
// can be finished or undone, and everything can be taken back.
func TestKilledAtEveryStep(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for n := 1; ; n++ {
		dir := filepath.Join(base, strconv.Itoa(n))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		f := plantCrash(t, dir)
		before := f.tree()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashEnv+"="+dir+"|"+strconv.Itoa(n), "GORACE=atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v\n%s", n, err, out)
		}
		steps++
		afterKill(t, f, string(out), before, n%2 == 0)
		if t.Failed() {
			t.Fatalf("killed at step %d:\n%s", n, out)
		}
		f.ok(os.RemoveAll(dir))
	}
	if steps < 60 {
		t.Errorf("only %d steps", steps)
	}
}

func afterKill(t *testing.T, f *fixture, out, before string, finish bool) {
	t.Helper()
	ctx := context.Background()
	wantPrivate(t, f.o.Dir)
	f.open()
	defer func() { f.ok(f.Close()) }()
	if pending, err := f.Pending(ctx); err != nil {
		t.Error(err)
	} else if pending != nil && pending.Cut {
		id := pending.ID
		unfinished := (*UnfinishedError)(nil)
		if err := f.Begin(ctx, Call{ID: "next"}); !errors.As(err, &unfinished) || unfinished.ID != id {
			t.Errorf("a call begins in the middle of a rewind: %v", err)
		}
		if finish {
			r, err := f.Finish(ctx)
			if err != nil || len(r.Left) > 0 {
				t.Errorf("finish: %v, left %s", err, describe(r.Left))
			}
		} else {
			p, err := f.Undo(ctx, id)
			f.ok(err)
			if len(p.Doubtful)+len(p.Conflicts)+len(p.Impossible) > 0 {
				t.Errorf("undo: %s", describe(slices.Concat(p.Doubtful, p.Conflicts, p.Impossible)))
			}
			f.apply(p, Choice{})
		}
	}
	list, err := f.Changes(ctx, Filter{All: true})
	f.ok(err)
	if strings.Contains(out, "ended two") && !strings.Contains(out, "planned") && len(list) != 7 {
		t.Errorf("changes: %s", f.says(list))
	}
	p, err := f.Plan(ctx, Filter{All: true})
	f.ok(err)
	if strings.Contains(out, "ended two") && len(p.Doubtful) > 0 || len(p.Conflicts)+len(p.Impossible) > 0 {
		t.Errorf("doubtful %s, conflicts %s, impossible %s", describe(p.Doubtful), describe(p.Conflicts), describe(p.Impossible))
	}
	for _, c := range p.Doubtful {
		if !strings.Contains(c.Why, "not sure") {
			t.Errorf("%s: %s", c.Path, c.Why)
		}
	}
	_, since, _ := strings.Cut(out, "begun one")
	if !strings.Contains(since, "recorded") && len(p.Restore) > 0 {
		t.Errorf("surely an agent's, although the call was cut off: %s", f.names(p.Restore))
	}
	f.apply(p, Choice{All: true})
	want(t, "everything taken back", f.tree(), before)
	f.ok(f.Begin(ctx, Call{ID: "next"}))
	if list, err := f.End(ctx, "next"); err != nil || len(list) > 0 {
		t.Errorf("a call that does nothing: %s, %v", f.says(list), err)
	}
}

// wantPrivate checks that no one else can read what is kept.
func wantPrivate(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := os.FileMode(0o600)
		if d.IsDir() {
			mode = 0o700
		}
		if info.Mode().Perm() != mode && !strings.HasPrefix(d.Name(), ".tmp-") {
			t.Errorf("%s has mode %o", p, info.Mode().Perm())
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
