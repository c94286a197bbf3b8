package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"

	"hermes-tui/tools/shorten"
)

// PDFText is the text of a PDF, made as that of pages is. The error follows "it".
func PDFText(ctx context.Context, read Reader, body []byte) (string, error) {
	if len(body) > MaxBytes {
		return "", fmt.Errorf("it is a PDF of more than %d MB", MaxBytes>>20)
	}
	making := read(ctx)
	defer making.Close()
	made, err := making.Text(ctx, Source{Form: pdfForm, Body: body})
	return visible(made.Text), err
}

// pdfOf makes text of a PDF.
func pdfOf(s Source) (made Made, err error) {
	made.Text, err = pdfText(s.Body)
	return made, err
}

// pdfText is the text of a PDF, row by row, with a line for each page.
func pdfText(data []byte) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is a PDF that cannot be read: %.100v", p)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword):
		return "", errors.New("it is a PDF with a password")
	case err != nil:
		return "", errors.New("it is a PDF that cannot be read: " + shorten.Line(err.Error(), 100))
	}
	var b strings.Builder
	found := false
	for i := 1; i <= r.NumPage() && b.Len() < 4*MaxText; i++ {
		page := r.Page(i)
		if page.V.IsNull() {
			continue
		}
		said, err := pageText(page)
		if err != nil {
			said = fmt.Sprintf("[it cannot be read: %.100v]", err)
		}
		found = found || err == nil && strings.TrimSpace(said) != ""
		fmt.Fprintf(&b, "[page %d]\n%s\n\n", i, said)
	}
	if !found {
		return "", errors.New("it is a PDF without text; maybe it is made of pictures")
	}
	return strings.ToValidUTF8(b.String(), "\ufffd"), nil
}

// pageText is the text of a page in the order in which it is drawn: a new line where it goes
// on higher or lower, and a blank where there is a gap.
func pageText(page pdf.Page) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	var b strings.Builder
	var before pdf.Text
	for i, t := range page.Content().Text {
		size := max(t.FontSize, 1)
		switch gap := t.X - before.X - before.W; {
		case i == 0 || t.S == "":
		case math.Abs(t.Y-before.Y) > 1.8*size:
			b.WriteString("\n\n")
		case math.Abs(t.Y-before.Y) > 0.5*size:
			b.WriteByte('\n')
		case gap > 0.2*size && before.S != " " && t.S != " ":
			b.WriteByte(' ')
		}
		if t.S != "" {
			b.WriteString(t.S)
			before = t
		}
	}
	return b.String(), nil
}
