package files

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// extractWord takes the text out of a Word document (.docx): a paragraph is a
// line, headings begin with "#", items of lists with "-" or their number, the
// cells of a table row stand between "|". Pictures are named. Text that was
// deleted with changes tracked is left out.
func extractWord(ctx context.Context, r io.ReaderAt, size int64, out *extract) error {
	a, err := openArchive(r, size)
	if err != nil {
		return err
	}
	styles, err := a.wordStyles(ctx)
	if err != nil {
		return err
	}
	lists, err := a.wordLists(ctx)
	if err != nil {
		return err
	}
	body, ok, err := a.open("word/document.xml")
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("it has no part word/document.xml")
	}
	defer body.Close()
	w := word{m: newMarkup(ctx, body), out: out, styles: styles, lists: lists, counters: map[string]int{}}
	for {
		tok, err := w.m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = w.take(tok)
		}
		if err != nil {
			return err
		}
	}
}

// word is a Word document that is being read.
type word struct {
	m      *markup
	out    *extract
	styles map[string]wordStyle
	lists  map[string]bool // "numId/level" of lists that are counted
	// counters hold the last number of each counted list.
	counters map[string]int

	pars   []*wordPar // open paragraphs; one inside another is that of a text box
	rows   []*tableRow
	tables int // open tables
}

// wordPar is a paragraph that is being read.
type wordPar struct {
	text  strings.Builder
	style wordStyle
	list  string // its numId
	level int
}

// tableRow is a row of a table that is being read.
type tableRow struct {
	cells []string
	cell  strings.Builder
}

// wordStyle is what matters of a paragraph style.
type wordStyle struct {
	heading int // 1 to 9, 0 for none
	list    string
	level   int
}

// take uses one piece of the document.
func (w *word) take(tok xml.Token) error {
	switch tok := tok.(type) {
	case xml.StartElement:
		return w.start(tok)
	case xml.EndElement:
		return w.end(tok.Name.Local)
	}
	return nil
}

func (w *word) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "Fallback", "del", "moveFrom", "pict", "pPrChange", "rPrChange", "tabs": // said otherwise before, or gone
		return w.m.skip()
	case "p":
		w.pars = append(w.pars, &wordPar{})
	case "tbl":
		w.tables++
	case "tr":
		w.rows = append(w.rows, &tableRow{})
	case "tc":
		if n := len(w.rows); n > 0 {
			w.rows[n-1].cell.Reset()
		}
	}
	if n := len(w.pars); n > 0 {
		return w.inPar(w.pars[n-1], e)
	}
	return nil
}

// inPar uses an element of a paragraph.
func (w *word) inPar(p *wordPar, e xml.StartElement) error {
	switch e.Name.Local {
	case "pStyle":
		p.style = w.styles[attr(e, "val")]
		p.list, p.level = p.style.list, p.style.level
	case "outlineLvl":
		if n, err := strconv.Atoi(attr(e, "val")); err == nil && n >= 0 && n < 9 {
			p.style.heading = n + 1
		}
	case "ilvl":
		p.level, _ = strconv.Atoi(attr(e, "val"))
	case "numId":
		p.list = attr(e, "val")
	case "tab":
		p.text.WriteByte('\t')
	case "br", "cr":
		p.text.WriteByte('\n')
	case "noBreakHyphen":
		p.text.WriteByte('-')
	case "docPr":
		p.picture(e)
	case "t":
		s, err := w.m.text(nil)
		p.text.WriteString(s)
		return err
	}
	return nil
}

// picture names a picture by its description.
func (p *wordPar) picture(e xml.StartElement) {
	name := attr(e, "descr")
	if name == "" {
		name = attr(e, "name")
	}
	fmt.Fprintf(&p.text, "[picture: %s]", oneLine(name))
}

func (w *word) end(name string) error {
	n := len(w.rows)
	switch name {
	case "p":
		return w.paragraph()
	case "tc":
		if n > 0 {
			w.rows[n-1].cells = append(w.rows[n-1].cells, w.rows[n-1].cell.String())
		}
	case "tr":
		if n == 0 {
			return nil
		}
		row := strings.Join(w.rows[n-1].cells, " | ")
		if w.rows = w.rows[:n-1]; n > 1 { // a table in a cell
			w.intoCell(row)
			return nil
		}
		return w.out.line("| " + row + " |")
	case "tbl":
		if w.tables--; w.tables == 0 {
			return w.out.line("")
		}
	}
	return nil
}

// intoCell adds to the current cell of the innermost row.
func (w *word) intoCell(s string) {
	cell := &w.rows[len(w.rows)-1].cell
	if cell.Len() > 0 {
		cell.WriteString(" / ")
	}
	cell.WriteString(s)
}

// paragraph puts out the paragraph that has ended.
func (w *word) paragraph() error {
	n := len(w.pars)
	if n == 0 {
		return nil
	}
	p := w.pars[n-1]
	w.pars = w.pars[:n-1]
	text := strings.TrimRight(p.text.String(), " \t\n")
	if len(w.rows) > 0 {
		if text != "" {
			w.intoCell(oneLine(text))
		}
		return nil
	}
	switch {
	case text == "":
	case p.style.heading > 0:
		text = strings.Repeat("#", p.style.heading) + " " + oneLine(text)
	case p.list != "" && p.list != "0":
		text = strings.Repeat("  ", min(max(p.level, 0), 8)) + w.marker(p) + text
	}
	return w.out.line(text)
}

// marker begins an item of a list.
func (w *word) marker(p *wordPar) string {
	key := p.list + "/" + strconv.Itoa(p.level)
	if !w.lists[key] {
		return "- "
	}
	w.counters[key]++
	for deeper := p.level + 1; deeper <= 9; deeper++ {
		delete(w.counters, p.list+"/"+strconv.Itoa(deeper))
	}
	return strconv.Itoa(w.counters[key]) + ". "
}

// oneLine puts a text into one line without tabs.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
