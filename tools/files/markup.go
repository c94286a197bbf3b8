package files

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Limits of the XML in documents.
const (
	maxDepth = 256     // of elements inside each other
	maxToken = 4 << 20 // bytes of one tag, or of text without a tag
)

// markup goes through XML piece by piece. Nothing is held but the current piece
// and the names of the open elements. Declarations of types and entities are
// refused, so nothing expands.
type markup struct {
	ctx   context.Context
	dec   *xml.Decoder
	in    *meter
	depth int
	count int
}

// meter counts the bytes of the current piece. It is a ByteReader, so that the
// decoder takes no more than it needs.
type meter struct {
	r    *bufio.Reader
	used int
}

var errToken = errors.New("a piece of its text is far too long")

func (m *meter) ReadByte() (byte, error) {
	if m.used++; m.used > maxToken {
		return 0, errToken
	}
	return m.r.ReadByte()
}

func (m *meter) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	c, err := m.ReadByte()
	if err != nil {
		return 0, err
	}
	b[0] = c
	return 1, nil
}

func newMarkup(ctx context.Context, r io.Reader) *markup {
	in := &meter{r: bufio.NewReaderSize(r, 64<<10)}
	return &markup{ctx: ctx, dec: xml.NewDecoder(in), in: in}
}

// next gives the next start, end or text; io.EOF at the end.
func (m *markup) next() (xml.Token, error) {
	for {
		if m.count++; m.count%4096 == 0 && m.ctx.Err() != nil {
			return nil, context.Cause(m.ctx)
		}
		m.in.used = 0
		tok, err := m.dec.Token()
		if errors.Is(err, io.EOF) || errors.Is(err, errBomb) || errors.Is(err, errToken) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("its XML is damaged: %w", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if m.depth++; m.depth > maxDepth {
				return nil, fmt.Errorf("its elements stand more than %d deep in each other", maxDepth)
			}
			return tok, nil
		case xml.EndElement:
			m.depth--
			return tok, nil
		case xml.CharData:
			return tok, nil
		case xml.Directive:
			return nil, errors.New("it declares a document type, which such documents never do")
		}
	}
}

// text reads up to the end of the element whose start was read last and gives the
// text in it, of elements below only where want says so.
func (m *markup) text(want func(name string) bool) (string, error) {
	var b []byte
	base := m.depth
	take := []bool{want == nil || want("")}
	for {
		tok, err := m.next()
		if err != nil {
			return "", unexpectedEnd(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if tok.Name.Local == "rPh" { // how Japanese text beside it is read
				if err := m.skip(); err != nil {
					return "", err
				}
				continue
			}
			take = append(take, want == nil || want(tok.Name.Local))
		case xml.EndElement:
			if m.depth < base {
				return string(b), nil
			}
			take = take[:len(take)-1]
		case xml.CharData:
			if take[len(take)-1] && len(b)+len(tok) <= maxToken {
				b = append(b, tok...)
			}
		}
	}
}

// skip reads up to the end of the element whose start was read last.
func (m *markup) skip() error {
	_, err := m.text(func(string) bool { return false })
	return err
}

// each calls do for every start of an element in a part of an archive that may be
// missing.
func (a *archive) each(ctx context.Context, name string, do func(m *markup, e xml.StartElement) error) error {
	r, ok, err := a.open(name)
	if err != nil || !ok {
		return err
	}
	defer r.Close()
	m := newMarkup(ctx, r)
	for {
		tok, err := m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := tok.(xml.StartElement); ok {
			if err := do(m, e); err != nil {
				return err
			}
		}
	}
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("its XML ends in the middle")
	}
	return err
}

// attr gives an attribute by its local name, empty when it is missing.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
