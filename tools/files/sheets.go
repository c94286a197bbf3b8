package files

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// Limits of a spreadsheet.
const (
	maxRows    = 5000
	maxColumns = 256
	// maxShared is how much text the cells of a workbook may have in common, in
	// bytes.
	maxShared = 32 << 20
	// maxGap is how many empty rows in a row are shown as such.
	maxGap = 20
)

// extractSheets takes the text out of a workbook (.xlsx), one sheet after the
// other: a row is a line, its cells stand between tabs. Formulas are shown by the
// values that were stored with them, dates in ISO form as far as the format of
// the cell tells.
func extractSheets(ctx context.Context, r io.ReaderAt, size int64, out *extract) error {
	a, err := openArchive(r, size)
	if err != nil {
		return err
	}
	book, err := a.workbook(ctx)
	if err != nil {
		return err
	}
	for i, s := range book.sheets {
		title := fmt.Sprintf("Sheet %d of %d: %q", i+1, len(book.sheets), s.name)
		if s.hidden {
			title += " (hidden)"
		}
		if i > 0 {
			title = "\n" + title
		}
		if err := out.line(title); err != nil {
			return err
		}
		if err := a.sheet(ctx, book, s.part, out); err != nil {
			return err
		}
	}
	return nil
}

// workbook is what the sheets of a file share.
type workbook struct {
	sheets []sheetName
	shared []string
	dates  []bool // by cell format: whether it shows a date
	// from1904 says that days are counted from 1904 instead of 1900.
	from1904 bool
}

type sheetName struct {
	name, part string
	hidden     bool
}

// workbook reads what is needed before the sheets.
func (a *archive) workbook(ctx context.Context) (*workbook, error) {
	b := &workbook{}
	parts := map[string]string{}
	err := a.each(ctx, "xl/_rels/workbook.xml.rels", func(_ *markup, e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			target := attr(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			parts[attr(e, "Id")] = strings.TrimPrefix(target, "/")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = a.each(ctx, "xl/workbook.xml", func(_ *markup, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			v := attr(e, "date1904")
			b.from1904 = v == "1" || v == "true"
		case "sheet":
			if len(b.sheets) == maxColumns {
				return errors.New("it has too many sheets")
			}
			state := attr(e, "state")
			b.sheets = append(b.sheets, sheetName{
				name: attr(e, "name"), part: parts[attr(e, "id")], hidden: state == "hidden" || state == "veryHidden",
			})
		}
		return nil
	})
	if err == nil && len(b.sheets) == 0 {
		err = errors.New("it has no part xl/workbook.xml that names a sheet")
	}
	if err == nil {
		b.shared, err = a.sharedStrings(ctx)
	}
	if err == nil {
		b.dates, err = a.dateFormats(ctx)
	}
	return b, err
}

// sharedStrings reads the texts that cells name by number.
func (a *archive) sharedStrings(ctx context.Context) ([]string, error) {
	var list []string
	total := 0
	err := a.each(ctx, "xl/sharedStrings.xml", func(m *markup, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		s, err := m.text(cellText)
		if err != nil {
			return err
		}
		if total += len(s) + 16; total > maxShared {
			return errors.New("its cells share too much text")
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

// cellText tells which elements of a text are shown.
func cellText(name string) bool { return name == "t" }

// sheet puts out the rows of a sheet.
func (a *archive) sheet(ctx context.Context, b *workbook, part string, out *extract) error {
	if _, ok := a.parts[part]; !ok {
		return out.line("(its content is missing)")
	}
	s := sheetReader{book: b, out: out}
	err := a.each(ctx, part, s.element)
	if errors.Is(err, errEnough) {
		return out.line(fmt.Sprintf("(rows after row %d are not shown)", s.row))
	}
	if err == nil {
		err = s.flush()
	}
	if err == nil && s.wide {
		err = out.line(fmt.Sprintf("(columns after the %dth are not shown)", maxColumns))
	}
	return err
}

// errEnough ends a sheet after as many rows as are shown.
var errEnough = errors.New("enough rows")

// sheetReader reads the rows of one sheet.
type sheetReader struct {
	book  *workbook
	out   *extract
	row   int // the number of the current row, from 1
	last  int // the last row put out
	count int
	cells []string
	col   int // the number of cells up to the current one
	wide  bool
}

func (s *sheetReader) element(m *markup, e xml.StartElement) error {
	switch e.Name.Local {
	case "row":
		if err := s.flush(); err != nil {
			return err
		}
		next := s.row + 1
		if n, err := strconv.Atoi(attr(e, "r")); err == nil && n > s.row {
			next = n
		}
		if s.count == maxRows {
			return errEnough
		}
		s.row, s.col = next, 0
	case "c":
		return s.cell(m, e)
	}
	return nil
}

// cell reads a cell.
func (s *sheetReader) cell(m *markup, e xml.StartElement) error {
	s.col++
	if n := columnNumber(attr(e, "r")); n >= s.col {
		s.col = n
	}
	kind := attr(e, "t")
	value, err := m.text(func(name string) bool { return name == "v" || name == "t" })
	if err != nil {
		return err
	}
	if s.col > maxColumns {
		s.wide = s.wide || value != ""
		return nil
	}
	if value == "" {
		return nil
	}
	for len(s.cells) < s.col {
		s.cells = append(s.cells, "")
	}
	s.cells[s.col-1] = oneLine(s.book.show(kind, attr(e, "s"), value))
	return nil
}

// flush puts the current row out. Rows without a value are left out at the end,
// and in long runs.
func (s *sheetReader) flush() error {
	if len(s.cells) == 0 {
		return nil
	}
	gap := s.row - s.last - 1
	if gap > maxGap {
		if err := s.out.line(fmt.Sprintf("(rows %d-%d are empty)", s.last+1, s.row-1)); err != nil {
			return err
		}
		gap = 0
	}
	line := strings.Repeat("\n", max(gap, 0)) + strings.Join(s.cells, "\t")
	s.last, s.cells = s.row, s.cells[:0]
	s.count++
	return s.out.line(line)
}

// columnNumber gives the number of the column in a name such as "AB12", 0 for
// none.
func columnNumber(ref string) int {
	n := 0
	for _, c := range ref {
		if c < 'A' || c > 'Z' || n > 1<<20 {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}
