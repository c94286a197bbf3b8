package web

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// leastArticle is how long what counts as the article of a page has to be, in characters,
// to stand for all of it.
const leastArticle = 250

// converters write HTML as Markdown, tables included. Each takes locks of its own for every
// node, so that one for all would hold up those that write side by side.
var converters = sync.Pool{New: func() any {
	return converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
}}

// articleOf makes Markdown of the article of a page, or of all of it where there is none.
func articleOf(s Source) (made Made, err error) {
	at, err := url.Parse(s.URL)
	if err != nil {
		return made, err
	}
	doc, err := parse(s.Body, s.Sent)
	if err != nil {
		return made, err
	}
	domain := at.Scheme + "://" + at.Host
	if node := onlyArticle(doc); node != nil {
		made.Title = titleOf(doc)
		made.Text, err = markdown(node, domain)
		return made, err
	}
	parser := readability.NewParser()
	if found, err := parser.ParseAndMutate(doc, at); err == nil {
		made.Title = found.Title()
		if found.Node != nil {
			text, err := markdown(found.Node, domain)
			if err == nil && utf8.RuneCountInString(text) >= leastArticle {
				made.Text = text
				return made, nil
			}
		}
	}
	if doc, err = parse(s.Body, s.Sent); err != nil { // the search for the article has changed it
		return made, err
	}
	made.Text, err = markdown(doc, domain)
	return made, err
}

// parse reads HTML, as far as a reader of the page sees it.
func parse(body []byte, sent string) (*html.Node, error) {
	in, err := decoded(body, sent)
	if err != nil {
		return nil, err
	}
	doc, err := html.ParseWithOptions(in)
	if err != nil {
		return nil, fmt.Errorf("its HTML cannot be read: %w", err)
	}
	removeHidden(doc)
	return doc, nil
}

// decoded reads the characters of a text. What is certainly UTF-8, or certainly not, is not
// believed to be what it was sent as.
func decoded(body []byte, sent string) (io.Reader, error) {
	_, name, _ := charset.DetermineEncoding(body[:min(len(body), 1024)], sent)
	wide := strings.HasPrefix(name, "utf-16")
	valid := utf8.Valid(bytes.TrimRightFunc(body, func(r rune) bool { return r == utf8.RuneError })) // it may be cut
	switch {
	case valid && !wide && bytes.IndexFunc(body, func(r rune) bool { return r >= 0x80 }) >= 0:
		sent = "text/html; charset=utf-8"
	case !valid && name == "utf-8":
		sent = ""
		if _, name, _ = charset.DetermineEncoding(body, sent); name == "utf-8" {
			sent = "text/html; charset=windows-1252"
		}
	}
	in, err := charset.NewReader(bytes.NewReader(body), sent)
	if err != nil {
		return nil, fmt.Errorf("its characters cannot be read: %w", err)
	}
	return in, nil
}

// onlyArticle is the element that the page itself names as its article, if there is one and
// it holds most of the text; nil if that has to be found out.
func onlyArticle(doc *html.Node) *html.Node {
	var found *html.Node
	several := false
	all := walk(doc, func(n *html.Node) {
		if n.DataAtom == atom.Article {
			several = several || found != nil
			found = n
		}
	})
	if found == nil || several {
		return nil
	}
	if own := walk(found, func(*html.Node) {}); own < leastArticle || own < all*6/10 {
		return nil
	}
	strip(found)
	return found
}

// walk shows each element below a node, and counts the bytes of text there.
func walk(n *html.Node, element func(*html.Node)) (text int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			text += len(strings.TrimSpace(c.Data))
		case html.ElementNode:
			element(c)
			text += walk(c, element)
		}
	}
	return text
}

// strip removes what belongs to the site rather than to the article.
func strip(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.DataAtom {
		case atom.Nav, atom.Aside, atom.Form, atom.Button, atom.Input, atom.Select, atom.Textarea:
			n.RemoveChild(c)
		default:
			strip(c)
		}
		c = next
	}
}

// titleOf is the title of a page.
func titleOf(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.Title && (n.Namespace == "") {
			return words(n)
		}
	}
	return ""
}

// manyNodes is from how many nodes on a page is written in parts, side by side.
const manyNodes = 4000

// markdown writes an element as Markdown.
func markdown(n *html.Node, domain string) (string, error) {
	parts := partsOf(n, runtime.GOMAXPROCS(0))
	texts, errs := make([]string, len(parts)), make([]error, len(parts))
	var writing sync.WaitGroup
	for i, part := range parts {
		writing.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("%v", p)
				}
			}()
			convert := converters.Get().(*converter.Converter)
			defer converters.Put(convert)
			text, err := convert.ConvertNode(part, converter.WithDomain(domain))
			texts[i], errs[i] = string(text), err
		})
	}
	writing.Wait()
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// partsOf divides a large element into so many of about the same size, where blocks begin.
func partsOf(n *html.Node, parts int) []*html.Node {
	for inner := only(n); inner != nil; inner = only(n) {
		n = inner
	}
	all := size(n)
	if all < manyNodes || parts < 2 || preformatted(n) {
		return []*html.Node{n}
	}
	each := (all + parts - 1) / parts
	var list []*html.Node
	held := 0
	var part *html.Node
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if part == nil || held >= each && isBlock(c) {
			part = &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
			list, held = append(list, part), 0
		}
		held += size(c)
		n.RemoveChild(c)
		part.AppendChild(c)
		c = next
	}
	return list
}

// only is the block in an element that is all there is in it, nil for none: the head of a
// page is not written.
func only(n *html.Node) *html.Node {
	c := n.FirstChild
	if n.Type == html.DocumentNode || n.DataAtom == atom.Html {
		for c != nil && c.DataAtom != atom.Html && c.DataAtom != atom.Body {
			c = c.NextSibling
		}
		return c
	}
	if c == nil || c != n.LastChild || !isBlock(c) || preformatted(c) {
		return nil
	}
	return c
}

// size counts the nodes of a part.
func size(n *html.Node) int {
	nodes := 1
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		nodes += size(c)
	}
	return nodes
}

// preformatted reports whether what is in an element depends on what is around it.
func preformatted(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Pre, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Tbody, atom.Thead, atom.Tr, atom.Blockquote, atom.Li:
		return true
	}
	return false
}

// isBlock reports whether an element begins a line of its own.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Details, atom.Div, atom.Dl, atom.Fieldset, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Main, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Table, atom.Ul, atom.Center:
		return n.Type == html.ElementNode
	}
	return false
}
