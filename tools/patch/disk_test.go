package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-tui/tools"
)

// disk is a small tools.TextFiles on real files below a directory.
type disk struct {
	testing.TB
	root   string
	partly bool
	fail   error  // what the next change ends with
	before func() // runs before a change
}

func newDisk(t testing.TB, files map[string]string) *disk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{TB: t, root: root}
	for name, body := range files {
		d.put(name, body)
	}
	return d
}

func (d *disk) path(name string) string { return filepath.Join(d.root, name) }

func (d *disk) put(name, body string) {
	d.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(body), 0o644); err != nil {
		d.Fatal(err)
	}
}

// tree reads all files below the directory.
func (d *disk) tree() map[string]string {
	d.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(d.root, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, d.root+"/")] = string(body)
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return files
}

func (d *disk) Text(arg string) (tools.Text, error) {
	name, err := tools.AbsPath(arg, d.root, d.root)
	if err != nil {
		return tools.Text{}, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		dir = filepath.Dir(name)
	}
	t := tools.Text{Name: name, Real: filepath.Join(dir, filepath.Base(name)), Partly: d.partly}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		t.Real = real
	}
	body, err := os.ReadFile(t.Real)
	if errors.Is(err, os.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return tools.Text{}, fmt.Errorf("%q cannot be edited: %w", name, err)
	}
	t.Exists, t.Body = true, string(body)
	return t, nil
}

func (d *disk) Change(_ context.Context, c tools.Call, changes []tools.TextChange) (tools.TextReport, error) {
	if d.before != nil {
		d.before()
	}
	r := tools.TextReport{Summary: "+1 −1", Lint: map[string]any{}}
	if c.Permit == nil || d.fail != nil {
		return r, errors.Join(errors.New("nothing was changed"), d.fail)
	}
	for _, change := range changes {
		real, at := change.File.Real, change.File.Real
		list := &r.Modified
		switch {
		case change.Op == tools.OpMove:
			at = change.To.Real
			r.Deleted, r.Created, list = append(r.Deleted, real), append(r.Created, at), nil
		case change.Op == tools.OpDelete:
			list = &r.Deleted
		case !change.File.Exists:
			list = &r.Created
		}
		if list != nil {
			*list = append(*list, real)
		}
		if change.Op != tools.OpWrite {
			if err := os.Remove(real); err != nil {
				return r, err
			}
		}
		r.Diff += "--- " + real + "\n"
		if change.Op != tools.OpDelete {
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(change.Body), 0o644)); err != nil {
				return r, err
			}
			r.Lint[at] = "ok"
		}
	}
	return r, nil
}

// permit stands for the leave of a gate.
type permit struct{}

func (permit) Digest() string { return "" }

// reply is what a call gave.
type reply struct {
	tools.Result
	Success  bool     `json:"success"`
	Error    string   `json:"error"`
	Modified []string `json:"files_modified"`
	Created  []string `json:"files_created"`
	Deleted  []string `json:"files_deleted"`
	Lint     any      `json:"lint"`
	Warning  string   `json:"_warning"`
	Hint     string   `json:"_hint"`
	Real     string   `json:"resolved_path"`
	Count    int      `json:"replacements"`
}

func decode(t testing.TB, r tools.Result) reply {
	t.Helper()
	out := reply{Result: r}
	if err := json.Unmarshal([]byte(r.Content), &out); err != nil {
		t.Fatalf("result %q: %v", r.Content, err)
	}
	if out.Success != (r.Status == tools.StatusOK) || out.Success != (out.Error == "") {
		t.Fatalf("status %q does not fit %s", r.Status, r.Content)
	}
	return out
}

// call takes a call the way a dispatcher does: coerce, check, judge, run. between
// runs before the last step.
func call(t testing.TB, p *Patcher, args map[string]any, between ...func()) reply {
	t.Helper()
	tool := p.Tool()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = tools.Coerce(tool.Parameters, raw); err != nil {
		t.Fatal(err)
	}
	if problems := tools.Check(tool.Parameters, raw); len(problems) > 0 {
		return decode(t, tools.Failure(tool.Preview(raw), tools.Explain(name, problems)))
	}
	if _, err := tool.Action(raw); err != nil {
		return decode(t, tools.Failure(tool.Preview(raw), err.Error()))
	}
	for _, f := range between {
		f()
	}
	r, err := tool.Run(t.Context(), tools.Call{ID: "1", Name: name, Args: raw, Permit: permit{}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, r)
}

func replaceArgs(path, before, after string) map[string]any {
	return map[string]any{"mode": "replace", "path": path, "old_string": before, "new_string": after}
}

func patchArgs(text string) map[string]any { return map[string]any{"mode": "patch", "patch": text} }

func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not mention %q", text, w)
		}
	}
}
