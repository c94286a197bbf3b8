package snapshots

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hermes-tui/store/atomicfile"
)

// disk is the file system of this machine as a workspace.
type disk struct{}

func (disk) Lstat(n string) (fs.FileInfo, error)     { return os.Lstat(n) }
func (disk) ReadDir(n string) ([]fs.DirEntry, error) { return os.ReadDir(n) }
func (disk) Readlink(n string) (string, error)       { return os.Readlink(n) }
func (disk) Remove(n string) error                   { return os.Remove(n) }
func (disk) Symlink(target, n string) error          { return os.Symlink(target, n) }

func (disk) Open(n string) (io.ReadCloser, error) {
	st, err := os.Stat(n)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: n, Err: fs.ErrInvalid}
	}
	return os.Open(n)
}

// Resolve follows links; what does not exist is kept.
func (d disk) Resolve(n string) (string, error) {
	if real, err := filepath.EvalSymlinks(n); err == nil {
		return real, nil
	}
	if target, err := os.Readlink(n); err == nil { // a link that leads nowhere
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(n), target)
		}
		return d.Resolve(target)
	}
	dir, err := d.Resolve(filepath.Dir(n))
	return filepath.Join(dir, filepath.Base(n)), err
}

func (d disk) real(n string) error {
	dir := filepath.Dir(n)
	if real, err := d.Resolve(dir); err != nil || real != dir {
		return &fs.PathError{Op: "write", Path: n, Err: errors.New("is a link")}
	}
	return nil
}

func (d disk) WriteAtomic(n string, data []byte, mode fs.FileMode) error {
	if err := d.real(n); err != nil {
		return err
	}
	if st, err := os.Lstat(n); err == nil && !st.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: n, Err: errors.New("not a regular file")}
	}
	return atomicfile.Write(n, data, mode)
}

func (d disk) MkdirAll(n string, mode fs.FileMode) ([]string, error) {
	if err := d.real(n); err != nil {
		return nil, err
	}
	return nil, errors.Join(os.MkdirAll(n, mode), os.Chmod(n, mode)) // whatever the umask
}

// fixture is a workspace with a Keeper.
type fixture struct {
	t testing.TB
	*Keeper
	o     Options
	root  string
	calls int
}

func newFixture(t testing.TB, change ...func(*Options)) *fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, root: filepath.Join(base, "work")}
	if err := os.Mkdir(f.root, 0o755); err != nil {
		t.Fatal(err)
	}
	f.o = Options{Dir: filepath.Join(base, "snapshots"), Conv: "c1", Files: disk{}, Place: "local", Root: f.root}
	for _, c := range change {
		c(&f.o)
	}
	f.open()
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	k, err := Open(context.Background(), f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Keeper = k
}

// reopen closes the Keeper and opens it again.
func (f *fixture) reopen() {
	f.t.Helper()
	if err := f.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.open()
}

func (f *fixture) path(n string) string {
	if filepath.IsAbs(n) {
		return n
	}
	return filepath.Join(f.root, n)
}

func (f *fixture) write(n, data string) { f.writeMode(n, data, 0o644) }

func (f *fixture) writeMode(n, data string, mode fs.FileMode) {
	f.t.Helper()
	p := f.path(n)
	f.ok(os.MkdirAll(filepath.Dir(p), 0o755))
	f.ok(os.WriteFile(p, []byte(data), mode))
	f.ok(os.Chmod(p, mode))
}

func (f *fixture) remove(n string) { f.t.Helper(); f.ok(os.RemoveAll(f.path(n))) }

func (f *fixture) link(target, n string) {
	f.t.Helper()
	f.ok(os.MkdirAll(filepath.Dir(f.path(n)), 0o755))
	f.ok(os.Symlink(target, f.path(n)))
}

func (f *fixture) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// call runs do as a call of an agent.
func (f *fixture) call(turn string, do func(), paths ...string) []Change {
	f.t.Helper()
	f.calls++
	id := fmt.Sprintf("call%d", f.calls)
	for i := range paths {
		paths[i] = f.path(paths[i])
	}
	f.ok(f.Begin(context.Background(), Call{ID: id, Turn: turn, Agent: "root", Paths: paths}))
	do()
	changes, err := f.End(context.Background(), id)
	f.ok(err)
	return changes
}

// tree lists the workspace: path, mode and content of everything.
func (f *fixture) tree() string { f.t.Helper(); return treeOf(f.t, f.root) }

func treeOf(t testing.TB, root string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		if d.Name() == gitName {
			return fs.SkipDir
		}
		rel, _ := filepath.Rel(root, p)
		switch {
		case d.IsDir():
			out = append(out, rel+"/")
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			out = append(out, rel+" -> "+target)
		case d.Type().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			out = append(out, fmt.Sprintf("%s %o %q", rel, info.Mode().Perm(), data))
		default:
			out = append(out, rel+" special")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// plan plans to undo turns.
func (f *fixture) plan(turns ...string) *Plan {
	f.t.Helper()
	p, err := f.Plan(context.Background(), Filter{Turns: turns})
	f.ok(err)
	return p
}

func (f *fixture) apply(p *Plan, c Choice) Result {
	f.t.Helper()
	r, err := f.Apply(context.Background(), p, c)
	f.ok(err)
	return r
}

// rewind undoes turns; nothing may be left.
func (f *fixture) rewind(turns ...string) Result {
	f.t.Helper()
	r := f.apply(f.plan(turns...), Choice{})
	if len(r.Left) > 0 {
		f.t.Fatalf("left: %s", describe(r.Left))
	}
	return r
}

func (f *fixture) undo(id string, c Choice) Result {
	f.t.Helper()
	p, err := f.Undo(context.Background(), id)
	f.ok(err)
	return f.apply(p, c)
}

func describe(items []Item) string {
	var out []string
	for _, i := range items {
		out = append(out, fmt.Sprintf("%s %s: %s %s", i.Kind(), i.Path, i.Why, i.Note))
	}
	return strings.Join(out, "\n")
}

// says lists changes as words, with names relative to the workspace.
func (f *fixture) says(changes []Change) string {
	var out []string
	for _, c := range changes {
		out = append(out, string(c.Kind())+" "+f.label(c.Path))
	}
	return strings.Join(out, ", ")
}

func (f *fixture) names(items []Item) string {
	var out []string
	for _, i := range items {
		out = append(out, f.label(i.Path))
	}
	return strings.Join(out, ", ")
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got  %s\n want %s", what, got, want)
	}
}

// counter counts what is read of a workspace.
type counter struct {
	disk
	mu    sync.Mutex
	opens []string
	lists int
}

func (c *counter) Open(n string) (io.ReadCloser, error) {
	c.mu.Lock()
	c.opens = append(c.opens, filepath.Base(n))
	c.mu.Unlock()
	return c.disk.Open(n)
}

func (c *counter) ReadDir(n string) ([]fs.DirEntry, error) {
	c.mu.Lock()
	c.lists++
	c.mu.Unlock()
	return c.disk.ReadDir(n)
}

func (c *counter) reset() (opens []string, lists int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	opens, lists = c.opens, c.lists
	c.opens, c.lists = nil, 0
	slices.Sort(opens)
	return opens, lists
}
