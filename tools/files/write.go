package files

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"hermes-tui/tools"
	"hermes-tui/tools/hunks"
)

const writeParameters = `{"type":"object","properties":{
"path":{"type":"string"},
"content":{"type":"string","description":"the whole new file"}},
"required":["path","content"]}`

func (f *Files) writeTool() tools.Tool {
	return tools.Tool{
		Name: "write_file", Toolset: Toolset, Scripts: &tools.Scripts{},
		Description: "Create or replace a text file; missing directories are made.",
		Parameters:  json.RawMessage(writeParameters),
		Class:       tools.PathScoped,
		Summarise:   summariseWrite,
		Preview: func(args json.RawMessage) tools.View {
			return tools.View{Kind: tools.KindWrite, Subject: subject(args)}
		},
		Action: f.writeAction,
		Files:  f.writeShown,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return f.write(ctx, c), nil
		},
	}
}

type writeArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

// writeAction says which file a write would change: the one behind all links,
// since that is what has to be judged.
func (f *Files) writeAction(raw json.RawMessage) (tools.Action, error) {
	args, t, err := f.writeTarget(tools.Call{Name: "write_file", Args: raw})
	if err != nil {
		return tools.Action{}, err
	}
	if err := refuseContent(t, *args.Content); err != nil {
		return tools.Action{}, err
	}
	f.memory.judge(sha256.Sum256(raw), t.real)
	return tools.Action{Kind: tools.ActWrite, Paths: []string{t.real}}, nil
}

// writeShown is what a write would do to its file, for the user.
func (f *Files) writeShown(raw json.RawMessage) ([]hunks.File, error) {
	args, t, err := f.writeTarget(tools.Call{Name: "write_file", Args: raw})
	if err != nil {
		return nil, err
	}
	old, err := f.existing(t, "replaced")
	if err != nil {
		return nil, err
	}
	return []hunks.File{f.writeFile(t, old, *args.Content)}, nil
}

// writeFile is what a write does to a file, for the user. What a file with keys held is not
// shown.
func (f *Files) writeFile(t target, old existing, content string) hunks.File {
	if old.crlf {
		content = strings.ReplaceAll(content, "\r\n", "\n")
	}
	c := tools.TextChange{Op: tools.OpWrite, File: tools.Text{Name: t.name, Real: t.real, Exists: old.exists, Body: old.body()}, Body: content}
	file := tools.EditFiles([]tools.TextChange{c})[0]
	if f.secretWhy(t) != "" {
		file.Opaque = "a file with keys, which is not shown"
	}
	return file
}

// writeTarget reads the arguments of a write and resolves its path.
func (f *Files) writeTarget(c tools.Call) (writeArgs, target, error) {
	var args writeArgs
	if err := c.Decode(&args); err != nil {
		return args, target{}, err
	}
	if args.Content == nil {
		return args, target{}, errors.New("content is required; give an empty string for an empty file")
	}
	t, err := f.writable(args.Path)
	return args, t, err
}

// writable resolves the path of a file to write.
func (f *Files) writable(arg string) (target, error) {
	if i := strings.IndexFunc(arg, unicode.IsControl); i >= 0 {
		return target{}, fmt.Errorf("path %q has a control character; choose a name without", arg)
	}
	if strings.HasSuffix(arg, "/") {
		return target{}, fmt.Errorf("path %q names a directory; give the path of a file", arg)
	}
	return f.resolve(arg)
}

// refuseContent tells apart what is certainly not meant to be a file's content:
// little more than the notice that read_file gives for an unchanged file, and
// text in place of a document.
func refuseContent(t target, content string) error {
	if len(content) < 2*len(unchanged) && strings.Contains(content, unchanged) {
		return errors.New("content holds the notice of an unchanged file in place of the file; read the file again and write its real content")
	}
	kind := documentByName(t.name)
	if real := documentByName(t.real); real != "" {
		kind = real
	}
	switch {
	case kind == "" || kind == notebookKind && wholeNotebook(content):
		return nil
	case kind == notebookKind:
		return fmt.Errorf("%q is a notebook, and content is not the JSON of one; what read_file shows of it is an extract. Write the whole JSON, or change it with the terminal", t.name)
	}
	return fmt.Errorf("%q is %s, which cannot be written as text; use the terminal with a program for it, or another name", t.name, kind)
}

// wholeNotebook reports whether a text is the JSON of a notebook.
func wholeNotebook(content string) bool {
	var n struct {
		Cells      []json.RawMessage `json:"cells"`
		Worksheets []json.RawMessage `json:"worksheets"`
	}
	return json.Unmarshal([]byte(content), &n) == nil && (n.Cells != nil || n.Worksheets != nil)
}

// write answers a call of write_file. It does nothing without a permit.
func (f *Files) write(ctx context.Context, c tools.Call) tools.Result {
	view := tools.View{Kind: tools.KindWrite, Subject: subject(c.Args)}
	if c.Permit == nil {
		result := tools.Failure(view, "this write was not permitted, nothing was changed")
		result.Status = tools.StatusDenied
		return result
	}
	args, t, err := f.writeTarget(c)
	if err == nil {
		err = refuseContent(t, *args.Content)
	}
	if err == nil {
		err = f.samePath(c, t)
	}
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	unlock, err := f.lock(ctx, t.real)
	if err == nil {
		defer unlock()
	}
	switch {
	case ctx.Err() != nil:
		return tools.Cancelled(view, "write_file was stopped, nothing was changed: "+context.Cause(ctx).Error())
	case err != nil:
		return tools.Failure(view, err.Error())
	}
	return f.writeLocked(ctx, view, t, *args.Content, tools.ReviewOf(c.Permit))
}

// writeLocked replaces a file that no one else changes meanwhile.
func (f *Files) writeLocked(ctx context.Context, view tools.View, t target, content string, review *tools.Reviewed) tools.Result {
	failure := func(text string) tools.Result {
		result := tools.Failure(view, text)
		if review != nil {
			result.Content = tools.JSON(writeRefused{text, review.Lost()})
		}
		return result
	}
	old, err := f.existing(t, "replaced")
	if err != nil {
		return failure(err.Error())
	}
	var told *hunks.Report
	if review != nil {
		var left []*hunks.File
		if left, told, err = review.Decide([]hunks.File{f.writeFile(t, old, content)}); err != nil {
			return failure(err.Error())
		}
		if left[0] != nil { // else nothing changes: the gate lets nothing pass of which all was rejected
			content = left[0].New
		}
	}
	seen, wasSeen := f.memory.seen(t.real)
	data, text, err := old.replace(t.name, content, seen)
	if err == nil {
		err = keepsSecrets(old.text, text)
	}
	if err != nil {
		return failure(err.Error())
	}
	if ctx.Err() != nil {
		return tools.Cancelled(view, "write_file was stopped, nothing was changed: "+context.Cause(ctx).Error())
	}
	made, err := makeParents(f.fs, f.dir(), filepath.Dir(t.real))
	if err == nil {
		f.sweep(filepath.Dir(t.real))
		if !f.unchangedSince(t.real, old) {
			return failure(fmt.Sprintf("%q was changed by someone else in this moment; nothing was written, read it again", t.name))
		}
		err = f.fs.WriteAtomic(t.real, data, old.mode)
	}
	if err != nil {
		f.unmake(made)
		return failure(fmt.Sprintf("%q cannot be written: %s", t.name, reason(err)))
	}
	var notes []string
	if wasSeen && seen.sum != old.sum {
		notes = append(notes, f.staleNote(t, old, "replaced"))
	}
	f.memory.wrote(t.real, sha256.Sum256(data))
	f.wrote(t.real, sha256.Sum256(data))
	r := writeResult{
		Bytes: len(data), Made: made, Real: t.real, Files: []string{t.real},
		Review: told, Lint: f.lint(ctx, t.real, old.text, text), Warning: strings.Join(append(notes, f.outside(t.real)...), " "),
	}
	added, removed, body := f.diff(t.real, t.real, old.exists, true, old.text, text)
	view.Summary, view.Body = tools.Noted(counts(added, removed), told), body
	view.Lang = "diff"
	return tools.Result{Content: tools.JSON(r), View: view}
}

// writeResult is what the model gets of a write.
type writeResult struct {
	Bytes   int         `json:"bytes_written"`
	Made    []string    `json:"dirs_created,omitempty"`
	Real    string      `json:"resolved_path"`
	Files   []string    `json:"files_modified"`
	Lint    *lintResult `json:"lint,omitempty"`
	Warning string      `json:"_warning,omitempty"`
	// Review is what the user has decided about the parts of the write.
	Review *hunks.Report `json:"user_review,omitempty"`
}

// writeRefused is what the model gets of a write about which the user had decided, and that
// could not be carried out.
type writeRefused struct {
	Error  string        `json:"error"`
	Review *hunks.Report `json:"user_review,omitempty"`
}

// samePath refuses a write whose path leads elsewhere than when it was judged,
// because a link was put on the way.
func (f *Files) samePath(c tools.Call, t target) error {
	judged, ok := f.memory.judgedPath(sha256.Sum256(c.Args))
	if ok && judged != t.real {
		return fmt.Errorf("%q led to %q when it was permitted and leads to %q now; nothing was changed", t.name, judged, t.real)
	}
	return permitted(c.Permit, []string{t.real})
}

// summariseWrite says what a call wrote.
func summariseWrite(args, _ tools.Members) (did, came string) {
	return "wrote to " + args.Path(), "(" + tools.Plural(tools.CountLines(args.Text("content")), "line", "lines") + ")"
}
