package files

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"hermes-tui/tools"
)

const writeParameters = `{"type":"object","properties":{
"path":{"type":"string"},
"content":{"type":"string","description":"the whole new file"}},
"required":["path","content"]}`

func (f *Files) writeTool() tools.Tool {
	return tools.Tool{
		Name: "write_file", Toolset: Toolset,
		Description: "Create or replace a text file; missing directories are made.",
		Parameters:  json.RawMessage(writeParameters),
		Class:       tools.PathScoped,
		Preview: func(args json.RawMessage) tools.View {
			return tools.View{Kind: tools.KindWrite, Subject: subject(args)}
		},
		Action: f.writeAction,
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
	if err := refuseContent(*args.Content); err != nil {
		return tools.Action{}, err
	}
	f.memory.judge(sha256.Sum256(raw), t.real)
	return tools.Action{Kind: tools.ActWrite, Paths: []string{t.real}}, nil
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
	if i := strings.IndexFunc(args.Path, unicode.IsControl); i >= 0 {
		return args, target{}, fmt.Errorf("path %q has a control character; choose a name without", args.Path)
	}
	if strings.HasSuffix(args.Path, "/") {
		return args, target{}, fmt.Errorf("path %q names a directory; give the path of a file", args.Path)
	}
	t, err := f.resolve(args.Path)
	return args, t, err
}

// refuseContent tells apart what is certainly not meant to be a file's content:
// little more than the notice that read_file gives for an unchanged file.
func refuseContent(content string) error {
	if len(content) < 2*len(unchanged) && strings.Contains(content, unchanged) {
		return errors.New("content holds the notice of an unchanged file in place of the file; read the file again and write its real content")
	}
	return nil
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
		err = refuseContent(*args.Content)
	}
	if err == nil {
		err = f.samePath(c, t)
	}
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	old, err := f.existing(t)
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	seen, wasSeen := f.memory.seen(t.real)
	data, text, err := old.encode(t.name, *args.Content, seen)
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	if ctx.Err() != nil {
		return tools.Cancelled(view, "write_file was stopped, nothing was changed: "+context.Cause(ctx).Error())
	}
	made, err := f.fs.MkdirAll(filepath.Dir(t.real), 0o755)
	if err == nil {
		err = f.fs.WriteAtomic(t.real, data, old.mode)
	}
	if err != nil {
		return tools.Failure(view, fmt.Sprintf("%q cannot be written: %s", t.name, reason(err)))
	}
	f.memory.wrote(t.real, sha256.Sum256(data))

	stale := old.exists && wasSeen && seen.sum != old.sum
	r := writeResult{
		Bytes: len(data), Made: made, Real: t.real, Files: []string{t.real},
		Lint: lint(t.real, old.text, text), Warning: f.warning(t, stale),
	}
	view.Summary, view.Body = f.diff(t.real, old, text)
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
}

// samePath refuses a write whose path leads elsewhere than when it was judged,
// because a link was put on the way.
func (f *Files) samePath(c tools.Call, t target) error {
	judged, ok := f.memory.judgedPath(sha256.Sum256(c.Args))
	if ok && judged != t.real {
		return fmt.Errorf("%q led to %q when it was permitted and leads to %q now; nothing was changed", t.name, judged, t.real)
	}
	return nil
}

// warning tells what the model should know about a write that was done.
func (f *Files) warning(t target, stale bool) string {
	var notes []string
	if stale {
		notes = append(notes, "The file had been changed by somebody else since you last saw it; those changes are replaced. Tell the person.")
	}
	if f.root != "" {
		root, err := f.fs.Resolve(f.root)
		if err == nil && !tools.Within(t.real, root) {
			notes = append(notes, fmt.Sprintf("This file is outside the workspace %s.", root))
		}
	}
	return strings.Join(notes, " ")
}

// existing is the file that a write replaces. The zero value, but for its mode,
// is no file.
type existing struct {
	exists bool
	mode   fs.FileMode
	sum    sum
	text   string
	enc    tools.Encoding
	intact bool // the text is all of the file
	crlf   bool // every line ends with CRLF
}

// existing reads the file that stands where a write goes.
func (f *Files) existing(t target) (existing, error) {
	none := existing{mode: 0o644, enc: tools.UTF8, intact: true}
	refuse := func(why string) (existing, error) {
		return existing{}, fmt.Errorf("%q cannot be replaced: %s", t.name, why)
	}
	st, err := f.fs.Lstat(t.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return refuse(reason(err))
	case st.IsDir():
		return refuse("it is a directory")
	case !st.Mode().IsRegular():
		return refuse("it is not a regular file")
	case st.Mode().Perm()&0o222 == 0:
		return refuse("it is marked read-only; make it writable first if that is right")
	case st.Size() > maxWhole:
		return refuse(fmt.Sprintf("it has %d bytes, more than can be replaced safely; use the terminal", st.Size()))
	}
	file, err := f.fs.Open(t.real)
	if err != nil {
		return refuse(reason(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxWhole))
	if err != nil {
		return refuse(reason(err))
	}
	if kind := kindByContent(data); kind != "" {
		return refuse("it is " + kind + ", not text; delete it first if a text is to take its place")
	}
	old := existing{exists: true, mode: st.Mode().Perm(), sum: sha256.Sum256(data)}
	old.text, old.enc, old.intact = tools.DecodeText(data)
	breaks := strings.Count(old.text, "\n")
	old.crlf = breaks > 0 && strings.Count(old.text, "\r\n") == breaks
	return old, nil
}

// encode gives the bytes to write, and the text they hold, in the manner of the
// file that is replaced.
func (e existing) encode(name, content string, seen stamp) ([]byte, string, error) {
	if !e.intact && strings.ContainsRune(content, '\uFFFD') {
		return nil, "", fmt.Errorf("%q has bytes that are not text and that \uFFFD stands for; writing it would lose them, use the terminal", name)
	}
	if e.exists && seen.cut && seen.sum == e.sum && strings.Contains(content, cutMark) && !strings.Contains(e.text, cutMark) {
		return nil, "", fmt.Errorf("content holds %q, which stands for the rest of a line that was shown cut; write the whole line", cutMark)
	}
	if e.enc != tools.UTF8 {
		content = strings.TrimPrefix(content, "\uFEFF") // the encoding brings its own
	}
	if e.crlf {
		content = strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\n", "\r\n")
	}
	data, err := tools.EncodeText(content, e.enc)
	if err != nil {
		return nil, "", fmt.Errorf("%q is stored as %s and cannot take this text: %w; leave the character out, or convert the file first", name, e.enc, err)
	}
	return data, content, nil
}
