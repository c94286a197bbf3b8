package files

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"hermes-tui/tools"
)

const (
	defaultLimit = 500
	// maxFile is the largest file that is read, in bytes.
	maxFile = 512 << 20
	// maxWhole is the largest file that is held in memory.
	maxWhole = 64 << 20
	// largeFile and largeLimit are where a model is told to read less at a time.
	largeFile  = 512_000
	largeLimit = 200
)

// cutMark ends a line that is shown in part.
const cutMark = "... [truncated]"

// unchanged is what the model gets instead of content it has.
const unchanged = "The file has not changed since you read these lines; what you were shown before still holds."

const readParameters = `{"type":"object","properties":{
"path":{"type":"string"},
"offset":{"type":"integer","description":"first line, from 1","default":1},
"limit":{"type":"integer","description":"lines, at most %d","default":%d}},
"required":["path"]}`

// Limits bound what one call of read_file returns.
type Limits struct {
	// Lines is the most lines.
	Lines int
	// Line is the most characters of one.
	Line int
	// Page is the most characters of all, line numbers included.
	Page int
}

// DefaultLimits are used where [Options].Limits has 0.
var DefaultLimits = Limits{Lines: 2000, Line: 2000, Page: 100_000}

func (l Limits) withDefaults() Limits {
	return Limits{Lines: cmp.Or(l.Lines, DefaultLimits.Lines), Line: cmp.Or(l.Line, DefaultLimits.Line), Page: cmp.Or(l.Page, DefaultLimits.Page)}
}

// usual is how many lines are read when the call does not say.
func (l Limits) usual() int { return min(defaultLimit, l.Lines) }

func (f *Files) readTool() tools.Tool {
	return tools.Tool{
		Name: "read_file", Toolset: Toolset, Scripts: &tools.Scripts{},
		Description: "Read a text file. Lines come as N|text. Page through large files with offset and limit.",
		Guidance:    "Use read_file instead of cat, head or tail. Line numbers in its output are not part of the file.",
		Parameters:  json.RawMessage(fmt.Sprintf(readParameters, f.limits.Lines, f.limits.usual())),
		Class:       tools.ReadsPath, ReadsOnly: true, MaxResult: -1,
		Summarise: summariseRead,
		Preview: func(args json.RawMessage) tools.View {
			return tools.View{Kind: tools.KindRead, Subject: subject(args)}
		},
		Action: f.readAction,
		Run: func(ctx context.Context, c tools.Call, _ tools.Host, _ tools.Sink) (tools.Result, error) {
			return f.read(ctx, c), nil
		},
	}
}

// readResult is what the model gets of a file.
type readResult struct {
	Content    string `json:"content"`
	TotalLines int    `json:"total_lines"`
	FileSize   int64  `json:"file_size"`
	Truncated  bool   `json:"truncated"`
	// Encoding is set for anything but plain UTF-8.
	Encoding string `json:"encoding,omitempty"`
	// NoNewline says that the last line, which is on the page, has no newline.
	NoNewline bool `json:"no_final_newline,omitempty"`
	// Document says that the lines are text taken out of a document.
	Document bool `json:"extracted_document,omitempty"`

	Hint    string `json:"hint,omitempty"`
	Advice  string `json:"_hint,omitempty"`
	Warning string `json:"_warning,omitempty"`
}

// read answers a call of read_file.
func (f *Files) read(ctx context.Context, c tools.Call) tools.Result {
	view := tools.View{Kind: tools.KindRead, Subject: subject(c.Args)}
	var args struct {
		Path   string         `json:"path"`
		Offset *tools.Integer `json:"offset"`
		Limit  *tools.Integer `json:"limit"`
	}
	if err := c.Decode(&args); err != nil {
		return tools.Failure(view, err.Error())
	}
	offset, limit := 1, f.limits.usual()
	if args.Offset != nil {
		offset = min(max(int(*args.Offset), 1), 1<<30)
	}
	if args.Limit != nil {
		limit = min(max(int(*args.Limit), 1), f.limits.Lines)
	}
	t, err := f.resolve(args.Path)
	if err != nil {
		return tools.Failure(view, err.Error())
	}
	if why := f.readWhy(t, c.Permit); why != "" {
		result := tools.Failure(view, why)
		result.Status = tools.StatusDenied
		return result
	}
	if kind := kindByName(t.name); kind != "" {
		if st, err := f.fs.Stat(t.real); err == nil && st.Mode().IsRegular() {
			return binaryFailure(view, t.name, kind, st.Size())
		}
	}
	p, text, failure := f.load(ctx, view, t, window{offset, limit, f.limits.Line})
	if failure != nil {
		return *failure
	}
	r := f.present(view, pageKey{path: t.real, offset: offset, limit: limit}, p, text)
	if f.outside(t.real) != nil {
		r.Untrusted = "a file outside the workspace"
	}
	return r
}

// present makes the answer of a page that was read.
func (f *Files) present(view tools.View, key pageKey, p *page, text pageText) tools.Result {
	content, fits := numbered(text.lines, key.offset, f.limits.Page)
	if fits < len(text.lines) {
		return tools.Failure(view, fmt.Sprintf(
			"these %d lines have more than %d characters; ask for fewer, limit=%d would fit", len(text.lines), f.limits.Page, fits))
	}
	v := f.memory.read(key, p, text.cut)
	if v.same {
		return repeated(view, key, v.times)
	}
	if v.times > maxRepeats {
		return blocked(view, key, v.times, "BLOCKED: you keep reading these lines while the file changes. Do something else first.")
	}
	r := readResult{
		Content: content, TotalLines: p.total, FileSize: p.size, Encoding: text.encoding,
		Truncated: len(text.lines) > 0 && key.offset+len(text.lines)-1 < p.total,
		Document:  text.document, Warning: text.note,
	}
	last := key.offset + len(text.lines) - 1
	r.NoNewline = p.open && last == p.total && len(text.lines) > 0
	switch {
	case p.total == 0:
		r.Hint = "The file is empty."
	case key.offset > p.total:
		r.Hint = fmt.Sprintf("The file ends at line %d.", p.total)
	case r.Truncated:
		r.Hint = fmt.Sprintf("Lines %d-%d of %d; go on with offset=%d.", key.offset, last, p.total, last+1)
	}
	if r.Truncated && p.size > largeFile && key.limit > largeLimit {
		r.Advice = "This file is large. Search it first, then read only the lines you need."
	}
	if text.more {
		r.Advice = "The document has more text than is taken out of it here; use the terminal with a program for the rest."
	}
	if v.times == maxRepeats {
		r.Warning = strings.TrimSpace(r.Warning + " You have read these lines three times in a row. Another time will be refused.")
	}
	view.Summary = summary(key, len(text.lines), p.total)
	view.Body = strings.Join(text.lines, "\n")
	view.Lang = language(key.path)
	return tools.Result{Content: tools.JSON(r), View: view}
}

// maxRepeats is how often in a row the same lines are read for real.
const maxRepeats = 3

// repeated is the answer to asking for what the model has: first a reminder,
// then a refusal.
func repeated(view tools.View, key pageKey, times int) tools.Result {
	if times > 2 {
		return blocked(view, key, times, "BLOCKED: you have these lines already and the file has not changed. Work with them or read others.")
	}
	view.Summary = "unchanged"
	return tools.Result{View: view, Content: tools.JSON(struct {
		Status   string `json:"status"`
		Message  string `json:"message"`
		Path     string `json:"path"`
		Dedup    bool   `json:"dedup"`
		Returned bool   `json:"content_returned"`
	}{"unchanged", unchanged, key.path, true, false})}
}

// blocked is the answer to reading in circles.
func blocked(view tools.View, key pageKey, times int, message string) tools.Result {
	view.Summary = "blocked: read again and again"
	return tools.Result{
		View: view, Status: tools.StatusFailed,
		Content: tools.JSON(struct {
			Error string `json:"error"`
			Path  string `json:"path"`
			Times int    `json:"already_read"`
		}{message, key.path, times}),
	}
}

// numbered joins lines as "N|text" and says how many of them fit into a page of so
// many characters.
func numbered(lines []string, first, most int) (string, int) {
	var b strings.Builder
	chars := 0
	for i, line := range lines {
		number := strconv.Itoa(first + i)
		chars += len(number) + 2 + utf8.RuneCountInString(line)
		if chars > most {
			return "", i
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(number)
		b.WriteByte('|')
		b.WriteString(line)
	}
	return b.String(), len(lines)
}

// summary says in a few words what was read.
func summary(key pageKey, lines, total int) string {
	switch {
	case total == 0:
		return "empty"
	case lines == 0:
		return fmt.Sprintf("nothing after line %d", total)
	case lines == 1 && total == 1:
		return "1 line"
	case lines == total:
		return fmt.Sprintf("%d lines", total)
	case lines == 1:
		return fmt.Sprintf("line %d of %d", key.offset, total)
	}
	return fmt.Sprintf("lines %d–%d of %d", key.offset, key.offset+lines-1, total)
}

// summariseRead says what a call read and how much it was.
func summariseRead(args, result tools.Members) (did, came string) {
	from := 1
	if n, ok := args.Number("offset"); ok {
		from = n
	}
	if result.Has("content") {
		came = "(" + tools.Plural(utf8.RuneCountInString(result.Text("content")), "char", "chars") + ")"
	}
	return fmt.Sprintf("read %s from line %d", args.Path(), from), came
}
