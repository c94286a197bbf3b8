package web

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"hermes-tui/tools"
	"hermes-tui/tools/shorten"
)

// maxItems is how many entries of a feed are given, and maxEntry how much of each, in
// characters.
const (
	maxItems = 100
	maxEntry = 2000
)

// isFeed reports whether something is a feed, by its type or by how it begins.
func isFeed(kind string, body []byte) bool {
	switch kind {
	case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json":
		return true
	case "application/xml", "text/xml":
		head := body[:min(len(body), 1024)]
		for _, root := range []string{"<rss", "<feed", "<rdf:RDF"} {
			if bytes.Contains(head, []byte(root)) {
				return true
			}
		}
	}
	return false
}

// feedOf makes Markdown of a feed: its entries, the first ones first.
func feedOf(s Source) (made Made, err error) {
	feed, err := gofeed.NewParser().Parse(bytes.NewReader(s.Body))
	if err != nil {
		return made, errors.New("it is a feed that cannot be read: " + shorten.Line(err.Error(), 100))
	}
	at, err := url.Parse(s.URL)
	if err != nil {
		return made, err
	}
	made.Title = feed.Title
	var b strings.Builder
	if d := plainText(feed.Description); d != "" {
		fmt.Fprintf(&b, "%s\n\n", d)
	}
	for i, it := range feed.Items {
		if i == maxItems {
			fmt.Fprintf(&b, "[%s more]\n", tools.Plural(len(feed.Items)-i, "entry", "entries"))
			break
		}
		link := it.Link
		if u, err := at.Parse(link); err == nil && link != "" {
			link = u.String()
		}
		fmt.Fprintf(&b, "## %s\n", shorten.Line(first(it.Title, link, "(no title)"), 300))
		for _, line := range []string{link, when(it)} {
			if line != "" {
				b.WriteString(shorten.Line(line, 500) + "\n")
			}
		}
		if text := plainText(first(it.Description, it.Content)); text != "" {
			fmt.Fprintf(&b, "\n%s\n", text)
		}
		b.WriteString("\n")
	}
	if len(feed.Items) == 0 {
		b.WriteString("(no entries)\n")
	}
	made.Text = b.String()
	return made, nil
}

// when says when an entry was written.
func when(it *gofeed.Item) string {
	for _, t := range []*time.Time{it.PublishedParsed, it.UpdatedParsed} {
		if t != nil {
			return t.UTC().Format(time.DateOnly)
		}
	}
	return first(it.Published, it.Updated)
}

// plainText is what a piece of HTML says to a reader, in short.
func plainText(piece string) string {
	doc, err := html.ParseWithOptions(strings.NewReader(piece))
	if err != nil {
		return ""
	}
	removeHidden(doc)
	return shorten.Runes(words(doc), maxEntry)
}

func first(list ...string) string {
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
