// Package man writes pages for man(1): Markdown as the macros of man(7) that groff and
// mandoc know. Tables become lists, since rows rarely fit beside each other. What it does
// not know it leaves out: images, raw HTML. It keeps nothing and is safe for concurrent
// use.
package man

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Page is a page of the manual.
type Page struct {
	// Name is what it is found by, in the section of that number.
	Name    string
	Section int
	// About says in a line what it is about, for whatis(1).
	About string
	// Source is the program with its version, Date that of the version; empty for unknown.
	Source, Date string
	// Text is its Markdown. Headings of the second level are sections of the page; one of
	// the first level is left out.
	Text string
}

// File is the name of the file of a page, below a folder of the manual.
func (p Page) File() string { return fmt.Sprintf("man%d/%s.%d", p.Section, p.Name, p.Section) }

// Roff gives the source of a page.
func (p Page) Roff() string {
	w := &writer{source: []byte(p.Text)}
	w.line(".TH %s %d %s %s", quoted(strings.ToUpper(p.Name)), p.Section, quoted(p.Date), quoted(p.Source))
	w.line(".nh") // no word is broken, so that what is copied is right
	w.line(".ad l")
	w.line(".SH NAME")
	w.line("%s \\- %s", escape(p.Name), escape(p.About))
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Linkify)).Parser().Parse(text.NewReader(w.source))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if _, heading := n.(*ast.Heading); !heading && !w.begun {
			w.section("DESCRIPTION")
		}
		w.block(n)
	}
	return w.b.String()
}

// writer writes the source of a page.
type writer struct {
	b      strings.Builder
	source []byte
	begun  bool // there is a section
	depth  int  // of lists
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *writer) section(title string) {
	w.begun = true
	w.line(".SH %s", quoted(title))
}

// text writes text, whose lines never begin with a request.
func (w *writer) text(s string) {
	for l := range strings.SplitSeq(strings.Trim(s, "\n"), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			w.line("%s", safe(l))
		}
	}
}

// block writes a block.
func (w *writer) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		title := w.inline(n)
		switch n.Level {
		case 1:
		case 2:
			w.section(strings.ToUpper(plain(w.source, n)))
		default:
			w.line(".SS %s", quotedRoff(title))
		}
	case *ast.Paragraph, *ast.TextBlock:
		if w.depth == 0 || n.PreviousSibling() != nil {
			w.line(map[bool]string{true: ".PP", false: ".IP"}[w.depth == 0])
		}
		w.text(w.inline(n))
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		w.line(".PP")
		w.line(".RS 4")
		w.line(".nf")
		for i := range n.Lines().Len() {
			at := n.Lines().At(i)
			w.line("%s", safe(escape(strings.TrimRight(string(at.Value(w.source)), "\n"))))
		}
		w.line(".fi")
		w.line(".RE")
	case *ast.List:
		w.list(n)
	case *ast.Blockquote:
		w.line(".RS 4")
		w.blocks(n)
		w.line(".RE")
	case *extast.Table:
		w.table(n)
	}
}

func (w *writer) blocks(of ast.Node) {
	for n := of.FirstChild(); n != nil; n = n.NextSibling() {
		w.block(n)
	}
}

func (w *writer) list(list *ast.List) {
	if w.depth > 0 {
		w.line(".RS 4")
	}
	w.depth++
	number := list.Start
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if list.IsOrdered() {
			w.line(".IP %d. 4", number)
			number++
		} else {
			w.line(".IP \\(bu 2")
		}
		w.blocks(item)
	}
	if w.depth--; w.depth > 0 {
		w.line(".RE")
	}
}

// table writes each row as an entry: its first cell, and under it the others, each behind
// the title of its column.
func (w *writer) table(t *extast.Table) {
	var titles []string
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, strings.ReplaceAll(w.inline(c), "\n", " "))
		}
		if row.Kind() == extast.KindTableHeader {
			titles = cells
			continue
		}
		if len(cells) == 0 {
			continue
		}
		w.line(".TP")
		w.text(cells[0])
		said := false
		for i, cell := range cells[1:] {
			if strings.TrimSpace(cell) == "" {
				continue
			}
			if said {
				w.line(".br")
			}
			if title := titles[min(i+1, len(titles)-1)]; len(titles) > 2 && title != "" {
				cell = title + ": " + cell
			}
			w.text(cell)
			said = true
		}
		if !said {
			w.line("\\&")
		}
	}
}

// inline gives what stands in a block, as the text of a request.
func (w *writer) inline(of ast.Node) string {
	var b strings.Builder
	fonts := []byte{'R'}
	_ = ast.Walk(of, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		font := byte(0)
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				value := n.Segment.Value(w.source)
				if n.Parent().Kind() != ast.KindCodeSpan {
					value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
				}
				b.WriteString(breakable(escape(string(value))))
				if n.HardLineBreak() || n.SoftLineBreak() {
					b.WriteByte('\n')
				}
			}
		case *ast.String:
			if entering {
				b.WriteString(escape(string(n.Value)))
			}
		case *ast.AutoLink:
			if entering {
				b.WriteString(escape(string(n.Label(w.source))))
			}
		case *ast.Link:
			if to := string(n.Destination); !entering && strings.Contains(to, "://") && to != plain(w.source, n) {
				b.WriteString(" <" + escape(to) + ">")
			}
		case *ast.CodeSpan:
			font = 'B'
		case *ast.Emphasis:
			font = 'I'
			if n.Level > 1 {
				font = 'B'
			}
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		}
		if font != 0 {
			if entering {
				fonts = append(fonts, font)
			} else {
				fonts = fonts[:len(fonts)-1]
			}
			b.WriteString(`\f` + string(fonts[len(fonts)-1]))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// plain is the text of a node without its form.
func plain(source []byte, of ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(of, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// signs are those that mean something, or that are drawn as others.
var signs = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, "\t", "    ")

// escape gives text that is drawn as it is, except at the beginning of a line; see safe.
func escape(s string) string { return signs.Replace(s) }

// longWord is how long a word is that may be broken behind its commas.
const longWord = 40

// breakable lets a line end within words that would not fit into one.
func breakable(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		if len(word) > longWord {
			words[i] = strings.ReplaceAll(word, ",", `,\:`)
		}
	}
	return strings.Join(words, " ")
}

// safe is a line that is no request.
func safe(line string) string {
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}

// quoted is a text as one argument of a request.
func quoted(s string) string { return quotedRoff(escape(s)) }

// quotedRoff is [quoted] for text that is escaped already.
func quotedRoff(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `"`, `\(dq`), "\n", " ") + `"`
}
