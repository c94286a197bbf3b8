package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-tui/tools"
)

func TestReplaceTool(t *testing.T) {
	d := newDisk(t, map[string]string{"a.txt": "one\ntwo\none\n"})
	r := call(t, New(d), replaceArgs("a.txt", "two", "2"))
	if !r.Success || r.Real != d.path("a.txt") || !slices.Equal(r.Modified, []string{d.path("a.txt")}) || r.Lint != "ok" || r.Hint+r.Warning != "" {
		t.Errorf("result %s", r.Content)
	}
	if v := r.View; v.Kind != tools.KindWrite || v.Subject != "a.txt" || v.Lang != "diff" || v.Body == "" || v.Summary != "+1 −1" {
		t.Errorf("view %+v", v)
	}
	args := replaceArgs("a.txt", " one ", "1")
	args["replace_all"] = "true"
	d.partly = true
	r = call(t, New(d), args)
	if !r.Success || r.Count != 2 {
		t.Errorf("result %s", r.Content)
	}
	wantWords(t, r.Hint, LineTrimmed)
	wantWords(t, r.Warning, "only a part")
	if got := d.tree()["a.txt"]; got != "1\n2\n1\n" {
		t.Errorf("file is %q", got)
	}
}

func TestPatchTool(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "1\n", "b": "b\n", "c": "c\n"})
	r := call(t, New(d), patchArgs("*** Begin Patch\n*** Update File: a\n-1\n+one\n*** Delete File: b\n*** Move File: c -> sub/d\n*** Add File: e\n+e\n*** End Patch"))
	if !r.Success || len(r.Modified) != 1 || len(r.Created) != 2 || len(r.Deleted) != 2 || r.View.Subject != "4 files" {
		t.Fatalf("result %s, subject %q", r.Content, r.View.Subject)
	}
	if lint, ok := r.Lint.(map[string]any); !ok || len(lint) != 3 {
		t.Errorf("lint %v", r.Lint)
	}
	if got := fmt.Sprint(d.tree()); got != "map[a:one\n e:e\n sub/d:c\n]" {
		t.Errorf("files are %s", got)
	}
}

// TestPatchIsWhole holds that one failing part keeps the others from being done,
// and that all are named.
func TestPatchIsWhole(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "1\n", "b": "b\n"})
	before := d.tree()
	r := call(t, New(d), patchArgs("*** Update File: a\n-1\n+one\n*** Add File: b\n+x\n*** Delete File: gone\n*** Update File: ../up\n-x\n"))
	wantWords(t, r.Error, "no file was changed", "\n- b: ", "exists", "\n- gone: ", "\n- ../up: ", "absolute")
	if got := d.tree(); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("files are %v", got)
	}
}

// TestActionNamesEveryFile holds that the gate judges what is written, however a
// header is spelt and whatever a path leads through.
func TestActionNamesEveryFile(t *testing.T) {
	d := newDisk(t, map[string]string{"work/x": "mode: off\n", "home/config.yaml": "mode: ask\n", "home/old": "o\n"})
	if err := os.Symlink(d.path("home"), d.path("work/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(d.path("home/config.yaml"), d.path("work/notes")); err != nil {
		t.Fatal(err)
	}
	d.root = d.path("work")
	config := filepath.Join(filepath.Dir(d.root), "home/config.yaml")
	for _, c := range []struct {
		patch string
		path  string
	}{
		{"***Add File: link/new\n+x", filepath.Join(filepath.Dir(config), "new")},
		{"***  add file: link/new\n+x", filepath.Join(filepath.Dir(config), "new")},
		{"***Update File: " + config + "\n-mode: ask\n+mode: off", config},
		{"*** Update File: notes\n-mode: ask\n+mode: off", config},
		{"*** Update File: link/./config.yaml\n-mode: ask\n+mode: off", config},
		{"***Delete File:link/config.yaml", config},
		{"*** Move File: x -> link/new", filepath.Join(filepath.Dir(config), "new")},
		{"*** Move File: x->" + filepath.Dir(config) + "/new", filepath.Join(filepath.Dir(config), "new")},
		{"*** Move File: link/config.yaml -> y", config},
		{"*** Move File: notes -> y", config},
		{"*** Add File: z\n+z\n*** End Patch\n***Delete File: notes\n", config},
	} {
		args, err := json.Marshal(patchArgs(c.patch))
		if err != nil {
			t.Fatal(err)
		}
		action, err := New(d).Tool().Action(args)
		if err != nil || action.Kind != tools.ActWrite || !slices.Contains(action.Paths, c.path) {
			t.Errorf("%q: action %+v, %v does not name %s", c.patch, action, err, c.path)
		}
	}
	args, err := json.Marshal(replaceArgs("notes", "mode: ask", "mode: off"))
	if err != nil {
		t.Fatal(err)
	}
	if action, err := New(d).Tool().Action(args); err != nil || !slices.Equal(action.Paths, []string{config}) {
		t.Errorf("action %+v, %v", action, err)
	}
}

// TestChangedSinceJudged holds that what is on the disk when a call runs counts,
// and that no file is written but those that were judged.
func TestChangedSinceJudged(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "one\ntwo\n", "b": "two\n"})
	r := call(t, New(d), replaceArgs("a", "two", "2"), func() { d.put("a", "zero\none\ntwo\n") })
	if got := d.tree()["a"]; !r.Success || got != "zero\none\n2\n" {
		t.Errorf("file is %q; %s", got, r.Content)
	}
	d.put("a", "two\n")
	r = call(t, New(d), replaceArgs("a", "two", "2"), func() { d.put("a", "three\n") })
	wantWords(t, r.Error, "not found")
	d.put("a", "two\n")
	relink := func() {
		if err := errors.Join(os.Remove(d.path("a")), os.Symlink("b", d.path("a"))); err != nil {
			t.Fatal(err)
		}
	}
	r = call(t, New(d), replaceArgs("a", "two", "2"), relink)
	wantWords(t, r.Error, "other files")
	if got := d.tree()["b"]; got != "two\n" {
		t.Errorf("file is %q", got)
	}
}

// TestNeverJudged holds that a call runs only with a permit, and only when it was
// judged.
func TestNeverJudged(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "1\n"})
	raw, err := json.Marshal(replaceArgs("a", "1", "2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, leave := range []tools.Permit{nil, permit{}} {
		r, err := New(d).Tool().Run(t.Context(), tools.Call{Name: name, Args: raw, Permit: leave}, nil, nil)
		if err != nil || decode(t, r).Success || d.tree()["a"] != "1\n" {
			t.Errorf("permit %v: %s, %v", leave, r.Content, err)
		}
		if denied := r.Status == tools.StatusDenied; denied != (leave == nil) {
			t.Errorf("permit %v: status %s", leave, r.Status)
		}
	}
}

func TestArguments(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "1\n", "b": "1\n"})
	for _, c := range []struct {
		args  map[string]any
		words string // empty: it works
	}{
		{map[string]any{}, "path is required"},
		{map[string]any{"path": "a", "new_string": "x"}, "old_string is required"},
		{map[string]any{"path": "a", "old_string": "x"}, "new_string is required"},
		{map[string]any{"path": "a", "old_string": "", "new_string": "x"}, "empty"},
		{map[string]any{"path": "gone", "old_string": "x", "new_string": "y"}, "does not exist"},
		{map[string]any{"path": "a\x00", "old_string": "x", "new_string": "y"}, "NUL"},
		{map[string]any{"path": ".", "old_string": "x", "new_string": "y"}, "cannot be edited"},
		{map[string]any{"mode": "sed", "path": "a"}, "mode must be"},
		{map[string]any{"mode": "patch"}, "patch is empty"},
		{map[string]any{"mode": "replace", "patch": "*** Delete File: a"}, "mode patch"},
		{map[string]any{"path": "a", "old_string": "1\n", "new_string": "1\r\n"}, "reads like this already"},
		{map[string]any{"path": "b", "mode": "patch", "patch": "*** Update File: a\n-1\n+2"}, "leave path out"},
		{map[string]any{"path": "./a", "mode": "patch", "patch": "*** Update File: a\n-1\n+2"}, ""},
		{map[string]any{"patch": "*** Update File: b\n-1\n+2"}, ""},
	} {
		r := call(t, New(d), c.args)
		if r.Success != (c.words == "") {
			t.Errorf("%v: %s", c.args, r.Content)
		}
		wantWords(t, r.Error, c.words)
	}
}

// TestThirdFailure holds that an agent that fails again and again on a file is told
// to stop, until it succeeds.
func TestThirdFailure(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "1\n", "b": "2\n"})
	p := New(d)
	fail := func(want bool, args map[string]any) {
		t.Helper()
		if r := call(t, p, args); strings.Contains(r.Error, "in a row") != want {
			t.Errorf("got %q, advice wanted: %v", r.Error, want)
		}
	}
	wrong := replaceArgs("a", "nothing of the kind", "x")
	wrongHunk := patchArgs("*** Update File: a\n-nothing of the kind\n")
	fail(false, wrong)
	fail(false, wrongHunk)
	fail(false, replaceArgs("b", "nothing of the kind", "x"))
	fail(true, wrong)
	fail(true, wrongHunk)
	if r := call(t, p, replaceArgs("./a", "1", "one")); !r.Success {
		t.Fatal(r.Content)
	}
	fail(false, wrong)
}

func TestStopped(t *testing.T) {
	d := newDisk(t, map[string]string{"a": "1\n"})
	ctx, cancel := context.WithCancelCause(t.Context())
	p := New(d)
	raw, err := json.Marshal(replaceArgs("a", "1", "2"))
	if err != nil {
		t.Fatal(err)
	}
	run := func() reply {
		if _, err := p.Tool().Action(raw); err != nil {
			t.Fatal(err)
		}
		r, err := p.Tool().Run(ctx, tools.Call{Name: name, Args: raw, Permit: permit{}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, r)
	}
	d.fail = errors.New("no space is left on the disk")
	r := run()
	wantWords(t, r.Error, "nothing was changed", "no space")
	if r.Status != tools.StatusFailed {
		t.Errorf("status %q", r.Status)
	}
	d.before = func() { cancel(errors.New("the user pressed esc")) }
	if r = run(); r.Status != tools.StatusCancelled {
		t.Errorf("stopped while writing: status %q", r.Status)
	}
	d.fail, d.before = nil, nil
	r = run()
	wantWords(t, r.Error, "nothing was changed", "pressed esc")
	if r.Status != tools.StatusCancelled || d.tree()["a"] != "1\n" {
		t.Errorf("status %q, file %q", r.Status, d.tree()["a"])
	}
}

func TestPreview(t *testing.T) {
	preview := New(nil).Tool().Preview
	for raw, want := range map[string]string{
		`{"mode":"replace","path":"a/b"}`:                                                     "a/b",
		`{"mode":"patch","patch":"*** Update File: a\n-x\n*** Update File: a\n-y"}`:           "a",
		`{"mode":"patch","patch":"*** Move File: a -> b"}`:                                    "a → b",
		`{"mode":"patch","patch":"*** Delete File: a\n***Add File: b\n+x\n*** Move File: c"}`: "3 files",
		`{"mode":"patch","patch":"hello"}`:                                                    "", `{"mode":"patch"}`: "", `[1]`: "", `{"path":7}`: "", ``: "",
	} {
		if v := preview(json.RawMessage(raw)); v.Kind != tools.KindWrite || v.Subject != want {
			t.Errorf("%s: %+v, want subject %q", raw, v, want)
		}
	}
}

// TestScheduling holds that a patch of several files runs alone, and replacements
// beside those of other files.
func TestScheduling(t *testing.T) {
	tool := New(nil).Tool()
	class := func(string) tools.Class { return tool.Class }
	args := func(v map[string]any) tools.Call {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return tools.Call{Name: name, Args: raw}
	}
	a, b := args(replaceArgs("a", "x", "y")), args(replaceArgs("b", "x", "y"))
	whole := args(patchArgs("*** Delete File: c"))
	if !tools.Parallel([]tools.Call{a, b}, class, "/w", "/h") || tools.Parallel([]tools.Call{a, whole}, class, "/w", "/h") ||
		tools.Parallel([]tools.Call{a, a}, class, "/w", "/h") {
		t.Error("calls are scheduled wrongly")
	}
}

func TestContract(t *testing.T) {
	tool := New(nil).Tool()
	if tool.Name != "patch" || tool.Toolset != "file" || tool.ReadsOnly || tool.Guidance == "" || !json.Valid(tool.Parameters) {
		t.Errorf("tool %+v", tool)
	}
	if err := tools.NewRegistry(time.Now).Add(tool); err != nil {
		t.Error(err)
	}
}

// TestManyFailures holds that what is remembered stays bounded, oldest first.
func TestManyFailures(t *testing.T) {
	m := newMemory()
	for i := range maxFailed + 10 {
		m.fail(fmt.Sprint(i))
	}
	if n := len(slices.Collect(m.failed.Values())); n != maxFailed {
		t.Errorf("%d files remembered", n)
	}
	if m.fail("5") != 1 || m.fail(fmt.Sprint(maxFailed)) != 2 {
		t.Error("the wrong files were forgotten")
	}
}
