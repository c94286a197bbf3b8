package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/charset"
	"hermes-tui/tools/place"
)

// pageText is a decoded page.
type pageText struct {
	lines    []string
	encoding string
	cut      bool // lines are
	// document says that it is text taken out of a document.
	document bool
	// more says that the document has more of it.
	more bool
	note string
}

// load reads a page. A result other than nil says why it could not.
func (f *Files) load(ctx context.Context, view tools.View, t target, w window) (*page, pageText, *tools.Result) {
	fail := func(r tools.Result) (*page, pageText, *tools.Result) { return nil, pageText{}, &r }
	file, err := f.open(t)
	if errors.Is(err, fs.ErrNotExist) {
		return fail(f.notFound(view, t))
	}
	if err != nil {
		return fail(tools.Failure(view, fmt.Sprintf("%q cannot be read: %s", t.name, reason(err))))
	}
	defer file.Close()
	st, err := file.Stat()
	switch {
	case err != nil:
		return fail(tools.Failure(view, fmt.Sprintf("%q cannot be read: %s", t.name, reason(err))))
	case st.IsDir():
		return fail(tools.Failure(view, fmt.Sprintf("%q is a directory; list it with search_files (target files) or the terminal", t.name)))
	case st.Size() > maxFile:
		return fail(tools.Failure(view, tooLarge(t.name, st.Size())))
	}
	note := ""
	if read := extractorFor(t.name, t.real); read != nil {
		p, text, failure, notOne := f.loadDocument(ctx, view, t, read, file, st.Size(), w)
		if notOne == "" {
			return p, text, failure
		}
		note = notOne
	}
	head := make([]byte, sniffLen)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fail(tools.Failure(view, fmt.Sprintf("%q cannot be read: %s", t.name, reason(err))))
	}
	if kind := kindByContent(head[:n]); kind == pdfKind && f.pdf != nil {
		p, text, failure, _ := f.loadDocument(ctx, view, t, f.extractPDF, file, st.Size(), w)
		return p, text, failure
	} else if kind != "" {
		return fail(binaryFailure(view, t.name, kind, st.Size()))
	}
	p, text, err := scanText(ctx, file, head[:n], w)
	switch {
	case ctx.Err() != nil:
		return fail(tools.Cancelled(view, "read_file was stopped: "+context.Cause(ctx).Error()))
	case errors.Is(err, errTooLarge):
		return fail(tools.Failure(view, tooLarge(t.name, st.Size())))
	case err != nil:
		return fail(tools.Failure(view, fmt.Sprintf("%q cannot be read: %s", t.name, reason(err))))
	}
	text.note = note
	return p, text, nil
}

// errTooLarge is a file that is larger than it can be handled.
var errTooLarge = errors.New("file is too large")

func tooLarge(path string, size int64) string {
	return fmt.Sprintf("%q is too large to be read here (%d bytes); take parts of it with the terminal, for example with sed -n or grep", path, size)
}

// scanText reads a page of a text file in its encoding.
func scanText(ctx context.Context, file place.File, head []byte, w window) (*page, pageText, error) {
	enc, mark := charset.Mark(head)
	if charset.Wide(head) {
		return scanWhole(ctx, file, w)
	}
	bounded := &io.LimitedReader{R: file, N: maxFile + 1}
	p, err := scan(ctx, bounded, w)
	if err != nil {
		return nil, pageText{}, err
	}
	if bounded.N == 0 {
		return nil, pageText{}, errTooLarge
	}
	if w.offset == 1 && mark > 0 && len(p.lines) > 0 {
		p.lines[0].text = bytes.TrimPrefix(p.lines[0].text, head[:mark])
	}
	if mark > 0 && p.size == int64(mark) {
		p.total, p.lines, p.open = 0, nil, false
	}
	var name string
	switch {
	case p.broken == 0 && enc == charset.UTF8BOM:
		name = string(enc)
	case p.broken > 0 && (enc == charset.UTF8BOM || p.wide > p.broken):
		name = string(enc) + ", damaged: \uFFFD stands for bytes that are not text"
	case p.broken > 0 && p.size <= maxWhole:
		return scanWhole(ctx, io.NewSectionReader(file, 0, p.size), w)
	case p.broken > 0:
		var shown []byte
		for _, l := range p.lines {
			shown = append(append(shown, l.text...), '\n')
		}
		_, enc, _ = charset.Decode(shown)
		name = string(enc)
	}
	return p, decodePage(p, enc, name), nil
}

// scanWhole reads a page of a file of which all has to be seen to know its characters.
func scanWhole(ctx context.Context, file io.Reader, w window) (*page, pageText, error) {
	data, err := io.ReadAll(io.LimitReader(file, maxWhole+1))
	if err != nil {
		return nil, pageText{}, fmt.Errorf("read file: %w", err)
	}
	if len(data) > maxWhole {
		return nil, pageText{}, errTooLarge
	}
	decoded, enc, intact := charset.Decode(data)
	p, err := scan(ctx, strings.NewReader(decoded), w)
	if err != nil {
		return nil, pageText{}, err
	}
	p.size, p.sum = int64(len(data)), sha256.Sum256(data)
	name := string(enc)
	if !intact {
		name += ", damaged: \uFFFD stands for what is no character"
	}
	return p, decodePage(p, charset.UTF8, name), nil
}

// decodePage turns the lines of a page into text and cuts what is too long.
func decodePage(p *page, enc charset.Encoding, name string) pageText {
	text := pageText{encoding: name, lines: make([]string, len(p.lines))}
	for i, l := range p.lines {
		raw := l.text
		if !l.cut {
			raw = bytes.TrimSuffix(raw, []byte{'\r'})
		}
		short, cut := cutChars(charset.As(raw, enc), p.chars)
		if cut || l.cut {
			short, text.cut = short+cutMark, true
		}
		text.lines[i] = short
	}
	return text
}

// cutChars keeps the first n characters.
func cutChars(s string, n int) (string, bool) {
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}
