package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"hermes-tui/tools"
	"hermes-tui/tools/charset"
	"hermes-tui/tools/place"
)

const (
	// maxDocument is the largest document that is read, in bytes.
	maxDocument = 50 << 20
	// maxExtract is how much text is taken out of a document, in bytes.
	maxExtract = 8 << 20
)

// errNoDocument says that a file is not the kind of document its name says, but
// text that can be read as such.
var errNoDocument = errors.New("it is none")

// errFull ends the extraction of a document that has more text than is taken.
var errFull = errors.New("enough text")

// extract collects the text of a document line by line.
type extract struct {
	strings.Builder
}

// line adds a line; what would make the text too long gives errFull.
func (e *extract) line(s string) error {
	if e.Len()+len(s)+1 > maxExtract {
		return errFull
	}
	e.WriteString(s)
	e.WriteByte('\n')
	return nil
}

// extractor takes the text out of a document of size bytes.
type extractor func(ctx context.Context, r io.ReaderAt, size int64, out *extract) error

// extractorFor picks what reads a document, nil for other files.
func extractorFor(paths ...string) extractor {
	for _, path := range paths {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".ipynb":
			return extractNotebook
		case ".docx":
			return extractWord
		case ".xlsx":
			return extractSheets
		}
	}
	return nil
}

// extractPDF takes the text out of a PDF.
func (f *Files) extractPDF(ctx context.Context, r io.ReaderAt, size int64, out *extract) error {
	body := make([]byte, size)
	if _, err := r.ReadAt(body, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	text, err := f.pdf(ctx, body)
	for line := range strings.Lines(text) {
		if err == nil {
			err = out.line(strings.TrimSuffix(line, "\n"))
		}
	}
	return err
}

// loadDocument reads a page of the text of a document. The page's size and
// content sum are those of the file. notOne says that the file is text, but not
// what its name says, and is to be read as what it is.
func (f *Files) loadDocument(ctx context.Context, view tools.View, t target, read extractor, file place.File, size int64, w window) (_ *page, _ pageText, _ *tools.Result, notOne string) {
	fail := func(r tools.Result) (*page, pageText, *tools.Result, string) { return nil, pageText{}, &r, "" }
	if size > maxDocument {
		return fail(tools.Failure(view, fmt.Sprintf(
			"%q has %d bytes; documents of at most %d are read here, use the terminal with a program for it", t.name, size, maxDocument)))
	}
	var out extract
	err := read(ctx, file, size, &out)
	cut := errors.Is(err, errFull)
	if err == nil || cut {
		var p *page
		if p, err = pageOf(ctx, &out, file, size, w); err == nil {
			text := decodePage(p, charset.UTF8, "")
			text.document, text.more = true, cut
			return p, text, nil, ""
		}
	}
	switch {
	case ctx.Err() != nil:
		return fail(tools.Cancelled(view, "read_file was stopped: "+context.Cause(ctx).Error()))
	case errors.Is(err, errNoDocument):
		return nil, pageText{}, nil, fmt.Sprintf("This is the plain text of the file: it is named like a notebook, but %v.", err)
	}
	return fail(tools.Failure(view, fmt.Sprintf("%q is named like a document and cannot be read as one: %v", t.name, err)))
}

// pageOf reads a page of the text that was taken out of a document.
func pageOf(ctx context.Context, out *extract, file io.ReaderAt, size int64, w window) (*page, error) {
	p, err := scan(ctx, strings.NewReader(out.String()), w)
	if err != nil {
		return nil, err
	}
	p.size = size
	p.sum, err = sumOf(file, size)
	return p, err
}

// sumOf identifies the content of a file.
func sumOf(r io.ReaderAt, size int64) (sum, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(r, 0, size)); err != nil {
		return sum{}, fmt.Errorf("read document: %w", err)
	}
	return sum(h.Sum(nil)), nil
}
