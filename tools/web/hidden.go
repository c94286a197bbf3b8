package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// removeHidden deletes comments and the elements that a page says it does not show: by their
// kind, by an attribute, or by a style of their own. What other styles hide stays, and is data
// like the rest of the page.
func removeHidden(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.CommentNode || c.Type == html.ElementNode && hidden(c) {
			n.RemoveChild(c)
		} else {
			removeHidden(c)
		}
		c = next
	}
}

// hidden reports whether an element shows nothing.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Svg:
		return true
	case atom.Input:
		return attribute(n, "type") == "hidden"
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" || a.Key == "style" && hides(a.Val) {
			return true
		}
	}
	return false
}

// hides reports whether a style takes its element out of sight.
func hides(style string) bool {
	for one := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(one, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) + ":" + value {
		case "display:none", "visibility:hidden", "visibility:collapse", "color:transparent":
			return true
		}
		switch strings.TrimSpace(name) {
		case "opacity", "font-size":
			if strings.Trim(value, "0.%") == "" || strings.TrimLeft(value, "0.") == "px" {
				return true
			}
		}
	}
	return false
}
